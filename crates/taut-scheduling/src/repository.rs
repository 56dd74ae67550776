//! The descriptions of all operations.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

use crate::info::{CallKind, Dependency, RtInfo};

/// The number of an operation in its [`Repository`], and in the schedule that is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

impl Handle {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The descriptions of all operations, in the order of their handles.
///
/// Indexing by a [`Handle`] of another repository may panic.
#[derive(Debug, Clone, Default)]
pub struct Repository {
    infos: Vec<RtInfo>,
    by_name: HashMap<String, Handle>,
}

impl Repository {
    /// Returns the handle of an operation, which others may have named before, and marks it as
    /// described.
    pub fn describe(&mut self, entry_point: &str) -> Handle {
        let handle = self.refer(entry_point);
        self[handle].is_described = true;
        handle
    }

    /// Returns the handle of an operation that others call, whether it has been described or
    /// not.
    pub fn refer(&mut self, entry_point: &str) -> Handle {
        if let Some(handle) = self.lookup(entry_point) {
            return handle;
        }
        let handle = Handle(u32::try_from(self.infos.len()).unwrap_or(u32::MAX));
        self.infos.push(RtInfo {
            entry_point: entry_point.to_owned(),
            ..RtInfo::default()
        });
        self.by_name.insert(entry_point.to_owned(), handle);
        handle
    }

    /// Returns the handle of an operation that is there.
    pub fn lookup(&self, entry_point: &str) -> Option<Handle> {
        self.by_name.get(entry_point).copied()
    }

    /// Adds a call: `caller` calls `callee` so many times in each execution.
    pub fn add_dependency(&mut self, caller: Handle, callee: Handle, calls: u32, kind: CallKind) {
        let dependency = Dependency {
            callee,
            calls,
            kind,
        };
        self[caller].dependencies.push(dependency);
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// All operations with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &RtInfo)> {
        self.infos
            .iter()
            .zip(0..)
            .map(|(info, number)| (Handle(number), info))
    }

    /// The operation with this handle, if it is one of this repository.
    pub fn get(&self, handle: Handle) -> Option<&RtInfo> {
        self.infos.get(handle.index())
    }
}

impl Index<Handle> for Repository {
    type Output = RtInfo;

    fn index(&self, handle: Handle) -> &RtInfo {
        &self.infos[handle.index()]
    }
}

impl IndexMut<Handle> for Repository {
    fn index_mut(&mut self, handle: Handle) -> &mut RtInfo {
        &mut self.infos[handle.index()]
    }
}

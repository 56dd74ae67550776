//! The store of a service whose names end with it.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::Bound as End;

use parking_lot::RwLock;

use super::{
    Answer, Bound, Change, ContextId, Entry, Key, Store, StoreError, StoreLimits, Totals,
    Transaction, View, apply,
};

/// A store in memory, which is empty at first and ends with the process.
#[derive(Debug)]
pub struct MemoryStore {
    tree: u64,
    names: RwLock<Names>,
}

/// The contexts and their entries. Nothing fails half-way, so a change needs no copy.
#[derive(Debug, Default)]
struct Names {
    /// The contexts besides the root.
    contexts: BTreeSet<ContextId>,
    last_context: u64,
    bindings: BTreeMap<(ContextId, Key), Bound>,
}

impl MemoryStore {
    /// A store without names.
    pub fn new() -> Self {
        Self {
            tree: random(),
            names: RwLock::default(),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

/// A number that no other store has, in all likelihood.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

impl Store for MemoryStore {
    fn tree(&self) -> u64 {
        self.tree
    }

    fn read(
        &self,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        query(&*self.names.read())
    }

    fn change(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError> {
        apply(&mut *self.names.write(), &change, limits)
    }
}

impl View for Names {
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError> {
        Ok(context == ContextId::ROOT || self.contexts.contains(&context))
    }

    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError> {
        Ok(self.bindings.get(&(context, key.clone())).cloned())
    }

    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let start = match after {
            Some(key) => End::Excluded((context, key.clone())),
            None => End::Included((context, Key::from_octets(&[]))),
        };
        let mut octets = 0;
        let entries = self
            .bindings
            .range((start, End::Unbounded))
            .take_while(|((of, _), _)| *of == context)
            .take(max_entries)
            .take_while(|((_, key), _)| {
                let has_room = octets < max_octets;
                octets += key.as_octets().len();
                has_room
            })
            .map(|((_, key), bound)| Entry {
                key: key.clone(),
                is_context: bound.is_context(),
            });
        Ok(entries.collect())
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        Ok(Totals {
            contexts: self.contexts.len() as u64,
            bindings: self.bindings.len() as u64,
        })
    }
}

impl Transaction for Names {
    fn bind(&mut self, context: ContextId, key: &Key, bound: &Bound) -> Result<(), StoreError> {
        self.bindings.insert((context, key.clone()), bound.clone());
        Ok(())
    }

    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError> {
        self.bindings.remove(&(context, key.clone()));
        Ok(())
    }

    fn create_context(&mut self) -> Result<ContextId, StoreError> {
        self.last_context += 1;
        let context = ContextId(self.last_context);
        self.contexts.insert(context);
        Ok(context)
    }

    fn remove_context(&mut self, context: ContextId) -> Result<(), StoreError> {
        self.contexts.remove(&context);
        Ok(())
    }
}

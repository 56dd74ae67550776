//! The names of a scope, without regard to case.

use std::hash::{Hash, Hasher};

use arcstr::ArcStr;
use hashbrown::{Equivalent, HashMap, HashSet};

use super::entity::{Entity, ScopeId};
use crate::source::Span;

/// A name in a scope.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) spelling: ArcStr,
    pub(super) span: Span,
    pub(super) entity: Entity,
}

/// A name, which is the same in whatever case.
#[derive(Debug, Clone, Copy)]
struct Caseless<'n>(&'n str);

impl Hash for Caseless<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Most names fit into one piece.
        for piece in self.0.as_bytes().chunks(32) {
            let mut lower = [0; 32];
            let lower = &mut lower[..piece.len()];
            lower.copy_from_slice(piece);
            lower.make_ascii_lowercase();
            state.write(lower);
        }
    }
}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Caseless(&self.spelling).hash(state);
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.spelling.eq_ignore_ascii_case(&other.spelling)
    }
}

impl Eq for Entry {}

impl Equivalent<Entry> for Caseless<'_> {
    fn equivalent(&self, entry: &Entry) -> bool {
        self.0.eq_ignore_ascii_case(&entry.spelling)
    }
}

/// The entities that the names of a scope stand for.
#[derive(Debug, Default)]
pub(super) struct NameTable(HashSet<Entry>);

impl NameTable {
    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.0.get(&Caseless(name))
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(&Caseless(name))
    }

    /// Sets what a name stands for.
    pub(super) fn insert(&mut self, entry: Entry) {
        self.0.replace(entry);
    }

    /// Changes where a name is defined.
    pub(super) fn move_to(&mut self, name: &str, span: Span) {
        if let Some(entry) = self.0.take(&Caseless(name)) {
            self.0.insert(Entry { span, ..entry });
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }
}

/// A key that is the same in whatever case.
#[derive(Debug)]
struct Key(ArcStr);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Caseless(&self.0).hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Key {}

impl Equivalent<Key> for Caseless<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.0.eq_ignore_ascii_case(&key.0)
    }
}

/// The names in scopes that others inherit from. Most names are in none, which is
/// so known without a look into all bases.
#[derive(Debug, Default)]
pub(super) struct Inheritable(HashSet<Key>);

impl Inheritable {
    pub(super) fn add(&mut self, names: &NameTable) {
        let names = names.iter().map(|entry| Key(entry.spelling.clone()));
        self.0.extend(names);
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(&Caseless(name))
    }
}

/// Names from outside that were used in a scope: where they are defined and
/// where they were used first.
#[derive(Debug, Default)]
pub(super) struct Introduced(HashMap<Key, (ScopeId, Span)>);

impl Introduced {
    pub(super) fn get(&self, name: &str) -> Option<(ScopeId, Span)> {
        self.0.get(&Caseless(name)).copied()
    }

    /// Notes a use, if it is the first.
    pub(super) fn note(&mut self, name: &ArcStr, holder: ScopeId, span: Span) {
        if !self.0.contains_key(&Caseless(name)) {
            self.0.insert(Key(name.clone()), (holder, span));
        }
    }
}

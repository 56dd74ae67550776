//! The features that interfaces and value types inherit.

use std::collections::BTreeSet;

use super::{Content, Contents, Key};

impl Contents {
    /// The definitions that one inherits from directly: of an interface its bases, of a value
    /// type these and the interfaces that it supports.
    fn direct_bases(&self, key: Key) -> Vec<Key> {
        match self.definitions.get(&key).map(|one| &one.content) {
            Some(Content::Interface(interface)) => interface.bases.clone(),
            Some(Content::Value(value)) => {
                let bases = value.base.iter().chain(&value.abstract_bases);
                bases.chain(&value.supported).copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// All that a definition inherits from, each once, the nearest first. The definition itself
    /// is among them only if it inherits from itself.
    pub(crate) fn all_bases(&self, key: Key) -> Vec<Key> {
        let mut found = Vec::new();
        let mut known = BTreeSet::new();
        let mut next = self.direct_bases(key);
        while !next.is_empty() {
            let mut further = Vec::new();
            for base in next {
                if known.insert(base) {
                    found.push(base);
                    further.extend(self.direct_bases(base));
                }
            }
            next = further;
        }
        found
    }

    /// All that is defined in what a container inherits from.
    pub(crate) fn inherited(&self, container: Key) -> Vec<Key> {
        let bases = self.all_bases(container).into_iter();
        bases.flat_map(|base| self.children(base)).collect()
    }

    /// Those within a container, and unless they are left out those that it inherits.
    pub(crate) fn scope(&self, container: Key, excludes_inherited: bool) -> Vec<Key> {
        let mut all: Vec<_> = self.children(container).collect();
        if !excludes_inherited {
            all.extend(self.inherited(container));
        }
        all
    }

    /// Whether a definition is the one with a repository id, or inherits from it.
    pub(crate) fn is_a(&self, key: Key, id: &str) -> bool {
        const OBJECT: &str = "IDL:omg.org/CORBA/Object:1.0";
        const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";
        let is_value = |key| {
            let definition = self.definitions.get(&key);
            definition.is_some_and(|one| matches!(one.content, Content::Value(_)))
        };
        let root = if is_value(key) { VALUE_BASE } else { OBJECT };
        id == root || {
            let found = self.with_id(id);
            found.is_some_and(|found| found == key || self.all_bases(key).contains(&found))
        }
    }
}

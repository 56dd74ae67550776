//! The contents of a repository: the definitions, found by key, repository id and container.
//!
//! A change is a series of [`Contents::put`] and [`Contents::remove`]. It ends with
//! [`Contents::commit`], when a store has noted it, or with
//! [`Contents::roll_back`], after which all is as before.

mod changes;
mod checks;
mod destruction;
mod faults;
mod inheritance;
mod kinds;
mod loading;
mod lookup;
mod names;
mod record;
mod type_codes;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parking_lot::Mutex;
use taut::{SystemException, TypeCode};

pub(crate) use faults::{bad_param, incoherent, refused};
pub use loading::LoadError;
pub use loading::Loaded;
pub(crate) use record::{
    Attribute, Collection, Constant, Content, Definition, Fixed, Initialiser, Interface, Key,
    LabelledMember, Member, Operation, Parameter, Union, Value, ValueMember,
};

use faults::{gone, limit};

/// The limits of what a repository holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContentLimits {
    /// The most definitions, types without names among them.
    pub(crate) definitions: usize,
    /// How deeply containers may nest.
    pub(crate) nesting: usize,
    /// The most octets of a name, an id, a version or a context.
    pub(crate) name_octets: usize,
}

/// The definitions of a repository.
#[derive(Debug)]
pub(crate) struct Contents {
    limits: ContentLimits,
    definitions: BTreeMap<Key, Definition>,
    by_id: HashMap<String, Key>,
    /// By the container and the name in lower case: names that differ in case alone are the same.
    names: HashMap<(Key, String), Key>,
    /// Those with names, by their container, in the order of their keys.
    within: BTreeMap<Key, BTreeSet<Key>>,
    next: u64,
    /// The definitions that the change has touched, as they were before it.
    before: BTreeMap<Key, Option<Definition>>,
    /// The TypeCodes that have been made since the last change.
    type_codes: Mutex<HashMap<Key, TypeCode>>,
}

impl Contents {
    /// The contents that a store has.
    ///
    /// # Errors
    ///
    /// When it cannot have been written by a repository: definitions are in no container, or refer to
    /// others that are not there.
    pub(crate) fn new(
        limits: ContentLimits,
        stored: impl IntoIterator<Item = (Key, Definition)>,
    ) -> Result<Self, &'static str> {
        let mut contents = Self {
            limits,
            definitions: BTreeMap::new(),
            by_id: HashMap::new(),
            names: HashMap::new(),
            within: BTreeMap::new(),
            next: Key::FIRST,
            before: BTreeMap::new(),
            type_codes: Mutex::default(),
        };
        for (key, definition) in stored {
            if key.0 < Key::FIRST {
                return Err("a definition has the number of the repository or of a primitive type");
            }
            contents.next = contents.next.max(key.0.saturating_add(1));
            contents.set(key, Some(definition));
        }
        contents.check_stored()?;
        Ok(contents)
    }

    fn check_stored(&self) -> Result<(), &'static str> {
        let mut reached = 0;
        let mut scopes = vec![Key::REPOSITORY];
        while let Some(scope) = scopes.pop() {
            reached += self.children(scope).count();
            scopes.extend(self.children(scope));
        }
        let all = self.definitions.values();
        let contained = all.filter(|one| one.content.is_contained()).count();
        // Those that contain each other are not reached.
        if reached != contained || self.by_id.len() != contained {
            return Err("definitions of it are in no container, or have the same id");
        }
        for definition in self.definitions.values() {
            let mut is_whole = true;
            definition.references(&mut |key| is_whole &= self.has(key));
            if !is_whole {
                return Err("definitions refer to others that are not in it");
            }
        }
        Ok(())
    }

    /// The definition with a key.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST when it has been destroyed.
    pub(crate) fn get(&self, key: Key) -> Result<&Definition, SystemException> {
        self.definitions.get(&key).ok_or_else(gone)
    }

    /// Whether there is something with a key: a definition, a primitive type or the repository.
    pub(crate) fn has(&self, key: Key) -> bool {
        key == Key::REPOSITORY
            || key.as_primitive().is_some()
            || self.definitions.contains_key(&key)
    }

    /// The definition with a repository id.
    pub(crate) fn with_id(&self, id: &str) -> Option<Key> {
        self.by_id.get(id).copied()
    }

    /// Those directly within a container, in the order in which they were made.
    pub(crate) fn children(&self, container: Key) -> impl Iterator<Item = Key> + '_ {
        self.within.get(&container).into_iter().flatten().copied()
    }

    /// The one in a container with a name, be it in other case.
    fn named_alike(&self, container: Key, name: &str) -> Option<Key> {
        self.names
            .get(&(container, name.to_ascii_lowercase()))
            .copied()
    }

    /// The repository id of a container; empty for the repository.
    pub(crate) fn id_of_container(&self, key: Key) -> String {
        let container = self.definitions.get(&key);
        container.map_or_else(String::new, |one| one.id.clone())
    }

    /// The repository ids of definitions.
    pub(crate) fn ids(&self, keys: &[Key]) -> Vec<String> {
        keys.iter().map(|key| self.id_of_container(*key)).collect()
    }

    /// A definition of its own kind, with all its names: `::A::B`.
    pub(crate) fn absolute_name(&self, key: Key) -> String {
        let mut names = Vec::new();
        let mut next = self.definitions.get(&key);
        while let Some(definition) = next {
            names.push(definition.name.as_str());
            next = self.definitions.get(&definition.container);
        }
        names.iter().rev().fold(String::new(), |mut all, name| {
            all.push_str("::");
            all.push_str(name);
            all
        })
    }

    /// Notes a new definition, and gives it a key.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT when there are as many as may be.
    fn add(&mut self, definition: Definition) -> Result<Key, SystemException> {
        if self.definitions.len() >= self.limits.definitions {
            return Err(limit());
        }
        let key = Key(self.next);
        self.next = self.next.checked_add(1).ok_or_else(limit)?;
        self.put(key, definition);
        Ok(key)
    }

    /// Replaces a definition.
    fn put(&mut self, key: Key, definition: Definition) {
        self.change(key, Some(definition));
    }

    fn remove(&mut self, key: Key) {
        self.change(key, None);
    }

    fn change(&mut self, key: Key, definition: Option<Definition>) {
        let before = self.set(key, definition);
        self.before.entry(key).or_insert(before);
        self.type_codes.get_mut().clear();
    }

    /// Sets what is under a key, and returns what was.
    fn set(&mut self, key: Key, definition: Option<Definition>) -> Option<Definition> {
        let before = self.definitions.remove(&key);
        if let Some(before) = before.as_ref().filter(|one| one.content.is_contained()) {
            self.by_id.remove(&before.id);
            self.names
                .remove(&(before.container, before.name.to_ascii_lowercase()));
            if let Some(siblings) = self.within.get_mut(&before.container) {
                siblings.remove(&key);
                if siblings.is_empty() {
                    self.within.remove(&before.container);
                }
            }
        }
        if let Some(definition) = definition {
            if definition.content.is_contained() {
                self.by_id.insert(definition.id.clone(), key);
                let name = definition.name.to_ascii_lowercase();
                self.names.insert((definition.container, name), key);
                let siblings = self.within.entry(definition.container).or_default();
                siblings.insert(key);
            }
            self.definitions.insert(key, definition);
        }
        before
    }

    /// The definitions that the change has touched, as they are now: none for one that is no more.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Key, Option<&Definition>)> {
        let touched = self.before.keys();
        touched.map(|key| (*key, self.definitions.get(key)))
    }

    /// Ends the change.
    pub(crate) fn commit(&mut self) {
        self.before.clear();
    }

    /// Undoes the change.
    pub(crate) fn roll_back(&mut self) {
        // Those that took an id or a name go before those that had it.
        let before = std::mem::take(&mut self.before);
        for key in before.keys() {
            self.set(*key, None);
        }
        for (key, definition) in before {
            self.set(key, definition);
        }
        self.type_codes.get_mut().clear();
    }
}

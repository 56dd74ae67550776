//! The end of definitions.

use std::collections::BTreeSet;

use taut::{SystemException, SystemExceptionKind};

use super::faults::omg;
use super::{Contents, Key};

impl Contents {
    /// Destroys a definition with all that is in it, and the types without names that only these
    /// have used.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with the standard's minor codes: 1 when other definitions refer to one of
    /// them, 2 for the repository and for primitive types. OBJECT_NOT_EXIST.
    pub(crate) fn destroy(&mut self, key: Key) -> Result<(), SystemException> {
        if key == Key::REPOSITORY || key.as_primitive().is_some() {
            return Err(omg(SystemExceptionKind::BadInvOrder, 2));
        }
        self.get(key)?;
        let mut doomed = self.tree(key);
        let anonymous = self.anonymous_of(&doomed);
        doomed.extend(self.unused(anonymous, &doomed));
        for (other, definition) in &self.definitions {
            let mut is_used = false;
            definition.references(&mut |used| is_used |= doomed.contains(&used));
            if is_used && !doomed.contains(other) {
                return Err(omg(SystemExceptionKind::BadInvOrder, 1));
            }
        }
        doomed.into_iter().for_each(|key| self.remove(key));
        Ok(())
    }

    /// A definition with all that is in it.
    fn tree(&self, key: Key) -> BTreeSet<Key> {
        let mut found = BTreeSet::new();
        let mut next = vec![key];
        while let Some(key) = next.pop() {
            if found.insert(key) {
                next.extend(self.children(key));
            }
        }
        found
    }

    /// The types without names that definitions refer to, and those that these refer to.
    pub(super) fn anonymous_of(&self, keys: &BTreeSet<Key>) -> BTreeSet<Key> {
        let mut found = BTreeSet::new();
        let mut next: Vec<_> = keys.iter().copied().collect();
        while let Some(key) = next.pop() {
            let Some(definition) = self.definitions.get(&key) else {
                continue;
            };
            definition.references(&mut |used| {
                let used_one = self.definitions.get(&used);
                let is_anonymous = used_one.is_some_and(|one| !one.content.is_contained());
                if is_anonymous && found.insert(used) {
                    next.push(used);
                }
            });
        }
        found
    }

    /// Removes those of these types without names that no definition uses.
    pub(super) fn remove_unused(&mut self, mut candidates: BTreeSet<Key>) {
        candidates.retain(|key| self.definitions.contains_key(key));
        for key in self.unused(candidates, &BTreeSet::new()) {
            self.remove(key);
        }
    }

    /// Those of these types without names that no definition uses besides some that do not count.
    fn unused(&self, candidates: BTreeSet<Key>, without: &BTreeSet<Key>) -> BTreeSet<Key> {
        if candidates.is_empty() {
            return candidates;
        }
        let others = self.definitions.keys();
        let others = others.filter(|key| !candidates.contains(key) && !without.contains(key));
        let mut used = BTreeSet::new();
        let mut next: Vec<Key> = others.copied().collect();
        while let Some(key) = next.pop() {
            if let Some(definition) = self.definitions.get(&key) {
                definition.references(&mut |other| {
                    if candidates.contains(&other) && used.insert(other) {
                        next.push(other);
                    }
                });
            }
        }
        candidates.difference(&used).copied().collect()
    }
}

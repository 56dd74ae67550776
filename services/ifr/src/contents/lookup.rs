//! Definitions by their names.

use super::{Contents, Key};
use crate::DefinitionKind;

impl Contents {
    /// Finds a definition by a scoped name: from the repository on if `::` is before it, and
    /// else by the rules of IDL for names within this container: there, in what it inherits, and
    /// in the containers around it.
    pub(crate) fn lookup(&self, container: Key, name: &str) -> Option<Key> {
        if let Some(absolute) = name.strip_prefix("::") {
            return self.follow(Key::REPOSITORY, absolute);
        }
        let first = name.split("::").next()?;
        let outer = |key: &Key| self.definitions.get(key).map(|one| one.container);
        let mut scopes = std::iter::successors(Some(container), outer);
        let scope = scopes.find(|scope| self.named(*scope, first).is_some())?;
        self.follow(scope, name)
    }

    fn follow(&self, container: Key, name: &str) -> Option<Key> {
        let mut parts = name.split("::");
        let first = self.named(container, parts.next()?)?;
        parts.try_fold(first, |scope, part| self.named(scope, part))
    }

    /// Finds a definition by its name in a container or what that inherits.
    fn named(&self, container: Key, name: &str) -> Option<Key> {
        let is_it = |key: &Key| self.get(*key).is_ok_and(|one| one.name == name);
        let own = self.named_alike(container, name).filter(is_it);
        own.or_else(|| {
            let mut bases = self.all_bases(container).into_iter();
            bases.find_map(|base| self.named_alike(base, name).filter(is_it))
        })
    }

    /// The definitions of a kind in a container.
    pub(crate) fn contents(
        &self,
        container: Key,
        limit: DefinitionKind,
        excludes_inherited: bool,
    ) -> Vec<Key> {
        let scope = self.scope(container, excludes_inherited).into_iter();
        let is_wanted = |key: &Key| self.get(*key).is_ok_and(|one| one.content.is_within(limit));
        scope.filter(is_wanted).collect()
    }

    /// The definitions with a name in a container and so many levels of containers in it, itself
    /// being the first; in all of them if `levels` is negative.
    pub(crate) fn lookup_name(
        &self,
        container: Key,
        name: &str,
        levels: i32,
        limit: DefinitionKind,
        excludes_inherited: bool,
    ) -> Vec<Key> {
        let mut found = Vec::new();
        let mut scopes = vec![container];
        let mut left = levels;
        while left != 0 && !scopes.is_empty() {
            let mut inner = Vec::new();
            for scope in scopes {
                for key in self.scope(scope, excludes_inherited) {
                    let Ok(definition) = self.get(key) else {
                        continue;
                    };
                    let content = &definition.content;
                    if definition.name == name && content.is_within(limit) && !found.contains(&key)
                    {
                        found.push(key);
                    }
                    // Inherited definitions are in a container of their own, and may be met there.
                    if content.is_container() && definition.container == scope {
                        inner.push(key);
                    }
                }
            }
            scopes = inner;
            left = left.saturating_sub(1);
        }
        found
    }
}

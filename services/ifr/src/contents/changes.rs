//! The making and changing of definitions.

use std::collections::BTreeSet;

use taut::SystemException;

use super::names::Naming;
use super::{Content, Contents, Definition, Key, bad_param};

impl Contents {
    /// Makes a definition with a name.
    ///
    /// # Errors
    ///
    /// BAD_PARAM and IMP_LIMIT, as of `check`; BAD_PARAM when it refers to what cannot stand
    /// there; BAD_TYPECODE when the type cannot be.
    pub(crate) fn create(
        &mut self,
        container: Key,
        (id, name, version): (&str, &str, &str),
        content: Content,
    ) -> Result<Key, SystemException> {
        let naming = Naming { id, name, version };
        self.check(container, naming, &content, None)?;
        let is_feature = matches!(
            content,
            Content::Operation(_) | Content::Attribute(_) | Content::ValueMember(_)
        );
        let key = self.add(Definition {
            id: id.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            container,
            content,
        })?;
        self.check_content(key)?;
        // Interfaces that derive from this one have the feature too.
        if is_feature {
            self.check_dependents(key)?;
        }
        Ok(key)
    }

    /// Makes a type without a name.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn create_anonymous(&mut self, content: Content) -> Result<Key, SystemException> {
        let key = self.add(anonymous(content))?;
        self.check_content(key)?;
        Ok(key)
    }

    /// Lets `change` change a definition. Types without names that it no longer uses end.
    ///
    /// # Errors
    ///
    /// Those of `change`, and as [`create`](Self::create).
    pub(crate) fn alter(
        &mut self,
        key: Key,
        change: impl FnOnce(&mut Content) -> Result<(), SystemException>,
    ) -> Result<(), SystemException> {
        let used = self.anonymous_of(&BTreeSet::from([key]));
        let mut definition = self.get(key)?.clone();
        change(&mut definition.content)?;
        self.put(key, definition);
        self.check_content(key)?;
        self.check_dependents(key)?;
        self.remove_unused(used);
        Ok(())
    }

    /// Gives a definition another id.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_id(&mut self, key: Key, id: &str) -> Result<(), SystemException> {
        self.check_id(id, Some(key))?;
        let mut definition = self.get(key)?.clone();
        id.clone_into(&mut definition.id);
        self.put(key, definition);
        Ok(())
    }

    /// Gives a definition another name.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_name(&mut self, key: Key, name: &str) -> Result<(), SystemException> {
        let mut definition = self.get(key)?.clone();
        self.check_name(definition.container, name, Some(key))?;
        name.clone_into(&mut definition.name);
        self.put(key, definition);
        self.check_dependents(key)
    }

    /// Gives a definition another version.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub(crate) fn set_version(&mut self, key: Key, version: &str) -> Result<(), SystemException> {
        self.check_text(version)?;
        let mut definition = self.get(key)?.clone();
        version.clone_into(&mut definition.version);
        self.put(key, definition);
        Ok(())
    }

    /// Moves a definition with all that is in it into another container.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); BAD_PARAM with the standard's minor code 4 when the container
    /// is within the definition.
    pub(crate) fn relocate(
        &mut self,
        key: Key,
        container: Key,
        name: &str,
        version: &str,
    ) -> Result<(), SystemException> {
        let mut definition = self.get(key)?.clone();
        if self.is_within(container, key) {
            return Err(bad_param(4));
        }
        let id = definition.id.clone();
        let naming = Naming {
            id: &id,
            name,
            version,
        };
        self.check(container, naming, &definition.content, Some(key))?;
        name.clone_into(&mut definition.name);
        version.clone_into(&mut definition.version);
        definition.container = container;
        self.put(key, definition);
        self.check_nesting(key)?;
        self.check_dependents(key)
    }
}

/// The record of a type without a name.
pub(super) fn anonymous(content: Content) -> Definition {
    Definition {
        id: String::new(),
        name: String::new(),
        version: String::new(),
        container: Key::REPOSITORY,
        content,
    }
}

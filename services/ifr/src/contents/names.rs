//! The rules for names, ids and containers.

use taut::SystemException;

use super::faults::{bad_param, limit};
use super::{Content, Contents, Key};

/// The name of a definition that is made or moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
}

impl Contents {
    /// Checks what a definition is called and where it is to be; `own` is the key of one that
    /// there is already.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with the standard's minor codes: 2 when the id is taken, 3 when the name is, 4
    /// when the container cannot hold it, 5 when the name clashes with an inherited one, 15 when
    /// the name is no identifier, 16 when the id has no format. IMP_LIMIT.
    pub(super) fn check(
        &self,
        container: Key,
        naming: Naming<'_>,
        content: &Content,
        own: Option<Key>,
    ) -> Result<(), SystemException> {
        self.check_container(container, content)?;
        self.check_text(naming.version)?;
        self.check_id(naming.id, own)?;
        self.check_name(container, naming.name, own)
    }

    pub(super) fn check_container(
        &self,
        container: Key,
        content: &Content,
    ) -> Result<(), SystemException> {
        let may_hold = match container {
            Key::REPOSITORY => Content::Module.may_hold(content),
            key => self.get(key)?.content.may_hold(content),
        };
        if !may_hold {
            return Err(bad_param(4));
        }
        if self.depth(container) >= self.limits.nesting {
            return Err(limit());
        }
        Ok(())
    }

    /// Checks the octets of a text that clients choose.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT.
    pub(super) fn check_text(&self, text: &str) -> Result<(), SystemException> {
        match text.len() > self.limits.name_octets {
            true => Err(limit()),
            false => Ok(()),
        }
    }

    /// Checks that an identifier is one.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with the standard's minor code 15; IMP_LIMIT.
    pub(super) fn check_identifier(&self, name: &str) -> Result<(), SystemException> {
        self.check_text(name)?;
        let mut characters = name.chars();
        let begins = characters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic());
        match begins && characters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
            true => Ok(()),
            false => Err(bad_param(15)),
        }
    }

    pub(super) fn check_id(&self, id: &str, own: Option<Key>) -> Result<(), SystemException> {
        self.check_text(id)?;
        let format = id.split_once(':').map(|(format, _)| format);
        if format.is_none_or(str::is_empty) {
            return Err(bad_param(16));
        }
        match self.with_id(id) {
            Some(other) if own != Some(other) => Err(bad_param(2)),
            _ => Ok(()),
        }
    }

    pub(super) fn check_name(
        &self,
        container: Key,
        name: &str,
        own: Option<Key>,
    ) -> Result<(), SystemException> {
        self.check_identifier(name)?;
        let other = self.named_alike(container, name);
        if other.is_some_and(|other| own != Some(other)) {
            return Err(bad_param(3));
        }
        // Types and constants may be defined anew; operations and attributes may not.
        let clashes = self.all_bases(container).into_iter().any(|base| {
            let inherited = self
                .named_alike(base, name)
                .filter(|other| own != Some(*other));
            inherited.is_some_and(|other| {
                self.get(other).is_ok_and(|one| {
                    matches!(one.content, Content::Operation(_) | Content::Attribute(_))
                })
            })
        });
        match clashes {
            true => Err(bad_param(5)),
            false => Ok(()),
        }
    }

    /// How many containers there are around and with this one, besides the repository.
    fn depth(&self, container: Key) -> usize {
        let outer = |key: &Key| self.definitions.get(key).map(|one| one.container);
        std::iter::successors(Some(container), outer).count() - 1
    }

    /// Whether a container is another one, or within it.
    pub(super) fn is_within(&self, container: Key, other: Key) -> bool {
        let outer = |key: &Key| self.definitions.get(key).map(|one| one.container);
        std::iter::successors(Some(container), outer).any(|key| key == other)
    }
}

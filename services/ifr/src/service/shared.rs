//! The definitions as the servants see them: references in, references and exceptions out.

use parking_lot::{RwLock, RwLockReadGuard};
use taut::{
    CompletionStatus, Current, ObjectRef, Poa, Reference, SystemException, SystemExceptionKind,
    minor,
};
use taut_idl::Model;

use super::references::References;
use super::settings::RepositorySettings;
use crate::contents::{Contents, Key, LoadError, Loaded, incoherent, refused};
use crate::store::{RepositoryStore, StoreError};
use crate::{PrimitiveDefRef, RepositoryRef};

/// The definitions of a repository, with what is needed to speak of them to clients.
#[derive(Debug)]
pub(super) struct Shared {
    contents: RwLock<Contents>,
    store: RepositoryStore,
    references: References,
    settings: RepositorySettings,
}

impl Shared {
    pub(super) fn new(
        contents: Contents,
        store: RepositoryStore,
        references: References,
        settings: RepositorySettings,
    ) -> Self {
        let contents = RwLock::new(contents);
        Self {
            contents,
            store,
            references,
            settings,
        }
    }

    pub(super) fn references(&self) -> &References {
        &self.references
    }

    /// The definitions, for reading.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Contents> {
        self.contents.read()
    }

    /// Carries out a change for a client. It is in the store when this returns, or has not been
    /// made.
    ///
    /// # Errors
    ///
    /// Those of `change`; NO_PERMISSION in a read-only repository, PERSIST_STORE.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut Contents) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        if self.settings.is_read_only {
            let kind = SystemExceptionKind::NoPermission;
            return Err(refused(kind, minor::REPOSITORY_READ_ONLY));
        }
        self.carry_out(change, |error| store_failed(&error))
    }

    fn carry_out<T, E>(
        &self,
        change: impl FnOnce(&mut Contents) -> Result<T, E>,
        failed: impl FnOnce(StoreError) -> E,
    ) -> Result<T, E> {
        let mut contents = self.contents.write();
        let changed = change(&mut contents).and_then(|value| {
            let written = self.store.write(contents.changes());
            written.map_err(failed).map(|()| value)
        });
        match changed {
            Ok(value) => {
                contents.commit();
                Ok(value)
            }
            Err(error) => {
                contents.roll_back();
                Err(error)
            }
        }
    }

    /// Enters all definitions of IDL.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub(super) fn load(&self, model: &Model) -> Result<Loaded, LoadError> {
        self.carry_out(
            |contents| contents.load(model),
            |error| LoadError::Refused {
                name: "all of the IDL".to_owned(),
                exception: store_failed(&error),
            },
        )
    }

    /// The reference to the definition with a repository id, in the repository's POA.
    pub(super) fn lookup_id(&self, poa: &Poa, id: &str) -> Option<ObjectRef> {
        let contents = self.read();
        let key = contents.with_id(id)?;
        self.object_of(poa, &contents, key).ok()
    }

    /// The definition for which the servant is called.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST when it is another store's.
    pub(super) fn own(&self) -> Result<Key, SystemException> {
        let id = Current::object_id()?;
        self.references.key(&id).ok_or_else(|| {
            let kind = SystemExceptionKind::ObjectNotExist;
            refused(kind, minor::OBJECT_NOT_ACTIVE)
        })
    }

    /// The definition that an argument leads to.
    ///
    /// # Errors
    ///
    /// BAD_PARAM for nil, and for the definition of another repository or one that is no more.
    pub(super) fn key<R: Reference>(
        &self,
        contents: &Contents,
        reference: Option<&R>,
    ) -> Result<Key, SystemException> {
        let reference = reference.ok_or_else(|| incoherent("a reference is nil"))?;
        let key = self.references.own(&Current::poa()?, reference);
        key.filter(|key| contents.has(*key)).ok_or_else(|| {
            incoherent("a reference leads to a definition of another repository, or to none")
        })
    }

    /// The definitions that arguments lead to.
    ///
    /// # Errors
    ///
    /// As [`key`](Self::key).
    pub(super) fn keys<R: Reference>(
        &self,
        contents: &Contents,
        references: &[Option<R>],
    ) -> Result<Vec<Key>, SystemException> {
        let keys = references.iter();
        keys.map(|one| self.key(contents, one.as_ref())).collect()
    }

    /// The reference to a definition.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST when it is no more.
    pub(super) fn object(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<ObjectRef, SystemException> {
        self.object_of(&Current::poa()?, contents, key)
    }

    fn object_of(
        &self,
        poa: &Poa,
        contents: &Contents,
        key: Key,
    ) -> Result<ObjectRef, SystemException> {
        let repository_id = match key {
            Key::REPOSITORY => RepositoryRef::INTERFACE.repository_id,
            key if key.as_primitive().is_some() => PrimitiveDefRef::INTERFACE.repository_id,
            key => contents.get(key)?.content.repository_id(),
        };
        Ok(self.references.of(poa, key, repository_id)?)
    }

    /// The reference to a definition, as one of the interface that an operation returns.
    ///
    /// # Errors
    ///
    /// As [`object`](Self::object).
    pub(super) fn reference<R: Reference>(
        &self,
        contents: &Contents,
        key: Key,
    ) -> Result<Option<R>, SystemException> {
        Ok(Some(self.object(contents, key)?.unchecked_narrow()))
    }

    /// The references to definitions.
    ///
    /// # Errors
    ///
    /// As [`object`](Self::object).
    pub(super) fn all<R: Reference>(
        &self,
        contents: &Contents,
        keys: &[Key],
    ) -> Result<Vec<Option<R>>, SystemException> {
        keys.iter()
            .map(|key| self.reference(contents, *key))
            .collect()
    }
}

/// The exception for a fault of the store, which is also an event.
fn store_failed(error: &StoreError) -> SystemException {
    tracing::error!(target: "taut::ifr", %error, "the store of definitions failed");
    let kind = SystemExceptionKind::PersistStore;
    SystemException::new(kind, minor::REPOSITORY_STORE_FAILED, CompletionStatus::No)
        .because(error.to_string())
}

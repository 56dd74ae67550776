//! The references that an ORB knows by name from the start.

use std::collections::{BTreeMap, HashMap};

use parking_lot::RwLock;

use super::error::local_object;
use super::{InvalidName, Orb};
use crate::object::ObjectRef;

/// Initial references: those that were registered, and the URLs of others.
#[derive(Debug)]
pub(super) struct InitialReferences {
    registered: RwLock<HashMap<String, ObjectRef>>,
    urls: BTreeMap<String, String>,
    default: Option<String>,
}

impl InitialReferences {
    pub(super) fn new(urls: BTreeMap<String, String>, default: Option<String>) -> Self {
        Self {
            registered: RwLock::default(),
            urls,
            default,
        }
    }

    /// The URL at which a name is to be looked for. Others are not asked for what
    /// they cannot have.
    fn url(&self, name: &str) -> Option<String> {
        let configured = self.urls.get(name).cloned();
        configured.or_else(|| {
            let prefix = self
                .default
                .as_ref()
                .filter(|_| local_object(name).is_none());
            prefix.map(|prefix| format!("{prefix}/{name}"))
        })
    }
}

impl Orb {
    /// Finds an initial reference, such as `NameService`: one that was
    /// registered here, else by its configured URL, else under the default
    /// URL (CORBA 3.3 part 1, 8.5.3).
    ///
    /// The standard's local objects are no references here: the root POA is had from
    /// [`root_poa`](Self::root_poa), `POACurrent` is [`Current`](crate::Current), and
    /// `POAManagerFactory` is `Poa::manager_factory`.
    ///
    /// # Errors
    ///
    /// [`InvalidName`] says what was tried.
    pub fn resolve_initial_references(&self, name: &str) -> Result<ObjectRef, InvalidName> {
        let references = &self.shared.initial_references;
        if let Some(object) = references.registered.read().get(name) {
            return Ok(object.clone());
        }
        let Some(url) = references.url(name) else {
            return Err(InvalidName {
                name: name.to_owned(),
                cause: None,
            });
        };
        self.string_to_object(&url).map_err(|cause| InvalidName {
            name: name.to_owned(),
            cause: Some(Box::new(cause)),
        })
    }

    /// Registers an initial reference. What the name stood for before is
    /// returned.
    ///
    /// # Errors
    ///
    /// [`InvalidName`] when the name is empty.
    pub fn register_initial_reference(
        &self,
        name: &str,
        object: &ObjectRef,
    ) -> Result<Option<ObjectRef>, InvalidName> {
        if name.is_empty() {
            return Err(InvalidName {
                name: String::new(),
                cause: None,
            });
        }
        let mut registered = self.shared.initial_references.registered.write();
        Ok(registered.insert(name.to_owned(), object.clone()))
    }

    /// The names that [`resolve_initial_references`] will find, but for those
    /// under the default URL.
    ///
    /// [`resolve_initial_references`]: Self::resolve_initial_references
    pub fn list_initial_services(&self) -> Vec<String> {
        let references = &self.shared.initial_references;
        let registered = references.registered.read();
        let mut names: Vec<String> = registered
            .keys()
            .chain(references.urls.keys())
            .cloned()
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

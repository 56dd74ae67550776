//! The references that an ORB knows by name from the start.

use taut_sync::lock::Mutex;

use super::error::local_object;
use super::{InvalidName, Orb};
use crate::object::ObjectRef;

/// Initial references: those that were registered, and the URLs of others.
#[derive(Debug)]
pub(super) struct InitialReferences {
    registered: Mutex<Vec<(String, ObjectRef)>>,
    urls: InitialUrls,
    default: Option<String>,
}

/// The URLs of initial references, each with its name: a handful.
#[derive(Debug, Default)]
pub(super) struct InitialUrls(Vec<(String, String)>);

impl InitialUrls {
    /// The URL of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut urls = self.0.iter();
        let (_, url) = urls.find(|(known, _)| known == name)?;
        Some(url)
    }

    /// Sets the URL of a name.
    pub(super) fn set(&mut self, name: &str, url: &str) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), url.to_owned()));
    }

    /// Takes the URLs of names that have none.
    pub(super) fn fill(&mut self, weaker: Self) {
        for (name, url) in weaker.0 {
            if self.get(&name).is_none() {
                self.0.push((name, url));
            }
        }
    }

    /// Each name and its URL, which may be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut String)> {
        self.0.iter_mut().map(|(name, url)| (&**name, url))
    }

    /// Each name and its URL.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }
}

impl InitialReferences {
    pub(super) fn new(urls: InitialUrls, default: Option<String>) -> Self {
        Self {
            registered: Mutex::default(),
            urls,
            default,
        }
    }

    fn registered(&self, name: &str) -> Option<ObjectRef> {
        let registered = self.registered.lock();
        let mut all = registered.iter();
        let (_, object) = all.find(|(known, _)| known == name)?;
        Some(object.clone())
    }

    /// The URL at which a name is to be looked for. Others are not asked for what
    /// they cannot have.
    fn url(&self, name: &str) -> Option<String> {
        let configured = self.urls.get(name).map(str::to_owned);
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
        if let Some(object) = references.registered(name) {
            return Ok(object);
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

    /// Registers an initial reference. Returns the object that the name stood for before.
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
        let mut registered = self.shared.initial_references.registered.lock();
        let mut all = registered.iter_mut();
        if let Some((_, before)) = all.find(|(known, _)| known == name) {
            return Ok(Some(std::mem::replace(before, object.clone())));
        }
        registered.push((name.to_owned(), object.clone()));
        Ok(None)
    }

    /// The names that [`resolve_initial_references`] will find, but for those
    /// under the default URL.
    ///
    /// [`resolve_initial_references`]: Self::resolve_initial_references
    pub fn list_initial_services(&self) -> Vec<String> {
        let references = &self.shared.initial_references;
        let registered = references.registered.lock();
        let registered = registered.iter().map(|(name, _)| name);
        let urls = references.urls.iter().map(|(name, _)| name);
        let mut names = Vec::<String>::new();
        for name in registered.chain(urls) {
            if let Err(place) = names.binary_search(name) {
                names.insert(place, name.clone());
            }
        }
        names
    }
}

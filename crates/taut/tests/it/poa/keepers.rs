//! Servant managers and adapter activators made of closures, and what they note.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;
use taut::codegen::Servant;
use taut::{
    AdapterActivator, Cookie, ObjectId, Poa, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, SystemException,
};

/// The events that have happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    pub(crate) fn note(&self, entry: impl Into<String>) {
        self.0.lock().push(entry.into());
    }

    /// Returns the events since the last time.
    pub(crate) fn read(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }

    /// How many entries begin so.
    pub(crate) fn count(&self, beginning: &str) -> usize {
        let entries = self.0.lock();
        let counted = entries.iter().filter(|entry| entry.starts_with(beginning));
        counted.count()
    }
}

type Found = Result<Arc<dyn Servant>, ServantManagerError>;
type Incarnate = dyn Fn(&ObjectId, &Poa) -> Found + Send + Sync;
type Farewell = dyn Fn(&ObjectId, &Poa) + Send + Sync;

/// An activator that notes what it is asked for.
pub(crate) struct Activator {
    diary: Diary,
    incarnate: Box<Incarnate>,
    farewell: Box<Farewell>,
}

impl Activator {
    pub(crate) fn new(
        diary: &Diary,
        incarnate: impl Fn(&ObjectId, &Poa) -> Found + Send + Sync + 'static,
    ) -> Self {
        Self {
            diary: diary.clone(),
            incarnate: Box::new(incarnate),
            farewell: Box::new(|_, _| {}),
        }
    }

    /// Does this as well when it takes leave of an object.
    pub(crate) fn and(
        mut self,
        farewell: impl Fn(&ObjectId, &Poa) + Send + Sync + 'static,
    ) -> Self {
        self.farewell = Box::new(farewell);
        self
    }

    pub(crate) fn manager(self) -> ServantManager {
        ServantManager::activator(self)
    }
}

impl ServantActivator for Activator {
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Found {
        self.diary.note(format!("incarnate {id}"));
        (self.incarnate)(id, adapter)
    }

    fn etherealize(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        _: &Arc<dyn Servant>,
        cleanup_in_progress: bool,
        remaining_activations: bool,
    ) {
        let cleanup = if cleanup_in_progress { " cleanup" } else { "" };
        let remains = if remaining_activations {
            " remains"
        } else {
            ""
        };
        self.diary
            .note(format!("etherealize {id}{cleanup}{remains}"));
        (self.farewell)(id, adapter);
    }
}

type Preinvoke = dyn Fn(&ObjectId, &Poa, &str) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError>
    + Send
    + Sync;

/// A locator that notes what it is asked for.
pub(crate) struct Locator {
    diary: Diary,
    preinvoke: Box<Preinvoke>,
}

impl Locator {
    pub(crate) fn new(
        diary: &Diary,
        preinvoke: impl Fn(
            &ObjectId,
            &Poa,
            &str,
        ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            diary: diary.clone(),
            preinvoke: Box::new(preinvoke),
        }
    }

    pub(crate) fn manager(self) -> ServantManager {
        ServantManager::locator(self)
    }
}

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.diary.note(format!("preinvoke {id} {operation}"));
        (self.preinvoke)(id, adapter, operation)
    }

    fn postinvoke(
        &self,
        id: &ObjectId,
        _: &Poa,
        operation: &str,
        cookie: Cookie,
        _: &Arc<dyn Servant>,
    ) {
        let cookie = cookie.map(|cookie: Box<dyn Any>| *cookie.downcast::<u32>().unwrap());
        self.diary
            .note(format!("postinvoke {id} {operation} {cookie:?}"));
    }
}

type Unknown = dyn Fn(&Poa, &str) -> Result<bool, SystemException> + Send + Sync;

/// An adapter activator that notes what it is asked for.
pub(crate) struct Founder {
    diary: Diary,
    unknown: Box<Unknown>,
}

impl Founder {
    pub(crate) fn asking(
        diary: &Diary,
        unknown: impl Fn(&Poa, &str) -> Result<bool, SystemException> + Send + Sync + 'static,
    ) -> Arc<dyn AdapterActivator> {
        Arc::new(Self {
            diary: diary.clone(),
            unknown: Box::new(unknown),
        })
    }
}

impl AdapterActivator for Founder {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.diary
            .note(format!("unknown_adapter {} {name}", parent.name()));
        (self.unknown)(parent, name)
    }
}

//! Naming services to be compared, each with an empty root context.

use std::sync::Arc;

use taut::Orb;
use taut_interop::{JacorbNames, OmniNames};
use taut_naming::NamingContextExtRef;
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;

/// A naming service in this process, in an ORB of its own.
pub(super) struct Ours {
    orb: Orb,
    pub(super) root: NamingContextExtRef,
}

impl Ours {
    pub(super) fn start() -> Self {
        Self::start_with(ServiceSettings::default())
    }

    pub(super) fn start_with(settings: ServiceSettings) -> Self {
        let orb = orb();
        let store = Arc::new(MemoryStore::new());
        let service = NamingService::start(&orb, store, settings).unwrap();
        let root = service.root().unchecked_narrow();
        Self { orb, root }
    }

    pub(super) fn corbaloc(&self) -> String {
        self.orb.corbaloc("NameService").unwrap()
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// An ORB that listens on the loopback.
pub(super) fn orb() -> Orb {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    builder.build().unwrap()
}

/// A service under comparison: its name, a client's ORB and its root context.
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) orb: Orb,
    pub(super) root: NamingContextExtRef,
    _service: Box<dyn std::any::Any>,
}

/// All services that this machine has, Taut's first.
pub(super) fn all() -> Vec<Compared> {
    let ours = Ours::start();
    let mut all = vec![compared("Taut", &ours.corbaloc(), Box::new(0))];
    all[0]._service = Box::new(ours);
    if let Some(names) = OmniNames::start().unwrap() {
        all.push(compared("omniORB", &names.corbaloc(), Box::new(0)));
        all.last_mut().unwrap()._service = Box::new(names);
    }
    if let Some(names) = JacorbNames::start().unwrap() {
        let reference = names.reference.clone();
        all.push(compared("JacORB", &reference, Box::new(names)));
    }
    all
}

fn compared(name: &'static str, url: &str, service: Box<dyn std::any::Any>) -> Compared {
    let orb = orb();
    let root = orb.string_to_object(url).unwrap().narrow().unwrap();
    Compared {
        name,
        orb,
        root,
        _service: service,
    }
}

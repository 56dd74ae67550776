//! A server whose POAs have priority models, and what its servants see.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use taut::policy::PriorityModelPolicy;
use taut::real_time::{RealTime, RtOrb};
use taut::{Orb, OrbBuilder, Poa, PoaError, Policy, RequestContext};

use super::{PATIENCE, native, priority};
use crate::common::mode::Mode;
use crate::common::{Echo, EchoError, EchoRef, EchoSkeleton, EndOfServer};

/// The observations of a servant of the priority of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// RTCORBA::Current.
    pub(super) priority: Option<i16>,
    /// The native priority of the thread, where the system allows any.
    pub(super) native: Option<i32>,
    /// The ids of the service contexts of the request.
    pub(super) contexts: Vec<u32>,
}

impl Seen {
    /// The observations of a servant that runs at this priority.
    pub(super) fn at(orb: &RtOrb, number: i16, contexts: &[u32]) -> Self {
        let native = orb.to_native(priority(number)).unwrap().0;
        Self {
            priority: Some(number),
            native: orb.applies_native_priorities().then_some(native),
            contexts: contexts.to_vec(),
        }
    }

    /// The observations of the calling thread.
    pub(super) fn now(orb: &RtOrb) -> Self {
        let contexts = RequestContext::service_contexts().unwrap_or_default();
        Self {
            priority: orb.current().the_priority().ok(),
            native: native(orb),
            contexts: contexts.iter().map(|context| context.id).collect(),
        }
    }
}

/// A servant that tells its test what it sees.
pub(super) struct Watcher {
    orb: RtOrb,
    seen: Mutex<Sender<Seen>>,
    /// Runs within each request.
    pub(super) within: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Watcher {
    fn tell(&self) {
        self.seen.lock().send(Seen::now(&self.orb)).unwrap();
        if let Some(within) = &*self.within.lock() {
            within();
        }
    }
}

impl Echo for Watcher {
    fn ping(&self) -> taut::Result<()> {
        self.tell();
        Ok(())
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        self.tell();
        Ok(text.to_owned())
    }

    fn note(&self, _: &str) -> taut::Result<()> {
        self.tell();
        Ok(())
    }
}

/// A server with priorities.
pub(super) struct Served {
    pub(super) orb: Orb,
    pub(super) real_time: RtOrb,
    pub(super) root: Poa,
    pub(super) watcher: Arc<Watcher>,
    seen: Receiver<Seen>,
    _end: EndOfServer,
}

impl Served {
    pub(super) fn new(mode: Mode) -> Self {
        Self::of(mode.listening_builder().real_time(RealTime::new()))
    }

    pub(super) fn of(builder: OrbBuilder) -> Self {
        let orb = builder.build().unwrap();
        let real_time = orb.real_time().unwrap();
        let root = orb.root_poa().unwrap();
        root.manager().activate().unwrap();
        let (sender, seen) = channel();
        let watcher = Arc::new(Watcher {
            orb: real_time.clone(),
            seen: Mutex::new(sender),
            within: Mutex::default(),
        });
        Self {
            _end: EndOfServer::of(&orb),
            orb,
            real_time,
            root,
            watcher,
            seen,
        }
    }

    /// A POA with a model and these policies.
    pub(super) fn poa(
        &self,
        name: &str,
        model: PriorityModelPolicy,
        policies: &[Policy],
    ) -> Result<Poa, PoaError> {
        let (root, told) = (&self.root, [model.into()]);
        root.create_poa_telling(name, Some(root.manager()), policies, &told)
    }

    /// The watching servant in a POA with this model.
    pub(super) fn watched(&self, name: &str, model: PriorityModelPolicy) -> EchoRef {
        let poa = self.poa(name, model, &[]).unwrap();
        poa.activate(self.servant()).unwrap()
    }

    pub(super) fn servant(&self) -> EchoSkeleton<Watcher> {
        EchoSkeleton(Arc::clone(&self.watcher))
    }

    /// The observations of the servant in the next request.
    pub(super) fn seen(&self) -> Seen {
        self.seen.recv_timeout(PATIENCE).unwrap()
    }

    /// The observations of a servant at a priority.
    pub(super) fn at(&self, number: i16, contexts: &[u32]) -> Seen {
        Seen::at(&self.real_time, number, contexts)
    }

    /// That no other request has come.
    pub(super) fn has_seen_all(&self) -> bool {
        self.seen.try_recv().is_err()
    }
}

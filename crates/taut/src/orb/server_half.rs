//! The half of an ORB that serves, which is made when something of it is first asked for.

use std::sync::{Arc, OnceLock};

use taut_sync::lock::Mutex;

use crate::core::OrbCore;
use crate::object::{AdapterHandle, ReferenceFactory};
use crate::poa::{Adapters, AdaptersOrigin};
use crate::server::{LaneListen, ListenEndpoint, Server};
use crate::transport::Address;

/// The half of an ORB that serves its clients.
pub(super) struct ServerHalf {
    pub(super) server: Arc<Server<Adapters>>,
    pub(super) adapters: Arc<Adapters>,
    /// The adapters, for references of this process.
    pub(super) local: Arc<AdapterHandle>,
}

impl ServerHalf {
    fn new(core: &Arc<OrbCore>, origin: &ServerOrigin) -> Self {
        let server = Server::new(
            Arc::clone(core),
            origin.endpoints.clone(),
            origin.lane_endpoints.clone(),
        );
        let references = Arc::clone(&server) as Arc<dyn ReferenceFactory>;
        let adapters = Arc::new(Adapters::new(origin.adapters.clone(), core, references));
        Self {
            local: AdapterHandle::new(core, &adapters),
            server,
            adapters,
        }
    }
}

/// The half that serves, as those see it who do not make it. Whatever ends an ORB reaches
/// it by this alone, so a program that only calls others has no code to serve.
pub(super) trait Ending: Send + Sync {
    /// The half itself.
    fn half(&self) -> &ServerHalf;

    /// The addresses that references carry; empty before the server listens.
    fn published(&self) -> &[Address];

    /// Refuses further calls, ends those under way, and closes all connections.
    fn stop(&self);

    /// Ends the objects, behind [`stop`](Self::stop).
    fn destroy(&self);
}

impl Ending for ServerHalf {
    fn half(&self) -> &ServerHalf {
        self
    }

    fn published(&self) -> &[Address] {
        self.server.published()
    }

    fn stop(&self) {
        // Callers in this process get from here on what others get.
        self.local.close();
        self.adapters.deactivate();
        self.local.drain();
        self.server.stop();
    }

    fn destroy(&self) {
        self.adapters.destroy(true);
    }
}

/// The material that the half that serves is made of.
pub(super) struct ServerOrigin {
    pub(super) adapters: AdaptersOrigin,
    pub(super) endpoints: Vec<ListenEndpoint>,
    /// Where the lanes of thread pools listen.
    pub(super) lane_endpoints: Vec<LaneListen>,
}

/// The half that serves, once there is one.
pub(super) struct LazyServer {
    origin: ServerOrigin,
    half: OnceLock<Box<dyn Ending>>,
    /// Held while the half is made, and while the end of the ORB looks for it: either the
    /// end finds it, or the thread that makes it finds that the ORB has begun to stop.
    making: Mutex<()>,
}

impl LazyServer {
    /// There is none yet.
    pub(super) fn new(origin: ServerOrigin) -> Self {
        Self {
            origin,
            half: OnceLock::new(),
            making: Mutex::new(()),
        }
    }

    /// The half, which is made if need be.
    pub(super) fn get_or_make(&self, core: &Arc<OrbCore>) -> &ServerHalf {
        let half = match self.half.get() {
            Some(half) => half,
            None => {
                let _making = self.making.lock();
                let make = || Box::new(ServerHalf::new(core, &self.origin)) as Box<dyn Ending>;
                self.half.get_or_init(make)
            }
        };
        half.half()
    }

    /// The half at the end of the ORB, if there ever was one.
    pub(super) fn at_end(&self) -> Option<&dyn Ending> {
        let _making = self.making.lock();
        self.half.get().map(|half| &**half)
    }

    /// The addresses that references carry; empty before the server listens.
    pub(super) fn published(&self) -> &[Address] {
        self.half.get().map_or(&[], |half| half.published())
    }
}

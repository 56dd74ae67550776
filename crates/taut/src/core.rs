//! The core of an ORB, which all floors above the connections share: one for each ORB.

mod interception;

use std::sync::Arc;

use taut_sync::rendezvous::Rendezvous;

use crate::connection::ConnectionCache;
use crate::lifecycle::Lifecycle;
use crate::settings::Settings;
use crate::transport::Protocols;
pub(crate) use interception::Interception;

/// The part of an ORB that references hold on to.
#[derive(Debug)]
pub(crate) struct OrbCore {
    /// Shared with the endpoints of the connection cache.
    pub(crate) settings: Arc<Settings>,
    pub(crate) protocols: Protocols,
    pub(crate) connections: ConnectionCache,
    pub(crate) lifecycle: Lifecycle,
    /// Where requests wait for the thread that runs the ORB.
    pub(crate) main_thread: Rendezvous,
    /// Whether interceptors take part in calls.
    pub(crate) interception: Interception,
}

impl OrbCore {
    pub(crate) fn new(settings: Settings, protocols: Protocols) -> Self {
        let settings = Arc::new(settings);
        Self {
            connections: ConnectionCache::new(&settings, &protocols),
            protocols,
            settings,
            lifecycle: Lifecycle::default(),
            main_thread: Rendezvous::default(),
            interception: Interception::default(),
        }
    }

    /// The same core of an ORB that may have interceptors.
    pub(crate) fn with(self, interception: Interception) -> Self {
        Self {
            interception,
            ..self
        }
    }
}

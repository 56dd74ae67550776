//! The core of an ORB, which all floors above the connections share: one for each ORB.

mod interception;
#[cfg_attr(not(feature = "full"), path = "core/interface_source_absent.rs")]
mod interface_source;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use taut_sync::rendezvous::Rendezvous;

use crate::connection::ConnectionCache;
use crate::executor::{Executor, Spawn};
use crate::lifecycle::Lifecycle;
use crate::policy::OrbPolicies;
use crate::priority::{NamedMutexes, Priorities};
use crate::quality::ServiceQuality;
use crate::settings::Settings;
use crate::threads::InternalThreads;
use crate::transport::Protocols;
pub(crate) use interception::Interception;
#[cfg(feature = "full")]
pub use interface_source::InterfaceSource;
pub(crate) use interface_source::Interfaces;

/// The part of an ORB that references hold on to.
#[derive(Debug)]
pub(crate) struct OrbCore {
    /// Shared with the endpoints of the connection cache.
    pub(crate) settings: Arc<Settings>,
    pub(crate) protocols: Protocols,
    pub(crate) connections: ConnectionCache,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) policies: OrbPolicies,
    /// The quality of all that it serves, if not everything is granted.
    pub(crate) quality: Option<ServiceQuality>,
    /// Whether calls have priorities, and what they come to.
    pub(crate) priorities: Priorities,
    /// The mutexes of the application that have names.
    pub(crate) mutexes: NamedMutexes,
    /// Where requests wait for the thread that runs the ORB.
    pub(crate) main_thread: Rendezvous,
    /// Whether interceptors take part in calls.
    pub(crate) interception: Interception,
    /// Where the descriptions of its objects' interfaces come from.
    pub(crate) interfaces: Interfaces,
    /// Where the futures of servants go on, and calls whose replies are brought or polled for.
    pub(crate) executor: Executor,
    /// Where reply handlers are called.
    pub(crate) replies: Executor,
    /// How many calls there are whose replies are brought or polled for.
    pub(crate) asynchronous_calls: AtomicUsize,
}

impl OrbCore {
    /// The core of an ORB whose futures run in an executor of the application, if one is given.
    pub(crate) fn new(
        settings: Settings,
        protocols: Protocols,
        executor: Option<Box<dyn Spawn>>,
    ) -> Self {
        let settings = Arc::new(Settings {
            // Settings may be copies of those of another ORB.
            threads: InternalThreads::default(),
            ..settings
        });
        Self {
            connections: ConnectionCache::new(&settings, &protocols),
            protocols,
            executor: Executor::new(
                ("taut future", &settings.threads),
                executor,
                settings.server.future_threads,
            ),
            replies: Executor::new(
                ("taut reply", &settings.threads),
                None,
                settings.client.reply_threads,
            ),
            asynchronous_calls: AtomicUsize::new(0),
            settings,
            lifecycle: Lifecycle::default(),
            policies: OrbPolicies::default(),
            quality: None,
            priorities: Priorities::default(),
            mutexes: NamedMutexes::default(),
            main_thread: Rendezvous::default(),
            interception: Interception::default(),
            interfaces: Interfaces::default(),
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

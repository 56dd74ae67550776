//! The ORB: the handle that wires everything below together.

mod any;
mod arguments;
mod builder;
mod error;
mod initial_references;
#[cfg_attr(not(feature = "full"), path = "interception_absent.rs")]
mod interception;
#[cfg(feature = "full")]
mod internal_threads;
mod naming;
#[cfg(feature = "full")]
mod pools;
mod reference_file;
mod server_half;
#[cfg_attr(not(feature = "full"), path = "setting_arguments_absent.rs")]
mod setting_arguments;
mod suggestion;
mod url;
mod url_check;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
#[cfg(feature = "full")]
use taut_types::Any;

use crate::core::OrbCore;
use crate::object::ObjectRef;
use crate::poa::Poa;
#[cfg(feature = "full")]
use crate::policy::{Policy, PolicyError, PolicyManager, PolicyType};
#[cfg(feature = "full")]
use crate::quality::FlowObserver;
use crate::transport::Address;
use crate::upcall::is_in_upcall;
use initial_references::InitialReferences;
use server_half::{LazyServer, ServerHalf};
use taut_sync::primitives::settle;

pub use builder::OrbBuilder;
pub use error::{InitError, InvalidName, ServerError, UrlError};

/// Longer than anybody waits for oneways to be sent: 30 years.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

/// An Object Request Broker. A clone is the same ORB.
///
/// Made by [`Orb::builder`] or [`Orb::init`]. It lives until
/// [`shutdown`](Self::shutdown), also when all handles to it are dropped: the
/// threads that serve its clients go on.
#[derive(Clone)]
pub struct Orb {
    shared: Arc<Shared>,
}

struct Shared {
    core: Arc<OrbCore>,
    server: LazyServer,
    initial_references: InitialReferences,
}

impl Shared {
    /// Sends the oneways for which nobody waits, in the time that there is at the end.
    fn flush(&self) {
        let deadline = Instant::now() + self.core.settings.server.drain_timeout;
        self.core.connections.flush(deadline);
        self.core.connections.end_oneways();
    }
}

impl Orb {
    /// An ORB to be configured.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::default()
    }

    /// An ORB configured by command-line arguments, as the standard's
    /// `ORB_init`: those that begin with `-ORB` are taken for it, the others
    /// are left in `arguments`.
    ///
    /// # Errors
    ///
    /// [`InitError`] names the argument and the remedy.
    pub fn init(arguments: &mut Vec<String>) -> Result<Self, InitError> {
        Self::builder().arguments(arguments)?.build()
    }

    /// The root POA. Asking for it makes the ORB a server: it begins to listen.
    ///
    /// # Errors
    ///
    /// [`ServerError`] when the ORB cannot listen, or has been shut down.
    pub fn root_poa(&self) -> Result<Poa, ServerError> {
        self.shared.core.lifecycle.check()?;
        let half = self.server_half();
        let adapters = &half.adapters;
        let root = adapters.root().clone();
        if let Err(error) = half.server.start(Arc::clone(adapters)) {
            if self.shared.core.lifecycle.is_stopping() {
                // The thread that shuts the ORB down may have found no POA to destroy.
                adapters.destroy(false);
            }
            return Err(error.into());
        }
        half.local.open(half.server.published());
        root.establish_components()?;
        Ok(root)
    }

    /// The shared state.
    pub(crate) fn core(&self) -> &Arc<OrbCore> {
        &self.shared.core
    }

    fn server_half(&self) -> &ServerHalf {
        self.shared.server.get_or_make(&self.shared.core)
    }

    /// The addresses that references to this ORB's objects carry; empty before
    /// [`root_poa`](Self::root_poa).
    pub fn published_addresses(&self) -> &[Address] {
        self.shared.server.published()
    }

    /// Makes an object known to clients under a plain key: with the key
    /// `Bank`, they find it at `corbaloc::host:port/Bank`. Their requests are
    /// forwarded to the object once. Returns the object that the key stood for before.
    ///
    /// This is for some thousands of keys: each that is bound moves those behind it. More are
    /// told by a [locator](Self::set_object_key_locator).
    pub fn bind_object_key(&self, key: &str, object: &ObjectRef) -> Option<ObjectRef> {
        self.server_half()
            .adapters
            .plain_keys
            .bind(key.as_bytes(), object)
    }

    /// Lets a plain key stand for nothing. For which object it stood before is
    /// returned.
    pub fn unbind_object_key(&self, key: &str) -> Option<ObjectRef> {
        self.server_half()
            .adapters
            .plain_keys
            .unbind(key.as_bytes())
    }

    /// Asks `locator` for which object a key stands that is neither bound nor that of
    /// an object here: also for keys of other servers' persistent objects, which lets
    /// this ORB forward requests to wherever those servers are at the moment. It is
    /// called by the threads that serve requests, by several at once; like a servant it
    /// must not wait for the end of the ORB. A panic costs the caller UNKNOWN.
    pub fn set_object_key_locator(
        &self,
        locator: impl Fn(&[u8]) -> Option<ObjectRef> + Send + Sync + 'static,
    ) {
        self.server_half()
            .adapters
            .plain_keys
            .set_locator(Arc::new(locator));
    }

    /// The reference as text: `IOR:` and hexadecimal digits (CORBA 3.3 part 2,
    /// 7.6.10).
    pub fn object_to_string(&self, object: &ObjectRef) -> String {
        object.to_string()
    }

    /// The object URL under which clients find what
    /// [`bind_object_key`](Self::bind_object_key) bound. None before
    /// [`root_poa`](Self::root_poa).
    pub fn corbaloc(&self, key: &str) -> Option<String> {
        let version = self.shared.core.settings.wire.giop_version;
        url::corbaloc(self.published_addresses(), version, key)
    }

    /// Serves requests until the ORB is shut down (CORBA 3.3 part 1, 8.2.3.3). All but
    /// those of POAs with the policy [MAIN_THREAD_MODEL](crate::ThreadPolicy::MainThread)
    /// are served without it, by threads of the ORB's own; those are carried out by the
    /// thread that is here. Where several are, they take turns.
    ///
    /// In a servant, and in other code that the ORB calls, it returns as soon as the ORB
    /// begins to shut down: the end waits for that code.
    pub fn run(&self) {
        self.shared.core.main_thread.serve();
        if !is_in_upcall() {
            self.shared.core.lifecycle.wait_until_stopped();
        }
    }

    /// Whether a request waits for the thread that runs the ORB: for programs with a
    /// loop of their own instead of [`run`](Self::run) (CORBA 3.3 part 1, 8.2.3.1).
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 4 when the ORB has been shut down.
    pub fn work_pending(&self) -> Result<bool, SystemException> {
        self.shared.core.lifecycle.check()?;
        Ok(self.shared.core.main_thread.is_awaited())
    }

    /// Carries out one request that waits for the thread that runs the ORB, if there
    /// is one and no other thread carries one out (CORBA 3.3 part 1, 8.2.3.2). It
    /// never waits. A servant in that thread may call it, to let others in while it
    /// waits for something.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 4 when the ORB has been shut down.
    pub fn perform_work(&self) -> Result<(), SystemException> {
        self.shared.core.lifecycle.check()?;
        self.shared.core.main_thread.serve_one();
        Ok(())
    }

    /// Sends all oneways that wait to be sent ([`SyncScope::None`](crate::SyncScope)),
    /// and returns once the operating system has taken them.
    ///
    /// # Errors
    ///
    /// TIMEOUT, COMPLETED_MAYBE, when some have not been sent after `timeout`; they still
    /// wait. BAD_INV_ORDER with OMG minor 4 when the ORB has been shut down. Oneways that
    /// are lost because there is no connection are none of them (docs/oneways.md).
    pub fn flush_oneways(&self, timeout: Duration) -> Result<(), SystemException> {
        let core = &self.shared.core;
        core.lifecycle.check()?;
        let deadline = Instant::now() + timeout.min(LONGEST_WAIT);
        match core.connections.flush(deadline) {
            true => Ok(()),
            false => Err(SystemException::new(
                SystemExceptionKind::Timeout,
                minor::ONEWAYS_UNSENT,
                CompletionStatus::Maybe,
            )),
        }
    }

    /// Shuts the ORB down: it stops listening, refuses further requests, and
    /// closes each connection once the request that runs on it has been
    /// answered. Calls that clients have sent and that were not begun are told
    /// so, and may go elsewhere. Then all objects are deactivated, and their servants
    /// dropped. With `wait`, returns when all this is done; else it goes on by
    /// itself. It is done though servants and servant managers panic meanwhile.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 3 when a servant asks to wait, or other code that the
    /// ORB calls, such as a servant manager or the `Drop` of a servant: it would wait for
    /// itself. NO_RESOURCES when there is no thread for the shutdown; it has begun then,
    /// and goes on when it is asked for again.
    pub fn shutdown(&self, wait: bool) -> Result<(), SystemException> {
        if wait && is_in_upcall() {
            return Err(SystemException::omg(
                SystemExceptionKind::BadInvOrder,
                3,
                CompletionStatus::No,
            ));
        }
        let lifecycle = &self.shared.core.lifecycle;
        lifecycle.begin_stop();
        self.shared.core.main_thread.close();
        while !lifecycle.take_stop() {
            if !wait {
                return Ok(());
            }
            if lifecycle.waits_for_stop() {
                self.settle();
                return Ok(());
            }
        }
        match wait {
            true => {
                Stop(Arc::clone(&self.shared)).carry_out();
                self.settle();
            }
            false => self.stop_in_thread()?,
        }
        Ok(())
    }

    /// Waits for the end of what calls that have ended held last.
    fn settle(&self) {
        settle(self.shared.core.settings.server.drain_timeout);
    }

    /// Has a thread of its own carry the stop out.
    ///
    /// # Errors
    ///
    /// NO_RESOURCES when there is none.
    fn stop_in_thread(&self) -> Result<(), SystemException> {
        let shared = Arc::clone(&self.shared);
        let own = &self.shared.core.settings.threads;
        let spawned = own.spawn("taut shutdown", || Stop(shared).carry_out());
        spawned.map(drop).map_err(|error| {
            tracing::error!(%error, "no thread for the shutdown");
            self.shared.core.lifecycle.leave_stop();
            let (kind, minor) = (SystemExceptionKind::NoResources, minor::NO_THREAD);
            SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
        })
    }
}

#[cfg(feature = "full")]
impl Orb {
    /// The policies of all calls by references of this ORB (the standard's
    /// `ORBPolicyManager`); those of threads, references and calls replace them.
    pub fn policy_manager(&self) -> PolicyManager<'_> {
        let core = &self.shared.core;
        PolicyManager::new(&core.policies, &core.lifecycle)
    }

    /// Watches the flow of the connections that this ORB opens from here on, and tells `observer`
    /// of its changes; [`ObjectRef::flow_control`](crate::ObjectRef::flow_control) tells its state.
    /// Connections that are watched send in smaller steps, which costs system calls where messages
    /// are larger than the transport has room for. Returns false, and changes nothing, if somebody
    /// watches already.
    pub fn watch_flow(&self, observer: impl FlowObserver) -> bool {
        let flow = self.shared.core.connections.flow();
        flow.begin(Box::new(observer))
    }

    /// Makes a policy of the number of a type and a value (CORBA 3.3 part 1, 8.10.2). Programs
    /// that know the type make it of its Rust type instead.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] with the standard's reason.
    pub fn create_policy(
        &self,
        policy_type: PolicyType,
        value: &Any,
    ) -> Result<Policy, PolicyError> {
        self.shared
            .core
            .policies
            .factories
            .create(policy_type, value)
    }
}

/// The end of an ORB, which one thread carries out. The ORB has stopped, for those who wait,
/// when this is dropped: also if the thread panics.
struct Stop(Arc<Shared>);

impl Stop {
    fn carry_out(self) {
        let shared = &self.0;
        let server = shared.server.at_end();
        if let Some(server) = server {
            server.stop();
        }
        shared.flush();
        shared.core.connections.close();
        shared.core.executor.close();
        shared.core.replies.close();
        if let Some(server) = server {
            server.destroy();
        }
        interception::destroy(&shared.core);
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.core.lifecycle.finish_stop();
    }
}

impl fmt::Debug for Orb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orb")
            .field("published_addresses", &self.published_addresses())
            .finish_non_exhaustive()
    }
}

//! All endpoints to which an ORB has talked.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use taut_sync::lock::Mutex;
use taut_sys::usage;

use super::asynchronous::{Engine, LazyEngine};
use super::budget::{Budget, Holder};
use super::idle_watch::{IdleWatch, Watched};
use super::roles::BidirectionalServer;
use super::{Bidirectional, SharedConnection};
use super::{Endpoint, EndpointKey, FlowWatch};
use crate::priority::SharedMutex;
use crate::settings::Settings;
use crate::sorted_map::SortedMap;
use crate::threads::InternalThreads;
use crate::transport::Address;
use crate::transport::Protocols;

/// Finds the endpoint of a key. Asked once for each binding, never for a
/// call.
pub(crate) struct ConnectionCache {
    /// Made with the first endpoint. Whatever ends them reaches them by the trait alone, so
    /// a program that only serves has no code to call others.
    endpoints: OnceLock<Box<dyn Ending>>,
    /// Whether the cache is closed. Held while the endpoints are made, and while the end looks
    /// for them: either it finds them, or they are made without a watch.
    is_closed: Mutex<bool>,
    idle_timeout: Option<Duration>,
    /// How threads begin.
    threads: InternalThreads,
    protocols: Protocols,
    budget: Arc<Budget>,
    /// Reads requests on connections that this ORB opens, where it is to.
    bidirectional: Arc<BidirectionalServer>,
    /// Carries calls that are awaited.
    engine: Arc<LazyEngine>,
    flow: Arc<FlowWatch>,
}

/// The endpoints, as those see them who do not make any.
trait Ending: Send + Sync {
    /// The endpoints themselves.
    fn endpoints(&self) -> &Arc<Endpoints>;

    /// [`ConnectionCache::flush`].
    fn flush(&self, deadline: Instant) -> bool;

    /// [`ConnectionCache::end_oneways`].
    fn end_oneways(&self);

    /// Closes the connections that carry no call.
    fn close_idle(&self);

    /// Ends the watch; its thread, if it has one, is to be waited for.
    fn end_watch(&self) -> Option<JoinHandle<()>>;
}

/// The endpoints by their keys.
struct Endpoints {
    /// Threads of all priorities look here for where to bind references.
    known: SharedMutex<Known>,
    watch: IdleWatch,
    /// Itself, for the watch.
    own: Weak<Self>,
}

#[derive(Default)]
struct Known {
    by_key: SortedMap<EndpointKey, Arc<Endpoint>>,
    /// With how many endpoints idle ones are looked for.
    look_at: usize,
}

impl ConnectionCache {
    pub(crate) fn new(settings: &Settings, protocols: &Protocols) -> Self {
        Self {
            endpoints: OnceLock::new(),
            is_closed: Mutex::new(false),
            idle_timeout: settings.client.idle_timeout,
            protocols: protocols.clone(),
            budget: Budget::new(settings.client.max_connections),
            bidirectional: Arc::default(),
            engine: LazyEngine::new(settings),
            flow: Arc::default(),
            threads: settings.threads.clone(),
        }
    }

    /// Whether the flow of connections is watched.
    pub(crate) fn flow(&self) -> &FlowWatch {
        &self.flow
    }

    /// The endpoints, which are made if need be.
    fn endpoints(&self) -> &Arc<Endpoints> {
        if let Some(endpoints) = self.endpoints.get() {
            return endpoints.endpoints();
        }
        let is_closed = self.is_closed.lock();
        let endpoints = self.endpoints.get_or_init(|| {
            let endpoints = Arc::new_cyclic(|own| Endpoints {
                known: SharedMutex::default(),
                watch: IdleWatch::new(self.idle_timeout).beginning(&self.threads),
                own: Weak::clone(own),
            });
            let holder: Weak<dyn Holder> = Weak::<Endpoints>::clone(&Arc::downgrade(&endpoints));
            self.budget.set_holder(holder);
            if *is_closed {
                endpoints.watch.end();
            }
            Box::new(endpoints)
        });
        endpoints.endpoints()
    }

    /// From here on, requests may come in on the connections that this ORB opens.
    pub(crate) fn set_bidirectional(&self, bidirectional: Weak<dyn Bidirectional>) {
        // The server, which starts once, is the only one.
        let _ = self.bidirectional.set(bidirectional);
    }

    /// Lets requests to `address` go over a connection that was opened from
    /// there.
    pub(crate) fn offer(
        &self,
        address: Address,
        connection: &Arc<SharedConnection>,
        settings: &Arc<Settings>,
    ) {
        let key = EndpointKey::shared(address);
        self.endpoint(key, settings).offer(connection);
        let endpoints = self.endpoints();
        endpoints.watch.begin(&endpoints.own);
    }

    /// The endpoint of a key; connections to it are shared by all references that have
    /// this key.
    pub(crate) fn endpoint(&self, key: EndpointKey, settings: &Arc<Settings>) -> Arc<Endpoint> {
        let mut known = self.endpoints().known.lock();
        if let Some(endpoint) = known.by_key.get(&key) {
            return Arc::clone(endpoint);
        }
        known.forget_idle(settings.client.max_idle_endpoints);
        let endpoint = Arc::new(Endpoint::new(
            &key,
            settings,
            &self.protocols,
            &self.budget,
            &self.bidirectional,
            &self.engine,
            &self.flow,
        ));
        known.by_key.insert(key, Arc::clone(&endpoint));
        endpoint
    }

    /// Closes private connections, whose reference is gone, and forgets their endpoints. Oneways
    /// that still wait there are sent before: such an endpoint is forgotten later, as any other.
    pub(crate) fn end_private(&self, keys: &[EndpointKey]) {
        let Some(endpoints) = self.endpoints.get() else {
            return;
        };
        for key in keys {
            let by_key = &mut endpoints.endpoints().known.lock().by_key;
            let is_done = |endpoint: &Arc<Endpoint>| !endpoint.is_needed();
            let ended = match by_key.get(key).is_some_and(is_done) {
                true => by_key.remove(key),
                false => None,
            };
            if let Some(endpoint) = ended {
                endpoint.close_idle();
            }
        }
    }

    /// The engine that carries calls which are awaited; it starts with the first.
    ///
    /// # Errors
    ///
    /// The operating system's, if it cannot be started.
    pub(crate) fn engine(&self) -> io::Result<&Arc<Engine>> {
        self.engine.get()
    }

    /// Has all sent for which nobody waits, and waits until it is, up to a point in time.
    /// False when it is not by then.
    pub(crate) fn flush(&self, deadline: Instant) -> bool {
        let endpoints = self.endpoints.get();
        endpoints.is_none_or(|endpoints| endpoints.flush(deadline))
    }

    /// Gives up what has not been sent for which nobody waits.
    pub(crate) fn end_oneways(&self) {
        if let Some(endpoints) = self.endpoints.get() {
            endpoints.end_oneways();
        }
    }

    /// Closes the connections that carry no call, and waits for the end of the thread
    /// that does so otherwise: were it left to end by itself, programs that make many
    /// ORBs, one after the other, would have several such threads, and their stacks.
    pub(crate) fn close(&self) {
        *self.is_closed.lock() = true;
        self.engine.end(true);
        let Some(endpoints) = self.endpoints.get() else {
            return;
        };
        endpoints.close_idle();
        // One that has panicked has ended too.
        let _ = endpoints.end_watch().map(JoinHandle::join);
    }
}

impl Drop for ConnectionCache {
    fn drop(&mut self) {
        self.engine.end(false);
        if let Some(endpoints) = self.endpoints.get() {
            endpoints.end_watch();
        }
    }
}

impl Ending for Arc<Endpoints> {
    fn endpoints(&self) -> &Arc<Endpoints> {
        self
    }

    fn flush(&self, deadline: Instant) -> bool {
        let endpoints = self.all();
        // All at once, for some may take long.
        endpoints.iter().for_each(Endpoint::flush_soon);
        let flushed = |endpoint: &Arc<Endpoint>| endpoint.flush(deadline);
        endpoints
            .iter()
            .filter(|endpoint| !flushed(endpoint))
            .count()
            == 0
    }

    fn end_oneways(&self) {
        for endpoint in self.all() {
            endpoint.end_oneways();
        }
    }

    fn close_idle(&self) {
        for endpoint in self.all() {
            endpoint.close_idle();
        }
    }

    fn end_watch(&self) -> Option<JoinHandle<()>> {
        self.watch.end()
    }
}

impl Endpoints {
    fn all(&self) -> Vec<Arc<Endpoint>> {
        self.known.lock().by_key.values().cloned().collect()
    }
}

impl Watched for Endpoints {
    /// Forgets endpoints that nobody needs as well.
    fn close_unused(&self) {
        for endpoint in self.all() {
            endpoint.close_unused();
        }
        let endpoints = &mut self.known.lock().by_key;
        endpoints.retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || !endpoint.is_empty());
    }

    fn is_empty(&self) -> bool {
        self.known.lock().by_key.is_empty()
    }
}

impl Known {
    /// Forgets the endpoints to which no binding leads any more, when `most` have
    /// been added since this was last done: servers may send us to ever new
    /// addresses.
    fn forget_idle(&mut self, most: usize) {
        if self.by_key.len() < self.look_at {
            return;
        }
        // Nobody but the cache, which is locked, can make a second of the only one.
        self.by_key
            .retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || endpoint.is_needed());
        self.look_at = self.by_key.len().saturating_add(most).max(1);
    }
}

impl Holder for Endpoints {
    fn give_way(&self) -> bool {
        self.all().iter().any(|endpoint| endpoint.give_way())
    }

    /// While a process has a single thread, the system need not count who uses a socket
    /// during each call on it, which makes calls cheaper by 1 to 7 %. A second thread
    /// only to close a single connection would not be worth that.
    fn note_opened(&self, open: usize) {
        if open > 1 || usage::threads() != Some(1) {
            self.watch.begin(&self.own);
        }
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints").finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod key_tests {
    use super::*;
    use crate::connection::{Band, PrivateId};
    use crate::transport::ConnectionOptions;

    #[test]
    fn endpoints_are_shared_by_those_with_one_key_alone() {
        let settings = Arc::new(Settings::default());
        let cache = ConnectionCache::new(&settings, &Protocols::default());
        let key = || EndpointKey::shared(Address::new("127.0.0.1", 1));
        let private = || key().private(Some(PrivateId::next()));
        let band = |lowest| {
            let highest = 5;
            Some(Band { lowest, highest })
        };
        let one = private();
        let keys = [
            key(),
            key().in_band(band(0)),
            key().in_band(band(1)),
            one.clone(),
            one.in_band(band(1)),
            private(),
            EndpointKey::shared(Address::new("127.0.0.1", 2)),
            key().with_options(&"dscp=46".parse().unwrap()),
            key().with_options(&"dscp=46&queue-priority=6".parse().unwrap()),
        ];
        let find = |key: &EndpointKey| cache.endpoint(key.clone(), &settings);
        let endpoints: Vec<_> = keys.iter().map(find).collect();
        for (one, key) in keys.iter().enumerate() {
            for (other, endpoint) in endpoints.iter().enumerate() {
                let is_same = Arc::ptr_eq(&find(key), endpoint);
                assert_eq!(is_same, one == other, "{key:?}, {:?}", keys[other]);
            }
            assert_eq!(endpoints[one].address(), key.address());
        }
        assert_eq!(cache.endpoints().all().len(), keys.len());
        let without = find(&key().with_options(&ConnectionOptions::NONE));
        assert!(Arc::ptr_eq(&without, &find(&key())));
    }
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use std::net::TcpListener;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_endpoint_of_oneways_is_forgotten_once_its_connection_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut settings = Settings::default();
        settings.client.idle_timeout = None;
        let settings = Arc::new(settings);
        let cache = ConnectionCache::new(&settings, &Protocols::default());
        let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
        let endpoint = cache.endpoint(EndpointKey::shared(address), &settings);
        endpoint.post(b"a message", false, false, None).unwrap();
        assert!(!endpoint.is_empty() && endpoint.is_needed());
        drop(endpoint);
        let begin = Instant::now();
        while !cache.endpoints().is_empty() {
            cache.endpoints().close_unused();
            assert!(begin.elapsed() < Duration::from_secs(30), "is kept");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

//! A few clients, as well as can be.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use taut_sync::lock::Mutex;

use super::client::ClientKey;
use super::{Admission, AdmissionPolicy, ArrivedRequest, Client, ClientScope, Usage};

/// The admission policy that serves a few clients at full quality and refuses further ones, as a
/// video server does: a client that has been admitted has its place until it leaves.
#[derive(Debug)]
#[must_use]
pub struct FullQuality {
    max_clients: usize,
    max_requests: usize,
    scope: ClientScope,
    idle_timeout: Option<Duration>,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    clients: HashMap<ClientKey, Place>,
    requests: usize,
}

#[derive(Debug)]
struct Place {
    /// The connections of the client that have not ended.
    connections: Vec<u64>,
    /// Those of its requests that have not ended.
    requests: usize,
    used: Instant,
}

impl FullQuality {
    /// So many clients are served; the requests of further ones end with NO_RESOURCES, Taut minor
    /// 116.
    pub fn new(max_clients: usize) -> Self {
        Self {
            max_clients,
            max_requests: usize::MAX,
            scope: ClientScope::Connection,
            idle_timeout: None,
            places: Mutex::default(),
        }
    }

    /// So many requests are in progress at a time; further ones end with TRANSIENT, Taut minor
    /// 117. Default: no limit.
    pub fn max_requests_in_progress(mut self, max_requests: usize) -> Self {
        self.max_requests = max_requests;
        self
    }

    /// Which connections are one client.
    pub fn scope(mut self, scope: ClientScope) -> Self {
        self.scope = scope;
        self
    }

    /// A client that has asked nothing for so long gives its place to another that comes.
    /// Default: none does.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = Some(timeout);
        self
    }
}

impl Places {
    /// Takes a place from a client that has not used it for so long.
    fn make_room(&mut self, idle_timeout: Duration, now: Instant) -> bool {
        let idle = self.clients.iter().filter(|(_, place)| {
            place.requests == 0 && now.saturating_duration_since(place.used) >= idle_timeout
        });
        let longest = idle.min_by_key(|(_, place)| place.used);
        match longest.map(|(key, _)| *key) {
            Some(key) => self.clients.remove(&key).is_some(),
            None => false,
        }
    }
}

impl AdmissionPolicy for FullQuality {
    fn admit(&self, client: &Client, _: &ArrivedRequest) -> Admission {
        let now = Instant::now();
        let key = client.key(self.scope);
        let mut places = self.places.lock();
        if !places.clients.contains_key(&key) && places.clients.len() >= self.max_clients {
            let has_room = self
                .idle_timeout
                .is_some_and(|timeout| places.make_room(timeout, now));
            if !has_room {
                return Admission::RefuseClient;
            }
        }
        if places.requests >= self.max_requests {
            return Admission::RefuseRequest;
        }
        let place = places.clients.entry(key).or_insert_with(|| Place {
            connections: Vec::new(),
            requests: 0,
            used: now,
        });
        if !place.connections.contains(&client.connection()) {
            place.connections.push(client.connection());
        }
        place.requests += 1;
        place.used = now;
        places.requests += 1;
        Admission::Admit
    }

    fn ended(&self, client: &Client, _: &Usage) {
        let mut places = self.places.lock();
        places.requests = places.requests.saturating_sub(1);
        if let Some(place) = places.clients.get_mut(&client.key(self.scope)) {
            place.requests = place.requests.saturating_sub(1);
            place.used = Instant::now();
        }
    }

    fn left(&self, client: &Client) {
        let mut places = self.places.lock();
        let key = client.key(self.scope);
        if let Some(place) = places.clients.get_mut(&key) {
            place
                .connections
                .retain(|other| *other != client.connection());
            if place.connections.is_empty() {
                places.clients.remove(&key);
            }
        }
    }
}

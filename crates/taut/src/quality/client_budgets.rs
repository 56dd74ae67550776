//! A budget for each client.

use std::collections::HashMap;
use std::time::Instant;

use taut_sync::lock::Mutex;

use super::client::ClientKey;
use super::meters::Meters;
use super::{
    Admission, AdmissionPolicy, ArrivedRequest, Client, ClientScope, Excess, Rates, Usage,
};

/// The admission policy that gives each client the same budget of requests, octets and CPU time
/// a second, whatever others use. Each of them is a token bucket: what a reply and a servant cost
/// is known afterwards, and is owed then.
#[derive(Debug)]
#[must_use]
pub struct ClientBudgets {
    rates: Rates,
    excess: Excess,
    scope: ClientScope,
    clients: Mutex<HashMap<ClientKey, OfClient>>,
}

#[derive(Debug)]
struct OfClient {
    meters: Meters,
    /// Its connections that have not ended.
    connections: Vec<u64>,
}

impl OfClient {
    /// Whether its next request would not be admitted now.
    fn owes(&mut self, now: Instant) -> bool {
        self.meters.fill(now);
        !self.meters.until_open().is_zero()
    }
}

impl ClientBudgets {
    /// Each client has these rates; requests beyond them are refused.
    pub fn new(rates: Rates) -> Self {
        Self {
            rates,
            excess: Excess::Refuse,
            scope: ClientScope::Connection,
            clients: Mutex::default(),
        }
    }

    /// Requests beyond the budget are treated so.
    pub fn excess(mut self, excess: Excess) -> Self {
        self.excess = excess;
        self
    }

    /// Which connections are one client.
    pub fn scope(mut self, scope: ClientScope) -> Self {
        self.scope = scope;
        self
    }
}

impl AdmissionPolicy for ClientBudgets {
    fn admit(&self, client: &Client, request: &ArrivedRequest) -> Admission {
        let now = Instant::now();
        let mut clients = self.clients.lock();
        let key = client.key(self.scope);
        if !clients.contains_key(&key) {
            // Those that have left owing something are kept until they owe nothing.
            clients.retain(|_, other| !other.connections.is_empty() || other.owes(now));
        }
        let own = clients.entry(key).or_insert_with(|| OfClient {
            meters: Meters::new(&self.rates, 1.0, now),
            connections: Vec::new(),
        });
        if !own.connections.contains(&client.connection()) {
            own.connections.push(client.connection());
        }
        own.meters.fill(now);
        let until_open = own.meters.until_open();
        if until_open.is_zero() {
            own.meters.take(request);
            return Admission::Admit;
        }
        self.excess.decide(until_open, request.waited)
    }

    fn ended(&self, client: &Client, usage: &Usage) {
        let mut clients = self.clients.lock();
        if let Some(own) = clients.get_mut(&client.key(self.scope)) {
            own.meters.take_usage(usage);
        }
    }

    fn left(&self, client: &Client) {
        let mut clients = self.clients.lock();
        let key = client.key(self.scope);
        if let Some(own) = clients.get_mut(&key) {
            own.connections
                .retain(|other| *other != client.connection());
            // A source would have a full budget again by closing its connections.
            let may_come_again = self.scope == ClientScope::Source && own.owes(Instant::now());
            if own.connections.is_empty() && !may_come_again {
                clients.remove(&key);
            }
        }
    }

    fn measures_cpu_time(&self) -> bool {
        self.rates.limit_cpu_time()
    }
}

//! All clients, evenly.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use taut_sync::lock::Mutex;

use super::client::ClientKey;
use super::meters::Meters;
use super::{
    Admission, AdmissionPolicy, ArrivedRequest, Client, ClientScope, Excess, Rates, Usage,
};

/// The admission policy that serves all clients, who share what there is evenly: each client that
/// is present may have the same part of the rates, and what others leave besides.
///
/// A client is present while its last request is no older than
/// [`presence`](Self::presence).
#[derive(Debug)]
#[must_use]
pub struct EvenShares {
    rates: Rates,
    excess: Excess,
    scope: ClientScope,
    presence: Duration,
    shares: Mutex<Shares>,
}

#[derive(Debug)]
struct Shares {
    total: Meters,
    clients: HashMap<ClientKey, Share>,
}

#[derive(Debug)]
struct Share {
    meters: Meters,
    asked: Instant,
}

impl EvenShares {
    /// All clients together have these rates; requests beyond them are refused.
    pub fn new(rates: Rates) -> Self {
        Self {
            shares: Mutex::new(Shares {
                total: Meters::new(&rates, 1.0, Instant::now()),
                clients: HashMap::new(),
            }),
            rates,
            excess: Excess::Refuse,
            scope: ClientScope::Connection,
            presence: Duration::from_secs(1),
        }
    }

    /// Requests beyond a client's share are treated so.
    pub fn excess(mut self, excess: Excess) -> Self {
        self.excess = excess;
        self
    }

    /// Which connections are one client.
    pub fn scope(mut self, scope: ClientScope) -> Self {
        self.scope = scope;
        self
    }

    /// How long a client is present behind its last request. Default: one second.
    pub fn presence(mut self, presence: Duration) -> Self {
        self.presence = presence;
        self
    }
}

impl Shares {
    /// Divides the rates among those that are present, if there are more or fewer now.
    fn divide(&mut self, rates: &Rates, now: Instant) {
        let part = 1.0 / self.clients.len().max(1) as f64;
        for share in self.clients.values_mut() {
            share.meters.set_part(rates, part, now);
        }
    }

    /// The sum of what others than a client have left of their shares.
    fn left_by_others(&self, key: ClientKey) -> [f64; 3] {
        let mut left = [0.0; 3];
        for (other, share) in &self.clients {
            if *other != key {
                share.meters.add_left_to(&mut left);
            }
        }
        left
    }
}

impl AdmissionPolicy for EvenShares {
    fn admit(&self, client: &Client, request: &ArrivedRequest) -> Admission {
        let now = Instant::now();
        let key = client.key(self.scope);
        let mut shares = self.shares.lock();
        let before = shares.clients.len();
        let is_present =
            |share: &Share| now.saturating_duration_since(share.asked) <= self.presence;
        shares
            .clients
            .retain(|other, share| *other == key || is_present(share));
        let is_changed = shares.clients.len() != before || !shares.clients.contains_key(&key);
        let rates = &self.rates;
        shares
            .clients
            .entry(key)
            .or_insert_with(|| Share {
                // A burst of its own would be another's.
                meters: Meters::new(rates, 1.0, now).drained(),
                asked: now,
            })
            .asked = now;
        if is_changed {
            shares.divide(rates, now);
        }
        shares.total.fill(now);
        for share in shares.clients.values_mut() {
            share.meters.fill(now);
        }
        let left_by_others = shares.left_by_others(key);
        let Shares { total, clients } = &mut *shares;
        let Some(own) = clients.get_mut(&key) else {
            return Admission::RefuseRequest;
        };
        let until_open = own.meters.until_open();
        if until_open.is_zero() || total.has_besides(&left_by_others) {
            own.meters.take(request);
            total.take(request);
            return Admission::Admit;
        }
        self.excess.decide(until_open, request.waited)
    }

    fn ended(&self, client: &Client, usage: &Usage) {
        let mut shares = self.shares.lock();
        shares.total.take_usage(usage);
        if let Some(own) = shares.clients.get_mut(&client.key(self.scope)) {
            own.meters.take_usage(usage);
        }
    }

    fn left(&self, client: &Client) {
        // Other connections of the source may be there; they are present when they ask.
        if self.scope == ClientScope::Connection {
            let mut shares = self.shares.lock();
            if shares.clients.remove(&client.key(self.scope)).is_some() {
                shares.divide(&self.rates, Instant::now());
            }
        }
    }

    fn measures_cpu_time(&self) -> bool {
        self.rates.limit_cpu_time()
    }
}

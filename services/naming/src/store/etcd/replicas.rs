//! The replicas: each has a key in etcd with its addresses, which ends with the replica.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use tonic::Code;

use super::super::StoreError;
use super::super::memory::random;
use super::client::{Fault, LEASE_GRANT, LEASE_REVOKE, RANGE, TXN};
use super::layout::range_end;
use super::messages::{
    LeaseGrantRequest, LeaseGrantResponse, LeaseRevokeRequest, LeaseRevokeResponse, PutRequest,
    RangeRequest, RangeResponse, RequestOp, TxnRequest, TxnResponse, request_op,
};
use super::{EtcdStore, Shared};

/// The octets of the number of a transaction, in front of the addresses.
const NUMBER: usize = size_of::<u64>();
/// The part of a lease's time after which it is renewed.
const RENEWALS: u32 = 3;
/// The time that a replica takes to say that it ends.
const FAREWELL: Duration = Duration::from_secs(1);

impl EtcdStore {
    /// Tells the other replicas at which addresses, `host:port`, this one serves clients, and
    /// `follow` at which those others do: now and whenever it has changed. An address of an IPv6
    /// host is in brackets. This is to be done before there are changes.
    ///
    /// # Errors
    ///
    /// When etcd does not answer in time.
    pub fn announce(
        &self,
        addresses: &[String],
        follow: impl Fn(&[String]) + Send + 'static,
    ) -> Result<(), StoreError> {
        let shared = &self.shared;
        *shared.addresses.lock() = addresses.join(",");
        let deadline = shared.client.deadline();
        shared.register(deadline)?;
        let mut known = shared.others(deadline)?;
        follow(&known);
        let pause = shared.client.settings().replica_lease / RENEWALS;
        let store = Arc::downgrade(shared);
        let watch = move || {
            loop {
                thread::sleep(pause);
                let Some(shared) = Weak::upgrade(&store) else {
                    return;
                };
                // While etcd is away the replicas are taken to be those of before.
                if let Ok(found) = shared.others(shared.client.deadline())
                    && found != known
                {
                    follow(&found);
                    known = found;
                }
            }
        };
        spawn("taut-naming-peers", watch)
    }

    /// Tells the other replicas that this one serves no clients any more. That is done too when
    /// the value is dropped; without it they know after the time of `replica_lease`.
    pub fn leave(&self) {
        self.shared.unregister();
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
    match thread {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::new(format!("no thread for {name}: {error}"))),
    }
}

impl Shared {
    /// The value of this replica's key, with the number of a transaction.
    pub(super) fn marker(&self, transaction: u64) -> Vec<u8> {
        let addresses = self.addresses.lock();
        [&transaction.to_be_bytes()[..], addresses.as_bytes()].concat()
    }

    /// Makes a key of the replica, with a lease of its own, in place of the one before it.
    ///
    /// # Errors
    ///
    /// When etcd does not answer in time.
    pub(super) fn register(&self, deadline: Instant) -> Result<(), StoreError> {
        let client = &self.client;
        let words = |fault: Fault| client.failed(&fault);
        let time = client.settings().replica_lease.as_secs().max(1);
        let grant = LeaseGrantRequest {
            seconds: i64::try_from(time).unwrap_or(i64::MAX),
            id: 0,
        };
        let granted: LeaseGrantResponse =
            client.call(LEASE_GRANT, &grant, deadline).map_err(words)?;
        let put = PutRequest {
            key: self.layout.replica(granted.id),
            value: self.marker(random()),
            lease: granted.id,
        };
        let request = TxnRequest {
            success: vec![RequestOp {
                request: Some(request_op::Request::Put(put)),
            }],
            ..TxnRequest::default()
        };
        let _: TxnResponse = client.call(TXN, &request, deadline).map_err(words)?;
        let before = self.lease.swap(granted.id, Ordering::AcqRel);
        if before != 0 {
            let revoke = LeaseRevokeRequest { id: before };
            // It ends by itself otherwise.
            let _ = client.call_once::<_, LeaseRevokeResponse>(LEASE_REVOKE, revoke, deadline);
        }
        Ok(())
    }

    /// Renews the replica's lease for as long as there is the store.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub(super) fn keep_registered(self: &Arc<Self>) -> Result<(), StoreError> {
        let pause = self.client.settings().replica_lease / RENEWALS;
        let store = Arc::downgrade(self);
        let keep = move || {
            loop {
                thread::sleep(pause);
                let Some(shared) = Weak::upgrade(&store) else {
                    return;
                };
                let deadline = shared.client.deadline();
                let lease = shared.lease.load(Ordering::Acquire);
                let kept = shared.client.keep_alive(lease, deadline);
                // A change finds out by itself that the key is missing, but there may be none.
                let outcome = match kept {
                    Ok(0) | Err(Fault::Refused(Code::NotFound, _)) => shared.register(deadline),
                    Ok(_) => Ok(()),
                    Err(fault) => Err(shared.client.failed(&fault)),
                };
                if let Err(error) = outcome {
                    tracing::warn!(
                        target: "taut::naming", %error,
                        "this replica may be missing among those in etcd"
                    );
                }
            }
        };
        spawn("taut-naming-replica", keep)
    }

    /// Takes the replica's key away.
    pub(super) fn unregister(&self) {
        // A key that is made again, for a late change, names no address.
        self.addresses.lock().clear();
        let revoke = LeaseRevokeRequest {
            id: self.lease.load(Ordering::Acquire),
        };
        let deadline = Instant::now() + FAREWELL;
        let gone = self
            .client
            .call_once::<_, LeaseRevokeResponse>(LEASE_REVOKE, revoke, deadline);
        if let Err(fault) = gone {
            tracing::debug!(
                target: "taut::naming", ?fault, "etcd has not been told that this replica ends"
            );
        }
    }

    /// The addresses of the other replicas, in the order of their numbers.
    fn others(&self, deadline: Instant) -> Result<Vec<String>, StoreError> {
        let prefix = self.layout.replicas();
        let own = self.layout.replica(self.lease.load(Ordering::Acquire));
        let request = RangeRequest {
            range_end: range_end(&prefix),
            key: prefix,
            ..RangeRequest::default()
        };
        let found: Result<RangeResponse, _> = self.client.call(RANGE, &request, deadline);
        let found = found.map_err(|fault| self.client.failed(&fault))?;
        let others = found.kvs.iter().filter(|found| found.key != own);
        let published = self.addresses.lock().clone();
        let own: Vec<_> = published.split(',').collect();
        let mut addresses = Vec::new();
        for other in others {
            let text = other.value.get(NUMBER..).unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            for address in text.split(',').filter(|address| !address.is_empty()) {
                // This replica's last life may still be there.
                let is_known = own.contains(&address) || addresses.iter().any(|it| it == address);
                if !is_known {
                    addresses.push(address.to_owned());
                }
            }
        }
        Ok(addresses)
    }
}

/// The number of the last transaction in the value of a replica's key.
pub(super) fn last_transaction(value: &[u8]) -> Option<u64> {
    let number = value.get(..NUMBER)?;
    Some(u64::from_be_bytes(number.try_into().ok()?))
}

//! The store in etcd, which any number of replicas of a naming service share.
//!
//! A change is a transaction of etcd that is done only if nothing has changed that it was decided
//! upon; otherwise it is decided anew. Each transaction of a replica also writes a number under a
//! key of the replica's own, and depends upon the number before it. Where an answer of etcd is
//! lost, the number tells whether the transaction was done, and a late one cannot be done any more
//! after the next.

mod client;
mod commit;
mod copy;
mod draft;
mod layout;
mod messages;
mod replicas;
mod settings;
mod snapshot;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::group_commit::GroupCommit;
use super::memory::random;
use super::{Answer, Change, Lease, LeaseId, Store, StoreError, StoreLimits, View};
use client::{Client, TXN};
use copy::Copy;
use draft::Counts;
use layout::{FORMAT, Layout};
use messages::{Compare, PutRequest, RangeRequest, RequestOp, TxnRequest, TxnResponse, request_op};
use snapshot::Snapshot;

pub use settings::{EtcdSettings, Reads};

/// A store in etcd. Each process that opens it is a replica.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use taut_naming::service::{NamingService, ServiceSettings};
/// use taut_naming::store::EtcdStore;
/// use taut_naming::store::etcd::EtcdSettings;
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let orb = taut::Orb::builder().listen("*:2809")?.build()?;
///     let settings = EtcdSettings::parse("etcd://10.0.0.1,10.0.0.2,10.0.0.3")?;
///     let store = Arc::new(EtcdStore::open(settings)?);
///     NamingService::start(&orb, store, ServiceSettings::default())?;
///     orb.run();
///     Ok(())
/// }
/// ```
pub struct EtcdStore {
    tree: u64,
    commits: GroupCommit,
    shared: Arc<Shared>,
}

/// The part of a store that its threads know.
pub(super) struct Shared {
    client: Client,
    layout: Layout,
    /// The lease of etcd with which the replica's key ends, and which has given it its number. A
    /// replica whose lease has ended gets another key; 0 before there is one.
    lease: AtomicI64,
    /// The addresses at which the replica serves clients, as other replicas publish them.
    addresses: Mutex<String>,
    counts: Counts,
    copy: Option<Arc<Copy>>,
}

/// The time for which a change waits until the watched copy has it.
const COPY_WAIT: Duration = Duration::from_secs(1);

impl EtcdStore {
    /// Opens a store, or makes it where there is none.
    ///
    /// # Errors
    ///
    /// When no member of etcd answers in time, or what is there has another format.
    pub fn open(settings: EtcdSettings) -> Result<Self, StoreError> {
        let copy = match settings.reads {
            Reads::Linearizable => None,
            Reads::Watched => Some(Arc::new(Copy::new())),
        };
        let layout = Layout::new(&settings.prefix);
        let client = Client::new(settings)?;
        let tree = found(&client, &layout)?;
        let shared = Arc::new(Shared {
            client,
            layout,
            lease: AtomicI64::new(0),
            addresses: Mutex::default(),
            counts: Counts::default(),
            copy,
        });
        shared.register(shared.client.deadline())?;
        shared.keep_registered()?;
        if let Some(copy) = &shared.copy {
            shared.client.spawn(copy::keep(Arc::downgrade(&shared)));
            if !copy.wait(1, shared.client.deadline()) {
                return Err(StoreError::unreachable(format!(
                    "{}: the names have not been loaded in {:?}",
                    shared.client.settings(),
                    shared.client.settings().timeout
                )));
            }
        }
        Ok(Self {
            tree,
            commits: GroupCommit::default(),
            shared,
        })
    }
}

/// The number of the tree in etcd; where there is none it is made.
fn found(client: &Client, layout: &Layout) -> Result<u64, StoreError> {
    let tree = random();
    let put = |key, value: &[u8]| {
        let value = value.to_vec();
        let lease = 0;
        request_op::Request::Put(PutRequest { key, value, lease })
    };
    let get = |key| {
        request_op::Request::Range(RangeRequest {
            key,
            ..RangeRequest::default()
        })
    };
    let operations = |requests: [_; 2]| {
        let operation = |request| RequestOp {
            request: Some(request),
        };
        requests.map(operation).to_vec()
    };
    let request = TxnRequest {
        compare: vec![Compare::key(layout.format(), 0)],
        success: operations([
            put(layout.format(), FORMAT),
            put(layout.tree(), &tree.to_be_bytes()),
        ]),
        failure: operations([get(layout.format()), get(layout.tree())]),
    };
    let answer: Result<TxnResponse, _> = client.call(TXN, &request, client.deadline());
    let answer = answer.map_err(|fault| client.failed(&fault))?;
    if answer.succeeded {
        return Ok(tree);
    }
    let mut values = answer.responses.into_iter().map(|response| {
        let found = response.range.unwrap_or_default().kvs.into_iter().next();
        found.map(|found| found.value).unwrap_or_default()
    });
    let etcd = client.settings();
    let format = values.next().unwrap_or_default();
    if format != FORMAT {
        return Err(StoreError::new(format!(
            "{etcd}: the format of {} is {}, and this program reads format {}; use the program \
             that wrote it, and carry the names over with taut name copy",
            etcd.prefix,
            format.escape_ascii(),
            FORMAT.escape_ascii(),
        )));
    }
    let tree = values.next().unwrap_or_default();
    let tree = tree.try_into().map_err(|_| {
        StoreError::new(format!(
            "{etcd}: {} is damaged: it has no tree",
            etcd.prefix
        ))
    })?;
    Ok(u64::from_be_bytes(tree))
}

impl Store for EtcdStore {
    fn tree(&self) -> u64 {
        self.tree
    }

    fn read(
        &self,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let shared = &self.shared;
        if let Some(copy) = &shared.copy {
            return copy.read(shared.client.settings().max_age, query);
        }
        let deadline = shared.client.deadline();
        loop {
            let snapshot = Snapshot::new(&shared.client, &shared.layout, deadline);
            match query(&snapshot) {
                Err(_) if snapshot.is_stale() && Instant::now() < deadline => {}
                result => return result,
            }
        }
    }

    fn change(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError> {
        let shared = &self.shared;
        self.commits
            .run(change, limits, |batch| shared.commit(batch))
    }

    fn renew_lease(&self, lease: LeaseId) -> Result<Option<Lease>, StoreError> {
        let shared = &self.shared;
        let deadline = shared.client.deadline();
        // Leases of other programs in etcd are none of ours.
        let snapshot = Snapshot::new(&shared.client, &shared.layout, deadline);
        if snapshot.get(&shared.layout.lease(lease))?.value.is_none() {
            return Ok(None);
        }
        let seconds = shared.client.keep_alive(lease.0.cast_signed(), deadline);
        let seconds = seconds.map_err(|fault| shared.client.failed(&fault))?;
        let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
        Ok((seconds != 0).then_some(Lease { id: lease, seconds }))
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        self.shared.unregister();
    }
}

impl fmt::Debug for EtcdStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdStore")
            .field("settings", self.shared.client.settings())
            .finish_non_exhaustive()
    }
}

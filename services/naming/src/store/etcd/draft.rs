//! The changes of a transaction, and what they were decided upon.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tonic::Code;

use super::super::encoding::{decoded, encoded, is_context};
use super::super::memory::random;
use super::super::{
    Bound, ContextId, Entry, Key, Lease, LeaseId, StoreError, StoreLimits, Totals, Transaction,
    View,
};
use super::client::{Fault, LEASE_GRANT};
use super::layout::range_end;
use super::messages::{
    Compare, DeleteRangeRequest, LeaseGrantRequest, LeaseGrantResponse, PutRequest, RequestOp,
    TxnRequest, request_op,
};
use super::snapshot::Snapshot;

/// A transaction that is being made: writes upon a snapshot.
pub(super) struct Draft<'d> {
    snapshot: &'d Snapshot<'d>,
    counts: &'d Counts,
    pub(super) limits: StoreLimits,
    writes: BTreeMap<Vec<u8>, Write>,
    /// The beginnings of keys that no other may have made meanwhile.
    ranges: BTreeSet<Vec<u8>>,
    growth: Growth,
    /// The leases that are to be revoked once the transaction is done.
    revoked: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Write {
    Put { value: Vec<u8>, lease: i64 },
    Delete,
}

/// The numbers by which a transaction changes what there is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Growth {
    contexts: i64,
    bindings: i64,
    leases: i64,
}

/// The end of a draft: what is left to do once it is in etcd.
#[derive(Debug)]
pub(super) struct Remainder {
    pub(super) growth: Growth,
    pub(super) revoked: Vec<i64>,
}

/// How much there is, as of some seconds ago.
#[derive(Debug, Default)]
pub(super) struct Counts(Mutex<Option<Counted>>);

#[derive(Debug, Clone, Copy)]
struct Counted {
    at: Instant,
    contexts: u64,
    bindings: u64,
    leases: u64,
}

impl Counts {
    /// To count costs etcd time in proportion, so it is done only so often far from a limit.
    const AGE: Duration = Duration::from_secs(10);
    /// The distance from a limit within which every change counts anew.
    const MARGIN: u64 = 1000;

    /// Notes what a transaction of this store has done.
    pub(super) fn grow(&self, growth: Growth) {
        if let Some(counted) = self.0.lock().as_mut() {
            counted.contexts = counted.contexts.saturating_add_signed(growth.contexts);
            counted.bindings = counted.bindings.saturating_add_signed(growth.bindings);
            counted.leases = counted.leases.saturating_add_signed(growth.leases);
        }
    }
}

impl<'d> Draft<'d> {
    pub(super) fn new(snapshot: &'d Snapshot<'d>, counts: &'d Counts, limits: StoreLimits) -> Self {
        Self {
            snapshot,
            counts,
            limits,
            writes: BTreeMap::new(),
            ranges: BTreeSet::new(),
            growth: Growth::default(),
            revoked: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(super) fn put(&mut self, key: Vec<u8>, value: Vec<u8>, lease: i64) {
        self.writes.insert(key, Write::Put { value, lease });
    }

    /// The transaction: it is done if nothing has changed that was read for it.
    pub(super) fn finish(self) -> (TxnRequest, Remainder) {
        let known = self.snapshot.known();
        let keys = known
            .iter()
            .map(|(key, known)| Compare::key(key.clone(), known.revision));
        let revision = self.snapshot.revision();
        let ranges = self
            .ranges
            .iter()
            .map(|prefix| Compare::range(prefix.clone(), range_end(prefix), revision));
        let compare = keys.chain(ranges).collect();
        let success = self.writes.into_iter().map(|(key, write)| RequestOp {
            request: Some(match write {
                Write::Put { value, lease } => {
                    request_op::Request::Put(PutRequest { key, value, lease })
                }
                Write::Delete => request_op::Request::Delete(DeleteRangeRequest { key }),
            }),
        });
        let request = TxnRequest {
            compare,
            success: success.collect(),
            failure: Vec::new(),
        };
        let remainder = Remainder {
            growth: self.growth,
            revoked: self.revoked,
        };
        (request, remainder)
    }

    /// The value of a key, with the changes made so far.
    fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.writes.get(key) {
            Some(Write::Put { value, .. }) => Ok(Some(value.clone())),
            Some(Write::Delete) => Ok(None),
            None => Ok(self.snapshot.get(key)?.value),
        }
    }

    /// How much there was before the draft; exactly, where it matters.
    fn counted(&self) -> Result<Counted, StoreError> {
        let limits = self.limits;
        let is_far = |count: u64, most: u64| count.saturating_add(Counts::MARGIN) < most;
        let last = *self.counts.0.lock();
        if let Some(last) = last
            && last.at.elapsed() < Counts::AGE
            && is_far(last.contexts, limits.max_contexts)
            && is_far(last.bindings, limits.max_bindings)
            && is_far(last.leases, limits.max_leases)
        {
            return Ok(last);
        }
        let totals = self.snapshot.totals()?;
        let counted = Counted {
            at: Instant::now(),
            contexts: totals.contexts,
            bindings: totals.bindings,
            leases: self.snapshot.count(&self.snapshot.layout().leases())?,
        };
        *self.counts.0.lock() = Some(counted);
        Ok(counted)
    }
}

impl View for Draft<'_> {
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError> {
        let key = self.snapshot.layout().context(context);
        Ok(context == ContextId::ROOT || self.value(&key)?.is_some())
    }

    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError> {
        let value = self.value(&self.snapshot.layout().binding(context, key))?;
        value.as_deref().map(decoded).transpose()
    }

    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let prefix = self.snapshot.layout().entries(context);
        let written = |key: &Key| {
            let place = self.snapshot.layout().binding(context, key);
            self.writes.contains_key(&place)
        };
        // Each write takes the place of one entry at most.
        let enough = max_entries.saturating_add(self.writes.len());
        let found = self.snapshot.entries(context, after, enough, usize::MAX)?;
        let mut entries: Vec<_> = found
            .into_iter()
            .filter(|entry| !written(&entry.key))
            .collect();
        for (place, write) in self.writes.range(prefix.clone()..) {
            let Some(key) = place.strip_prefix(&prefix[..]) else {
                break;
            };
            let key = Key::from_octets(key);
            if let Write::Put { value, .. } = write
                && after.is_none_or(|after| *after < key)
            {
                let is_context = is_context(value);
                entries.push(Entry { key, is_context });
            }
        }
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        let mut octets = 0;
        entries.truncate(max_entries);
        let has_room = |entry: &Entry| {
            let has_room = octets < max_octets;
            octets += entry.key.as_octets().len();
            has_room
        };
        Ok(entries.into_iter().take_while(has_room).collect())
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        let counted = self.counted()?;
        Ok(Totals {
            contexts: counted.contexts.saturating_add_signed(self.growth.contexts),
            bindings: counted.bindings.saturating_add_signed(self.growth.bindings),
        })
    }
}

impl Transaction for Draft<'_> {
    fn bind(
        &mut self,
        context: ContextId,
        key: &Key,
        bound: &Bound,
        lease: Option<LeaseId>,
    ) -> Result<(), StoreError> {
        let place = self.snapshot.layout().binding(context, key);
        if self.value(&place)?.is_none() {
            self.growth.bindings += 1;
        }
        let lease = lease.map_or(0, |lease| lease.0.cast_signed());
        self.put(place, encoded(bound), lease);
        Ok(())
    }

    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError> {
        let place = self.snapshot.layout().binding(context, key);
        self.growth.bindings -= 1;
        self.writes.insert(place, Write::Delete);
        Ok(())
    }

    fn create_context(&mut self) -> Result<ContextId, StoreError> {
        let context = ContextId(random());
        let key = self.snapshot.layout().context(context);
        self.snapshot.assume_absent(key.clone());
        self.growth.contexts += 1;
        self.put(key, Vec::new(), 0);
        Ok(context)
    }

    fn remove_context(&mut self, context: ContextId) -> Result<(), StoreError> {
        // It was found empty, and has to be so when it ends.
        let layout = self.snapshot.layout();
        self.ranges.insert(layout.entries(context));
        self.growth.contexts -= 1;
        self.writes.insert(layout.context(context), Write::Delete);
        Ok(())
    }

    fn has_lease(&self, lease: LeaseId) -> Result<bool, StoreError> {
        let key = self.snapshot.layout().lease(lease);
        Ok(self.value(&key)?.is_some())
    }

    fn lease_count(&self) -> Result<u64, StoreError> {
        let count = self.counted()?.leases;
        Ok(count.saturating_add_signed(self.growth.leases))
    }

    fn create_lease(&mut self, seconds: u32) -> Result<Lease, StoreError> {
        // etcd's numbers are positive.
        let id = (random() >> 1).max(1).cast_signed();
        let lease = grant(self.snapshot, id, seconds)?;
        let key = self.snapshot.layout().lease(lease.id);
        self.snapshot.assume_absent(key.clone());
        self.growth.leases += 1;
        self.put(key, Vec::new(), id);
        Ok(lease)
    }

    fn end_lease(&mut self, lease: LeaseId) -> Result<(), StoreError> {
        let key = self.snapshot.layout().lease(lease);
        self.growth.leases -= 1;
        self.writes.insert(key, Write::Delete);
        self.revoked.push(lease.0.cast_signed());
        Ok(())
    }
}

/// Makes a lease of etcd's, which may be longer than was asked for. One that is not bound to a key
/// ends by itself.
fn grant(snapshot: &Snapshot<'_>, id: i64, seconds: u32) -> Result<Lease, StoreError> {
    let client = snapshot.client();
    let request = LeaseGrantRequest {
        seconds: seconds.into(),
        id,
    };
    let deadline = snapshot.deadline();
    let granted: Result<LeaseGrantResponse, _> = client.call(LEASE_GRANT, &request, deadline);
    let granted = match granted {
        Ok(granted) => granted.seconds,
        // The first answer has been lost.
        Err(Fault::Refused(Code::FailedPrecondition, _)) => client
            .keep_alive(id, deadline)
            .map_err(|fault| client.failed(&fault))?,
        Err(fault) => return Err(client.failed(&fault)),
    };
    Ok(Lease {
        id: LeaseId(id.cast_unsigned()),
        seconds: u32::try_from(granted).unwrap_or(seconds),
    })
}

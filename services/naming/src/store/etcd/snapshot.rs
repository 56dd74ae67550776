//! One state of the tree: that of a revision of etcd.

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::time::Instant;

use super::super::encoding::{decoded, is_context};
use super::super::{Bound, ContextId, Entry, Key, StoreError, Totals, View};
use super::client::{Client, Fault, RANGE, TXN};
use super::layout::{Layout, range_end};
use super::messages::{
    RangeRequest, RangeResponse, RequestOp, TxnRequest, TxnResponse, request_op,
};

/// The keys that are asked for at once, so that an answer stays below some ten megaoctets.
const PAGE: i64 = 500;

/// A state of the tree, from which as much is fetched as is asked for. The first request sees all
/// changes that had been answered before it, and fixes the revision; the others see the same.
pub(super) struct Snapshot<'s> {
    client: &'s Client,
    layout: &'s Layout,
    deadline: Instant,
    /// 0 before the first request.
    revision: Cell<i64>,
    known: RefCell<BTreeMap<Vec<u8>, Known>>,
    is_stale: Cell<bool>,
}

/// A key as it is in a state.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) value: Option<Vec<u8>>,
    /// The revision of its last change; 0 if it is not there.
    pub(super) revision: i64,
}

impl<'s> Snapshot<'s> {
    pub(super) fn new(client: &'s Client, layout: &'s Layout, deadline: Instant) -> Self {
        Self {
            client,
            layout,
            deadline,
            revision: Cell::new(0),
            known: RefCell::default(),
            is_stale: Cell::new(false),
        }
    }

    pub(super) fn client(&self) -> &'s Client {
        self.client
    }

    pub(super) fn layout(&self) -> &'s Layout {
        self.layout
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(super) fn revision(&self) -> i64 {
        self.revision.get()
    }

    /// Whether a request has failed for the sole reason that the revision is not at hand. Another
    /// snapshot may do better.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale.get()
    }

    /// The keys that have been asked for.
    pub(super) fn known(&self) -> Ref<'_, BTreeMap<Vec<u8>, Known>> {
        self.known.borrow()
    }

    /// Takes a key for one that is not there, without asking.
    pub(super) fn assume_absent(&self, key: Vec<u8>) {
        self.known.borrow_mut().entry(key).or_default();
    }

    fn failed(&self, fault: &Fault) -> StoreError {
        if matches!(fault, Fault::Revision) {
            self.is_stale.set(true);
        }
        self.client.failed(fault)
    }

    /// Fetches keys, all at once.
    ///
    /// # Errors
    ///
    /// When etcd does not answer.
    pub(super) fn fetch(&self, keys: &[Vec<u8>]) -> Result<(), StoreError> {
        let most = self.client.settings().max_txn_ops.max(1);
        for keys in keys.chunks(most) {
            let success = keys.iter().map(|key| {
                let request = Some(request_op::Request::Range(self.range(key, &[], 1)));
                RequestOp { request }
            });
            let request = TxnRequest {
                success: success.collect(),
                ..TxnRequest::default()
            };
            let answer: Result<TxnResponse, _> = self.client.call(TXN, &request, self.deadline);
            let answer = answer.map_err(|fault| self.failed(&fault))?;
            self.fix(answer.header.as_ref().map(|header| header.revision));
            for (key, response) in keys.iter().zip(answer.responses) {
                self.note(key, response.range.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// A key, fetched unless it is known.
    ///
    /// # Errors
    ///
    /// When etcd does not answer.
    pub(super) fn get(&self, key: &[u8]) -> Result<Known, StoreError> {
        if let Some(known) = self.known.borrow().get(key) {
            return Ok(known.clone());
        }
        let answer = self.ask(&self.range(key, &[], 1))?;
        Ok(self.note(key, answer))
    }

    fn note(&self, key: &[u8], answer: RangeResponse) -> Known {
        let known = match answer.kvs.into_iter().next() {
            Some(found) => Known {
                value: Some(found.value),
                revision: found.mod_revision,
            },
            None => Known::default(),
        };
        self.known.borrow_mut().insert(key.to_vec(), known.clone());
        known
    }

    fn fix(&self, revision: Option<i64>) {
        if self.revision.get() == 0 {
            self.revision.set(revision.unwrap_or_default());
        }
    }

    fn range(&self, key: &[u8], range_end: &[u8], limit: i64) -> RangeRequest {
        let revision = self.revision.get();
        RangeRequest {
            key: key.to_vec(),
            range_end: range_end.to_vec(),
            limit,
            revision,
            // A past revision is the same at every member that has it.
            serializable: revision != 0,
            count_only: false,
        }
    }

    fn ask(&self, request: &RangeRequest) -> Result<RangeResponse, StoreError> {
        let answer: Result<RangeResponse, _> = self.client.call(RANGE, request, self.deadline);
        let answer = answer.map_err(|fault| self.failed(&fault))?;
        self.fix(answer.header.as_ref().map(|header| header.revision));
        Ok(answer)
    }

    /// The number of keys that begin with `prefix`.
    ///
    /// # Errors
    ///
    /// When etcd does not answer.
    pub(super) fn count(&self, prefix: &[u8]) -> Result<u64, StoreError> {
        let mut request = self.range(prefix, &range_end(prefix), 0);
        request.count_only = true;
        let answer = self.ask(&request)?;
        Ok(u64::try_from(answer.count).unwrap_or_default())
    }
}

impl View for Snapshot<'_> {
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError> {
        if context == ContextId::ROOT {
            return Ok(true);
        }
        Ok(self.get(&self.layout.context(context))?.value.is_some())
    }

    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError> {
        let known = self.get(&self.layout.binding(context, key))?;
        known.value.as_deref().map(decoded).transpose()
    }

    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let prefix = self.layout.entries(context);
        let end = range_end(&prefix);
        // Nothing lies between a key and the same key with NUL behind it.
        let behind = |key: &[u8]| [&prefix[..], key, &[0]].concat();
        let mut start = after.map_or_else(|| prefix.clone(), |key| behind(key.as_octets()));
        let mut entries = Vec::new();
        let mut octets = 0;
        while entries.len() < max_entries && octets < max_octets {
            let left = max_entries - entries.len();
            let limit = i64::try_from(left).unwrap_or(PAGE).min(PAGE);
            let page = self.ask(&self.range(&start, &end, limit))?;
            for found in &page.kvs {
                if octets >= max_octets {
                    return Ok(entries);
                }
                let key = found.key.strip_prefix(&prefix[..]).unwrap_or_default();
                octets += key.len();
                start = behind(key);
                entries.push(Entry {
                    key: Key::from_octets(key),
                    is_context: is_context(&found.value),
                });
            }
            if !page.more {
                break;
            }
        }
        Ok(entries)
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        Ok(Totals {
            contexts: self.count(&self.layout.contexts())?,
            bindings: self.count(&self.layout.bindings())?,
        })
    }
}

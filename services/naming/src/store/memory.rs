//! The store of a service whose names end with it.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::Bound as End;

use parking_lot::RwLock;

use super::leases::Deadlines;
use super::{
    Answer, Bound, Change, ContextId, Entry, Key, Lease, LeaseId, Store, StoreError, StoreLimits,
    Totals, Transaction, View, apply,
};

/// A store in memory, which is empty at first and ends with the process.
#[derive(Debug)]
pub struct MemoryStore {
    tree: u64,
    names: RwLock<Names>,
    deadlines: Deadlines,
}

/// The contexts and their entries. Nothing fails half-way, so a change needs no copy.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The contexts besides the root.
    contexts: BTreeSet<ContextId>,
    last_context: u64,
    bindings: BTreeMap<(ContextId, Key), Bound>,
    /// The leases, and the bindings that end with each.
    leases: BTreeMap<LeaseId, BTreeSet<(ContextId, Key)>>,
    /// The leases of bindings that have one.
    leased: BTreeMap<(ContextId, Key), LeaseId>,
}

impl MemoryStore {
    /// A store without names.
    pub fn new() -> Self {
        Self {
            tree: random(),
            names: RwLock::default(),
            deadlines: Deadlines::default(),
        }
    }

    /// Ends the leases whose time is over.
    fn end_due(&self) {
        for lease in self.deadlines.due() {
            let mut names = self.names.write();
            names.drop_lease(lease);
            self.deadlines.forget(lease);
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

/// A number that no other store has, in all likelihood.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

impl Store for MemoryStore {
    fn tree(&self) -> u64 {
        self.tree
    }

    fn read(
        &self,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.end_due();
        query(&*self.names.read())
    }

    fn change(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError> {
        self.end_due();
        let answer = apply(&mut *self.names.write(), &change, limits)?;
        self.deadlines.follow(&change, &answer);
        Ok(answer)
    }

    fn renew_lease(&self, lease: LeaseId) -> Result<Option<Lease>, StoreError> {
        Ok(self.deadlines.renew(lease))
    }
}

impl Names {
    /// Takes a context over from elsewhere.
    #[cfg(feature = "etcd")]
    pub(super) fn add_context(&mut self, context: ContextId) {
        self.contexts.insert(context);
    }

    /// Parts a binding from its lease.
    fn part(&mut self, place: &(ContextId, Key)) {
        if let Some(lease) = self.leased.remove(place)
            && let Some(places) = self.leases.get_mut(&lease)
        {
            places.remove(place);
        }
    }

    fn drop_lease(&mut self, lease: LeaseId) {
        for place in self.leases.remove(&lease).unwrap_or_default() {
            self.leased.remove(&place);
            self.bindings.remove(&place);
        }
    }
}

impl View for Names {
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError> {
        Ok(context == ContextId::ROOT || self.contexts.contains(&context))
    }

    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError> {
        Ok(self.bindings.get(&(context, key.clone())).cloned())
    }

    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let start = match after {
            Some(key) => End::Excluded((context, key.clone())),
            None => End::Included((context, Key::from_octets(&[]))),
        };
        let mut octets = 0;
        let entries = self
            .bindings
            .range((start, End::Unbounded))
            .take_while(|((of, _), _)| *of == context)
            .take(max_entries)
            .take_while(|((_, key), _)| {
                let has_room = octets < max_octets;
                octets += key.as_octets().len();
                has_room
            })
            .map(|((_, key), bound)| Entry {
                key: key.clone(),
                is_context: bound.is_context(),
            });
        Ok(entries.collect())
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        Ok(Totals {
            contexts: self.contexts.len() as u64,
            bindings: self.bindings.len() as u64,
        })
    }
}

impl Transaction for Names {
    fn bind(
        &mut self,
        context: ContextId,
        key: &Key,
        bound: &Bound,
        lease: Option<LeaseId>,
    ) -> Result<(), StoreError> {
        let place = (context, key.clone());
        self.part(&place);
        if let Some(lease) = lease {
            self.leases.entry(lease).or_default().insert(place.clone());
            self.leased.insert(place.clone(), lease);
        }
        self.bindings.insert(place, bound.clone());
        Ok(())
    }

    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError> {
        let place = (context, key.clone());
        self.part(&place);
        self.bindings.remove(&place);
        Ok(())
    }

    fn create_context(&mut self) -> Result<ContextId, StoreError> {
        self.last_context += 1;
        let context = ContextId(self.last_context);
        self.contexts.insert(context);
        Ok(context)
    }

    fn remove_context(&mut self, context: ContextId) -> Result<(), StoreError> {
        self.contexts.remove(&context);
        Ok(())
    }

    fn has_lease(&self, lease: LeaseId) -> Result<bool, StoreError> {
        Ok(self.leases.contains_key(&lease))
    }

    fn lease_count(&self) -> Result<u64, StoreError> {
        Ok(self.leases.len() as u64)
    }

    fn create_lease(&mut self, seconds: u32) -> Result<Lease, StoreError> {
        let id = LeaseId(random());
        self.leases.insert(id, BTreeSet::new());
        Ok(Lease { id, seconds })
    }

    fn end_lease(&mut self, lease: LeaseId) -> Result<(), StoreError> {
        self.drop_lease(lease);
        Ok(())
    }
}

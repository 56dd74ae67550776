//! The tables of a file of names, format 1.

use redb::{
    ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, Table, TableDefinition,
    TableError, WriteTransaction,
};

use super::encoding::{decoded, encoded, is_context};
use super::memory::random;
use super::{Bound, ContextId, Entry, Key, Lease, LeaseId, StoreError, Totals, Transaction, View};

/// The number of the format that is written here.
pub(super) const FORMAT: u64 = 1;

/// The facts about the file, by name.
pub(super) const FACTS: TableDefinition<'static, &'static str, u64> =
    TableDefinition::new("taut naming");
/// The contexts besides the root.
const CONTEXTS: TableDefinition<'static, u64, ()> = TableDefinition::new("contexts");
/// By the number of a context, big-endian, and a key: a [`Bound`].
const BINDINGS: TableDefinition<'static, &'static [u8], &'static [u8]> =
    TableDefinition::new("bindings");

/// By the number of a lease: the seconds after which it ends unless it is renewed.
const LEASES: TableDefinition<'static, u64, u32> = TableDefinition::new("leases");
/// By the place of a binding that ends with a lease: the lease.
const LEASED: TableDefinition<'static, &'static [u8], u64> = TableDefinition::new("leased");
/// The places of the bindings that end with a lease, each behind the number of the lease.
const BY_LEASE: TableDefinition<'static, &'static [u8], ()> = TableDefinition::new("by lease");

pub(super) const FORMAT_FACT: &str = "format";
pub(super) const TREE_FACT: &str = "tree";
const LAST_CONTEXT_FACT: &str = "last context";

/// The tables, to be read or to be written.
pub(super) struct Tables<F, C, B, L = ()> {
    facts: F,
    contexts: C,
    bindings: B,
    leases: L,
}

/// The tables that have to do with leases. Readers of names need none of them.
pub(super) struct Leases<'t> {
    leases: Table<'t, u64, u32>,
    leased: Table<'t, &'static [u8], u64>,
    by_lease: Table<'t, &'static [u8], ()>,
}

type Facts<'t> = Table<'t, &'static str, u64>;
type Contexts<'t> = Table<'t, u64, ()>;
type Bindings<'t> = Table<'t, &'static [u8], &'static [u8]>;

/// The tables of one state of the file.
pub(super) type Snapshot = Tables<
    ReadOnlyTable<&'static str, u64>,
    ReadOnlyTable<u64, ()>,
    ReadOnlyTable<&'static [u8], &'static [u8]>,
>;

/// The tables in a transaction; those that are not there yet are made.
pub(super) type Writable<'t> = Tables<Facts<'t>, Contexts<'t>, Bindings<'t>, Leases<'t>>;

impl Snapshot {
    pub(super) fn open(transaction: &ReadTransaction) -> Result<Self, redb::Error> {
        Ok(Self {
            facts: transaction.open_table(FACTS)?,
            contexts: transaction.open_table(CONTEXTS)?,
            bindings: transaction.open_table(BINDINGS)?,
            leases: (),
        })
    }
}

/// The leases in a state of the file; none in one that was made before there were leases.
pub(super) fn leases(transaction: &ReadTransaction) -> Result<Vec<Lease>, redb::Error> {
    let table = match transaction.open_table(LEASES) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut leases = Vec::new();
    for found in table.iter()? {
        let (id, seconds) = found?;
        leases.push(Lease {
            id: LeaseId(id.value()),
            seconds: seconds.value(),
        });
    }
    Ok(leases)
}

impl<'t> Writable<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, redb::Error> {
        Ok(Self {
            facts: transaction.open_table(FACTS)?,
            contexts: transaction.open_table(CONTEXTS)?,
            bindings: transaction.open_table(BINDINGS)?,
            leases: Leases {
                leases: transaction.open_table(LEASES)?,
                leased: transaction.open_table(LEASED)?,
                by_lease: transaction.open_table(BY_LEASE)?,
            },
        })
    }

    /// Notes what tells this file from others.
    pub(super) fn found(&mut self, tree: u64) -> Result<(), redb::Error> {
        self.facts.insert(FORMAT_FACT, FORMAT)?;
        self.facts.insert(TREE_FACT, tree)?;
        Ok(())
    }
}

impl<F: ReadableTable<&'static str, u64>, C, B, L> Tables<F, C, B, L> {
    /// Returns a fact about the file.
    pub(super) fn fact(&self, name: &'static str) -> Result<Option<u64>, redb::Error> {
        let value = self.facts.get(name)?;
        Ok(value.map(|value| value.value()))
    }
}

/// The key of a binding in its table.
fn place(context: ContextId, key: &[u8]) -> Vec<u8> {
    let mut place = Vec::with_capacity(size_of::<u64>() + key.len());
    place.extend_from_slice(&context.0.to_be_bytes());
    place.extend_from_slice(key);
    place
}

/// A fault of redb's, in words.
pub(super) fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError::new(error.into().to_string())
}

impl<F, C, B, L> View for Tables<F, C, B, L>
where
    C: ReadableTable<u64, ()>,
    B: ReadableTable<&'static [u8], &'static [u8]>,
{
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError> {
        Ok(context == ContextId::ROOT || self.contexts.get(context.0).map_err(failed)?.is_some())
    }

    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError> {
        let place = place(context, key.as_octets());
        let found = self.bindings.get(place.as_slice()).map_err(failed)?;
        found.map(|value| decoded(value.value())).transpose()
    }

    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let prefix = context.0.to_be_bytes();
        // Nothing lies between a key and the same key with NUL behind it.
        let start = match after {
            Some(key) => [&place(context, key.as_octets())[..], &[0]].concat(),
            None => prefix.to_vec(),
        };
        let mut entries = Vec::new();
        let mut octets = 0;
        for found in self.bindings.range(start.as_slice()..).map_err(failed)? {
            let (place, bound) = found.map_err(failed)?;
            let Some(key) = place.value().strip_prefix(&prefix[..]) else {
                break;
            };
            if entries.len() >= max_entries || octets >= max_octets {
                break;
            }
            octets += key.len();
            entries.push(Entry {
                key: Key::from_octets(key),
                is_context: is_context(bound.value()),
            });
        }
        Ok(entries)
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        Ok(Totals {
            contexts: self.contexts.len().map_err(failed)?,
            bindings: self.bindings.len().map_err(failed)?,
        })
    }
}

impl Leases<'_> {
    /// Parts a binding from its lease.
    fn part(&mut self, place: &[u8]) -> Result<(), StoreError> {
        let lease = self.leased.remove(place).map_err(failed)?;
        let Some(lease) = lease.map(|lease| lease.value()) else {
            return Ok(());
        };
        let entry = [&lease.to_be_bytes()[..], place].concat();
        self.by_lease.remove(entry.as_slice()).map_err(failed)?;
        Ok(())
    }

    fn join(&mut self, place: &[u8], lease: LeaseId) -> Result<(), StoreError> {
        self.leased.insert(place, lease.0).map_err(failed)?;
        let entry = [&lease.0.to_be_bytes()[..], place].concat();
        self.by_lease.insert(entry.as_slice(), ()).map_err(failed)?;
        Ok(())
    }

    /// The places of the bindings that end with a lease.
    fn places(&self, lease: LeaseId) -> Result<Vec<Vec<u8>>, StoreError> {
        let prefix = lease.0.to_be_bytes();
        let mut places = Vec::new();
        for found in self.by_lease.range(&prefix[..]..).map_err(failed)? {
            let (entry, ()) = found.map(|(entry, _)| (entry, ())).map_err(failed)?;
            let Some(place) = entry.value().strip_prefix(&prefix[..]) else {
                break;
            };
            places.push(place.to_vec());
        }
        Ok(places)
    }
}

impl Transaction for Writable<'_> {
    fn bind(
        &mut self,
        context: ContextId,
        key: &Key,
        bound: &Bound,
        lease: Option<LeaseId>,
    ) -> Result<(), StoreError> {
        let place = place(context, key.as_octets());
        self.leases.part(&place)?;
        if let Some(lease) = lease {
            self.leases.join(&place, lease)?;
        }
        let bound = encoded(bound);
        let bound = bound.as_slice();
        self.bindings
            .insert(place.as_slice(), bound)
            .map_err(failed)?;
        Ok(())
    }

    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError> {
        let place = place(context, key.as_octets());
        self.leases.part(&place)?;
        self.bindings.remove(place.as_slice()).map_err(failed)?;
        Ok(())
    }

    fn create_context(&mut self) -> Result<ContextId, StoreError> {
        let last = self.fact(LAST_CONTEXT_FACT).map_err(failed)?;
        let number = last.unwrap_or_default() + 1;
        self.facts
            .insert(LAST_CONTEXT_FACT, number)
            .map_err(failed)?;
        self.contexts.insert(number, ()).map_err(failed)?;
        Ok(ContextId(number))
    }

    fn remove_context(&mut self, context: ContextId) -> Result<(), StoreError> {
        self.contexts.remove(context.0).map_err(failed)?;
        Ok(())
    }

    fn has_lease(&self, lease: LeaseId) -> Result<bool, StoreError> {
        let found = self.leases.leases.get(lease.0).map_err(failed)?;
        Ok(found.is_some())
    }

    fn lease_count(&self) -> Result<u64, StoreError> {
        self.leases.leases.len().map_err(failed)
    }

    fn create_lease(&mut self, seconds: u32) -> Result<Lease, StoreError> {
        let id = LeaseId(random());
        self.leases.leases.insert(id.0, seconds).map_err(failed)?;
        Ok(Lease { id, seconds })
    }

    fn end_lease(&mut self, lease: LeaseId) -> Result<(), StoreError> {
        for place in self.leases.places(lease)? {
            self.leases.part(&place)?;
            self.bindings.remove(place.as_slice()).map_err(failed)?;
        }
        self.leases.leases.remove(lease.0).map_err(failed)?;
        Ok(())
    }
}

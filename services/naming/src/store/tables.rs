//! The tables of a file of names, format 1.

use redb::{
    ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction,
};

use super::{Bound, ContextId, Entry, Key, StoreError, Totals, Transaction, View};

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

pub(super) const FORMAT_FACT: &str = "format";
pub(super) const TREE_FACT: &str = "tree";
const LAST_CONTEXT_FACT: &str = "last context";

const OBJECT: u8 = 0;
const CONTEXT: u8 = 1;
const ELSEWHERE: u8 = 2;

/// The tables, to be read or to be written.
pub(super) struct Tables<F, C, B> {
    facts: F,
    contexts: C,
    bindings: B,
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
pub(super) type Writable<'t> = Tables<Facts<'t>, Contexts<'t>, Bindings<'t>>;

impl Snapshot {
    pub(super) fn open(transaction: &ReadTransaction) -> Result<Self, redb::Error> {
        Ok(Self {
            facts: transaction.open_table(FACTS)?,
            contexts: transaction.open_table(CONTEXTS)?,
            bindings: transaction.open_table(BINDINGS)?,
        })
    }
}

impl<'t> Writable<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, redb::Error> {
        Ok(Self {
            facts: transaction.open_table(FACTS)?,
            contexts: transaction.open_table(CONTEXTS)?,
            bindings: transaction.open_table(BINDINGS)?,
        })
    }

    /// Notes what tells this file from others.
    pub(super) fn found(&mut self, tree: u64) -> Result<(), redb::Error> {
        self.facts.insert(FORMAT_FACT, FORMAT)?;
        self.facts.insert(TREE_FACT, tree)?;
        Ok(())
    }
}

impl<F: ReadableTable<&'static str, u64>, C, B> Tables<F, C, B> {
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

fn encoded(bound: &Bound) -> Vec<u8> {
    let (tag, octets) = match bound {
        Bound::Object(reference) => (OBJECT, &reference[..]),
        Bound::Context(context) => (CONTEXT, &context.0.to_be_bytes()[..]),
        Bound::Elsewhere(reference) => (ELSEWHERE, &reference[..]),
    };
    let mut encoded = Vec::with_capacity(octets.len() + 1);
    encoded.push(tag);
    encoded.extend_from_slice(octets);
    encoded
}

fn decoded(octets: &[u8]) -> Result<Bound, StoreError> {
    let damaged = || StoreError::new("it is damaged: a binding has no known form");
    match octets.split_first() {
        Some((&OBJECT, reference)) => Ok(Bound::Object(reference.to_vec())),
        Some((&ELSEWHERE, reference)) => Ok(Bound::Elsewhere(reference.to_vec())),
        Some((&CONTEXT, number)) => {
            let number = number.try_into().map_err(|_| damaged())?;
            Ok(Bound::Context(ContextId(u64::from_be_bytes(number))))
        }
        _ => Err(damaged()),
    }
}

/// A fault of redb's, in words.
pub(super) fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError::new(error.into().to_string())
}

impl<F, C, B> View for Tables<F, C, B>
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
                is_context: bound.value().first() != Some(&OBJECT),
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

impl Transaction for Writable<'_> {
    fn bind(&mut self, context: ContextId, key: &Key, bound: &Bound) -> Result<(), StoreError> {
        let place = place(context, key.as_octets());
        let bound = encoded(bound);
        let bound = bound.as_slice();
        self.bindings
            .insert(place.as_slice(), bound)
            .map_err(failed)?;
        Ok(())
    }

    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError> {
        let place = place(context, key.as_octets());
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
}

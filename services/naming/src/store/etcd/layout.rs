//! The keys of the store in etcd, format 1.
//!
//! | key behind the prefix | value |
//! |---|---|
//! | `format` | the number of the format, in decimal |
//! | `tree` | the number of the tree, 8 octets, big-endian |
//! | `c/CONTEXT` | nothing: there is this context |
//! | `b/CONTEXT/KEY` | a binding, in the encoding of files |
//! | `l/LEASE` | nothing: there is this lease |
//! | `r/LEASE` | the last transaction of a replica, 8 octets, and its addresses |
//!
//! Numbers in keys are 16 hexadecimal digits, so that their order is that of the keys.

use super::super::{ContextId, Key, LeaseId};

pub(super) const FORMAT: &[u8] = b"1";

/// The keys of one tree.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    prefix: Vec<u8>,
}

impl Layout {
    pub(super) fn new(prefix: &str) -> Self {
        let prefix = prefix.as_bytes().to_vec();
        Self { prefix }
    }

    fn key(&self, rest: &[u8]) -> Vec<u8> {
        [&self.prefix[..], rest].concat()
    }

    pub(super) fn format(&self) -> Vec<u8> {
        self.key(b"format")
    }

    pub(super) fn tree(&self) -> Vec<u8> {
        self.key(b"tree")
    }

    pub(super) fn contexts(&self) -> Vec<u8> {
        self.key(b"c/")
    }

    pub(super) fn context(&self, context: ContextId) -> Vec<u8> {
        self.key(format!("c/{:016x}", context.0).as_bytes())
    }

    pub(super) fn bindings(&self) -> Vec<u8> {
        self.key(b"b/")
    }

    pub(super) fn entries(&self, context: ContextId) -> Vec<u8> {
        self.key(format!("b/{:016x}/", context.0).as_bytes())
    }

    pub(super) fn binding(&self, context: ContextId, key: &Key) -> Vec<u8> {
        let mut place = self.entries(context);
        place.extend_from_slice(key.as_octets());
        place
    }

    pub(super) fn leases(&self) -> Vec<u8> {
        self.key(b"l/")
    }

    pub(super) fn lease(&self, lease: LeaseId) -> Vec<u8> {
        self.key(format!("l/{:016x}", lease.0).as_bytes())
    }

    pub(super) fn replicas(&self) -> Vec<u8> {
        self.key(b"r/")
    }

    /// The key of the replica with this lease of etcd.
    pub(super) fn replica(&self, lease: i64) -> Vec<u8> {
        self.key(format!("r/{:016x}", lease.cast_unsigned()).as_bytes())
    }

    /// The context or the binding that a key is of.
    pub(super) fn place(&self, key: &[u8]) -> Option<Place> {
        let rest = key.strip_prefix(&self.prefix[..])?;
        if let Some(number) = rest.strip_prefix(b"c/") {
            return Some(Place::Context(ContextId(number_of(number)?)));
        }
        let (number, rest) = rest.strip_prefix(b"b/")?.split_at_checked(16)?;
        let key = Key::from_octets(rest.strip_prefix(b"/")?);
        Some(Place::Binding(ContextId(number_of(number)?), key))
    }
}

/// The thing that a key of the store is of.
pub(super) enum Place {
    Context(ContextId),
    Binding(ContextId, Key),
}

fn number_of(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// The end of the range of all keys that begin with `prefix`.
pub(super) fn range_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    // There is no end: etcd has one NUL for that.
    vec![0]
}

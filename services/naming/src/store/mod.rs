//! The places where a naming service keeps its names.
//!
//! A [`Store`] holds one tree of contexts: numbered tables in which a component of a name leads to
//! an object, to another context, or to a context of another service. It answers from snapshots
//! ([`Store::read`]) and carries out changes one after the other ([`Store::change`]); a change is
//! done as a whole or not at all, and is as durable as the store when `change` returns.
//!
//! - [`MemoryStore`] keeps names until the process ends;
//! - [`FileStore`] keeps them in a file, and a change is on disk when it returns;
//! - `EtcdStore` (feature `etcd`) keeps them in etcd, for any number of services at once.
//!
//! All stores share the rules of names ([`resolve`], [`apply`]), and pass the same tests
//! (`tests/it/store.rs`).

mod change;
mod encoding;
mod error;
#[cfg(feature = "etcd")]
pub mod etcd;
mod file;
mod group_commit;
mod key;
mod leases;
mod memory;
mod tables;
mod walk;

use std::fmt;

pub use change::{Answer, Change, Done, apply};
pub use error::StoreError;
#[cfg(feature = "etcd")]
pub use etcd::EtcdStore;
pub use file::FileStore;
pub use key::Key;
pub use leases::{Lease, LeaseId};
pub use memory::MemoryStore;
pub use walk::{Refusal, Why, resolve};

/// The number of a context in its store. No number is given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(pub u64);

impl ContextId {
    /// The root context, which every store has and which cannot be ended.
    pub const ROOT: Self = Self(0);
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "context {}", self.0)
    }
}

/// The thing to which a name is bound. References are octets that the store does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// An object, which names do not lead through.
    Object(Vec<u8>),
    /// A context of the same store.
    Context(ContextId),
    /// A context of another service.
    Elsewhere(Vec<u8>),
}

impl Bound {
    /// Whether names can lead through it.
    pub fn is_context(&self) -> bool {
        !matches!(self, Self::Object(_))
    }
}

/// An entry of a context, as a list of it shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The component that is bound.
    pub key: Key,
    /// Whether it is bound to a context.
    pub is_context: bool,
}

/// The number of contexts, without the root, and of bindings in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// The number of contexts besides the root.
    pub contexts: u64,
    /// The number of bindings in all contexts.
    pub bindings: u64,
}

/// The size to which a store may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreLimits {
    /// The most contexts besides the root.
    pub max_contexts: u64,
    /// The most bindings in all contexts.
    pub max_bindings: u64,
    /// The most leases.
    pub max_leases: u64,
}

impl StoreLimits {
    /// No limits.
    pub const NONE: Self = Self {
        max_contexts: u64::MAX,
        max_bindings: u64::MAX,
        max_leases: u64::MAX,
    };
}

/// One state of a store.
pub trait View {
    /// Whether there is a context with this number.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn has_context(&self, context: ContextId) -> Result<bool, StoreError>;

    /// Returns the thing to which a component is bound; none also where there is no such context.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn bound(&self, context: ContextId, key: &Key) -> Result<Option<Bound>, StoreError>;

    /// Returns the entries behind `after`, or the first ones, in the order of their keys: at most
    /// `max_entries`, and no more than one beyond `max_octets` of keys.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn entries(
        &self,
        context: ContextId,
        after: Option<&Key>,
        max_entries: usize,
        max_octets: usize,
    ) -> Result<Vec<Entry>, StoreError>;

    /// Whether a context has no entries.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn is_empty(&self, context: ContextId) -> Result<bool, StoreError> {
        Ok(self.entries(context, None, 1, 1)?.is_empty())
    }

    /// Returns how much there is.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn totals(&self) -> Result<Totals, StoreError>;
}

/// A state of a store that is being changed.
pub trait Transaction: View {
    /// Binds a component, in place of its binding if there is one. The new binding ends with
    /// `lease`, or with none, whatever was so with the binding before it.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; then nothing of the transaction is done.
    fn bind(
        &mut self,
        context: ContextId,
        key: &Key,
        bound: &Bound,
        lease: Option<LeaseId>,
    ) -> Result<(), StoreError>;

    /// Removes a binding.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    fn unbind(&mut self, context: ContextId, key: &Key) -> Result<(), StoreError>;

    /// Makes an empty context.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    fn create_context(&mut self) -> Result<ContextId, StoreError>;

    /// Ends a context, which is empty.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    fn remove_context(&mut self, context: ContextId) -> Result<(), StoreError>;

    /// Whether there is a lease with this number.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn has_lease(&self, lease: LeaseId) -> Result<bool, StoreError>;

    /// Returns the number of leases.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn lease_count(&self) -> Result<u64, StoreError>;

    /// Makes a lease, which ends after some seconds unless it is renewed.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    fn create_lease(&mut self, seconds: u32) -> Result<Lease, StoreError>;

    /// Ends a lease, and removes its bindings.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    fn end_lease(&mut self, lease: LeaseId) -> Result<(), StoreError>;
}

/// A keeper of names.
pub trait Store: Send + Sync + 'static {
    /// Returns a number that tells this tree of contexts from others: references of contexts
    /// carry it, so that those of another tree lead nowhere.
    fn tree(&self) -> u64;

    /// Shows one state, in which every change is that had been answered before.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, and those of `query`.
    fn read(
        &self,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Carries out a change, or nothing of it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written. [`StoreError::may_be_done`] says whether the
    /// change may be there all the same.
    fn change(&self, change: Change, limits: StoreLimits) -> Result<Answer, StoreError>;

    /// Begins the time of a lease anew, and returns the lease; none if there is no such lease, or
    /// it has ended.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written.
    fn renew_lease(&self, lease: LeaseId) -> Result<Option<Lease>, StoreError>;
}

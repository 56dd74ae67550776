//! The limits and time-outs of a naming service.

use std::time::Duration;

use taut::PeerNetwork;

use crate::store::StoreLimits;

/// The limits and time-outs of a naming service, and whether clients may change names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceSettings {
    /// Whether every change is refused with NO_PERMISSION.
    pub is_read_only: bool,
    /// Where clients must be to change names, by the addresses of their connections; those elsewhere
    /// are refused with NO_PERMISSION. None, the default: anywhere. A client in the process of
    /// the service may always.
    pub allow_changes_from: Option<Vec<PeerNetwork>>,
    /// The most components of a name; more are refused with IMP_LIMIT.
    pub max_name_components: usize,
    /// The most octets of a component, its id and its kind together, in UTF-8; more are refused
    /// with IMP_LIMIT.
    pub max_component_octets: usize,
    /// The most octets of a reference that is bound; more are refused with IMP_LIMIT.
    pub max_reference_octets: usize,
    /// The most contexts besides the root; further ones are refused with IMP_LIMIT.
    pub max_contexts: u64,
    /// The most bindings in all contexts; further ones are refused with IMP_LIMIT.
    pub max_bindings: u64,
    /// The most leases; further ones are refused with IMP_LIMIT.
    pub max_leases: u64,
    /// The longest time of a lease in seconds; a client that asks for more gets as much.
    pub max_lease_seconds: u32,
    /// The most entries in one reply of `list` and `next_n`, whatever the client asks for.
    pub max_list_entries: usize,
    /// The most octets of names in one reply of `list` and `next_n`, but for the last name.
    pub max_list_octets: usize,
    /// The most binding iterators; a further one takes the place of that which has not been used
    /// for the longest time.
    pub max_iterators: usize,
    /// The time after which a binding iterator that nobody uses is ended.
    pub iterator_timeout: Duration,
    /// The time that a naming service has to answer which a name leads on to.
    pub federation_timeout: Duration,
    /// The most naming services of Taut that a name may lead through; at the next one its
    /// resolution ends with CannotProceed.
    pub max_federation_hops: u32,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            is_read_only: false,
            allow_changes_from: None,
            max_name_components: 128,
            max_component_octets: 4096,
            max_reference_octets: 1 << 16,
            max_contexts: 10_000_000,
            max_bindings: 100_000_000,
            max_leases: 100_000,
            max_lease_seconds: 86_400,
            max_list_entries: 10_000,
            max_list_octets: 1 << 20,
            max_iterators: 1000,
            iterator_timeout: Duration::from_secs(300),
            federation_timeout: Duration::from_secs(10),
            max_federation_hops: 16,
        }
    }
}

impl ServiceSettings {
    pub(super) fn store_limits(&self) -> StoreLimits {
        StoreLimits {
            max_contexts: self.max_contexts,
            max_bindings: self.max_bindings,
            max_leases: self.max_leases,
        }
    }
}

//! The object reference.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use taut_giop::Ior;
use taut_giop::ior::TaggedProfile;

use super::{BindingCell, Interface, whereabouts};
use crate::core::OrbCore;
use crate::settings::CollocationStrategy;
use crate::settings::{SyncScope, WaitStrategy};
use crate::transport::Address;

/// A reference to an object, wherever it is and whatever its interface.
///
/// Cloning is cheap: clones share the binding, that is the knowledge of where
/// the object was last found. The operations that every object has (`is_a`,
/// `non_existent`, `narrow`) are methods here, so that no IDL operation can
/// clash with them. Nil is `None`.
///
/// Two references are equal when they say the same: type id, profiles and components
/// are compared by what they mean, not by byte order and padding, and octet for octet
/// where they are of a kind that is not understood. Whether two references that say
/// different things lead to the same object is a question that CORBA leaves open
/// (CORBA 3.3 part 1, 8.3.6).
#[derive(Clone)]
pub struct ObjectRef {
    shared: Arc<Shared>,
}

/// What calls need comes last.
#[repr(C)]
struct Shared {
    ior: Ior,
    /// Where requests go.
    binding: BindingCell,
    policies: Policies,
    core: Arc<OrbCore>,
}

/// How calls through a reference are made.
#[derive(Clone, Copy)]
struct Policies {
    /// What oneways wait for.
    sync_scope: SyncScope,
    /// How replies are waited for.
    wait_strategy: WaitStrategy,
    /// How objects of this process are called.
    collocation: CollocationStrategy,
}

/// A reference to objects of one interface; generated code implements it for
/// each `…Ref` type.
pub trait Reference: Clone + Sized {
    /// The interface.
    const INTERFACE: &'static Interface;

    /// Takes an object for one of this interface without asking it.
    fn from_object(object: ObjectRef) -> Self;

    /// The untyped reference.
    fn as_object(&self) -> &ObjectRef;

    /// The untyped reference.
    fn into_object(self) -> ObjectRef;

    /// A reference to the same object whose oneways wait for something else.
    #[must_use]
    fn with_sync_scope(&self, sync_scope: SyncScope) -> Self {
        Self::from_object(self.as_object().with_sync_scope(sync_scope))
    }

    /// A reference to the same object whose calls wait for their replies in another way.
    #[must_use]
    fn with_wait_strategy(&self, wait_strategy: WaitStrategy) -> Self {
        Self::from_object(self.as_object().with_wait_strategy(wait_strategy))
    }

    /// A reference to the same object that calls it otherwise if it is in this
    /// process.
    #[must_use]
    fn with_collocation(&self, collocation: CollocationStrategy) -> Self {
        Self::from_object(self.as_object().with_collocation(collocation))
    }
}

impl ObjectRef {
    pub(crate) fn new(core: Arc<OrbCore>, ior: Ior) -> Self {
        let policies = Policies {
            sync_scope: core.settings.sync_scope,
            wait_strategy: core.settings.wait_strategy,
            collocation: core.settings.collocation,
        };
        Self::with_policies(core, ior, policies)
    }

    fn with_policies(core: Arc<OrbCore>, ior: Ior, policies: Policies) -> Self {
        Self {
            shared: Arc::new(Shared {
                core,
                ior,
                binding: BindingCell::new(policies.collocation),
                policies,
            }),
        }
    }

    /// The memory that a reference takes beyond the octets of its parts, in octets.
    pub(super) fn memory(ior: &Ior) -> usize {
        let counts = 2 * size_of::<usize>();
        counts + size_of::<Shared>() + ior.profiles.capacity() * size_of::<TaggedProfile>()
    }

    /// A reference to the same object whose oneways wait for something else
    /// (the standard's policy `SyncScopePolicy`, CORBA 3.3 part 1, 17.4.2).
    #[must_use]
    pub fn with_sync_scope(&self, sync_scope: SyncScope) -> Self {
        let mut policies = self.shared.policies;
        policies.sync_scope = sync_scope;
        Self::with_policies(Arc::clone(self.core()), self.ior().clone(), policies)
    }

    /// A reference to the same object whose calls wait for their replies in another way.
    /// How long is [`Settings::spin_time`](crate::Settings::spin_time) of the ORB.
    #[must_use]
    pub fn with_wait_strategy(&self, wait_strategy: WaitStrategy) -> Self {
        let mut policies = self.shared.policies;
        policies.wait_strategy = wait_strategy;
        Self::with_policies(Arc::clone(self.core()), self.ior().clone(), policies)
    }

    /// How calls wait for their replies.
    pub fn wait_strategy(&self) -> WaitStrategy {
        self.shared.policies.wait_strategy
    }

    /// A reference to the same object that calls it otherwise if it is in this
    /// process.
    #[must_use]
    pub fn with_collocation(&self, collocation: CollocationStrategy) -> Self {
        let policies = Policies {
            collocation,
            ..self.shared.policies
        };
        Self::with_policies(Arc::clone(self.core()), self.ior().clone(), policies)
    }

    /// How the object is called if it is in this process.
    #[inline]
    pub fn collocation(&self) -> CollocationStrategy {
        self.shared.policies.collocation
    }

    /// What oneways wait for.
    #[inline]
    pub fn sync_scope(&self) -> SyncScope {
        self.shared.policies.sync_scope
    }

    /// The interoperable object reference: type id and profiles.
    pub fn ior(&self) -> &Ior {
        &self.shared.ior
    }

    /// The repository id that the reference carries; empty when it does not say.
    pub fn type_id(&self) -> &str {
        &self.shared.ior.type_id
    }

    /// Takes the object for one of the interface `R` without asking it.
    pub fn unchecked_narrow<R: Reference>(&self) -> R {
        R::from_object(self.clone())
    }

    /// Whether both references certainly lead to the same object, as far as can be told
    /// without asking it (the standard's `_is_equivalent`, CORBA 3.3 part 1, 8.3.6.2):
    /// their profiles say the same. Type ids do not count, for a reference that was
    /// widened leads to the same object.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.ior().leads_to_same(other.ior())
    }

    /// A number from 0 to `maximum` that is the same for all references that are
    /// [equivalent](Self::is_equivalent), and does not change (the standard's
    /// `_hash`, CORBA 3.3 part 1, 8.3.6.1).
    pub fn hash_within(&self, maximum: u32) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.ior().hash_meaning(&mut hasher);
        (hasher.finish() % (u64::from(maximum) + 1)) as u32
    }

    /// Returns the addresses in the reference that this ORB would try, as text.
    #[cold]
    pub(crate) fn addresses(&self) -> Vec<String> {
        let (profiles, _) = whereabouts::of(self.ior(), self.core());
        let addresses = profiles.iter().flat_map(|(_, profile)| &profile.addresses);
        addresses.map(Address::to_string).collect()
    }

    #[inline]
    pub(crate) fn core(&self) -> &Arc<OrbCore> {
        &self.shared.core
    }

    #[inline]
    pub(crate) fn binding(&self) -> &BindingCell {
        &self.shared.binding
    }
}

impl PartialEq for ObjectRef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.ior().means_same(other.ior())
    }
}

impl Eq for ObjectRef {}

impl Hash for ObjectRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ior().hash_meaning(state);
    }
}

impl fmt::Debug for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectRef").field(&self.type_id()).finish()
    }
}

/// Writes the stringified reference, `IOR:` and hexadecimal digits.
impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.ior.fmt(f)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn what_a_call_needs_of_a_reference_is_side_by_side() {
        let first = offset_of!(Shared, binding) + BindingCell::NEEDED_BY_CALLS;
        assert!(size_of::<Shared>() - first <= 64);
    }
}

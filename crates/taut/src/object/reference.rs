//! The object reference.

#[cfg(feature = "full")]
mod overrides;

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use taut_giop::Ior;
use taut_giop::ior::TaggedProfile;

use super::{BindingCell, Interface, whereabouts};
use crate::core::OrbCore;
use crate::deadline::Deadline;
use crate::policy::PolicySet;
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

/// The fields that calls need come last.
#[repr(C)]
struct Shared {
    origin: Origin,
    /// Where requests go; never bound where the origin is another reference.
    binding: BindingCell,
    policies: Policies,
    core: Arc<OrbCore>,
}

/// Where a reference comes from.
enum Origin {
    /// From its own profiles.
    Ior(Ior),
    /// From another reference, with which it shares all but policies at which each call has
    /// to look. That one has an [`Ior`](Self::Ior).
    Reference {
        base: ObjectRef,
        /// How long its calls may take, if it says so itself.
        call_timeout: Option<Option<Duration>>,
        overrides: PolicySet,
    },
}

/// How calls through a reference are made.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Policies {
    /// The event that oneways wait for.
    sync_scope: SyncScope,
    /// How replies are waited for.
    wait_strategy: WaitStrategy,
    /// How objects of this process are called.
    collocation: CollocationStrategy,
    own: Own,
}

/// Which policies are the reference's own, and not its ORB's.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Own {
    sync_scope: bool,
    wait_strategy: bool,
    collocation: bool,
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

    /// A reference to the same object each of whose calls may take so much time in all;
    /// see [`ObjectRef::with_call_timeout`].
    #[must_use]
    fn with_call_timeout(&self, call_timeout: impl Into<Option<Duration>>) -> Self {
        Self::from_object(self.as_object().with_call_timeout(call_timeout))
    }

    /// A reference to the same object that calls it otherwise if it is in this
    /// process.
    #[must_use]
    fn with_collocation(&self, collocation: CollocationStrategy) -> Self {
        Self::from_object(self.as_object().with_collocation(collocation))
    }
}

impl Policies {
    /// Those of an ORB's references that have none of their own.
    fn of_orb(core: &OrbCore) -> Self {
        let collocation = match core.lifecycle.is_governed() {
            true => core.policies.collocation(),
            false => None,
        };
        Self {
            sync_scope: core.settings.client.sync_scope,
            wait_strategy: core.settings.wire.wait_strategy,
            collocation: collocation.unwrap_or(core.settings.client.collocation),
            own: Own::default(),
        }
    }

    /// A binding for such calls; of each may have to be looked at how (`is_apart`). Where
    /// interceptors take part, all are marshaled.
    fn binding(self, core: &OrbCore, is_apart: bool) -> BindingCell {
        match core.interception.makes_apart() {
            true => BindingCell::new(true, CollocationStrategy::Off),
            false => BindingCell::new(is_apart, self.collocation),
        }
    }
}

impl ObjectRef {
    pub(crate) fn new(core: Arc<OrbCore>, ior: Ior) -> Self {
        let policies = Policies::of_orb(&core);
        Self::from_ior(core, ior, policies)
    }

    fn from_ior(core: Arc<OrbCore>, ior: Ior, policies: Policies) -> Self {
        let is_limited = core.settings.client.call_timeout.is_some();
        Self {
            shared: Arc::new(Shared {
                binding: policies.binding(&core, is_limited),
                core,
                origin: Origin::Ior(ior),
                policies,
            }),
        }
    }

    /// The same reference with other policies.
    fn with_policies(&self, policies: Policies) -> Self {
        match &self.shared.origin {
            Origin::Ior(ior) => Self::from_ior(Arc::clone(self.core()), ior.clone(), policies),
            Origin::Reference {
                base,
                call_timeout,
                overrides,
            } => {
                let base = base.with_policies(policies);
                base.apart(*call_timeout, overrides.clone())
            }
        }
    }

    /// A reference to the same object each of whose calls is looked at.
    fn apart(&self, call_timeout: Option<Option<Duration>>, overrides: PolicySet) -> Self {
        let base = self.base().clone();
        let (core, policies) = (Arc::clone(base.core()), base.shared.policies);
        Self {
            shared: Arc::new(Shared {
                binding: policies.binding(&core, true),
                core,
                origin: Origin::Reference {
                    base,
                    call_timeout,
                    overrides,
                },
                policies,
            }),
        }
    }

    /// A reference to the same object each of whose calls may take so much time in all:
    /// then it ends with TIMEOUT, whatever it waits for ([`deadline`](crate::deadline)).
    /// It replaces [`ClientSettings::call_timeout`](crate::ClientSettings::call_timeout); `None` is no
    /// limit. (The standard's `RelativeRoundtripTimeoutPolicy`.)
    ///
    /// Both references share the knowledge of where the object was last found, and their
    /// connections.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use taut::ObjectRef;
    ///
    /// fn is_there(object: &ObjectRef) -> taut::Result<bool> {
    ///     let hasty = object.with_call_timeout(Duration::from_millis(200));
    ///     Ok(!hasty.non_existent()?)
    /// }
    /// ```
    #[must_use]
    pub fn with_call_timeout(&self, call_timeout: impl Into<Option<Duration>>) -> Self {
        let overrides = match &self.shared.origin {
            Origin::Ior(_) => PolicySet::EMPTY,
            Origin::Reference { overrides, .. } => overrides.clone(),
        };
        self.apart(Some(call_timeout.into()), overrides)
    }

    /// How long a call may take in all, by this reference or its ORB's settings; none: for
    /// ever.
    pub fn call_timeout(&self) -> Option<Duration> {
        self.own_call_timeout()
            .unwrap_or(self.core().settings.client.call_timeout)
    }

    /// How long a call may take in all, if the reference says so itself.
    pub(crate) fn own_call_timeout(&self) -> Option<Option<Duration>> {
        match &self.shared.origin {
            Origin::Ior(_) => None,
            Origin::Reference { call_timeout, .. } => *call_timeout,
        }
    }

    /// Returns the deadline of a call that begins now, by what the reference and its ORB's
    /// settings say.
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        let setting = match self.own_call_timeout() {
            None => "client.call_timeout",
            Some(_) => "with_call_timeout",
        };
        Deadline::after(self.call_timeout()?, setting)
    }

    /// The reference whose profiles and binding this one has.
    fn base(&self) -> &Self {
        match &self.shared.origin {
            Origin::Ior(_) => self,
            Origin::Reference { base, .. } => base,
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
        policies.own.sync_scope = true;
        self.with_policies(policies)
    }

    /// A reference to the same object whose calls wait for their replies in another way.
    /// How long is [`WireSettings::spin_time`](crate::WireSettings::spin_time) of the ORB.
    #[must_use]
    pub fn with_wait_strategy(&self, wait_strategy: WaitStrategy) -> Self {
        let mut policies = self.shared.policies;
        policies.wait_strategy = wait_strategy;
        policies.own.wait_strategy = true;
        self.with_policies(policies)
    }

    /// How calls wait for their replies.
    pub fn wait_strategy(&self) -> WaitStrategy {
        self.shared.policies.wait_strategy
    }

    /// A reference to the same object that calls it otherwise if it is in this
    /// process.
    #[must_use]
    pub fn with_collocation(&self, collocation: CollocationStrategy) -> Self {
        let mut policies = self.shared.policies;
        policies.collocation = collocation;
        policies.own.collocation = true;
        self.with_policies(policies)
    }

    /// How the object is called if it is in this process.
    #[inline]
    pub fn collocation(&self) -> CollocationStrategy {
        self.shared.policies.collocation
    }

    /// Returns the event that oneways wait for.
    #[inline]
    pub fn sync_scope(&self) -> SyncScope {
        self.shared.policies.sync_scope
    }

    /// The interoperable object reference: type id and profiles.
    pub fn ior(&self) -> &Ior {
        match &self.shared.origin {
            Origin::Ior(ior) => ior,
            Origin::Reference { base, .. } => base.ior(),
        }
    }

    /// The repository id that the reference carries; empty when it does not say.
    pub fn type_id(&self) -> &str {
        &self.ior().type_id
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
        let (profiles, _) = whereabouts::of(self.ior(), self.core(), None);
        let addresses = profiles.iter().flat_map(|(_, profile)| &profile.addresses);
        addresses.map(Address::to_string).collect()
    }

    #[inline]
    pub(crate) fn core(&self) -> &Arc<OrbCore> {
        &self.shared.core
    }

    /// Where the requests of this reference go, if nothing is to be looked at but that.
    #[inline]
    pub(crate) fn own_binding(&self) -> &BindingCell {
        &self.shared.binding
    }

    /// Where requests go, unless the reference has policies at which each call has to look.
    #[inline]
    pub(crate) fn binding_unless_overridden(&self) -> Option<&BindingCell> {
        match &self.shared.origin {
            Origin::Ior(_) => Some(&self.shared.binding),
            Origin::Reference {
                base, overrides, ..
            } => overrides.is_empty().then(|| base.binding()),
        }
    }

    /// Where requests go.
    pub(crate) fn binding(&self) -> &BindingCell {
        &self.base().shared.binding
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
        self.ior().fmt(f)
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

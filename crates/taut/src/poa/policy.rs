//! The policies of a POA (CORBA 3.3 part 1, 15.3.8).

#[cfg_attr(not(feature = "full"), path = "policy/servants_minimal.rs")]
mod servants;
#[cfg_attr(not(feature = "full"), path = "policy/told_absent.rs")]
mod told;

use taut_giop::component::TaggedComponent;

use super::PoaError;
use super::request_priorities::RequestPriorities;
use crate::object::Told;
#[cfg(feature = "full")]
use crate::policy::ThreadpoolPolicy;
pub(super) use crate::settings::PredictabilityPolicy;

pub(super) use servants::OnDemand;
pub use servants::{RequestProcessingPolicy, ServantRetentionPolicy};
#[cfg(feature = "full")]
pub(super) use told::component;

/// One policy of a POA, for [`Poa::create_poa`](super::Poa::create_poa). Each of
/// the types below converts into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Which threads run the servants.
    Thread(ThreadPolicy),
    /// How long references live.
    Lifespan(LifespanPolicy),
    /// How many objects a servant may incarnate.
    IdUniqueness(IdUniquenessPolicy),
    /// The side that chooses object ids.
    IdAssignment(IdAssignmentPolicy),
    /// Whether the POA remembers which servant incarnates which object.
    ServantRetention(ServantRetentionPolicy),
    /// Where the servant of a request comes from.
    RequestProcessing(RequestProcessingPolicy),
    /// Whether asking for a servant's reference activates it.
    ImplicitActivation(ImplicitActivationPolicy),
    /// Whether all that requests need is there before.
    Predictability(PredictabilityPolicy),
    /// The thread pool whose threads run the servants.
    #[cfg(feature = "full")]
    Threadpool(ThreadpoolPolicy),
}

/// Which threads run the servants of a POA (15.3.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ThreadPolicy {
    /// ORB_CTRL_MODEL: any thread of the ORB, many at once.
    #[default]
    OrbControlled,
    /// SINGLE_THREAD_MODEL: one at a time. A servant that calls an object of the same
    /// POA in its own thread (`CollocationStrategy`) has its turn already; a call that
    /// comes back from another process waits until the servant returns.
    SingleThread,
    /// MAIN_THREAD_MODEL: the thread that is in [`Orb::run`](crate::Orb::run) or
    /// [`Orb::perform_work`](crate::Orb::perform_work), which carries out one request
    /// at a time of all POAs with this policy. Requests wait for it, each in the thread
    /// that has received it; a shutdown refuses those that wait with TRANSIENT, OMG
    /// minor 4.
    ///
    /// A servant that calls an object of such a POA in the same process does not wait
    /// for itself; one whose call to another process comes back here does, for ever.
    MainThread,
}

/// How long the references of a POA live (15.3.8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LifespanPolicy {
    /// TRANSIENT: as long as the POA at the most.
    #[default]
    Transient,
    /// PERSISTENT: beyond it. A reference leads to whichever POA of the same name
    /// and server is at its address when it is used.
    Persistent,
}

/// How many objects a servant may incarnate at a time (15.3.8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IdUniquenessPolicy {
    /// UNIQUE_ID: one.
    #[default]
    UniqueId,
    /// MULTIPLE_ID: any number.
    MultipleId,
}

/// The side that chooses object ids (15.3.8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IdAssignmentPolicy {
    /// SYSTEM_ID: the POA.
    #[default]
    SystemId,
    /// USER_ID: the application.
    UserId,
}

/// Whether asking for an inactive servant's reference or id activates it
/// (15.3.8.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ImplicitActivationPolicy {
    /// NO_IMPLICIT_ACTIVATION: it does not.
    #[default]
    NoImplicitActivation,
    /// IMPLICIT_ACTIVATION: it does.
    ImplicitActivation,
}

/// The policies that the references of a POA tell.
#[derive(Default)]
pub(super) struct ToldPolicies {
    /// Their component, if there are some.
    pub(super) component: Option<TaggedComponent>,
    /// Those among them that say at which priorities the POA carries requests out.
    pub(super) priorities: Option<Box<RequestPriorities>>,
    /// The tags of the profiles, the best first, if the POA chooses among them.
    pub(super) protocols: Option<Box<[u32]>>,
}

impl ToldPolicies {
    /// The parts of a reference.
    pub(super) fn parts(&self) -> Told<'_> {
        Told {
            policies: self.component.as_ref(),
            protocols: self.protocols.as_deref(),
            ..Told::default()
        }
    }
}

/// All policies of a POA, each at its default or as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Policies {
    pub(super) thread: ThreadPolicy,
    pub(super) lifespan: LifespanPolicy,
    pub(super) id_uniqueness: IdUniquenessPolicy,
    pub(super) id_assignment: IdAssignmentPolicy,
    pub(super) servant_retention: ServantRetentionPolicy,
    pub(super) request_processing: RequestProcessingPolicy,
    pub(super) implicit_activation: ImplicitActivationPolicy,
    pub(super) predictability: PredictabilityPolicy,
    /// The number of the thread pool that was asked for.
    pub(super) pool: Option<u32>,
}

impl Policies {
    /// Those of the root POA: the defaults, with implicit activation (15.3.2).
    pub(super) const ROOT: Self = Self {
        thread: ThreadPolicy::OrbControlled,
        lifespan: LifespanPolicy::Transient,
        id_uniqueness: IdUniquenessPolicy::UniqueId,
        id_assignment: IdAssignmentPolicy::SystemId,
        servant_retention: ServantRetentionPolicy::Retain,
        request_processing: RequestProcessingPolicy::UseActiveObjectMapOnly,
        implicit_activation: ImplicitActivationPolicy::ImplicitActivation,
        predictability: PredictabilityPolicy::Flexible,
        pool: None,
    };

    /// Those of the root POA of an ORB whose POAs are predictable, or not.
    pub(super) fn of_root(predictability: PredictabilityPolicy) -> Self {
        Self {
            predictability,
            ..Self::ROOT
        }
    }

    /// The defaults, with these in their place; POAs are predictable, or not, unless these say
    /// so.
    ///
    /// # Errors
    ///
    /// [`PoaError::InvalidPolicy`] with the index of the first policy that is there
    /// for the second time, or with which those before it cannot be.
    pub(super) fn new(
        asked: &[Policy],
        predictability: PredictabilityPolicy,
    ) -> Result<Self, PoaError> {
        let mut policies = Self {
            predictability,
            implicit_activation: ImplicitActivationPolicy::NoImplicitActivation,
            ..Self::ROOT
        };
        for (index, policy) in asked.iter().enumerate() {
            let is_like =
                |other: &Policy| std::mem::discriminant(other) == std::mem::discriminant(policy);
            if asked[..index].iter().any(is_like) {
                return Err(PoaError::invalid_policy(index));
            }
            policies.set(*policy);
        }
        match policies.conflict() {
            None => Ok(policies),
            Some(conflict) => {
                let is_of_conflict = |policy: &Policy| conflict.contains(policy);
                let index = asked.iter().rposition(is_of_conflict).unwrap_or_default();
                Err(PoaError::invalid_policy(index))
            }
        }
    }

    fn set(&mut self, policy: Policy) {
        match policy {
            Policy::Thread(value) => self.thread = value,
            Policy::Lifespan(value) => self.lifespan = value,
            Policy::IdUniqueness(value) => self.id_uniqueness = value,
            Policy::IdAssignment(value) => self.id_assignment = value,
            Policy::ServantRetention(value) => self.servant_retention = value,
            Policy::RequestProcessing(value) => self.request_processing = value,
            Policy::ImplicitActivation(value) => self.implicit_activation = value,
            Policy::Predictability(value) => self.predictability = value,
            #[cfg(feature = "full")]
            Policy::Threadpool(value) => self.pool = Some(value.0.0),
        }
    }

    /// Policies that cannot be together, if these are (15.3.8).
    fn conflict(&self) -> Option<[Policy; 2]> {
        use ImplicitActivationPolicy::ImplicitActivation;

        if let Some(conflict) = self.conflict_of_servants() {
            return Some(conflict);
        }
        if let Some(waiting) = self.unpredictable() {
            return Some([PredictabilityPolicy::Predictable.into(), waiting]);
        }
        let assigns_none = self.id_assignment == IdAssignmentPolicy::UserId;
        (self.activates_implicitly() && assigns_none)
            .then(|| [ImplicitActivation.into(), IdAssignmentPolicy::UserId.into()])
    }

    /// The policy that a predictable POA cannot have, if these are of one and have it.
    fn unpredictable(&self) -> Option<Policy> {
        if !self.is_predictable() {
            return None;
        }
        match self.thread {
            ThreadPolicy::OrbControlled if self.uses_servant_manager() => {
                Some(self.request_processing.into())
            }
            ThreadPolicy::OrbControlled => None,
            waiting => Some(waiting.into()),
        }
    }

    pub(super) fn is_predictable(&self) -> bool {
        self.predictability == PredictabilityPolicy::Predictable
    }

    pub(super) fn assigns_ids(&self) -> bool {
        self.id_assignment == IdAssignmentPolicy::SystemId
    }

    pub(super) fn has_unique_ids(&self) -> bool {
        self.id_uniqueness == IdUniquenessPolicy::UniqueId
    }

    pub(super) fn activates_implicitly(&self) -> bool {
        self.implicit_activation == ImplicitActivationPolicy::ImplicitActivation
    }

    pub(super) fn is_persistent(&self) -> bool {
        self.lifespan == LifespanPolicy::Persistent
    }
}

macro_rules! conversions {
    ($($variant:ident($name:ident)),+) => {$(
        impl From<$name> for Policy {
            fn from(value: $name) -> Self {
                Self::$variant(value)
            }
        }
    )+};
}

conversions!(
    Thread(ThreadPolicy),
    Lifespan(LifespanPolicy),
    IdUniqueness(IdUniquenessPolicy),
    IdAssignment(IdAssignmentPolicy),
    ImplicitActivation(ImplicitActivationPolicy),
    Predictability(PredictabilityPolicy)
);
#[cfg(feature = "full")]
conversions!(Threadpool(ThreadpoolPolicy));

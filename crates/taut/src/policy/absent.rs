//! Policies in the shape `minimal`: there are none beside the settings, and what methods of
//! references and of calls say.

use taut_giop::Limits;
use taut_giop::component::TaggedComponent;

use crate::settings::CollocationStrategy;

/// The policies of one level: none.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicySet {}

impl PolicySet {
    /// Without any.
    pub(crate) const EMPTY: Self = Self {};

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        true
    }
}

/// The policies of an ORB: none.
#[derive(Debug, Default)]
pub(crate) struct OrbPolicies {}

impl OrbPolicies {
    /// How objects of this process are called, if the ORB has a policy for it: it has none.
    pub(crate) const fn collocation(&self) -> Option<CollocationStrategy> {
        None
    }
}

/// The priorities that a reference tells: none.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToldPriorities {}

impl ToldPriorities {
    /// False: nothing is told.
    #[allow(clippy::unused_self, reason = "as in the shape `full`")]
    pub(crate) const fn is_some(&self) -> bool {
        false
    }

    /// False: requests tell no priorities.
    #[allow(clippy::unused_self, reason = "as in the shape `full`")]
    pub(crate) const fn are_propagated(&self) -> bool {
        false
    }
}

/// None: calls have no priorities.
pub(crate) const fn told_priorities(_: &TaggedComponent, _: &Limits) -> ToldPriorities {
    ToldPriorities {}
}

/// False: requests tell no deadlines.
pub(crate) const fn asks_for_deadlines(_: &TaggedComponent, _: &Limits) -> bool {
    false
}

//! The ways to an object in the shape `minimal`: there is one.

use super::Binding;
use crate::policy::ToldPriorities;
use crate::priority::Priority;

/// The ways of a binding, beside its own: none.
#[derive(Debug, Default)]
pub(super) struct Ways {}

/// The lane of an endpoint: none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lane;

impl Lane {
    pub(super) const fn of(_: Option<Priority>) -> Self {
        Self
    }
}

#[allow(clippy::unused_self, reason = "as in the shape `full`")]
impl Ways {
    pub(super) const fn new(_: ToldPriorities) -> Self {
        Self {}
    }

    pub(super) fn change(&self, _: impl Fn(&Binding) -> bool) -> bool {
        false
    }
}

impl Binding {
    /// False: there is one way.
    #[allow(clippy::unused_self, reason = "as in the shape `full`")]
    pub(crate) const fn has_several_ways(&self) -> bool {
        false
    }
}

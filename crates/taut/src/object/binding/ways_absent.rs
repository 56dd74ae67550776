//! The ways to an object in the shape `minimal`: there is one.

use std::iter;
use std::sync::OnceLock;

use super::Binding;
use crate::policy::ToldPriorities;

/// The ways of a binding, beside its own: none.
#[derive(Debug)]
pub(super) enum Ways {}

impl Ways {
    pub(super) const fn new(_: ToldPriorities) -> OnceLock<Box<Self>> {
        OnceLock::new()
    }

    pub(super) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        iter::empty()
    }
}

impl Binding {
    /// False: there is one way.
    #[allow(clippy::unused_self, reason = "as in the shape `full`")]
    pub(crate) const fn has_several_ways(&self) -> bool {
        false
    }
}

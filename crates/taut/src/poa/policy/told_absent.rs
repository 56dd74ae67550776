//! The policies that references tell clients, in the shape `minimal`: there are none.

use crate::core::OrbCore;
use crate::object::Told;
use crate::poa::{Poa, PoaError};

/// The policies that the references of a POA tell: none.
#[derive(Default)]
pub(in crate::poa) struct ToldPolicies;

impl ToldPolicies {
    pub(in crate::poa) const fn of_root(_: &OrbCore) -> Self {
        Self
    }

    #[allow(clippy::unused_self, reason = "as in the shape `full`")]
    pub(in crate::poa) fn parts(&self) -> Told<'_> {
        Told::default()
    }
}

impl Poa {
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as in the shape `full`"
    )]
    pub(in crate::poa) const fn told_by_orb(&self) -> Result<ToldPolicies, PoaError> {
        Ok(ToldPolicies)
    }
}

//! The policies that references tell clients, in the shape `minimal`: there are none.

use super::ToldPolicies;
use crate::core::OrbCore;
use crate::poa::{Poa, PoaError};

impl ToldPolicies {
    pub(in crate::poa) const fn of_root(_: &OrbCore) -> Self {
        Self {
            component: None,
            priorities: None,
            protocols: None,
        }
    }
}

impl Poa {
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as in the shape `full`"
    )]
    pub(in crate::poa) const fn told_by_orb(&self) -> Result<ToldPolicies, PoaError> {
        Ok(ToldPolicies {
            component: None,
            priorities: None,
            protocols: None,
        })
    }
}

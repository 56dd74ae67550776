//! The policies that references tell clients, in the shape `minimal`: there are none.

use super::ToldPolicies;
use crate::core::OrbCore;
use crate::poa::PoaError;

/// None: there are none to tell.
#[allow(clippy::unnecessary_wraps, reason = "the shape `full` may fail")]
pub(in crate::poa) const fn told_by_orb(_: &OrbCore) -> Result<ToldPolicies, PoaError> {
    Ok(ToldPolicies {
        component: None,
        priorities: None,
    })
}

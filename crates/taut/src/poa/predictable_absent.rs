//! Predictable POAs in the shape `minimal`: there are none, and none is sealed.

use super::{ObjectId, Poa, PoaError};

/// The references to objects that are not active, of which nobody wants to know.
#[derive(Debug, Default)]
pub(super) struct Promises {}

/// Held while POAs of an ORB are sealed, which does not happen.
#[derive(Debug, Default)]
pub(super) struct Sealing {}

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as in the shape `full`"
)]
impl Poa {
    pub(super) const fn promise(&self, _: &ObjectId) -> Result<(), PoaError> {
        Ok(())
    }

    pub(super) const fn require_unsealed(&self) -> Result<(), PoaError> {
        Ok(())
    }
}

/// The POA is sealed, which does not happen.
pub(super) const fn sealed() -> PoaError {
    PoaError::WrongPolicy
}

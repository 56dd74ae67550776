//! Servants on demand in the shape `minimal`: there are none.

use std::sync::Arc;

use taut_giop::SystemException;

use super::active_object_map::Etherealizer;
use super::error::object_not_active;
use super::incarnated::Incarnated;
use super::object_key::ObjectKey;
use super::served::Served;
use super::table::PoaEntry;
use super::{Poa, PoaError, Servant};
use taut_sync::slot_table::Found;

/// Nobody provides the servants of a POA.
#[derive(Default)]
pub(super) struct Demand(());

impl Demand {
    pub(super) fn begin_end(&self, _: bool) {}

    pub(super) fn end(&self) {}
}

/// Refuses a request for an object that is not active.
///
/// # Errors
///
/// OBJECT_NOT_EXIST.
pub(super) fn serve<R>(
    _: &Poa,
    _: Found<PoaEntry>,
    _: &ObjectKey<'_>,
    _: &[u8],
    _: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
) -> Result<Served<R>, SystemException> {
    Err(object_not_active())
}

impl Poa {
    /// The default servant.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`]: there is none.
    pub(super) fn servant(&self) -> Result<Arc<dyn Servant>, PoaError> {
        Err(PoaError::WrongPolicy)
    }

    /// Nobody is told of the end of objects.
    pub(super) fn etherealizer(&self) -> Option<Arc<dyn Etherealizer>> {
        None
    }
}

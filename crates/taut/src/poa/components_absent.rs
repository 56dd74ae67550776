//! Components of references in the shape `minimal`: nobody adds some.

use std::sync::Arc;

use taut_giop::SystemException;

use super::Poa;
use super::manager::StateObserver;
use crate::core::OrbCore;
use crate::object::AddedComponent;

/// The components that the references of a POA have: none.
#[derive(Default)]
pub(super) struct Components {}

impl Components {
    pub(super) fn get(&self) -> &[AddedComponent] {
        &[]
    }
}

pub(super) fn observer(_: &Arc<OrbCore>) -> Option<StateObserver> {
    None
}

impl Poa {
    pub(crate) fn establish_components(&self) -> Result<(), SystemException> {
        Ok(())
    }

    pub(super) fn tell_destroyed(&self) {}
}

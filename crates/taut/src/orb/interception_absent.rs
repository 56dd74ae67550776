//! An ORB of the shape `minimal`, which has no interceptors.

use super::{InitError, Orb};
use crate::core::{Interception, OrbCore};
use crate::settings::Settings;

/// The interceptors that an ORB is going to have: none.
#[derive(Debug, Default)]
pub(super) struct Interceptors;

impl Interceptors {
    pub(super) fn note_arguments(&mut self, _: &[String]) {}

    pub(super) fn begin(&mut self, _: &mut Settings) -> Result<(), InitError> {
        Ok(())
    }

    pub(super) fn expected(&self) -> Interception {
        Interception::default()
    }

    pub(super) fn end(self, _: &Orb) -> Result<(), InitError> {
        Ok(())
    }
}

pub(super) fn destroy(_: &OrbCore) {}

//! The stand-in for schedules: nothing is asked for.

use std::path::Path;

use taut_idl::Compilation;

use crate::error::Error;

/// The request for a schedule, which nobody can make.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request;

impl Request {
    pub(crate) fn write(&self, _: &Compilation, _: &Path, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

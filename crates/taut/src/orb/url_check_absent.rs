//! The URLs of initial references where they are looked at when they are used, and not before:
//! a server that uses none has no code to read them.

use super::arguments::Configuration;
use super::{InitError, UrlError};
use crate::transport::Protocols;

/// Finds nothing wrong.
pub(super) fn check(_: &str, _: Option<&Protocols>) -> Result<(), UrlError> {
    Ok(())
}

/// Reads none.
pub(super) fn read_files(_: &mut Configuration, _: usize, _: &Protocols) -> Result<(), InitError> {
    Ok(())
}

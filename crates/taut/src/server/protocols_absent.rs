//! The protocols that a server offers, in the shape `minimal`: those by which it listens.

use std::io;

use crate::core::OrbCore;
use crate::transport::Address;

/// All may be there.
#[allow(clippy::unnecessary_wraps, reason = "as in the shape `full`")]
pub(super) const fn check(_: &OrbCore, _: &[Address]) -> io::Result<()> {
    Ok(())
}

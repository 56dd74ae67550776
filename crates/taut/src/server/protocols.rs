//! The protocols that a server offers, by the policy of its ORB.

use std::io;

use crate::core::OrbCore;
use crate::object::profile_tags;
use crate::policy::ServerProtocolPolicy;
use crate::transport::Address;

/// Checks that references can have one of these addresses.
///
/// # Errors
///
/// [`io::ErrorKind::InvalidInput`] if the ORB's `ServerProtocolPolicy` names the protocol of
/// none.
pub(super) fn check(core: &OrbCore, addresses: &[Address]) -> io::Result<()> {
    let overrides = core.policies.overrides();
    let Some(policy) = overrides.find::<ServerProtocolPolicy>() else {
        return Ok(());
    };
    let (wanted, offered) = (policy.protocol_types(), profile_tags(core, addresses));
    if wanted.iter().any(|tag| offered.contains(tag)) {
        return Ok(());
    }
    let problem = format!(
        "ServerProtocolPolicy names the profile tags {wanted:?}, and the server listens by \
         {offered:?}: listen by one of them, or name another"
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

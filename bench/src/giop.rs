//! The messages of the smallest call, for clients that are no ORB.

use taut::Ior;
use taut_cdr::{ByteOrder, Encoder};
use taut_giop::Version;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{self, MessageType, RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::service_context::ServiceContexts;

use crate::error::BenchError;

/// A request for `ping`, in GIOP 1.2, and the address to send it to.
///
/// # Errors
///
/// [`BenchError::Orb`] when the text is no reference with an IIOP profile.
pub(crate) fn ping(reference: &str) -> Result<(String, Vec<u8>), BenchError> {
    let ior: Ior = reference.parse().map_err(BenchError::orb)?;
    let profile = ior
        .profiles
        .iter()
        .find(|profile| profile.tag == taut_giop::ior::profile::tag::INTERNET_IOP)
        .ok_or_else(|| BenchError::orb("the reference has no IIOP profile"))?;
    let profile = IiopProfile::parse(&profile.data).map_err(BenchError::orb)?;
    let mut out = Encoder::new(ByteOrder::NATIVE);
    message::begin_message(&mut out, Version::V1_2, MessageType::Request);
    RequestHeader {
        request_id: 0,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(&profile.object_key),
        operation: b"ping",
        service_contexts: ServiceContexts::new(&[]),
    }
    .encode(Version::V1_2, &mut out)
    .map_err(BenchError::orb)?;
    message::finish_message(&mut out).map_err(BenchError::orb)?;
    let address = format!("{}:{}", profile.host, profile.port);
    Ok((address, out.as_bytes().to_vec()))
}

/// Whether a reply, of whichever byte order, says NO_EXCEPTION.
pub(crate) fn is_success(reply: &[u8]) -> bool {
    reply.get(7) == Some(&1) && reply.get(16..20) == Some(&[0; 4])
}

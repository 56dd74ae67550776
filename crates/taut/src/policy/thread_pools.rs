//! The policy that binds POAs to a thread pool (Real-time CORBA 1.2, 4.10.4).

use std::fmt;

use taut_cdr::{Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::{PolicyLevels, PolicyType, PolicyValue};

/// The number of a thread pool within its ORB (the standard's `RTCORBA::ThreadpoolId`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadpoolId(pub u32);

/// The thread pool whose threads serve a POA, and no others. It is a policy of
/// [`Poa::create_poa`](crate::Poa::create_poa), or of an ORB for the POAs that are made from then
/// on. References do not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadpoolPolicy(pub ThreadpoolId);

impl PolicyValue for ThreadpoolPolicy {
    const TYPE: PolicyType = PolicyType::THREADPOOL;
    const NAME: &'static str = "ThreadpoolPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::ORB;

    fn type_code() -> TypeCode {
        u32::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        u32::decode(input).map(|id| Self(ThreadpoolId(id)))
    }
}

impl fmt::Display for ThreadpoolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! Taut's servant of `table::Target`, as any program on Taut would have it.

use super::idl::table::cubit::{Many, Oneof};
use super::idl::table::{self, BinStruct, Cubit, Reading, Refused, Target, TargetRef};
use super::idl::table::{TargetSkeleton, target::RefuseError};
use crate::error::BenchError;
use crate::taut::{LOOPBACK, serve_until_end_of_input};
use taut::{Any, Char, Orb, OrbBuilder, Reference};

/// The server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(in crate::goals) fn serve(unix: bool) -> Result<(), BenchError> {
    let (orb, target) = activate(endpoint(unix))?;
    serve_until_end_of_input(&orb, target.as_object());
    Ok(())
}

/// Where it listens.
pub(in crate::goals) fn endpoint(unix: bool) -> &'static str {
    match unix {
        true => "uiop://",
        false => LOOPBACK,
    }
}

/// An ORB with an active servant, and the reference to it.
pub(in crate::goals) fn activate(endpoint: &str) -> Result<(Orb, TargetRef), BenchError> {
    activate_with(Orb::builder(), endpoint)
}

/// The same, but that the ORB is made by this builder.
pub(in crate::goals) fn activate_with(
    builder: OrbBuilder,
    endpoint: &str,
) -> Result<(Orb, TargetRef), BenchError> {
    let orb = builder
        .listen(endpoint)
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let target = poa
        .activate(TargetSkeleton::new(Servant))
        .map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    Ok((orb, target))
}

/// The reason that `refuse` gives.
pub(in crate::goals) const REASON: i32 = 42;

pub(in crate::goals) fn cubed_octet(value: u8) -> u8 {
    value.wrapping_mul(value).wrapping_mul(value)
}

pub(in crate::goals) fn cubed_short(value: i16) -> i16 {
    value.wrapping_mul(value).wrapping_mul(value)
}

pub(in crate::goals) fn cubed_long(value: i32) -> i32 {
    value.wrapping_mul(value).wrapping_mul(value)
}

pub(in crate::goals) fn cubed_many(values: &Many) -> Many {
    Many {
        o: cubed_octet(values.o),
        l: cubed_long(values.l),
        s: cubed_short(values.s),
    }
}

pub(in crate::goals) fn cubed_oneof(value: &Oneof) -> Oneof {
    match value {
        Oneof::O(octet) => Oneof::O(cubed_octet(*octet)),
        Oneof::S(short) => Oneof::S(cubed_short(*short)),
        Oneof::L(long) => Oneof::L(cubed_long(*long)),
        Oneof::Cm(many) => Oneof::Cm(cubed_many(many)),
        other @ Oneof::None { .. } => *other,
    }
}

struct Servant;

impl Cubit for Servant {
    fn cube_octet(&self, o: u8) -> taut::Result<u8> {
        Ok(cubed_octet(o))
    }

    fn cube_short(&self, s: i16) -> taut::Result<i16> {
        Ok(cubed_short(s))
    }

    fn cube_long(&self, l: i32) -> taut::Result<i32> {
        Ok(cubed_long(l))
    }

    fn cube_struct(&self, values: &Many) -> taut::Result<Many> {
        Ok(cubed_many(values))
    }

    fn cube_union(&self, value: &Oneof) -> taut::Result<Oneof> {
        Ok(cubed_oneof(value))
    }

    fn cube_longs(&self, values: &[i32]) -> taut::Result<table::LongSeq> {
        Ok(values.iter().map(|&value| cubed_long(value)).collect())
    }

    fn cube_octets(&self, values: &[u8]) -> taut::Result<table::OctetSeq> {
        Ok(values.iter().map(|&value| cubed_octet(value)).collect())
    }
}

impl Target for Servant {
    fn nothing(&self) -> taut::Result<()> {
        Ok(())
    }

    fn refuse(&self) -> Result<(), RefuseError> {
        Err(Refused { reason: REASON }.into())
    }

    fn echo_octets(&self, values: &[u8]) -> taut::Result<table::OctetSeq> {
        Ok(values.to_vec())
    }

    fn echo_chars(&self, values: &[Char]) -> taut::Result<table::CharSeq> {
        Ok(values.to_vec())
    }

    fn echo_shorts(&self, values: &[i16]) -> taut::Result<table::ShortSeq> {
        Ok(values.to_vec())
    }

    fn echo_longs(&self, values: &[i32]) -> taut::Result<table::LongSeq> {
        Ok(values.to_vec())
    }

    fn echo_doubles(&self, values: &[f64]) -> taut::Result<table::DoubleSeq> {
        Ok(values.to_vec())
    }

    fn echo_structs(&self, values: &[BinStruct]) -> taut::Result<table::StructSeq> {
        Ok(values.to_vec())
    }

    fn echo_string(&self, text: &str) -> taut::Result<String> {
        Ok(text.to_owned())
    }

    fn echo_strings(&self, texts: &[String]) -> taut::Result<table::StringSeq> {
        Ok(texts.to_vec())
    }

    fn echo_reference(&self, reference: Option<&TargetRef>) -> taut::Result<Option<TargetRef>> {
        Ok(reference.cloned())
    }

    fn echo_any(&self, value: &Any) -> taut::Result<Any> {
        Ok(value.clone())
    }

    fn echo_reading(&self, value: &Reading) -> taut::Result<Reading> {
        Ok(value.clone())
    }

    fn flood_octets(&self, _values: &[u8]) -> taut::Result<()> {
        Ok(())
    }

    fn flood_chars(&self, _values: &[Char]) -> taut::Result<()> {
        Ok(())
    }

    fn flood_shorts(&self, _values: &[i16]) -> taut::Result<()> {
        Ok(())
    }

    fn flood_longs(&self, _values: &[i32]) -> taut::Result<()> {
        Ok(())
    }

    fn flood_doubles(&self, _values: &[f64]) -> taut::Result<()> {
        Ok(())
    }

    fn flood_structs(&self, _values: &[BinStruct]) -> taut::Result<()> {
        Ok(())
    }
}

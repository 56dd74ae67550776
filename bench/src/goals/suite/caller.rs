//! Taut's client of `table::Target`.

use std::hint::black_box;
use std::io;

use super::idl::table::cubit::{Many, Oneof};
use super::idl::table::target::RefuseError;
use super::idl::table::{Cubit, Reading, Target, TargetRef};
use super::target::{REASON, cubed_long, cubed_many, cubed_octet, cubed_oneof, cubed_short};
use super::values::Values;
use crate::error::BenchError;
use crate::goals::kind::{Cube, Element, Kind, STRING_CHARACTERS, STRINGS_CHARACTERS};
use crate::protocol::{self, Calls};
use taut::{Any, Orb, Reference as _, SyncScope, SystemExceptionKind};

/// The client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Target`, and those
/// of [`protocol::answer_requests`].
pub(in crate::goals) fn call(reference: &str) -> Result<(), BenchError> {
    let caller = Caller::connect(reference)?;
    protocol::answer_requests(io::stdin().lock(), io::stdout(), caller)
}

/// Makes calls of one kind.
pub(crate) struct Caller {
    target: TargetRef,
    prepared: Prepared,
}

/// A call, with what is needed for it.
enum Prepared {
    Void,
    UserException,
    Echo(Values),
    String(String),
    Strings(Vec<String>),
    Reference,
    Any(Any),
    Struct(Reading),
    Flood(Values, u32),
    Batched(Values, u32, TargetRef),
    CubeOctet(u8),
    CubeShort(i16),
    CubeLong(i32),
    CubeStruct(Many),
    CubeUnion(Oneof),
    CubeLongs(Vec<i32>),
    CubeOctets(Vec<u8>),
}

impl Caller {
    /// Of the object with this stringified reference.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the object is not there or is no `Target`.
    pub(crate) fn connect(reference: &str) -> Result<Self, BenchError> {
        let orb = Orb::builder().build().map_err(BenchError::orb)?;
        let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
        object.narrow().map(Self::new).map_err(BenchError::orb)
    }

    pub(in crate::goals) fn new(target: TargetRef) -> Self {
        Self {
            target,
            prepared: Prepared::Void,
        }
    }

    /// Makes a call and looks at what comes back.
    fn is_right(&self) -> Result<bool, BenchError> {
        let target = &self.target;
        let right = match &self.prepared {
            Prepared::Void => target.nothing().map(|()| true),
            Prepared::UserException => {
                let refused = target.refuse();
                return Ok(matches!(refused, Err(RefuseError::Refused(it)) if it.reason == REASON));
            }
            Prepared::Echo(values) => return values.come_back(target),
            Prepared::String(text) => target.echo_string(text).map(|back| back == *text),
            Prepared::Strings(texts) => target.echo_strings(texts).map(|back| back == *texts),
            Prepared::Reference => target
                .echo_reference(Some(target))
                .map(|back| back.as_ref() == Some(target)),
            Prepared::Any(any) => {
                let back = target.echo_any(any).map_err(BenchError::call)?;
                let extract = |any: &Any| any.extract::<Reading>().map_err(BenchError::call);
                return Ok(extract(&back)? == extract(any)?);
            }
            Prepared::Struct(reading) => target.echo_reading(reading).map(|back| back == *reading),
            Prepared::Flood(values, _) | Prepared::Batched(values, ..) => {
                values.send(target).map(|()| true)
            }
            Prepared::CubeOctet(o) => target.cube_octet(*o).map(|back| back == cubed_octet(*o)),
            Prepared::CubeShort(s) => target.cube_short(*s).map(|back| back == cubed_short(*s)),
            Prepared::CubeLong(l) => target.cube_long(*l).map(|back| back == cubed_long(*l)),
            Prepared::CubeStruct(many) => target
                .cube_struct(many)
                .map(|back| back == cubed_many(many)),
            Prepared::CubeUnion(one) => target.cube_union(one).map(|back| back == cubed_oneof(one)),
            Prepared::CubeLongs(longs) => target
                .cube_longs(longs)
                .map(|back| back.into_iter().eq(longs.iter().map(|&l| cubed_long(l)))),
            Prepared::CubeOctets(octets) => target
                .cube_octets(octets)
                .map(|back| back.into_iter().eq(octets.iter().map(|&o| cubed_octet(o)))),
        };
        right.map_err(BenchError::call)
    }

    /// Sends a sequence often, and waits until all have arrived.
    fn flood(&self, values: &Values, messages: u32) -> Result<(), BenchError> {
        for _ in 0..messages {
            values.send(&self.target).map_err(BenchError::call)?;
        }
        self.target.nothing().map_err(BenchError::call)
    }

    /// Leaves a sequence to be sent often, and waits until all have arrived. Where too
    /// many wait to be sent, one waits itself until it is, behind those.
    fn batches(
        &self,
        values: &Values,
        messages: u32,
        patient: &TargetRef,
    ) -> Result<(), BenchError> {
        for _ in 0..messages {
            match values.send(patient) {
                Err(refused) if refused.kind == SystemExceptionKind::Transient => {
                    values.send(&self.target).map_err(BenchError::call)?;
                }
                sent => sent.map_err(BenchError::call)?,
            }
        }
        self.target.nothing().map_err(BenchError::call)
    }
}

impl Calls for Caller {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        self.prepared = prepare(kind.parse()?, &self.target)?;
        if self.is_right()? {
            Ok(())
        } else {
            Err(BenchError::call(format!(
                "{kind}: something else comes back than should"
            )))
        }
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let target = &self.target;
        let called = match &self.prepared {
            Prepared::Void => target.nothing(),
            Prepared::UserException => {
                return match target.refuse() {
                    Err(RefuseError::Refused(refused)) => {
                        black_box(refused);
                        Ok(())
                    }
                    Err(other) => Err(BenchError::call(other)),
                    Ok(()) => Err(BenchError::call("the exception is not raised")),
                };
            }
            Prepared::Echo(values) => return values.echo(target),
            Prepared::String(text) => target.echo_string(text).map(drop),
            Prepared::Strings(texts) => target.echo_strings(texts).map(drop),
            Prepared::Reference => target.echo_reference(Some(target)).map(drop),
            Prepared::Any(any) => target.echo_any(any).map(drop),
            Prepared::Struct(reading) => target.echo_reading(reading).map(drop),
            Prepared::Flood(values, messages) => return self.flood(values, *messages),
            Prepared::Batched(values, messages, patient) => {
                return self.batches(values, *messages, patient);
            }
            Prepared::CubeOctet(octet) => target.cube_octet(*octet).map(drop),
            Prepared::CubeShort(short) => target.cube_short(*short).map(drop),
            Prepared::CubeLong(long) => target.cube_long(*long).map(drop),
            Prepared::CubeStruct(many) => target.cube_struct(many).map(drop),
            Prepared::CubeUnion(oneof) => target.cube_union(oneof).map(drop),
            Prepared::CubeLongs(longs) => target.cube_longs(longs).map(drop),
            Prepared::CubeOctets(octets) => target.cube_octets(octets).map(drop),
        };
        called.map_err(BenchError::call)
    }
}

/// The struct that is sent.
fn reading() -> Reading {
    Reading {
        sensor: "boiler/3/outlet".to_owned(),
        time: 1_700_000_000_000_000_000,
        value: 71.25,
        valid: true,
    }
}

fn prepare(kind: Kind, target: &TargetRef) -> Result<Prepared, BenchError> {
    let many = Many {
        o: 7,
        l: 1_291,
        s: 31,
    };
    Ok(match kind {
        Kind::Void => Prepared::Void,
        Kind::UserException => Prepared::UserException,
        Kind::Echo { element, octets } => Prepared::Echo(Values::new(element, octets)),
        Kind::String => Prepared::String("x".repeat(STRING_CHARACTERS)),
        Kind::Strings(count) => {
            Prepared::Strings(vec!["x".repeat(STRINGS_CHARACTERS); count as usize])
        }
        Kind::Reference => Prepared::Reference,
        Kind::Any => Prepared::Any(Any::new(&reading()).map_err(BenchError::call)?),
        Kind::Struct => Prepared::Struct(reading()),
        Kind::Flood {
            element,
            octets,
            messages,
        } => Prepared::Flood(Values::new(element, octets), messages),
        Kind::Batched { octets, messages } => {
            let values = Values::new(Element::Octet, octets);
            Prepared::Batched(values, messages, target.with_sync_scope(SyncScope::None))
        }
        Kind::Cube(cube) => match cube {
            Cube::Octet => Prepared::CubeOctet(7),
            Cube::Short => Prepared::CubeShort(31),
            Cube::Long => Prepared::CubeLong(1_291),
            Cube::Struct => Prepared::CubeStruct(many),
            Cube::Union => Prepared::CubeUnion(Oneof::Cm(many)),
            Cube::Longs(count) => Prepared::CubeLongs((0..).take(count as usize).collect()),
            Cube::Octets(count) => {
                Prepared::CubeOctets((0..=u8::MAX).cycle().take(count as usize).collect())
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use taut::{CollocationStrategy, Reference};

    use super::super::target;
    use super::*;
    use crate::goals::rows;
    use crate::taut::LOOPBACK;

    #[test]
    fn calls_of_every_row_arrive() {
        let (orb, reference) = target::activate(LOOPBACK).unwrap();
        let remote = reference.with_collocation(CollocationStrategy::Off);
        let mut caller = Caller::new(remote);
        for row in rows::all(64 << 10) {
            caller.select(&row.kind.to_string()).unwrap();
            caller.call().unwrap();
        }
        assert!(caller.select("some").is_err());
        orb.shutdown(true).unwrap();
        assert!(caller.call().is_err());
    }

    #[test]
    fn what_is_no_target_is_an_error() {
        let nonsense = call("IOR:nonsense");
        assert!(matches!(nonsense, Err(BenchError::Orb { .. })));
    }
}

//! Sequences of each element, to be echoed and to flood with.

use super::idl::table::{BinStruct, Target, TargetRef};
use crate::error::BenchError;
use crate::goals::kind::Element;
use taut::Char;

/// A sequence that is sent.
#[derive(Debug)]
pub(in crate::goals) enum Values {
    Octets(Vec<u8>),
    Chars(Vec<Char>),
    Shorts(Vec<i16>),
    Longs(Vec<i32>),
    Doubles(Vec<f64>),
    Structs(Vec<BinStruct>),
}

impl Values {
    /// As many elements as fill so many octets, not all alike.
    pub(in crate::goals) fn new(element: Element, octets: u32) -> Self {
        // Steps below 95, so that chars can be printed.
        let steps = (0..element.count(octets)).map(|place| (b' '..=b'~').nth(place % 95));
        let steps = steps.map(Option::unwrap_or_default);
        match element {
            Element::Octet => Self::Octets(steps.collect()),
            Element::Char => Self::Chars(steps.map(Char).collect()),
            Element::Short => Self::Shorts(steps.map(i16::from).collect()),
            Element::Long => Self::Longs(steps.map(i32::from).collect()),
            Element::Double => Self::Doubles(steps.map(f64::from).collect()),
            Element::Struct => Self::Structs(steps.map(bin_struct).collect()),
        }
    }

    /// Whether the servant returns the same as it gets.
    ///
    /// # Errors
    ///
    /// [`BenchError::Call`], of this and the following.
    pub(in crate::goals) fn come_back(&self, target: &TargetRef) -> Result<bool, BenchError> {
        let same = match self {
            Self::Octets(values) => target.echo_octets(values).map(|back| back == *values),
            Self::Chars(values) => target.echo_chars(values).map(|back| back == *values),
            Self::Shorts(values) => target.echo_shorts(values).map(|back| back == *values),
            Self::Longs(values) => target.echo_longs(values).map(|back| back == *values),
            Self::Doubles(values) => target.echo_doubles(values).map(|back| back == *values),
            Self::Structs(values) => target.echo_structs(values).map(|back| back == *values),
        };
        same.map_err(BenchError::call)
    }

    /// Has the servant return them.
    pub(in crate::goals) fn echo(&self, target: &TargetRef) -> Result<(), BenchError> {
        let done = match self {
            Self::Octets(values) => target.echo_octets(values).map(drop),
            Self::Chars(values) => target.echo_chars(values).map(drop),
            Self::Shorts(values) => target.echo_shorts(values).map(drop),
            Self::Longs(values) => target.echo_longs(values).map(drop),
            Self::Doubles(values) => target.echo_doubles(values).map(drop),
            Self::Structs(values) => target.echo_structs(values).map(drop),
        };
        done.map_err(BenchError::call)
    }

    /// Sends them without waiting for anything.
    pub(in crate::goals) fn send(&self, target: &TargetRef) -> taut::Result<()> {
        match self {
            Self::Octets(values) => target.flood_octets(values),
            Self::Chars(values) => target.flood_chars(values),
            Self::Shorts(values) => target.flood_shorts(values),
            Self::Longs(values) => target.flood_longs(values),
            Self::Doubles(values) => target.flood_doubles(values),
            Self::Structs(values) => target.flood_structs(values),
        }
    }
}

fn bin_struct(step: u8) -> BinStruct {
    BinStruct {
        s: i16::from(step),
        c: Char(step),
        l: i32::from(step),
        o: step,
        d: f64::from(step),
    }
}

//! The operations that are called, and what requests that are used again are to reach.

use crate::goals::{Cube, Element, Kind};

/// A kind of call.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) kind: Kind,
    /// The name for people.
    pub(super) name: String,
    pub(super) aim: Aim,
}

/// The rate that a request which is used again is to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// This share of the rate of static stubs.
    OfStatic(f64),
    /// So many times the rate of requests that are made anew.
    TimesAnew(f64),
}

impl Row {
    /// Whether a sample is a flood of one-way calls.
    pub(super) fn is_one_way(&self) -> bool {
        matches!(self.kind, Kind::Flood { .. })
    }

    /// Returns how the call goes.
    pub(super) fn way(&self) -> &'static str {
        match self.is_one_way() {
            true => "one_way",
            false => "two_way",
        }
    }

    /// Returns the name for people, with how the call goes.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.way().replace('_', "-"), self.name)
    }
}

/// Of the rate of static stubs, for sequences of primitives.
const PRIMITIVES: f64 = 0.8;

/// The same, for sequences of `BinStruct`s.
const STRUCTS: f64 = 0.6;

/// Of the rate of requests that are made anew, for small calls.
const SMALL: f64 = 1.5;

const KIB: u32 = 1 << 10;

/// All rows. A flood has so many octets of payload.
pub(super) fn all(flood_octets: u32) -> Vec<Row> {
    let small = |kind, name: &str| Row {
        kind,
        name: name.to_owned(),
        aim: Aim::TimesAnew(SMALL),
    };
    let flood_of_few = Kind::Flood {
        element: Element::Octet,
        octets: 8,
        messages: 1_000,
    };
    let mut rows = vec![
        small(Kind::Void, "no arguments"),
        small(Kind::Cube(Cube::Long), "long"),
        small(Kind::String, "string of 100 characters"),
        small(flood_of_few, "octets, 8 at a time"),
    ];
    for element in Element::ALL {
        let (name, aim) = match element {
            Element::Octet => ("octets", PRIMITIVES),
            Element::Char => ("chars", PRIMITIVES),
            Element::Short => ("shorts", PRIMITIVES),
            Element::Long => ("longs", PRIMITIVES),
            Element::Double => ("doubles", PRIMITIVES),
            Element::Struct => ("BinStructs", STRUCTS),
        };
        let mut add = |kind, octets: u32| {
            let name = format!("{name}, {} KiB", octets / KIB);
            let aim = Aim::OfStatic(aim);
            rows.push(Row { kind, name, aim });
        };
        for octets in [KIB, 8 * KIB, 64 * KIB] {
            add(Kind::Echo { element, octets }, octets);
        }
        for octets in [KIB, 8 * KIB, 64 * KIB] {
            let messages = (flood_octets / octets).max(1);
            let kind = Kind::Flood {
                element,
                octets,
                messages,
            };
            add(kind, octets);
        }
    }
    rows
}

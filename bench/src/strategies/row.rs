//! The operations that are called, and the goals of tables.

use crate::goals::{Cube, Element, Kind};

/// A kind of call.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) kind: Kind,
    /// The name for people.
    pub(super) name: String,
    /// The least share of the speed of code.
    pub(super) goal: f64,
}

impl Row {
    /// Whether a sample is a flood, for which sockets have less room.
    pub(super) fn is_flood(&self) -> bool {
        matches!(self.kind, Kind::Flood { .. })
    }
}

/// The octets of a flood, which is a sample: few, so that a turn has as many as of calls.
const FLOOD_OCTETS: u32 = 128 * KIB;

/// On every operation.
const EVERY: f64 = 0.75;

/// On sequences of primitives, which both move in bulk: as fast, as far as one run can be
/// told from another.
const IN_BULK: f64 = 0.98;

/// On floods of sequences of primitives.
const FLOODS: f64 = 0.95;

const KIB: u32 = 1 << 10;

/// All rows: the operations of `IDL_Cubit` and values of other types, and sequences.
pub(super) fn all() -> Vec<Row> {
    let row = |kind, name: &str, goal| Row {
        kind,
        name: name.to_owned(),
        goal,
    };
    let mut rows = vec![
        row(Kind::Void, "no arguments", EVERY),
        row(Kind::Cube(Cube::Octet), "octet", EVERY),
        row(Kind::Cube(Cube::Short), "short", EVERY),
        row(Kind::Cube(Cube::Long), "long", EVERY),
        row(Kind::Cube(Cube::Struct), "struct", EVERY),
        row(Kind::Cube(Cube::Union), "union", EVERY),
        row(Kind::UserException, "user exception", EVERY),
        row(Kind::String, "string of 100 characters", EVERY),
        row(Kind::Struct, "struct with a string", EVERY),
        row(Kind::Any, "struct in an any", EVERY),
        row(Kind::Reference, "object reference", EVERY),
        row(Kind::Strings(9), "9 strings of 128 characters", EVERY),
    ];
    for element in Element::ALL {
        let (name, goal) = match element {
            Element::Octet => ("octets", IN_BULK),
            Element::Char => ("chars", IN_BULK),
            Element::Short => ("shorts", IN_BULK),
            Element::Long => ("longs", IN_BULK),
            Element::Double => ("doubles", IN_BULK),
            Element::Struct => ("BinStructs", EVERY),
        };
        for octets in [KIB, 64 * KIB] {
            let kind = Kind::Echo { element, octets };
            rows.push(row(kind, &format!("{name}, {} KiB", octets / KIB), goal));
        }
        for octets in [8 * KIB, 64 * KIB] {
            let kind = Kind::Flood {
                element,
                octets,
                messages: FLOOD_OCTETS / octets,
            };
            // The work that the receiver still has when a sample ends is in the next one, so
            // that two floods are not told apart as well as two calls.
            let goal = goal.min(FLOODS);
            rows.push(row(
                kind,
                &format!("flood of {name}, {} KiB", octets / KIB),
                goal,
            ));
        }
    }
    rows
}

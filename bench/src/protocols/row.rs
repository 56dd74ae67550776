//! The calls, and the protocols of their messages.

use serde::Serialize;

use crate::goals::{Cube, Kind};

/// The protocol of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Messaging {
    Giop,
    GiopLite,
}

impl Messaging {
    pub(super) const ALL: [Self; 2] = [Self::Giop, Self::GiopLite];

    /// The arguments of both ORBs.
    pub(super) fn orb_arguments(self) -> &'static str {
        match self {
            Self::Giop => "-ORBgioplite 0",
            Self::GiopLite => "-ORBgioplite 1",
        }
    }
}

/// The calls of the TAO papers: the operations of `IDL_Cubit`, of which the client checks
/// the cubes whenever a turn begins.
pub(super) fn kinds() -> [Kind; 9] {
    [
        Kind::Void,
        Kind::Cube(Cube::Octet),
        Kind::Cube(Cube::Short),
        Kind::Cube(Cube::Long),
        Kind::Cube(Cube::Struct),
        Kind::Cube(Cube::Longs(1)),
        Kind::Cube(Cube::Longs(1_024)),
        Kind::Cube(Cube::Octets(4)),
        Kind::Cube(Cube::Octets(4_096)),
    ]
}

/// The name of a kind of call, for people.
pub(super) fn name(kind: Kind) -> String {
    match kind {
        Kind::Cube(Cube::Octet) => "octet".to_owned(),
        Kind::Cube(Cube::Short) => "short".to_owned(),
        Kind::Cube(Cube::Long) => "long".to_owned(),
        Kind::Cube(Cube::Struct) => "struct {octet; long; short}".to_owned(),
        Kind::Cube(Cube::Longs(1)) => "1 long in a sequence".to_owned(),
        Kind::Cube(Cube::Longs(count)) => format!("{count} longs"),
        Kind::Cube(Cube::Octets(count)) => format!("{count} octets"),
        kind => kind.to_string(),
    }
}

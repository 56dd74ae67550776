//! The rows of the table, and the goal of each.
//!
//! A further row is an entry of [`all`]. Rows over another transport have programs in
//! [`crate::system`], and those of its raw sockets in [`super::measure`].

use super::goal::Goal;
use super::kind::{Cube, Element, Kind};
use crate::case::Transport;
use crate::placement::Mode;

/// The group of a row, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Calls,
    Sequences,
    Values,
    Cubit,
    Flood,
}

impl Group {
    pub(super) const ALL: [Self; 5] = [
        Self::Calls,
        Self::Sequences,
        Self::Values,
        Self::Cubit,
        Self::Flood,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Calls => "The call itself",
            Self::Sequences => "Sequences, there and back",
            Self::Values => "Values, there and back",
            Self::Cubit => "IDL_Cubit",
            Self::Flood => "One-way flood",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) group: Group,
    /// The name for people.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) transport: Transport,
    /// Whether Taut's threads learn when to spin before they sleep.
    pub(crate) adapts: bool,
    pub(crate) goal: Goal,
}

/// The sizes of the buffers with which sequences flood, in octets.
pub(super) const FLOOD_BUFFERS: [u32; 8] = [
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
];

/// The sizes of those with which they do so in batches.
const BATCHED_BUFFERS: [u32; 4] = [1 << 10, 2 << 10, 4 << 10, 8 << 10];

const KIB: u32 = 1 << 10;

/// All rows; each flood moves so many octets of payload.
pub(super) fn all(flood_octets: u32) -> Vec<Row> {
    let mut rows = calls();
    rows.extend(sequences());
    rows.extend(values());
    rows.extend(cubes());
    rows.extend(floods(flood_octets));
    rows
}

/// A row over TCP, on one CPU.
fn row(group: Group, name: impl Into<String>, kind: Kind, goal: Goal) -> Row {
    Row {
        group,
        name: name.into(),
        kind,
        mode: Mode::Same,
        transport: Transport::Tcp,
        adapts: false,
        goal,
    }
}

fn calls() -> Vec<Row> {
    let void = |name: &str, goal| row(Group::Calls, name, Kind::Void, goal);
    let split = Row {
        mode: Mode::Split,
        ..void("no arguments, a CPU each", Goal::TimesRaw(1.03))
    };
    let adapting = Row {
        mode: Mode::Split,
        adapts: true,
        ..void("no arguments, a CPU each, adaptive", Goal::MedianNs(10_000))
    };
    let over_unix = |row: &Row, name: &str, goal| Row {
        name: name.to_owned(),
        transport: Transport::Unix,
        goal,
        ..row.clone()
    };
    vec![
        void("no arguments", Goal::TimesRaw(1.03)),
        row(
            Group::Calls,
            "user exception",
            Kind::UserException,
            Goal::TimesRaw(1.05),
        ),
        Row {
            transport: Transport::Unix,
            ..void("no arguments, Unix socket", Goal::TimesRaw(1.05))
        },
        over_unix(
            &split,
            "no arguments, Unix socket, a CPU each",
            Goal::TimesRaw(1.05),
        ),
        over_unix(
            &adapting,
            "no arguments, Unix socket, a CPU each, adaptive",
            Goal::MedianNs(5_000),
        ),
        split,
        adapting,
    ]
}

fn sequences() -> Vec<Row> {
    let mut rows = Vec::new();
    for element in Element::ALL {
        let sizes = match element {
            Element::Char => &[64 * KIB][..],
            Element::Struct => &[64 * KIB, 1_024 * KIB],
            _ => &[8 * KIB, 64 * KIB, 1_024 * KIB],
        };
        for &octets in sizes {
            let most = match (element, octets / KIB) {
                (Element::Struct, _) => 1.25,
                (_, 1_024) => 1.10,
                _ => 1.15,
            };
            let name = format!("{}, {}", plural(element), size(octets));
            let kind = Kind::Echo { element, octets };
            rows.push(row(Group::Sequences, name, kind, Goal::TimesRaw(most)));
        }
    }
    rows
}

fn values() -> Vec<Row> {
    let goal = Goal::TimesRaw(1.08);
    [
        ("string of 100 characters", Kind::String),
        ("object reference", Kind::Reference),
        ("struct in an any", Kind::Any),
        ("struct with a string", Kind::Struct),
    ]
    .map(|(name, kind)| row(Group::Values, name, kind, goal))
    .into()
}

/// Small arguments are to cost what values do, sequences what sequences do.
fn cubes() -> Vec<Row> {
    let (small, sequence) = (Goal::TimesRaw(1.08), Goal::TimesRaw(1.15));
    [
        ("octet", Cube::Octet, small),
        ("short", Cube::Short, small),
        ("long", Cube::Long, small),
        ("struct", Cube::Struct, small),
        ("union", Cube::Union, small),
        ("1 long", Cube::Longs(1), small),
        ("1,024 longs", Cube::Longs(1_024), sequence),
        ("4 octets", Cube::Octets(4), small),
        ("4,096 octets", Cube::Octets(4_096), sequence),
    ]
    .map(|(name, cube, goal)| row(Group::Cubit, name, Kind::Cube(cube), goal))
    .into()
}

fn floods(flood_octets: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    for element in Element::ALL {
        for octets in FLOOD_BUFFERS {
            let kind = Kind::Flood {
                element,
                octets,
                messages: (flood_octets / octets).max(1),
            };
            let name = format!("{}, {}", plural(element), size(octets));
            // A flood may lose the share of raw throughput by which an echo may exceed raw
            // time.
            let least = match element {
                Element::Struct => 0.8,
                _ => 0.9,
            };
            rows.push(row(Group::Flood, name, kind, Goal::ShareOfRaw(least)));
        }
    }
    // Together, they are to take less than sockets take one by one.
    for octets in BATCHED_BUFFERS {
        let kind = Kind::Batched {
            octets,
            messages: (flood_octets / octets).max(1),
        };
        let name = format!("octets, {}, batched", size(octets));
        rows.push(row(Group::Flood, name, kind, Goal::ShareOfRaw(1.0)));
    }
    rows
}

pub(super) fn plural(element: Element) -> &'static str {
    match element {
        Element::Octet => "octets",
        Element::Char => "chars",
        Element::Short => "shorts",
        Element::Long => "longs",
        Element::Double => "doubles",
        Element::Struct => "BinStructs",
    }
}

/// So many octets, for people.
pub(super) fn size(octets: u32) -> String {
    match octets {
        0..KIB => format!("{octets} octets"),
        0x10_0000.. => format!("{} MiB", octets >> 20),
        _ => format!("{} KiB", octets / KIB),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_has_a_goal_that_can_be_missed() {
        for row in all(64 << 20) {
            // Sockets with an ORB on them are not faster than without.
            let strict = match row.goal {
                Goal::TimesRaw(most) => (1.0..2.0).contains(&most),
                Goal::ShareOfRaw(least) => (0.5..=1.0).contains(&least),
                Goal::MedianNs(most) => (1_000..100_000).contains(&most),
            };
            assert!(strict, "{row:?}");
            assert_eq!(
                row.goal.is_met(u64::MAX, Some(100.0)),
                Some(false),
                "{row:?}"
            );
        }
    }

    #[test]
    fn no_row_is_there_twice() {
        let rows = all(64 << 20);
        let names: HashSet<_> = rows
            .iter()
            .map(|row| (row.group.title(), &row.name))
            .collect();
        assert_eq!(names.len(), rows.len());
    }

    #[test]
    fn what_is_promised_is_there() {
        let rows = all(64 << 20);
        let goal = |group: Group, name: &str| {
            let found = rows
                .iter()
                .find(|row| row.group == group && row.name == name);
            found.unwrap_or_else(|| panic!("{name}")).goal
        };
        for (group, name, expected) in [
            (Group::Calls, "no arguments", Goal::TimesRaw(1.03)),
            (Group::Calls, "user exception", Goal::TimesRaw(1.05)),
            (
                Group::Calls,
                "no arguments, a CPU each, adaptive",
                Goal::MedianNs(10_000),
            ),
            (Group::Sequences, "octets, 8 KiB", Goal::TimesRaw(1.15)),
            (Group::Sequences, "doubles, 1 MiB", Goal::TimesRaw(1.10)),
            (Group::Sequences, "chars, 64 KiB", Goal::TimesRaw(1.15)),
            (Group::Sequences, "BinStructs, 1 MiB", Goal::TimesRaw(1.25)),
            (Group::Values, "struct in an any", Goal::TimesRaw(1.08)),
            (Group::Flood, "octets, 1 KiB", Goal::ShareOfRaw(0.9)),
        ] {
            assert_eq!(goal(group, name), expected, "{name}");
        }
        let groups: HashSet<_> = rows.iter().map(|row| row.group.title()).collect();
        assert_eq!(groups.len(), Group::ALL.len());
    }

    #[test]
    fn a_flood_moves_its_octets() {
        for row in all(64 << 20) {
            if row.group == Group::Flood {
                let bytes = row.kind.bytes().unwrap();
                // Structs do not fill each buffer.
                assert!((66_000_000..=67_108_864).contains(&bytes), "{row:?}");
            }
        }
    }
}

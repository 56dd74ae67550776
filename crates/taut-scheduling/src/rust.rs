//! A schedule as Rust source, which a program links in.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::schedule::Schedule;

/// Returns a schedule as Rust source: a constant `SCHEDULE`, and a module `handles` with the
/// handle of each operation.
///
/// The source refers to the crate as `::taut_scheduling`, and can be included anywhere.
pub fn to_rust(schedule: &Schedule) -> String {
    let mut text = String::from(
        "/// The schedule, as it was computed when the program was built.\n\
         pub static SCHEDULE: ::taut_scheduling::Schedule = \
         ::taut_scheduling::Schedule::from_parts(\n",
    );
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "    ::taut_scheduling::Strategy::{:?},\n    &[",
        schedule.strategy()
    );
    for entry in schedule.entries() {
        let _ = writeln!(
            text,
            "        ::taut_scheduling::Entry {{\n            \
                 name: ::std::borrow::Cow::Borrowed({:?}),\n            \
                 priority: {},\n            \
                 level: {},\n            \
                 subpriority: {},\n            \
                 period_ns: {},\n            \
                 deadline_ns: {},\n            \
                 total_ns: {},\n            \
                 criticality: ::taut_scheduling::Criticality::{:?},\n            \
                 importance: ::taut_scheduling::Importance::{:?},\n            \
                 is_released: {},\n        }},",
            entry.name,
            entry.priority,
            entry.level,
            entry.subpriority,
            entry.period_ns,
            entry.deadline_ns,
            entry.total_ns,
            entry.criticality,
            entry.importance,
            entry.is_released
        );
    }
    let _ = writeln!(
        text,
        "    ],\n    &{:?},\n    &{:?},\n);\n",
        schedule.names().displacements,
        schedule.names().slots
    );
    text.push_str("/// The handle of each operation.\npub mod handles {\n");
    let mut taken = BTreeSet::new();
    for (number, entry) in schedule.entries().iter().enumerate() {
        let mut name = constant(&entry.name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let _ = writeln!(
            text,
            "    /// The handle of `{}`.\n    \
             pub const {name}: ::taut_scheduling::Handle = ::taut_scheduling::Handle({number});",
            entry.name.escape_default()
        );
    }
    text.push_str("}\n");
    text
}

/// The name of a constant: `RADAR_SWEEP_ONCE` for `Radar::sweepOnce`.
fn constant(name: &str) -> String {
    let mut constant = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            if was_small && letter.is_ascii_uppercase() {
                constant.push('_');
            }
            was_small = !letter.is_ascii_uppercase();
            constant.push(letter.to_ascii_uppercase());
        } else if !constant.is_empty() && !constant.ends_with('_') {
            constant.push('_');
            was_small = false;
        }
    }
    let constant = constant.trim_end_matches('_');
    match constant.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => constant.to_owned(),
        _ => format!("OPERATION_{constant}"),
    }
}

#[cfg(test)]
mod tests {
    use super::constant;

    #[test]
    fn names_become_constants() {
        assert_eq!(constant("Radar::sweepOnce"), "RADAR_SWEEP_ONCE");
        assert_eq!(constant("get_2D"), "GET_2_D");
        assert_eq!(constant("3d é"), "OPERATION_3D");
        assert_eq!(constant("é"), "OPERATION_");
    }
}

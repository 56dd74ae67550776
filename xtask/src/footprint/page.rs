//! The results, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Record;

const INTRODUCTION: &str = include_str!("introduction.md");

/// The page.
pub(super) fn page(tables: &str) -> String {
    format!("{INTRODUCTION}\n{tables}")
}

/// The records, for programs.
pub(super) fn json(records: &[Record]) -> String {
    // They are numbers and names, which can be written in any case.
    serde_json::to_string_pretty(records).unwrap_or_default() + "\n"
}

/// Returns the tables of the programs' sizes, and of the components that these sizes
/// consist of.
pub(super) fn tables(records: &[Record]) -> String {
    let mut text = String::from(
        "## Programs\n\n\
         | system | program | executable | `.text` | ORB's libraries | libstdc++ | in all | \
         KiB resident at start | after 1,000 calls |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for record in records {
        let weight = &record.weight;
        let (start, called) = match record.resident {
            Some(resident) => (number(resident.start_kib), number(resident.called_kib)),
            None => (String::new(), String::new()),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {start} | {called} |",
            record.system,
            record.program,
            number(weight.executable),
            number(weight.text),
            number(weight.orb_libraries),
            number(weight.language_libraries),
            number(weight.total()),
        );
    }
    let systems: Vec<&str> = records
        .iter()
        .filter(|record| record.program == "server" && !record.components.is_empty())
        .map(|record| record.system.as_str())
        .collect();
    for program in ["server", "client"] {
        let _ = write!(text, "\n## Components of the {program}\n\n| component |");
        systems.iter().for_each(|system| {
            let _ = write!(text, " {system} |");
        });
        let _ = writeln!(text, "\n|---|{}", "--:|".repeat(systems.len()));
        text += &components(records, program, &systems);
    }
    text
}

/// The lines of the components of a program in each system, the largest first.
fn components(records: &[Record], program: &str, systems: &[&str]) -> String {
    let mut octets = BTreeMap::<&str, Vec<u64>>::new();
    for (column, system) in systems.iter().enumerate() {
        let is_it = |record: &&Record| record.system == *system && record.program == program;
        let found = records.iter().find(is_it);
        for component in found.into_iter().flat_map(|record| &record.components) {
            let row = octets.entry(&component.name);
            row.or_insert_with(|| vec![0; systems.len()])[column] = component.octets;
        }
    }
    let mut rows: Vec<_> = octets.into_iter().collect();
    rows.sort_by_key(|(_, octets)| std::cmp::Reverse(octets.last().copied()));
    let mut text = String::new();
    for (name, octets) in rows {
        let _ = write!(text, "| {name} |");
        octets.iter().for_each(|octets| {
            let _ = write!(text, " {} |", number(*octets));
        });
        text.push('\n');
    }
    text
}

/// A number with its thousands apart.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}

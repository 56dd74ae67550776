//! The results of a client, compared with the checks that are known to fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::record::record_checks;
use crate::{Check, HarnessError, KnownGaps};

/// Compares the checks that a client made of an interface, which an IDL file
/// declares, with the list of what is known to fail.
pub(crate) fn compare(
    client: &str,
    server: &str,
    version: &str,
    checks: &[Check],
    idl: &str,
    interface: &str,
) -> Result<(), HarnessError> {
    let outcomes = checks.iter();
    let outcomes = outcomes.map(|check| (&*check.name, check.outcome.is_ok()));
    record_checks(interface, client, server, version, outcomes)?;
    let gaps = KnownGaps::read(client, server)?;
    let beginning = format!("interface {interface} {{");
    let declared = declared_operations(idl, &beginning);
    let differences = differences(&gaps, version, checks, declared);
    if differences.is_empty() {
        return Ok(());
    }
    let what = format!("{client} calls {server} in GIOP {version}:\n{differences}");
    Err(HarnessError::Difference(what))
}

/// A line for each difference.
fn differences<'a>(
    gaps: &KnownGaps,
    version: &str,
    checks: &[Check],
    declared: impl Iterator<Item = &'a str>,
) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let mut tell = |name: &str, what: &str| _ = writeln!(text, "  {name}: {what}");
    let mut outcomes = BTreeMap::new();
    for check in checks {
        if outcomes.insert(&*check.name, &check.outcome).is_some() {
            tell(&check.name, "checked twice");
        }
    }
    for name in declared {
        if !outcomes.contains_key(name) {
            tell(name, "not checked");
        }
    }
    let known: Vec<&str> = gaps.of_giop(version).collect();
    for (name, outcome) in outcomes {
        match outcome {
            Err(why) if !known.contains(&name) => tell(name, why),
            Ok(()) if known.contains(&name) => tell(name, "passed, but is a known gap"),
            _ => {}
        }
    }
    text
}

/// The operations and attributes that an IDL file declares behind the line that
/// begins an interface.
fn declared_operations<'a>(
    idl: &'a str,
    interface: &str,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let interface = idl.split_once(interface);
    let statements = interface
        .map_or("", |(_, body)| body)
        .lines()
        .map(str::trim);
    statements
        .filter(|line| !line.starts_with("//"))
        .filter_map(|line| match line.split_once(" (") {
            Some((before, _)) if line.ends_with(");") => before.split(' ').next_back(),
            _ if line.contains("attribute ") => line.split(' ').next_back()?.strip_suffix(';'),
            _ => None,
        })
        // Clients check it by way of notify.
        .filter(|name| *name != "notified")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDL: &str = include_str!("../idl/param_test.idl");
    const INTERFACE: &str = "interface Param_Test {";

    #[test]
    fn the_idl_declares_operations_and_attributes() {
        let declared: Vec<_> = declared_operations(IDL, INTERFACE).collect();
        assert_eq!(declared.len(), 44);
        for name in ["test_short", "test_objref", "greeting", "level", "shutdown"] {
            assert!(declared.contains(&name), "{name} in {declared:?}");
        }
    }

    #[test]
    fn every_difference_has_a_line() {
        let gaps = KnownGaps::parse("1.1 test_long\n1.1 test_short").unwrap();
        let check = |name: &str, outcome: Result<(), &str>| Check {
            name: name.to_owned(),
            outcome: outcome.map_err(str::to_owned),
        };
        let mut checks: Vec<_> = declared_operations(IDL, INTERFACE)
            .filter(|name| *name != "shutdown")
            .map(|name| match name {
                "test_short" => check(name, Err("known")),
                "test_octet" => check(name, Err("unknown")),
                _ => check(name, Ok(())),
            })
            .collect();
        checks.push(check("level", Ok(())));
        assert_eq!(
            differences(&gaps, "1.1", &checks, declared_operations(IDL, INTERFACE)),
            "  level: checked twice\n  shutdown: not checked\n  \
             test_long: passed, but is a known gap\n  test_octet: unknown\n"
        );
        let later = differences(&gaps, "1.2", &checks, std::iter::empty());
        assert!(!later.contains("test_long"));
    }
}

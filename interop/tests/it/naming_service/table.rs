//! The table of cases, run against each service. Ours does what the standard says; where another
//! one does not, `differences.rs` and docs/naming.md list it.

use std::collections::BTreeMap;

use taut::Reference;
use taut_interop::param_test::serve;

use super::cases::{Fixture, OF_NAMES, OTHERS, of_name};
use super::differences::DIFFERENCES;
use super::services;

/// The ends of operations upon a name, by the name: for `resolve` and `unbind`, for `bind` and
/// its kin, for `rebind`, for `rebind_context`.
const OF_NAME: &[(&str, [&str; 4])] = &[
    ("", ["InvalidName"; 4]),
    (
        "nobody",
        ["NotFound missing_node nobody", "done", "done", "done"],
    ),
    ("nobody/x", ["NotFound missing_node nobody/x"; 4]),
    ("nobody/x/y", ["NotFound missing_node nobody/x/y"; 4]),
    ("room/nobody/x", ["NotFound missing_node nobody/x"; 4]),
    (
        "room/nobody",
        ["NotFound missing_node nobody", "done", "done", "done"],
    ),
    ("object/x", ["NotFound not_context object/x"; 4]),
    ("object/x/y", ["NotFound not_context object/x/y"; 4]),
    ("room/inner/x", ["NotFound not_context inner/x"; 4]),
    ("dead/x", ["CannotProceed x"; 4]),
    ("dead/x/y", ["CannotProceed x/y"; 4]),
    ("void/x", ["CannotProceed x"; 4]),
    ("void/x/y", ["CannotProceed x/y"; 4]),
    (
        "object",
        [
            "done",
            "AlreadyBound",
            "done",
            "NotFound not_context object",
        ],
    ),
    (
        "room/inner",
        ["done", "AlreadyBound", "done", "NotFound not_context inner"],
    ),
    (
        "room",
        ["done", "AlreadyBound", "NotFound not_object room", "done"],
    ),
    (
        "dead",
        ["done", "AlreadyBound", "NotFound not_object dead", "done"],
    ),
    (
        "object.kind",
        ["NotFound missing_node object.kind", "done", "done", "done"],
    ),
    // A component without id and kind is a component.
    (".", ["NotFound missing_node .", "done", "done", "done"]),
];

/// The ends of the other cases.
const OF_OTHERS: &[(&str, &str)] = &[
    ("bind nil", "done"),
    ("rebind nil", "done"),
    ("bind_context nil", "BAD_PARAM"),
    ("rebind_context nil", "BAD_PARAM"),
    ("resolve what is bound to nil", "nil"),
    ("new_context of a destroyed context", "OBJECT_NOT_EXIST"),
    ("list of a destroyed context", "OBJECT_NOT_EXIST"),
    ("destroy of a destroyed context", "OBJECT_NOT_EXIST"),
    ("resolve in a destroyed context", "OBJECT_NOT_EXIST"),
    ("unbind in a destroyed context", "OBJECT_NOT_EXIST"),
    ("bind in a destroyed context", "OBJECT_NOT_EXIST"),
    ("rebind in a destroyed context", "OBJECT_NOT_EXIST"),
    (
        "bind_new_context in a destroyed context",
        "OBJECT_NOT_EXIST",
    ),
    ("_non_existent of a destroyed context", "true"),
    ("destroy with entries", "NotEmpty"),
    ("destroy of the root with entries", "NotEmpty"),
    ("list of 0", "0 and an iterator"),
    ("list of fewer than there are", "3 and an iterator"),
    ("list of as many as there are", "4 and nil"),
    ("list of more than there are", "4 and nil"),
    ("next_n of 0", "BAD_PARAM"),
    ("next_n of fewer than there are", "true, 2"),
    ("next_n of all the rest", "true, 3"),
    ("next_n at the end", "false, 0"),
    ("next_one of the last", "true"),
    ("next_one at the end", "false"),
    ("next_one of a destroyed iterator", "OBJECT_NOT_EXIST"),
    ("to_string of no component", "InvalidName"),
    ("to_string of an empty component", "."),
    ("to_string with escapes", r"a\.b\/c.k\\"),
    ("to_name of nothing", "InvalidName"),
    ("to_name of .", "(, )"),
    ("to_name of a.", "InvalidName"),
    ("to_name of .k", "(, k)"),
    ("to_name of a.b.c", "InvalidName"),
    ("to_name of /a", "InvalidName"),
    ("to_name of a/", "InvalidName"),
    ("to_name of a//b", "InvalidName"),
    (r"to_name of a\", "InvalidName"),
    (r"to_name of a\b", "InvalidName"),
    (r"to_name of a\.b\/c.k\\", r"(a.b/c, k\)"),
    ("to_url of an address alone", "corbaname::h"),
    ("to_url without address", "InvalidAddress"),
    ("to_url with a key", "corbaname::h:99/Key#a/b.k"),
    ("to_url with escapes", "corbaname::h#a%20b%25%3cc"),
    ("to_url with a malformed address", "InvalidAddress"),
    ("to_url with a malformed port", "InvalidAddress"),
    ("to_url with a malformed name", "InvalidName"),
    ("resolve_str of nothing", "InvalidName"),
    ("resolve_str of a//b", "InvalidName"),
    ("resolve_str of nobody/x", "NotFound missing_node nobody/x"),
];

/// All cases with what the standard has them end with.
fn expected() -> BTreeMap<String, &'static str> {
    let mut expected = BTreeMap::new();
    for (name, [found, bound, rebound, context]) in OF_NAME {
        for operation in OF_NAMES {
            let end = match *operation {
                "resolve" | "unbind" => found,
                "rebind" => rebound,
                "rebind_context" => context,
                _ => bound,
            };
            expected.insert(format!("{operation} \"{name}\""), *end);
        }
    }
    expected.extend(
        OF_OTHERS
            .iter()
            .map(|(case, end)| ((*case).to_owned(), *end)),
    );
    expected
}

#[test]
fn each_operation_ends_in_each_case_as_the_standard_says() {
    let expected = expected();
    let mut faults = Vec::new();
    let services = services::all();
    for service in &services {
        let object = serve(&service.orb).unwrap().into_object();
        let mut ends = BTreeMap::new();
        for (name, _) in OF_NAME {
            for operation in OF_NAMES {
                let fixture = Fixture::new(&service.orb, &service.root, &object);
                let end = of_name(&fixture, operation, name);
                ends.insert(format!("{operation} \"{name}\""), end);
            }
        }
        for (case, run) in OTHERS {
            let fixture = Fixture::new(&service.orb, &service.root, &object);
            ends.insert((*case).to_owned(), run(&fixture));
        }
        assert_eq!(ends.len(), expected.len());
        for (case, end) in ends {
            let known = DIFFERENCES
                .iter()
                .find(|(of, known, _)| *of == service.name && *known == case);
            let standard = expected[&case];
            let should = known.map_or(standard, |(_, _, end)| end);
            if end != should || known.is_some() && should == standard {
                faults.push(format!("({:?}, {case:?}, {end:?}),", service.name));
            }
        }
    }
    assert!(faults.is_empty(), "\n    {}\n", faults.join("\n    "));
}

/// The page lists each difference, and no other.
#[test]
fn the_differences_are_on_the_page() {
    let page = test_tools::workspace_root().join("docs/naming.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut lines: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| omniORB |") || line.starts_with("| JacORB |"))
        .collect();
    let expected = expected();
    let mut cases: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (service, case, end) in DIFFERENCES {
        let ends = (service, end, expected[*case]);
        cases.entry(ends).or_default().push(format!("`{case}`"));
    }
    let mut rows: Vec<_> = cases
        .iter()
        .map(|((service, end, standard), cases)| {
            let cases = cases.join(", ");
            format!("| {service} | {cases} | {end} | {standard} |")
        })
        .collect();
    lines.sort_unstable();
    rows.sort_unstable();
    assert_eq!(lines, rows, "\n{}\n", rows.join("\n"));
}

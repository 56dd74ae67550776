//! `docs/interop.md`: what passes between Taut and other ORBs, from what the
//! tests against them recorded.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::capture;
use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

const PAGE: &str = "docs/interop.md";

/// The modules of tests that record what came of them.
const TESTS: [&str; 10] = [
    "param_test::",
    "construct_test::",
    "kept_connections::",
    "jacorb::",
    "jacorb_constructs::",
    "bidirectional::",
    "loss::",
    "forwards::",
    "persistence::",
    "unix_sockets::",
];

/// The variable by which tests find the directory for records.
pub(crate) const RECORDS: &str = "TAUT_INTEROP_RECORDS";

/// The pairings that have a table: client, server, title.
const PAIRINGS: [(&str, &str, &str); 4] = [
    ("taut", "omniorb", "Taut calls omniORB 4.2.5 (C++)"),
    ("omniorb", "taut", "omniORB 4.2.5 (C++) calls Taut"),
    ("taut", "jacorb", "Taut calls JacORB 3.9 (Java)"),
    ("jacorb", "taut", "JacORB 3.9 (Java) calls Taut"),
];

const VERSIONS: [&str; 4] = ["1.0", "1.1", "1.2", "1.2+fragments"];

/// The rows of a table, and the checks that belong to each.
const GROUPS: &[(&str, &str)] = &[
    (
        "Numbers, characters, booleans, enums",
        "test_short test_long test_longlong test_ushort test_ulong test_ulonglong test_float \
         test_double test_char test_boolean test_octet test_enum",
    ),
    (
        "Strings, also bounded and long",
        "test_unbounded_string test_bounded_string test_long_string",
    ),
    (
        "Structs",
        "test_fixed_struct test_var_struct test_nested_struct test_members",
    ),
    (
        "Sequences",
        "test_strseq test_struct_sequence test_bounded_sequence test_octet_seq test_char_seq \
         test_boolean_seq test_short_seq test_long_seq test_longlong_seq test_float_seq \
         test_double_seq test_enum_seq test_fixed_struct_seq test_nested_seq \
         test_bounded_nested",
    ),
    (
        "Arrays",
        "test_array test_array_2d test_string_array test_array_3d",
    ),
    (
        "Unions",
        "test_union_long test_union_short test_union_ushort test_union_ulong test_union_longlong \
         test_union_ulonglong test_union_char test_union_boolean test_union_enum test_union_seq",
    ),
    (
        "Wide characters and strings",
        "test_wchar test_wstring test_bounded_wstring test_wstring_seq",
    ),
    ("`fixed`", "test_fixed test_fixed_even"),
    ("`long double`", "test_longdouble"),
    (
        "Recursive types",
        "test_recursive_struct test_recursive_union",
    ),
    (
        "`any` and TypeCode",
        "test_any test_any_constructed test_any_nested test_any_seq test_typecode",
    ),
    (
        "Object references",
        "test_objref test_object is_a non_existent",
    ),
    ("Attributes", "greeting level place"),
    (
        "User and system exceptions",
        "raise_user raise_fault raise_system refused_value",
    ),
    ("Oneway operations", "notify shutdown"),
    ("Calls back to the caller, nested", "call_back"),
    (
        "Calls back over the caller's own connection",
        "bidirectional",
    ),
    ("Messages of 1 MiB and 15 MiB", "echo"),
    ("LocateRequest", "locate"),
    ("LOCATION_FORWARD", "forward"),
    ("A forward whose target dies", "lost_target"),
    ("A server that comes back", "restart"),
    ("A server that ends while it is called", "lost_server"),
    (
        "A persistent reference, through lives of its server",
        "persistent",
    ),
    ("The same, by way of a forwarder", "persistent_forwarded"),
    ("Calls over a Unix-domain socket alone", "unix"),
];

/// Runs the tests, and writes the page or checks that it says what they found.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    let records = clear_records(workspace)?;
    let mut test = workspace.cargo(&["test", "--package", "taut-interop", "--test", "it"]);
    test.arg("--").args(TESTS);
    test.env(RECORDS, &records).env("TAUT_REQUIRE_PEERS", "1");
    command::run(&mut test)?;
    write(workspace, check)
}

/// The directory for records.
pub(crate) fn records(workspace: &Workspace) -> PathBuf {
    workspace.build_directory("interop-records")
}

/// Empties the directory for records.
pub(crate) fn clear_records(workspace: &Workspace) -> Result<PathBuf, ChoreError> {
    let records = records(workspace);
    if records.exists() {
        fs::remove_dir_all(&records).map_err(file_error(&records))?;
    }
    fs::create_dir_all(&records).map_err(file_error(&records))?;
    Ok(records)
}

/// Writes the page from the records, or checks that it is as it would be
/// written.
pub(crate) fn write(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    let records = records(workspace);
    let mut page = "\
# Interoperation

The checks that pass between Taut and other ORBs: `cargo xtask interop` runs the tests
and writes this page. A cell says how many checks passed of how many; a check
calls an operation with all its values, as `in`, `inout`, `out` and result,
where it has some. `✓` is all of them, an empty cell a pairing that is not
tested. In *fragments*, Taut cuts its messages into pieces of 1,024 octets, as it
does in GIOP 1.2 only; in the other columns it cuts none. Below each table
stands what does not pass, and why: `interop/known_gaps/`, which fails the tests
when it is out of date.
"
    .to_owned();
    for (client, server, title) in PAIRINGS {
        let outcomes = read_records(&records, client, server)?;
        let gaps = workspace.path(&format!("interop/known_gaps/{client}-{server}.txt"));
        let gaps = fs::read_to_string(&gaps).map_err(file_error(&gaps))?;
        // Writing to a string does not fail.
        let _ = write!(page, "\n## {title}\n\n{}", table(&outcomes));
        let _ = write!(page, "\n```text\n{}```\n", gaps);
    }
    let known = workspace.path(capture::KNOWN);
    let known = fs::read_to_string(&known).map_err(file_error(&known))?;
    let _ = write!(
        page,
        "\n## Wireshark reads Taut\n\n`cargo xtask capture` captures the traffic of these tests \
         and has Wireshark's\ndissector of GIOP read every message that Taut sent, each fragment \
         for itself.\nIt finds these faults:\n\n```text\n{known}```\n"
    );
    let file = workspace.path(PAGE);
    if !check {
        return fs::write(&file, page).map_err(file_error(&file));
    }
    let present = fs::read_to_string(&file).map_err(file_error(&file))?;
    match present == page {
        true => Ok(()),
        false => Err(ChoreError::OutOfDate {
            path: file,
            remedy: "cargo xtask interop",
        }),
    }
}

/// The checks of a version that belong to a group: how many passed, of how many.
type Outcomes = BTreeMap<(&'static str, &'static str), (usize, usize)>;

fn read_records(records: &Path, client: &str, server: &str) -> Result<Outcomes, ChoreError> {
    let mut outcomes = Outcomes::new();
    let entries = fs::read_dir(records).map_err(file_error(records))?;
    for entry in entries {
        let path = entry.map_err(file_error(records))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let words: Vec<&str> = name.split(' ').collect();
        let [_, its_client, its_server, version] = words[..] else {
            return Err(strange(&path, "not a record's name"));
        };
        if (its_client, its_server) != (client, server) {
            continue;
        }
        let version = VERSIONS.into_iter().find(|known| *known == version);
        let version = version.ok_or_else(|| strange(&path, "an unknown version"))?;
        let text = fs::read_to_string(&path).map_err(file_error(&path))?;
        for line in text.lines() {
            let (outcome, check) = line.split_once(' ').unwrap_or_default();
            let group = group_of(check);
            let group = group.ok_or_else(|| strange(&path, "a check of no group"))?;
            let (passed, all) = outcomes.entry((group, version)).or_default();
            *passed += usize::from(outcome == "ok");
            *all += 1;
        }
    }
    Ok(outcomes)
}

fn group_of(check: &str) -> Option<&'static str> {
    let has = |checks: &str| checks.split_whitespace().any(|name| name == check);
    let group = GROUPS.iter().find(|(_, checks)| has(checks));
    group.map(|(title, _)| *title)
}

fn table(outcomes: &Outcomes) -> String {
    let mut table = "| | 1.0 | 1.1 | 1.2 | 1.2, fragments |\n".to_owned();
    table.push_str("|---|---|---|---|---|\n");
    for (group, _) in GROUPS {
        let cells = VERSIONS.map(|version| match outcomes.get(&(*group, version)) {
            Some((passed, all)) if passed == all => "✓".to_owned(),
            Some((passed, all)) => format!("{passed} of {all}"),
            None => String::new(),
        });
        if cells.iter().any(|cell| !cell.is_empty()) {
            let _ = writeln!(table, "| {group} | {} |", cells.join(" | "));
        }
    }
    table
}

fn strange(path: &Path, what: &str) -> ChoreError {
    ChoreError::Program {
        path: path.to_path_buf(),
        what: what.to_owned(),
    }
}

fn file_error(path: &Path) -> impl Fn(std::io::Error) -> ChoreError {
    let path = path.to_path_buf();
    move |source| ChoreError::File {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_by_group_and_version() {
        let records = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(records.path().join(name), text).unwrap();
        write("Param_Test taut omniorb 1.0", "ok level\nFAILED greeting\n");
        write("restart taut omniorb 1.2", "ok restart\n");
        write("restart omniorb taut 1.0", "ok restart\n");
        let outcomes = read_records(records.path(), "taut", "omniorb").unwrap();
        let expected = [
            (("A server that comes back", "1.2"), (1, 1)),
            (("Attributes", "1.0"), (1, 2)),
        ];
        assert!(outcomes.iter().eq(expected.iter().map(|(k, v)| (k, v))));
        let table = table(&outcomes);
        assert!(table.contains("| Attributes | 1 of 2 |  |  |  |\n"));
        assert!(table.ends_with("| A server that comes back |  |  | ✓ |  |\n"));
    }

    #[test]
    fn a_check_that_no_group_has_is_an_error() {
        let records = tempfile::tempdir().unwrap();
        let file = records.path().join("Param_Test taut omniorb 1.0");
        fs::write(file, "ok unheard_of\n").unwrap();
        assert!(read_records(records.path(), "taut", "omniorb").is_err());
    }
}

//! Wireshark as the judge of Taut's messages: the tests against other ORBs run
//! in a network of their own, their traffic is captured, and `tshark` reads it.
//!
//! Whose a message is, is told by the keys of the objects that are called: keys
//! of Taut's lead to Taut, others away from it. Peers among themselves are left
//! out. Taut's own reader of captures must count the same messages as `tshark`,
//! and find no fault either.

mod judge;
mod network;
mod ours;
mod packet;
mod tshark;

use std::fs;
use std::path::Path;

use crate::command::{self, ChoreError};
use crate::interop;
use crate::workspace::Workspace;

/// The complaints about Taut's messages that are known not to be faults.
pub(crate) const KNOWN: &str = "interop/known_gaps/wireshark.txt";

/// The tests whose traffic is judged: parts of their names that no other test has.
const SUITES: [&str; 10] = [
    "param_test::compiled::taut_to_omniorb",
    "param_test::compiled::omniorb_to_taut",
    "construct_test::compiled::taut_to_omniorb",
    "construct_test::compiled::omniorb_to_taut",
    "construct_test::interpretive::taut_to_omniorb",
    "construct_test::interpretive::omniorb_to_taut",
    "idl_contexts::",
    "value_types::compiled::",
    "value_types::interpretive::",
    "kept_connections::",
];

/// JacORB's tests wait for what it does not answer, most of a minute in all.
const SLOW_SUITES: [&str; 2] = ["jacorb::taut_to_jacorb", "jacorb::jacorb_to_taut"];

/// The options of a test program by which it leaves out the tests whose traffic is judged,
/// which [`run_where_allowed`] runs.
pub(crate) fn skipping() -> impl Iterator<Item = &'static str> {
    SUITES.into_iter().flat_map(|suite| ["--skip", suite])
}

/// Tells whether the system lets its user capture.
pub(crate) fn is_allowed() -> bool {
    network::is_allowed()
}

/// Runs the tests in a network of their own, captures their traffic and judges
/// it; with those against JacORB if `all`.
pub(crate) fn run(workspace: &Workspace, all: bool) -> Result<(), ChoreError> {
    // Nothing can be fetched from inside.
    let build = [
        "test",
        "--package",
        "taut-interop",
        "--test",
        "it",
        "--no-run",
    ];
    command::run(&mut workspace.cargo(&build))?;
    let directory = workspace.build_directory("capture");
    fs::create_dir_all(&directory).map_err(|source| ChoreError::File {
        path: directory.clone(),
        source,
    })?;
    judge::check_sight(&directory)?;
    let capture = directory.join("interop.pcapng");
    network::enter(&interop::records(workspace), all)?;
    judge::judge(&capture, &workspace.path(KNOWN))
}

/// [`run`] where the system lets it, else a word that it was left out. The tests'
/// records are added to those of the others. A capture of a busy machine may miss a
/// packet: then it is made once more.
pub(crate) fn run_where_allowed(workspace: &Workspace) -> Result<(), ChoreError> {
    if !network::is_allowed() {
        eprintln!("LEFT OUT: Wireshark's judgement, for nobody may capture here");
        return Ok(());
    }
    run(workspace, false).or_else(|error| {
        eprintln!("{error}; once more");
        run(workspace, false)
    })
}

/// The part of [`run`] that happens inside the network.
pub(crate) fn run_inside(workspace: &Workspace, all: bool) -> Result<(), ChoreError> {
    let capture = workspace.build_directory("capture").join("interop.pcapng");
    network::capture(&capture, || {
        let mut cargo = workspace.cargo(&["test", "--offline", "--package", "taut-interop"]);
        cargo.args(["--test", "it", "--"]).args(SUITES);
        if all {
            cargo.args(SLOW_SUITES);
        }
        command::run(cargo.env("TAUT_REQUIRE_PEERS", "1"))
    })
}

fn fault(path: &Path, what: impl Into<String>) -> ChoreError {
    ChoreError::Program {
        path: path.to_path_buf(),
        what: what.into(),
    }
}

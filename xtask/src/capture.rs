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
use crate::workspace::Workspace;

/// The complaints about Taut's messages that are known not to be faults.
pub(crate) const KNOWN: &str = "interop/known_gaps/wireshark.txt";

/// The tests whose traffic is judged: the binary, and what its tests are called.
const SUITES: &[(&str, &[&str])] = &[
    (
        "param_test",
        &["compiled::taut_to_omniorb", "compiled::omniorb_to_taut"],
    ),
    (
        "construct_test",
        &[
            "compiled::taut_to_omniorb",
            "compiled::omniorb_to_taut",
            "interpretive::taut_to_omniorb",
            "interpretive::omniorb_to_taut",
        ],
    ),
    ("contexts", &[]),
    ("value_types", &[]),
    ("value_types_interpretive", &[]),
    ("connections", &[]),
];

/// JacORB's tests wait for what it does not answer, most of a minute in all.
const SLOW_SUITES: &[(&str, &[&str])] = &[("jacorb", &["taut_to_jacorb", "jacorb_to_taut"])];

/// Runs the tests in a network of their own, captures their traffic and judges
/// it; with those against JacORB if `all`.
pub(crate) fn run(workspace: &Workspace, all: bool) -> Result<(), ChoreError> {
    // Nothing can be fetched from inside.
    command::run(&mut workspace.cargo(&["test", "--package", "taut-interop", "--no-run"]))?;
    let directory = workspace.build_directory("capture");
    fs::create_dir_all(&directory).map_err(|source| ChoreError::File {
        path: directory.clone(),
        source,
    })?;
    judge::check_sight(&directory)?;
    let capture = directory.join("interop.pcapng");
    network::enter(all)?;
    judge::judge(&capture, &workspace.path(KNOWN))
}

/// [`run`] where the system lets it, else a word that it was left out. A capture
/// of a busy machine may miss a packet: then it is made once more.
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
        let slow = if all { SLOW_SUITES } else { &[] };
        for (suite, tests) in SUITES.iter().chain(slow) {
            let mut cargo = workspace.cargo(&["test", "--offline", "--package", "taut-interop"]);
            cargo.args(["--test", suite, "--"]);
            cargo.args(*tests).env("TAUT_REQUIRE_PEERS", "1");
            command::run(&mut cargo)?;
        }
        Ok(())
    })
}

fn fault(path: &Path, what: impl Into<String>) -> ChoreError {
    ChoreError::Program {
        path: path.to_path_buf(),
        what: what.into(),
    }
}

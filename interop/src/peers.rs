//! Finding the programs of other ORBs.
//!
//! A test that gets `None` here has nothing to test and returns. Where every
//! peer must be there, `TAUT_REQUIRE_PEERS=1` in the environment makes the
//! absence of one a failure.

use std::path::PathBuf;
use std::process::Command;

use test_tools::found_or_left_out;

/// The program of this name that `cargo xtask peers` built with omniORB; see
/// [`test_tools::omniorb`].
///
/// `None`, with a line on standard error, when it is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn omniorb(program: &str) -> Option<PathBuf> {
    let found = test_tools::omniorb(program);
    found_or_left_out(found, &format!("omniORB's {program}"))
}

/// A program of this class that `cargo xtask peers` built with JacORB, ready to
/// be started: `ParamServer` or `ParamClient`.
///
/// `None`, with a line on standard error, when it or Java is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn jacorb(class: &str) -> Option<Command> {
    // A program that runs for seconds gains nothing from the second compiler.
    let found = test_tools::jacorb(class, &["-XX:TieredStopAtLevel=1"]);
    found_or_left_out(found, &format!("JacORB's {class}"))
}

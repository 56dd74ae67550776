//! The results of the tests, for the page that `cargo xtask interop` writes.

use std::path::PathBuf;
use std::{env, fs};

use crate::error::HarnessError;

/// The directory to keep records in.
const VARIABLE: &str = "TAUT_INTEROP_RECORDS";

/// Notes that a scenario passed, such as `restart`, with a client and a server
/// in a version of GIOP. Does nothing unless `TAUT_INTEROP_RECORDS` names a
/// directory.
///
/// # Errors
///
/// [`HarnessError::Resource`] when it cannot be written.
pub fn record(
    scenario: &str,
    client: &str,
    server: &str,
    version: &str,
) -> Result<(), HarnessError> {
    record_checks(scenario, client, server, version, [(scenario, true)])
}

/// The same for the checks of an interface, which passed or failed. There is a
/// file for each group, client, server and version, with a line for each check.
pub(crate) fn record_checks<'a>(
    group: &str,
    client: &str,
    server: &str,
    version: &str,
    checks: impl IntoIterator<Item = (&'a str, bool)>,
) -> Result<(), HarnessError> {
    let Some(directory) = env::var_os(VARIABLE).map(PathBuf::from) else {
        return Ok(());
    };
    let lines: String = checks
        .into_iter()
        .map(|(name, passed)| format!("{} {name}\n", if passed { "ok" } else { "FAILED" }))
        .collect();
    let file = directory.join(format!("{group} {client} {server} {version}"));
    fs::write(file, lines).map_err(|source| HarnessError::Resource {
        what: "file for a record",
        source,
    })
}

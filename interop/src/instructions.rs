//! Counting instructions.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{HarnessError, peers};

/// Counts the instructions of programs with valgrind, which counts the same however
/// busy the machine is.
#[derive(Debug)]
pub struct InstructionCounter {
    valgrind: PathBuf,
}

impl InstructionCounter {
    /// A counter. `None`, with a line on standard error, when valgrind is not there.
    ///
    /// # Panics
    ///
    /// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
    #[must_use]
    pub fn find() -> Option<Self> {
        let valgrind = peers::tool("valgrind")?;
        Some(Self { valgrind })
    }

    /// How many instructions a program takes from its start to its end.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Start`] when it cannot be started, [`HarnessError::Uncounted`]
    /// when it fails.
    pub fn count(&self, program: &Command) -> Result<u64, HarnessError> {
        let name = program.get_program().to_string_lossy();
        let mut command = Command::new(&self.valgrind);
        take_over(&mut command, program);
        let output = command.output();
        let output = output.map_err(|source| HarnessError::Start {
            program: format!("{name} under valgrind"),
            source,
        })?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match counted_in(&said).filter(|_| output.status.success()) {
            Some(count) => Ok(count),
            None => Err(HarnessError::Uncounted {
                program: name.into_owned(),
                said,
            }),
        }
    }

    /// The command that runs a program, of which somebody else takes care, and writes
    /// to the file `report` at its end what [`read`](Self::read) reads.
    #[must_use]
    pub fn reporting(&self, program: &Command, report: &Path) -> Command {
        let mut log = OsString::from("--log-file=");
        log.push(report);
        let mut command = Command::new(&self.valgrind);
        command.arg(log);
        take_over(&mut command, program);
        command
    }

    /// How many instructions a program took that has ended, as its report says.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Uncounted`] when it says nothing of that.
    pub fn read(report: &Path) -> Result<u64, HarnessError> {
        let said = fs::read_to_string(report).unwrap_or_else(|error| error.to_string());
        counted_in(&said).ok_or_else(|| HarnessError::Uncounted {
            program: report.display().to_string(),
            said,
        })
    }
}

/// Has valgrind run a program and count its instructions.
fn take_over(valgrind: &mut Command, program: &Command) {
    valgrind.args([
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]);
    valgrind.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
}

/// What valgrind says it counted.
fn counted_in(said: &str) -> Option<u64> {
    let (_, count) = said.lines().find_map(|line| line.split_once("refs:"))?;
    count.replace([',', ' '], "").parse().ok()
}

/// What is wrong where ten times the pieces cost more than twelve times the
/// instructions, as `cost` tells them; `what` they are the cost of.
///
/// # Errors
///
/// Those of `cost`.
pub fn beyond_linear(
    what: impl Display,
    pieces: usize,
    cost: impl Fn(usize) -> Result<u64, HarnessError>,
) -> Result<Option<String>, HarnessError> {
    let (few, many) = (cost(pieces)?, cost(10 * pieces)?);
    let found = format!("{what}: {few} instructions for {pieces}, {many} for ten times that");
    eprintln!("{found}");
    Ok((many > 12 * few).then_some(found))
}

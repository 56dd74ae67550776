//! Counting instructions.

use std::fmt::Display;
use std::path::PathBuf;
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
        let mut command = Command::new(&self.valgrind);
        command.args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ]);
        command.arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let name = program.get_program().to_string_lossy();
        let output = command.output().map_err(|source| HarnessError::Start {
            program: format!("{name} under valgrind"),
            source,
        })?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = said.lines().find_map(|line| line.split_once("refs:"));
        let count = count.and_then(|(_, count)| count.replace([',', ' '], "").parse().ok());
        match count.filter(|_| output.status.success()) {
            Some(count) => Ok(count),
            None => Err(HarnessError::Uncounted {
                program: name.into_owned(),
                said,
            }),
        }
    }
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

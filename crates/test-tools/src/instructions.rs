//! Counting instructions.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::presence;

/// Counts the instructions of programs with valgrind, which counts the same however
/// busy the machine is.
#[derive(Debug)]
pub struct InstructionCounter {
    valgrind: PathBuf,
}

/// The instructions that were counted in a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// How many instructions, 1 or more.
    pub instructions: u64,
    /// The text that the program wrote to standard output.
    pub output: String,
}

/// Why instructions were not counted.
#[derive(Debug)]
#[non_exhaustive]
pub enum CountError {
    /// Valgrind could not be started.
    Start {
        /// Valgrind's file.
        valgrind: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The program failed, or nothing in it was counted.
    Uncounted {
        /// The program.
        program: String,
        /// The text that it, and valgrind, wrote to standard error.
        said: String,
    },
}

impl InstructionCounter {
    /// A counter. `None`, with a line on standard error, when valgrind is not there.
    ///
    /// # Panics
    ///
    /// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
    #[must_use]
    pub fn find() -> Option<Self> {
        presence::tool("valgrind").map(|valgrind| Self { valgrind })
    }

    /// As [`find`](Self::find), for those who say themselves what they leave out.
    #[must_use]
    pub fn find_silently() -> Option<Self> {
        presence::on_path("valgrind").map(|valgrind| Self { valgrind })
    }

    /// How many instructions a program takes from its start to its end.
    ///
    /// # Errors
    ///
    /// [`CountError::Start`] when valgrind cannot be started, [`CountError::Uncounted`]
    /// when the program fails.
    pub fn count(&self, program: &Command) -> Result<u64, CountError> {
        let command = self.watching(&WHOLE, program);
        let counted = self.run(command, program, "refs:")?;
        Ok(counted.instructions)
    }

    /// How many instructions a program takes in a function and in what that calls. The
    /// function is named with its path, and may end with `*`; it must not be inlined.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count); [`CountError::Uncounted`] also when the function is not
    /// called.
    pub fn count_in(&self, function: &str, program: &Command) -> Result<Counted, CountError> {
        let toggle = format!("--toggle-collect={function}");
        let options = [
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            &toggle,
        ];
        let command = self.watching(&options, program);
        self.run(command, program, "Collected :")
    }

    /// How many instructions a function takes for each of many pieces: what it takes for
    /// twice as many of them beyond what it takes for these. `program` works on as many
    /// as it is told.
    ///
    /// # Errors
    ///
    /// As [`count_in`](Self::count_in).
    pub fn count_each(
        &self,
        function: &str,
        pieces: usize,
        program: impl Fn(usize) -> Command,
    ) -> Result<f64, CountError> {
        let count = |pieces| self.count_in(function, &program(pieces));
        let (few, many) = (count(pieces)?, count(2 * pieces)?);
        let more = many.instructions as f64 - few.instructions as f64;
        Ok(more / pieces as f64)
    }

    /// The command that runs a program, of which somebody else takes care, and writes
    /// to the file `report` at its end what [`read`](Self::read) reads.
    #[must_use]
    pub fn reporting(&self, program: &Command, report: &Path) -> Command {
        let mut log = OsString::from("--log-file=");
        log.push(report);
        let options: Vec<OsString> = (WHOLE.iter().map(OsString::from)).chain([log]).collect();
        self.watching(&options, program)
    }

    /// How many instructions a program took that has ended, as its report says.
    ///
    /// # Errors
    ///
    /// [`CountError::Uncounted`] when it says nothing of that.
    pub fn read(report: &Path) -> Result<u64, CountError> {
        let said = fs::read_to_string(report).unwrap_or_else(|error| error.to_string());
        number_after("refs:", &said).ok_or_else(|| CountError::Uncounted {
            program: report.display().to_string(),
            said,
        })
    }

    /// The command by which valgrind, with these options, runs a program.
    pub(crate) fn watching(&self, options: &[impl AsRef<OsStr>], program: &Command) -> Command {
        let mut valgrind = Command::new(&self.valgrind);
        valgrind.args(options);
        valgrind.arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => valgrind.env(name, value),
                None => valgrind.env_remove(name),
            };
        }
        valgrind
    }

    /// Runs valgrind's command, and reads the number after `label` in what it says.
    fn run(
        &self,
        mut command: Command,
        program: &Command,
        label: &str,
    ) -> Result<Counted, CountError> {
        let output = command.output().map_err(|source| CountError::Start {
            valgrind: self.valgrind.clone(),
            source,
        })?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let counted = number_after(label, &said).filter(|count| *count > 0);
        match counted.filter(|_| output.status.success()) {
            Some(instructions) => Ok(Counted {
                instructions,
                output: String::from_utf8_lossy(&output.stdout).into_owned(),
            }),
            None => Err(CountError::Uncounted {
                program: program.get_program().to_string_lossy().into_owned(),
                said,
            }),
        }
    }
}

/// The test program that runs, to run once more for one of its tests, which is ignored
/// otherwise: that is how a test has code counted that stands beside it.
///
/// # Panics
///
/// When the system does not tell which program runs.
#[must_use]
#[expect(clippy::expect_used, reason = "a test may fail by a panic")]
pub fn ignored_test(name: &str) -> Command {
    let this = env::current_exe().expect("a test knows its program");
    let mut program = Command::new(this);
    program.args([
        "--ignored",
        "--exact",
        name,
        "--test-threads=1",
        "--nocapture",
    ]);
    program
}

/// Valgrind's options by which it counts the instructions of a whole program.
const WHOLE: [&str; 3] = [
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
];

/// The number that follows a label in what valgrind says.
fn number_after(label: &str, said: &str) -> Option<u64> {
    let (_, count) = said.lines().find_map(|line| line.split_once(label))?;
    count.replace([',', ' '], "").parse().ok()
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { valgrind, source } => {
                write!(f, "cannot start {}: {source}", valgrind.display())
            }
            Self::Uncounted { program, said } => {
                write!(f, "the instructions of {program} were not counted: {said}")
            }
        }
    }
}

impl std::error::Error for CountError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } => Some(source),
            Self::Uncounted { .. } => None,
        }
    }
}

/// Returns the fault if ten times the pieces cost more than twelve times the instructions,
/// as `cost` tells them; `what` names the thing that they are the cost of.
///
/// # Errors
///
/// Those of `cost`.
pub fn beyond_linear(
    what: impl Display,
    pieces: usize,
    cost: impl Fn(usize) -> Result<u64, CountError>,
) -> Result<Option<String>, CountError> {
    let (few, many) = (cost(pieces)?, cost(10 * pieces)?);
    let found = format!("{what}: {few} instructions for {pieces}, {many} for ten times that");
    eprintln!("{found}");
    Ok((many > 12 * few).then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_after_their_labels() {
        let said = "==1== Command: x\n==1== I refs:        1,234,567\n==1== Collected : 89\n";
        assert_eq!(number_after("refs:", said), Some(1_234_567));
        assert_eq!(number_after("Collected :", said), Some(89));
        assert_eq!(number_after("Collected :", "==1== Collected : \n"), None);
        assert_eq!(number_after("refs:", ""), None);
    }

    #[test]
    fn more_than_linear_is_a_fault() {
        let found = |power| {
            let cost = |pieces: usize| Ok(pieces.pow(power) as u64);
            beyond_linear("it", 7, cost).unwrap()
        };
        assert_eq!(found(1), None);
        assert!(found(2).is_some_and(|fault| fault.starts_with("it: 49 instructions for 7")));
    }
}

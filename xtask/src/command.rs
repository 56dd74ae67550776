//! Running other programs, and what can go wrong with a chore.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fmt, io};

/// Why a chore was not done.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum ChoreError {
    /// A program could not be started.
    Start { command: String, source: io::Error },
    /// A program ended without success.
    Failed { command: String, status: ExitStatus },
    /// A file could not be read or written.
    File { path: PathBuf, source: io::Error },
    /// A program that was built is not as expected.
    Program { path: PathBuf, what: String },
    /// A page is not what would be written now.
    OutOfDate { path: PathBuf, remedy: &'static str },
    /// A module has no test that passed.
    NoTest { module: &'static str },
    /// Tests failed in some of their runs.
    Unsteady { tests: Vec<String> },
    /// Comments or pages have other faults of language than the baseline says.
    Language { why: String },
    /// The description of the workspace by Cargo could not be understood.
    Metadata { source: serde_json::Error },
    /// The generated code is larger than it may be.
    TooLarge { what: String },
    /// Packages are missing and cannot be installed from here.
    Missing {
        packages: Vec<&'static str>,
        why: &'static str,
    },
    /// A package is still not there after its installation.
    NotInstalled { packages: Vec<&'static str> },
}

impl fmt::Display for ChoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { command, source } => write!(f, "cannot start `{command}`: {source}"),
            Self::Failed { command, status } => write!(f, "`{command}` failed: {status}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Program { path, what } => write!(f, "{}: {what}", path.display()),
            Self::OutOfDate { path, remedy } => {
                write!(f, "{} is out of date: run `{remedy}`", path.display())
            }
            Self::NoTest { module } => write!(f, "no test of the module {module} has passed"),
            Self::Unsteady { tests } => write!(f, "failed now and then: {}", tests.join(", ")),
            Self::Language { why } => f.write_str(why),
            Self::Metadata { source } => write!(f, "the output of `cargo metadata`: {source}"),
            Self::TooLarge { what } => f.write_str(what),
            Self::Missing { packages, why } => write!(
                f,
                "{why}; install by hand what is missing (names of Debian's packages): {}",
                packages.join(" ")
            ),
            Self::NotInstalled { packages } => write!(
                f,
                "installed, but not found where they belong: {}",
                packages.join(" ")
            ),
        }
    }
}

impl std::error::Error for ChoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::File { source, .. } => Some(source),
            Self::Metadata { source } => Some(source),
            Self::Failed { .. }
            | Self::Program { .. }
            | Self::OutOfDate { .. }
            | Self::NoTest { .. }
            | Self::Unsteady { .. }
            | Self::Language { .. }
            | Self::TooLarge { .. }
            | Self::Missing { .. }
            | Self::NotInstalled { .. } => None,
        }
    }
}

/// Shows a command, runs it and waits for its success.
pub(crate) fn run(command: &mut Command) -> Result<(), ChoreError> {
    let shown = show(command);
    println!("+ {shown}");
    let status = command.status().map_err(|source| ChoreError::Start {
        command: shown.clone(),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(ChoreError::Failed {
            command: shown,
            status,
        })
    }
}

/// Shows a command, runs it, prints what it wrote to its standard output, and returns that.
pub(crate) fn run_and_read(command: &mut Command) -> Result<String, ChoreError> {
    let shown = show(command);
    println!("+ {shown}");
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| ChoreError::Start {
        command: shown.clone(),
        source,
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    if output.status.success() {
        Ok(text)
    } else {
        let status = output.status;
        Err(ChoreError::Failed {
            command: shown,
            status,
        })
    }
}

/// The file of a program that `PATH` leads to.
pub(crate) fn find_program(name: impl AsRef<Path>) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|directory| directory.join(name.as_ref()))
        .find(|candidate| candidate.is_file())
}

pub(crate) fn show(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    words.join(" ")
}

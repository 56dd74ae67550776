//! Running the command.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::{Command, Output};

use taut::{Orb, Poa, Reference};
use taut_naming::{Binding, BindingIterator, BindingIteratorSkeleton, BindingList};

/// The command, without the environment of whoever runs the tests.
pub(crate) fn taut() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taut"));
    command
        .env_remove("TAUT_ORB_ARGUMENTS")
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1");
    command
}

/// The outcome of running the command: what it wrote, then its status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The text on standard output.
    pub(crate) output: String,
    /// The text on standard error.
    pub(crate) errors: String,
    /// Its exit status.
    pub(crate) status: Option<i32>,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code(),
        }
    }
}

/// Runs the command with these arguments.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    taut().args(arguments).output().unwrap().into()
}

/// An object of Taut's that is no naming context, and its server, which ends
/// when this value is dropped.
pub(crate) struct LiveObject {
    /// Its stringified reference.
    pub(crate) reference: String,
    orb: Orb,
    poa: Poa,
}

impl LiveObject {
    /// A server that answers.
    pub(crate) fn start() -> Self {
        let object = Self::start_holding();
        object.poa.manager().activate().unwrap();
        object
    }

    /// A server that accepts connections and requests, and never answers.
    pub(crate) fn start_holding() -> Self {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = builder.build().unwrap();
        let poa = orb.root_poa().unwrap();
        let iterator = poa.activate(BindingIteratorSkeleton::new(Empty)).unwrap();
        Self {
            reference: iterator.as_object().to_string(),
            orb,
            poa,
        }
    }
}

impl Drop for LiveObject {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// An iterator over nothing.
struct Empty;

impl BindingIterator for Empty {
    fn next_one(&self) -> taut::Result<(bool, Binding)> {
        Ok((false, Binding::default()))
    }

    fn next_n(&self, _how_many: u32) -> taut::Result<(bool, BindingList)> {
        Ok((false, BindingList::new()))
    }

    fn destroy(&self) -> taut::Result<()> {
        Ok(())
    }
}

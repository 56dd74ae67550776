//! `taut-bench param-test`: each kind of parameter by code and by table: two-way calls, and
//! marshaling alone.
//!
//! [`compiled`] and [`interpretive`] are the same suite, marshaled by code and by table;
//! [`alone`] marshals without calls, and [`report`] shows both.

mod alone;
mod report;

/// The Rust of `idl/param_test.idl`, marshaled by code.
macro_rules! generated {
    () => {
        taut::include_idl!("param_test");
    };
}
#[path = "suite.rs"]
mod compiled;

/// The same, marshaled by table: for the module that follows.
macro_rules! generated {
    () => {
        taut::include_idl!("param_test_interpretive");
    };
}
#[expect(clippy::duplicate_mod, reason = "the same calls in the other strategy")]
#[path = "suite.rs"]
mod interpretive;

use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

pub(crate) use self::report::{ALONE, CALLS};
use crate::client::Client;
use crate::driver::{self, Plan, Turn};
use crate::error::BenchError;
use crate::goals::Marshaling;
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::record::of_case;
use crate::system::own_programs;

/// The elements of sequences, and the characters of strings.
const ELEMENTS: usize = 9;
const CHARACTERS: usize = 128;

/// The arguments of `taut-bench param-test`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("2000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
}

/// The type of an operation's parameters and result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Type {
    Short,
    UnboundedString,
    FixedStruct,
    StringSequence,
    VariableStruct,
    NestedStruct,
    StructSequence,
}

crate::options::display_as_option!(Type);

impl FromStr for Type {
    type Err = BenchError;

    fn from_str(word: &str) -> Result<Self, BenchError> {
        ValueEnum::from_str(word, false).map_err(|_| BenchError::request(word))
    }
}

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Serves the object; prints its reference as the first line.
    #[command(name = "param-test-server", hide = true)]
    Server {
        /// How its skeleton marshals.
        #[arg(long)]
        marshaling: Marshaling,
    },
    /// Calls the object.
    #[command(name = "param-test-client", hide = true)]
    Client {
        /// How its stub marshals.
        #[arg(long)]
        marshaling: Marshaling,
        /// The stringified reference.
        reference: String,
    },
}

impl Program {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the object cannot be served or is not there, and those of
    /// calls.
    pub(crate) fn run(self) -> Result<(), BenchError> {
        match self {
            Self::Server { marshaling } => match marshaling {
                Marshaling::Compiled => compiled::serve(),
                Marshaling::Interpretive => interpretive::serve(),
            },
            Self::Client {
                marshaling,
                reference,
            } => match marshaling {
                Marshaling::Compiled => compiled::call(&reference),
                Marshaling::Interpretive => interpretive::call(&reference),
            },
        }
    }
}

/// Measures calls over TCP, client and server on one CPU, and marshaling alone; shows two
/// tables.
///
/// # Errors
///
/// Those of [`Client`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let plan = arguments.turns.plan();
    let turn = |client, kind: Type| Turn {
        client,
        kind: Some(kind.to_string()),
    };
    let types = Type::value_variants();
    // The two of a type follow each other, so that both find the machine the same.
    let turns: Vec<_> = types
        .iter()
        .flat_map(|&kind| [turn(0, kind), turn(1, kind)])
        .collect();
    let mut clients = start(plan)?;
    let rounds = driver::take_turns(plan, &mut clients, &turns)?;
    let mut rows = report::calls(plan.calls, &rounds);
    rows.extend(alone::measure(plan)?);
    print!(
        "{}{}",
        CALLS.text(&of_case(&rows, "call")),
        ALONE.text(&of_case(&rows, "alone"))
    );
    arguments.output.write("param-test", rows)
}

/// Starts a client and a server of each strategy.
fn start(plan: Plan) -> Result<Vec<Client>, BenchError> {
    let placement = Placement::here(Mode::Same)?;
    let start = |marshaling| {
        let mut programs = own_programs("param-test-server", "param-test-client")?;
        let option = format!("--marshaling={marshaling}");
        programs.server.arg(&option);
        programs.client.arg(&option);
        Client::start(programs, placement, plan.time_out)
    };
    let both = [Marshaling::Compiled, Marshaling::Interpretive];
    both.into_iter().map(start).collect()
}

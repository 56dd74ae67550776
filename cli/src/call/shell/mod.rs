//! `taut shell`: calls, line by line.

mod complete;
mod editor;
mod session;
mod words;

use std::io::{self, IsTerminal};

use clap::ValueHint;

use super::interface::Knowledge;
use crate::failure::Failure;
use crate::input::{self, Lines};
use crate::objects::orb;
use crate::reference_text::ReadOptions;
use editor::Editor;
use session::{Next, Session};

/// Call operations of an object line by line, with completion and history
///
/// A line is an operation and its arguments, as taut call takes them; JSON needs no quotes around
/// it. The tabulator completes operations, attributes, parameters, members and enumerators. Results
/// are numbered: $1 in a later line stands for the first one, and use $1 goes on with the object
/// that it refers to. Where standard input is no terminal, its lines are carried out one by one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: that of the last line for a terminal is 0; elsewhere 0 when all lines succeeded, and 1
when one failed, behind which the others are carried out all the same.

Lines:
  deposit amount=100
  get balance
  resolve n=[{\"id\": \"bank\", \"kind\": \"\"}]
  use $1
  help

Examples:
  taut shell --idl bank.idl @/var/run/bank.ior
  taut shell --idl CosNaming.idl corbaloc::example.com/NameService < lines")]
pub(crate) struct Arguments {
    /// The object: IOR:…, corbaloc:…, corbaname:… or @FILE
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    #[command(flatten)]
    knowledge: Knowledge,
    /// Give up each call after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_hint = ValueHint::Other)]
    timeout: u32,
    /// Write each result as JSON in one line, for programs; exceptions too, to standard output
    #[arg(long)]
    json: bool,
    /// Keep no lines for the next time
    #[arg(long)]
    no_history: bool,
    /// Read lines of at most this many octets, where standard input is no terminal
    #[arg(long, value_name = "OCTETS", default_value_t = 16 << 20, value_hint = ValueHint::Other)]
    max_line_size: usize,
    #[command(flatten)]
    read: ReadOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When the object does not answer, or a line failed where nobody sees it.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    let orb = orb(orb_arguments, |_| {})?;
    let mut session = Session::new(&orb, arguments)?;
    if io::stdin().is_terminal() {
        let mut editor = Editor::new(!arguments.no_history)?;
        while let Some(line) = editor.line(&session.interface)? {
            match session.line(&line) {
                Ok(Next::Line) => {}
                Ok(Next::End) => break,
                Err(failure) => {
                    let _ = failure.report();
                }
            }
        }
        return Ok(());
    }
    let mut lines = Lines::open(input::STANDARD_INPUT, arguments.max_line_size)?;
    let mut outcome = Ok(());
    while let Some(line) = lines.next()? {
        match session.line(&line) {
            Ok(Next::Line) => {}
            Ok(Next::End) => break,
            // Nobody reads on.
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            Err(Failure::Reported) => outcome = Err(Failure::Reported),
            Err(failure) => {
                let _ = lines.fault(failure).report();
                outcome = Err(Failure::Reported);
            }
        }
    }
    outcome
}

//! `taut replay`: recorded calls, made again.

mod caller;
mod compare;
mod report;

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use clap::ValueHint;
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::input::Lines;
use crate::interfaces::{self, Sources};
use crate::record::catalog::Catalog;
use crate::record::line;
use crate::reference_text::ReadOptions;
use caller::Caller;
use compare::{Comparison, References};
use report::Report;

/// Make the calls of a recording again, at another object, and compare the outcomes
///
/// Calls are made one by one in the order of their lines: the order in which they ended. A
/// reference in an argument that came from an earlier result is replaced by that of this time. Two
/// references count as the same, and so do system exceptions that differ in their minor codes
/// alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 when all outcomes are the same, 1 when one differs or a call could not be made, 2
when the command line is wrong.

Calls that were recorded by their types need the same IDL here. Left out are calls of other objects
at the same server, and those that the server forwarded. Octets in another byte order than the
recorded ones are not compared.

Examples:
  taut replay --idl bank.idl calls.jsonl @/var/run/other-bank.ior
  taut replay --idl bank.idl --only deposit --speed 1 calls.jsonl @bank.ior
  taut replay --json calls.jsonl corbaloc::example.com:2809/NameService")]
pub(crate) struct Arguments {
    /// The recording, made by taut record; - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    /// The object: IOR:…, corbaloc:…, corbaname:… or @FILE
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    #[command(flatten)]
    sources: Sources,
    /// Keep the pauses between the calls, divided by this; 1 is the recorded speed. Without it
    /// there are no pauses
    #[arg(long, value_name = "FACTOR", value_parser = speed, value_hint = ValueHint::Other)]
    speed: Option<f64>,
    /// Make the calls of this operation alone; repeatable
    #[arg(long, value_name = "OPERATION", value_hint = ValueHint::Other)]
    only: Vec<String>,
    /// Give up each call after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_hint = ValueHint::Other)]
    timeout: u32,
    /// Write JSON: an object for each difference, on a line of its own, and one with the numbers
    #[arg(long)]
    json: bool,
    /// Read lines of at most this many octets
    #[arg(long, value_name = "OCTETS", default_value_t = 64 << 20, value_hint = ValueHint::Other)]
    max_line_size: usize,
    #[command(flatten)]
    read: ReadOptions,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if speed > 0.0 && f64::is_finite(speed) => Ok(speed),
        _ => Err("a number above 0, such as 1 or 2.5".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
///
/// When the recording cannot be read, a call cannot be made, or an outcome differs.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    let all = interfaces::read(&arguments.sources.idl, &arguments.sources.include)?;
    let mut lines = Lines::open(&arguments.file, arguments.max_line_size)?;
    let mut caller = Caller::new(arguments, orb_arguments)?;
    let catalog = Catalog::new(&all, caller.type_id());
    let mut references = References::default();
    let mut report = Report::new(arguments.json);
    let mut pace = Pace::new(arguments.speed);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let line: Json = serde_json::from_str(&line)
            .map_err(|error| lines.fault(format_args!("it is no JSON: {error}")))?;
        if let Some(format) = line.get(line::RECORDING) {
            if format.as_u64() != Some(line::FORMAT.into()) {
                let fault = format_args!("the recording's format {format} is not known");
                return Err(lines.fault(fault));
            }
            for name in ["reference", "target"] {
                if let Some(recorded) = line.get(name).and_then(Json::as_str) {
                    references.insert(recorded, caller.reference());
                }
            }
            continue;
        }
        let operation = line.get(line::OPERATION).and_then(Json::as_str);
        let operation = operation.ok_or_else(|| lines.fault("there is no `operation` in it"))?;
        let is_chosen =
            arguments.only.is_empty() || arguments.only.iter().any(|one| one == operation);
        let is_elsewhere = line.get(line::OBJECT).is_some() || line.get("forwarded").is_some();
        if !is_chosen || is_elsewhere {
            report.left_out += 1;
            continue;
        }
        pace.wait(line.get(line::TIME).and_then(Json::as_str));
        let made = caller.call(&catalog, operation, &line, &references);
        let mut comparison = Comparison::default();
        match made {
            Ok(outcome) => comparison.compare(&line, outcome.as_ref(), &mut references),
            Err(fault) => comparison.not_made(fault),
        }
        report.add(lines.number(), operation, comparison)?;
    }
    report.end()
}

/// The pauses between calls.
struct Pace {
    speed: Option<f64>,
    /// When the first call was made, then and now.
    begin: Option<(SystemTime, Instant)>,
}

impl Pace {
    fn new(speed: Option<f64>) -> Self {
        Self { speed, begin: None }
    }

    /// Waits until a call is due that was made at this time.
    fn wait(&mut self, time: Option<&str>) {
        let time = time.and_then(|time| humantime::parse_rfc3339(time).ok());
        let (Some(speed), Some(time)) = (self.speed, time) else {
            return;
        };
        let (first, begin) = *self.begin.get_or_insert_with(|| (time, Instant::now()));
        // Lines are in the order of ends: one may have begun before the first.
        let after = time.duration_since(first).unwrap_or_default();
        let after = Duration::try_from_secs_f64(after.as_secs_f64() / speed);
        let due = begin.checked_add(after.unwrap_or(Duration::MAX));
        if let Some(due) = due {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}

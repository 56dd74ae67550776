//! `taut schedule feedback`: measured execution times put into the file that describes operations.

use clap::{ArgGroup, ValueHint};
use taut_sys::file::replace;

use super::files::{self, Described};
use super::recording;
use crate::failure::Failure;
use crate::input;
use crate::output;

/// Put measured execution times into the file that describes operations
///
/// The worst-case execution time of each operation that was measured becomes the longest time that
/// it took, with a margin; its typical time becomes the measured one. All else stays as it is,
/// comments too. Executions that took longer than their worst case are warned of.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("times").required(true)))]
#[command(after_help = "\
Examples:
  taut schedule feedback --measured times.toml --margin 20 avionics.toml
  taut schedule feedback --recorded timeline.json --in-place avionics.toml")]
pub(super) struct Arguments {
    /// The TOML file that describes the operations; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    /// Take the times of this TOML file, which a dispatcher's report has written
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "times")]
    measured: Option<String>,
    /// Take the times of this trace, which was recorded while the program ran
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "times")]
    recorded: Option<String>,
    /// Add so much to the longest times, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_hint = ValueHint::Other)]
    margin: u32,
    /// Write the file itself instead of standard output
    #[arg(long)]
    in_place: bool,
}

/// Runs the command.
///
/// # Errors
///
/// When a file is wrong, or the output cannot be written.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.in_place && arguments.file == input::STANDARD_INPUT {
        return Err(Failure::new("standard input cannot be written in place"));
    }
    let mut file = Described::read(&arguments.file)?;
    let measurements = match (&arguments.recorded, &arguments.measured) {
        (Some(path), _) => recording::measurements(path)?,
        (None, measured) => files::measurements(measured.as_deref().unwrap_or_default())?,
    };
    let repository = &mut file.description.repository;
    let anomalies = measurements.apply(repository, arguments.margin);
    file.show(&anomalies);
    let changed = measurements.feed_back(&file.text, arguments.margin);
    let changed = changed.map_err(Failure::new)?;
    match arguments.in_place {
        false => Ok(output::write_code(&changed)?),
        true => replace(arguments.file.as_ref(), changed.as_bytes()).map_err(|error| {
            Failure::Message(format!("{} cannot be written: {error}", arguments.file))
        }),
    }
}

//! `taut schedule feedback`: measured execution times put into the file that describes operations.

use std::path::PathBuf;

use clap::{ArgGroup, ValueHint};
use taut_scheduling::{Description, Limits, Measurements, Severity};

use super::recording;
use crate::failure::Failure;
use crate::input;
use crate::output::{self, ERROR, HEADING};

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
    let limit = Limits::default().max_file_octets;
    let text = input::read_text(&arguments.file, limit)?;
    let measurements = measurements(arguments, limit)?;
    let description = Description::from_toml(&text);
    let wrong = |error: taut_scheduling::FileError| {
        output::complain(&format!("{}\n", error.render(&arguments.file, &text)));
        Failure::new("the file describes no schedule")
    };
    let mut description = description.map_err(wrong)?;
    for anomaly in measurements.apply(&mut description.repository, arguments.margin) {
        let shown = description.render(&anomaly, &arguments.file, &text);
        let style = if anomaly.severity >= Severity::Error {
            ERROR
        } else {
            HEADING
        };
        let (first, rest) = shown.split_once(':').unwrap_or((&shown, ""));
        output::complain(&format!("{style}{first}{style:#}:{rest}\n"));
    }
    let changed = measurements
        .feed_back(&text, arguments.margin)
        .map_err(wrong)?;
    match arguments.in_place {
        false => Ok(output::write(&changed)?),
        true => replace(&PathBuf::from(&arguments.file), &changed),
    }
}

/// The measured times.
fn measurements(arguments: &Arguments, limit: usize) -> Result<Measurements, Failure> {
    if let Some(path) = &arguments.recorded {
        return recording::measurements(path);
    }
    let path = arguments.measured.as_deref().unwrap_or_default();
    let text = input::read_text(path, limit)?;
    Measurements::from_toml(&text).map_err(|error| {
        output::complain(&format!("{}\n", error.render(path, &text)));
        Failure::new("the file has no measured times")
    })
}

/// Puts a text into a file: all of it, or none.
pub(super) fn replace(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".new");
    let written = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    written
        .map_err(|error| Failure::Message(format!("{} cannot be written: {error}", path.display())))
}

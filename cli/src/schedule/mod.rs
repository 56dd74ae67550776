//! `taut schedule`: whether operations meet their deadlines, and the service that tells.

mod feedback;
mod files;
mod json;
mod recording;
mod serve;
mod table;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueHint};
use taut_scheduling::{
    Analysis, Description, Faults, Options, Phasing, Preemption, Strategy, TaskSet, analyze,
    growth, parse_time, simulate,
};

use self::files::Described;
use crate::failure::Failure;
use crate::output;

/// Tell whether operations meet their deadlines, before they run
///
/// Reads a TOML file that describes operations: worst-case execution times, periods, the operations
/// that they call; feeds measured times back into it, and serves it to programs. The strategies are
/// rms, rms-deferred (with preemption between operations only), edf, muf and mlf.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check whether all deadlines hold
    ///
    /// Errors, warnings and notes go to standard error, with the operations and the time that is
    /// missing; a file in which all deadlines hold gives no other output.
    #[command(after_help = "\
Exit status: 0 when all deadlines hold, 1 when one does not or the file is wrong, 2 when the
command line is wrong.

Examples:
  taut schedule check avionics.toml
  taut schedule check --strategy edf --measured times.toml --margin 20 avionics.toml")]
    Check {
        #[command(flatten)]
        source: Source,
        /// Write the verdict on each task as JSON, as report --no-growth --json does
        #[arg(long)]
        json: bool,
    },
    /// Show priorities, response times and room to grow
    ///
    /// Writes a table of all tasks: period, deadline, total execution time, priority, the longest
    /// response time, and by how much the operation may grow until a deadline is missed.
    #[command(after_help = "\
Response times with ~ are those of a simulation, and not a bound. Exit status: as with check.

Examples:
  taut schedule report avionics.toml
  taut schedule report --json avionics.toml | jq '.tasks[].response_ns'")]
    Report {
        #[command(flatten)]
        source: Source,
        /// Write JSON
        #[arg(long)]
        json: bool,
        /// Leave out by how much operations may grow, which takes long for many operations
        #[arg(long)]
        no_growth: bool,
    },
    /// Execute the operations on paper
    ///
    /// Simulates two hyperperiods, or the time that is given, and writes what became of each task's
    /// jobs. A picture and a trace show who has the processor when.
    #[command(after_help = "\
Exit status: 0 when no job misses its deadline, 1 when one does or the file is wrong, 2 when the
command line is wrong.

Examples:
  taut schedule simulate avionics.toml --until 200ms --svg timeline.svg
  taut schedule simulate avionics.toml --trace timeline.json   (opens in ui.perfetto.dev)")]
    Simulate {
        #[command(flatten)]
        source: Source,
        /// Simulate this long, such as 200ms
        #[arg(long, value_name = "TIME", value_parser = parse_time, value_hint = ValueHint::Other)]
        until: Option<u64>,
        /// Write a picture of the timeline to this file
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        svg: Option<PathBuf>,
        /// Write the timeline to this file, as JSON for Perfetto or Chrome
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        trace: Option<PathBuf>,
        /// Write JSON instead of the table
        #[arg(long)]
        json: bool,
    },
    Feedback(feedback::Arguments),
    Serve(serve::Arguments),
}

/// The file, and what is to be different from what it says.
#[derive(Debug, clap::Args)]
struct Source {
    /// The TOML file that describes the operations; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    /// Take this strategy instead of the file's: rms, rms-deferred, edf, muf, mlf
    #[arg(long, value_name = "STRATEGY", value_hint = ValueHint::Other)]
    strategy: Option<Strategy>,
    /// Preempt here instead of where the file says: anywhere, between-operations
    #[arg(long, value_name = "WHERE", value_hint = ValueHint::Other)]
    preemption: Option<Preemption>,
    /// Reckon with any first releases, or with the offsets: any, offsets
    #[arg(long, value_name = "WHICH", value_hint = ValueHint::Other)]
    phasing: Option<Phasing>,
    /// Replace worst-case execution times by the measured ones of this TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    measured: Option<String>,
    /// Add so much to measured times, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_hint = ValueHint::Other)]
    margin: u32,
}

/// A file that has been read, with the tasks that come of it.
struct Input {
    file: Described,
    tasks: TaskSet,
}

/// Runs the command.
///
/// # Errors
///
/// When the file is wrong, a deadline is missed, or the output cannot be written.
pub(crate) fn run(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    match &arguments.command {
        Command::Feedback(arguments) => feedback::run(arguments),
        Command::Serve(arguments) => serve::run(arguments, orb_arguments),
        Command::Check { source, json: true } => report(source, true, true),
        Command::Check { source, .. } => {
            let input = Input::read(source)?;
            input.verdict(&input.analyze()?)
        }
        Command::Report {
            source,
            json,
            no_growth,
        } => report(source, *json, *no_growth),
        Command::Simulate {
            source,
            until,
            svg,
            trace,
            json,
        } => simulation(source, *until, (svg.as_deref(), trace.as_deref()), *json),
    }
}

impl Input {
    fn read(source: &Source) -> Result<Self, Failure> {
        let mut file = Described::read(&source.file)?;
        let Description {
            options,
            repository,
            ..
        } = &mut file.description;
        options.strategy = source.strategy.unwrap_or(options.strategy);
        options.preemption = source.preemption.unwrap_or(options.preemption);
        options.phasing = source.phasing.unwrap_or(options.phasing);
        let mut anomalies = Vec::new();
        if let Some(path) = &source.measured {
            anomalies = files::measurements(path)?.apply(repository, source.margin);
        }
        let tasks = TaskSet::of(repository, &options.limits);
        let tasks = tasks.map_err(|Faults(faults)| {
            file.show(&faults);
            Failure::new("the file describes no schedule")
        })?;
        file.show(&anomalies);
        Ok(Self { file, tasks })
    }

    fn options(&self) -> &Options {
        &self.file.description.options
    }

    fn analyze(&self) -> Result<Analysis, Failure> {
        analyze(&self.tasks, self.options()).map_err(Failure::new)
    }

    /// Writes the anomalies of an analysis; fails if a deadline is missed.
    fn verdict(&self, analysis: &Analysis) -> Result<(), Failure> {
        self.file.show(&analysis.anomalies);
        let missed = analysis.tasks.iter().filter(|task| !task.is_feasible);
        missed_by(missed.count(), self.tasks.tasks.len())
    }
}

/// Fails if tasks miss their deadlines.
fn missed_by(missed: usize, all: usize) -> Result<(), Failure> {
    match missed {
        0 => Ok(()),
        missed => Err(Failure::new(format!(
            "{missed} of {all} tasks miss their deadlines"
        ))),
    }
}

/// Writes the table of tasks.
fn report(source: &Source, as_json: bool, no_growth: bool) -> Result<(), Failure> {
    let input = Input::read(source)?;
    let analysis = input.analyze()?;
    let (repository, options) = (&input.file.description.repository, input.options());
    let growths = input.tasks.tasks.iter().map(|task| match no_growth {
        true => Ok(None),
        false => growth(repository, options, task.operation).map(Some),
    });
    let growths: Vec<_> = growths.collect::<Result<_, _>>().map_err(Failure::new)?;
    match as_json {
        true => {
            let text = json::report(&input.tasks, &analysis, &growths, options);
            output::write(&text.map_err(std::io::Error::from)?)?;
        }
        false => output::write(&table::report(&input.tasks, &analysis, &growths, options))?,
    }
    input.verdict(&analysis)
}

/// Simulates, and writes what has happened.
fn simulation(
    source: &Source,
    until: Option<u64>,
    (svg, trace): (Option<&Path>, Option<&Path>),
    as_json: bool,
) -> Result<(), Failure> {
    let input = Input::read(source)?;
    let simulation = simulate(&input.tasks, input.options(), until);
    let simulation = simulation.map_err(Failure::new)?;
    let write = |path: &Path, text: String| {
        std::fs::write(path, text).map_err(|error| {
            Failure::Message(format!("{} cannot be written: {error}", path.display()))
        })
    };
    if let Some(path) = svg {
        write(path, simulation.timeline.to_svg())?;
    }
    if let Some(path) = trace {
        write(path, simulation.timeline.to_trace_json())?;
    }
    output::write(&match as_json {
        true => json::simulation(&input.tasks, &simulation).map_err(std::io::Error::from)?,
        false => table::simulation(&input.tasks, &simulation),
    })?;
    let tasks = 0..input.tasks.tasks.len();
    let missed = tasks.filter(|task| simulation.misses(*task) > 0);
    missed_by(missed.count(), input.tasks.tasks.len())
}

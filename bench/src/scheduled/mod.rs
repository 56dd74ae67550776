//! `taut-bench scheduled`: whether what the analysis says of deadlines is what happens, while the
//! CPU has ever more to do that has none.
//!
//! [`set`] has the operations, [`load`] the rest of the work; the dispatcher of `taut-scheduling`
//! executes the operations, [`watch`] sees when the CPU was away, [`misses`] judges missed
//! deadlines by that, [`report`] shows what has become of all.

mod load;
mod misses;
mod report;
mod set;
mod watch;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use taut_scheduling::dispatcher::{Dispatcher, Priorities, Report};
use taut_scheduling::{Analysis, Handle, Preemption, Schedule, TaskSet, analyze, may_miss};
use taut_sys::cpu;

use self::load::{Load, compute};
use self::misses::Miss;
pub(crate) use self::report::{AWAY, JOBS, MISSES};
use self::set::{Rule, Set};
use self::watch::{Pauses, Watch};
use crate::error::BenchError;
use crate::options::Output;

/// The arguments of `taut-bench scheduled`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Seconds for which the feasible set runs by each strategy
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// Seconds for which the infeasible set runs by each strategy
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    infeasible_seconds: u64,
    /// Threads without deadlines on the same CPU, in the end: they come one after the other
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(..=1_000))]
    load: u32,
    /// The CPU; by default the last that the process may use
    #[arg(long, value_name = "N")]
    cpu: Option<usize>,
    /// The strategies
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Rule::Rms, Rule::Edf])]
    strategies: Vec<Rule>,
    /// The sets of operations
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Set::Feasible, Set::Infeasible])]
    sets: Vec<Set>,
    /// Write timelines of the last second to this directory, as pictures and as traces
    #[arg(long, value_name = "DIR")]
    timelines: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// The longest share of its worst case that an operation computes: the rest is for the loop that
/// looks at the clock.
const SHARE: f64 = 0.98;

/// The part of the end that timelines show.
const SHOWN_NS: u64 = 1_000_000_000;

/// How often the most frequent operation is released in a second.
const MOST_JOBS_A_SECOND: u64 = 40;

/// The outcome of a set by a strategy.
struct Outcome {
    set: Set,
    rule: Rule,
    seconds: u64,
    load: u32,
    tasks: TaskSet,
    analysis: Analysis,
    may_miss: BTreeSet<Handle>,
    report: Report,
    pauses: Pauses,
    /// The deadlines that were missed, but for those that may be.
    misses: Vec<Miss>,
}

impl Outcome {
    /// The operations that missed deadlines, or whose releases were left out, more often than the
    /// machine's pauses account for.
    fn unaccounted(&self) -> Vec<String> {
        let mut late = Vec::new();
        let numbered = (0..).map(Handle).zip(&self.report.operations);
        for (operation, one) in numbered.filter(|(it, _)| !self.may_miss.contains(it)) {
            let missed = one.missed + one.skipped;
            let of_the_machine = report::count(self, Some(operation), true);
            if missed > of_the_machine {
                let times = missed - of_the_machine;
                let (name, set, rule) = (&one.name, self.set, self.rule);
                late.push(format!(
                    "`{name}` of the {set} set by {rule}: {times} times"
                ));
            }
        }
        late
    }
}

/// Runs each set by each strategy, shows a table for each, and writes the records.
///
/// # Errors
///
/// [`BenchError::Dispatch`] when the process may not give real-time priorities;
/// [`BenchError::Late`], once all is written, when an operation missed a deadline that the analysis
/// says it keeps, and the CPU was not away for so long that it could not; those of writing the
/// files.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("the CPUs of the process"))?;
    let cpu = arguments.cpu.or(allowed.last().copied()).unwrap_or(0);
    let mut rows = Vec::new();
    let mut late = Vec::new();
    for set in &arguments.sets {
        for rule in &arguments.strategies {
            let outcome = execute(arguments, *set, *rule, cpu)?;
            if let Some(directory) = &arguments.timelines {
                write_timelines(directory, &outcome)?;
            }
            let parts = report::rows(&outcome);
            for (layout, own) in [JOBS, AWAY, MISSES].iter().zip(&parts) {
                print!("{}", layout.text(own));
            }
            rows.extend(parts.into_iter().flatten());
            late.extend(outcome.unaccounted());
        }
    }
    arguments.output.write("scheduled", rows)?;
    match late.is_empty() {
        true => Ok(()),
        false => Err(BenchError::Late {
            what: late.join("; "),
        }),
    }
}

/// Executes a set by a strategy, for its time.
fn execute(arguments: &Arguments, set: Set, rule: Rule, cpu: usize) -> Result<Outcome, BenchError> {
    let (repository, options) = (set.repository(), rule.options());
    let tasks = TaskSet::of(&repository, &options.limits).map_err(BenchError::orb)?;
    let analysis = analyze(&tasks, &options).map_err(BenchError::orb)?;
    let may_miss = may_miss(&tasks, &analysis, &options).map_err(BenchError::orb)?;
    let schedule = Schedule::new(&repository, &tasks, &analysis, &options);
    let seconds = match set {
        Set::Feasible => arguments.seconds,
        Set::Infeasible => arguments.infeasible_seconds,
    };
    let mut dispatcher = Dispatcher::new(&schedule);
    dispatcher.settings(|settings| {
        // All, so that each missed deadline is found: operations have equal shares.
        let most = (seconds + 1).saturating_mul(MOST_JOBS_A_SECOND * repository.len() as u64);
        settings.max_recorded_jobs = usize::try_from(most).unwrap_or(usize::MAX);
        settings.priorities = Priorities::Required;
        settings.preemption = Preemption::Anywhere;
        settings.cpu = Some(cpu);
    });
    for (handle, info) in repository.iter() {
        let for_ns = (info.worst_case_ns as f64 * SHARE) as u64;
        let code = move || compute(for_ns);
        let given = dispatcher.execute(handle, code);
        given.map_err(|source| BenchError::Dispatch { source })?;
    }
    let watch = Watch::start(cpu)?;
    let running = dispatcher
        .start()
        .map_err(|source| BenchError::Dispatch { source })?;
    let start = Instant::now();
    let mut load = Load::none();
    // The first part of the time has no load.
    let part = Duration::from_secs(seconds) / (arguments.load + 1);
    for number in 1..=arguments.load {
        std::thread::sleep((part * number).saturating_sub(start.elapsed()));
        load.grow(cpu)?;
    }
    std::thread::sleep(Duration::from_secs(seconds).saturating_sub(start.elapsed()));
    let first = running.first_release().unwrap_or(start);
    let report = running.stop();
    let pauses = watch.stop();
    drop(load);
    let may = |operation| may_miss.contains(&operation);
    let misses = misses::unexpected((set, rule), &report.timeline, first, &pauses, may)?;
    Ok(Outcome {
        set,
        rule,
        seconds,
        load: arguments.load,
        tasks,
        analysis,
        may_miss,
        report,
        pauses,
        misses,
    })
}

/// Writes the picture and the trace of the end of a run.
fn write_timelines(directory: &Path, outcome: &Outcome) -> Result<(), BenchError> {
    let timeline = &outcome.report.timeline;
    let shown = timeline.between(timeline.end_ns.saturating_sub(SHOWN_NS), timeline.end_ns);
    let stem = format!("scheduled-{}-{}", outcome.set, outcome.rule);
    let write = |extension: &str, text: String| {
        let file = directory.join(&stem).with_extension(extension);
        fs::write(&file, text).map_err(|source| BenchError::Write { file, source })
    };
    write("svg", shown.to_svg())?;
    write("trace.json", shown.to_trace_json())
}

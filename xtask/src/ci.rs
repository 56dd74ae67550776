//! The checks that a change must pass before it is accepted.

use std::time::{Duration, Instant};

use crate::capture;
use crate::code_size;
use crate::command::{self, ChoreError};
use crate::corpus;
use crate::interop;
use crate::language;
use crate::loom;
use crate::package;
use crate::second_run;
use crate::shapes::{self, Tests};
use crate::tonic;
use crate::workspace::Workspace;

/// How much is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// The format, the language, the lints, the tests, and the pages about them.
    Quick,
    /// The same, and what takes long and rarely fails: optimized builds, the shapes of the
    /// ORB, the orders of events, what Wireshark says, the corpus, calls by tonic, and the
    /// packages.
    Full,
}

/// One part of the check.
struct Step {
    name: &'static str,
    /// The smallest lane that includes it.
    lane: Lane,
    run: fn(&Workspace, Lane) -> Result<(), ChoreError>,
}

impl Step {
    const fn quick(
        name: &'static str,
        run: fn(&Workspace, Lane) -> Result<(), ChoreError>,
    ) -> Self {
        let lane = Lane::Quick;
        Self { name, lane, run }
    }

    const fn full(name: &'static str, run: fn(&Workspace, Lane) -> Result<(), ChoreError>) -> Self {
        let lane = Lane::Full;
        Self { name, lane, run }
    }

    fn is_in(&self, lane: Lane) -> bool {
        self.lane == Lane::Quick || lane == Lane::Full
    }
}

/// The steps in their order: Wireshark's comes before the page on interoperation, for it
/// runs a part of the tests that the page tells of.
const STEPS: [Step; 15] = [
    Step::quick("format", |workspace, _| {
        command::run(&mut workspace.cargo(&["fmt", "--all", "--check"]))
    }),
    Step::quick("language", |workspace, _| language::run(workspace)),
    Step::quick("lints", lints),
    Step::quick("tests", run_tests),
    Step::quick("tests of probes and counters", probes),
    Step::full("Wireshark", |workspace, _| {
        capture::run_where_allowed(workspace)
    }),
    Step::quick("page on interoperation", |workspace, _| {
        interop::write(workspace, true)
    }),
    Step::full("counts of optimized code", optimized),
    Step::full("shapes", |workspace, _| {
        shapes::run(workspace, Tests::Smallest)
    }),
    Step::full("orders of events", |workspace, _| loom::run(workspace)),
    Step::full("corpus", |workspace, _| corpus::run(workspace, true)),
    Step::quick("documentation", documentation),
    Step::full("size of generated code", |workspace, _| {
        code_size::run(workspace, true)
    }),
    Step::full("calls by tonic", |workspace, _| tonic::run(workspace)),
    Step::full("packages", |workspace, _| package::run(workspace, true)),
];

/// Runs the steps of a lane, tells how long each took, and stops at the first fault.
///
/// Tests that need a peer fail when it is not built, instead of being left out.
pub(crate) fn run(workspace: &Workspace, lane: Lane) -> Result<(), ChoreError> {
    let mut times = Vec::new();
    let result = STEPS
        .iter()
        .filter(|step| step.is_in(lane))
        .try_for_each(|step| {
            let started = Instant::now();
            let result = (step.run)(workspace, lane);
            let (name, took) = (step.name, started.elapsed());
            let outcome = if result.is_ok() { "done" } else { "failed" };
            println!("== {name}: {outcome} after {} s", took.as_secs());
            times.push((name, took));
            result
        });
    print!("{}", summary(&times));
    result
}

/// The seconds of each step and of all.
fn summary(times: &[(&str, Duration)]) -> String {
    let all = times.iter().map(|(_, took)| *took).sum();
    times
        .iter()
        .copied()
        .chain([("all", all)])
        .map(|(name, took)| format!("{:>6} s  {name}\n", took.as_secs()))
        .collect()
}

fn lints(workspace: &Workspace, _: Lane) -> Result<(), ChoreError> {
    let arguments = ["clippy", "--workspace", "--all-targets"];
    command::run(workspace.cargo(&arguments).args(["--", "-D", "warnings"]))
}

/// Runs all tests but those that run again while their traffic is captured.
fn run_tests(workspace: &Workspace, lane: Lane) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["test", "--workspace", "--no-fail-fast"]);
    cargo.env("TAUT_REQUIRE_PEERS", "1");
    cargo.env(interop::RECORDS, interop::clear_records(workspace)?);
    if lane == Lane::Full && capture::is_allowed() {
        cargo.arg("--").args(capture::skipping());
    }
    second_run::run(workspace, &mut cargo).map(drop)
}

/// Runs the tests of what is there with a feature only. The selections have one set of
/// features, so that the ORB is built once for both.
fn probes(workspace: &Workspace, _: Lane) -> Result<(), ChoreError> {
    let features = ["--no-fail-fast", "--features", "metrics,probes"];
    let mut orb = workspace.cargo(&["test", "--package", "taut", "--lib"]);
    orb.args(features);
    for executable in ["counters", "probes"] {
        orb.args(["--test", executable]);
    }
    second_run::run(workspace, &mut orb)?;
    let mut naming = workspace.cargo(&["test", "--package", "taut-naming", "--test", "it"]);
    naming.args(["--features", "etcd,service,metrics", "--", "counters::"]);
    second_run::run(workspace, &mut naming)?;
    let mut bench = workspace.cargo(&["test", "--package", "taut-bench", "--test", "it"]);
    bench.args(["--no-fail-fast", "--features", "probes,taut/metrics", "--"]);
    bench.args(["allocation::", "demux::", "probes::"]);
    second_run::run(workspace, &mut bench).map(drop)
}

/// Counts what optimized code takes; without optimization these tests count nothing.
fn optimized(workspace: &Workspace, _: Lane) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["test", "--release", "--test", "counting"]);
    cargo.args(["--package", "taut-types", "--package", "taut-interop", "--"]);
    cargo.args(["any_cost::", "element_cost::", "call_cost::"]);
    command::run(cargo.env("TAUT_REQUIRE_PEERS", "1"))
}

fn documentation(workspace: &Workspace, _: Lane) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["doc", "--no-deps", "--workspace"]);
    command::run(cargo.env("RUSTDOCFLAGS", "-D warnings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_lane_leaves_out_what_the_full_one_adds() {
        let names = |lane| -> Vec<&str> {
            let steps = STEPS.iter().filter(|step| step.is_in(lane));
            steps.map(|step| step.name).collect()
        };
        assert_eq!(names(Lane::Full).len(), STEPS.len());
        let quick = names(Lane::Quick);
        assert!(
            quick.contains(&"tests") && !quick.contains(&"corpus"),
            "{quick:?}"
        );
    }

    #[test]
    fn the_summary_adds_up() {
        let times = [
            ("format", Duration::from_millis(1_600)),
            ("tests", Duration::from_millis(60_600)),
        ];
        let expected = "     1 s  format\n    60 s  tests\n    62 s  all\n";
        assert_eq!(summary(&times), expected);
    }
}

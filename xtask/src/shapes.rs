//! The shapes of the ORB: that each builds without a warning, alone and with each of the
//! other features, and passes the tests that apply to it.

use crate::command::{self, ChoreError};
use crate::second_run;
use crate::workspace::Workspace;

/// The features of `taut` that name a shape, the smallest first.
pub(crate) const SHAPES: [&str; 2] = ["minimal", "full"];

/// The features of `taut` that go with either shape.
const OTHERS: [&str; 4] = ["tracing", "metrics", "code-sets", "probes"];

/// Which tests to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Those of all shapes.
    All,
    /// Those of the smallest, for the largest is tested with the workspace.
    Smallest,
}

/// The output of a shape's tests, as far as it is counted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    /// Programs that run tests.
    programs: usize,
    passed: u64,
    ignored: u64,
}

/// Has each shape judged by clippy, runs the tests, and prints what ran.
pub(crate) fn run(workspace: &Workspace, tests: Tests) -> Result<(), ChoreError> {
    let mut rows = Vec::new();
    for shape in SHAPES {
        let mut clippy = taut(workspace, "clippy", shape);
        clippy.args(["--all-targets", "--", "-D", "warnings"]);
        command::run(&mut clippy)?;
        let is_run = tests == Tests::All || shape == SHAPES[0];
        let outcome = is_run.then(|| run_tests(workspace, shape)).transpose()?;
        rows.push((shape, outcome));
    }
    for selection in selections() {
        let mut clippy = taut(workspace, "clippy", &selection);
        clippy.args(["--", "-D", "warnings"]);
        command::run(&mut clippy)?;
    }
    println!(
        "\n{:<10} {:<8} {:>9} {:>7} {:>8}",
        "shape", "clippy", "programs", "passed", "ignored"
    );
    for (shape, outcome) in rows {
        match outcome {
            Some(Outcome {
                programs,
                passed,
                ignored,
            }) => println!(
                "{shape:<10} {:<8} {programs:>9} {passed:>7} {ignored:>8}",
                "clean"
            ),
            None => println!(
                "{shape:<10} {:<8} {:>9} {:>7} {:>8}",
                "clean", "-", "-", "-"
            ),
        }
    }
    Ok(())
}

/// Each shape with each of the other features.
fn selections() -> impl Iterator<Item = String> {
    SHAPES
        .into_iter()
        .flat_map(|shape| OTHERS.map(|other| format!("{shape},{other}")))
}

/// Runs the tests of a shape and counts them.
fn run_tests(workspace: &Workspace, shape: &str) -> Result<Outcome, ChoreError> {
    let mut cargo = taut(workspace, "test", shape);
    cargo.args(["--tests", "--no-fail-fast"]);
    let text = second_run::run(workspace, &mut cargo)?;
    Ok(count(&text))
}

/// Cargo, for the package `taut` in a shape.
fn taut(workspace: &Workspace, command: &str, shape: &str) -> std::process::Command {
    workspace.cargo(&[
        command,
        "--package",
        "taut",
        "--no-default-features",
        "--features",
        shape,
    ])
}

/// Adds up what the programs say: `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn count(text: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for result in text
        .lines()
        .filter_map(|line| line.strip_prefix("test result: "))
    {
        outcome.programs += 1;
        outcome.passed += number_before(result, " passed");
        outcome.ignored += number_before(result, " ignored");
    }
    outcome
}

fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split_once(word).map_or("", |(before, _)| before);
    let number = before.rsplit(' ').next();
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_selected_with_each_shape() {
        let selections: Vec<String> = selections().collect();
        assert_eq!(selections.len(), SHAPES.len() * OTHERS.len());
        assert_eq!(selections[0], "minimal,tracing");
        assert_eq!(selections[7], "full,probes");
    }

    #[test]
    fn all_features_are_a_shape_or_go_with_one() {
        let workspace = Workspace::locate();
        let manifest = std::fs::read_to_string(workspace.path("crates/taut/Cargo.toml")).unwrap();
        let features = manifest.split_once("[features]\n").unwrap().1;
        let features = features.split_once("\n[").unwrap().0;
        let listed: Vec<&str> = features
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, _)| name)
            .collect();
        let expected: Vec<&str> = ["default"]
            .into_iter()
            .chain(SHAPES)
            .chain(OTHERS)
            .collect();
        assert_eq!(listed, expected);
    }

    #[test]
    fn the_results_of_all_programs_are_added_up() {
        let text = "running 3 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished\n\
            \n\
            test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let expected = Outcome {
            programs: 2,
            passed: 42,
            ignored: 1,
        };
        assert_eq!(count(text), expected);
    }
}

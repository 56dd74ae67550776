//! A function and a whole program are counted, and what fails is not. Without valgrind
//! this is left out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::env;
use std::hint::black_box;
use std::process::Command;

use test_tools::{CountError, InstructionCounter, ignored_test};

const ROUNDS: &str = "TAUT_ROUNDS";

#[inline(never)]
fn go_round(rounds: u64) -> u64 {
    (0..rounds).fold(1, |number, round| black_box(number ^ round))
}

#[test]
#[ignore = "what the other test counts the instructions of"]
fn work() {
    let rounds = env::var(ROUNDS).unwrap().parse().unwrap();
    assert_ne!(black_box(rounds), 0, "there is nothing to do");
    println!("went round: {}", go_round(rounds));
}

/// This program, which goes round so often and no more.
fn program(rounds: u64) -> Command {
    let mut program = ignored_test("counting::work");
    program.env(ROUNDS, rounds.to_string());
    program
}

#[test]
fn functions_and_programs_are_counted() {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let in_function = |rounds| counter.count_in("it::counting::go_round", &program(rounds));
    let [few, many] = [1_000, 2_000].map(|rounds| in_function(rounds).unwrap());
    assert!(few.output.contains("went round: "), "{}", few.output);
    assert!(few.instructions >= 1_000, "{few:?}");
    assert!(many.instructions >= few.instructions + 1_000, "{many:?}");

    let each = |pieces| {
        counter.count_each("it::counting::go_round", pieces, |pieces| {
            program(pieces as u64)
        })
    };
    let [of_few, of_many] = [1_000, 3_000].map(|pieces| each(pieces).unwrap());
    assert!(of_few >= 1.0, "{of_few} instructions for a round");
    assert!((of_many - of_few).abs() < 0.5, "{of_few}, {of_many}");

    let whole = counter.count(&program(1_000)).unwrap();
    assert!(whole > few.instructions, "{whole} in all, {few:?}");

    let directory = env::temp_dir().join(format!("taut-counting-{}", std::process::id()));
    let mut reporting = counter.reporting(&program(1_000), &directory);
    assert!(reporting.output().unwrap().status.success());
    let report = InstructionCounter::read(&directory);
    std::fs::remove_file(&directory).unwrap();
    assert!(report.unwrap() > few.instructions);

    for nothing in [
        counter.count_in("it::counting::nobody", &program(1_000)),
        counter.count_in("it::counting::go_round", &program(0)),
    ] {
        assert!(matches!(nothing, Err(CountError::Uncounted { .. })));
    }
}

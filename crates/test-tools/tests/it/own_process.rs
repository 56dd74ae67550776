//! A test in a process of its own runs there, and its failure is seen here.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::os::unix::process::parent_id;
use std::{env, fs, process};

use test_tools::in_own_process;

#[test]
fn the_body_runs_in_another_process() {
    let note = |process: u32| env::temp_dir().join(format!("taut-own-process-{process}"));
    let is_alone = env::var_os("TAUT_TEST_IN_OWN_PROCESS").is_some();
    in_own_process(the_body_runs_in_another_process, || {
        fs::write(note(parent_id()), process::id().to_string()).unwrap();
    });
    // The process of the body comes here, too.
    if !is_alone {
        let id = fs::read_to_string(note(process::id())).unwrap();
        fs::remove_file(note(process::id())).unwrap();
        assert_ne!(id, process::id().to_string());
    }
}

#[test]
#[should_panic(expected = "failed in its own process")]
fn a_failure_there_is_a_failure_here() {
    in_own_process(a_failure_there_is_a_failure_here, || {
        panic!("the body fails");
    });
}

#[test]
#[should_panic(expected = "no test is called own_process::not_a_test")]
fn a_function_that_is_no_test_is_refused() {
    in_own_process(not_a_test, || unreachable!("nobody selects this"));
}

fn not_a_test() {}

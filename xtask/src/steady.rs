//! Tests that count, run again and again on a machine that is busy.

use std::hint::spin_loop;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The tests that count allocations, memory, threads, descriptors or system calls: package,
/// features, and test.
const COUNTING: [(&str, &str, &str); 18] = [
    ("taut", "", "alone"),
    ("taut", "", "attacks"),
    ("taut", "probes", "probes"),
    ("taut-bench", "", "soak"),
    ("taut-giop", "", "hostile"),
    ("taut-giop", "", "no_allocation"),
    ("taut-idl", "", "memory"),
    ("taut-interop", "", "allocations"),
    ("taut-interop", "", "handle_allocations"),
    ("taut-interop", "", "memory_per_object"),
    ("taut-interop", "", "flat_cost"),
    ("taut-interop", "", "system_calls"),
    ("taut-types", "", "hostile"),
    ("taut-types", "", "memory"),
    ("taut-types", "", "message_memory"),
    ("taut-types", "", "remembered"),
    ("taut-types", "", "short_value_memory"),
    ("taut-types", "", "table_memory"),
];

/// Runs each of the tests so often beside one busy loop for each CPU, and prints how many
/// runs passed. Goes on after a failure, and fails at the end.
pub(crate) fn run(workspace: &Workspace, times: u32, only: Option<&str>) -> Result<(), ChoreError> {
    let chosen = COUNTING
        .iter()
        .filter(|(package, _, test)| only.is_none_or(|only| only == *test || only == *package));
    let mut failed = Vec::new();
    for (package, features, test) in chosen {
        let cargo = || {
            let mut cargo = workspace.cargo(&["test", "--quiet", "--package", package]);
            cargo.args(["--features", features, "--test", test]);
            cargo
        };
        command::run(cargo().arg("--no-run"))?;
        let passed = beside_busy_loops(|| (0..times).filter(|_| passes(&mut cargo())).count());
        println!("{package} {test}: {passed} of {times} runs passed");
        if passed != times as usize {
            failed.push(format!("{package} {test}"));
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(ChoreError::Unsteady { tests: failed })
}

/// Runs a command and tells whether it succeeded; prints its output if not.
fn passes(command: &mut Command) -> bool {
    match command.output() {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            println!("{}", String::from_utf8_lossy(&output.stdout));
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            false
        }
        Err(error) => {
            eprintln!("{error}");
            false
        }
    }
}

/// Runs `action` while each CPU has a thread that never sleeps.
fn beside_busy_loops<R>(action: impl FnOnce() -> R) -> R {
    let cpus = thread::available_parallelism().map_or(2, usize::from);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..cpus {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let result = action();
        over.store(true, Ordering::Relaxed);
        result
    })
}

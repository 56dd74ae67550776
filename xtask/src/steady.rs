//! Tests that count, run again and again on a machine that is busy.

use std::hint::spin_loop;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The tests that count allocations, memory, threads, descriptors or system calls: package,
/// features, executable, and what its tests begin with if not all of them count.
const COUNTING: [(&str, &str, &str, &str); 18] = [
    ("taut", "", "alone", ""),
    ("taut", "", "attacks", ""),
    ("taut", "probes", "probes", ""),
    ("taut-bench", "", "it", "soak::"),
    ("taut-giop", "", "it", "hostile::"),
    ("taut-giop", "", "it", "no_allocation::"),
    ("taut-idl", "", "it", "memory::"),
    ("taut-interop", "", "counting", "allocations::"),
    ("taut-interop", "", "counting", "handle_allocations::"),
    ("taut-interop", "", "counting", "memory_per_object::"),
    ("taut-interop", "", "counting", "flat_cost::"),
    ("taut-interop", "", "counting", "system_calls::"),
    ("taut-types", "", "it", "hostile::"),
    ("taut-types", "", "it", "memory::"),
    ("taut-types", "", "it", "message_memory::"),
    ("taut-types", "", "it", "remembered::"),
    ("taut-types", "", "it", "short_value_memory::"),
    ("taut-types", "", "it", "table_memory::"),
];

/// Runs each of the tests so often beside one busy loop for each CPU, and prints how many
/// runs passed. Goes on after a failure, and fails at the end.
pub(crate) fn run(workspace: &Workspace, times: u32, only: Option<&str>) -> Result<(), ChoreError> {
    let mut failed = Vec::new();
    for (package, features, executable, module) in COUNTING {
        let test = match module {
            "" => executable,
            module => module.trim_end_matches("::"),
        };
        if only.is_some_and(|only| only != test && only != package) {
            continue;
        }
        let cargo = |options: &[&str]| {
            let mut cargo = workspace.cargo(&["test", "--quiet", "--package", package]);
            cargo.args(["--features", features, "--test", executable]);
            cargo.args(options);
            cargo
        };
        command::run(&mut cargo(&["--no-run"]))?;
        let passed = beside_busy_loops(|| {
            (0..times)
                .filter(|_| passes(&mut cargo(&["--", module])))
                .count()
        });
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

//! Tests that need a process for themselves.

use std::env;
use std::process::Command;

/// The environment variable that tells a process that it was started for one test.
const ALONE: &str = "TAUT_TEST_ALONE";

/// Runs the body of a test in a process of its own, in which no other test runs.
///
/// Threads, memory and descriptors are those of a process: whoever counts them counts what
/// other tests do at the same time. `test` is the test's name as the harness has it, without
/// the crate's. The test fails if its process does, or if there is no test of this name.
pub fn alone(test: &str, body: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return body();
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let (told, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    println!("{told}{errors}");
    assert!(
        output.status.success() && told.contains(" 1 passed;"),
        "the test {test} in a process of its own: {}",
        output.status
    );
}

/// Returns how many threads of this process bear a name.
pub fn threads_named(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|comm| comm.trim_end() == name)
        .count()
}

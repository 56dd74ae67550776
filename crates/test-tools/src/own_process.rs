//! Tests that need a process to themselves.

use std::any::type_name_of_val;
use std::env;
use std::process::Command;

/// The variable by which the process that runs one test only knows that it does.
const ALONE: &str = "TAUT_TEST_IN_OWN_PROCESS";

/// Runs the body of a test in a process of its own, where no other test runs and nothing
/// remains of an earlier one. That is for what belongs to the whole process: allocations of
/// all threads, or the table of value types. `test` is the test function that calls this:
///
/// ```
/// # use test_tools::in_own_process;
/// # /*
/// #[test]
/// # */
/// fn calls_do_not_allocate() {
///     in_own_process(calls_do_not_allocate, || {
///         // The test itself.
///     });
/// }
/// ```
///
/// The process is this test program once more, with this test alone selected. Its output is
/// printed here.
///
/// # Panics
///
/// When the test fails there, or the process cannot be started.
#[expect(clippy::expect_used, reason = "a test may fail by a panic")]
pub fn in_own_process(test: impl Fn(), body: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return body();
    }
    let path = type_name_of_val(&test);
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    let this = env::current_exe().expect("a test knows its program");
    let output = Command::new(this)
        .args(["--exact", name, "--test-threads=1", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("a program that runs can be started again");
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} failed in its own process");
    // Without a test of this name, the program would have succeeded as well.
    assert!(said.contains("1 passed"), "no test is called {name}");
}

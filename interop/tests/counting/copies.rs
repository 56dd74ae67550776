//! How often large sequences are copied in user space on each side (invariant 3 of the
//! request's way): by what the same calls take with twice as many numbers, in
//! instructions, as multiples of what copying these takes. Counted by valgrind; without it
//! this is left out.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::time::Duration;

use taut_interop::Process;
use test_tools::InstructionCounter;

const TIME_OUT: Duration = Duration::from_secs(120);

const PROGRAM: &str = env!("CARGO_BIN_EXE_bulk_calls");

/// How many numbers, of four octets each.
const COUNTS: [usize; 2] = [1 << 14, 1 << 15];

const CALLS: &str = "300";

/// The instructions of client and server, with all that it takes to start.
fn count(counter: &InstructionCounter, call: &str, count: usize) -> [f64; 2] {
    let directory = tempfile::tempdir().unwrap();
    let [of_client, of_server] = ["client", "server"].map(|side| directory.path().join(side));
    let start = |report, arguments: &[&str]| {
        let mut command = counter.reporting(Command::new(PROGRAM).args(arguments), report);
        Process::start(&mut command).unwrap()
    };
    let mut server = start(&of_server, &["server"]);
    let reference = server.read_line(TIME_OUT).unwrap();
    let arguments = ["client", call, &reference, CALLS, &count.to_string()];
    let mut client = start(&of_client, &arguments);
    assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
    for process in [&mut server, &mut client] {
        process.close_input();
        assert!(process.wait(TIME_OUT).unwrap().success());
    }
    [of_client, of_server].map(|report| InstructionCounter::read(&report).unwrap() as f64)
}

/// Returns the instructions of each side for the numbers that one run has and the other has
/// not.
fn difference(counter: &InstructionCounter, call: &str) -> [f64; 2] {
    let [few, many] = COUNTS.map(|numbers| count(counter, call, numbers));
    [0, 1].map(|side: usize| many[side] - few[side])
}

#[test]
fn large_sequences_are_copied_only_where_they_have_to_be() {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let [copy, _] = difference(&counter, "none");
    assert!(copy > 100_000.0, "{copy} instructions copy nothing");
    // The servant's vector is a copy of its own; the caller's is received where it lies.
    for (call, expected) in [
        ("put", [Some(0), Some(0)]),
        ("get", [Some(0), Some(1)]),
        ("view", [Some(0), Some(1)]),
        // The padding of structs must not leave the server, which takes more than a copy.
        ("samples", [Some(0), None]),
    ] {
        let copies = difference(&counter, call).map(|instructions| instructions / copy);
        eprintln!("{call}: {copies:.2?} copies by client and server");
        for (side, (copies, expected)) in copies.into_iter().zip(expected).enumerate() {
            let side = ["client", "server"][side];
            assert!(
                expected.is_none_or(|expected| (copies - f64::from(expected)).abs() < 0.25),
                "{call}: {copies:.2} copies by the {side}, {expected:?} expected"
            );
        }
    }
}

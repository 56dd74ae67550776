//! What a call without arguments and result costs on each side, in instructions of
//! the program itself, those of the system not among them: the difference of two runs
//! of different length, divided by the calls. Counted by valgrind; without it this is
//! left out. So it is where the code is not optimized, of which the figures say nothing:
//! `cargo xtask ci` runs it with `--release`.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::time::Duration;

use taut_interop::Process;
use test_tools::InstructionCounter;

const TIME_OUT: Duration = Duration::from_secs(120);

const PROGRAM: &str = env!("CARGO_BIN_EXE_small_calls");

/// The lengths of the two runs that are compared.
const CALLS: [u64; 2] = [1_000, 21_000];

/// What a call took when this was last written down; the goals are 800 and 900. Lower it
/// where a call has become cheaper; raise it only for what is worth it to every caller.
const CLIENT: u64 = 685;
const SERVER: u64 = 731;

/// So many percent more are no fault: compilers and C libraries differ, and the threads
/// that look after connections do so by the clock.
const SLACK_PERCENT: u64 = 5;

/// The instructions of client and server for so many calls, with all that it takes to
/// start.
fn count(counter: &InstructionCounter, calls: u64) -> [u64; 2] {
    let directory = tempfile::tempdir().unwrap();
    let [of_client, of_server] = ["client", "server"].map(|side| directory.path().join(side));
    let start = |report, arguments: &[&str]| {
        let mut command = counter.reporting(Command::new(PROGRAM).args(arguments), report);
        Process::start(&mut command).unwrap()
    };
    let mut server = start(&of_server, &["server", "empty", "127.0.0.1:0"]);
    let reference = server.read_line(TIME_OUT).unwrap();
    let calls = calls.to_string();
    let mut client = start(&of_client, &["client", "empty", &reference, &calls]);
    assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
    // The server first, which would have to deal with the client's end.
    for process in [&mut server, &mut client] {
        process.close_input();
        assert!(process.wait(TIME_OUT).unwrap().success());
    }
    [of_client, of_server].map(|report| InstructionCounter::read(&report).unwrap())
}

#[test]
fn an_empty_call_costs_no_more_than_it_did() {
    if cfg!(debug_assertions) {
        eprintln!(
            "LEFT OUT: the code is not optimized; run \
             `cargo test --release --package taut-interop --test call_cost`"
        );
        return;
    }
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let [short, long] = CALLS.map(|calls| count(&counter, calls));
    let calls = CALLS[1] - CALLS[0];
    let [client, server] = [0, 1].map(|side: usize| (long[side] - short[side]) / calls);
    eprintln!(
        "a call without arguments: {client} instructions on the client, {server} on the server"
    );
    for (side, cost, committed) in [("client", client, CLIENT), ("server", server, SERVER)] {
        assert!(cost > 100, "{cost} instructions on the {side} are no call");
        assert!(
            cost * 100 <= committed * (100 + SLACK_PERCENT),
            "{cost} instructions on the {side}, {committed} when this was written down"
        );
    }
}

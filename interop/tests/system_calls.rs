//! One send and one receive per side and small two-way call, and nothing else
//! (invariant 1 of the request's way), counted by strace.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use taut_interop::{Process, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

const PROGRAM: &str = env!("CARGO_BIN_EXE_small_calls");

/// The lengths of the two runs that are compared.
const CALLS: [u64; 2] = [100, 600];

const SENDS: [&str; 5] = ["sendto", "sendmsg", "sendmmsg", "write", "writev"];
const RECEIVES: [&str; 5] = ["recvfrom", "recvmsg", "recvmmsg", "read", "readv"];

/// How often each system call was made.
type Counts = BTreeMap<String, u64>;

/// Our program under strace, which writes its summary to a file.
fn traced(strace: &Path, summary: &Path, arguments: &[&str]) -> Process {
    let mut command = Command::new(strace);
    command.args(["-f", "-c", "-o"]).arg(summary);
    command.arg("--").arg(PROGRAM).args(arguments);
    Process::start(&mut command).unwrap()
}

/// Reads a summary: lines of share, seconds, microseconds per call, calls,
/// errors if there were any, and name, between two rules of dashes.
fn read_counts(summary: &Path) -> Counts {
    let text = fs::read_to_string(summary).unwrap();
    let rows = text.lines().filter(|line| !line.contains('-')).skip(1);
    rows.filter(|row| !row.ends_with(" total"))
        .map(|row| {
            let words: Vec<&str> = row.split_whitespace().collect();
            let calls = words[3].parse().unwrap();
            (words[words.len() - 1].to_owned(), calls)
        })
        .collect()
}

/// The system calls of client and server for so many calls, with all that it
/// takes to start and to end.
fn count(strace: &Path, endpoint: &str, calls: u64) -> [Counts; 2] {
    let directory = tempfile::tempdir().unwrap();
    let [of_client, of_server] = ["client", "server"].map(|side| directory.path().join(side));
    let mut server = traced(strace, &of_server, &["server", "short", endpoint]);
    let reference = server.read_line(TIME_OUT).unwrap();
    let calls = calls.to_string();
    let mut client = traced(strace, &of_client, &["client", "short", &reference, &calls]);
    assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
    // The server first, which would have to deal with the client's end.
    for process in [&mut server, &mut client] {
        process.close_input();
        assert!(process.wait(TIME_OUT).unwrap().success());
    }
    [read_counts(&of_client), read_counts(&of_server)]
}

#[test]
fn a_small_call_costs_one_send_and_one_receive_on_each_side() {
    if let Some(strace) = peers::tool("strace") {
        costs_one_each(&strace, "127.0.0.1:0");
    }
}

#[test]
fn a_small_call_over_a_unix_domain_socket_costs_no_more() {
    if let Some(strace) = peers::tool("strace") {
        let directory = tempfile::tempdir().unwrap();
        // The program ends without taking leave, and leaves the socket behind.
        let socket = directory.path().join("socket");
        costs_one_each(&strace, &format!("uiop://{}", socket.display()));
    }
}

fn costs_one_each(strace: &Path, endpoint: &str) {
    let [short, long] = CALLS.map(|calls| count(strace, endpoint, calls));
    let calls = i128::from(CALLS[1] - CALLS[0]);
    for (side, (short, long)) in ["client", "server"]
        .into_iter()
        .zip(short.into_iter().zip(long))
    {
        let difference = |name: &str| {
            let of = |counts: &Counts| i128::from(counts.get(name).copied().unwrap_or(0));
            of(&long) - of(&short)
        };
        let all = |names: [&str; 5]| -> i128 { names.into_iter().map(difference).sum() };
        assert_eq!(all(SENDS), calls, "sends of the {side}: {long:?}");
        assert_eq!(all(RECEIVES), calls, "receives of the {side}: {long:?}");
        for name in long.keys().chain(short.keys()) {
            if SENDS.contains(&&**name) || RECEIVES.contains(&&**name) {
                continue;
            }
            // Starting and ending threads is not the same twice, by a few.
            let difference = difference(name).abs();
            assert!(
                difference * 20 < calls,
                "{name} of the {side}: {difference}"
            );
        }
    }
}

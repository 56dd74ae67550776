//! One send and one receive per side and small two-way call, and nothing else
//! (invariant 1 of the request's way), counted by strace. And how many more it takes to
//! spin.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use taut_interop::Process;

const TIME_OUT: Duration = Duration::from_secs(60);

const SMALL: &str = env!("CARGO_BIN_EXE_small_calls");
const BULK: &str = env!("CARGO_BIN_EXE_bulk_calls");

/// The lengths of the two runs that are compared.
const CALLS: [u64; 2] = [100, 600];

const SENDS: [&str; 5] = ["sendto", "sendmsg", "sendmmsg", "write", "writev"];
const RECEIVES: [&str; 5] = ["recvfrom", "recvmsg", "recvmmsg", "read", "readv"];

/// How often each system call was made.
type Counts = BTreeMap<String, u64>;

/// How both programs are run.
#[derive(Clone, Copy)]
struct Setting<'s> {
    strace: &'s Path,
    endpoint: &'s str,
    /// The way in which the client works.
    way: &'s str,
    /// The client's and the server's further arguments of the ORB.
    arguments: [&'s str; 2],
}

/// A program under strace, which writes its summary to a file.
fn traced(strace: &Path, summary: &Path, program: &[&str], of_orb: &str) -> Process {
    let mut command = Command::new(strace);
    command.args(["-f", "-c", "-o"]).arg(summary);
    command.arg("--").args(program);
    command.env("TAUT_ORB_ARGUMENTS", of_orb);
    Process::start(&mut command).unwrap()
}

/// Reads a summary's table.
fn read_counts(summary: &Path) -> Counts {
    let text = fs::read_to_string(summary).unwrap();
    let counts = counts_in(&text);
    assert!(!counts.is_empty(), "no counts in {text}");
    counts
}

/// The table's rows lie between two rules of dashes: share, seconds, microseconds per
/// call, calls, errors if there were any, and name. The text of strace before it and after
/// it is none of it.
fn counts_in(text: &str) -> Counts {
    let is_rule = |line: &&str| line.starts_with("---");
    let rows = text.lines().skip_while(|line| !is_rule(line)).skip(1);
    rows.take_while(|line| !is_rule(line))
        .map(|row| {
            let words: Vec<&str> = row.split_whitespace().collect();
            let counted = match words[..] {
                [_, _, _, calls, .., name] => calls.parse().ok().map(|calls| (name, calls)),
                _ => None,
            };
            let (name, calls) = counted.unwrap_or_else(|| panic!("{row:?} in {text}"));
            (name.to_owned(), calls)
        })
        .collect()
}

#[test]
fn a_remark_of_strace_before_its_table_is_no_row_of_it() {
    let summary = "\
strace: Process 7 is in a mode of its own
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 75.00    0.000300           3       100         2 recvfrom
  -nan   -0.000100           1        99           sendto
------ ----------- ----------- --------- --------- ----------------
100.00    0.000200           2       199         2 total
";
    let expected = [("recvfrom", 100), ("sendto", 99)];
    let expected = expected.map(|(name, calls)| (name.to_owned(), calls));
    assert_eq!(counts_in(summary), Counts::from(expected));
}

/// The system calls of client and server for so many calls, with all that it
/// takes to start and to end.
fn count(setting: Setting<'_>, calls: u64) -> [Counts; 2] {
    let Setting {
        strace,
        endpoint,
        way,
        arguments: [for_client, for_server],
    } = setting;
    let calls = calls.to_string();
    let server = [SMALL, "server", way, endpoint];
    let client = |reference: &str| [SMALL, "client", way, reference, &calls].map(str::to_owned);
    count_of(strace, [for_client, for_server], &server, client)
}

/// The system calls of a client, which is told the server's reference, and of the server.
fn count_of<const N: usize>(
    strace: &Path,
    [for_client, for_server]: [&str; 2],
    server: &[&str],
    client: impl FnOnce(&str) -> [String; N],
) -> [Counts; 2] {
    let directory = tempfile::tempdir().unwrap();
    let [of_client, of_server] = ["client", "server"].map(|side| directory.path().join(side));
    let mut server = traced(strace, &of_server, server, for_server);
    let client = client(&server.read_line(TIME_OUT).unwrap());
    let client = client.each_ref().map(String::as_str);
    let mut client = traced(strace, &of_client, &client, for_client);
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
    if let Some(strace) = test_tools::tool("strace") {
        costs_one_each(&strace, "127.0.0.1:0", "short", "");
    }
}

#[test]
fn a_call_with_a_priority_costs_no_more() {
    if let Some(strace) = test_tools::tool("strace") {
        costs_one_each(&strace, "127.0.0.1:0", "urgent", "-ORBRealTime yes");
    }
}

#[test]
fn a_small_call_over_a_unix_domain_socket_costs_no_more() {
    if let Some(strace) = test_tools::tool("strace") {
        let directory = tempfile::tempdir().unwrap();
        // The program ends without taking leave, and leaves the socket behind.
        let socket = directory.path().join("socket");
        costs_one_each(
            &strace,
            &format!("uiop://{}", socket.display()),
            "short",
            "",
        );
    }
}

/// Beside a second thread the system would count who uses the socket, during each call.
#[test]
fn a_client_of_one_thread_stays_one() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    let setting = Setting {
        strace: &strace,
        endpoint: "127.0.0.1:0",
        way: "short",
        arguments: [""; 2],
    };
    let threads = |counts: &Counts| -> u64 {
        let begun = ["clone", "clone3"].map(|name| counts.get(name).copied().unwrap_or(0));
        begun.iter().sum()
    };
    let [client, server] = count(setting, CALLS[0]);
    assert_eq!(threads(&client), 0, "{client:?}");
    assert!(threads(&server) > 0, "threads are not counted: {server:?}");
}

#[test]
fn a_batch_of_oneways_costs_one_send_and_no_more_than_one_receive() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    let setting = Setting {
        strace: &strace,
        endpoint: "127.0.0.1:0",
        way: "oneways",
        arguments: [""; 2],
    };
    let [short, long] = CALLS.map(|batches| count(setting, batches));
    let batches = i128::from(CALLS[1] - CALLS[0]);
    let difference = |side: usize, names: &[&str]| -> i128 {
        let of = |counts: &Counts, name: &&str| i128::from(counts.get(*name).copied().unwrap_or(0));
        let all = |counts: &Counts| -> i128 { names.iter().map(|name| of(counts, name)).sum() };
        all(&long[side]) - all(&short[side])
    };
    // Behind each 20 batches the client waits for the server.
    let waits = batches / 20;
    // And one look whether the server has closed the connection.
    assert_eq!(difference(0, &SENDS), batches + waits, "sends: {long:?}");
    assert_eq!(difference(0, &RECEIVES), batches + waits, "looks: {long:?}");
    assert_eq!(
        difference(1, &SENDS),
        waits,
        "sends of the server: {long:?}"
    );
    // Oneways that come while it is at work, it reads together, and seldom one by itself.
    let receives = difference(1, &RECEIVES);
    assert!(
        receives <= batches + waits + batches / 4,
        "{receives} receives: {long:?}"
    );
}

/// The replies leave together, and by themselves where that is not wanted.
#[test]
fn replies_to_requests_that_arrive_together_cost_one_send() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    for (of_server, expected) in [
        // Under strace no servant is quick.
        ("-ORBReplyBatchTimeout 60min", 1),
        // The requests of a batch of 16, of which 7, 7 and 2 are answered together.
        ("-ORBReplyBatchTimeout 60min -ORBReplyBatchMessages 7", 3),
        ("-ORBReplyBatchMessages 1", 16),
        ("-ORBReplyBatchTimeout 0s", 16),
        ("-ORBMaxRequestsPerConnection 1", 16),
    ] {
        let setting = Setting {
            strace: &strace,
            endpoint: "127.0.0.1:0",
            way: "pipelined",
            arguments: ["", of_server],
        };
        let begin = Instant::now();
        let [short, long] = CALLS.map(|times| count(setting, times));
        // The look after connections each 10 ms sends what waits just then.
        let looks = u64::try_from(begin.elapsed().as_millis()).unwrap() / 10;
        let sends = |counts: &[Counts; 2]| -> u64 {
            SENDS.iter().filter_map(|name| counts[1].get(*name)).sum()
        };
        let times = CALLS[1] - CALLS[0];
        let more = sends(&long) - sends(&short);
        let (expected, slack) = (expected * times, looks.min(times / 2));
        let is_right = more.abs_diff(expected) <= slack;
        assert!(
            is_right,
            "{of_server}: {more}, expected {expected}: {long:?}"
        );
    }
}

/// A large sequence lies apart from the rest of its message, and leaves with it. (How
/// often the other side receives, the system decides.)
#[test]
fn a_large_sequence_costs_one_send_a_message() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    for call in ["put", "get"] {
        let [short, long] = CALLS.map(|calls| {
            let calls = calls.to_string();
            let client = |reference: &str| {
                [BULK, "client", call, reference, &calls, "16384"].map(str::to_owned)
            };
            count_of(&strace, [""; 2], &[BULK, "server"], client)
        });
        for (side, (short, long)) in short.iter().zip(&long).enumerate() {
            let sends = |counts: &Counts| -> u64 {
                SENDS.iter().filter_map(|name| counts.get(*name)).sum()
            };
            let more = sends(long) - sends(short);
            assert_eq!(more, CALLS[1] - CALLS[0], "{call}, {side}: {long:?}");
            // The side that sends the sequence sends two parts.
            let in_parts = long.get("sendmsg").copied().unwrap_or(0) >= CALLS[1];
            assert_eq!(
                in_parts,
                (call == "put") == (side == 0),
                "{call}, {side}: {long:?}"
            );
        }
    }
}

fn costs_one_each(strace: &Path, endpoint: &str, way: &str, arguments: &str) {
    let setting = Setting {
        strace,
        endpoint,
        way,
        arguments: [arguments; 2],
    };
    let begin = Instant::now();
    let [short, long] = CALLS.map(|calls| count(setting, calls));
    // The server looks after its connections by the clock, each 10 ms at the most often.
    let looks = i128::try_from(begin.elapsed().as_millis()).unwrap() / 10;
    for (side, (short, long)) in ["client", "server"]
        .into_iter()
        .zip(short.into_iter().zip(long))
    {
        costs_one_of_each(side, [&short, &long], looks);
    }
}

/// The longer run has one send and one receive more for each further call, and nothing else but
/// so many looks of the server's.
fn costs_one_of_each(side: &str, [short, long]: [&Counts; 2], looks: i128) {
    let calls = i128::from(CALLS[1] - CALLS[0]);
    let difference = |name: &str| {
        let of = |counts: &Counts| i128::from(counts.get(name).copied().unwrap_or(0));
        of(long) - of(short)
    };
    let all = |names: [&str; 5]| -> i128 { names.into_iter().map(difference).sum() };
    assert_eq!(all(SENDS), calls, "sends of the {side}: {long:?}");
    assert_eq!(all(RECEIVES), calls, "receives of the {side}: {long:?}");
    for name in long.keys().chain(short.keys()) {
        if SENDS.contains(&&**name) || RECEIVES.contains(&&**name) {
            continue;
        }
        // Starting and ending threads is not the same twice, by a few.
        let looks = match (side, &**name) {
            ("server", "futex") => looks,
            _ => 0,
        };
        let difference = difference(name).abs();
        assert!(
            (difference - looks) * 20 < calls,
            "{name} of the {side}: {difference}"
        );
    }
}

/// A request that tells a priority, which the thread has, is as any other.
#[test]
fn a_request_with_a_priority_costs_its_server_one_send_and_one_receive() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    const TOLD: &str = env!("CARGO_BIN_EXE_told_requests");
    for (model, told) in [
        ("clients", "priority"),
        ("server", "nothing"),
        ("clients", "both"),
    ] {
        let begin = Instant::now();
        let [short, long] = CALLS.map(|calls| {
            let calls = calls.to_string();
            let client =
                |reference: &str| [TOLD, "client", reference, told, &calls].map(str::to_owned);
            let [_, server] = count_of(&strace, [""; 2], &[TOLD, "server", model], client);
            server
        });
        let looks = i128::try_from(begin.elapsed().as_millis()).unwrap() / 10;
        costs_one_of_each("server", [&short, &long], looks);
    }
}

/// How many receives client and server make.
fn receives(setting: Setting<'_>, calls: u64) -> [u64; 2] {
    count(setting, calls).map(|counts| RECEIVES.iter().filter_map(|name| counts.get(*name)).sum())
}

fn setting<'s>(strace: &'s Path, arguments: [&'s str; 2]) -> Setting<'s> {
    Setting {
        strace,
        endpoint: "127.0.0.1:0",
        way: "short",
        arguments,
    }
}

const SPIN: &str = "-ORBWaitStrategy spin";
const SPIN_AS_SERVER: &str = "-ORBServerWaitStrategy spin";
const BLOCK_AS_SERVER: &str = "-ORBWaitStrategy spin -ORBServerWaitStrategy block";

#[test]
fn who_spins_receives_more_often_and_nobody_else_does() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    let calls = CALLS[1];
    for (arguments, spins) in [
        (["", SPIN], [false, true]),
        (["", SPIN_AS_SERVER], [false, true]),
        (["", BLOCK_AS_SERVER], [false, false]),
        ([SPIN, ""], [true, false]),
        // It is no server.
        ([SPIN_AS_SERVER, ""], [false, false]),
    ] {
        // To read arguments takes reads as well.
        let alike = arguments.map(|text| text.replace("spin", "block"));
        let block = receives(
            setting(&strace, alike.each_ref().map(|text| &**text)),
            calls,
        );
        // Of those that spin, some find at once what they wait for, and on a busy machine
        // perhaps all, but not each time: at the beginning the server's thread must start,
        // and at the end nothing comes.
        let mut was_seen = spins.map(|spins| !spins);
        for _ in 0..5 {
            let receives = receives(setting(&strace, arguments), calls);
            for side in 0..2 {
                let more = receives[side].abs_diff(block[side]);
                was_seen[side] |= more >= 5;
                assert!(
                    spins[side] || more <= 1,
                    "{arguments:?}: {receives:?} instead of {block:?}"
                );
            }
            if was_seen == [true; 2] {
                break;
            }
        }
        assert_eq!(was_seen, [true; 2], "{arguments:?} beside {block:?}");
    }
}

/// Where client and server have one CPU, spinning cannot pay, and is not tried but
/// very seldom.
#[test]
fn adaptive_waiting_on_one_cpu_costs_at_most_one_receive_in_a_hundred_more() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    let cpu = *taut_sys::cpu::allowed().unwrap().last().unwrap();
    // A program that the thread starts may run where the thread may.
    taut_sys::cpu::pin(cpu).unwrap();
    let calls = 10_000;
    let block = receives(setting(&strace, ["-ORBWaitStrategy block"; 2]), calls);
    let adaptive = receives(setting(&strace, ["-ORBWaitStrategy adaptive"; 2]), calls);
    for side in 0..2 {
        let more = adaptive[side].saturating_sub(block[side]);
        assert!(
            more * 100 <= calls,
            "side {side}: {adaptive:?} where {block:?} suffice"
        );
    }
}

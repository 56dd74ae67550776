//! The things that prepared calls of a real-time lane meet while the lane below is flooded: neither a
//! lock nor memory, counted by strace, and nobody but the peer that they wait for, counted by the
//! system.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use taut_interop::Process;

const TIME_OUT: Duration = Duration::from_secs(120);

const PROGRAM: &str = env!("CARGO_BIN_EXE_lane_calls");

const CALLS: u64 = 100_000;

/// The lane's thread that serves the urgent calls.
const LANE: &str = "taut lane 1:1";

/// The thread that makes them, which is its program's first.
const CLIENT: &str = "lane_calls";

/// The system calls by which a message leaves or is waited for, and by which the client talks with
/// the test. They are too many to stop at each.
const OF_MESSAGES: &str = "sendto,sendmsg,recvfrom,recvmsg,epoll_wait,epoll_pwait,write,read";

/// Starts a program and reads its first line.
fn start(command: &mut Command) -> (Process, String) {
    let mut process = Process::start(command).unwrap();
    let line = process.read_line(TIME_OUT).unwrap();
    (process, line)
}

/// Ends programs, the first before the others.
fn end(processes: impl IntoIterator<Item = Process>) {
    for mut process in processes {
        process.close_input();
        assert!(process.wait(TIME_OUT).unwrap().success());
    }
}

/// Clients that flood the lower lane.
fn flood(reference: &str) -> Process {
    let (flood, line) = start(Command::new(PROGRAM).args(["flood", reference, "3"]));
    assert_eq!(line, "ready");
    flood
}

/// Makes the calls of a client that is ready.
fn call(client: &mut Process) {
    client.write_line("go").unwrap();
    assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
}

/// The program under strace, which notes each system call but those of messages, with its time.
fn traced(strace: &Path, notes: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(strace);
    let all_but = format!("trace=!{OF_MESSAGES}");
    command.args(["-f", "-Y", "-ttt", "--seccomp-bpf", "-e", &all_but, "-o"]);
    command.arg(notes).arg("--").arg(PROGRAM).args(arguments);
    command
}

/// A line of strace: the name of a thread, the time since 1970, and what it did then.
fn noted(line: &str) -> Option<(&str, Duration, &str)> {
    let (_, rest) = line.split_once('<')?;
    let (name, rest) = rest.split_once("> ")?;
    let (time, what) = rest.split_once(' ')?;
    Some((name, Duration::from_secs_f64(time.parse().ok()?), what))
}

#[test]
fn a_note_of_strace_has_a_thread_a_time_and_a_system_call() {
    let line = "757<taut lane 1:1> 1795848828.500000 futex(0x7f, FUTEX_WAIT, 1, NULL) = 0";
    let (name, time, what) = noted(line).unwrap();
    assert_eq!(
        (name, time),
        (LANE, Duration::from_secs_f64(1_795_848_828.5))
    );
    assert!(what.starts_with("futex("));
    assert_eq!(noted("strace: Process 7 attached"), None);
}

#[test]
fn prepared_calls_make_no_system_calls_but_those_of_messages() {
    let Some(strace) = test_tools::tool("strace") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let [of_server, of_client] = ["server", "client"].map(|side| directory.path().join(side));
    let (server, reference) = start(&mut traced(&strace, &of_server, &["server"]));
    let flood = flood(&reference);
    let urgent = ["urgent", &reference, &CALLS.to_string()];
    let (mut client, ready) = start(&mut traced(&strace, &of_client, &urgent));
    assert_eq!(ready, "ready");
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let begin = now();
    call(&mut client);
    let span = begin..now();
    end([client, flood, server]);

    for (notes, thread) in [(of_server, LANE), (of_client, CLIENT)] {
        let text = fs::read_to_string(&notes).unwrap();
        let all = text.lines().filter_map(noted);
        let of_thread = all.filter(|(name, ..)| *name == thread);
        let (during, others) = of_thread.partition::<Vec<_>, _>(|(_, time, _)| span.contains(time));
        // It is traced at all.
        assert!(!others.is_empty(), "{thread} in {text}");
        assert!(
            during.is_empty(),
            "{thread} during {CALLS} calls: {during:?}"
        );
    }
}

/// How often a thread has given its CPU away, and the page faults that it has met.
#[derive(Debug, Clone, Copy)]
struct Met {
    voluntary_switches: u64,
    page_faults: u64,
}

/// The counts of the oldest thread of this name, from its begin on.
fn met(process: &Process, name: &str) -> Met {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.id())).unwrap();
    let numbers = tasks.map(|task| task.unwrap().file_name().into_string().unwrap());
    let numbers: BTreeSet<u32> = numbers.map(|number| number.parse().unwrap()).collect();
    let of_it = numbers.into_iter().find_map(|number| {
        let file = |file| format!("/proc/{}/task/{number}/{file}", process.id());
        // It may have ended meanwhile.
        let read = |name| fs::read_to_string(file(name)).ok();
        let (comm, status, stat) = (read("comm")?, read("status")?, read("stat")?);
        (comm.trim() == name).then_some((status, stat))
    });
    let (status, stat) = of_it.unwrap_or_else(|| panic!("{name} is not there"));
    let mut lines = status.lines();
    let switches = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    // The name, in parentheses, may be anything.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = fields.split(' ').collect();
    let faults = |place: usize| fields[place].parse::<u64>().unwrap();
    Met {
        voluntary_switches: switches.unwrap().trim().parse().unwrap(),
        // Minor ones, and those that wait for the disk.
        page_faults: faults(7) + faults(9),
    }
}

#[test]
fn prepared_calls_wait_for_their_peer_alone() {
    let (server, reference) = start(Command::new(PROGRAM).arg("server"));
    let flood = flood(&reference);
    let urgent = ["urgent", &reference, &CALLS.to_string()];
    let (mut client, ready) = start(Command::new(PROGRAM).args(urgent));
    assert_eq!(ready, "ready");
    let of_both = |client: &Process| [(met(&server, LANE), LANE), (met(client, CLIENT), CLIENT)];
    let before = of_both(&client);
    call(&mut client);
    let after = of_both(&client);
    for ((before, name), (after, _)) in before.into_iter().zip(after) {
        let switches = after.voluntary_switches - before.voluntary_switches;
        // One a call; and a few, for the first and the last are not the same on both sides.
        assert!(
            switches <= CALLS + 8,
            "{name} gave its CPU away {switches} times"
        );
        assert!(switches > CALLS / 100, "{name} is not counted: {switches}");
        let faults = after.page_faults - before.page_faults;
        assert_eq!(faults, 0, "{name} has met page faults");
    }
    end([client, flood, server]);
}

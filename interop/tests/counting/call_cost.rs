//! The instructions of a call without arguments and result on each side, and those of a
//! oneway of a flood, of the program itself, those of the system not among them: the
//! difference of two runs of different length, divided by the calls. Counted by valgrind;
//! without it this is left out. So it is where the code is not optimized, of which the
//! figures say nothing: `cargo xtask ci` runs it with `--release`.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bench::{Pinger, PingerSkeleton};
use taut::{CollocationStrategy, Orb, Reference};
use taut_interop::Process;
use tempfile::TempDir;
use test_tools::{InstructionCounter, Listing, ignored_test};

taut::include_idl!("ping");

const TIME_OUT: Duration = Duration::from_secs(120);

/// The lengths of the two runs that are compared.
const CALLS: [u64; 2] = [1_000, 21_000];

/// The lengths of the bursts of oneways in two runs, which arrive at once and fit into
/// what a connection holds unread, and how many bursts there are in each.
const BURSTS: [u64; 2] = [10, 50];
const BURSTS_COUNT: u64 = 100;

/// The instructions of a call on client and server when this was last written down; the
/// goals are 800 and 900. Lower it where a call has become cheaper; raise it only for what
/// is worth it to every caller. The server's takes 718, and 726 is the most that it may.
const EMPTY_COST: [u64; 2] = [516, 692];

/// In how many lines of 64 octets the code of such a call lay, on client and server, that
/// of the C library among it: what a call executes after each system call has to come into
/// the processor's first cache again, and what happens seldom is not to lie in between.
const EMPTY_LINES: [usize; 2] = [59, 69];

/// So many more are no fault: where functions begin, the linker decides.
const LINES_SLACK: usize = 8;

/// The lengths of the two runs of which the code is listed.
const LISTED_CALLS: [u64; 2] = [200, 1_200];

/// The instructions of a oneway with a kibibyte, which is copied on the client and not on
/// the server, where many arrive at once.
const ONEWAY_COST: [u64; 2] = [541, 462];

/// The instructions of such a call where the reference keeps the servant, with the loop
/// that makes it and the servant, which are counted, too.
const DIRECT_COST: u64 = 60;

/// How many direct calls are counted.
const DIRECT_CALLS: usize = 10_000;

/// Tells the ignored test their number.
const CALLS_TO_MAKE: &str = "TAUT_CALLS_TO_MAKE";

/// So many percent more are no fault: compilers and C libraries differ, and the threads
/// that look after connections do so by the clock.
const SLACK_PERCENT: u64 = 5;

/// A client and its server, which are watched, and write reports.
struct Pair {
    /// The server first, which would else have to deal with the client's end.
    processes: [Process; 2],
    reports: TempDir,
}

impl Pair {
    /// Starts both as `watch` says; the server with these words, the client with its own
    /// and the server's reference in place of the `*` among them.
    fn start(
        program: &str,
        of_server: &[&str],
        of_client: &[&str],
        watch: impl Fn(&Command, &Path) -> Command,
    ) -> Self {
        let reports = tempfile::tempdir().unwrap();
        let start = |side, words: &[&str]| {
            let mut command = Command::new(program);
            let command = command.arg(side).args(words);
            Process::start(&mut watch(command, &reports.path().join(side))).unwrap()
        };
        let mut server = start("server", of_server);
        let reference = &*server.read_line(TIME_OUT).unwrap();
        let told = |&word| if word == "*" { reference } else { word };
        let client = start("client", &of_client.iter().map(told).collect::<Vec<_>>());
        let processes = [server, client];
        Self { processes, reports }
    }

    /// Sees both to their ends, and what is read of the reports on client and server.
    fn end<T>(mut self, read: impl Fn(&Path) -> T) -> [T; 2] {
        for process in &mut self.processes {
            process.close_input();
            assert!(process.wait(TIME_OUT).unwrap().success());
        }
        ["client", "server"].map(|side| read(&self.reports.path().join(side)))
    }
}

/// Has client and server run for so many empty calls, both as `watch` says, and what is
/// read of the reports on them.
fn run_calls<T>(
    calls: u64,
    watch: impl Fn(&Command, &Path) -> Command,
    read: impl Fn(&Path) -> T,
) -> [T; 2] {
    let program = env!("CARGO_BIN_EXE_small_calls");
    let of_server = ["empty", "127.0.0.1:0"];
    let of_client = ["empty", "*", &calls.to_string()];
    let mut pair = Pair::start(program, &of_server, &of_client, watch);
    assert_eq!(pair.processes[1].read_line(TIME_OUT).unwrap(), "done");
    pair.end(read)
}

/// Has client and server run for bursts of oneways of this length, each of which has
/// arrived before the server reads it, and the instructions of both.
fn count_bursts(counter: &InstructionCounter, length: u64) -> [u64; 2] {
    let program = env!("CARGO_BIN_EXE_flood");
    let watch = |command: &Command, report: &Path| counter.reporting(command, report);
    // Octets that are sent over TCP may be on their way for a while yet.
    let mut pair = Pair::start(program, &["uiop://"], &["*"], watch);
    let [server, client] = &mut pair.processes;
    let mut client_does = |task: &str| {
        client.write_line(task).unwrap();
        assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
    };
    for _ in 0..BURSTS_COUNT {
        client_does("hold");
        assert_eq!(server.read_line(TIME_OUT).unwrap(), "held");
        client_does(&length.to_string());
        server.write_line("go on").unwrap();
        client_does("settle");
    }
    client_does("end");
    pair.end(read_count)
}

fn read_count(report: &Path) -> u64 {
    InstructionCounter::read(report).unwrap()
}

/// Returns the counter, if there is anything worth counting.
fn counter() -> Option<InstructionCounter> {
    if cfg!(debug_assertions) {
        eprintln!(
            "LEFT OUT: the code is not optimized; run \
             `cargo test --release --package taut-interop --test counting call_cost`"
        );
        return None;
    }
    InstructionCounter::find()
}

/// Sees to it that a call costs no more than what is committed, on either side: so many
/// calls are what a long run has and a short one has not.
fn check(name: &str, [short, long]: [[u64; 2]; 2], calls: u64, committed: [u64; 2]) {
    let [client, server] = [0, 1].map(|side: usize| (long[side] - short[side]) / calls);
    eprintln!("{name}: {client} instructions on the client, {server} on the server");
    for ((side, cost), committed) in [("client", client), ("server", server)]
        .into_iter()
        .zip(committed)
    {
        assert!(cost > 100, "{cost} instructions on the {side} are no call");
        assert!(
            cost * 100 <= committed * (100 + SLACK_PERCENT),
            "{name}: {cost} instructions on the {side}, {committed} when this was written down"
        );
    }
}

#[test]
fn an_empty_call_costs_no_more_than_it_did() {
    let Some(counter) = counter() else {
        return;
    };
    let watch = |command: &Command, report: &Path| counter.reporting(command, report);
    let counts = CALLS.map(|calls| run_calls(calls, watch, read_count));
    check("an empty call", counts, CALLS[1] - CALLS[0], EMPTY_COST);
}

#[test]
fn the_code_of_an_empty_call_lies_in_no_more_lines_than_it_did() {
    let Some(counter) = counter() else {
        return;
    };
    let [short, long] = LISTED_CALLS.map(|calls| {
        let watch = |program: &Command, report: &Path| counter.listing(program, report);
        run_calls(calls, watch, |report| Listing::read(report).unwrap())
    });
    let calls = LISTED_CALLS[1] - LISTED_CALLS[0];
    // Lines that are executed in nearly every call count as well.
    let lines = [0, 1].map(|side: usize| short[side].lines_repeated(&long[side], calls * 9 / 10));
    eprintln!("an empty call: {lines:?} lines of code, on the client and on the server");
    for (lines, committed) in lines.into_iter().zip(EMPTY_LINES) {
        assert!(lines > 10, "{lines} lines are no call");
        assert!(
            lines <= committed + LINES_SLACK,
            "{lines} lines, {committed} when this was written down"
        );
    }
}

#[test]
fn a_oneway_of_a_flood_costs_no_more_than_it_did() {
    let Some(counter) = counter() else {
        return;
    };
    let counts = BURSTS.map(|length| count_bursts(&counter, length));
    let oneways = BURSTS_COUNT * (BURSTS[1] - BURSTS[0]);
    check("a oneway", counts, oneways, ONEWAY_COST);
}

/// How much more a request may cost its server that tells a priority, or goes to a POA that has
/// one, than a plain one, in percent.
const MORE_WITH_PRIORITY: u64 = 27;

/// The cost for the server of a request that goes to a POA with this model and tells this.
fn count_told(counter: &InstructionCounter, model: &str, told: &str) -> u64 {
    let program = env!("CARGO_BIN_EXE_told_requests");
    let [short, long] = CALLS.map(|calls| {
        let watch = |command: &Command, report: &Path| counter.reporting(command, report);
        let of_client = ["*", told, &calls.to_string()];
        let mut pair = Pair::start(program, &[model], &of_client, watch);
        assert_eq!(pair.processes[1].read_line(TIME_OUT).unwrap(), "done");
        pair.end(read_count)[1]
    });
    (long - short) / (CALLS[1] - CALLS[0])
}

#[test]
fn a_request_with_a_priority_costs_its_server_little_more_than_a_plain_one() {
    let Some(counter) = counter() else {
        return;
    };
    let plain = count_told(&counter, "none", "nothing");
    eprintln!("a plain request: {plain} instructions on the server");
    for (model, told) in [("clients", "priority"), ("server", "nothing")] {
        let cost = count_told(&counter, model, told);
        eprintln!("to a POA with {model}, telling {told}: {cost}");
        assert!(cost > plain, "{cost} are no more than {plain}");
        assert!(
            cost * 100 <= plain * (100 + MORE_WITH_PRIORITY),
            "{cost} instructions where a plain request takes {plain}"
        );
    }
    // A deadline takes a look at the clock.
    let both = count_told(&counter, "clients", "both");
    eprintln!("with a deadline, too: {both}");
}

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

#[inline(never)]
fn call_often(target: &dyn Pinger, calls: usize) {
    for _ in 0..calls {
        target.ping().unwrap();
    }
}

#[test]
#[ignore = "what the other test counts the instructions of"]
fn direct_calls() {
    let calls = env::var(CALLS_TO_MAKE).unwrap().parse().unwrap();
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.build().unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let target = poa.activate(PingerSkeleton::new(Servant)).unwrap();
    let target = target.with_collocation(CollocationStrategy::Direct);
    // Nobody is to know which type this is.
    call_often(black_box(&target), calls);
    orb.shutdown(true).unwrap();
}

#[test]
fn a_direct_call_costs_no_more_than_it_did() {
    let Some(counter) = counter() else {
        return;
    };
    let cost = counter.count_each("counting::call_cost::call_often*", DIRECT_CALLS, |calls| {
        let mut program = ignored_test("call_cost::direct_calls");
        program.env(CALLS_TO_MAKE, calls.to_string());
        program
    });
    let cost = cost.unwrap();
    eprintln!("a direct call: {cost:.1} instructions");
    assert!(cost > 10.0, "{cost} instructions are no call");
    assert!(
        cost * 100.0 <= (DIRECT_COST * (100 + SLACK_PERCENT)) as f64,
        "{cost} instructions, {DIRECT_COST} when this was written down"
    );
}

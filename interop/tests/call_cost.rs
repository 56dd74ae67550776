//! What a call without arguments and result costs on each side, and what a oneway of a
//! flood does, in instructions of the program itself, those of the system not among
//! them: the difference of two runs of different length, divided by the calls. Counted by
//! valgrind; without it this is left out. So it is where the code is not optimized, of
//! which the figures say nothing: `cargo xtask ci` runs it with `--release`.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bench::{Pinger, PingerSkeleton};
use taut::{CollocationStrategy, Orb, Reference};
use taut_interop::Process;
use test_tools::{InstructionCounter, Listing, ignored_test};

taut::include_idl!("ping");

const TIME_OUT: Duration = Duration::from_secs(120);

/// The programs, and the words behind their sides that say what is called.
const EMPTY: (&str, &[&str]) = (env!("CARGO_BIN_EXE_small_calls"), &["empty"]);
const ONEWAY: (&str, &[&str]) = (env!("CARGO_BIN_EXE_flood"), &[]);

/// The lengths of the two runs that are compared.
const CALLS: [u64; 2] = [1_000, 21_000];

/// What a call took on client and server when this was last written down; the goals are
/// 800 and 900. Lower it where a call has become cheaper; raise it only for what is worth
/// it to every caller.
const EMPTY_COST: [u64; 2] = [526, 703];

/// In how many lines of 64 octets the code of such a call lay, on client and server, that
/// of the C library among it: what a call executes after each system call has to come into
/// the processor's first cache again, and what happens seldom is not to lie in between.
const EMPTY_LINES: [usize; 2] = [59, 69];

/// So many more are no fault: where functions begin, the linker decides.
const LINES_SLACK: usize = 8;

/// The lengths of the two runs of which the code is listed.
const LISTED_CALLS: [u64; 2] = [200, 1_200];

/// What a oneway with a kibibyte took, which is copied on the client and not on the
/// server, where many arrive at once.
const ONEWAY_COST: [u64; 2] = [539, 481];

/// What such a call took where the reference keeps the servant, with the loop that makes
/// it and the servant, which are counted, too.
const DIRECT_COST: u64 = 49;

/// How many direct calls are counted.
const DIRECT_CALLS: usize = 10_000;

/// Tells the ignored test their number.
const CALLS_TO_MAKE: &str = "TAUT_CALLS_TO_MAKE";

/// So many percent more are no fault: compilers and C libraries differ, and the threads
/// that look after connections do so by the clock.
const SLACK_PERCENT: u64 = 5;

/// The instructions of client and server for so many calls of a kind, with all that it
/// takes to start.
fn count(counter: &InstructionCounter, call: (&str, &[&str]), calls: u64) -> [u64; 2] {
    let watch = |program: &Command, report: &Path| counter.reporting(program, report);
    run(call, calls, watch, |report| {
        InstructionCounter::read(report).unwrap()
    })
}

/// Has client and server run for so many calls of a kind, both as `watch` says, and what
/// is read of the reports on them.
fn run<T>(
    (program, words): (&str, &[&str]),
    calls: u64,
    watch: impl Fn(&Command, &Path) -> Command,
    read: impl Fn(&Path) -> T,
) -> [T; 2] {
    let directory = tempfile::tempdir().unwrap();
    let [of_client, of_server] = ["client", "server"].map(|side| directory.path().join(side));
    let start = |report, arguments: &[&str]| {
        let mut command = watch(Command::new(program).args(arguments), report);
        Process::start(&mut command).unwrap()
    };
    let mut server = start(&of_server, &[&["server"], words, &["127.0.0.1:0"]].concat());
    let reference = server.read_line(TIME_OUT).unwrap();
    let calls = calls.to_string();
    let mut client = start(
        &of_client,
        &[&["client"], words, &[&reference, &calls]].concat(),
    );
    assert_eq!(client.read_line(TIME_OUT).unwrap(), "done");
    // The server first, which would have to deal with the client's end.
    for process in [&mut server, &mut client] {
        process.close_input();
        assert!(process.wait(TIME_OUT).unwrap().success());
    }
    [of_client, of_server].map(|report| read(&report))
}

/// What counts, if there is anything worth counting.
fn counter() -> Option<InstructionCounter> {
    if cfg!(debug_assertions) {
        eprintln!(
            "LEFT OUT: the code is not optimized; run \
             `cargo test --release --package taut-interop --test call_cost`"
        );
        return None;
    }
    InstructionCounter::find()
}

/// Sees to it that a call of a kind costs no more than what is committed, on either side.
fn check(name: &str, call: (&str, &[&str]), committed: [u64; 2]) {
    let Some(counter) = counter() else {
        return;
    };
    let [short, long] = CALLS.map(|calls| count(&counter, call, calls));
    let calls = CALLS[1] - CALLS[0];
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
    check("an empty call", EMPTY, EMPTY_COST);
}

#[test]
fn the_code_of_an_empty_call_lies_in_no_more_lines_than_it_did() {
    let Some(counter) = counter() else {
        return;
    };
    let [short, long] = LISTED_CALLS.map(|calls| {
        let watch = |program: &Command, report: &Path| counter.listing(program, report);
        run(EMPTY, calls, watch, |report| Listing::read(report).unwrap())
    });
    let calls = LISTED_CALLS[1] - LISTED_CALLS[0];
    // What happens in nearly every call counts as well.
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
    check("a oneway", ONEWAY, ONEWAY_COST);
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
    let cost = counter.count_each("call_cost::call_often*", DIRECT_CALLS, |calls| {
        let mut program = ignored_test("direct_calls");
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

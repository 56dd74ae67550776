//! A call costs as many instructions whether its object is one of two or one of
//! two thousand, on the client and on the server together, counted by valgrind.
//! Without valgrind this is left out.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use bench::{Pinger, PingerRef, PingerSkeleton};
use taut::{Orb, OrbBuilder, Reference};
use test_tools::{InstructionCounter, ignored_test};

taut::include_idl!("ping");

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

const SERVANTS: &str = "TAUT_SERVANTS";
const CALLS: &str = "TAUT_CALLS";

#[test]
#[ignore = "what the other test counts the instructions of"]
fn calls_to_many() {
    let number = |name| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let (servants, calls) = (number(SERVANTS), number(CALLS));
    // No reactor that stands by because a servant seems to keep its thread, which
    // under valgrind it does.
    let server = Orb::builder()
        .settings(|settings| settings.server.max_requests_per_connection = 1)
        .listen("127.0.0.1:0")
        .and_then(OrbBuilder::build)
        .unwrap();
    let client = Orb::builder().build().unwrap();
    let poa = server.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let pingers: Vec<PingerRef> = (0..servants)
        .map(|_| {
            let active = poa.activate(PingerSkeleton::new(Servant)).unwrap();
            let text = server.object_to_string(active.as_object());
            client.string_to_object(&text).unwrap().narrow().unwrap()
        })
        .collect();
    // Each is bound, whatever the number of calls.
    for pinger in &pingers {
        pinger.ping().unwrap();
    }
    for pinger in pingers.iter().cycle().take(calls) {
        pinger.ping().unwrap();
    }
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

/// How many instructions so many calls take, with all that precedes them.
fn instructions(counter: &InstructionCounter, servants: usize, calls: usize) -> u64 {
    let mut command = ignored_test("flat_cost::calls_to_many");
    command.env(SERVANTS, servants.to_string());
    command.env(CALLS, calls.to_string());
    counter.count(&command).unwrap()
}

#[test]
fn a_call_to_one_of_many_costs_what_one_of_two_does() {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let cost = |servants| {
        let few = instructions(&counter, servants, 0);
        let many = instructions(&counter, servants, 5_000);
        (many - few) / 5_000
    };
    let (two, many) = (cost(2), cost(2_000));
    eprintln!("{two} instructions for one of 2, {many} for one of 2000");
    // Not quite the same, for the threads that look after connections do so by
    // the clock.
    assert!(
        many * 100 <= two * 103,
        "{two} instructions for one of 2, {many} for one of 2000"
    );
}

//! Every call and request is noted at every step, once; the steps add up to the whole;
//! and nothing of this allocates once a thread has begun.

use crate::common::{Echo, EchoRef, Server};
use counting_allocator::every_thread::peak;
use taut::Orb;
use taut::probes::{self, Kind, Side, Step, Table};
use test_tools::in_own_process;

const CALLS: u64 = 500;

/// Returns the times that so many calls leave behind, once some have been made before.
fn noted(echo: &EchoRef) -> Table {
    let call = |_| assert_eq!(echo.echo("text").unwrap(), "text");
    // From here on steps are noted.
    probes::reset();
    (0..10).for_each(call);
    all_are_noted(10);
    probes::reset();
    (0..CALLS).for_each(call);
    all_are_noted(CALLS)
}

/// Returns the times once the server has noted that so many replies have gone, which it does when
/// the client may have them already.
fn all_are_noted(calls: u64) -> Table {
    let count = || probes::read().step(Step::Request).count;
    crate::common::eventually("all replies are noted", || count() >= calls);
    let table = probes::read();
    assert_eq!(table.step(Step::Request).count, calls);
    table
}

fn check(table: &Table) {
    for times in &table.steps {
        assert_eq!(times.count, CALLS, "{times:?}");
        assert!(times.min_ns <= times.median_ns * 1.04, "{times:?}");
        assert!(times.median_ns <= times.p99_ns, "{times:?}");
        assert!(times.min_ns <= times.mean_ns, "{times:?}");
    }
    for (side, whole) in [(Side::Client, Step::Call), (Side::Server, Step::Request)] {
        // The wait for a request is not part of it.
        let steps = table.steps.iter().filter(|it| {
            it.step.side() == side
                && it.step.kind() != Kind::Whole
                && it.step != Step::RequestReceived
        });
        let sum: f64 = steps.map(|it| it.mean_ns).sum();
        let mean = table.step(whole).mean_ns;
        assert!(
            (sum / mean - 1.0).abs() < 1e-6,
            "{sum} of {mean} ns: {table}"
        );
    }
    // The client waits while the servant works.
    let waits = [Step::RequestSent, Step::ReplyReceived].map(|step| table.step(step).mean_ns);
    assert!(waits.iter().sum::<f64>() > table.step(Step::ServantReturned).mean_ns);
    assert!(table.sum_ns(Side::Client, Kind::Orb) > table.probe_ns && table.probe_ns > 0.0);
}

/// Alone, for what all threads note is found in one place.
#[test]
fn every_step_of_every_call_is_noted_once() {
    in_own_process(every_step_of_every_call_is_noted_once, check_every_step);
}

fn check_every_step() {
    // Without a reactor that stands by, which comes to no probe.
    let listening = |adjust: fn(&mut taut::Settings)| {
        let builder = Orb::builder().settings(|settings| {
            settings.server.max_requests_per_connection = 1;
            adjust(settings);
        });
        builder.listen("127.0.0.1:0").unwrap()
    };
    for builder in [
        listening(|_| ()),
        // One thread, for another would come to its first probe, which allocates, whenever
        // the first is late.
        listening(|settings| {
            settings.server.connection_threads = 0;
            settings.server.reactor_threads = 1;
            settings.server.max_reactor_threads = 1;
        }),
    ] {
        let server = Server::start_with(builder);
        let echo = server.client();
        let table = noted(&echo);
        check(&table);
        let shown = table.to_string();
        for step in Step::ALL {
            assert!(shown.contains(step.name()), "{shown}");
        }
        let allocated = peak(|| (0..CALLS).for_each(|_| echo.ping().unwrap()));
        assert_eq!(allocated, 0, "calls allocate");
        // Else the last of them might be noted among the calls to the next server.
        all_are_noted(2 * CALLS);
    }
}

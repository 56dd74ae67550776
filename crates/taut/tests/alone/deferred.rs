//! How many threads requests need that are answered later.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use taut::codegen::{self, Interface};
use taut::{DeferredRequest, Orb, Reference, Servant, ServantIdentity};
use test_tools::in_own_process;

use crate::common::process::threads_named;
use crate::common::raw::{RawClient, Request};
use crate::common::{EchoRef, eventually};

const CALLS: u32 = 1_000;
const CONNECTIONS: u32 = 4;
const ANSWERING: usize = 4;
/// How long each of the calls takes.
const TIME: Duration = Duration::from_millis(50);

#[test]
fn a_thousand_slow_requests_at_once_need_four_threads() {
    in_own_process(
        a_thousand_slow_requests_at_once_need_four_threads,
        four_threads_answer_a_thousand_requests,
    );
}

/// A servant that has its requests answered when they have taken their time.
struct Slow(Mutex<Sender<(Instant, DeferredRequest)>>);

struct SlowSkeleton(Arc<Slow>);

impl Servant for SlowSkeleton {
    fn interface(&self) -> &'static Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        let due = Instant::now() + TIME;
        let deferred = request.defer()?;
        self.0.0.lock().unwrap().send((due, deferred)).unwrap();
        Ok(())
    }
}

impl codegen::Skeleton for SlowSkeleton {
    type Reference = EchoRef;
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn four_threads_answer_a_thousand_requests() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let builder = builder.settings(|settings| {
        settings.server.reactor_threads = 2;
        settings.server.max_reactor_threads = 2;
    });
    let orb = builder.build().unwrap();
    let poa = orb.root_poa().unwrap();
    let (sender, requests) = channel();
    let servant = SlowSkeleton(Arc::new(Slow(Mutex::new(sender))));
    let slow = poa.activate(servant).unwrap();
    poa.manager().activate().unwrap();

    let mut clients: Vec<_> = (0..CONNECTIONS).map(|_| RawClient::connect(&orb)).collect();
    for (first, client) in clients.iter_mut().enumerate() {
        let ids = (first as u32..CALLS).step_by(CONNECTIONS as usize);
        let messages: Vec<_> = ids
            .flat_map(|id| Request::new(id, "ping").to(slow.as_object(), |_| ()))
            .collect();
        client.send(&messages);
    }
    // None is answered before all are there.
    let waiting: Vec<_> = requests.iter().take(CALLS as usize).collect();
    // A connection's own thread ends with the first request that is answered later.
    eventually("the reactor reads all connections", || {
        threads_named("taut connection") == 0
    });
    let others = threads();
    // The program and its test, one that accepts, the watch, the reactor's two and their
    // supervisor.
    assert!(others <= 7, "{others} threads while {CALLS} requests wait");

    let waiting = Arc::new(Mutex::new(waiting.into_iter()));
    let answering: Vec<_> = (0..ANSWERING)
        .map(|_| {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some((due, request)) = next else { return };
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    request.reply(|_| Ok(()));
                }
            })
        })
        .collect();
    let mut most = 0;
    for (first, client) in clients.iter_mut().enumerate() {
        let ids = (first as u32..CALLS).step_by(CONNECTIONS as usize);
        let mut answered: Vec<_> = ids
            .clone()
            .map(|_| {
                most = most.max(threads());
                client.receive().unwrap().request_id()
            })
            .collect();
        answered.sort_unstable();
        assert!(answered.into_iter().eq(ids));
    }
    assert!(most <= others + ANSWERING, "{most} threads");
    answering
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    orb.shutdown(true).unwrap();
}

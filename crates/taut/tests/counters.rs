//! The counters of an ORB, as the facade `metrics` shows them. The names are those of
//! docs/observability.md.

#![cfg(feature = "metrics")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "it/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{Echo, Misbehaviour, Server, eventually};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use parking_lot::Mutex;
use taut::{Orb, Reference};

/// Keeps all counters, by name and label.
#[derive(Default)]
struct Keeper(Mutex<BTreeMap<String, Arc<Count>>>);

#[derive(Default)]
struct Count(AtomicU64);

impl CounterFn for Count {
    fn increment(&self, value: u64) {
        self.0.fetch_add(value, Ordering::SeqCst);
    }

    fn absolute(&self, value: u64) {
        self.0.store(value, Ordering::SeqCst);
    }
}

impl Recorder for &'static Keeper {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let mut name = key.name().to_owned();
        for label in key.labels() {
            name += &format!(" {}={}", label.key(), label.value());
        }
        Counter::from_arc(Arc::clone(self.0.lock().entry(name).or_default()))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

impl Keeper {
    fn get(&self, name: &str) -> u64 {
        let counts = self.0.lock();
        counts
            .get(name)
            .map_or(0, |count| count.0.load(Ordering::SeqCst))
    }

    /// Waits until a counter has grown by so much, and fails if it grows further.
    fn expect(&self, name: &str, before: u64, more: u64) {
        eventually(name, || self.get(name) >= before + more);
        assert_eq!(self.get(name), before + more, "{name}");
    }
}

/// One test, for all share the recorder.
#[test]
fn each_counter_counts() {
    let keeper: &Keeper = Box::leak(Box::default());
    metrics::set_global_recorder(keeper).unwrap();
    for connection_threads in [64, 0] {
        for step in [
            requests_and_octets,
            exceptions,
            refusals,
            breaches,
            timeouts,
            lost_and_sent_again,
            lost_oneways,
            forwards,
            #[cfg(feature = "full")]
            quality::expired,
            #[cfg(feature = "full")]
            quality::not_admitted,
            #[cfg(feature = "full")]
            quality::over_budget,
            #[cfg(feature = "full")]
            quality::blocked,
            #[cfg(feature = "full")]
            lanes::count,
        ] {
            step(keeper, connection_threads);
            eventually("the end of all connections", || {
                ["server", "client"].iter().all(|side| {
                    let count = |what| keeper.get(&format!("taut_{side}_connections_{what}_total"));
                    count("opened") == count("closed")
                })
            });
        }
    }
    // The documented counters are those that exist.
    let documentation = include_str!("../../../docs/observability.md");
    let counts = keeper.0.lock();
    let mut names: Vec<&str> = counts
        .keys()
        .filter_map(|name| name.split(' ').next())
        .collect();
    names.dedup();
    assert_eq!(
        names.len(),
        if cfg!(feature = "full") { 24 } else { 16 },
        "{names:?}"
    );
    for name in names {
        assert!(documentation.contains(&format!("`{name}`")), "{name}");
    }
}

fn server(connection_threads: usize, adjust: impl FnOnce(&mut taut::Settings)) -> Server {
    Server::with(|settings| {
        settings.server.connection_threads = connection_threads;
        adjust(settings);
    })
}

fn requests_and_octets(keeper: &Keeper, connection_threads: usize) {
    let names = [
        "taut_server_requests_total",
        "taut_server_received_octets_total",
        "taut_server_reply_octets_total",
        "taut_server_connections_opened_total",
        "taut_server_connections_closed_total",
        "taut_client_connections_opened_total",
        "taut_client_connections_closed_total",
    ];
    let before = names.map(|name| keeper.get(name));
    let server = server(connection_threads, |_| ());
    let echo = server.client();
    for _ in 0..100 {
        echo.ping().unwrap();
    }
    // Also while the connection lasts.
    keeper.expect(names[0], before[0], 100);
    // A plain reply has 24 octets.
    keeper.expect(names[2], before[2], 2_400);
    let received = keeper.get(names[1]) - before[1];
    assert!((6_000..20_000).contains(&received), "{received}");
    keeper.expect(names[3], before[3], 1);
    keeper.expect(names[5], before[5], 1);
    drop(echo);
    keeper.expect(names[4], before[4], 1);
    keeper.expect(names[6], before[6], 1);
}

fn exceptions(keeper: &Keeper, connection_threads: usize) {
    let server = server(connection_threads, |_| ());
    let echo = server.client();
    let names = ["NO_PERMISSION", "UNKNOWN"]
        .map(|kind| format!("taut_server_system_exceptions_total exception={kind}"));
    let before = names.each_ref().map(|name| keeper.get(name));
    echo.misbehave(Misbehaviour::Fails).unwrap_err();
    keeper.expect(&names[0], before[0], 1);
    echo.misbehave(Misbehaviour::Panics).unwrap_err();
    keeper.expect(&names[1], before[1], 1);
}

fn refusals(keeper: &Keeper, connection_threads: usize) {
    for reason in ["server.max_connections", "server.max_connections_per_peer"] {
        let server = server(connection_threads, |settings| match reason {
            "server.max_connections" => settings.server.max_connections = 1,
            _ => settings.server.max_connections_per_peer = 1,
        });
        let name = format!("taut_server_connections_refused_total reason={reason}");
        let before = keeper.get(&name);
        let kept = server.client();
        std::thread::scope(|scope| {
            scope.spawn(|| kept.misbehave(Misbehaviour::Blocks).unwrap());
            server.entered.recv().unwrap();
            for _ in 0..5 {
                drop(TcpStream::connect(("127.0.0.1", server.port())).unwrap());
            }
            keeper.expect(&name, before, 5);
            server.release.send(()).unwrap();
        });
    }
}

fn breaches(keeper: &Keeper, connection_threads: usize) {
    let server = server(connection_threads, |settings| {
        settings.server.max_cancels_per_second = 1;
    });
    for (kind, octets) in [
        ("framing", &b"HTTP/1.1 is not spoken here"[..]),
        ("message", b"GIOP\x01\x02\x01\x00\x04\0\0\0\0\0\0\0"),
        (
            "cancels",
            b"GIOP\x01\x00\x01\x02\x04\0\0\0\x07\0\0\0GIOP\x01\x00\x01\x02\x04\0\0\0\x07\0\0\0",
        ),
    ] {
        let name = format!("taut_server_protocol_errors_total kind={kind}");
        let before = keeper.get(&name);
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.write_all(octets).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
        keeper.expect(&name, before, 1);
    }
}

fn timeouts(keeper: &Keeper, connection_threads: usize) {
    let server = server(connection_threads, |settings| {
        settings.server.idle_timeout = Some(Duration::from_millis(100));
        settings.server.header_timeout = Duration::from_millis(20);
    });
    for (kind, octets) in [("idle", &b""[..]), ("message", b"GI")] {
        let name = format!("taut_server_timeouts_total kind={kind}");
        let before = keeper.get(&name);
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream.write_all(octets).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
        keeper.expect(&name, before, 1);
    }
}

fn lost_oneways(keeper: &Keeper, _: usize) {
    let lost = |reason: &str| format!("taut_client_oneways_lost_total reason={reason}");
    let client = |url: &str, timeout| {
        common::orb_and_client(url, |settings: &mut taut::Settings| {
            settings.client.sync_scope = taut::SyncScope::None;
            settings.client.oneway_batch_timeout = timeout;
        })
    };
    // Nobody is there.
    let before = keeper.get(&lost("connect"));
    let (orb, nobody) = client(
        "corbaloc:iiop:1.2@127.0.0.1:1/nobody",
        Duration::from_secs(60),
    );
    (0..3).for_each(|_| nobody.note("lost").unwrap());
    orb.flush_oneways(Duration::from_secs(10)).unwrap();
    keeper.expect(&lost("connect"), before, 3);

    // A peer that takes nothing and goes, and one that takes nothing and stays.
    for reason in ["connection", "shutdown"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/silence");
        let (orb, silent) = client(&url, Duration::from_millis(1));
        silent.note(&"x".repeat(15 << 20)).unwrap();
        let (stream, _) = listener.accept().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let before = keeper.get(&lost(reason));
        match reason {
            "connection" => drop(stream),
            _ => {
                silent.note("waits behind").unwrap();
                orb.shutdown(true).unwrap();
            }
        }
        keeper.expect(&lost(reason), before, 1);
        orb.shutdown(true).unwrap();
    }
}

fn lost_and_sent_again(keeper: &Keeper, connection_threads: usize) {
    let name = "taut_client_connections_failed_total";
    let before = keeper.get(name);
    common::client("corbaloc:iiop:1.2@127.0.0.1:1/nobody")
        .ping()
        .unwrap_err();
    keeper.expect(name, before, 1);

    // A server that answers nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = "taut_client_connections_lost_total kind=timeout";
    let before = keeper.get(name);
    let timeout = Some(Duration::from_millis(20));
    let orb = Orb::builder().settings(|settings| settings.client.call_timeout = timeout);
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/silence");
    let silent = orb.build().unwrap().string_to_object(&url).unwrap();
    assert!(silent.locate().is_err());
    keeper.expect(name, before, 1);

    // A connection that the server has closed meanwhile.
    let server = server(connection_threads, |settings| {
        settings.server.idle_timeout = Some(Duration::from_millis(50));
    });
    let echo = server.client();
    let closed = "taut_server_connections_closed_total";
    let before = keeper.get(closed);
    echo.ping().unwrap();
    eventually("the end", || keeper.get(closed) > before);
    let name = "taut_client_requests_sent_again_total";
    let before = keeper.get(name);
    echo.ping().unwrap();
    keeper.expect(name, before, 1);
}

fn forwards(keeper: &Keeper, connection_threads: usize) {
    let server = server(connection_threads, |_| ());
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let name = "taut_client_forwards_total";
    let before = keeper.get(name);
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{}/Echo", server.port());
    common::client(&url).ping().unwrap();
    keeper.expect(name, before, 1);
}

/// The counters of what servers grant, and of the room of connections.
#[cfg(feature = "full")]
mod quality {
    use taut::policy::DeadlinePropagationPolicy;
    use taut::quality::{FlowEvent, FullQuality, ServiceQuality, UpcallBudget};
    use taut::{Poa, deadline};

    use super::*;
    use common::{EchoRef, EchoSkeleton};

    /// A POA of a server, and a client's reference to its object.
    fn client_of(server: &Server, poa: &Poa) -> EchoRef {
        let echo = poa.activate(EchoSkeleton(Arc::clone(&server.servant)));
        common::client(&echo.unwrap().as_object().to_string())
    }

    fn granting(server: &Server, quality: ServiceQuality) -> Poa {
        let poa = server
            .poa
            .create_poa("granting", Some(server.poa.manager()), &[]);
        let poa = poa.unwrap();
        poa.set_quality(quality).unwrap();
        poa
    }

    pub(super) fn expired(keeper: &Keeper, connection_threads: usize) {
        let server = server(connection_threads, |_| ());
        let told = [DeadlinePropagationPolicy(true).into()];
        let poa = server
            .poa
            .create_poa_telling("asking", None, &[], &told)
            .unwrap();
        let client = client_of(&server, &poa);
        let name = "taut_server_requests_expired_total stage=queue";
        let before = keeper.get(name);
        // Its manager holds requests.
        let brief = Duration::from_millis(50);
        deadline::within(brief, || client.ping()).unwrap_err();
        // A deadline begins when the request has been read.
        std::thread::sleep(Duration::from_secs(1));
        poa.manager().activate().unwrap();
        keeper.expect(name, before, 1);
    }

    pub(super) fn not_admitted(keeper: &Keeper, connection_threads: usize) {
        let server = server(connection_threads, |_| ());
        let few = FullQuality::new(1).max_requests_in_progress(1);
        let poa = granting(&server, ServiceQuality::new().admission(few));
        let first = client_of(&server, &poa);
        let second = common::client(&first.as_object().to_string());
        let names = ["client", "request"]
            .map(|reason| format!("taut_server_requests_not_admitted_total reason={reason}"));
        let before = names.each_ref().map(|name| keeper.get(name));
        first.ping().unwrap();
        second.ping().unwrap_err();
        keeper.expect(&names[0], before[0], 1);
        let poa = server
            .poa
            .create_poa("none", Some(server.poa.manager()), &[])
            .unwrap();
        let none = FullQuality::new(1).max_requests_in_progress(0);
        poa.set_quality(ServiceQuality::new().admission(none))
            .unwrap();
        client_of(&server, &poa).ping().unwrap_err();
        keeper.expect(&names[1], before[1], 1);
    }

    pub(super) fn over_budget(keeper: &Keeper, connection_threads: usize) {
        let server = server(connection_threads, |_| ());
        let none = UpcallBudget::elapsed(Duration::ZERO);
        let poa = granting(&server, ServiceQuality::new().upcall_budget(none));
        let name = "taut_server_upcalls_over_budget_total kind=elapsed";
        let before = keeper.get(name);
        client_of(&server, &poa).ping().unwrap();
        keeper.expect(name, before, 1);
    }

    pub(super) fn blocked(keeper: &Keeper, _: usize) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/silence");
        let (orb, silent) = common::orb_and_client(&url, |settings: &mut taut::Settings| {
            settings.client.call_timeout = Some(Duration::from_secs(2));
        });
        assert!(orb.watch_flow(|_: &FlowEvent<'_>| ()));
        let name = "taut_client_connections_blocked_total";
        let before = keeper.get(name);
        silent.note(&"x".repeat(32 << 20)).unwrap_err();
        keeper.expect(name, before, 1);
    }
}

/// Requests for which no thread of a lane is there.
#[cfg(feature = "full")]
mod lanes {
    use std::thread;

    use taut::Reference;
    use taut::policy::ThreadpoolPolicy;
    use taut::real_time::{Priority, RealTime, RequestBuffering, Threadpool, ThreadpoolLane};

    use super::common::mode::Mode;
    use super::common::{Echo, EchoRef, EchoSkeleton, Misbehaviour};
    use super::{Arc, Keeper, Orb, Server, eventually};

    pub(super) fn count(keeper: &Keeper, _: usize) {
        let names = [
            "taut_server_lane_threads_added_total",
            "taut_server_lane_threads_borrowed_total",
            "taut_server_lane_requests_buffered_total",
            "taut_server_lane_requests_refused_total reason=buffer",
            "taut_server_lane_requests_refused_total reason=threads",
        ];
        let before = names.map(|name| keeper.get(name));
        let lane = |number, threads| ThreadpoolLane::new(Priority::new(number).unwrap(), threads);
        let pool = Threadpool::with_lanes([lane(9, 1).dynamic_threads(1), lane(1, 1)]);
        // The second thread of the lane, and that of the lower one.
        let _server = blocked(&pool.borrowing(true), 3, |object| {
            let refused = client(object).echo("refused");
            assert!(refused.is_err(), "{refused:?}");
        });
        keeper.expect(names[0], before[0], 1);
        // A borrowed thread may find more than one event.
        assert!(keeper.get(names[1]) > before[1]);
        keeper.expect(names[4], before[4], 1);
        let buffering = RequestBuffering::new(1, 0);
        let pool = Threadpool::with_lanes([lane(9, 1)]).buffering(buffering);
        let _server = thread::scope(|scope| {
            blocked(&pool, 1, |object| {
                let waits = client(object);
                scope.spawn(move || waits.echo("waits").unwrap());
                eventually("the request", || keeper.get(names[2]) > before[2]);
                let refused = client(object).echo("refused");
                assert!(refused.is_err(), "{refused:?}");
            })
        });
        // The one that was refused wanted to wait, too.
        keeper.expect(names[2], before[2], 2);
        keeper.expect(names[3], before[3], 1);
        assert_eq!(keeper.get(names[4]), before[4] + 1);
    }

    fn client(object: &EchoRef) -> EchoRef {
        Mode::tcp().client(&object.as_object().to_string())
    }

    /// Runs `run` while so many calls keep threads of a pool, and returns its server.
    fn blocked(pool: &Threadpool, threads: usize, run: impl FnOnce(&EchoRef)) -> Server {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        let server = Server::start_with(builder.real_time(RealTime::new()));
        let pool = server.orb.real_time().unwrap().create(pool).unwrap();
        let policies = [ThreadpoolPolicy(pool).into()];
        let manager = Some(server.poa.manager());
        let poa = server.poa.create_poa("lanes", manager, &policies).unwrap();
        let object = poa
            .activate(EchoSkeleton(Arc::clone(&server.servant)))
            .unwrap();
        thread::scope(|scope| {
            for _ in 0..threads {
                let client = client(&object);
                scope.spawn(move || client.misbehave(Misbehaviour::Blocks).unwrap());
                server.entered.recv().unwrap();
            }
            run(&object);
            (0..threads).for_each(|_| server.release.send(()).unwrap());
        });
        server
    }
}

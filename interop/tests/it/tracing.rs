//! Traces of calls to and from other ORBs, which pass over the service context of a trace.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::future::Future;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::trace::{SpanId, SpanKind, TraceFlags};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use parking_lot::Mutex;
use taut::{Orb, Reference as _};
use taut_interop::{Process, peers};
use taut_otel::{Telemetry, W3cTraceContext};
use test_tools::{Direction, Relay};

taut::include_idl!("ping");

use bench::{Pinger, PingerRef, PingerSkeleton};

const TIME_OUT: Duration = Duration::from_secs(60);

/// The version of GIOP, by omniORB's argument for it.
const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];

struct Observed {
    spans: InMemorySpanExporter,
    telemetry: Telemetry,
}

impl Observed {
    fn new() -> Self {
        let spans = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(spans.clone());
        let telemetry = Telemetry::builder().tracer_provider(&provider.build());
        Self {
            spans,
            telemetry: telemetry.propagator(W3cTraceContext).build(),
        }
    }

    /// The spans, once there are so many.
    fn spans(&self, count: usize) -> Vec<SpanData> {
        let end = Instant::now() + TIME_OUT;
        loop {
            let spans = self.spans.get_finished_spans().unwrap();
            if spans.len() >= count {
                return spans;
            }
            assert!(Instant::now() < end, "{spans:#?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Waits for a future in this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    let end = Instant::now() + TIME_OUT;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        assert!(Instant::now() < end, "the future is not ready");
        thread::park_timeout(Duration::from_secs(1));
    }
}

/// Calls a server of another ORB, by methods and by futures. Their trace contexts go there,
/// and change nothing.
fn calls(reference: &str) {
    let observed = Observed::new();
    let orb = Orb::builder().initializer(observed.telemetry.clone());
    let orb = orb.build().unwrap();
    let object = orb.string_to_object(reference).unwrap();
    let mut profile = object.ior().iiop_profiles().next().unwrap().unwrap();
    let seen = Arc::<Mutex<Vec<u8>>>::default();
    let to_server = Arc::clone(&seen);
    let server = format!("{}:{}", profile.host, profile.port);
    let server = std::net::ToSocketAddrs::to_socket_addrs(&server).unwrap();
    let relay = Relay::start({ server }.next().unwrap(), move |direction| {
        let seen = Arc::clone(&to_server);
        move |octets: &[u8]| {
            if direction == Direction::There {
                seen.lock().extend(octets);
            }
        }
    });
    let relay = relay.unwrap().address();
    (profile.host, profile.port) = (relay.ip().to_string(), relay.port());
    let ior = taut::Ior {
        type_id: object.type_id().to_owned(),
        profiles: vec![profile.to_profile().unwrap()],
    };
    let pinger: PingerRef = {
        let object = orb.string_to_object(&ior.to_string()).unwrap();
        object.unchecked_narrow()
    };
    // The first tells the code sets as well.
    for _ in 0..3 {
        pinger.ping().unwrap();
        block_on(pinger.ping_async()).unwrap();
    }
    let spans = observed.spans(6);
    assert_eq!(spans.len(), 6);
    let sent = seen.lock();
    for span in &spans {
        assert_eq!(span.span_kind, SpanKind::Client);
        assert_eq!(span.name, "taut.test/bench/Pinger/ping");
        assert!(
            !span
                .attributes
                .iter()
                .any(|one| one.key.as_str() == "error.type")
        );
        // It is in the header of the request.
        let context = &span.span_context;
        assert_eq!(context.trace_flags(), TraceFlags::SAMPLED);
        let parent = format!("00-{}-{}-01", context.trace_id(), context.span_id());
        assert!(
            sent.windows(parent.len())
                .any(|octets| octets == parent.as_bytes())
        );
    }
    orb.shutdown(true).unwrap();
}

struct Pings;

impl Pinger for Pings {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

/// Serves a client of another ORB, which sends no trace context.
fn serves(command: &mut Command, options: &[&str]) {
    let observed = Observed::new();
    let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = orb.initializer(observed.telemetry.clone()).build().unwrap();
    let poa = orb.root_poa().unwrap();
    let pinger = poa.activate(PingerSkeleton::new(Pings)).unwrap();
    poa.manager().activate().unwrap();
    command.arg(pinger.as_object().to_string()).args(options);
    let mut client = Process::start(command).unwrap();
    client.write_line("run 5").unwrap();
    client.read_line(TIME_OUT).unwrap();
    client.write_line("quit").unwrap();
    assert!(client.wait(TIME_OUT).unwrap().success());
    let spans = observed.spans(5);
    for span in &spans {
        assert_eq!(span.span_kind, SpanKind::Server);
        assert_eq!(span.parent_span_id, SpanId::INVALID);
        assert!(span.events.iter().next().is_none());
    }
    let pings = spans
        .iter()
        .filter(|span| span.name == "taut.test/bench/Pinger/ping");
    assert!(pings.count() >= 5);
    orb.shutdown(true).unwrap();
}

#[test]
fn an_omniorb_server_passes_over_the_trace_of_a_call() {
    let Some(program) = peers::omniorb("ping_server") else {
        return;
    };
    for version in VERSIONS {
        let mut command = Command::new(&program);
        command.args(["-ORBmaxGIOPVersion", version]);
        let mut server = Process::start(&mut command).unwrap();
        calls(&server.read_line(TIME_OUT).unwrap());
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success(), "GIOP {version}");
    }
}

#[test]
fn requests_of_an_omniorb_client_have_spans_without_a_parent() {
    let Some(program) = peers::omniorb("ping_client") else {
        return;
    };
    for version in VERSIONS {
        let arguments = ["-ORBmaxGIOPVersion", version];
        serves(&mut Command::new(&program), &arguments);
    }
}

#[test]
fn a_jacorb_server_passes_over_the_trace_of_a_call() {
    let Some(mut command) = peers::jacorb("PingServer") else {
        return;
    };
    let mut server = Process::start(&mut command).unwrap();
    calls(&server.read_line(TIME_OUT).unwrap());
    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

#[test]
fn requests_of_a_jacorb_client_have_spans_without_a_parent() {
    let Some(mut command) = peers::jacorb("PingClient") else {
        return;
    };
    serves(&mut command, &[]);
}

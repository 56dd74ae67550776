//! Spans of calls that are awaited.

use std::pin::pin;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::Context;
use opentelemetry::trace::{FutureExt, SpanKind, Status, TraceContextExt, Tracer};
use parking_lot::Mutex;
use taut::Reference;

use crate::common::{
    FAILURE, Observed, StockRef, assert_child, attribute, block_on, events, poll_once, serve, span,
};

#[test]
fn a_future_has_the_span_in_whose_context_it_is_polled_as_its_parent() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(7));
    let client = observed.client();
    let stock = stock.within(&client);
    let shopping = Context::new().with_span(observed.tracer().start("shopping"));
    let call = stock.count_async().with_context(shopping.clone());
    assert_eq!(block_on(call), Ok(7));
    drop(shopping);
    let spans = observed.spans(3);
    let shopping = span(&spans, SpanKind::Internal, "shopping");
    let call = span(&spans, SpanKind::Client, "Shop/Stock/count");
    let request = span(&spans, SpanKind::Server, "Shop/Stock/count");
    assert_child(shopping, call);
    assert_child(call, request);
    assert_eq!(events(call), ["attempt"]);
}

#[test]
fn futures_that_are_under_way_together_keep_their_spans_apart() {
    const CALLS: usize = 50;
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(7));
    let client = observed.client();
    let stock = stock.within(&client);
    let mut calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let parent = Context::new().with_span(observed.tracer().start("shopping"));
            Box::pin(stock.count_async().with_context(parent))
        })
        .collect();
    for call in &mut calls {
        assert!(poll_once(call.as_mut()).is_pending());
    }
    for call in calls.into_iter().rev() {
        assert_eq!(block_on(call), Ok(7));
    }
    let spans = observed.spans(3 * CALLS);
    for shopping in spans.iter().filter(|span| span.name == "shopping") {
        let trace = shopping.span_context.trace_id();
        let of_trace = spans
            .iter()
            .filter(|span| span.span_context.trace_id() == trace);
        let of_trace: Vec<_> = of_trace.cloned().collect();
        assert_eq!(of_trace.len(), 3);
        let call = span(&of_trace, SpanKind::Client, "Shop/Stock/count");
        assert_child(shopping, call);
        assert_child(call, span(&of_trace, SpanKind::Server, "Shop/Stock/count"));
    }
}

#[test]
fn a_future_that_is_dropped_ends_its_span_as_cancelled() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let (entered_sender, entered) = channel();
    let (release, released) = channel();
    let released = Mutex::new(released);
    let stock = serve(&server, move || {
        entered_sender.send(()).unwrap();
        let _ = released.lock().recv_timeout(Duration::from_secs(30));
        Ok(7)
    });
    let client = observed.client();
    let stock = stock.within(&client);
    {
        let mut call = pin!(stock.count_async());
        // It connects, and then sends the request.
        let end = Instant::now() + Duration::from_secs(30);
        while entered.try_recv().is_err() {
            assert!(poll_once(call.as_mut()).is_pending());
            assert!(Instant::now() < end);
            thread::sleep(Duration::from_millis(2));
        }
        observed.spans(0);
    }
    let spans = observed.spans(1);
    let call = span(&spans, SpanKind::Client, "Shop/Stock/count");
    assert_eq!(attribute(call, "error.type"), Some("cancelled".into()));
    assert!(matches!(call.status, Status::Error { .. }));
    release.send(()).unwrap();
    // The server has carried the request out.
    let spans = observed.spans(2);
    assert_child(
        &spans[0],
        span(&spans, SpanKind::Server, "Shop/Stock/count"),
    );
    // A future that is never polled has no call and no span.
    drop(stock.count_async());
    assert_eq!(observed.metric("rpc.client.call.duration").len(), 1);
    observed.spans(2);
}

#[test]
fn exceptions_and_forwards_of_futures_are_in_their_spans() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(5));
    let failing = serve(&server, || Err(FAILURE));
    let forwarder = observed.server().build().unwrap();
    let moved = serve(&forwarder, || Ok(0));
    forwarder.bind_object_key("Moved", stock.as_object());
    let profile = moved.as_object().ior().iiop_profiles().next();
    let port = profile.unwrap().unwrap().port;

    let client = observed.client();
    let url = format!("corbaloc::127.0.0.1:{port}/Moved");
    let moved: StockRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    assert_eq!(block_on(moved.count_async()), Ok(5));
    let spans = observed.spans(3);
    let call = span(&spans, SpanKind::Client, "count");
    assert_eq!(events(call), ["attempt", "forwarded", "attempt"]);
    for name in ["_OTHER", "Shop/Stock/count"] {
        assert_child(call, span(&spans, SpanKind::Server, name));
    }

    let outcome = block_on(failing.within(&client).count_async());
    assert_eq!(outcome, Err(FAILURE));
    let spans = observed.spans(5);
    let last = span(&spans[3..], SpanKind::Client, "Shop/Stock/count");
    let failure = "IDL:omg.org/CORBA/NO_PERMISSION:1.0";
    assert_eq!(attribute(last, "error.type"), Some(failure.into()));
}

//! The ends of calls: exceptions in spans and metrics.

use opentelemetry::trace::{SpanKind, Status};

use crate::common::{FAILURE, Observed, attribute, events, serve, span};

#[test]
fn exceptions_are_in_the_spans_and_counted_by_operation() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(1));
    let client = observed.client();
    let stock = stock.within(&client);
    for _ in 0..3 {
        assert_eq!(stock.count(), Ok(1));
    }
    let refused = "IDL:Shop/Refused:1.0";
    assert_eq!(stock.raised("refuse"), Ok(Some(refused.to_owned())));
    assert_eq!(stock.raised("fail"), Err(FAILURE));
    stock.raised("no_such_operation").unwrap_err();
    stock.raised("another_one").unwrap_err();

    let spans = observed.spans(14);
    let failure = "IDL:omg.org/CORBA/NO_PERMISSION:1.0";
    for kind in [SpanKind::Client, SpanKind::Server] {
        let failed = span(&spans, kind.clone(), "Shop/Stock/fail");
        assert_eq!(attribute(failed, "error.type"), Some(failure.into()));
        assert_eq!(attribute(failed, "corba.exception.minor"), Some(77.into()));
        let completed = attribute(failed, "corba.exception.completed");
        assert_eq!(completed, Some("COMPLETED_NO".into()));
        assert!(matches!(failed.status, Status::Error { .. }));
        assert!(events(failed).contains(&"exception"));
        let raised = span(&spans, kind.clone(), "Shop/Stock/refuse");
        assert_eq!(attribute(raised, "error.type"), Some(refused.into()));
        // A server that raises an exception of its IDL has not failed.
        let is_error = matches!(raised.status, Status::Error { .. });
        assert_eq!(is_error, kind == SpanKind::Client);
    }
    let unknown = spans.iter().filter(|span| span.name == "_OTHER");
    let originals: Vec<_> = unknown
        .map(|span| attribute(span, "rpc.method_original").unwrap().to_string())
        .collect();
    assert_eq!(originals, ["no_such_operation", "another_one"]);

    let point = |method: &str, error: &str| match error {
        "" => format!("rpc.method={method} rpc.system.name=corba"),
        error => format!("error.type={error} rpc.method={method} rpc.system.name=corba"),
    };
    let bad_operation = "IDL:omg.org/CORBA/BAD_OPERATION:1.0";
    let exceptions = vec![
        (point("Shop/Stock/refuse", refused), 1),
        (point("_OTHER", bad_operation), 2),
        (point("Shop/Stock/fail", failure), 1),
    ];
    let mut all = exceptions.clone();
    all.push((point("Shop/Stock/count", ""), 3));
    assert_eq!(observed.metric("corba.server.exceptions"), exceptions);
    assert_eq!(observed.metric("rpc.server.call.duration"), all);
    // A client knows which operations it calls.
    let of_client = observed.metric("rpc.client.call.duration");
    assert_eq!(of_client.len(), 5);
    assert!(of_client.contains(&(point("Shop/Stock/another_one", bad_operation), 1)));
    assert!(of_client.contains(&(point("Shop/Stock/count", ""), 3)));
    assert_eq!(observed.metric("corba.client.exceptions").len(), 4);
}

#[test]
fn a_call_that_reaches_nobody_has_an_error_and_a_request_to_no_object_too() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(1));
    let client = observed.client();
    let stock = stock.within(&client);
    let poa = server.root_poa().unwrap();
    let id = poa
        .reference_to_id(taut::Reference::as_object(&stock))
        .unwrap();
    poa.deactivate_object(&id).unwrap();
    stock.count().unwrap_err();
    server.shutdown(true).unwrap();
    drop(server);
    stock.count().unwrap_err();

    let spans = observed.spans(3);
    let request = span(&spans, SpanKind::Server, "_OTHER");
    let gone = "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0";
    assert_eq!(attribute(request, "error.type"), Some(gone.into()));
    let calls: Vec<_> = spans
        .iter()
        .filter(|span| span.span_kind == SpanKind::Client)
        .map(|span| attribute(span, "error.type").unwrap().to_string())
        .collect();
    assert_eq!(calls[0], gone);
    assert_ne!(calls[1], gone);
    assert!(calls[1].starts_with("IDL:omg.org/CORBA/"), "{calls:?}");
}

#[test]
fn a_call_that_is_forwarded_too_often_is_given_up() {
    let observed = Observed::new();
    let (one, other) = (observed.server(), observed.server());
    let (one, other) = (one.build().unwrap(), other.build().unwrap());
    let client = observed.client();
    let url = |orb: &taut::Orb| {
        let any = serve(orb, || Ok(0));
        let object = taut::Reference::as_object(&any);
        let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
        format!("corbaloc::127.0.0.1:{}/Moved", profile.port)
    };
    let (there, back) = (url(&other), url(&one));
    one.bind_object_key("Moved", &one.string_to_object(&there).unwrap());
    other.bind_object_key("Moved", &other.string_to_object(&back).unwrap());
    let object = client.string_to_object(&back).unwrap();
    let stock: crate::common::StockRef = object.unchecked_narrow();
    stock.count().unwrap_err();
    // The first attempt and those that client.max_forwards allows.
    let attempts = 1 + taut::Settings::default().client.max_forwards;
    let spans = observed.spans(1 + attempts);
    let call = span(&spans, SpanKind::Client, "count");
    assert_eq!(attribute(call, "error.type"), Some("given_up".into()));
    assert!(matches!(call.status, Status::Error { .. }));
    assert_eq!(events(call).len(), 2 * attempts);
}

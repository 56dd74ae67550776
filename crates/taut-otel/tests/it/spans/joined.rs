//! Spans that join across ORBs, threads and processes' borders.

use opentelemetry::trace::{SpanId, SpanKind, TraceContextExt, Tracer};
use opentelemetry::{Context, Value};
use taut::{CollocationStrategy, Orb, Reference, SyncScope};

use crate::common::{Observed, assert_child, attribute, events, serve, span};

/// Runs `run` within a span of this name.
fn within<R>(observed: &Observed, name: &'static str, run: impl FnOnce() -> R) -> R {
    observed.tracer().in_span(name, |_| run())
}

#[test]
fn a_call_has_a_span_on_either_side_and_the_servant_runs_in_its_own() {
    let (near, far) = (Observed::new(), Observed::new());
    let server = far.server().build().unwrap();
    let tracer = far.tracer();
    let stock = serve(&server, move || tracer.in_span("looking", |_| Ok(7)));
    let client = near.client();
    let stock = stock.within(&client);
    assert_eq!(within(&near, "shopping", || stock.count()), Ok(7));

    let (near, far) = (near.spans(2), far.spans(2));
    let shopping = span(&near, SpanKind::Internal, "shopping");
    let call = span(&near, SpanKind::Client, "Shop/Stock/count");
    let request = span(&far, SpanKind::Server, "Shop/Stock/count");
    let looking = span(&far, SpanKind::Internal, "looking");
    for (parent, child) in [(shopping, call), (call, request), (request, looking)] {
        assert_child(parent, child);
    }
    assert!(request.parent_span_is_remote);
    for span in [call, request] {
        for (key, value) in [
            ("rpc.system", "corba"),
            ("rpc.system.name", "corba"),
            ("rpc.method", "Shop/Stock/count"),
            ("corba.interface", "IDL:Shop/Stock:1.0"),
        ] {
            assert_eq!(attribute(span, key), Some(value.into()), "{key}");
        }
        assert_eq!(attribute(span, "error.type"), None);
        assert_eq!(attribute(span, "corba.oneway"), None);
    }
    assert_eq!(events(call), ["attempt"]);
    let attempt = &call.events.events[0].attributes;
    let address = attempt
        .iter()
        .find(|one| one.key.as_str() == "server.address");
    assert_eq!(address.unwrap().value, Value::from("127.0.0.1"));
    assert!(attempt.iter().any(|one| one.key.as_str() == "server.port"));
}

#[test]
fn a_nested_call_is_a_child_of_the_request_that_it_serves() {
    let observed = Observed::new();
    let inner = observed.server().build().unwrap();
    let stock = serve(&inner, || Ok(3));
    let outer = observed.server().build().unwrap();
    let nested = stock.within(&outer);
    let shop = serve(&outer, move || nested.count());
    let client = observed.client();
    let shop = shop.within(&client);
    assert_eq!(shop.count(), Ok(3));
    assert_eq!(shop.count(), Ok(3));

    // Two traces, of four spans each, every one the child of the one before.
    let spans = observed.spans(8);
    let roots: Vec<_> = spans
        .iter()
        .filter(|span| span.parent_span_id == SpanId::INVALID)
        .collect();
    assert_eq!(roots.len(), 2);
    for root in roots {
        let mut parent = root;
        let mut kinds = vec![root.span_kind.clone()];
        while let Some(child) = spans
            .iter()
            .find(|span| span.parent_span_id == parent.span_context.span_id())
        {
            assert_child(parent, child);
            kinds.push(child.span_kind.clone());
            parent = child;
        }
        let (client, server) = (SpanKind::Client, SpanKind::Server);
        assert_eq!(kinds, [client.clone(), server.clone(), client, server]);
    }
}

#[test]
fn a_oneway_of_each_scope_has_its_span_on_either_side() {
    for scope in [
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
        SyncScope::WithTarget,
    ] {
        let observed = Observed::new();
        let server = observed.server().build().unwrap();
        let stock = serve(&server, || Ok(0));
        let client = observed.client();
        let stock = stock.within(&client);
        let object = stock.as_object().with_sync_scope(scope);
        within(&observed, "noting", || {
            object.unchecked_narrow::<crate::common::StockRef>().note()
        })
        .unwrap();
        let spans = observed.spans(3);
        let noting = span(&spans, SpanKind::Internal, "noting");
        let call = span(&spans, SpanKind::Client, "Shop/Stock/note");
        let request = span(&spans, SpanKind::Server, "Shop/Stock/note");
        assert_child(noting, call);
        assert_child(call, request);
        if scope != SyncScope::WithTarget {
            assert_eq!(
                attribute(call, "corba.oneway"),
                Some(true.into()),
                "{scope:?}"
            );
        }
    }
}

#[test]
fn a_call_within_the_process_joins_as_well_and_the_caller_has_its_context_back() {
    let observed = Observed::new();
    let orb = observed.server().build().unwrap();
    let tracer = observed.tracer();
    let stock = serve(&orb, move || tracer.in_span("looking", |_| Ok(7)));
    let object = stock
        .as_object()
        .with_collocation(CollocationStrategy::ThroughPoa);
    let stock: crate::common::StockRef = object.unchecked_narrow();
    within(&observed, "shopping", || {
        let own = Context::current().span().span_context().clone();
        assert_eq!(stock.count(), Ok(7));
        assert_eq!(*Context::current().span().span_context(), own);
    });
    let spans = observed.spans(4);
    let names = [
        (SpanKind::Internal, "shopping"),
        (SpanKind::Client, "Shop/Stock/count"),
        (SpanKind::Server, "Shop/Stock/count"),
        (SpanKind::Internal, "looking"),
    ];
    let chain: Vec<_> = names
        .into_iter()
        .map(|(kind, name)| span(&spans, kind, name))
        .collect();
    for pair in chain.windows(2) {
        assert_child(pair[0], pair[1]);
    }
}

#[test]
fn a_forwarded_call_has_one_span_with_an_event_for_each_attempt() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(5));
    // Asked at the forwarder by a plain key, it sends the caller to the object.
    let forwarder = observed.server().build().unwrap();
    let moved = serve(&forwarder, || Ok(0));
    forwarder.bind_object_key("Moved", stock.as_object());
    let profile = moved
        .as_object()
        .ior()
        .iiop_profiles()
        .next()
        .unwrap()
        .unwrap();
    let client = observed.client();
    let url = format!("corbaloc::127.0.0.1:{}/Moved", profile.port);
    let stock: crate::common::StockRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    assert_eq!(stock.count(), Ok(5));

    let spans = observed.spans(3);
    // A URL does not tell the interface.
    let call = span(&spans, SpanKind::Client, "count");
    assert_eq!(events(call), ["attempt", "forwarded", "attempt"]);
    let forwarding = span(&spans, SpanKind::Server, "_OTHER");
    let request = span(&spans, SpanKind::Server, "Shop/Stock/count");
    assert_child(call, forwarding);
    assert_child(call, request);
    assert_eq!(attribute(forwarding, "error.type"), None);
}

#[test]
fn an_orb_without_a_provider_passes_its_callers_trace_on() {
    let observed = Observed::new();
    let inner = observed.server().build().unwrap();
    let stock = serve(&inner, || Ok(3));
    // Its spans go to the global provider, which no test sets.
    let outer = crate::common::listening();
    let outer = outer
        .initializer(taut_otel::Telemetry::new())
        .build()
        .unwrap();
    let nested = stock.within(&outer);
    let shop = serve(&outer, move || nested.count());
    let client = observed.client();
    assert_eq!(shop.within(&client).count(), Ok(3));
    let spans = observed.spans(2);
    let call = span(&spans, SpanKind::Client, "Shop/Stock/count");
    assert_child(call, span(&spans, SpanKind::Server, "Shop/Stock/count"));
}

#[test]
fn two_of_them_with_one_orb_are_refused() {
    let telemetry = taut_otel::Telemetry::new();
    let builder = Orb::builder().initializer(telemetry.clone());
    let error = builder.initializer(telemetry).build().unwrap_err();
    assert!(error.to_string().contains("taut-otel"), "{error}");
}

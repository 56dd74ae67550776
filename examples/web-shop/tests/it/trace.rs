//! A trace from the web to the warehouse.

use std::collections::BTreeMap;

use opentelemetry::trace::{SpanId, SpanKind, TraceId};
use taut_web_shop::servers::Shelves;
use taut_web_shop::web::WebLimits;

use crate::common::Tested;

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_from_the_web_to_the_warehouse() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const BROWSER: &str = "00f067aa0ba902b7";
    let tested = Tested::start(Shelves, WebLimits::default()).await;
    let parent = format!("00-{TRACE}-{BROWSER}-01");
    let answer = tested.get("/offers/tea", &[("traceparent", &parent)]).await;
    assert_eq!(answer.0, 200);
    // A second request has a trace of its own.
    assert_eq!(tested.get("/offers/unicorn", &[]).await.0, 404);

    let spans = tested.spans(8).await;
    assert_eq!(spans.len(), 8);
    let trace = TraceId::from_hex(TRACE).unwrap();
    let of_first = spans
        .iter()
        .filter(|span| span.span_context.trace_id() == trace);
    let of_first: BTreeMap<_, _> = of_first
        .map(|span| (span.parent_span_id.to_string(), span))
        .collect();
    let mut parent = SpanId::from_hex(BROWSER).unwrap();
    let mut path = Vec::new();
    while let Some(span) = of_first.get(&parent.to_string()) {
        path.push((span.span_kind.clone(), &*span.name));
        parent = span.span_context.span_id();
    }
    // Web service, catalogue and warehouse have an ORB each.
    let expected = [
        (SpanKind::Server, "GET /offers/{article}"),
        (SpanKind::Client, "shop/Catalogue/describe"),
        (SpanKind::Server, "shop/Catalogue/describe"),
        (SpanKind::Client, "shop/Warehouse/stock"),
        (SpanKind::Server, "shop/Warehouse/stock"),
    ];
    assert_eq!(path, expected);
    assert_eq!(of_first.len(), 5);

    let others: Vec<_> = spans
        .iter()
        .filter(|span| span.span_context.trace_id() != trace)
        .collect();
    let root = others
        .iter()
        .find(|span| span.parent_span_id == SpanId::INVALID);
    let root = root.unwrap();
    assert_eq!(root.name, "GET /offers/{article}");
    for span in &others {
        assert_eq!(span.span_context.trace_id(), root.span_context.trace_id());
    }
}

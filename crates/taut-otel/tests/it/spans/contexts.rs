//! Trace contexts that are strange, and those that a program propagates otherwise.

use opentelemetry::baggage::BaggageExt;
use opentelemetry::propagation::TextMapCompositePropagator;
use opentelemetry::trace::{SpanId, SpanKind, TraceContextExt, TraceFlags, TraceId};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::BaggagePropagator;
use opentelemetry_sdk::trace::Sampler;
use taut::{CallContext, Orb};
use taut_otel::{FieldLimits, Fields, TRACE_CONTEXT, W3cTraceContext};

use crate::common::{Observed, attribute, events, serve, span};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// The content of a service context that an ORB without interceptors sends.
fn by_hand(traceparent: &str) -> Vec<u8> {
    let fields: Fields = [("traceparent", traceparent)].into_iter().collect();
    fields.encode(&FieldLimits::default()).unwrap()
}

#[test]
fn a_context_by_hand_is_taken_and_one_that_is_malformed_begins_a_trace_and_fails_nothing() {
    let observed = Observed::new();
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(1));
    let client = Orb::builder().build().unwrap();
    let stock = stock.within(&client);
    let good = by_hand(&format!("00-{TRACE}-{SPAN}-01"));
    for octets in [
        good,
        by_hand(&format!("00-{TRACE}-{}-01", "0".repeat(16))),
        Vec::new(),
        vec![9, 9, 9],
        vec![0; 20_000],
    ] {
        let context = CallContext::new().with_service_context(TRACE_CONTEXT, octets);
        assert_eq!(context.within(|| stock.count()), Ok(1));
    }
    assert_eq!(stock.count(), Ok(1));
    let spans = observed.spans(6);
    let joined = &spans[0];
    assert_eq!(
        joined.span_context.trace_id(),
        TraceId::from_hex(TRACE).unwrap()
    );
    assert_eq!(joined.parent_span_id, SpanId::from_hex(SPAN).unwrap());
    for root in &spans[1..] {
        assert_eq!(root.parent_span_id, SpanId::INVALID);
    }
    let lost: Vec<_> = spans.iter().map(|span| events(span).len()).collect();
    assert_eq!(lost, [0, 0, 1, 1, 1, 0]);
    let event = &spans[4].events.events[0];
    assert_eq!(event.name, "trace context lost");
    assert!(event.attributes[0].value.to_string().contains("max_octets"));
}

#[test]
fn a_caller_that_is_not_trusted_is_linked() {
    let observed = Observed::new();
    let builder = crate::common::listening();
    let telemetry = observed.telemetry().trust_callers(false).build();
    let server = builder.initializer(telemetry).build().unwrap();
    let stock = serve(&server, || Ok(1));
    let client = observed.client();
    assert_eq!(stock.within(&client).count(), Ok(1));
    let spans = observed.spans(2);
    let call = span(&spans, SpanKind::Client, "Shop/Stock/count");
    let request = span(&spans, SpanKind::Server, "Shop/Stock/count");
    assert_eq!(request.parent_span_id, SpanId::INVALID);
    assert_ne!(
        request.span_context.trace_id(),
        call.span_context.trace_id()
    );
    let link = &request.links.links[0].span_context;
    assert_eq!(link.span_id(), call.span_context.span_id());
}

#[test]
fn a_trace_that_is_not_sampled_is_not_on_the_other_side_either() {
    let near = Observed::sampled(Sampler::AlwaysOff);
    let far = Observed::new();
    let server = far.server().build().unwrap();
    let stock = serve(&server, || {
        let span = Context::current().span().span_context().clone();
        Ok(i32::from(
            span.is_valid() && span.trace_flags() == TraceFlags::NOT_SAMPLED,
        ))
    });
    let client = near.client();
    assert_eq!(stock.within(&client).count(), Ok(1));
    near.spans(0);
    far.spans(0);
    // Metrics count all the same.
    assert_eq!(far.metric("rpc.server.call.duration").len(), 1);
}

#[test]
fn baggage_goes_along_where_the_propagator_says_so() {
    let observed = Observed::new();
    let telemetry = || {
        let both = TextMapCompositePropagator::new(vec![
            Box::new(W3cTraceContext),
            Box::new(BaggagePropagator::new()),
        ]);
        observed.telemetry().propagator(both).build()
    };
    let server = crate::common::listening().initializer(telemetry());
    let server = server.build().unwrap();
    let stock = serve(&server, || {
        let tenant = Context::current().baggage().get("tenant").cloned();
        Ok(i32::from(
            tenant.is_some_and(|tenant| tenant.as_str() == "north & south"),
        ))
    });
    let client = Orb::builder().initializer(telemetry()).build().unwrap();
    let stock = stock.within(&client);
    let tenant = KeyValue::new("tenant", "north & south");
    let attached = Context::current_with_baggage([tenant]).attach();
    assert_eq!(stock.count(), Ok(1));
    drop(attached);
    assert_eq!(stock.count(), Ok(0));
}

#[test]
fn a_context_beyond_the_limits_is_not_sent_and_the_call_goes_on() {
    let observed = Observed::new();
    let narrow = FieldLimits {
        max_octets: 16,
        ..FieldLimits::default()
    };
    let server = observed.server().build().unwrap();
    let stock = serve(&server, || Ok(1));
    let telemetry = observed.telemetry().limits(narrow).build();
    let client = Orb::builder().initializer(telemetry).build().unwrap();
    assert_eq!(stock.within(&client).count(), Ok(1));
    let spans = observed.spans(2);
    let call = span(&spans, SpanKind::Client, "Shop/Stock/count");
    assert_eq!(events(call), ["attempt", "trace context lost"]);
    let request = span(&spans, SpanKind::Server, "Shop/Stock/count");
    assert_eq!(request.parent_span_id, SpanId::INVALID);
    assert_eq!(attribute(request, "error.type"), None);
}

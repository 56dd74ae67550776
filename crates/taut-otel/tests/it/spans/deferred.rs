//! Requests that are answered later, by another thread.

use std::sync::Arc;

use opentelemetry::Context;
use opentelemetry::propagation::text_map_propagator::FieldIter;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::SpanKind;
use taut_otel::W3cTraceContext;

use crate::common::{Observed, assert_child, attribute, listening, serve, span};

/// A propagator that tells, by its count, how many contexts of requests there are.
#[derive(Debug, Clone, Default)]
struct Counted(Arc<()>);

/// The value in a context.
struct Mark(#[allow(dead_code, reason = "it is counted")] Arc<()>);

impl TextMapPropagator for Counted {
    fn inject_context(&self, context: &Context, injector: &mut dyn Injector) {
        W3cTraceContext.inject_context(context, injector);
    }

    fn extract_with_context(&self, context: &Context, extractor: &dyn Extractor) -> Context {
        let context = W3cTraceContext.extract_with_context(context, extractor);
        context.with_value(Mark(Arc::clone(&self.0)))
    }

    fn fields(&self) -> FieldIter<'_> {
        FieldIter::new(&[])
    }
}

#[test]
fn a_request_that_is_answered_later_has_its_span_until_then_and_leaves_nothing_in_its_thread() {
    const CALLS: usize = 40;
    let observed = Observed::new();
    let contexts = Counted::default();
    let telemetry = observed.telemetry().propagator(contexts.clone()).build();
    let server = listening().initializer(telemetry).build().unwrap();
    let stock = serve(&server, || Ok(7));
    let client = observed.client();
    let stock = stock.within(&client);
    for _ in 0..CALLS {
        assert_eq!(stock.raised("later"), Ok(None));
        assert_eq!(stock.count(), Ok(7));
    }
    let spans = observed.spans(4 * CALLS);
    let of_first: Vec<_> = spans
        .iter()
        .filter(|span| span.span_context.trace_id() == spans[0].span_context.trace_id())
        .cloned()
        .collect();
    let call = span(&of_first, SpanKind::Client, "Shop/Stock/later");
    let request = span(&of_first, SpanKind::Server, "Shop/Stock/later");
    assert_child(call, request);
    assert_eq!(attribute(request, "error.type"), None);
    // A thread lets go of a stale context when it next has a request.
    let left = Arc::strong_count(&contexts.0) - 2;
    assert!(left < 5, "{left} contexts are left");
}

//! W3C Trace Context: the fields `traceparent` and `tracestate`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use opentelemetry::propagation::text_map_propagator::FieldIter;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::{SpanContext, TraceContextExt, TraceState};
use opentelemetry::{Context, SpanId, TraceFlags, TraceId};

/// The field that has the ids of trace and span.
pub const TRACEPARENT: &str = "traceparent";
/// The field that has what tracing systems note for themselves.
pub const TRACESTATE: &str = "tracestate";

static NAMES: LazyLock<[String; 2]> =
    LazyLock::new(|| [TRACEPARENT.to_owned(), TRACESTATE.to_owned()]);

/// The octets of a `traceparent` of version 00, and the shortest of later versions.
const LENGTH: usize = 55;

/// The propagator of W3C Trace Context, which serves where a program sets no other.
///
/// It serves for HTTP headers as well: any [`Injector`] and [`Extractor`] will do. A
/// `traceparent` that breaks a rule is as none; a `tracestate` that does is left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct W3cTraceContext;

impl TextMapPropagator for W3cTraceContext {
    fn inject_context(&self, context: &Context, injector: &mut dyn Injector) {
        let span = context.span();
        let span = span.span_context();
        if !span.is_valid() {
            return;
        }
        injector.set(TRACEPARENT, traceparent(span));
        let state = span.trace_state().header();
        if !state.is_empty() {
            injector.set(TRACESTATE, state);
        }
    }

    fn extract_with_context(&self, context: &Context, extractor: &dyn Extractor) -> Context {
        let Some(parent) = extractor.get(TRACEPARENT).and_then(parse) else {
            return context.clone();
        };
        let state = extractor.get(TRACESTATE).and_then(trace_state);
        let (trace, span, flags) = parent;
        let parent = SpanContext::new(trace, span, flags, true, state.unwrap_or_default());
        context.with_remote_span_context(parent)
    }

    fn fields(&self) -> FieldIter<'_> {
        FieldIter::new(&*NAMES)
    }
}

/// The `traceparent` of a span.
fn traceparent(span: &SpanContext) -> String {
    let flags = span.trace_flags() & TraceFlags::SAMPLED;
    format!(
        "00-{}-{}-{:02x}",
        span.trace_id(),
        span.span_id(),
        flags.to_u8()
    )
}

/// Reads a `traceparent`. A later version is read as far as version 00 goes.
fn parse(text: &str) -> Option<(TraceId, SpanId, TraceFlags)> {
    let text = text.trim_matches([' ', '\t']).as_bytes();
    let fits = match text.get(..2)? {
        b"00" => text.len() == LENGTH,
        b"ff" => false,
        _ => text.len() == LENGTH || text.get(LENGTH) == Some(&b'-'),
    };
    let are_dashes = [2, 35, 52].iter().all(|&at| text.get(at) == Some(&b'-'));
    if !fits || !are_dashes {
        return None;
    }
    let [_version]: [u8; 1] = hexadecimal(text.get(..2)?)?;
    let trace = TraceId::from_bytes(hexadecimal(text.get(3..35)?)?);
    let span = SpanId::from_bytes(hexadecimal(text.get(36..52)?)?);
    let [flags] = hexadecimal(text.get(53..LENGTH)?)?;
    let is_valid = trace != TraceId::INVALID && span != SpanId::INVALID;
    is_valid.then_some((trace, span, TraceFlags::new(flags) & TraceFlags::SAMPLED))
}

/// Reads digits of which each octet has two, in lower case.
fn hexadecimal<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut octets = [0; N];
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (octet, &[high, low]) in octets.iter_mut().zip(pairs) {
        *octet = digit(high)? << 4 | digit(low)?;
    }
    Some(octets)
}

/// Reads a `tracestate`, in which no key may be twice.
fn trace_state(text: &str) -> Option<TraceState> {
    if !text
        .bytes()
        .all(|octet| matches!(octet, b'\t' | b' '..=b'~'))
    {
        return None;
    }
    let state: TraceState = text.parse().ok()?;
    let mut keys = BTreeSet::new();
    let is_unique = (&state).into_iter().all(|(key, _)| keys.insert(key));
    is_unique.then(|| state.clone())
}

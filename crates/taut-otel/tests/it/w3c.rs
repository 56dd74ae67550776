//! W3C Trace Context: what is read, and what is written.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, TraceContextExt, TraceState};
use opentelemetry::{Context, SpanId, TraceFlags, TraceId};
use proptest::prelude::*;
use taut_otel::W3cTraceContext;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// The span that is read from these headers; an invalid one if there is none.
fn read(traceparent: &str, tracestate: Option<&str>) -> SpanContext {
    let mut headers = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    if let Some(state) = tracestate {
        headers.insert("tracestate".to_owned(), state.to_owned());
    }
    let context = W3cTraceContext.extract_with_context(&Context::new(), &headers);
    context.span().span_context().clone()
}

fn written(span: SpanContext) -> HashMap<String, String> {
    let mut headers = HashMap::new();
    let context = Context::new().with_remote_span_context(span);
    W3cTraceContext.inject_context(&context, &mut headers);
    headers
}

#[test]
fn a_traceparent_of_any_version_is_read() {
    for (text, flags) in [
        (format!("00-{TRACE}-{SPAN}-01"), TraceFlags::SAMPLED),
        (format!("00-{TRACE}-{SPAN}-00"), TraceFlags::NOT_SAMPLED),
        (format!("  00-{TRACE}-{SPAN}-ff\t"), TraceFlags::SAMPLED),
        (format!("01-{TRACE}-{SPAN}-02"), TraceFlags::NOT_SAMPLED),
        (
            format!("fe-{TRACE}-{SPAN}-01-what-else"),
            TraceFlags::SAMPLED,
        ),
    ] {
        let span = read(&text, None);
        assert_eq!(span.trace_id(), TraceId::from_hex(TRACE).unwrap(), "{text}");
        assert_eq!(span.span_id(), SpanId::from_hex(SPAN).unwrap(), "{text}");
        assert_eq!(
            (span.trace_flags(), span.is_remote()),
            (flags, true),
            "{text}"
        );
    }
}

#[test]
fn a_traceparent_that_breaks_a_rule_is_as_none() {
    let upper = TRACE.to_uppercase();
    for text in [
        String::new(),
        "00".to_owned(),
        format!("00-{TRACE}-{SPAN}"),
        format!("00-{TRACE}-{SPAN}-"),
        format!("00-{TRACE}-{SPAN}-1"),
        format!("00-{TRACE}-{SPAN}-01-more"),
        format!("00-{TRACE}-{SPAN}-01."),
        format!("01-{TRACE}-{SPAN}-01.more"),
        format!("ff-{TRACE}-{SPAN}-01"),
        format!("0x-{TRACE}-{SPAN}-01"),
        format!("+1-{TRACE}-{SPAN}-01"),
        format!("00-{upper}-{SPAN}-01"),
        format!("00-{TRACE}-{SPAN}-0G"),
        format!("00_{TRACE}-{SPAN}-01"),
        format!("00-{TRACE}_{SPAN}-01"),
        format!("00-{}-{SPAN}-01", "0".repeat(32)),
        format!("00-{TRACE}-{}-01", "0".repeat(16)),
        format!("00-+{}-{SPAN}-01", &TRACE[1..]),
        format!("00-é{}-{SPAN}-01", &TRACE[2..]),
    ] {
        assert_eq!(read(&text, None), SpanContext::NONE, "{text:?}");
    }
}

#[test]
fn a_tracestate_that_breaks_a_rule_is_left_out_and_the_trace_goes_on() {
    let parent = format!("00-{TRACE}-{SPAN}-01");
    let state = |text: &str| read(&parent, Some(text)).trace_state().header();
    assert_eq!(state("a=1, b@c=2 ,,d=3"), "a=1,b@c=2,d=3");
    for broken in ["a", "a=1,b", "A=1", "a=1,a=2", "a=é", "a=\u{7f}", "a=1\n"] {
        assert_eq!(state(broken), "", "{broken:?}");
        assert!(read(&parent, Some(broken)).is_valid());
    }
}

#[test]
fn without_a_span_nothing_is_written_and_without_a_state_only_the_parent() {
    assert_eq!(written(SpanContext::NONE), HashMap::new());
    let headers = written(read(&format!("00-{TRACE}-{SPAN}-01"), None));
    assert_eq!(headers.len(), 1);
    assert_eq!(headers["traceparent"], format!("00-{TRACE}-{SPAN}-01"));
}

proptest! {
    #[test]
    fn a_span_comes_back_as_it_was(
        trace in 1..u128::MAX,
        span in 1..u64::MAX,
        is_sampled: bool,
        states in prop::collection::btree_map("[a-z][a-z0-9_*/-]{0,8}", "[!-+.-<>-~]{1,12}", 0..8),
    ) {
        let flags = TraceFlags::new(u8::from(is_sampled));
        let (trace, span) = (TraceId::from(trace), SpanId::from(span));
        let state = TraceState::from_key_value(states).unwrap();
        let sent = SpanContext::new(trace, span, flags, true, state);
        let headers = written(sent.clone());
        let came = read(&headers["traceparent"], headers.get("tracestate").map(String::as_str));
        prop_assert_eq!(came, sent);
    }

    #[test]
    fn any_text_is_read_without_a_panic(parent in "\\PC{0,70}", state in "\\PC{0,70}") {
        read(&parent, Some(&state));
    }

    #[test]
    fn a_changed_character_leaves_a_valid_span_or_none(at in 0..55_usize, with in " -~|é") {
        let mut text = format!("00-{TRACE}-{SPAN}-01");
        text.replace_range(at..=at, &with);
        let span = read(&text, None);
        prop_assert!(span == SpanContext::NONE || span.is_valid());
    }
}

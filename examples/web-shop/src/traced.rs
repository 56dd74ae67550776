//! Spans of HTTP requests.

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use opentelemetry::KeyValue;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{FutureExt, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry_sdk::trace::SdkTracer;
use taut_otel::W3cTraceContext;

/// The headers of a request, for a propagator.
struct Headers<'h>(&'h HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}

/// Carries a request out within a span, whose parent is the one that the request's headers
/// name. The calls of the handler are children of the span, for they are polled in its
/// context.
pub async fn traced(State(tracer): State<SdkTracer>, request: Request, next: Next) -> Response {
    let parent = W3cTraceContext.extract(&Headers(request.headers()));
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let span = tracer
        .span_builder(format!("{method} {route}"))
        .with_kind(SpanKind::Server)
        .with_attributes([
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route),
            KeyValue::new("url.path", request.uri().path().to_owned()),
        ])
        .start_with_context(&tracer, &parent);
    let context = parent.with_span(span);
    let response = next.run(request).with_context(context.clone()).await;
    let (span, status) = (context.span(), response.status());
    let code = i64::from(status.as_u16());
    span.set_attribute(KeyValue::new("http.response.status_code", code));
    if status.is_server_error() {
        span.set_status(Status::error(status.to_string()));
    }
    span.end();
    response
}

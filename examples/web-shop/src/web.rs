//! The web service: HTTP requests become calls that are awaited.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use opentelemetry_sdk::trace::SdkTracer;
use taut::{CallContext, SystemException, SystemExceptionKind};

use crate::shop::CatalogueRef;
use crate::shop::catalogue::DescribeError;
use crate::traced::traced;

/// The header in which a client says how long it wants to wait, in milliseconds.
pub const TIMEOUT_MS: &str = "x-timeout-ms";

/// Bounds of what clients may ask for.
#[derive(Debug, Clone, Copy)]
pub struct WebLimits {
    /// How long a request takes at most if its client does not say; 2 s unless set.
    pub default_timeout: Duration,
    /// The most that a client may say; 30 s unless set.
    pub max_timeout: Duration,
    /// The most requests that are carried out at a time: further ones are sent away with
    /// status 503. 4,096 unless set.
    pub max_in_flight: usize,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            default_timeout: Duration::from_secs(2),
            max_timeout: Duration::from_secs(30),
            max_in_flight: 4096,
        }
    }
}

/// The state of the service.
#[derive(Debug)]
pub struct Web {
    catalogue: CatalogueRef,
    limits: WebLimits,
    in_flight: AtomicUsize,
}

/// A request that is carried out.
struct InFlight<'w>(&'w Web);

impl Web {
    /// Makes a service in front of this catalogue.
    pub fn new(catalogue: CatalogueRef, limits: WebLimits) -> Arc<Self> {
        Arc::new(Self {
            catalogue,
            limits,
            in_flight: AtomicUsize::new(0),
        })
    }

    /// How many requests are carried out now.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Makes the routes: `GET /offers/{article}`. Spans are made by this tracer.
    pub fn router(self: &Arc<Self>, tracer: SdkTracer) -> Router {
        Router::new()
            .route("/offers/{article}", get(offer))
            .route_layer(from_fn_with_state(tracer, traced))
            .with_state(Arc::clone(self))
    }

    /// Lets a request in, unless there are too many.
    fn enter(&self) -> Option<InFlight<'_>> {
        let before = self.in_flight.fetch_add(1, Ordering::Relaxed);
        let entered = InFlight(self);
        (before < self.limits.max_in_flight).then_some(entered)
    }

    /// How long a request may take.
    fn timeout(&self, headers: &HeaderMap) -> Result<Duration, String> {
        let Some(asked) = headers.get(TIMEOUT_MS) else {
            return Ok(self.limits.default_timeout);
        };
        let asked = asked.to_str().ok().and_then(|text| text.parse().ok());
        let asked = asked.map(Duration::from_millis);
        let max = self.limits.max_timeout;
        asked.filter(|asked| *asked <= max).ok_or_else(|| {
            let max = max.as_millis();
            format!("{TIMEOUT_MS} is no number of milliseconds from 0 to {max}\n")
        })
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers `GET /offers/{article}`. When the client goes away, this future is dropped, and the
/// call with it: the server is sent a CancelRequest.
async fn offer(
    State(web): State<Arc<Web>>,
    Path(article): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(_in_flight) = web.enter() else {
        let busy = "too many requests are carried out\n";
        return unavailable(busy.to_owned());
    };
    let timeout = match web.timeout(&headers) {
        Ok(timeout) => timeout,
        Err(error) => return (StatusCode::BAD_REQUEST, error).into_response(),
    };
    // The future keeps the terms that are in force when it is made.
    let context = CallContext::new().with_timeout(timeout);
    let call = context.within(|| web.catalogue.describe_async(&article));
    match call.await {
        Ok(offer) => {
            let (article, stock, price) = (offer.article, offer.stock, offer.price);
            format!("{article}: {stock} in stock, {price:.2} each\n").into_response()
        }
        Err(DescribeError::UnknownArticle(unknown)) => {
            let text = format!("no such article: {}\n", unknown.article);
            (StatusCode::NOT_FOUND, text).into_response()
        }
        Err(DescribeError::System(exception)) => failed(&exception),
    }
}

/// The answer for a call that ended with a system exception.
fn failed(exception: &SystemException) -> Response {
    let text = format!("{exception}\n");
    match exception.kind {
        SystemExceptionKind::Timeout => (StatusCode::GATEWAY_TIMEOUT, text).into_response(),
        SystemExceptionKind::Transient | SystemExceptionKind::CommFailure => unavailable(text),
        _ => (StatusCode::BAD_GATEWAY, text).into_response(),
    }
}

/// The answer to come again.
fn unavailable(text: String) -> Response {
    let retry = [(RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, retry, text).into_response()
}

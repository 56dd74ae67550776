//! The entry: where spans and metrics go, and the registration with an ORB.

use std::fmt;
use std::sync::Arc;

use opentelemetry::global::{self, BoxedTracer, ObjectSafeTracerProvider};
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::{Context, InstrumentationScope};
use taut::interceptors::{InitializerError, OrbInitInfo, OrbInitializer};

use crate::client::ClientTelemetry;
use crate::fields::{FieldLimits, Fields, FieldsError};
use crate::instruments::Instruments;
use crate::server::ServerTelemetry;
use crate::thread_context::RequestSlot;
use crate::w3c::W3cTraceContext;

/// The name of the instrumentation scope, and of the interceptors.
pub(crate) const NAME: &str = "taut-otel";

/// Traces and metrics of an ORB's calls: an initializer, which registers an interceptor of each
/// side.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Spans and metrics go to the program's global providers.
/// let telemetry = taut_otel::Telemetry::new();
/// let orb = taut::Orb::builder().initializer(telemetry).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Telemetry {
    shared: Arc<Shared>,
}

/// Where spans and metrics go, and what goes with them.
pub struct TelemetryBuilder {
    tracer: Option<BoxedTracer>,
    meter: Option<Meter>,
    propagator: Box<dyn TextMapPropagator + Send + Sync>,
    limits: FieldLimits,
    trusts_callers: bool,
}

/// The state that the interceptors of an ORB share.
pub(crate) struct Shared {
    pub(crate) tracer: BoxedTracer,
    pub(crate) client: Instruments,
    pub(crate) server: Instruments,
    propagator: Box<dyn TextMapPropagator + Send + Sync>,
    limits: FieldLimits,
    /// Whether the trace of a caller goes on here; else it is a link of a new one.
    pub(crate) trusts_callers: bool,
}

impl Telemetry {
    /// Makes one with the global providers, as they are now, and W3C Trace Context.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Begins one with other providers, another propagator or other limits.
    pub fn builder() -> TelemetryBuilder {
        TelemetryBuilder {
            tracer: None,
            meter: None,
            propagator: Box::new(W3cTraceContext),
            limits: FieldLimits::default(),
            trusts_callers: true,
        }
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new()
    }
}

impl OrbInitializer for Telemetry {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        let slot = RequestSlot::new(info.allocate_slot_id());
        let client = ClientTelemetry::new(Arc::clone(&self.shared), slot);
        info.add_client_request_interceptor(Arc::new(client))?;
        let server = ServerTelemetry::new(Arc::clone(&self.shared), slot);
        info.add_server_request_interceptor(Arc::new(server))?;
        Ok(())
    }
}

impl TelemetryBuilder {
    /// Takes the tracer of this provider. The global provider's unless set.
    pub fn tracer_provider(mut self, provider: &impl ObjectSafeTracerProvider) -> Self {
        self.tracer = Some(BoxedTracer::new(provider.boxed_tracer(scope())));
        self
    }

    /// Takes the meter of this provider. The global provider's unless set.
    pub fn meter_provider(mut self, provider: &impl MeterProvider) -> Self {
        self.meter = Some(provider.meter_with_scope(scope()));
        self
    }

    /// Has this propagator write and read the fields of the service context, such as one that
    /// is composed of [`W3cTraceContext`] and one for baggage. [`W3cTraceContext`] alone unless
    /// set.
    pub fn propagator(
        mut self,
        propagator: impl TextMapPropagator + Send + Sync + 'static,
    ) -> Self {
        self.propagator = Box::new(propagator);
        self
    }

    /// Sets the limits of the service context. Beyond them, a context is neither read nor sent,
    /// and the span has an event that tells so.
    pub fn limits(mut self, limits: FieldLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether a request's span is a child of its caller's, as it is unless set. Otherwise
    /// it begins a trace, with a link to the caller's span: for servers that strangers call.
    pub fn trust_callers(mut self, trusts_callers: bool) -> Self {
        self.trusts_callers = trusts_callers;
        self
    }

    /// Makes it.
    pub fn build(self) -> Telemetry {
        let tracer = self
            .tracer
            .unwrap_or_else(|| global::tracer_with_scope(scope()));
        let meter = self
            .meter
            .unwrap_or_else(|| global::meter_with_scope(scope()));
        let shared = Shared {
            tracer,
            client: Instruments::of_client(&meter),
            server: Instruments::of_server(&meter),
            propagator: self.propagator,
            limits: self.limits,
            trusts_callers: self.trusts_callers,
        };
        Telemetry {
            shared: Arc::new(shared),
        }
    }
}

/// The instrumentation scope of this crate.
fn scope() -> InstrumentationScope {
    let scope = InstrumentationScope::builder(NAME);
    scope.with_version(env!("CARGO_PKG_VERSION")).build()
}

impl Shared {
    /// Returns the content of a service context for what a call has to carry; none if that is
    /// nothing.
    pub(crate) fn inject(&self, context: &Context) -> Result<Option<Vec<u8>>, FieldsError> {
        let mut fields = Fields::new();
        self.propagator.inject_context(context, &mut fields);
        match fields.is_empty() {
            true => Ok(None),
            false => fields.encode(&self.limits).map(Some),
        }
    }

    /// Reads the content of a service context.
    pub(crate) fn extract(&self, octets: &[u8]) -> Result<Context, FieldsError> {
        let fields = Fields::decode(octets, &self.limits)?;
        Ok(self
            .propagator
            .extract_with_context(&Context::new(), &fields))
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("propagator", &self.propagator)
            .field("limits", &self.limits)
            .field("trusts_callers", &self.trusts_callers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for TelemetryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelemetryBuilder")
            .field("propagator", &self.propagator)
            .field("limits", &self.limits)
            .field("trusts_callers", &self.trusts_callers)
            .finish_non_exhaustive()
    }
}

//! ORBs whose spans and metrics are kept in memory, and an object that calls another.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::trace::{SpanKind, TracerProvider as _};
use opentelemetry::{Key, SpanId, Value};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{
    InMemorySpanExporter, Sampler, SdkTracer, SdkTracerProvider, SpanData,
};
use taut::codegen::{self, Decode, Encode, ServerRequest};
use taut::{ObjectRef, Orb, OrbBuilder, Reference, SystemException, UserException};
use taut_otel::{Telemetry, TelemetryBuilder};

/// Where spans and metrics of a test go.
pub(crate) struct Observed {
    pub(crate) traces: SdkTracerProvider,
    spans: InMemorySpanExporter,
    meters: SdkMeterProvider,
    metrics: InMemoryMetricExporter,
}

impl Observed {
    pub(crate) fn new() -> Self {
        Self::sampled(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
    }

    pub(crate) fn sampled(sampler: Sampler) -> Self {
        let spans = InMemorySpanExporter::default();
        let traces = SdkTracerProvider::builder()
            .with_sampler(sampler)
            .with_simple_exporter(spans.clone())
            .build();
        let metrics = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(metrics.clone());
        let reader = reader.with_interval(Duration::from_secs(3600)).build();
        let meters = SdkMeterProvider::builder().with_reader(reader).build();
        Self {
            traces,
            spans,
            meters,
            metrics,
        }
    }

    pub(crate) fn tracer(&self) -> SdkTracer {
        self.traces.tracer("test")
    }

    pub(crate) fn telemetry(&self) -> TelemetryBuilder {
        let builder = Telemetry::builder().tracer_provider(&self.traces);
        builder.meter_provider(&self.meters)
    }

    pub(crate) fn client(&self) -> Orb {
        let telemetry = self.telemetry().build();
        Orb::builder().initializer(telemetry).build().unwrap()
    }

    pub(crate) fn server(&self) -> OrbBuilder {
        listening().initializer(self.telemetry().build())
    }

    /// The spans that have ended, once there are so many.
    pub(crate) fn spans(&self, count: usize) -> Vec<SpanData> {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let spans = self.spans.get_finished_spans().unwrap();
            if spans.len() >= count || Instant::now() > end {
                assert_eq!(spans.len(), count, "{spans:#?}");
                return spans;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The counts of a metric, each with its attributes as text.
    pub(crate) fn metric(&self, name: &str) -> Vec<(String, u64)> {
        self.meters.force_flush().unwrap();
        let all = self.metrics.get_finished_metrics().unwrap();
        let last = all.last().unwrap();
        let metrics = last.scope_metrics().flat_map(|scope| scope.metrics());
        let metric = metrics.into_iter().find(|metric| metric.name() == name);
        let Some(metric) = metric else {
            return Vec::new();
        };
        let mut points: Vec<_> = match metric.data() {
            AggregatedMetrics::F64(MetricData::Histogram(data)) => data
                .data_points()
                .map(|point| (text(point.attributes()), point.count()))
                .collect(),
            AggregatedMetrics::U64(MetricData::Sum(data)) => data
                .data_points()
                .map(|point| (text(point.attributes()), point.value()))
                .collect(),
            other => panic!("{other:?}"),
        };
        points.sort();
        points
    }
}

fn text<'a>(attributes: impl Iterator<Item = &'a opentelemetry::KeyValue>) -> String {
    let mut all: Vec<_> = attributes
        .map(|one| format!("{}={}", one.key, one.value))
        .collect();
    all.sort();
    all.join(" ")
}

/// An ORB that listens at a port of the system's choice.
pub(crate) fn listening() -> OrbBuilder {
    Orb::builder().listen("iiop://127.0.0.1:0").unwrap()
}

/// The span of this kind and name.
pub(crate) fn span<'s>(spans: &'s [SpanData], kind: SpanKind, name: &str) -> &'s SpanData {
    let mut found = spans
        .iter()
        .filter(|span| span.span_kind == kind && span.name == name);
    let only = found.next();
    assert!(found.next().is_none(), "twice: {name}");
    only.unwrap_or_else(|| panic!("no {name} among {spans:#?}"))
}

/// The last value of an attribute.
pub(crate) fn attribute(span: &SpanData, key: &str) -> Option<Value> {
    let all = span.attributes.iter().rev();
    let mut named = all.filter(|one| one.key == Key::new(key.to_owned()));
    named.next().map(|one| one.value.clone())
}

/// The names of the events, in their order.
pub(crate) fn events(span: &SpanData) -> Vec<&str> {
    span.events.iter().map(|event| &*event.name).collect()
}

/// Checks that the second is a child of the first, and of the same trace.
pub(crate) fn assert_child(parent: &SpanData, child: &SpanData) {
    assert_eq!(
        child.span_context.trace_id(),
        parent.span_context.trace_id()
    );
    assert_eq!(child.parent_span_id, parent.span_context.span_id());
    assert_ne!(child.parent_span_id, SpanId::INVALID);
}

/// The exception that [`Stock`] raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused;

impl UserException for Refused {
    const REPOSITORY_ID: &'static str = "IDL:Shop/Refused:1.0";
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl Encode for Refused {
    fn encode(&self, _: &mut codegen::Encoder) -> codegen::CdrResult<()> {
        Ok(())
    }
}

impl<'m> Decode<'m> for Refused {
    const MIN_SIZE: usize = 0;

    fn decode(_: &mut codegen::Decoder<'m>) -> codegen::CdrResult<Self> {
        Ok(Self)
    }
}

/// A reference to a [`Stock`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct StockRef(ObjectRef);

codegen::reference! { StockRef: "IDL:Shop/Stock:1.0", bases: [] }

/// A servant whose operations are `count`, `later`, `refuse`, `fail` and `note`.
pub(crate) struct Stock<F>(Arc<F>);

impl<F: Fn() -> Result<i32, SystemException> + Send + Sync + 'static> codegen::Servant
    for Stock<F>
{
    fn interface(&self) -> &'static codegen::Interface {
        StockRef::INTERFACE
    }

    fn identity(&self) -> codegen::ServantIdentity {
        codegen::ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> taut::Result<()> {
        match request.operation() {
            b"count" => {
                let count = (self.0)()?;
                request.reply(|out| count.encode(out))
            }
            b"note" => {
                (self.0)()?;
                request.reply(|_| Ok(()))
            }
            b"later" => {
                let deferred = request.defer()?;
                let count = Arc::clone(&self.0);
                thread::spawn(move || {
                    let count = count().unwrap();
                    deferred.reply(|out| count.encode(out));
                });
                Ok(())
            }
            b"refuse" => request.raise(&Refused),
            b"fail" => Err(FAILURE),
            _ => request.implicit_operation(self.interface()),
        }
    }
}

impl<F: Fn() -> Result<i32, SystemException> + Send + Sync + 'static> codegen::Skeleton
    for Stock<F>
{
    type Reference = StockRef;
}

pub(crate) const FAILURE: SystemException = SystemException::new(
    taut::SystemExceptionKind::NoPermission,
    77,
    taut::CompletionStatus::No,
);

/// Serves a stock.
pub(crate) fn serve<F>(orb: &Orb, count: F) -> StockRef
where
    F: Fn() -> Result<i32, SystemException> + Send + Sync + 'static,
{
    let poa = orb.root_poa().unwrap();
    let stock = poa.activate(Stock(Arc::new(count))).unwrap();
    poa.manager().activate().unwrap();
    stock
}

impl StockRef {
    /// The same object, for another ORB.
    pub(crate) fn within(&self, orb: &Orb) -> Self {
        let object = orb.string_to_object(&self.0.to_string()).unwrap();
        object.unchecked_narrow()
    }

    pub(crate) fn count(&self) -> taut::Result<i32> {
        self.0.invoke("count", |_| Ok(()))?.results(i32::decode)
    }

    /// Calls an operation that raises something. Returns the id of the user exception.
    pub(crate) fn raised(&self, operation: &str) -> taut::Result<Option<String>> {
        let reply = self.0.invoke(operation, |_| Ok(()))?;
        let exception = reply.user_exception()?;
        Ok(exception.map(|exception| exception.repository_id().to_owned()))
    }

    /// [`count`](Self::count) as a future.
    pub(crate) fn count_async(&self) -> impl Future<Output = taut::Result<i32>> + Send + use<> {
        let future = self.0.invoke_async("count", |_| Ok(()));
        async { future.await?.results(i32::decode) }
    }

    pub(crate) fn note(&self) -> taut::Result<()> {
        self.0.invoke_oneway("note", |_| Ok(()))
    }
}

/// Waits for a future in this thread, at most 30 s.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let end = Instant::now() + Duration::from_secs(30);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = poll_once(future.as_mut()) {
            return output;
        }
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "a future is not ready");
        thread::park_timeout(left);
    }
}

/// Polls a future whose waker wakes this thread.
pub(crate) fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    future.poll(&mut task::Context::from_waker(&waker))
}

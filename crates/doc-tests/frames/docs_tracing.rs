taut::include_idl!("demo");
taut::include_idl!("stacks");

use std::future::Future;
use std::sync::Arc;

use demo::{Shape, ShapeRef, ShapeSkeleton};
use opentelemetry::Context;
use opentelemetry::trace::{FutureExt, TraceContextExt, Tracer, TracerProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use stacks::library::ReadError;
use stacks::{AsyncLibrary, AsyncLibrarySkeleton, Library};
use taut::{BoxFuture, Orb, Reference, Responder};
use taut_otel::Telemetry;

use crate::support::Outcome;

struct Disc;

impl Shape for Disc {
    fn name(&self) -> taut::Result<String> {
        Ok("disc".to_owned())
    }
}

/// A provider and the place where its spans are kept.
fn provider() -> (SdkTracerProvider, InMemorySpanExporter) {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone());
    (provider.build(), exporter)
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

fn serve(orb: &Orb) -> Result<ShapeRef, Box<dyn std::error::Error>> {
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    Ok(poa.activate(ShapeSkeleton::new(Disc))?)
}

#[test]
fn an_orb_whose_calls_have_spans() -> Outcome {
    let exporter = InMemorySpanExporter::default();
    let kept = exporter.clone();
    // page: let spans = SdkTracerProvider::builder()
    assert_eq!(serve(&orb)?.name()?, "disc");
    spans.force_flush()?;
    assert_eq!(kept.get_finished_spans()?.len(), 2);
    Ok(())
}

#[test]
fn a_future_in_the_context_of_a_span() -> Outcome {
    let (provider, spans) = provider();
    let telemetry = Telemetry::builder().tracer_provider(&provider).build();
    let orb = Orb::builder().listen("127.0.0.1:0")?;
    let orb = orb.initializer(telemetry).build()?;
    let shape = serve(&orb)?;
    let tracer = provider.tracer("test");
    // page: let context = Context::current_with_span(tracer.start("shopping"));
    assert_eq!(name, "disc");
    let spans = spans.get_finished_spans()?;
    let traces: std::collections::BTreeSet<_> = spans
        .iter()
        .map(|span| span.span_context.trace_id().to_string())
        .collect();
    assert_eq!((spans.len(), traces.len()), (3, 1));
    Ok(())
}

/// Tells, behind an await, the trace of the request.
struct Traces;

impl AsyncLibrary for Traces {
    async fn read(self: Arc<Self>, _: String) -> Result<String, ReadError> {
        tokio::task::yield_now().await;
        Ok(Context::current()
            .span()
            .span_context()
            .span_id()
            .to_string())
    }

    fn count(self: Arc<Self>, _: String, responder: Responder<u32>) {
        responder.reply(0);
    }

    fn titles(&self) -> taut::Result<u32> {
        Ok(0)
    }
}

#[test]
fn an_executor_that_keeps_the_context_of_requests() -> Outcome {
    let (provider, spans) = provider();
    let telemetry = Telemetry::builder().tracer_provider(&provider).build();
    // page: let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    let library = poa.activate(AsyncLibrarySkeleton::new(Traces))?;
    let client = Orb::builder().build()?;
    let object = client.string_to_object(&library.as_object().to_string())?;
    let library: stacks::LibraryRef = object.unchecked_narrow();
    let told = library.read("Notes")?;
    let spans = spans.get_finished_spans()?;
    assert_eq!(spans.len(), 1);
    assert_eq!(told, spans[0].span_context.span_id().to_string());
    orb.shutdown(true)?;
    Ok(())
}

//! A demonstration of the web service, or one of its parts for others to use.

use std::error::Error;
use std::net::SocketAddr;

use opentelemetry::trace::{SpanId, TracerProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use taut::Orb;
use taut_otel::Telemetry;
use taut_web_shop::http;
use taut_web_shop::servers::{Shelves, Shop};
use taut_web_shop::web::{TIMEOUT_MS, Web, WebLimits};
use tokio::net::TcpListener;

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => demonstrate().await,
        ["servers"] => {
            let shop = Shop::start(Shelves, &Telemetry::new())?;
            println!("{}", taut::Reference::as_object(&shop.catalogue));
            std::future::pending().await
        }
        ["web", address, reference] => {
            let provider = SdkTracerProvider::default();
            let web = web(reference, &Telemetry::new())?;
            let listener = TcpListener::bind(address).await?;
            println!("http://{}", listener.local_addr()?);
            axum::serve(listener, web.router(provider.tracer("web"))).await?;
            Ok(())
        }
        _ => Err("usage: taut-web-shop [servers | web ADDRESS REFERENCE]".into()),
    }
}

/// Makes the service in front of a catalogue.
fn web(reference: &str, telemetry: &Telemetry) -> Result<std::sync::Arc<Web>, Box<dyn Error>> {
    let orb = Orb::builder().initializer(telemetry.clone()).build()?;
    let catalogue = orb.string_to_object(reference)?.narrow()?;
    Ok(Web::new(catalogue, WebLimits::default()))
}

/// Runs all parts in this process, and shows what there is to see.
async fn demonstrate() -> Outcome {
    // A program that is not a demonstration sends its spans to a collector.
    let spans = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder();
    let provider = provider.with_simple_exporter(spans.clone()).build();
    let telemetry = Telemetry::builder().tracer_provider(&provider).build();

    let shop = Shop::start(Shelves, &telemetry)?;
    let reference = taut::Reference::as_object(&shop.catalogue).to_string();
    let web = web(&reference, &telemetry)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = web.router(provider.tracer("web"));
    tokio::spawn(async { axum::serve(listener, router).await });
    println!("http://{address} is in front of a catalogue, which calls a warehouse.\n");

    spans.reset();
    show(address, "/offers/tea", &[]).await?;
    let first = spans.get_finished_spans()?;
    show(address, "/offers/unicorn", &[]).await?;
    show(address, "/offers/caviar", &[(TIMEOUT_MS, "100")]).await?;

    let requests: Vec<_> = (0..1000)
        .map(|_| tokio::spawn(http::get(address, "/offers/tea", &[])))
        .collect();
    let mut good = 0;
    for request in requests {
        let (status, _) = request.await??;
        good += usize::from(status == 200);
    }
    println!("1,000 requests at once: {good} have status 200\n");

    println!("The trace of the first request:");
    print_below(&first, SpanId::INVALID, 1);
    Ok(())
}

async fn show(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Outcome {
    let (status, body) = http::get(address, path, headers).await?;
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!(" ({name}: {value})"))
        .collect();
    println!("GET {path}{headers}\n  {status} {}", body.trim_end());
    Ok(())
}

/// Prints the spans that are children of this one, each with its own children.
fn print_below(spans: &[SpanData], parent: SpanId, depth: usize) {
    for span in spans.iter().filter(|span| span.parent_span_id == parent) {
        let micros = span
            .end_time
            .duration_since(span.start_time)
            .map_or(0, |time| time.as_micros());
        let kind = format!("{:?}", span.span_kind).to_lowercase();
        let name = format!("{:indent$}{}", "", span.name, indent = 2 * depth);
        println!("{name:<44} {kind:<7} {micros:>6} µs");
        print_below(spans, span.span_context.span_id(), depth + 1);
    }
}

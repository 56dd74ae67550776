//! A shop that listens for HTTP, whose spans are kept in memory.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use parking_lot::Mutex;
use taut::{Orb, Reference};
use taut_otel::Telemetry;
use taut_web_shop::servers::Shop;
use taut_web_shop::shop::Warehouse;
use taut_web_shop::shop::warehouse::StockError;
use taut_web_shop::web::{Web, WebLimits};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

/// A time within which all has to happen that must not hang.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// All parts in this process. Each CORBA server and the web service have an ORB.
pub(crate) struct Tested {
    pub(crate) address: SocketAddr,
    pub(crate) web: Arc<Web>,
    spans: InMemorySpanExporter,
    shop: Option<Shop>,
}

impl Tested {
    pub(crate) async fn start(warehouse: impl Warehouse + 'static, limits: WebLimits) -> Self {
        Self::start_by(warehouse, limits, |reference, _| reference).await
    }

    /// One whose web service knows the catalogue by another reference, which `change` makes
    /// of the catalogue's and its port.
    pub(crate) async fn start_by(
        warehouse: impl Warehouse + 'static,
        limits: WebLimits,
        change: impl FnOnce(String, u16) -> String,
    ) -> Self {
        let spans = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(spans.clone());
        let provider = provider.build();
        let telemetry = Telemetry::builder().tracer_provider(&provider).build();
        let shop = Shop::start(warehouse, &telemetry).unwrap();
        spans.reset();
        let object = shop.catalogue.as_object();
        let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
        let reference = change(object.to_string(), profile.port);
        let orb = Orb::builder().initializer(telemetry).build().unwrap();
        let object = orb.string_to_object(&reference).unwrap();
        let web = Web::new(object.unchecked_narrow(), limits);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = web.router(provider.tracer("web"));
        tokio::spawn(async { axum::serve(listener, router).await });
        Self {
            address,
            web,
            spans,
            shop: Some(shop),
        }
    }

    /// Ends the CORBA servers.
    pub(crate) fn close_shop(&mut self) {
        self.shop = None;
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let answer = timeout(LONG, taut_web_shop::http::get(self.address, path, headers));
        answer.await.unwrap().unwrap()
    }

    /// The spans that have ended, once there are so many.
    pub(crate) async fn spans(&self, count: usize) -> Vec<SpanData> {
        let ended = || self.spans.get_finished_spans().unwrap();
        eventually(|| ended().len() >= count).await;
        ended()
    }
}

/// Waits until something holds.
pub(crate) async fn eventually(holds: impl Fn() -> bool) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "it does not come about");
        sleep(Duration::from_millis(2)).await;
    }
}

/// A warehouse whose counting says on a channel that it has begun, and waits until it may go
/// on.
pub(crate) struct Gated {
    begun: Mutex<Sender<()>>,
    go_on: Mutex<Receiver<()>>,
}

impl Gated {
    pub(crate) fn new() -> (Self, Receiver<()>, Sender<()>) {
        let (begun, has_begun) = channel();
        let (may_go_on, go_on) = channel();
        let gated = Self {
            begun: Mutex::new(begun),
            go_on: Mutex::new(go_on),
        };
        (gated, has_begun, may_go_on)
    }
}

impl Warehouse for Gated {
    fn stock(&self, _: &str) -> Result<u32, StockError> {
        // A test that has ended does not listen any more.
        let _ = self.begun.lock().send(());
        let _ = self.go_on.lock().recv_timeout(LONG);
        Ok(1)
    }
}

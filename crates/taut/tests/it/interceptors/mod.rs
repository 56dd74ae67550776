//! Portable Interceptors: which points run when, what they see, and what they may do.
//!
//! The stubs and skeletons are those of the code generator's test data.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and each test uses a part"
)]
mod generated {
    include!("../../../../taut-build/tests/data/demo.rs");
}

mod codecs;
mod deferred;
mod facts;
mod flow;
mod initializers;
mod order;
mod references;
mod slots;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Interruption, ServerRequestInfo,
    ServerRequestInterceptor,
};
use taut::{
    CollocationStrategy, CompletionStatus, ObjectRef, Orb, OrbBuilder, Poa, Reference,
    SystemException, SystemExceptionKind,
};

use crate::common::mode::Mode;
use generated::demo::circle::{OutlineError, SumReply};
use generated::demo::{Circle, CircleRef, CircleSkeleton, DivByZero, Path, Point, Shape, ShapeRef};

/// The points that have run, in their order.
type Log = Arc<Mutex<Vec<String>>>;

/// Code of a test at one point of one interceptor.
type AtClient = Box<dyn Fn(&mut ClientRequestInfo<'_>) -> Result<(), Interruption> + Send + Sync>;
type AtServer = Box<dyn Fn(&mut ServerRequestInfo<'_>) -> Result<(), Interruption> + Send + Sync>;

/// An interceptor of both sides that notes its points, and does at some what a test says.
#[derive(Default)]
struct Noting {
    name: &'static str,
    log: Log,
    at_client: BTreeMap<&'static str, AtClient>,
    at_server: BTreeMap<&'static str, AtServer>,
}

impl Noting {
    fn new(name: &'static str, log: &Log) -> Self {
        Self {
            name,
            log: Arc::clone(log),
            ..Self::default()
        }
    }

    fn at_client(
        mut self,
        point: &'static str,
        run: impl Fn(&mut ClientRequestInfo<'_>) -> Result<(), Interruption> + Send + Sync + 'static,
    ) -> Self {
        self.at_client.insert(point, Box::new(run));
        self
    }

    fn at_server(
        mut self,
        point: &'static str,
        run: impl Fn(&mut ServerRequestInfo<'_>) -> Result<(), Interruption> + Send + Sync + 'static,
    ) -> Self {
        self.at_server.insert(point, Box::new(run));
        self
    }

    fn client(
        &self,
        point: &'static str,
        info: &mut ClientRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let status = info.reply_status();
        let status = status.map_or_else(|_| String::new(), |status| format!(" {status:?}"));
        let note = format!("{}.{point} {}{status}", self.name, info.operation());
        self.log.lock().push(note);
        self.at_client.get(point).map_or(Ok(()), |run| run(info))
    }

    fn server(
        &self,
        point: &'static str,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let status = info.reply_status();
        let status = status.map_or_else(|_| String::new(), |status| format!(" {status:?}"));
        let note = format!("{}.{point} {}{status}", self.name, info.operation());
        self.log.lock().push(note);
        self.at_server.get(point).map_or(Ok(()), |run| run(info))
    }
}

/// The exception of a point that may raise nothing else.
fn raised(outcome: Result<(), Interruption>) -> taut::Result<()> {
    match outcome {
        Ok(()) => Ok(()),
        Err(Interruption::Exception(exception)) => Err(exception),
        Err(Interruption::ForwardRequest(_)) => panic!("no forward is possible here"),
    }
}

impl ClientRequestInterceptor for Noting {
    fn name(&self) -> &str {
        self.name
    }

    fn destroy(&self) {
        self.log.lock().push(format!("{}.destroy", self.name));
    }

    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.client("send_request", info)
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> taut::Result<()> {
        raised(self.client("receive_reply", info))
    }

    fn receive_exception(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.client("receive_exception", info)
    }

    fn receive_other(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.client("receive_other", info)
    }
}

impl ServerRequestInterceptor for Noting {
    fn name(&self) -> &str {
        self.name
    }

    fn destroy(&self) {
        self.log.lock().push(format!("{}.destroy", self.name));
    }

    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        self.server("receive_request_service_contexts", info)
    }

    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.server("receive_request", info)
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> taut::Result<()> {
        raised(self.server("send_reply", info))
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.server("send_exception", info)
    }

    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.server("send_other", info)
    }
}

/// The exception that a servant raises.
const FAILURE: SystemException =
    SystemException::new(SystemExceptionKind::NoPermission, 7, CompletionStatus::Yes);
/// Arguments of `outline` for which the servant does this.
const DIVIDES: u32 = 1000;
const FAILS: u32 = 1001;
const PANICS: u32 = 1002;

/// A servant that notes its calls.
#[derive(Default)]
struct Drawn {
    log: Log,
}

impl Drawn {
    fn note(&self, operation: &str) {
        self.log.lock().push(format!("servant {operation}"));
    }
}

impl Shape for Drawn {
    fn name(&self) -> taut::Result<String> {
        self.note("name");
        Ok("drawn".to_owned())
    }
}

impl Circle for Drawn {
    fn radius(&self) -> taut::Result<f64> {
        self.note("radius");
        Ok(1.5)
    }

    fn set_radius(&self, _: f64) -> taut::Result<()> {
        self.note("set_radius");
        Ok(())
    }

    fn outline(&self, n: u32) -> Result<Path, OutlineError> {
        self.note("outline");
        match n {
            DIVIDES => Err(DivByZero {
                why: "asked to".to_owned(),
            }
            .into()),
            FAILS => Err(FAILURE.into()),
            PANICS => panic!("the servant was asked to panic"),
            _ => Ok(vec![Point { x: 1.0, y: 2.0 }; n as usize]),
        }
    }

    fn move_by(&self, d: &Point, k: &mut f64) -> taut::Result<Point> {
        self.note("move_by");
        *k += 1.0;
        Ok(*d)
    }

    fn feed(&self, _: &[i32]) -> taut::Result<()> {
        self.note("feed");
        Ok(())
    }

    fn sum(&self, values: &[i32], name: &str, _: Option<&ShapeRef>) -> taut::Result<SumReply> {
        self.note("sum");
        Ok(SumReply {
            result: values.iter().sum(),
            s: name.to_owned(),
            c: Default::default(),
        })
    }

    fn log(&self, msg: &str) -> taut::Result<()> {
        self.note("log");
        match msg {
            "fail" => Err(FAILURE),
            _ => Ok(()),
        }
    }
}

/// A server of one object, and a client of it, each with interceptors.
struct House {
    log: Log,
    server: Orb,
    client: Orb,
    poa: Poa,
    circle: CircleRef,
}

impl House {
    /// Both with the interceptors A and B.
    fn new(mode: Mode) -> Self {
        Self::with(mode, |one| one, |one| one)
    }

    /// Both with the interceptors A and B, of which the tests change the client's and server's.
    fn with(
        mode: Mode,
        client: impl Fn(Noting) -> Noting,
        server: impl Fn(Noting) -> Noting,
    ) -> Self {
        let log = Log::default();
        let builder = || Orb::builder().settings(|settings| mode.adjust(settings));
        let (a, b) = (Noting::new("A", &log), Noting::new("B", &log));
        let (x, y) = (Noting::new("X", &log), Noting::new("Y", &log));
        let server_orb = builder()
            .listen(mode.endpoint())
            .unwrap()
            .server_interceptor(server(x))
            .server_interceptor(server(y))
            .build()
            .unwrap();
        let client_orb = builder()
            .settings(|settings| settings.client.collocation = CollocationStrategy::Off)
            .client_interceptor(client(a))
            .client_interceptor(client(b))
            .build()
            .unwrap();
        Self::between(log, server_orb, client_orb)
    }

    /// One ORB that is both.
    fn in_process(client: impl Fn(Noting) -> Noting, server: impl Fn(Noting) -> Noting) -> Self {
        let log = Log::default();
        let orb = Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .client_interceptor(client(Noting::new("A", &log)))
            .client_interceptor(client(Noting::new("B", &log)))
            .server_interceptor(server(Noting::new("X", &log)))
            .server_interceptor(server(Noting::new("Y", &log)))
            .build()
            .unwrap();
        Self::between(log, orb.clone(), orb)
    }

    fn between(log: Log, server: Orb, client: Orb) -> Self {
        let poa = server.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let servant = Drawn {
            log: Arc::clone(&log),
        };
        let circle = poa
            .servant_to_reference(CircleSkeleton::new(servant))
            .unwrap();
        let circle = client
            .string_to_object(&circle.as_object().to_string())
            .unwrap()
            .unchecked_narrow();
        Self {
            log,
            server,
            client,
            poa,
            circle,
        }
    }

    /// Takes what has been noted.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock())
    }

    /// A further object, of the same server, as the client has it.
    fn another(&self) -> ObjectRef {
        let servant = Drawn {
            log: Arc::clone(&self.log),
        };
        let other = self
            .poa
            .servant_to_reference(CircleSkeleton::new(servant))
            .unwrap();
        let text = other.as_object().to_string();
        self.client.string_to_object(&text).unwrap()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

/// An ORB's builder with interceptors that note.
fn builder(names: &[&'static str], log: &Log) -> OrbBuilder {
    let builder = Orb::builder();
    names.iter().fold(builder, |builder, name| {
        builder.client_interceptor(Noting::new(name, log))
    })
}

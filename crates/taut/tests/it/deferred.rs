//! Requests that are answered later than their up-call ends, by another thread.
//!
//! Generated servants of this kind are tried in `interop/tests/it/deferred.rs`, with other ORBs.

mod answers;
mod ends;
mod futures;
mod limits;
mod places;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use taut::codegen;
use taut::{DeferredRequest, Orb, OrbBuilder, Poa, Reference, Servant, ServantIdentity, Settings};

use crate::common::mode::Mode;
use crate::common::{EchoRef, EndOfServer};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request as its test gets it.
struct Asked {
    request: DeferredRequest,
    text: String,
}

impl Asked {
    /// Answers with the text.
    fn reply(self) {
        let text = self.text;
        self.request
            .reply(|out| codegen::Encode::encode(&text, out));
    }
}

/// A servant that defers all requests and hands them to its test.
struct Later {
    asked: Mutex<Sender<Asked>>,
    /// Up-calls with the text [`KEPT`] go on for as long as a test holds this.
    keeps: Arc<Mutex<()>>,
}

/// The text with which an up-call goes on when its request has been deferred.
const KEPT: &str = "kept";

#[derive(Clone)]
struct LaterSkeleton(Arc<Later>);

impl Servant for LaterSkeleton {
    fn interface(&self) -> &'static codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        let text = match request.operation() {
            b"echo" | b"note" => {
                let text = request.arguments(|input| input.read_string())?;
                text.to_string()
            }
            b"ping" => String::new(),
            _ => return request.implicit_operation(self.interface()),
        };
        let request = request.defer()?;
        let is_kept = text == KEPT;
        self.0.asked.lock().send(Asked { request, text }).unwrap();
        if is_kept {
            drop(self.0.keeps.lock());
        }
        Ok(())
    }
}

impl codegen::Skeleton for LaterSkeleton {
    type Reference = EchoRef;
}

/// A server whose servant answers when its test does.
struct Desk {
    orb: Orb,
    poa: Poa,
    echo: EchoRef,
    asked: Receiver<Asked>,
    keeps: Arc<Mutex<()>>,
    mode: Mode,
    _end: EndOfServer,
}

impl Desk {
    fn new(mode: Mode) -> Self {
        Self::with(mode, |_| ())
    }

    fn with(mode: Mode, adjust: impl FnOnce(&mut Settings)) -> Self {
        Self::from(mode, mode.listening_builder().settings(adjust))
    }

    fn from(mode: Mode, builder: OrbBuilder) -> Self {
        let orb = builder.build().unwrap();
        let poa = orb.root_poa().unwrap();
        let (servant, asked) = later();
        let keeps = Arc::clone(&servant.0.keeps);
        let echo = poa.activate(servant).unwrap();
        poa.manager().activate().unwrap();
        Self {
            _end: EndOfServer::of(&orb),
            orb,
            poa,
            echo,
            asked,
            keeps,
            mode,
        }
    }

    /// The next request.
    fn next(&self) -> Asked {
        self.asked.recv_timeout(PATIENCE).unwrap()
    }

    /// A reference that another ORB holds.
    fn client(&self) -> EchoRef {
        self.mode.client(&self.echo.as_object().to_string())
    }
}

/// A servant that hands its requests to the test.
fn later() -> (LaterSkeleton, Receiver<Asked>) {
    let (sender, asked) = channel();
    let servant = Later {
        asked: Mutex::new(sender),
        keeps: Arc::default(),
    };
    (LaterSkeleton(Arc::new(servant)), asked)
}

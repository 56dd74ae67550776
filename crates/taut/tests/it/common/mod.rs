//! An interface written by hand, as the IDL compiler would write it, and a
//! server for it. The parts of stubs and skeletons can be read here, except for those that
//! calls within a process need: these are in `collocation/`.
//!
//! ```idl
//! exception Refused { string why; };
//! interface Echo {
//!   void ping ();
//!   string echo (in string text) raises (Refused);
//!   oneway void note (in string text);
//!   unsigned long notes ();
//!   Echo myself ();
//!   void misbehave (in Misbehaviour how);      // enum { panics, fails, blocks }
//! };
//! ```

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    reason = "each test executable uses a part"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[cfg(feature = "full")]
pub mod events;
pub mod mode;
pub mod octets;
pub mod process;
pub mod raw;
pub mod volley;
pub mod wide;
pub mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use mode::Mode;
use parking_lot::Mutex;
use taut::codegen::{self, Decode, Encode};
use taut::{
    CompletionStatus, ObjectRef, Orb, Poa, Reference, SystemException, SystemExceptionKind,
    UserException,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub why: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Refused {}

impl UserException for Refused {
    const REPOSITORY_ID: &'static str = "IDL:test/Refused:1.0";
}

impl Encode for Refused {
    fn encode(&self, out: &mut codegen::Encoder) -> codegen::CdrResult<()> {
        self.why.encode(out)
    }
}

impl<'m> Decode<'m> for Refused {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut codegen::Decoder<'m>) -> codegen::CdrResult<Self> {
        Ok(Self {
            why: String::decode(input)?,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EchoError {
    Refused(Refused),
    System(SystemException),
}

impl From<SystemException> for EchoError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misbehaviour {
    Panics,
    Fails,
    Blocks,
}

/// The exception of an operation that a servant does not have.
pub const NOT_IMPLEMENTED: SystemException =
    SystemException::new(SystemExceptionKind::NoImplement, 78, CompletionStatus::No);

/// Unlike in generated code, a servant has only the operations that its test
/// calls.
pub trait Echo: Send + Sync {
    fn ping(&self) -> taut::Result<()> {
        Err(NOT_IMPLEMENTED)
    }

    fn echo(&self, _text: &str) -> Result<String, EchoError> {
        Err(NOT_IMPLEMENTED.into())
    }

    fn note(&self, _text: &str) -> taut::Result<()> {
        Err(NOT_IMPLEMENTED)
    }

    fn notes(&self) -> taut::Result<u32> {
        Err(NOT_IMPLEMENTED)
    }

    fn myself(&self) -> taut::Result<Option<EchoRef>> {
        Err(NOT_IMPLEMENTED)
    }

    fn misbehave(&self, _how: Misbehaviour) -> taut::Result<()> {
        Err(NOT_IMPLEMENTED)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EchoRef(ObjectRef);

codegen::reference! { EchoRef: "IDL:test/Echo:1.0", bases: [] }

impl Echo for EchoRef {
    fn ping(&self) -> taut::Result<()> {
        self.0.invoke("ping", |_| Ok(()))?.results(|_| Ok(()))
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        let reply = self.0.invoke("echo", |out| text.encode(out))?;
        if let Some(exception) = reply.user_exception()? {
            return Err(match exception.repository_id() {
                Refused::REPOSITORY_ID => EchoError::Refused(exception.decode()?),
                _ => exception.unlisted().into(),
            });
        }
        Ok(reply.results(String::decode)?)
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        self.0.invoke_oneway("note", |out| text.encode(out))
    }

    fn notes(&self) -> taut::Result<u32> {
        self.0.invoke("notes", |_| Ok(()))?.results(u32::decode)
    }

    fn myself(&self) -> taut::Result<Option<EchoRef>> {
        self.0.invoke("myself", |_| Ok(()))?.results(Option::decode)
    }

    fn misbehave(&self, how: Misbehaviour) -> taut::Result<()> {
        self.0
            .invoke("misbehave", |out| (how as u32).encode(out))?
            .results(|_| Ok(()))
    }
}

pub struct EchoSkeleton<T: ?Sized>(pub Arc<T>);

impl<T: Echo + 'static> codegen::Servant for EchoSkeleton<T> {
    fn interface(&self) -> &'static codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> codegen::ServantIdentity {
        codegen::ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        match request.operation() {
            b"ping" => {
                self.0.ping()?;
                request.reply(|_| Ok(()))
            }
            b"echo" => {
                let text = request.arguments(|input| input.read_string())?;
                match self.0.echo(&text) {
                    Ok(result) => request.reply(|out| result.encode(out)),
                    Err(EchoError::Refused(exception)) => request.raise(&exception),
                    Err(EchoError::System(exception)) => Err(exception),
                }
            }
            b"note" => {
                let text = request.arguments(|input| input.read_string())?;
                self.0.note(&text)?;
                request.reply(|_| Ok(()))
            }
            b"notes" => {
                let result = self.0.notes()?;
                request.reply(|out| result.encode(out))
            }
            b"myself" => {
                let result = self.0.myself()?;
                request.reply(|out| result.encode(out))
            }
            b"misbehave" => {
                let how = request.arguments(|input| {
                    Ok(match input.read_ordinal(3)? {
                        0 => Misbehaviour::Panics,
                        1 => Misbehaviour::Fails,
                        _ => Misbehaviour::Blocks,
                    })
                })?;
                self.0.misbehave(how)?;
                request.reply(|_| Ok(()))
            }
            _ => request.implicit_operation(self.interface()),
        }
    }
}

impl<T: Echo + 'static> codegen::Skeleton for EchoSkeleton<T> {
    type Reference = EchoRef;
}

/// The exception that a failing servant raises.
pub const FAILURE: SystemException =
    SystemException::new(SystemExceptionKind::NoPermission, 77, CompletionStatus::Yes);

/// The servant. A call that blocks says so on `entered` and waits for `release`.
pub struct Parrot {
    pub notes: AtomicU32,
    pub myself: Mutex<Option<EchoRef>>,
    entered: Mutex<Sender<()>>,
    release: Mutex<Receiver<()>>,
}

impl Echo for Parrot {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        if text == "refuse" {
            return Err(EchoError::Refused(Refused {
                why: "asked for".to_owned(),
            }));
        }
        Ok(text.to_owned())
    }

    fn note(&self, _: &str) -> taut::Result<()> {
        self.notes.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(self.notes.load(Ordering::SeqCst))
    }

    fn myself(&self) -> taut::Result<Option<EchoRef>> {
        Ok(self.myself.lock().clone())
    }

    fn misbehave(&self, how: Misbehaviour) -> taut::Result<()> {
        match how {
            Misbehaviour::Panics => panic!("the servant was asked to panic"),
            Misbehaviour::Fails => Err(FAILURE),
            Misbehaviour::Blocks => {
                self.entered.lock().send(()).unwrap();
                self.release.lock().recv().unwrap();
                Ok(())
            }
        }
    }
}

/// Sets what the ORBs of a test are made with that does not choose a mode.
pub fn adjust(settings: &mut taut::Settings) {
    Mode::tcp().adjust(settings);
}

/// Begins to serve an object.
pub fn serve<T: Echo + 'static>(orb: &Orb, servant: &Arc<T>) -> EchoRef {
    let poa = orb.root_poa().unwrap();
    let echo = poa.activate(EchoSkeleton(Arc::clone(servant))).unwrap();
    poa.manager().activate().unwrap();
    echo
}

/// A server with one object, which ends when it is dropped.
pub struct Server {
    pub orb: Orb,
    pub poa: Poa,
    pub servant: Arc<Parrot>,
    pub echo: EchoRef,
    pub entered: Receiver<()>,
    pub release: Sender<()>,
    mode: Mode,
    _end: EndOfServer,
}

impl Server {
    pub fn start() -> Self {
        Mode::tcp().server()
    }

    /// A server with these settings, except for those that the whole test has.
    pub fn with(adjust: impl FnOnce(&mut taut::Settings)) -> Self {
        Mode::tcp().server_with(adjust)
    }

    pub fn start_with(builder: taut::OrbBuilder) -> Self {
        Mode::tcp().server_from(builder)
    }

    fn in_mode(mode: Mode, builder: taut::OrbBuilder) -> Self {
        let builder = builder.settings(|settings| mode.adjust(settings));
        let orb = builder.build().unwrap();
        let poa = orb.root_poa().unwrap();
        let (entered_sender, entered) = channel();
        let (release, release_receiver) = channel();
        let servant = Arc::new(Parrot {
            notes: AtomicU32::new(0),
            myself: Mutex::default(),
            entered: Mutex::new(entered_sender),
            release: Mutex::new(release_receiver),
        });
        let echo = serve(&orb, &servant);
        *servant.myself.lock() = Some(echo.clone());
        Self {
            _end: EndOfServer::of(&orb),
            mode,
            orb,
            poa,
            servant,
            echo,
            entered,
            release,
        }
    }

    pub fn ior(&self) -> String {
        self.echo.as_object().to_string()
    }

    /// Where it listens first.
    pub fn address(&self) -> &taut::Address {
        &self.orb.published_addresses()[0]
    }

    /// The object with a plain key.
    pub fn url(&self, key: &str) -> String {
        wire::url(self.address(), "1.2@", key)
    }

    pub fn port(&self) -> u16 {
        self.orb.published_addresses()[0].port().unwrap()
    }

    /// A reference that another ORB holds.
    pub fn client(&self) -> EchoRef {
        self.mode.client(&self.ior())
    }
}

/// Begins the end of a server that a test leaves running, and removes its sockets, so that
/// the servers of all tests do not gather in one process.
pub struct EndOfServer {
    orb: Orb,
    _sockets: wire::SocketFiles,
}

impl EndOfServer {
    pub fn of(orb: &Orb) -> Self {
        Self {
            orb: orb.clone(),
            _sockets: wire::SocketFiles::of(orb),
        }
    }
}

impl Drop for EndOfServer {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(false);
    }
}

/// A reference that an ORB of its own has made of a URL.
pub fn client(url: &str) -> EchoRef {
    Mode::tcp().client(url)
}

/// A reference of an ORB with these settings beside those that the whole test has.
pub fn client_with(url: &str, and: impl FnOnce(&mut taut::Settings)) -> EchoRef {
    Mode::tcp().client_with(url, and)
}

/// A reference, and its ORB, which a test may want to end.
pub fn orb_and_client(url: &str, and: impl FnOnce(&mut taut::Settings)) -> (Orb, EchoRef) {
    Mode::tcp().orb_and_client(url, and)
}

/// Waits until a condition holds, or fails.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    // Far more than anything takes, for the machine may be busy.
    let patience = std::time::Instant::now() + Duration::from_secs(60);
    while std::time::Instant::now() < patience {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what} did not happen");
}

/// Runs in a thread of its own what must come to its end, and fails if it hangs.
pub fn ends<R: Send + 'static>(what: &str, act: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        let result = act();
        let _ = sender.send(());
        result
    });
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Timeout) => panic!("{what} hangs"),
        _ => thread.join().unwrap_or_else(|_| panic!("{what} failed")),
    }
}

//! A server, its clients, and servants made of closures.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::codegen::Servant;
use taut::{
    CompletionStatus, ObjectRef, Orb, Poa, PoaError, Policy, Settings, SystemException,
    SystemExceptionKind, minor,
};
use test_tools::free_port;

use crate::common::mode::Mode;
use crate::common::{self, Echo, EchoError, EchoRef, EchoSkeleton, Misbehaviour};

pub(crate) use crate::common::ends;

/// The interface of all objects here.
pub(crate) const ECHO: &str = "IDL:test/Echo:1.0";

/// A server whose requests come through at once.
pub(crate) struct House {
    pub(crate) orb: Orb,
    pub(crate) root: Poa,
}

impl House {
    pub(crate) fn new() -> Self {
        Self::in_mode(Mode::tcp())
    }

    pub(crate) fn in_mode(mode: Mode) -> Self {
        Self::with(mode, |_| {})
    }

    pub(crate) fn with(mode: Mode, change: impl FnOnce(&mut Settings)) -> Self {
        // A port that is free in the next life, too.
        let endpoint = format!("127.0.0.1:{}", free_port().unwrap());
        let builder = Orb::builder().listen(&endpoint).unwrap();
        let orb = builder
            .settings(|settings| mode.adjust(settings))
            .settings(change)
            .build()
            .unwrap();
        let root = orb.root_poa().unwrap();
        root.manager().activate().unwrap();
        Self { orb, root }
    }

    /// A child of the root POA, with its manager.
    pub(crate) fn child(&self, name: &str, policies: &[Policy]) -> Poa {
        let manager = Some(self.root.manager());
        self.root.create_poa(name, manager, policies).unwrap()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if !thread::panicking() {
            let _ = self.orb.shutdown(false);
        }
    }
}

type Answer = dyn Fn(&str) -> taut::Result<String> + Send + Sync;

/// A servant whose `echo` is a closure.
pub(crate) struct Probe(Box<Answer>);

impl Probe {
    pub(crate) fn new(
        answer: impl Fn(&str) -> taut::Result<String> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(answer))
    }
}

/// A servant that answers `echo` so.
pub(crate) fn probe(
    answer: impl Fn(&str) -> taut::Result<String> + Send + Sync + 'static,
) -> Arc<Probe> {
    Arc::new(Probe::new(answer))
}

/// A servant that answers with its own name.
pub(crate) fn named(name: &str) -> Arc<Probe> {
    let name = name.to_owned();
    probe(move |_| Ok(name.clone()))
}

/// Makes the skeleton of a servant, for the POA.
pub(crate) fn skeleton(servant: &Arc<Probe>) -> EchoSkeleton<Probe> {
    EchoSkeleton(Arc::clone(servant))
}

/// Makes the shared skeleton of a servant, for a servant manager.
pub(crate) fn shared(servant: &Arc<Probe>) -> Arc<dyn Servant> {
    Arc::new(skeleton(servant))
}

impl Echo for Probe {
    fn ping(&self) -> taut::Result<()> {
        (self.0)("").map(drop)
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        Ok((self.0)(text)?)
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        (self.0)(text).map(drop)
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(0)
    }

    fn myself(&self) -> taut::Result<Option<EchoRef>> {
        Ok(None)
    }

    fn misbehave(&self, _: Misbehaviour) -> taut::Result<()> {
        panic!("the servant was asked to panic")
    }
}

/// The state of a servant that does not return before it may.
pub(crate) struct Stay {
    entered: Mutex<Sender<()>>,
    release: Mutex<Receiver<()>>,
}

impl Stay {
    /// The stay, a message for each who has come, and leave to go for one each.
    pub(crate) fn new() -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let (entered_sender, entered) = channel();
        let (release, release_receiver) = channel();
        let stay = Self {
            entered: Mutex::new(entered_sender),
            release: Mutex::new(release_receiver),
        };
        (Arc::new(stay), entered, release)
    }

    pub(crate) fn here(&self) {
        self.entered.lock().send(()).unwrap();
        self.release.lock().recv().unwrap();
    }
}

/// A servant that stays where it is told to, and answers otherwise.
pub(crate) fn staying() -> (Arc<Probe>, Receiver<()>, Sender<()>) {
    let (stay, entered, release) = Stay::new();
    let servant = probe(move |text| {
        if text == "stay" {
            stay.here();
        }
        Ok(text.to_owned())
    });
    (servant, entered, release)
}

/// The reference as another ORB has it.
pub(crate) fn abroad(object: &ObjectRef) -> EchoRef {
    static CLIENT: OnceLock<Orb> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        let builder = Orb::builder().settings(common::adjust);
        builder.build().unwrap()
    });
    let object = client.string_to_object(&object.to_string()).unwrap();
    object.unchecked_narrow()
}

/// Calls the object from another ORB.
pub(crate) fn call(object: &ObjectRef, text: &str) -> taut::Result<String> {
    abroad(object).echo(text).map_err(|error| match error {
        EchoError::System(exception) => exception,
        EchoError::Refused(refused) => panic!("{refused}"),
    })
}

/// Returns the name of the servant that answers a call.
pub(crate) fn who(object: &ObjectRef) -> String {
    call(object, "who").unwrap()
}

/// A system exception of the standard's, raised before anything was done.
pub(crate) const fn omg(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::omg(kind, minor, CompletionStatus::No)
}

/// The same, of an operation of the POA.
pub(crate) fn refused<T>(kind: SystemExceptionKind, minor: u32) -> Result<T, PoaError> {
    Err(omg(kind, minor).into())
}

/// OBJECT_NOT_EXIST with a minor code of Taut's own.
const fn gone(minor: u32) -> SystemException {
    SystemException::new(
        SystemExceptionKind::ObjectNotExist,
        minor,
        CompletionStatus::No,
    )
}

/// The POA is there, the object is not active.
pub(crate) const UNKNOWN_OBJECT: SystemException = gone(minor::OBJECT_NOT_ACTIVE);

/// The reference was made by another process.
pub(crate) const EARLIER_LIFE: SystemException = gone(minor::EARLIER_LIFE);

/// The reference belongs to a server with another id.
pub(crate) const OTHER_SERVER: SystemException = gone(minor::OTHER_SERVER);

/// The adapter activator made no POA.
pub(crate) const ACTIVATOR_REFUSED: SystemException = gone(minor::ACTIVATOR_REFUSED);

/// OBJECT_NOT_EXIST 2: no such adapter.
pub(crate) const NO_SUCH_POA: SystemException = omg(SystemExceptionKind::ObjectNotExist, 2);

/// BAD_INV_ORDER 3: this would wait for itself.
pub(crate) const WOULD_DEADLOCK: SystemException = omg(SystemExceptionKind::BadInvOrder, 3);

/// The names of the POA do not fit into an object key.
pub(crate) const POA_NAME_TOO_LONG: SystemException = SystemException::new(
    SystemExceptionKind::ImpLimit,
    minor::POA_NAME_TOO_LONG,
    CompletionStatus::No,
);

/// TRANSIENT 1: requests are discarded.
pub(crate) const DISCARDED: SystemException = omg(SystemExceptionKind::Transient, 1);

/// Long enough for what must not happen to happen.
pub(crate) fn a_while() {
    thread::sleep(Duration::from_millis(50));
}

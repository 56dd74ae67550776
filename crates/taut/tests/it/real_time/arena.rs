//! A server with a thread pool, for the tests of its lanes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use parking_lot::Mutex;
use taut::policy::ThreadpoolPolicy;
use taut::real_time::{RealTime, RtOrb, Threadpool, ThreadpoolId, ThreadpoolLane};
use taut::{Address, Orb, Poa, Reference};
use taut_giop::ior::IiopProfile;
use taut_giop::real_time::{InternetAddress, LaneEndpoint};

use super::priority;
use crate::common::mode::Mode;
use crate::common::raw::PATIENCE;
use crate::common::{
    Echo, EchoError, EchoRef, EchoSkeleton, EndOfServer, Misbehaviour, NOT_IMPLEMENTED,
};

/// A servant that notes the thread of each call. A call that blocks says so on `entered`, and
/// waits for a word on `release`.
pub(super) struct Witness {
    pub(super) seen: Mutex<Vec<Seen>>,
    pub(super) entered: Mutex<Sender<()>>,
    pub(super) release: Mutex<Receiver<()>>,
}

/// The thread of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) what: String,
    pub(super) thread: String,
    /// The native priority, if there is one.
    pub(super) native: Option<i32>,
}

impl Witness {
    fn note(&self, what: &str) {
        let thread = thread::current().name().unwrap_or_default().to_owned();
        let seen = Seen {
            what: what.to_owned(),
            thread,
            native: taut_sys::priority::current().unwrap(),
        };
        self.seen.lock().push(seen);
    }
}

impl Echo for Witness {
    fn echo(&self, text: &str) -> Result<String, EchoError> {
        self.note(text);
        Ok(text.to_owned())
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        Self::note(self, text);
        Ok(())
    }

    fn notes(&self) -> taut::Result<u32> {
        Ok(u32::try_from(self.seen.lock().len()).unwrap())
    }

    fn misbehave(&self, how: Misbehaviour) -> taut::Result<()> {
        if how != Misbehaviour::Blocks {
            return Err(NOT_IMPLEMENTED);
        }
        self.note("blocked");
        self.entered.lock().send(()).unwrap();
        self.release.lock().recv().unwrap();
        Ok(())
    }
}

/// A server with a thread pool, and an object that its lanes serve.
pub(super) struct Arena {
    pub(super) orb: Orb,
    pub(super) real_time: RtOrb,
    pub(super) root: Poa,
    pub(super) poa: Poa,
    pub(super) pool: ThreadpoolId,
    pub(super) witness: Arc<Witness>,
    pub(super) object: EchoRef,
    pub(super) entered: Receiver<()>,
    pub(super) release: Sender<()>,
    _end: EndOfServer,
}

pub(super) fn lane(number: i16, threads: u32) -> ThreadpoolLane {
    ThreadpoolLane::new(priority(number), threads)
}

/// An ORB with priorities that listens, and whose calls go by messages.
pub(super) fn real_time_orb(adjust: impl FnOnce(&mut taut::Settings)) -> Orb {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let builder = builder.real_time(RealTime::new()).settings(|settings| {
        Mode::tcp().adjust(settings);
        // The least native priorities, and not those at which tests could stop a machine.
        settings.real_time.highest_native = Some(9);
        adjust(settings);
    });
    builder.build().unwrap()
}

impl Arena {
    pub(super) fn of(pool: &Threadpool) -> Self {
        Self::with(pool, |_| {})
    }

    pub(super) fn with(pool: &Threadpool, adjust: impl FnOnce(&mut taut::Settings)) -> Self {
        let orb = real_time_orb(adjust);
        let real_time = orb.real_time().unwrap();
        let pool = real_time.create(pool).unwrap();
        let root = orb.root_poa().unwrap();
        let policies = [ThreadpoolPolicy(pool).into()];
        let poa = root.create_poa("lanes", Some(root.manager()), &policies);
        let poa = poa.unwrap();
        root.manager().activate().unwrap();
        let (entered_sender, entered) = channel();
        let (release, release_receiver) = channel();
        let witness = Arc::new(Witness {
            seen: Mutex::default(),
            entered: Mutex::new(entered_sender),
            release: Mutex::new(release_receiver),
        });
        let object = poa.activate(EchoSkeleton(Arc::clone(&witness))).unwrap();
        Self {
            _end: EndOfServer::of(&orb),
            orb,
            real_time,
            root,
            poa,
            pool,
            witness,
            object,
            entered,
            release,
        }
    }

    /// The object at the endpoint of one lane, for an ORB of its own.
    pub(super) fn at(&self, lane: usize) -> EchoRef {
        let endpoint = &endpoints(&self.object)[lane];
        let address = Address::new(&endpoint.address.host, endpoint.address.port);
        client_at(&self.object, &address)
    }

    /// Calls the object so that a servant keeps a thread of the lane.
    pub(super) fn block<'s>(&self, scope: &'s thread::Scope<'s, '_>, client: EchoRef) {
        scope.spawn(move || client.misbehave(Misbehaviour::Blocks).unwrap());
        self.entered.recv_timeout(PATIENCE).unwrap();
    }

    /// The threads that have carried out calls with this text.
    pub(super) fn threads_of(&self, what: &str) -> Vec<String> {
        let seen = self.witness.seen.lock();
        let of_it = seen.iter().filter(|seen| seen.what == what);
        of_it.map(|seen| seen.thread.clone()).collect()
    }
}

/// The endpoints of the lanes, as the reference tells them.
pub(super) fn endpoints(object: &EchoRef) -> Vec<LaneEndpoint<InternetAddress>> {
    let profile = profile_of(object);
    let component = profile.component(taut_giop::component::tag::TAO_ENDPOINTS);
    LaneEndpoint::read_all(component.unwrap(), &taut_giop::Limits::DEFAULT).unwrap()
}

pub(super) fn profile_of(object: &EchoRef) -> IiopProfile {
    let profile = object.as_object().ior().iiop_profiles().next();
    profile.unwrap().unwrap()
}

/// The same object at another address, for an ORB of its own.
pub(super) fn client_at(object: &EchoRef, address: &Address) -> EchoRef {
    let key: String = profile_of(object)
        .object_key
        .iter()
        .map(|octet| format!("%{octet:02x}"))
        .collect();
    Mode::tcp().client(&format!("corbaloc:iiop:1.2@{address}/{key}"))
}

//! A server that answers everything and remembers what it was sent, and over which connection.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use taut::codegen::{Encode, Encoder};
use taut::policy::Policy;
use taut::real_time::RealTime;
use taut::{ByteOrder, Ior, ObjectRef, Orb, OrbBuilder, Settings, SystemException, Version};
use taut_giop::ExposedPolicy;
use taut_giop::component::TaggedComponent;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    self, LocateReplyHeader, LocateStatus, MessageType, ReplyHeader, ReplyStatus, RequestHeader,
    ResponseFlags,
};
use taut_giop::real_time::{BIND_PRIORITY_BAND, InternetAddress, LaneEndpoint};
use taut_giop::service_context::{ServiceContext, ServiceContexts, id};

use super::{CLIENTS, SERVERS, model};
use crate::common::mode::Mode;
use crate::common::raw::Message;

/// A request, or a LocateRequest, whose operation is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The number of the connection, from 0.
    pub(super) connection: usize,
    pub(super) operation: String,
    pub(super) contexts: Vec<(u32, Vec<u8>)>,
}

impl Seen {
    /// The data of the contexts RTCorbaPriority.
    pub(super) fn priorities(&self) -> Vec<&[u8]> {
        let contexts = self.contexts.iter();
        let priorities = contexts.filter(|(number, _)| *number == id::RT_CORBA_PRIORITY);
        priorities.map(|(_, data)| &data[..]).collect()
    }
}

#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    connections: usize,
    open: usize,
    /// Where requests are sent, if not answered here.
    forward: Option<Ior>,
    /// The exception that answers `_bind_priority_band`, if one does.
    refusal: Option<SystemException>,
}

/// The server.
pub(super) struct Recorder {
    state: Arc<Mutex<State>>,
    pub(super) port: u16,
}

impl Recorder {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let own = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = {
                    let mut state = own.lock();
                    state.connections += 1;
                    state.open += 1;
                    state.connections - 1
                };
                let (own, stream) = (Arc::clone(&own), stream.unwrap());
                thread::spawn(move || {
                    serve(&own, connection, stream);
                    own.lock().open -= 1;
                });
            }
        });
        Self { state, port }
    }

    /// Takes what it has been sent since it was asked last.
    pub(super) fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut self.state.lock().seen)
    }

    /// Whether it has been sent anything since.
    pub(super) fn has_seen(&self) -> bool {
        !self.state.lock().seen.is_empty()
    }

    /// How many connections there have been.
    pub(super) fn connections(&self) -> usize {
        self.state.lock().connections
    }

    /// How many of them are open.
    pub(super) fn open(&self) -> usize {
        self.state.lock().open
    }

    /// Sends all requests elsewhere from now on.
    pub(super) fn forward_to(&self, object: &ObjectRef) {
        self.state.lock().forward = Some(object.ior().clone());
    }

    /// Answers `_bind_priority_band` by an exception from now on.
    pub(super) fn refuse_bands_by(&self, exception: SystemException) {
        self.state.lock().refusal = Some(exception);
    }

    /// A reference to an object here that tells these policies.
    pub(super) fn ior(&self, told: &[Policy]) -> Ior {
        ior(self.port, told, &[])
    }
}

/// A reference to an object at a port, which tells policies and the endpoints of lanes.
pub(super) fn ior(port: u16, told: &[Policy], lanes: &[(u16, i16)]) -> Ior {
    let exposed = |policy: &Policy| ExposedPolicy {
        policy_type: policy.policy_type().0,
        value: policy.to_encapsulation().unwrap(),
    };
    let endpoint = |&(port, priority): &(u16, i16)| LaneEndpoint {
        address: InternetAddress {
            host: "127.0.0.1".to_owned(),
            port,
        },
        priority,
    };
    let told: Vec<_> = told.iter().map(exposed).collect();
    let lanes: Vec<_> = lanes.iter().map(endpoint).collect();
    let mut components: Vec<TaggedComponent> = Vec::new();
    if !told.is_empty() {
        components.push(ExposedPolicy::to_component(&told).unwrap());
    }
    if !lanes.is_empty() {
        components.push(LaneEndpoint::to_component(&lanes).unwrap());
    }
    let profile = IiopProfile {
        version: Version::V1_2,
        host: "127.0.0.1".to_owned(),
        port,
        object_key: b"key".to_vec(),
        components,
    };
    Ior {
        type_id: "IDL:test/Echo:1.0".to_owned(),
        profiles: vec![profile.to_profile().unwrap()],
    }
}

fn serve(state: &Mutex<State>, connection: usize, mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    while let Ok(message) = Message::read(&mut stream) {
        let answer = match message.message_type() {
            MessageType::Request => answer(state, connection, &message),
            MessageType::LocateRequest => Some(located(state, connection, &message)),
            _ => None,
        };
        if let Some(answer) = answer
            && stream.write_all(&answer).is_err()
        {
            return;
        }
    }
}

fn answer(state: &Mutex<State>, connection: usize, message: &Message) -> Option<Vec<u8>> {
    let mut input = message.header.decoder(&message.octets).unwrap();
    let request = RequestHeader::decode(message.header.version, &mut input).unwrap();
    let contexts = request.service_contexts;
    let contexts: Vec<_> = contexts
        .iter()
        .map(|one| (one.id, one.data.to_vec()))
        .collect();
    let operation = String::from_utf8(request.operation.to_vec()).unwrap();
    let mut state = state.lock();
    state.seen.push(Seen {
        connection,
        operation: operation.clone(),
        contexts: contexts.clone(),
    });
    if request.response == ResponseFlags::None {
        return None;
    }
    let echoed: Vec<_> = contexts
        .iter()
        .filter(|(number, _)| *number == id::RT_CORBA_PRIORITY)
        .map(|(id, data)| ServiceContext { id: *id, data })
        .collect();
    let refusal = state
        .refusal
        .clone()
        .filter(|_| operation == BIND_PRIORITY_BAND);
    let mut out = Encoder::new(ByteOrder::Little);
    message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
    let header = ReplyHeader {
        request_id: request.request_id,
        status: match (&refusal, &state.forward) {
            (Some(_), _) => ReplyStatus::SystemException,
            (None, Some(_)) => ReplyStatus::LocationForward,
            (None, None) => ReplyStatus::NoException,
        },
        service_contexts: ServiceContexts::new(&echoed),
    };
    header.encode(Version::V1_2, &mut out).unwrap();
    let body = message::begin_body(Version::V1_2, &mut out);
    match (&refusal, &state.forward) {
        (Some(exception), _) => exception.encode(&mut out).unwrap(),
        (None, Some(ior)) => ior.encode(&mut out).unwrap(),
        // The answer to `_non_existent`; `ping` does not read any.
        _ if operation == "_non_existent" => out.write(0_u8),
        _ => {}
    }
    body.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    Some(out.into_buffer())
}

fn located(state: &Mutex<State>, connection: usize, message: &Message) -> Vec<u8> {
    state.lock().seen.push(Seen {
        connection,
        operation: String::new(),
        contexts: Vec::new(),
    });
    let mut out = Encoder::new(ByteOrder::Little);
    message::begin_message(&mut out, Version::V1_2, MessageType::LocateReply);
    let header = LocateReplyHeader {
        request_id: message.request_id(),
        status: LocateStatus::ObjectHere,
    };
    header.encode(&mut out);
    message::finish_message(&mut out).unwrap();
    out.into_buffer()
}

pub(super) fn propagated(server_priority: i16) -> Policy {
    model(CLIENTS, server_priority).into()
}

pub(super) fn declared(server_priority: i16) -> Policy {
    model(SERVERS, server_priority).into()
}

/// A builder of ORBs that have priorities.
pub(super) fn real_time(change: impl FnOnce(&mut Settings)) -> OrbBuilder {
    let builder = Orb::builder().real_time(RealTime::new());
    builder.settings(|settings| {
        Mode::tcp().adjust(settings);
        change(settings);
    })
}

/// The octets of the context RTCorbaPriority.
pub(super) fn golden(priority: i16) -> Vec<u8> {
    let [first, second] = priority.to_ne_bytes();
    vec![u8::from(cfg!(target_endian = "little")), 0, first, second]
}

//! References with addresses of both kinds, and which of them is used.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use taut::{Orb, Reference, SystemExceptionKind, TransportOrder};
use taut_giop::Version;
use taut_giop::ior::UiopProfile;
use taut_giop::ior::profile::tag;
use taut_giop::message::{
    self, MessageType, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress,
};
use taut_giop::service_context::ServiceContexts;

use super::MODE;
use crate::common::raw::{Message, RawClient};
use crate::common::wire::{Wire, unique_path};
use crate::common::{Echo, EchoRef, Server};

fn both() -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    MODE.server_from(builder.listen("uiop://").unwrap())
}

fn tags(echo: &EchoRef) -> Vec<u32> {
    let profiles = &echo.as_object().ior().profiles;
    profiles.iter().map(|profile| profile.tag).collect()
}

#[test]
fn a_reference_has_a_profile_of_each_kind() {
    let server = both();
    assert_eq!(tags(&server.echo), [tag::INTERNET_IOP, tag::TAO_UIOP]);
    let [tcp, unix] = server.orb.published_addresses() else {
        panic!("{:?}", server.orb.published_addresses());
    };
    assert_eq!(
        server.orb.corbaloc("Echo").unwrap(),
        format!(
            "corbaloc:iiop:1.2@{tcp},uiop:1.2@{}|/Echo",
            unix.path().unwrap()
        )
    );
    // In the order of the endpoints.
    let builder = Orb::builder().listen("uiop://").unwrap();
    let reversed = MODE.server_from(builder.listen("127.0.0.1:0").unwrap());
    assert_eq!(tags(&reversed.echo), [tag::TAO_UIOP, tag::INTERNET_IOP]);
    // Several sockets have a profile each, before GIOP 1.2 too.
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let builder = Orb::builder().settings(|settings| settings.wire.giop_version = version);
        let builder = builder
            .listen("uiop://")
            .and_then(|builder| builder.listen("uiop://"));
        let several = MODE.server_from(builder.unwrap());
        assert_eq!(tags(&several.echo), [tag::TAO_UIOP; 2]);
        several.client().ping().unwrap();
    }
}

#[test]
fn the_socket_is_preferred_unless_the_published_order_is() {
    let server = both();
    let (tcp, unix) = (count_to(&server, 0), count_to(&server, 1));
    let urls = |first: &Counted, second: &Counted| {
        format!("corbaloc:{},{}/Echo", first.address, second.address)
    };
    server.orb.bind_object_key("Echo", server.echo.as_object());
    MODE.client(&urls(&tcp, &unix))
        .as_object()
        .locate()
        .unwrap();
    assert_eq!((tcp.taken(), unix.taken()), (0, 1));
    let echo = MODE.client_with(&urls(&tcp, &unix), |settings| {
        settings.client.transport_order = TransportOrder::AsPublished;
    });
    echo.as_object().locate().unwrap();
    assert_eq!((tcp.taken(), unix.taken()), (1, 1));
}

/// An address from which octets go to one of a server's, and how often it was connected
/// to.
struct Counted {
    address: String,
    count: Arc<AtomicUsize>,
}

impl Counted {
    fn taken(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

fn count_to(server: &Server, index: usize) -> Counted {
    let target = server.orb.published_addresses()[index].clone();
    let count = Arc::<AtomicUsize>::default();
    let taken = Arc::clone(&count);
    let relay = move |mut stream: Wire| {
        taken.fetch_add(1, Ordering::SeqCst);
        let mut onward = Wire::try_to(&target).unwrap();
        // One message each way is enough here.
        while let Ok(message) = Message::read(&mut stream) {
            onward.write_all(&message.octets).unwrap();
            let reply = Message::read(&mut onward).unwrap();
            stream.write_all(&reply.octets).unwrap();
        }
    };
    let address = match index {
        0 => {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let address = format!("iiop:1.2@{}", listener.local_addr().unwrap());
            thread::spawn(move || {
                for stream in listener.incoming() {
                    relay(Wire::Tcp(stream.unwrap()));
                }
            });
            address
        }
        _ => {
            let path = unique_path();
            let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
            thread::spawn(move || {
                for stream in listener.incoming() {
                    relay(Wire::Unix(stream.unwrap()));
                }
            });
            format!("uiop:1.2@{}|", path.display())
        }
    };
    Counted { address, count }
}

#[test]
fn calls_fail_over_to_tcp_when_the_socket_is_not_there() {
    let server = both();
    let path = server.orb.published_addresses()[1].path().unwrap();
    let connected = server.client();
    connected.ping().unwrap();
    std::fs::remove_file(path).unwrap();
    connected.ping().unwrap();
    server.client().ping().unwrap();
    // A socket that nobody listens at looks like one, and is not.
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
    let echo = server.client();
    for _ in 0..3 {
        echo.ping().unwrap();
    }
    std::fs::remove_file(path).unwrap();
}

#[cfg(feature = "full")]
#[test]
fn objects_of_this_process_are_found_by_their_sockets() {
    let orb = Orb::builder()
        .listen(MODE.endpoint())
        .unwrap()
        .build()
        .unwrap();
    let own = crate::common::serve(&orb, &Arc::new(Local));
    let other = Orb::builder().build().unwrap();
    let echo = other
        .string_to_object(&own.as_object().to_string())
        .unwrap();
    // Were a message made, there would be nowhere to send it.
    std::fs::remove_file(orb.published_addresses()[0].path().unwrap()).unwrap();
    let echo: EchoRef = echo.unchecked_narrow();
    echo.as_object().locate().unwrap();
    orb.shutdown(true).unwrap();
}

struct Local;

impl Echo for Local {}

#[test]
fn a_forwarder_sends_clients_to_a_socket() {
    let server = MODE.server();
    let forwarder = MODE.server();
    let addresses = server.orb.published_addresses();
    let key = UiopProfile::parse_within(
        &server.echo.as_object().ior().profiles[0].data,
        &taut_giop::Limits::DEFAULT,
    );
    let target = forwarder
        .orb
        .object_at(addresses, &key.unwrap().object_key, "");
    forwarder.orb.bind_object_key("Echo", &target.unwrap());
    MODE.client(&forwarder.url("Echo")).ping().unwrap();
}

#[cfg(feature = "full")]
#[test]
fn persistent_references_carry_the_socket_that_is_set() {
    let mut arguments = vec![
        "-ORBPersistentAddresses".to_owned(),
        "uiop:///run/forwarder,forwarder.example:4000".to_owned(),
    ];
    let builder = Orb::builder().arguments(&mut arguments).unwrap();
    let server = MODE.server_from(builder.listen("uiop://").unwrap());
    let policies = [taut::LifespanPolicy::Persistent.into()];
    let poa = server.poa.create_poa("P", None, &policies).unwrap();
    let echo = poa.create_reference("IDL:test/Echo:1.0").unwrap();
    let profiles = &echo.ior().profiles;
    assert_eq!(profiles[0].tag, tag::TAO_UIOP);
    assert_eq!(profiles[1].tag, tag::INTERNET_IOP);
}

#[test]
fn a_malformed_profile_is_not_used_and_costs_nothing_else() {
    let server = both();
    let echo = server.echo.as_object();
    let orb = Orb::builder()
        .settings(|settings| MODE.adjust(settings))
        .build()
        .unwrap();
    let uiop = echo.ior().profiles[1].data.clone();
    // Cut short, a path without its end, and one that no system takes.
    let mut endless = uiop.clone();
    endless[4..8].copy_from_slice(&[0xFF; 4]);
    for data in [Vec::new(), uiop[..9].to_vec(), endless] {
        let mut ior = echo.ior().clone();
        ior.profiles[1].data = data;
        let beside: EchoRef = orb
            .string_to_object(&ior.to_string())
            .unwrap()
            .unchecked_narrow();
        beside.ping().unwrap();
        ior.profiles.remove(0);
        let alone: EchoRef = orb
            .string_to_object(&ior.to_string())
            .unwrap()
            .unchecked_narrow();
        let error = alone.ping().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::InvObjref);
        // It goes on as it came.
        assert_eq!(alone.as_object().ior(), &ior);
    }
    for path in ["", &"x".repeat(10_000)] {
        let profile = UiopProfile {
            version: taut::Version::V1_2,
            path: path.to_owned(),
            object_key: b"key".to_vec(),
            components: Vec::new(),
        };
        let mut ior = echo.ior().clone();
        ior.profiles = vec![profile.to_profile().unwrap()];
        let nowhere: EchoRef = orb
            .string_to_object(&ior.to_string())
            .unwrap()
            .unchecked_narrow();
        let error = nowhere.ping().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Transient);
    }
}

#[test]
fn a_server_asks_for_its_profile_and_finds_the_key_in_it() {
    let server = MODE.server();
    let profile = &server.echo.as_object().ior().profiles[0];
    let target = TargetAddress::Profile {
        tag: profile.tag,
        data: &profile.data,
    };
    let mut out = taut::codegen::Encoder::new(taut::ByteOrder::Little);
    message::begin_message(&mut out, taut::Version::V1_2, MessageType::Request);
    let header = RequestHeader {
        request_id: 1,
        response: ResponseFlags::Expected,
        target,
        operation: b"ping",
        service_contexts: ServiceContexts::EMPTY,
    };
    header.encode(taut::Version::V1_2, &mut out).unwrap();
    message::finish_message(&mut out).unwrap();
    let mut raw = RawClient::connect(&server.orb);
    raw.send(out.as_bytes());
    let reply = raw.receive_reply(1);
    assert_eq!(reply.outcome().0, ReplyStatus::NoException);
}

//! The end of ORBs and of connections, and what happens to calls then.

mod deadlines;

use std::io::Write;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::common;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, PATIENCE, RawClient, Request, empty_reply};
use crate::common::wire::{self, Listening, Wire};
use crate::common::{Echo, EchoRef, Misbehaviour, eventually};
use taut::{
    Address, CompletionStatus, Orb, Reference, Settings, SystemException, SystemExceptionKind,
    Version, minor,
};
use taut_giop::message::MessageType;
use taut_sys::tcp::TcpListener;
use taut_sys::unix::UnixListener;

for_each_mode! {
    [tcp, unix, reactor, shared, spinning, unix_reactor, unix_shared] {
        shutdown_waits_for_the_calls_that_run_and_answers_them,
        a_servant_cannot_wait_for_its_own_end_but_can_begin_it,
        a_servant_may_deactivate_others_as_it_is_dropped,
        #[cfg(feature = "full")]
        shutdown_wakes_the_requests_that_a_holding_manager_keeps,
        a_call_that_close_connection_answers_is_sent_again,
        a_call_is_never_sent_again_when_it_may_have_been_executed,
        a_call_that_meets_a_connection_which_died_idle_goes_over_a_new_one,
        asking_where_an_object_is_survives_the_end_of_an_idle_connection_too,
        a_server_that_closes_says_so_and_waits_for_the_client,
        close_connection_and_message_error_have_the_version_of_the_connection,
        a_server_waits_for_clients_that_do_not_close_until_drain_timeout,
        reconnecting_clients_find_a_restarted_server,
        as_many_connections_as_allowed_and_no_more,
        a_call_ends_by_its_time_out_however_the_reply_trickles_in,
        connecting_to_a_server_that_accepts_nobody_ends_by_its_time_out,
    }
}

const SHUT_DOWN: SystemException =
    SystemException::omg(SystemExceptionKind::BadInvOrder, 4, CompletionStatus::No);

fn shutdown_waits_for_the_calls_that_run_and_answers_them(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let other = server.client();
    other.ping().unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let shutdown = scope.spawn(|| server.orb.shutdown(true));
        thread::sleep(Duration::from_millis(100));
        assert!(
            !shutdown.is_finished(),
            "shutdown did not wait for the running call"
        );
        server.release.send(()).unwrap();
        assert_eq!(call.join().unwrap(), Ok(()));
        shutdown.join().unwrap().unwrap();
    });
    // Run returns at once when all is over; the port is closed.
    server.orb.run();
    assert!(Wire::try_to(server.address()).is_err());
    for echo in [echo, other] {
        let refused = echo.ping().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.completed, CompletionStatus::No);
    }
    assert_eq!(server.echo.ping(), Err(SHUT_DOWN));
    assert!(server.orb.root_poa().is_err());
    assert_eq!(server.orb.shutdown(true), Ok(()));
}

fn a_servant_cannot_wait_for_its_own_end_but_can_begin_it(mode: Mode) {
    struct Ender(Orb);
    impl Echo for Ender {
        fn ping(&self) -> taut::Result<()> {
            let deadlock =
                SystemException::omg(SystemExceptionKind::BadInvOrder, 3, CompletionStatus::No);
            assert_eq!(self.0.shutdown(true), Err(deadlock));
            self.0.shutdown(false)
        }
    }
    let builder = Orb::builder().listen(mode.endpoint()).unwrap();
    let orb = builder
        .settings(|settings| mode.adjust(settings))
        .build()
        .unwrap();
    let echo = common::serve(&orb, &Arc::new(Ender(orb.clone())));
    mode.client(&echo.as_object().to_string()).ping().unwrap();
    orb.run();
}

/// A servant that owns the object of another, and may hold on to its ORB.
struct Owner {
    parts: Vec<(taut::Poa, taut::ObjectId)>,
    identity: Arc<()>,
    dropped: Sender<()>,
    _orb: Orb,
}

impl taut::Servant for Owner {
    fn interface(&self) -> &'static taut::codegen::Interface {
        <EchoRef as Reference>::INTERFACE
    }
    fn identity(&self) -> taut::ServantIdentity {
        taut::ServantIdentity::of(&self.identity)
    }
    fn dispatch(&self, request: &mut taut::codegen::ServerRequest<'_>) -> taut::Result<()> {
        request.implicit_operation(self.interface())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        for (poa, part) in &self.parts {
            // The shutdown may have deactivated it already.
            let _ = poa.deactivate_object(part);
        }
        self.dropped.send(()).unwrap();
    }
}

fn a_servant_may_deactivate_others_as_it_is_dropped(mode: Mode) {
    for by_shutdown in [false, true] {
        let server = mode.server();
        let (sender, dropped) = channel();
        let owner = |parts| Owner {
            parts,
            identity: Arc::default(),
            dropped: sender.clone(),
            _orb: server.orb.clone(),
        };
        let part = server.poa.activate_object(owner(Vec::new())).unwrap();
        let parts = vec![(server.poa.clone(), part.clone())];
        let whole = server.poa.activate_object(owner(parts)).unwrap();
        match by_shutdown {
            true => server.orb.shutdown(true).unwrap(),
            false => server.poa.deactivate_object(&whole).unwrap(),
        }
        for _ in 0..2 {
            dropped.recv_timeout(Duration::from_secs(10)).unwrap();
        }
        assert!(server.poa.id_to_servant(&part).is_err());
    }
}

#[cfg(feature = "full")]
fn shutdown_wakes_the_requests_that_a_holding_manager_keeps(mode: Mode) {
    let server = mode.server();
    server.poa.manager().hold_requests(false).unwrap();
    let echo = server.client();
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.ping());
        thread::sleep(Duration::from_millis(50));
        server.orb.shutdown(true).unwrap();
        let refused = call.join().unwrap().unwrap_err();
        assert_eq!(refused.completed, CompletionStatus::No, "{refused}");
    });
}

/// The octets to send to a client whose request has this id.
type Answer = fn(u32) -> Vec<u8>;

/// Accepts a connection and answers each request that it reads with the next
/// of `answers`, closing at the end. Returns how many requests it saw.
fn scripted(listener: &Listening, answers: &[Answer]) -> usize {
    let mut stream = listener.accept();
    for (number, answer) in answers.iter().enumerate() {
        let Ok(request) = Message::read(&mut stream) else {
            return number;
        };
        let answer = answer(request.request_id());
        stream.write_all(&answer).unwrap();
    }
    answers.len()
}

const CLOSE: Answer = |_| b"GIOP\x01\x02\x01\x05\0\0\0\0".to_vec();
const SILENCE: Answer = |_| Vec::new();

/// A LocateReply: OBJECT_HERE.
const HERE: Answer = |id| {
    let reply = [&b"GIOP\x01\x02\x01\x04\x08\0\0\0"[..], &id.to_le_bytes()];
    [reply.concat(), 1_u32.to_le_bytes().to_vec()].concat()
};

fn a_call_that_close_connection_answers_is_sent_again(mode: Mode) {
    let listener = mode.listening();
    thread::scope(|scope| {
        let script = scope.spawn(|| {
            let first = scripted(&listener, &[empty_reply, CLOSE]);
            (first, scripted(&listener, &[empty_reply]))
        });
        let echo = mode.client(&listener.url());
        assert_eq!(echo.ping(), Ok(()));
        assert_eq!(echo.ping(), Ok(()), "the second call was not sent again");
        assert_eq!(script.join().unwrap(), (2, 1));
    });
}

fn a_call_is_never_sent_again_when_it_may_have_been_executed(mode: Mode) {
    let listener = mode.listening();
    thread::scope(|scope| {
        let script = scope.spawn(|| scripted(&listener, &[empty_reply, SILENCE]));
        let echo = mode.client(&listener.url());
        assert_eq!(echo.ping(), Ok(()));
        let lost = echo.ping().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
        assert_eq!(lost.completed, CompletionStatus::Maybe);
        assert_eq!(script.join().unwrap(), 2);
        assert!(listener.is_deserted(), "the call was sent again");
    });
}

fn a_call_that_meets_a_connection_which_died_idle_goes_over_a_new_one(mode: Mode) {
    let listener = mode.listening();
    thread::scope(|scope| {
        // The server goes away between two calls without a word, as when it
        // crashes and starts anew.
        let script = scope.spawn(|| {
            (
                scripted(&listener, &[empty_reply]),
                scripted(&listener, &[empty_reply]),
            )
        });
        let echo = mode.client(&listener.url());
        assert_eq!(echo.ping(), Ok(()));
        thread::sleep(Duration::from_millis(100));
        assert_eq!(echo.ping(), Ok(()));
        assert_eq!(script.join().unwrap(), (1, 1));
    });
}

fn asking_where_an_object_is_survives_the_end_of_an_idle_connection_too(mode: Mode) {
    let listener = mode.listening();
    thread::scope(|scope| {
        scope.spawn(|| (scripted(&listener, &[HERE]), scripted(&listener, &[HERE])));
        let echo = mode.client(&listener.url());
        for _ in 0..2 {
            assert_eq!(echo.as_object().locate(), Ok(taut::Located::Here));
            thread::sleep(Duration::from_millis(100));
        }
    });
}

fn a_server_that_closes_says_so_and_waits_for_the_client(mode: Mode) {
    let server =
        mode.server_with(|settings| settings.server.drain_timeout = Duration::from_secs(60));
    let mut client = RawClient::connect(&server.orb);
    thread::sleep(Duration::from_millis(50));
    thread::scope(|scope| {
        let shutdown = scope.spawn(|| server.orb.shutdown(true));
        assert_eq!(client.receive_type(), Some(MessageType::CloseConnection));
        assert_eq!(client.receive(), None);
        thread::sleep(Duration::from_millis(50));
        assert!(!shutdown.is_finished(), "nobody waited for the client");
        drop(client);
        shutdown.join().unwrap().unwrap();
    });
}

/// CloseConnection used to be of GIOP 1.0 on every connection.
fn close_connection_and_message_error_have_the_version_of_the_connection(mode: Mode) {
    let server = mode.server();
    let ping = |version, id| {
        let request = Request {
            version,
            ..Request::new(id, "ping")
        };
        request.to(server.echo.as_object(), |_| ())
    };
    let connected = |requests: &[Version]| {
        let mut client = RawClient::connect(&server.orb);
        for (id, version) in (0..).zip(requests) {
            client.send(&ping(*version, id));
            client.receive_reply(id);
        }
        client
    };
    let (old, middle, new) = (Version::V1_0, Version::V1_1, Version::V1_2);
    // That which says nothing comes first: who answers the others has accepted it.
    let spoken: [&[_]; 7] = [
        &[],
        &[old],
        &[middle],
        &[new],
        &[new, new],
        &[old, middle],
        &[new, old],
    ];
    let expected = [old, old, middle, new, new, middle, new];
    for (requests, expected) in spoken.into_iter().zip(expected) {
        let mut client = connected(requests);
        client.send(b"GIOP\x01\x00\x00\x09\0\0\0\x01.");
        let error = client.receive().unwrap();
        let what = (error.message_type(), error.header.version);
        assert_eq!(what, (MessageType::MessageError, expected), "{requests:?}");
    }
    let mut clients = spoken.map(connected);
    thread::scope(|scope| {
        scope.spawn(|| server.orb.shutdown(true));
        for (client, expected) in clients.iter_mut().zip(expected) {
            let goodbye = client.receive().unwrap();
            let what = (goodbye.message_type(), goodbye.header.version);
            assert_eq!(what, (MessageType::CloseConnection, expected));
        }
        drop(clients);
    });
}

fn a_server_waits_for_clients_that_do_not_close_until_drain_timeout(mode: Mode) {
    let server =
        mode.server_with(|settings| settings.server.drain_timeout = Duration::from_millis(100));
    let mut client = RawClient::connect(&server.orb);
    thread::sleep(Duration::from_millis(50));
    thread::scope(|scope| {
        let shutdown = scope.spawn(|| server.orb.shutdown(true));
        assert_eq!(client.receive_type(), Some(MessageType::CloseConnection));
        eventually("the server's end", || shutdown.is_finished());
        shutdown.join().unwrap().unwrap();
    });
}

fn reconnecting_clients_find_a_restarted_server(mode: Mode) {
    let first = mode.server();
    let address = first.address().clone();
    first.orb.bind_object_key("Echo", first.echo.as_object());
    let echo = mode.client(&first.url("Echo"));
    echo.ping().unwrap();
    first.orb.shutdown(true).unwrap();
    assert!(echo.ping().is_err());

    let builder = Orb::builder().listen(&address.to_string()).unwrap();
    let second = mode.server_from(builder);
    second.orb.bind_object_key("Echo", second.echo.as_object());
    // The forward of the first server's life is dead; the plain key is not.
    echo.ping().unwrap();
}

/// Gives each call a connection of its own, as ORBs do that cannot share them.
#[cfg_attr(not(feature = "full"), expect(unused_variables))]
fn exclusive(settings: &mut Settings) {
    #[cfg(feature = "full")]
    {
        settings.client.connection_sharing = taut::ConnectionSharing::Exclusive;
    }
}

fn as_many_connections_as_allowed_and_no_more(mode: Mode) {
    let server = mode.server();
    let echo = mode.client_with(&server.ior(), |settings| {
        exclusive(settings);
        settings.client.max_connections_per_endpoint = 1;
        settings.client.connection_wait = Duration::from_millis(50);
    });
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv().unwrap();
        let refused = echo.ping();
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
        let (kind, minor) = (SystemExceptionKind::Transient, minor::CONNECTIONS_IN_USE);
        assert_eq!(
            refused,
            Err(SystemException::new(kind, minor, CompletionStatus::No))
        );
    });
    echo.ping().unwrap();
}

fn a_call_ends_by_its_time_out_however_the_reply_trickles_in(mode: Mode) {
    let timeout = Duration::from_millis(100);
    let listener = mode.listening();
    let echo = mode.client_with(&listener.url(), |settings| {
        exclusive(settings);
        settings.client.call_timeout = Some(timeout);
    });
    thread::scope(|scope| {
        scope.spawn(|| {
            // Silent; then an octet at a time, too slow to come to an end.
            let silent = listener.accept();
            let mut slow = listener.accept();
            for octet in empty_reply(0) {
                if slow.write_all(&[octet]).is_err() {
                    break;
                }
                thread::sleep(timeout / 4);
            }
            drop(silent);
            // In time, but not at once, and the connection is kept.
            let mut good = listener.accept();
            for _ in 0..2 {
                let request = Message::read(&mut good).unwrap();
                let reply = empty_reply(request.request_id());
                good.write_all(&reply[..10]).unwrap();
                thread::sleep(timeout / 4);
                good.write_all(&reply[10..]).unwrap();
            }
        });
        let (kind, minor) = (SystemExceptionKind::Timeout, minor::CALL_TIMED_OUT);
        let late = SystemException::new(kind, minor, CompletionStatus::Maybe);
        for _ in 0..2 {
            assert_eq!(echo.ping(), Err(late.clone()));
        }
        let patient = echo.with_call_timeout(PATIENCE);
        assert_eq!(patient.ping(), Ok(()));
        assert_eq!(patient.ping(), Ok(()));
    });
}

fn connecting_to_a_server_that_accepts_nobody_ends_by_its_time_out(mode: Mode) {
    // One connection more than the listener keeps for a server that accepts none.
    let full = Full::new(mode);
    let _waits = Wire::try_to(&full.address()).unwrap();
    let echo = mode.client_with(&wire::url(&full.address(), "1.2@", "key"), |settings| {
        settings.client.connect_timeout = Duration::from_millis(100);
    });
    let ended = echo.ping().unwrap_err();
    assert_eq!(ended.kind, SystemExceptionKind::Transient);
    assert_eq!(ended.completed, CompletionStatus::No);
}

/// A listener that keeps as few connections as can be.
enum Full {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Full {
    fn new(mode: Mode) -> Self {
        if mode.is_unix() {
            return Self::Unix(UnixListener::bind(&wire::unique_path(), 0o600, 0).unwrap());
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        listener.set_backlog(0).unwrap();
        Self::Tcp(listener)
    }

    fn address(&self) -> Address {
        match self {
            Self::Tcp(listener) => {
                Address::new("127.0.0.1", listener.local_address().unwrap().port())
            }
            Self::Unix(listener) => Address::unix(listener.path().to_str().unwrap()),
        }
    }
}

//! Times of calls by policies, wherever a peer stalls: each at each level.

use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use taut::policy::{
    ConnectTimeoutPolicy, ConnectionWaitPolicy, Policy, RelativeRequestTimeoutPolicy,
    RelativeRoundtripTimeoutPolicy, ReplyEndTimePolicy, ReplyStartTimePolicy, RequestEndTimePolicy,
    RequestStartTimePolicy,
};
use taut::{
    CompletionStatus, ConnectionSharing, Reference, Resolve, Resolver, SystemException,
    SystemExceptionKind, minor,
};
use taut_sys::tcp::{TcpListener, TcpStream};

use super::{LEVELS, Level, PATIENCE, TIME, with, witness};
use crate::common::mode::Mode;
use crate::common::raw::{Message, empty_reply};
use crate::common::wire::Wire;
use crate::common::{Echo, EchoRef, Misbehaviour, Server, orb_and_client};

const NOT_SENT: (CompletionStatus, u32) = (CompletionStatus::No, minor::NOT_SENT_IN_TIME);
const NOT_ANSWERED: (CompletionStatus, u32) = (CompletionStatus::Maybe, minor::CALL_TIMED_OUT);

/// A policy that ends a call, made when the call begins.
type Make = fn() -> Policy;

fn roundtrip() -> Policy {
    RelativeRoundtripTimeoutPolicy::from(TIME).into()
}

fn request() -> Policy {
    RelativeRequestTimeoutPolicy::from(TIME).into()
}

fn request_end() -> Policy {
    RequestEndTimePolicy(SystemTime::now() + TIME).into()
}

fn reply_end() -> Policy {
    ReplyEndTimePolicy(SystemTime::now() + TIME).into()
}

/// Checks that each of the policies ends a call so, at each level, and names itself.
fn each_ends(
    policies: &[Make],
    url: &str,
    (completed, minor): (CompletionStatus, u32),
    adjust: impl Fn(&mut taut::Settings),
) {
    let (orb, echo) = orb_and_client(url, |settings| adjust(settings));
    for make in policies {
        for level in LEVELS {
            let policy = make();
            let name = policy.name();
            let set = [(level, policy)];
            let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
            let expected = SystemException::new(SystemExceptionKind::Timeout, minor, completed);
            assert_eq!(exception, expected, "{name} at {level:?}: {exception}");
            let text = exception.to_string();
            let at = format!("{text} ({name} at {level:?})");
            let named = match (name, level) {
                ("RelativeRoundtripTimeoutPolicy", Level::Reference) => "with_call_timeout",
                ("RelativeRoundtripTimeoutPolicy", Level::Call) => "with_timeout",
                (name, _) => name,
            };
            assert!(text.contains(&format!("the limit is {named} = ")), "{at}");
        }
    }
}

/// Accepts connections and answers nothing, until `calls` returns.
fn with_silent_peer(calls: impl FnOnce(&str)) {
    let listener = Mode::tcp().listening();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut wires = Vec::new();
            loop {
                let mut wire = listener.accept();
                if Message::read(&mut wire).is_err() {
                    break;
                }
                wires.push(wire);
            }
        });
        calls(&listener.url());
        // A connection on which nothing comes is the last.
        drop(Wire::try_to(&listener.address()));
    });
}

#[test]
fn a_reply_that_does_not_come_ends_calls_by_the_time_of_the_reply() {
    with_silent_peer(|url| each_ends(&[roundtrip, reply_end], url, NOT_ANSWERED, |_| ()));
}

#[test]
fn a_reply_that_does_not_come_over_a_shared_connection_ends_calls_too() {
    with_silent_peer(|url| {
        each_ends(&[roundtrip, reply_end], url, NOT_ANSWERED, |settings| {
            settings.client.connection_sharing = taut::ConnectionSharing::Shared;
        });
    });
}

/// A listener whose backlog is full, and the connection that fills it.
fn full() -> (TcpListener, TcpStream) {
    let listener = TcpListener::bind((IpAddr::from([127, 0, 0, 1]), 0).into()).unwrap();
    listener.set_backlog(0).unwrap();
    let address = listener.local_address().unwrap();
    let waits = TcpStream::connect(address, Some(PATIENCE)).unwrap();
    (listener, waits)
}

fn url_of(listener: &TcpListener) -> String {
    let port = listener.local_address().unwrap().port();
    format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key")
}

#[test]
fn a_server_that_does_not_accept_ends_calls_by_every_time() {
    let (listener, _waits) = full();
    let all: &[Make] = &[roundtrip, request, request_end, reply_end];
    each_ends(all, &url_of(&listener), NOT_SENT, |_| ());
}

/// A name service that answers only once the sender has been dropped.
#[derive(Debug)]
struct SilentNames(Mutex<std::sync::mpsc::Receiver<()>>);

impl Resolve for SilentNames {
    fn resolve(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        let _ = self.0.lock().recv();
        Ok(Vec::new())
    }
}

fn silent_names() -> (Resolver, Sender<()>) {
    let (sender, until) = channel();
    (Resolver::new(SilentNames(Mutex::new(until))), sender)
}

#[test]
fn a_name_service_without_an_answer_ends_calls_by_every_time() {
    let (resolver, _silent) = silent_names();
    let all: &[Make] = &[roundtrip, request, request_end, reply_end];
    each_ends(all, "corbaloc:iiop:1.2@host:7/key", NOT_SENT, |settings| {
        settings.client.resolver = resolver.clone();
    });
}

#[test]
fn a_forward_to_a_server_that_does_not_accept_ends_calls_too() {
    let (listener, _waits) = full();
    let server = Server::start();
    let deserted = crate::common::client(&url_of(&listener));
    server.orb.bind_object_key("Deserted", deserted.as_object());
    let all: &[Make] = &[roundtrip, request, request_end, reply_end];
    each_ends(all, &server.url("Deserted"), NOT_SENT, |_| ());
}

#[test]
fn a_peer_that_takes_no_more_ends_a_request_by_its_own_time() {
    let listener = Mode::tcp().listening();
    // Far more than the system keeps of it.
    let octets = vec![7_u8; 32 << 20];
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        scope.spawn(|| {
            let is_done = is_done;
            let wires: Vec<_> = (0..2).map(|_| listener.accept()).collect();
            let _ = is_done.recv();
            drop(wires);
        });
        let (orb, echo) = orb_and_client(&listener.url(), |_| ());
        for make in [request, request_end] as [Make; 2] {
            let exception = with(&[(Level::Thread, make())], &orb, &echo, |echo| {
                let take =
                    |out: &mut taut::codegen::Encoder| taut::codegen::Encode::encode(&octets, out);
                echo.as_object().invoke("take", take).unwrap_err()
            });
            assert_eq!(
                (exception.completed, exception.minor),
                NOT_SENT,
                "{exception}"
            );
        }
        drop(done);
    });
}

#[test]
fn a_request_that_has_left_in_time_may_be_answered_later() {
    for is_shared in [false, true] {
        let server = Server::start();
        let (orb, echo) = orb_and_client(&server.ior(), |settings| {
            if is_shared {
                settings.client.connection_sharing = taut::ConnectionSharing::Shared;
            }
        });
        echo.ping().unwrap();
        for level in LEVELS {
            let time = Duration::from_secs(10);
            let in_time: Policy = RelativeRequestTimeoutPolicy::from(time).into();
            thread::scope(|scope| {
                let (orb, echo) = (&orb, &echo);
                let call = scope.spawn(move || {
                    with(&[(level, in_time)], orb, echo, |echo| {
                        echo.misbehave(Misbehaviour::Blocks)
                    })
                });
                server.entered.recv_timeout(PATIENCE).unwrap();
                server.release.send(()).unwrap();
                call.join().unwrap().unwrap();
            });
        }
    }
    // And one whose time has ended while the servant had it.
    with_answer_after(TIME * 2, |url| {
        let (orb, echo) = orb_and_client(url, |_| ());
        let long = RelativeRequestTimeoutPolicy::from(TIME).into();
        // The request may be late on a busy machine; then nothing has been sent.
        match with(&[(Level::Reference, long)], &orb, &echo, EchoRef::ping) {
            Ok(()) => {}
            Err(late) => assert_eq!((late.completed, late.minor), NOT_SENT, "{late}"),
        }
    });
}

/// Answers each request after a time.
fn with_answer_after(time: Duration, calls: impl FnOnce(&str)) {
    let listener = Mode::tcp().listening();
    thread::scope(|scope| {
        scope.spawn(|| {
            while let Ok(request) = {
                let mut wire = listener.accept();
                let request = Message::read(&mut wire);
                if let Ok(request) = &request {
                    thread::sleep(time);
                    let _ =
                        std::io::Write::write_all(&mut wire, &empty_reply(request.request_id()));
                }
                request
            } {
                drop(request);
            }
        });
        calls(&listener.url());
        drop(Wire::try_to(&listener.address()));
    });
}

#[test]
fn connecting_ends_by_its_own_time_and_the_call_may_go_elsewhere() {
    let (listener, _waits) = full();
    let (orb, echo) = orb_and_client(&url_of(&listener), |settings| {
        settings.client.connect_timeout = PATIENCE;
    });
    for level in LEVELS {
        let set = [(level, ConnectTimeoutPolicy(TIME).into())];
        let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
        assert_eq!(
            exception.kind,
            SystemExceptionKind::Transient,
            "{exception}"
        );
        assert_eq!(exception.minor, minor::CONNECT_FAILED, "{exception}");
        assert!(
            exception.to_string().contains("timed out after"),
            "{exception}"
        );
    }
    let server = Server::start();
    server.orb.bind_object_key("key", server.echo.as_object());
    let port = listener.local_address().unwrap().port();
    let there = server.port();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port},iiop:1.2@127.0.0.1:{there}/key");
    let (orb, echo) = orb_and_client(&url, |settings| {
        settings.client.connect_timeout = PATIENCE;
    });
    let set = [(Level::Orb, ConnectTimeoutPolicy(TIME).into())];
    with(&set, &orb, &echo, |echo| echo.ping()).unwrap();
}

#[test]
fn a_call_waits_for_connections_of_others_as_long_as_its_policy_says() {
    for (sharing, end) in [
        (ConnectionSharing::Exclusive, minor::CONNECTIONS_IN_USE),
        (ConnectionSharing::Shared, minor::REQUESTS_IN_FLIGHT),
    ] {
        a_call_waits_for_others(sharing, end);
    }
}

fn a_call_waits_for_others(sharing: ConnectionSharing, end: u32) {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |settings| {
        settings.client.connection_sharing = sharing;
        settings.client.max_connections_per_endpoint = 1;
        settings.client.max_requests_in_flight = 1;
        settings.client.connection_wait = PATIENCE;
    });
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv_timeout(PATIENCE).unwrap();
        for level in LEVELS {
            let set = [(level, ConnectionWaitPolicy(TIME).into())];
            let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
            assert_eq!(exception.minor, end, "{exception}");
        }
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
}

#[test]
fn a_request_is_not_sent_and_a_reply_not_given_before_its_time() {
    let server = Server::start();
    let (witness, echo) = witness(&server.orb);
    let (orb, remote) = orb_and_client(&echo.as_object().to_string(), |_| ());
    {
        let (orb, echo) = (&orb, &remote);
        for level in LEVELS {
            let start = SystemTime::now() + TIME;
            let set = [(level, RequestStartTimePolicy(start).into())];
            with(&set, orb, echo, |echo| echo.ping()).unwrap();
            assert!(witness.seen().unwrap().time >= start, "{level:?}");
            let start = SystemTime::now() + TIME;
            let set = [(level, ReplyStartTimePolicy(start).into())];
            with(&set, orb, echo, |echo| echo.ping()).unwrap();
            assert!(SystemTime::now() >= start, "{level:?}");
            assert!(witness.seen().is_some());
        }
        // There is no time for either.
        let far = SystemTime::now() + PATIENCE;
        let too_late = [
            (Level::Reference, RequestStartTimePolicy(far).into()),
            (Level::Thread, request()),
        ];
        let exception = with(&too_late, orb, echo, |echo| echo.ping().unwrap_err());
        assert_eq!(
            (exception.completed, exception.minor),
            NOT_SENT,
            "{exception}"
        );
        assert!(witness.seen().is_none());
        let soon = RelativeRoundtripTimeoutPolicy::from(PATIENCE / 2).into();
        let too_late = [
            (Level::Reference, ReplyStartTimePolicy(far).into()),
            (Level::Thread, soon),
        ];
        let exception = with(&too_late, orb, echo, |echo| echo.ping().unwrap_err());
        let end = (exception.completed, exception.minor);
        assert_eq!(
            end,
            (CompletionStatus::Yes, minor::CALL_TIMED_OUT),
            "{exception}"
        );
        assert!(witness.seen().is_some());
    }
}

#[test]
fn the_end_of_an_orb_ends_calls_that_wait_for_their_time() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let far = SystemTime::now() + Duration::from_secs(86_400);
    let policy = RequestStartTimePolicy(far).into();
    let how = taut::policy::SetOverrideType::Add;
    let object = echo.as_object().set_policy_overrides(&[policy], how);
    let object = object.unwrap();
    crate::common::ends("the call", move || {
        thread::scope(|scope| {
            let call = scope.spawn(|| object.invoke("ping", |_| Ok(())).map(drop));
            // Whether it waits already or not, it ends.
            orb.shutdown(true).unwrap();
            let exception = call.join().unwrap().unwrap_err();
            assert_eq!(
                exception.kind,
                SystemExceptionKind::BadInvOrder,
                "{exception}"
            );
        });
    });
}

#[test]
fn a_nearer_time_replaces_a_farther_one_even_if_it_is_longer() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let none = Duration::ZERO;
    let time = |time| Policy::from(RelativeRoundtripTimeoutPolicy::from(time));
    for (place, nearer) in LEVELS.into_iter().enumerate().skip(1) {
        let farther = LEVELS[place - 1];
        let over = [(farther, time(none))];
        let exception = with(&over, &orb, &echo, |echo| echo.ping().unwrap_err());
        assert_eq!(exception.kind, SystemExceptionKind::Timeout, "{farther:?}");
        let both = [(farther, time(none)), (nearer, time(PATIENCE))];
        with(&both, &orb, &echo, |echo| echo.ping()).unwrap();
        let unlimited = Policy::from(RelativeRoundtripTimeoutPolicy(None));
        let both = [(farther, time(none)), (nearer, unlimited)];
        with(&both, &orb, &echo, |echo| echo.ping()).unwrap();
        let over = [(farther, time(PATIENCE)), (nearer, time(none))];
        with(&over, &orb, &echo, |echo| echo.ping()).unwrap_err();
    }
    echo.ping().unwrap();
}

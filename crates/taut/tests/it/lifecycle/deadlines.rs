//! Deadlines of calls: each ends with its own, wherever it stalls, and leaves nothing
//! behind for the next.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use taut::{
    CallContext, CompletionStatus, ObjectRef, Reference, SyncScope, SystemException,
    SystemExceptionKind, deadline, minor,
};
use taut_cdr::Encode;
use taut_giop::message::ReplyStatus;

use super::Full;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{Message, empty_reply, reply};
use crate::common::wire::{self, Listening, Wire};
use crate::common::{Echo, EchoRef, Misbehaviour};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning, unix_reactor, unix_shared] {
        a_call_ends_by_its_deadline_where_nobody_accepts,
        a_call_ends_by_its_deadline_where_nobody_answers,
        a_call_ends_by_its_deadline_with_half_a_reply,
        octets_that_dribble_do_not_put_a_deadline_off,
        a_request_that_the_peer_does_not_take_ends_by_its_deadline,
        a_call_ends_by_its_deadline_behind_a_forward_to_a_server_that_stalls,
        forwards_round_and_round_end_by_the_deadline_of_the_call,
        a_call_ends_by_its_deadline_where_it_waits_for_others,
        a_deadline_is_that_of_its_own_call_alone,
        calls_with_and_without_a_deadline_wait_side_by_side,
        all_calls_of_a_part_of_a_program_share_its_time,
        a_call_whose_time_is_over_is_not_sent,
        a_reference_with_a_deadline_knows_where_its_object_was_found,
        a_deadline_far_away_changes_nothing,
    }
}

/// The time of a call that stalls.
const TIME: Duration = Duration::from_millis(200);

/// Far more than anything takes, for the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The end of a call that was not sent in time.
const NOT_SENT: (CompletionStatus, u32) = (CompletionStatus::No, minor::NOT_SENT_IN_TIME);

/// The end of a call that was not answered in time.
const NOT_ANSWERED: (CompletionStatus, u32) = (CompletionStatus::Maybe, minor::CALL_TIMED_OUT);

/// Checks that a call ends as late as its deadline lets it, and in this way.
fn ends_late<T: std::fmt::Debug>(
    (completed, minor): (CompletionStatus, u32),
    call: impl FnOnce() -> Result<T, SystemException>,
) {
    let start = Instant::now();
    let exception = call().unwrap_err();
    let expected = SystemException::new(SystemExceptionKind::Timeout, minor, completed);
    assert_eq!(exception, expected, "{exception}");
    assert!(start.elapsed() < PATIENCE);
}

/// Checks that each way of giving a call a deadline ends it.
fn each_way_ends_late(mode: Mode, end: (CompletionStatus, u32), url: &str) {
    let of_orb = mode.client_with(url, |settings| settings.client.call_timeout = Some(TIME));
    ends_late(end, || of_orb.ping());
    let echo = mode.client(url);
    ends_late(end, || echo.with_call_timeout(TIME).ping());
    ends_late(end, || deadline::within(TIME, || echo.ping()));
    let context = CallContext::new().with_timeout(TIME);
    ends_late(end, || {
        echo.as_object().invoke_with(&context, "ping", |_| Ok(()))
    });
    ends_late(end, || echo.with_call_timeout(TIME).as_object().locate());
}

fn hasty(mode: Mode, url: &str) -> EchoRef {
    mode.client(url).with_call_timeout(TIME)
}

/// Accepts connections, each of which `serve` has for itself, until `calls` returns.
fn with_peer(
    listener: &Listening,
    serve: impl Fn(&mut Wire) -> std::io::Result<()> + Sync,
    calls: impl FnOnce(),
) {
    thread::scope(|scope| {
        let serve = &serve;
        scope.spawn(move || {
            thread::scope(|scope| {
                loop {
                    let mut wire = listener.accept();
                    if Message::read(&mut wire).is_err() {
                        break;
                    }
                    // It has read the first request.
                    scope.spawn(move || serve(&mut wire));
                }
            });
        });
        calls();
        // A connection on which nothing comes is the last.
        drop(Wire::try_to(&listener.address()));
    });
}

/// Keeps a connection until the peer closes it.
fn hold(wire: &mut Wire) -> std::io::Result<()> {
    std::io::copy(wire, &mut std::io::sink()).map(drop)
}

fn a_call_ends_by_its_deadline_where_nobody_accepts(mode: Mode) {
    let full = Full::new(mode);
    let _waits = Wire::try_to(&full.address()).unwrap();
    each_way_ends_late(mode, NOT_SENT, &wire::url(&full.address(), "1.2@", "key"));
}

fn a_call_ends_by_its_deadline_where_nobody_answers(mode: Mode) {
    let listener = mode.listening();
    with_peer(&listener, hold, || {
        each_way_ends_late(mode, NOT_ANSWERED, &listener.url());
        let waits = hasty(mode, &listener.url()).with_sync_scope(SyncScope::WithServer);
        ends_late(NOT_ANSWERED, || waits.note("oneway"));
        let context = CallContext::new()
            .with_timeout(TIME)
            .with_sync_scope(SyncScope::WithTarget);
        let object = waits.as_object();
        ends_late(NOT_ANSWERED, || {
            object.invoke_oneway_with(&context, "note", |out| "oneway".encode(out))
        });
    });
}

fn a_call_ends_by_its_deadline_with_half_a_reply(mode: Mode) {
    let listener = mode.listening();
    let answer = |wire: &mut Wire| {
        let reply = empty_reply(0);
        wire.write_all(&reply[..reply.len() / 2])?;
        hold(wire)
    };
    with_peer(&listener, answer, || {
        ends_late(NOT_ANSWERED, || hasty(mode, &listener.url()).ping());
    });
}

fn octets_that_dribble_do_not_put_a_deadline_off(mode: Mode) {
    let listener = mode.listening();
    let answer = |wire: &mut Wire| {
        for octet in empty_reply(0).into_iter().cycle() {
            wire.write_all(&[octet])?;
            thread::sleep(TIME / 4);
        }
        Ok(())
    };
    with_peer(&listener, answer, || {
        ends_late(NOT_ANSWERED, || hasty(mode, &listener.url()).ping());
    });
}

fn a_request_that_the_peer_does_not_take_ends_by_its_deadline(mode: Mode) {
    let listener = mode.listening();
    // Far more than the system keeps of it.
    let octets = vec![7_u8; 32 << 20];
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        scope.spawn(|| {
            let is_done = is_done;
            // It reads nothing.
            let wires: Vec<_> = (0..2).map(|_| listener.accept()).collect();
            let _ = is_done.recv();
            drop(wires);
        });
        let object = hasty(mode, &listener.url());
        let object = object.as_object();
        ends_late(NOT_SENT, || object.invoke("take", |out| octets.encode(out)));
        ends_late(NOT_SENT, || {
            object.invoke_oneway("take", |out| octets.encode(out))
        });
        drop(done);
    });
}

fn a_call_ends_by_its_deadline_behind_a_forward_to_a_server_that_stalls(mode: Mode) {
    let (listener, full) = (mode.listening(), Full::new(mode));
    let _waits = Wire::try_to(&full.address()).unwrap();
    let server = mode.server();
    let silent = mode.client(&listener.url());
    server.orb.bind_object_key("Silent", silent.as_object());
    let deserted = mode.client(&wire::url(&full.address(), "1.2@", "key"));
    server.orb.bind_object_key("Deserted", deserted.as_object());
    with_peer(&listener, hold, || {
        ends_late(NOT_ANSWERED, || hasty(mode, &server.url("Silent")).ping());
        ends_late(NOT_SENT, || hasty(mode, &server.url("Deserted")).ping());
    });
}

fn forwards_round_and_round_end_by_the_deadline_of_the_call(mode: Mode) {
    let listener = mode.listening();
    let there = mode.client(&listener.url());
    let ior = there.as_object().ior().clone();
    let forward = |wire: &mut Wire| {
        for id in (0..).step_by(2) {
            thread::sleep(TIME / 10);
            wire.write_all(&reply(id, ReplyStatus::LocationForward, |out| {
                ior.encode(out).unwrap();
            }))?;
            Message::read(wire)?;
        }
        Ok(())
    };
    with_peer(&listener, forward, || {
        let echo = mode.client_with(&listener.url(), |settings| {
            settings.client.max_forwards = usize::MAX
        });
        let echo = echo.with_call_timeout(TIME);
        // It may have waited for a reply then, or have been about to send.
        let end = echo.ping().unwrap_err();
        assert_eq!(end.kind, SystemExceptionKind::Timeout, "{end}");
    });
}

fn a_call_ends_by_its_deadline_where_it_waits_for_others(mode: Mode) {
    let server = mode.server();
    let echo = mode.client_with(&server.ior(), |settings| {
        settings.client.max_connections_per_endpoint = 1;
        #[cfg(feature = "full")]
        {
            settings.client.max_requests_in_flight = 1;
        }
    });
    thread::scope(|scope| {
        let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
        server.entered.recv_timeout(PATIENCE).unwrap();
        ends_late(NOT_SENT, || echo.with_call_timeout(TIME).ping());
        server.release.send(()).unwrap();
        call.join().unwrap().unwrap();
    });
    echo.with_call_timeout(PATIENCE).ping().unwrap();
}

fn a_deadline_is_that_of_its_own_call_alone(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let hasty = echo.with_call_timeout(TIME);
    echo.with_call_timeout(PATIENCE).ping().unwrap();
    let slow = |echo: &EchoRef| {
        thread::scope(|scope| {
            let call = scope.spawn(|| echo.misbehave(Misbehaviour::Blocks));
            server.entered.recv_timeout(PATIENCE).unwrap();
            thread::sleep(TIME + TIME / 2);
            server.release.send(()).unwrap();
            call.join().unwrap()
        })
    };
    // Over the connection of the call that was in a hurry.
    slow(&echo).unwrap();
    ends_late(NOT_ANSWERED, || slow(&hasty));
    slow(&hasty.with_call_timeout(None)).unwrap();
    echo.ping().unwrap();
}

fn calls_with_and_without_a_deadline_wait_side_by_side(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    echo.ping().unwrap();
    let hasty = echo.with_call_timeout(TIME);
    for first_is_hasty in [true, false] {
        thread::scope(|scope| {
            let begin = |echo: &EchoRef| {
                let echo = echo.clone();
                let call = scope.spawn(move || echo.misbehave(Misbehaviour::Blocks));
                server.entered.recv_timeout(PATIENCE).unwrap();
                call
            };
            let (late, patient) = match first_is_hasty {
                true => (begin(&hasty), begin(&echo)),
                false => {
                    let patient = begin(&echo);
                    (begin(&hasty), patient)
                }
            };
            ends_late(NOT_ANSWERED, || late.join().unwrap());
            for _ in 0..2 {
                server.release.send(()).unwrap();
            }
            patient.join().unwrap().unwrap();
        });
    }
    echo.ping().unwrap();
    hasty.with_call_timeout(PATIENCE).ping().unwrap();
}

fn all_calls_of_a_part_of_a_program_share_its_time(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    let (calls, end) = deadline::within(TIME, || {
        let mut calls = 0;
        loop {
            match echo.ping() {
                Ok(()) => calls += 1,
                Err(exception) => break (calls, exception),
            }
            thread::sleep(TIME / 20);
        }
    });
    assert_eq!(end.kind, SystemExceptionKind::Timeout, "{end}");
    assert!(calls <= 21);
    echo.ping().unwrap();
}

fn a_call_whose_time_is_over_is_not_sent(mode: Mode) {
    let server = mode.server();
    let echo = server.client();
    echo.ping().unwrap();
    let notes = || server.servant.notes.load(Ordering::SeqCst);
    deadline::within(Duration::ZERO, || {
        ends_late(NOT_SENT, || echo.ping());
        ends_late(NOT_SENT, || echo.note("too late"));
    });
    ends_late(NOT_SENT, || {
        echo.with_call_timeout(Duration::ZERO).note("too late")
    });
    echo.ping().unwrap();
    assert_eq!(notes(), 0);
}

fn a_reference_with_a_deadline_knows_where_its_object_was_found(mode: Mode) {
    let (forwarder, server) = (mode.server(), mode.server());
    let target = server.client();
    forwarder.orb.bind_object_key("Moved", target.as_object());
    let echo = mode.client(&forwarder.url("Moved"));
    echo.ping().unwrap();
    forwarder.orb.shutdown(true).unwrap();
    let hasty = echo.with_call_timeout(PATIENCE);
    hasty.ping().unwrap();
    assert_eq!(hasty, echo);
    let object: &ObjectRef = hasty.as_object();
    assert_eq!(object.call_timeout(), Some(PATIENCE));
    let other = object.with_sync_scope(SyncScope::WithServer);
    assert_eq!(other.call_timeout(), Some(PATIENCE));
    assert_eq!(object.with_call_timeout(None).call_timeout(), None);
}

fn a_deadline_far_away_changes_nothing(mode: Mode) {
    let server = mode.server();
    let far = [Duration::MAX, Duration::from_secs(1 << 40)];
    for far in far {
        let echo = server.client().with_call_timeout(far);
        assert_eq!(echo.echo("hello").unwrap(), "hello");
        echo.note("oneway").unwrap();
        deadline::within(far, || echo.ping()).unwrap();
    }
}

//! The answers themselves: each kind, in any order, to any version.

use std::thread;

use taut::{
    CallContext, CompletionStatus, Current, Reference as _, RequestContext, SystemException,
    SystemExceptionKind, Version, minor,
};
use taut_cdr::{Decode, Encode};
use taut_giop::message::{ReplyStatus, ResponseFlags};

use super::{Desk, KEPT, PATIENCE};
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{RawClient, Request, read_pieces};
use crate::common::{Echo, EchoError, Refused};

for_each_mode! {
    [tcp, unix, reactor, unix_reactor, shared, spinning] {
        each_kind_of_answer_reaches_the_caller,
        a_dropped_responder_answers_unknown,
        a_oneway_can_be_deferred_and_is_never_answered,
        answers_come_in_any_order_and_in_the_version_of_their_requests,
        an_id_may_be_used_again_behind_its_answer,
        an_id_may_be_used_again_while_the_upcalls_of_its_oneways_go_on,
        an_id_may_be_used_again_behind_its_answer_while_its_upcall_goes_on,
        large_answers_come_whole_from_many_threads,
        service_contexts_and_the_object_are_those_of_the_request,
        a_value_that_cannot_be_written_is_an_exception,
    }
}

fn each_kind_of_answer_reaches_the_caller(mode: Mode) {
    let desk = Desk::new(mode);
    let client = desk.client();
    thread::scope(|scope| {
        let call = |text: &'static str| {
            let client = client.clone();
            scope.spawn(move || client.echo(text))
        };
        let called = call("result");
        let asked = desk.next();
        assert_eq!(asked.request.operation(), b"echo");
        assert!(asked.request.is_reply_expected() && !asked.request.is_cancelled());
        assert!(!called.is_finished());
        asked.reply();
        assert_eq!(called.join().unwrap().unwrap(), "result");

        let called = call("user exception");
        let why = "later".to_owned();
        desk.next().request.raise(&Refused { why });
        let error = called.join().unwrap().unwrap_err();
        assert!(matches!(error, EchoError::Refused(refused) if refused.why == "later"));

        let called = call("system exception");
        let kind = SystemExceptionKind::NoPermission;
        let exception = SystemException::new(kind, 5, CompletionStatus::No);
        desk.next().request.system_exception(exception);
        let error = called.join().unwrap().unwrap_err();
        let EchoError::System(error) = error else {
            panic!("{error:?}");
        };
        assert_eq!((error.kind, error.minor), (kind, 5));
        assert_eq!(error.completed, CompletionStatus::No);
    });
}

fn a_dropped_responder_answers_unknown(mode: Mode) {
    let desk = Desk::new(mode);
    let client = desk.client();
    for _ in 0..2 {
        thread::scope(|scope| {
            let called = scope.spawn(|| client.ping());
            drop(desk.next());
            let error = called.join().unwrap().unwrap_err();
            assert_eq!(error.kind, SystemExceptionKind::Unknown);
            assert_eq!(error.minor, minor::RESPONDER_DROPPED);
            assert_eq!(error.completed, CompletionStatus::Maybe);
        });
    }
}

fn a_oneway_can_be_deferred_and_is_never_answered(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let note = Request {
        response: ResponseFlags::None,
        ..Request::new(1, "note")
    };
    let target = desk.echo.as_object();
    client.send(&note.to(target, |out| "noted".encode(out).unwrap()));
    let asked = desk.next();
    assert!(!asked.request.is_reply_expected());
    assert_eq!(asked.text, "noted");
    asked.reply();
    // Its id may be used again at once.
    for _ in 0..100 {
        client.send(&note.to(target, |out| "dropped".encode(out).unwrap()));
        drop(desk.next());
    }
    client.send(&Request::new(2, "ping").to(target, |_| ()));
    desk.next().request.reply(|_| Ok(()));
    client.receive_reply(2);
}

fn answers_come_in_any_order_and_in_the_version_of_their_requests(mode: Mode) {
    let desk = Desk::new(mode);
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let mut client = RawClient::connect(&desk.orb);
        let mut messages = Vec::new();
        for id in 0..50 {
            let request = Request {
                version,
                ..Request::new(id, "echo")
            };
            let text = format!("text {id}");
            let target = desk.echo.as_object();
            messages.extend(request.to(target, |out| text.encode(out).unwrap()));
        }
        client.send(&messages);
        let mut asked: Vec<_> = (0..50).map(|_| desk.next()).collect();
        // Every second one first, and by two threads.
        let (even, odd): (Vec<_>, Vec<_>) = asked
            .drain(..)
            .rev()
            .enumerate()
            .partition(|(place, _)| place % 2 == 0);
        thread::scope(|scope| {
            scope.spawn(|| even.into_iter().for_each(|(_, asked)| asked.reply()));
            scope.spawn(|| odd.into_iter().for_each(|(_, asked)| asked.reply()));
        });
        let mut ids: Vec<_> = (0..50)
            .map(|_| {
                let reply = client.receive().unwrap();
                assert_eq!(reply.header.version, version);
                let id = reply.request_id();
                let (status, mut results) = reply.outcome();
                assert_eq!(status, ReplyStatus::NoException);
                let text = String::decode(&mut results).unwrap();
                assert_eq!(text, format!("text {id}"));
                id
            })
            .collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..50));
    }
}

fn an_id_may_be_used_again_behind_its_answer(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let ping = Request::new(7, "ping").to(desk.echo.as_object(), |_| ());
    for _ in 0..200 {
        client.send(&ping);
        desk.next().request.reply(|_| Ok(()));
        client.receive_reply(7);
    }
}

/// The end of one oneway's up-call made the id of another, whose up-call went on, that of a
/// request under way: the next oneway with it cost the client its connection.
fn an_id_may_be_used_again_while_the_upcalls_of_its_oneways_go_on(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let target = desk.echo.as_object();
    let note = |text: &str| {
        let request = Request {
            response: ResponseFlags::None,
            ..Request::new(1, "note")
        };
        request.to(target, |out| text.encode(out).unwrap())
    };
    let kept = desk.keeps.lock();
    client.send(&note(KEPT));
    desk.next().reply();
    for _ in 0..20 {
        client.send(&note("short"));
        desk.next().reply();
    }
    drop(kept);
    client.send(&note("last"));
    assert_eq!(desk.next().text, "last");
}

fn an_id_may_be_used_again_behind_its_answer_while_its_upcall_goes_on(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let target = desk.echo.as_object();
    let echo =
        |id, text: &str| Request::new(id, "echo").to(target, |out| text.encode(out).unwrap());
    let kept = desk.keeps.lock();
    client.send(&echo(7, KEPT));
    desk.next().reply();
    client.receive_reply(7);
    for _ in 0..20 {
        client.send(&echo(7, "short"));
        desk.next().reply();
        client.receive_reply(7);
    }
    // One that has been answered at once.
    client.send(&Request::new(7, "_is_a").to(target, |out| "IDL:x:1.0".encode(out).unwrap()));
    client.receive_reply(7);
    client.send(&echo(7, KEPT));
    desk.next().reply();
    client.receive_reply(7);
    drop(kept);
    client.send(&echo(7, "last"));
    desk.next().reply();
    client.receive_reply(7);
}

fn large_answers_come_whole_from_many_threads(mode: Mode) {
    let desk = Desk::with(mode, |settings| settings.wire.fragment_size = 64 * 1024);
    let mut client = RawClient::connect(&desk.orb);
    let ping = |id| {
        Request::new(id, "echo").to(desk.echo.as_object(), |out| {
            "".encode(out).unwrap();
        })
    };
    let size = 1_000_000;
    for id in 0..8 {
        client.send(&ping(id));
    }
    let asked: Vec<_> = (0..8).map(|_| desk.next()).collect();
    thread::scope(|scope| {
        for (number, asked) in asked.into_iter().enumerate() {
            scope.spawn(move || {
                let octets = vec![number as u8; size];
                asked.request.reply(|out| octets.encode(out));
            });
        }
        // Fragments of several replies may alternate.
        let mut received = std::collections::HashMap::<u32, usize>::new();
        let mut complete = 0;
        while complete < 8 {
            let piece = client.receive().unwrap();
            *received.entry(piece.request_id()).or_default() += piece.octets.len();
            complete += usize::from(!piece.header.more_fragments);
        }
        assert_eq!(received.len(), 8);
        assert!(received.values().all(|octets| *octets > size));
    });
    client.send(&ping(100));
    desk.next().reply();
    assert_eq!(read_pieces(&mut client.stream).len(), 1);
}

const CONTEXT: u32 = 0x4d59_0001;

fn service_contexts_and_the_object_are_those_of_the_request(mode: Mode) {
    let desk = Desk::new(mode);
    let client = desk.client();
    thread::scope(|scope| {
        let called = scope.spawn(|| {
            let context = CallContext::new().with_service_context(CONTEXT, b"asked");
            let text = context.within(|| client.echo("with context")).unwrap();
            (text, context.reply_service_context(CONTEXT))
        });
        let mut asked = desk.next();
        let request = &mut asked.request;
        assert_eq!(request.service_context(CONTEXT), Some(&b"asked"[..]));
        assert!(!request.service_contexts().is_empty());
        assert!(!request.peer().is_empty());
        assert_eq!(request.poa().name(), "RootPOA");
        let id = desk.poa.reference_to_id(desk.echo.as_object()).unwrap();
        assert_eq!(request.object_id(), id);
        let reference = request.reference();
        assert!(reference.is_equivalent(desk.echo.as_object()));
        // This thread carries no request out.
        assert!(Current::object_id().is_err() && RequestContext::peer().is_err());
        request.add_service_context(CONTEXT, b"answered").unwrap();
        let error = request.add_service_context(1, b"").unwrap_err();
        assert_eq!(error.minor, minor::RESERVED_SERVICE_CONTEXT);
        asked.reply();
        let (text, context) = called.join().unwrap();
        assert_eq!(text, "with context");
        assert_eq!(context.as_deref(), Some(&b"answered"[..]));
    });
}

fn a_value_that_cannot_be_written_is_an_exception(mode: Mode) {
    let desk = Desk::new(mode);
    let client = desk.client();
    thread::scope(|scope| {
        let called = scope.spawn(|| client.echo("text"));
        let written = |out: &mut taut::codegen::Encoder| "a\0b".encode(out);
        desk.next().request.reply(written);
        let error = called.join().unwrap().unwrap_err();
        let EchoError::System(error) = error else {
            panic!("{error:?}");
        };
        assert_eq!(error.kind, SystemExceptionKind::Marshal);

        // A panic while the answer is written costs its caller, and nobody else.
        let called = scope.spawn(|| client.ping());
        desk.next().request.reply(|_| panic!("of the test"));
        let error = called.join().unwrap().unwrap_err();
        assert_eq!(error.minor, minor::SERVANT_PANICKED);
        let called = scope.spawn(|| client.echo("text"));
        desk.asked.recv_timeout(PATIENCE).unwrap().reply();
        assert_eq!(called.join().unwrap().unwrap(), "text");
    });
}

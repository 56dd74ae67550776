//! The outcomes of calls.

use std::sync::atomic::Ordering;
use std::time::Duration;

use taut::{
    CallContext, CompletionStatus, Reference, SyncScope, SystemExceptionKind, deadline, minor,
};

use super::executor::{block_on, join_all, poll_once};
use super::{Futures, kind};
use crate::common::{
    EchoError, FAILURE, Misbehaviour, Refused, Server, client_with, eventually, orb_and_client,
};

#[test]
fn a_reply_comes_and_so_do_exceptions() {
    let server = Server::start();
    let echo = server.client();
    block_on(echo.ping_async()).unwrap();
    assert_eq!(block_on(echo.echo_async("text")), Ok("text".to_owned()));
    let refused = EchoError::Refused(Refused {
        why: "asked for".to_owned(),
    });
    assert_eq!(block_on(echo.echo_async("refuse")), Err(refused));
    let failure = block_on(echo.as_object().invoke_async("misbehave", |out| {
        taut::codegen::Encode::encode(&(Misbehaviour::Fails as u32), out)
    }));
    let failure = failure.unwrap_err();
    assert_eq!(kind(&failure), kind(&FAILURE));
    let report = failure.report().unwrap();
    assert_eq!(report.operation.as_deref(), Some("misbehave"));
    let unknown = block_on(echo.as_object().invoke_async("no_such", |_| Ok(())));
    assert_eq!(unknown.unwrap_err().kind, SystemExceptionKind::BadOperation);
}

#[test]
fn messages_in_fragments_go_both_ways() {
    let server = Server::with(|settings| settings.wire.fragment_size = 1_024);
    let echo = client_with(&server.ior(), |settings| settings.wire.fragment_size = 512);
    let texts = [10, 1_000, 100_000].map(|size| "x".repeat(size));
    let futures = texts.iter().map(|text| echo.echo_async(text)).collect();
    let echoed: Result<Vec<_>, _> = join_all(futures).into_iter().collect();
    assert_eq!(echoed.unwrap(), texts);
}

#[test]
fn every_version_of_giop_carries_them() {
    let server = Server::start();
    for version in [
        taut::Version::V1_0,
        taut::Version::V1_1,
        taut::Version::V1_2,
    ] {
        let echo = client_with(&server.ior(), |settings| {
            settings.wire.giop_version = version
        });
        // Headers of several lengths, and elements that are aligned to eight octets.
        for operation in ["echo", "echo2", "echo34", "echo5"] {
            let future = echo.as_object().invoke_async(operation, |out| {
                taut::codegen::Encode::encode("some text", out)
            });
            let reply = block_on(future);
            match operation {
                "echo" => {
                    let text = reply
                        .unwrap()
                        .results(|input| input.read_string().map(Into::into));
                    let text: String = text.unwrap();
                    assert_eq!(text, "some text");
                }
                _ => assert_eq!(reply.unwrap_err().kind, SystemExceptionKind::BadOperation),
            }
        }
        assert_eq!(block_on(echo.echo_async("and again")).unwrap(), "and again");
    }
}

#[test]
fn a_oneway_is_ready_when_its_scope_says_so() {
    let server = Server::start();
    let echo = server.client();
    for (count, scope) in [
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
        SyncScope::WithTarget,
    ]
    .into_iter()
    .enumerate()
    {
        let scoped = echo.with_sync_scope(scope);
        block_on(scoped.note_async("text")).unwrap();
        let expected = count as u32 + 1;
        eventually("the note", || {
            server.servant.notes.load(Ordering::SeqCst) == expected
        });
    }
    // One that nobody polls is not sent.
    drop(echo.note_async("never"));
    assert_eq!(block_on(echo.notes_async()).unwrap(), 4);
}

#[test]
fn a_call_whose_time_is_over_ends_with_timeout() {
    let server = Server::start();
    let echo = server.client();
    let block = |out: &mut taut::codegen::Encoder| {
        taut::codegen::Encode::encode(&(Misbehaviour::Blocks as u32), out)
    };
    let hasty = echo.with_call_timeout(Duration::from_millis(50));
    let late = block_on(hasty.as_object().invoke_async("misbehave", block)).unwrap_err();
    let timeout = (
        SystemExceptionKind::Timeout,
        minor::CALL_TIMED_OUT,
        CompletionStatus::Maybe,
    );
    assert_eq!(kind(&late), timeout);
    let report = late.report().unwrap();
    assert_eq!(report.limit.unwrap().setting, "with_call_timeout");
    server.release.send(()).unwrap();
    // The connection serves on, and the late reply is nobody's.
    block_on(echo.ping_async()).unwrap();

    let over = deadline::within(Duration::ZERO, || echo.ping_async());
    let not_sent = (
        SystemExceptionKind::Timeout,
        minor::NOT_SENT_IN_TIME,
        CompletionStatus::No,
    );
    assert_eq!(kind(&block_on(over).unwrap_err()), not_sent);
    let own = CallContext::new().with_timeout(Duration::from_secs(3_600));
    block_on(echo.ping_by_name(own)).unwrap();
}

#[test]
fn nobody_there_is_transient_with_the_addresses() {
    let server = Server::start();
    let url = server.url("x");
    server.orb.shutdown(true).unwrap();
    let echo = crate::common::client(&url);
    let refused = block_on(echo.ping_async()).unwrap_err();
    let expected = (
        SystemExceptionKind::Transient,
        minor::CONNECT_FAILED,
        CompletionStatus::No,
    );
    assert_eq!(kind(&refused), expected);
    assert_eq!(refused.report().unwrap().attempts.len(), 1);
}

#[test]
fn the_end_of_the_orb_ends_calls_that_wait() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let mut waits = echo.as_object().invoke_async("misbehave", |out| {
        taut::codegen::Encode::encode(&(Misbehaviour::Blocks as u32), out)
    });
    block_on(echo.ping_async()).unwrap();
    assert!(poll_once(&mut waits).is_pending());
    server.entered.recv().unwrap();
    orb.shutdown(true).unwrap();
    let ended = block_on(waits).unwrap_err();
    assert_eq!(ended.kind, SystemExceptionKind::CommFailure);
    assert_eq!(ended.completed, CompletionStatus::Maybe);
    let refused = block_on(echo.ping_async()).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
    server.release.send(()).unwrap();
}

#[test]
fn an_object_of_this_process_is_called_by_message_and_no_servant_runs_in_a_poll() {
    let server = Server::start();
    let echo = server.echo.clone();
    let mut blocked = echo.as_object().invoke_async("misbehave", |out| {
        taut::codegen::Encode::encode(&(Misbehaviour::Blocks as u32), out)
    });
    block_on(std::future::poll_fn(|context| {
        // Returns although the servant waits.
        let polled = std::pin::Pin::new(&mut blocked).poll(context);
        assert!(polled.is_pending());
        match server.entered.try_recv() {
            Ok(()) => std::task::Poll::Ready(()),
            Err(_) => {
                context.waker().wake_by_ref();
                std::task::Poll::Pending
            }
        }
    }));
    server.release.send(()).unwrap();
    block_on(blocked).unwrap().no_results().unwrap();
}

#[test]
fn service_contexts_go_and_come_back() {
    let server = Server::start();
    let echo = server.client();
    let context = CallContext::new().with_service_context(u32::from_be_bytes(*b"ABCD"), b"data");
    block_on(echo.ping_by_name(context)).unwrap();
    let reserved = CallContext::new().with_service_context(1, b"code sets");
    let refused = block_on(echo.ping_by_name(reserved)).unwrap_err();
    assert_eq!(refused.minor, minor::RESERVED_SERVICE_CONTEXT);
}

//! Replies that go to reply handlers.

use std::io::Write;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use taut::codegen::{Context, Encode};
use taut::{ByteOrder, Orb, Reference, SystemExceptionKind, Version, minor};
use taut_giop::message::ReplyStatus;

use super::generated::desks::{AmiClosableHandlerRef, AmiNamedHandlerRef};
use super::{AmiClerkHandlerRef, ClerkRef, Receiver, Serving, next, seen_by};
use crate::common::eventually;
use crate::common::raw::{Message, reply, url_at};

/// Calls everything, and looks at what the handler gets.
fn everything(clerk: &ClerkRef, handler: &AmiClerkHandlerRef, heard: &Receiver<String>) {
    let closable: AmiClosableHandlerRef = handler.clone().into();
    let named: AmiNamedHandlerRef = handler.clone().into();
    let told = |expected: &str| assert_eq!(next(heard), expected);
    clerk.sendc_get_name(Some(&named)).unwrap();
    told("name desk");
    clerk.sendc_get_balance(Some(handler)).unwrap();
    told("balance 42");
    clerk.sendc_set_balance(Some(handler), 3).unwrap();
    told("set_balance");
    clerk.sendc_file(Some(handler), "text", &[1, 2, 3]).unwrap();
    told("file 6");
    clerk.sendc_shift(Some(handler), 0.5, 1.25).unwrap();
    told("shift 1.75 1.25");
    clerk.sendc_repeat(Some(handler), "zä€", 2).unwrap();
    told("repeat zä€zä€");
    clerk.sendc_colleague(Some(handler), Some(clerk)).unwrap();
    told("colleague Some(\"desk\")");
    clerk.sendc_colleague(Some(handler), None).unwrap();
    told("colleague None");
    let mut context = Context::new();
    context.set("locale", "de").unwrap();
    clerk.sendc_named(Some(handler), 7, &context).unwrap();
    told("named 7 de");
    // Exceptions: those of the operation, and others.
    clerk.sendc_file(Some(handler), "refuse", &[]).unwrap();
    assert!(next(heard).starts_with("file: user IDL:desks/Refused:1.0"));
    clerk.sendc_file(Some(handler), "closed", &[]).unwrap();
    assert!(next(heard).starts_with("file: user IDL:desks/Closed:1.0"));
    clerk.sendc_file(Some(handler), "fail", &[]).unwrap();
    assert!(next(heard).starts_with("file: system NO_MEMORY"));
    clerk.sendc_set_balance(Some(handler), -1).unwrap();
    assert!(next(heard).starts_with("set_balance: system NO_MEMORY"));
    clerk.sendc_close(Some(&closable)).unwrap();
    assert!(next(heard).starts_with("close: user "));
}

#[test]
fn a_handler_of_the_client_gets_results_and_exceptions() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (_, clerk) = server.desk(&client.0);
    let (handler, heard) = client.handler();
    everything(&clerk, &handler, &heard);
}

#[test]
fn a_handler_of_another_orb_gets_them_by_message() {
    let (server, client, third) = (
        Serving::new(|_| ()),
        Serving::new(|_| ()),
        Serving::new(|_| ()),
    );
    let (_, clerk) = server.desk(&client.0);
    let (handler, heard) = third.handler();
    everything(&clerk, &seen_by(&client.0, &handler), &heard);
}

#[test]
fn client_server_and_handler_may_be_of_one_process() {
    let orb = Serving::new(|_| ());
    let (_, clerk) = orb.desk(&orb.0);
    let (handler, heard) = orb.handler();
    everything(&clerk, &handler, &heard);
}

#[test]
fn handlers_get_replies_of_every_version_and_byte_order() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let server = Serving::new(|settings| {
                settings.wire.giop_version = version;
                settings.wire.byte_order = order;
            });
            let (client, third) = (Serving::new(|_| ()), Serving::new(|_| ()));
            let (_, clerk) = server.desk(&client.0);
            for keeper in [&client, &third] {
                let (handler, heard) = keeper.handler();
                let handler: AmiClerkHandlerRef = seen_by(&client.0, &handler);
                clerk.sendc_shift(Some(&handler), 0.5, 1.25).unwrap();
                assert_eq!(next(&heard), "shift 1.75 1.25", "{version} {order:?}");
                clerk.sendc_file(Some(&handler), "refuse", &[]).unwrap();
                assert!(
                    next(&heard).starts_with("file: user "),
                    "{version} {order:?}"
                );
            }
        }
    }
}

#[test]
fn a_call_without_a_handler_is_carried_out_and_nobody_hears_of_it() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (desk, clerk) = server.desk(&client.0);
    clerk.sendc_get_balance(None).unwrap();
    clerk.sendc_file(None, "refuse", &[]).unwrap();
    eventually("the calls", || desk.calls.load(Ordering::SeqCst) == 2);
}

#[test]
fn the_time_of_the_reference_is_that_of_the_call() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (desk, clerk) = server.desk(&client.0);
    let (handler, heard) = client.handler();
    let hasty = clerk.with_call_timeout(Duration::from_millis(30));
    hasty.sendc_wait(Some(&handler), 0).unwrap();
    assert!(next(&heard).starts_with("wait: system TIMEOUT"));
    desk.open();
}

#[test]
fn calls_are_forwarded() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (_, clerk) = server.desk(&client.0);
    let (_, there) = server.desk(&server.0);
    server.0.bind_object_key("Desk", there.as_object());
    let url = server.0.corbaloc("Desk").unwrap();
    let by_key = client.0.string_to_object(&url).unwrap();
    let by_key: ClerkRef = by_key.unchecked_narrow();
    let (handler, heard) = client.handler();
    for desk in [by_key, clerk] {
        desk.sendc_get_balance(Some(&handler)).unwrap();
        assert_eq!(next(&heard), "balance 42");
    }
}

#[test]
fn a_server_that_is_not_there_is_an_exception_for_the_handler() {
    let client = Serving::new(|_| ());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let nobody = client.0.string_to_object(&url_at(port)).unwrap();
    let nobody: ClerkRef = nobody.unchecked_narrow();
    let (handler, heard) = client.handler();
    nobody.sendc_get_balance(Some(&handler)).unwrap();
    assert!(next(&heard).starts_with("balance: system TRANSIENT"));
}

/// Results are handed on as they have come, so that the handler is the first to read them.
#[test]
fn results_that_cannot_be_read_are_an_exception_for_the_handler() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..2 {
            let request = Message::read(&mut stream).unwrap();
            // A string of which there is but the length.
            let answer = reply(request.request_id(), ReplyStatus::NoException, |out| {
                1_000_u32.encode(out).unwrap();
            });
            stream.write_all(&answer).unwrap();
        }
        stream
    });
    let (client, third) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let clerk: ClerkRef = client.0.string_to_object(&url).unwrap().unchecked_narrow();
    for keeper in [&client, &third] {
        let (handler, heard) = keeper.handler();
        let handler: AmiClerkHandlerRef = seen_by(&client.0, &handler);
        let handler: AmiNamedHandlerRef = handler.into();
        clerk.sendc_get_name(Some(&handler)).unwrap();
        assert!(next(&heard).starts_with("name: system MARSHAL"));
    }
    drop(server.join().unwrap());
}

#[test]
fn an_exception_that_the_operation_does_not_list_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = Message::read(&mut stream).unwrap();
        let answer = reply(request.request_id(), ReplyStatus::UserException, |out| {
            "IDL:desks/Strange:1.0".encode(out).unwrap();
        });
        stream.write_all(&answer).unwrap();
        stream
    });
    let client = Serving::new(|_| ());
    let clerk: ClerkRef = client.0.string_to_object(&url).unwrap().unchecked_narrow();
    let (handler, heard) = client.handler();
    clerk.sendc_file(Some(&handler), "text", &[]).unwrap();
    let told = next(&heard);
    assert!(
        told.starts_with("file: system UNKNOWN: an exception that the operation does not declare"),
        "{told}"
    );
    drop(server.join().unwrap());
}

#[test]
fn no_more_calls_are_under_way_than_may_be() {
    let server = Serving::new(|_| ());
    let client = Serving::new(|settings| settings.client.max_ami_calls = 2);
    let (desk, clerk) = server.desk(&client.0);
    let (handler, heard) = client.handler();
    clerk.sendc_wait(Some(&handler), 0).unwrap();
    let poller = clerk.sendp_wait(0).unwrap();
    let refused = clerk.sendc_wait(Some(&handler), 0).unwrap_err();
    let kind = SystemExceptionKind::Transient;
    assert_eq!((refused.kind, refused.minor), (kind, minor::AMI_CALL_LIMIT));
    desk.open();
    assert_eq!(next(&heard), "wait");
    poller.wait(None).unwrap();
    eventually("room", || clerk.sendc_wait(Some(&handler), 0).is_ok());
    assert_eq!(next(&heard), "wait");
}

#[test]
fn arguments_that_cannot_be_written_end_the_call_before_it_begins() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (desk, clerk) = server.desk(&client.0);
    // A string ends with its first null character.
    let failed = clerk.sendc_file(None, "a\0b", &[]).unwrap_err();
    let polled = clerk.sendp_file("a\0b", &[]).unwrap_err();
    assert_eq!(polled, failed);
    assert_eq!(failed.completed, taut::CompletionStatus::No);
    assert_eq!(desk.calls.load(Ordering::SeqCst), 0);
}

#[test]
fn an_orb_that_has_ended_begins_no_call() {
    let server = Serving::new(|_| ());
    let client = Orb::builder().build().unwrap();
    let (_, clerk) = server.desk(&client);
    client.shutdown(true).unwrap();
    let refused = clerk.sendc_get_balance(None).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
    assert_eq!(clerk.sendp_get_balance().unwrap_err(), refused);
}

//! The most requests that are answered later.

use std::thread;

use taut::{Reference as _, SystemExceptionKind, minor};

use super::Desk;
use crate::common::Echo;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{RawClient, Request};

for_each_mode! {
    [tcp, unix, reactor] {
        a_connection_has_no_more_than_its_limit,
        a_server_has_no_more_than_its_limit,
    }
}

fn a_connection_has_no_more_than_its_limit(mode: Mode) {
    let desk = Desk::with(mode, |settings| {
        settings.server.max_deferred_requests_per_connection = 2;
    });
    let mut client = RawClient::connect(&desk.orb);
    let ping = |id| Request::new(id, "ping").to(desk.echo.as_object(), |_| ());
    client.send(&ping(1));
    let first = desk.next();
    client.send(&ping(2));
    let second = desk.next();
    client.send(&ping(3));
    let refused = client.receive_reply(3);
    let (_, mut input) = refused.outcome();
    let exception = <taut::SystemException as taut_cdr::Decode>::decode(&mut input).unwrap();
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
    assert_eq!(exception.minor, minor::DEFERRED_REQUEST_LIMIT);
    // Another connection has its own.
    let other = desk.client();
    thread::scope(|scope| {
        let called = scope.spawn(|| other.ping());
        desk.next().request.reply(|_| Ok(()));
        called.join().unwrap().unwrap();
    });
    first.request.reply(|_| Ok(()));
    client.receive_reply(1);
    client.send(&ping(4));
    desk.next().request.reply(|_| Ok(()));
    client.receive_reply(4);
    second.request.reply(|_| Ok(()));
    client.receive_reply(2);
}

fn a_server_has_no_more_than_its_limit(mode: Mode) {
    let desk = Desk::with(mode, |settings| settings.server.max_deferred_requests = 1);
    let (one, other) = (desk.client(), desk.client());
    thread::scope(|scope| {
        let called = scope.spawn(|| one.ping());
        let asked = desk.next();
        let error = other.ping().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Transient);
        assert_eq!(error.minor, minor::DEFERRED_REQUEST_LIMIT);
        asked.request.reply(|_| Ok(()));
        called.join().unwrap().unwrap();
        let called = scope.spawn(|| other.ping());
        desk.next().request.reply(|_| Ok(()));
        called.join().unwrap().unwrap();
    });
}

//! The identity of the peer, and its limits.

use std::io::Read;
use std::thread;

use super::MODE;
use crate::common::raw::PATIENCE;
use crate::common::wire::Wire;
use crate::common::{Echo, Misbehaviour};

#[test]
fn connections_of_one_user_are_limited() {
    let server = MODE.server_with(|settings| settings.server.max_connections_per_peer = 2);
    let busy = [server.client(), server.client()];
    thread::scope(|scope| {
        for echo in &busy {
            scope.spawn(|| echo.misbehave(Misbehaviour::Blocks).unwrap());
            server.entered.recv_timeout(PATIENCE).unwrap();
        }
        let mut answer = Vec::new();
        Wire::to(&server.orb).read_to_end(&mut answer).unwrap();
        assert_eq!(answer, b"GIOP\x01\x00\x01\x05\0\0\0\0");
        for _ in &busy {
            server.release.send(()).unwrap();
        }
    });
}

#[test]
fn users_of_this_machine_can_be_exempt() {
    let server = MODE.server_with(|settings| {
        settings.server.max_connections_per_peer = 1;
        settings.server.exempt_peers = vec!["unix".parse().unwrap()];
    });
    let busy = server.client();
    thread::scope(|scope| {
        scope.spawn(|| busy.misbehave(Misbehaviour::Blocks).unwrap());
        server.entered.recv_timeout(PATIENCE).unwrap();
        server.client().ping().unwrap();
        server.release.send(()).unwrap();
    });
}

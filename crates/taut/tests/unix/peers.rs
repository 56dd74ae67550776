//! Who is at the other end, and what holds for him.

#[path = "../common/mod.rs"]
mod common;

use std::io::Read;

use common::Server;
use common::wire::Wire;

#[test]
fn connections_of_one_user_are_limited() {
    let server = Server::with(|settings| settings.max_connections_per_peer = 2);
    let mut all: Vec<_> = (0..3).map(|_| Wire::to(&server.orb)).collect();
    let mut answer = Vec::new();
    all.pop().unwrap().read_to_end(&mut answer).unwrap();
    assert_eq!(answer, b"GIOP\x01\x00\x01\x05\0\0\0\0");
}

//! How many threads connections have.

use crate::common::process::threads_named;
use crate::common::{Echo, client};
use taut::{Orb, SystemExceptionKind};
use test_tools::in_own_process;

#[test]
fn connections_beyond_those_with_threads_share_the_reactor() {
    in_own_process(
        connections_beyond_those_with_threads_share_the_reactor,
        one_connection_has_a_thread,
    );
}

fn one_connection_has_a_thread() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder
        .settings(|settings| settings.server.connection_threads = 1)
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let port = orb.published_addresses()[0].port().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/nothing");
    let clients: Vec<_> = (0..5).map(|_| client(&url)).collect();
    for client in &clients {
        let error = client.ping().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::ObjectNotExist);
    }
    assert_eq!(threads_named("taut connection"), 1);
    orb.shutdown(true).unwrap();
}

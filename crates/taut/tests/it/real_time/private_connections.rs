//! Connections that a reference has for itself.

use taut::policy::{PrivateConnectionPolicy, SetOverrideType};
use taut::{ConnectionSharing, Orb};

use super::bands::{SHARINGS, last_connection, orb, ping};
use super::recorder::{Recorder, real_time};
use crate::asynchronous::executor::block_on;
use crate::common::eventually;
use crate::common::mode::Mode;
use crate::policies::{Level, with};

#[test]
fn a_reference_with_private_connections_shares_them_with_no_other_and_ends_them() {
    let ordinary = Orb::builder().settings(|settings| Mode::tcp().adjust(settings));
    let ordinary = ordinary.build().unwrap();
    for sharing in SHARINGS {
        for orb in [&orb(sharing), &ordinary] {
            let server = Recorder::start();
            let shared = orb.string_to_object(&server.ior(&[]).to_string()).unwrap();
            let private = || {
                let own = [PrivateConnectionPolicy.into()];
                shared
                    .set_policy_overrides(&own, SetOverrideType::Add)
                    .unwrap()
            };
            let (one, other) = (private(), private());
            let clone = one.clone();
            let mut connections = Vec::new();
            for object in [&shared, &one, &other, &clone, &shared, &one] {
                ping(object).unwrap();
                connections.push(last_connection(&server));
            }
            assert_eq!(connections, [0, 1, 2, 1, 0, 1]);
            block_on(one.invoke_async("ping", |_| Ok(()))).unwrap();
            assert_eq!(last_connection(&server), 3);
            drop(one);
            ping(&clone).unwrap();
            assert_eq!((server.connections(), server.open()), (4, 4));
            drop(clone);
            eventually("the end of two connections", || server.open() == 2);
            ping(&other).unwrap();
            drop(other);
            eventually("the end of a further one", || server.open() == 1);
            ping(&shared).unwrap();
            assert_eq!(server.connections(), 4);
        }
    }
}

#[test]
fn what_waits_to_be_sent_over_a_private_connection_is_sent_when_its_reference_is_gone() {
    let orb = real_time(|settings| {
        settings.client.oneway_batch_timeout = std::time::Duration::from_secs(3_600);
    });
    let orb = orb.build().unwrap();
    let server = Recorder::start();
    let object = orb.string_to_object(&server.ior(&[]).to_string()).unwrap();
    let private = [PrivateConnectionPolicy.into()];
    let private = object
        .set_policy_overrides(&private, SetOverrideType::Add)
        .unwrap();
    let private = private.with_sync_scope(taut::SyncScope::None);
    private.invoke_oneway("note", |_| Ok(())).unwrap();
    drop(private);
    eventually("the oneway", || server.has_seen());
}

#[test]
fn private_connections_of_an_orb_and_of_a_thread_are_those_of_each_reference() {
    let orb = orb(ConnectionSharing::Exclusive);
    for level in [Level::Orb, Level::Thread] {
        let server = Recorder::start();
        let object = || -> crate::common::EchoRef {
            let object = orb.string_to_object(&server.ior(&[]).to_string()).unwrap();
            object.unchecked_narrow()
        };
        let (one, other) = (object(), object());
        let mut connections = Vec::new();
        for echo in [&one, &other, &one, &other] {
            let set = [(level, PrivateConnectionPolicy.into())];
            with(&set, &orb, echo, |echo| {
                ping(taut::Reference::as_object(echo))
            })
            .unwrap();
            connections.push(last_connection(&server));
        }
        assert_eq!(connections, [0, 1, 0, 1], "{level:?}");
        ping(taut::Reference::as_object(&one)).unwrap();
        assert_eq!(last_connection(&server), 2);
    }
}

//! The lanes that calls go to, by the endpoints that references tell.

use std::sync::Arc;

use taut::policy::{Policy, SetOverrideType, ThreadpoolPolicy};
use taut::real_time::Threadpool;
use taut::{ConnectionSharing, ObjectRef, Orb, Reference, SyncScope, SystemExceptionKind};

use super::arena::{Arena, lane};
use super::bands::{SHARINGS, orb, ping};
use super::recorder::{Recorder, declared, ior, propagated};
use super::{bands, in_thread};
use crate::asynchronous::Futures as _;
use crate::asynchronous::executor::block_on;
use crate::common::mode::Mode;
use crate::common::{Echo as _, EchoRef, EchoSkeleton, eventually};

#[test]
fn an_orb_without_priorities_has_no_bands_and_no_lanes() {
    let ordinary = Orb::builder().settings(|settings| Mode::tcp().adjust(settings));
    let ordinary = ordinary.build().unwrap();
    let (server, lane) = (Recorder::start(), Recorder::start());
    let told = [declared(50), bands(&[(0, 9)])];
    let lanes = [(server.port, 10), (lane.port, 50)];
    let object = ordinary
        .string_to_object(&ior(server.port, &told, &lanes).to_string())
        .unwrap();
    ping(&object).unwrap();
    let object = object
        .set_policy_overrides(&[bands(&[(0, 9)])], SetOverrideType::Add)
        .unwrap();
    ping(&object).unwrap();
    assert_eq!(server.take().len(), 2);
    assert_eq!((server.connections(), lane.connections()), (1, 0));
}

#[test]
fn a_call_goes_to_the_lane_of_its_priority_or_the_nearest() {
    for sharing in SHARINGS {
        let orb = orb(sharing);
        let servers = [(); 3].map(|()| Recorder::start());
        let [low, middle, high] = &servers;
        let lanes = [(low.port, 10), (middle.port, 20), (high.port, 100)];
        let of = |told: &[Policy]| {
            let ior = ior(low.port, told, &lanes);
            orb.string_to_object(&ior.to_string()).unwrap()
        };
        let reached = |object: &ObjectRef, own: Option<i16>| {
            let object = object.clone();
            in_thread(&orb, move |current| {
                if let Some(own) = own {
                    current.set_the_priority(own).unwrap();
                }
                ping(&object).unwrap();
            });
            let reached: Vec<_> = servers.iter().map(|server| server.take().len()).collect();
            reached.iter().position(|count| *count == 1).unwrap()
        };
        let object = of(&[propagated(21)]);
        for (own, expected) in [
            (Some(10), 0),
            (Some(20), 1),
            (Some(100), 2),
            // The nearest, and of two that are as near the more urgent.
            (Some(0), 0),
            (Some(14), 0),
            (Some(15), 1),
            (Some(60), 2),
            (Some(59), 1),
            (Some(i16::MAX), 2),
            // The server's own.
            (None, 1),
        ] {
            assert_eq!(reached(&object, own), expected, "{own:?}");
        }
        let object = of(&[declared(100)]);
        for own in [None, Some(10)] {
            assert_eq!(reached(&object, own), 2);
        }
        // Without a model the thread's priority is all there is.
        let object = of(&[]);
        assert_eq!(reached(&object, Some(20)), 1);
        assert_eq!(reached(&object, None), 0);
    }
}

#[test]
fn bands_and_lanes_have_connections_for_each_pair() {
    let orb = orb(ConnectionSharing::Exclusive);
    let (low, high) = (Recorder::start(), Recorder::start());
    let told = [propagated(0), bands(&[(0, 4), (5, 9), (10, 29)])];
    let lanes = [(low.port, 0), (high.port, 20)];
    let object = orb
        .string_to_object(&ior(low.port, &told, &lanes).to_string())
        .unwrap();
    for own in [0, 4, 5, 9, 10, 20, 29, 0, 5, 20] {
        let object = object.clone();
        in_thread(&orb, move |current| {
            current.set_the_priority(own).unwrap();
            ping(&object).unwrap();
        });
    }
    assert_eq!((low.connections(), high.connections()), (2, 1));
}

#[test]
fn a_call_goes_to_no_other_lane_if_its_own_cannot_be_reached() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    let nobody = test_tools::free_port().unwrap();
    let lanes = [(server.port, 10), (nobody, 20)];
    let object = ior(server.port, &[propagated(10)], &lanes);
    let object = orb.string_to_object(&object.to_string()).unwrap();
    in_thread(&orb, move |current| {
        current.set_the_priority(20).unwrap();
        let exception = ping(&object).unwrap_err();
        assert_eq!(
            exception.kind,
            SystemExceptionKind::Transient,
            "{exception}"
        );
        current.set_the_priority(10).unwrap();
        ping(&object).unwrap();
    });
    assert_eq!(server.take().len(), 1);
}

#[test]
fn endpoints_of_lanes_that_are_malformed_or_belong_to_none_are_as_any() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    // TAO's number for no lane.
    let object = ior(server.port, &[propagated(10)], &[(server.port, -1)]);
    let object = orb.string_to_object(&object.to_string()).unwrap();
    let mut malformed =
        taut_giop::ior::IiopProfile::parse(&server.ior(&[]).profiles[0].data).unwrap();
    malformed
        .components
        .push(taut_giop::component::TaggedComponent {
            tag: taut_giop::component::tag::TAO_ENDPOINTS,
            data: vec![0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        });
    let malformed = taut::Ior {
        type_id: String::new(),
        profiles: vec![malformed.to_profile().unwrap()],
    };
    let malformed = orb.string_to_object(&malformed.to_string()).unwrap();
    in_thread(&orb, move |current| {
        current.set_the_priority(20).unwrap();
        ping(&object).unwrap();
        ping(&malformed).unwrap();
    });
    assert_eq!(server.take().len(), 2);
}

/// An object of a server with lanes, whose POA tells these policies, for a client with an ORB of its
/// own.
fn object_of(arena: &Arena, client: &Orb, name: &str, told: &[Policy]) -> EchoRef {
    let policies = [ThreadpoolPolicy(arena.pool).into()];
    let manager = Some(arena.root.manager());
    let poa = arena
        .root
        .create_poa_telling(name, manager, &policies, told);
    let servant = EchoSkeleton(Arc::clone(&arena.witness));
    let object = poa.unwrap().activate(servant).unwrap();
    let text = object.as_object().to_string();
    client.string_to_object(&text).unwrap().unchecked_narrow()
}

#[test]
fn calls_of_every_kind_arrive_at_the_lane_of_their_priority_in_a_server_of_ours() {
    let calls: [fn(&EchoRef, &str); 3] = [
        |object, text| assert_eq!(object.echo(text).unwrap(), text),
        |object, text| assert_eq!(block_on(object.echo_async(text)).unwrap(), text),
        |object, text| {
            let object = object.with_sync_scope(SyncScope::WithTransport);
            object.note(text).unwrap();
        },
    ];
    let lanes = [lane(10, 1), lane(20, 1), lane(100, 1)];
    for sharing in SHARINGS {
        let arena = Arena::of(&Threadpool::with_lanes(lanes.clone()));
        let client = orb(sharing);
        let told = [bands(&[(0, 14), (15, 59), (60, 32_767)])];
        let objects = [
            (
                "propagated",
                object_of(&arena, &client, "propagated", &[propagated(20)]),
            ),
            (
                "in bands",
                object_of(
                    &arena,
                    &client,
                    "in bands",
                    &[propagated(20), told[0].clone()],
                ),
            ),
            (
                "declared",
                object_of(&arena, &client, "declared", &[declared(100)]),
            ),
        ];
        for (name, object) in &objects {
            for (own, nearest) in [
                (Some(0), 0),
                (Some(10), 0),
                (Some(14), 0),
                (Some(15), 1),
                (Some(20), 1),
                (Some(59), 1),
                (Some(60), 2),
                (Some(i16::MAX), 2),
                // The server's own.
                (None, 1),
            ] {
                let expected = match *name {
                    "declared" => 2,
                    _ => nearest,
                };
                for (kind, call) in calls.into_iter().enumerate() {
                    let what = format!("{name} {own:?} {kind}");
                    let (object, text) = (object.clone(), what.clone());
                    in_thread(&client, move |current| {
                        if let Some(own) = own {
                            current.set_the_priority(own).unwrap();
                        }
                        call(&object, &text);
                    });
                    eventually("the call", || !arena.threads_of(&what).is_empty());
                    let expected = format!("taut lane {}:{expected}", arena.pool);
                    assert_eq!(arena.threads_of(&what), [expected], "{what}, {sharing:?}");
                }
            }
        }
    }
}

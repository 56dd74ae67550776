//! The lanes that calls go to, by the endpoints that references tell.

use taut::policy::{Policy, SetOverrideType};
use taut::{ConnectionSharing, ObjectRef, Orb, SystemExceptionKind};

use super::bands::{SHARINGS, orb, ping};
use super::recorder::{Recorder, declared, ior, propagated};
use super::{bands, in_thread};
use crate::common::mode::Mode;

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

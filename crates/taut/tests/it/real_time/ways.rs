//! The ways of calls that differ in several properties at once: lanes, bands, privacy, options.

use std::net::TcpListener;

use taut::policy::{ConnectionOptionsPolicy, Policy, PrivateConnectionPolicy, SetOverrideType};
use taut::{ConnectionSharing, ObjectRef, Reference};

use super::bands::{SHARINGS, last_connection, orb, ping};
use super::recorder::{Recorder, ior, propagated};
use super::{bands, in_thread};
use crate::asynchronous::executor::block_on;
use crate::common::{EchoRef, eventually};
use crate::policies::{Level, with};

fn options(text: &str) -> Policy {
    ConnectionOptionsPolicy(text.parse().unwrap()).into()
}

#[test]
fn calls_of_a_band_share_connections_with_those_of_the_same_options_alone() {
    let calls: [fn(&ObjectRef); 3] = [
        |object| ping(object).unwrap(),
        |object| drop(block_on(object.invoke_async("ping", |_| Ok(()))).unwrap()),
        |object| {
            let object = object.with_sync_scope(taut::SyncScope::None);
            object.invoke_oneway("note", |_| Ok(())).unwrap();
        },
    ];
    for sharing in SHARINGS {
        for (kind, call) in calls.into_iter().enumerate() {
            let orb = orb(sharing);
            let server = Recorder::start();
            let told = [propagated(0), bands(&[(0, 9), (10, 19)])];
            let echo: EchoRef = orb
                .string_to_object(&server.ior(&told).to_string())
                .unwrap()
                .unchecked_narrow();
            let mut connections = Vec::new();
            for _ in 0..2 {
                for priority in [5, 15] {
                    for set in [vec![], vec!["dscp=46"], vec!["dscp=10"]] {
                        let set = set.into_iter().map(|text| (Level::Call, options(text)));
                        let set: Vec<_> = set.collect();
                        let (echo, own) = (echo.clone(), orb.clone());
                        in_thread(&orb, move |current| {
                            current.set_the_priority(priority).unwrap();
                            with(&set, &own, &echo, |echo| call(echo.as_object()));
                        });
                        connections.push(last_connection(&server));
                    }
                }
            }
            let all = [0, 1, 2, 3, 4, 5].repeat(2);
            assert_eq!(connections, all, "{sharing:?}, call {kind}");
            let sockets = test_tools::connections(server.port).unwrap().clients;
            let mark = |socket| taut_sys::socket_options::dscp(socket).unwrap();
            let mut marks: Vec<_> = sockets.iter().map(mark).collect();
            marks.sort_unstable();
            assert_eq!(marks, [0, 0, 10, 10, 46, 46], "{sharing:?}, call {kind}");
        }
    }
}

#[test]
fn the_report_and_the_flow_are_of_the_connection_of_the_thread_s_band() {
    let orb = orb(ConnectionSharing::Exclusive);
    assert!(orb.watch_flow(|_: &taut::quality::FlowEvent<'_>| ()));
    let server = Recorder::start();
    let told = [propagated(0), bands(&[(0, 9), (10, 19)])];
    let object = orb
        .string_to_object(&server.ior(&told).to_string())
        .unwrap();
    let marked = object
        .set_policy_overrides(&[options("dscp=46")], SetOverrideType::Add)
        .unwrap();
    in_thread(&orb, move |current| {
        current.set_the_priority(5).unwrap();
        ping(&marked).unwrap();
        let report = marked.connection_report().unwrap();
        assert_eq!(report.outcomes().len(), 1, "{report}");
        // No connection of this band has been opened.
        current.set_the_priority(15).unwrap();
        assert_eq!(marked.connection_report(), None);
        // A band that there is not has no connections at all.
        current.set_the_priority(25).unwrap();
        assert_eq!(marked.connection_report(), None);
        assert_eq!(marked.flow_control(), None);
        current.set_the_priority(5).unwrap();
        assert!(marked.flow_control().is_some());
    });
}

#[test]
fn a_call_without_a_priority_tries_the_endpoints_of_all_lanes_over_other_connections_too() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = listener.local_addr().unwrap().port();
    drop(listener);
    let lanes = [(gone, 10), (server.port, 20)];
    for policy in [PrivateConnectionPolicy.into(), options("dscp=46")] {
        let object = orb
            .string_to_object(&ior(gone, &[], &lanes).to_string())
            .unwrap();
        let object = object
            .set_policy_overrides(&[policy], SetOverrideType::Add)
            .unwrap();
        ping(&object).unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_binding_keeps_64_ways_and_the_private_connections_of_others_end() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    let echo: EchoRef = orb
        .string_to_object(&server.ior(&[]).to_string())
        .unwrap()
        .unchecked_narrow();
    let call = |rate: usize| {
        let options = options(&format!("max-pacing-rate={}", 1_000_000_000 + rate));
        let set = [
            (Level::Call, options),
            (Level::Thread, PrivateConnectionPolicy.into()),
        ];
        with(&set, &orb, &echo, |echo| ping(echo.as_object())).unwrap();
        last_connection(&server)
    };
    for rate in 0..65 {
        assert_eq!(call(rate), rate);
    }
    eventually("the end of the oldest", || server.open() == 64);
    assert_eq!(call(64), 64);
    assert_eq!(call(1), 1);
    assert_eq!(call(0), 65);
}

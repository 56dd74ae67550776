//! Connections of bands of priorities.

use std::collections::BTreeMap;

use taut::policy::{Policy, PolicyType, SetOverrideType};
use taut::{
    CompletionStatus, ConnectionSharing, ObjectRef, Orb, Settings, SystemException,
    SystemExceptionKind, minor,
};

use taut_giop::service_context::id;

use super::recorder::{Recorder, declared, golden, ior, propagated, real_time};
use super::{bands, in_thread};
use crate::asynchronous::executor::block_on;
use crate::common::eventually;
use crate::policies::{LEVELS, with};

/// A way to call an object.
type Call = fn(&ObjectRef) -> Result<(), SystemException>;

pub(super) const SHARINGS: [ConnectionSharing; 2] =
    [ConnectionSharing::Exclusive, ConnectionSharing::Shared];

pub(super) fn orb(sharing: ConnectionSharing) -> Orb {
    let change = |settings: &mut Settings| settings.client.connection_sharing = sharing;
    real_time(change).build().unwrap()
}

pub(super) fn ping(object: &ObjectRef) -> Result<(), SystemException> {
    object.invoke("ping", |_| Ok(())).map(drop)
}

/// The connection over which the last request came.
pub(super) fn last_connection(server: &Recorder) -> usize {
    eventually("the request", || server.has_seen());
    server.take().last().unwrap().connection
}

/// Calls once with each priority, some none, and groups these by the connections on which they
/// arrive.
fn by_connection(
    orb: &Orb,
    object: &ObjectRef,
    server: &Recorder,
    priorities: &[Option<i16>],
) -> Vec<Vec<Option<i16>>> {
    let mut groups = BTreeMap::<usize, Vec<_>>::new();
    for own in priorities.iter().copied() {
        let object = object.clone();
        in_thread(orb, move |current| {
            if let Some(own) = own {
                current.set_the_priority(own).unwrap();
            }
            ping(&object).unwrap();
        });
        let connection = last_connection(server);
        groups.entry(connection).or_default().push(own);
    }
    groups.into_values().collect()
}

#[test]
fn calls_of_each_band_have_a_connection_of_their_own() {
    let all = [
        None,
        Some(0),
        Some(9),
        Some(10),
        Some(19),
        Some(20),
        Some(5),
        Some(15),
    ];
    for sharing in SHARINGS {
        let orb = orb(sharing);
        for told in [
            vec![bands(&[(0, 9), (10, 19), (20, 29)])],
            vec![propagated(12), bands(&[(0, 9), (10, 19), (20, 29)])],
        ] {
            let server = Recorder::start();
            let object = orb
                .string_to_object(&server.ior(&told).to_string())
                .unwrap();
            let groups = by_connection(&orb, &object, &server, &all);
            let low = vec![Some(0), Some(9), Some(5)];
            let middle = vec![Some(10), Some(19), Some(15)];
            let high = vec![Some(20)];
            // A call without a priority is carried out at that of the server, if it tells one.
            let (without, middle) = match told.len() {
                1 => (vec![vec![None]], middle),
                _ => (vec![], [vec![None], middle].concat()),
            };
            let mut expected = without;
            match told.len() {
                1 => expected.extend([low, middle, high]),
                _ => expected.extend([middle, low, high]),
            }
            assert_eq!(groups, expected, "{sharing:?}, {told:?}");
            assert_eq!(server.connections(), expected.len());
        }
    }
}

#[test]
fn futures_and_oneways_go_over_the_connections_of_their_band() {
    for sharing in SHARINGS {
        let orb = orb(sharing);
        let server = Recorder::start();
        let told = [propagated(0), bands(&[(0, 9), (10, 19)])];
        let object = orb
            .string_to_object(&server.ior(&told).to_string())
            .unwrap();
        let calls: [fn(&ObjectRef); 5] = [
            |object| ping(object).unwrap(),
            |object| object.invoke_oneway("note", |_| Ok(())).unwrap(),
            |object| {
                let object = object.with_sync_scope(taut::SyncScope::None);
                object.invoke_oneway("note", |_| Ok(())).unwrap();
            },
            |object| drop(block_on(object.invoke_async("ping", |_| Ok(()))).unwrap()),
            |object| {
                object.locate().unwrap();
            },
        ];
        let mut seen = BTreeMap::<i16, Vec<usize>>::new();
        for own in [5, 15, 7, 17] {
            for call in calls {
                let object = object.clone();
                in_thread(&orb, move |current| {
                    current.set_the_priority(own).unwrap();
                    call(&object);
                });
                seen.entry(own / 10)
                    .or_default()
                    .push(last_connection(&server));
            }
        }
        let of = |band: i16| seen[&band].clone();
        let [low, high] = [of(0), of(1)];
        assert!(
            low.iter().all(|one| !high.contains(one)),
            "{low:?} {high:?}"
        );
        // The connection of futures is another one, and each serves again.
        for band in [low, high] {
            assert_eq!(band[..5], band[5..], "{sharing:?}");
        }
    }
}

#[test]
fn a_priority_in_no_band_ends_the_call_before_anything_is_sent() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    for told in [
        vec![bands(&[(0, 9), (20, 29)])],
        vec![propagated(12), bands(&[(0, 9), (20, 29)])],
        vec![declared(12), bands(&[(0, 9), (20, 29)])],
    ] {
        let is_declared = told[0] == declared(12);
        let object = orb
            .string_to_object(&server.ior(&told).to_string())
            .unwrap();
        in_thread(&orb, move |current| {
            current
                .set_the_priority(if is_declared { 5 } else { 15 })
                .unwrap();
            let calls: [Call; 5] = [
                ping,
                |object| object.invoke_oneway("note", |_| Ok(())),
                |object| {
                    let object = object.with_sync_scope(taut::SyncScope::None);
                    object.invoke_oneway("note", |_| Ok(()))
                },
                |object| block_on(object.invoke_async("ping", |_| Ok(()))).map(drop),
                |object| object.locate().map(drop),
            ];
            for call in calls {
                let exception = call(&object).unwrap_err();
                assert_eq!(exception.kind, SystemExceptionKind::InvPolicy);
                assert_eq!(exception.minor, minor::PRIORITY_IN_NO_BAND, "{exception}");
            }
            let validity = object.validate_connection().unwrap();
            assert_eq!(validity.inconsistent_policies, [bands(&[(0, 9), (20, 29)])]);
            if !is_declared {
                current.set_the_priority(25).unwrap();
                assert!(object.validate_connection().unwrap().is_valid);
            }
        });
    }
    let seen = server.take();
    assert!(
        seen.iter().all(|one| one.operation == "_non_existent"),
        "{seen:?}"
    );
    assert_eq!(seen.len(), 2);
}

#[test]
fn the_server_s_priority_picks_the_band_where_it_is_declared() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    let told = [declared(12), bands(&[(0, 9), (10, 19)])];
    let object = orb
        .string_to_object(&server.ior(&told).to_string())
        .unwrap();
    let groups = by_connection(&orb, &object, &server, &[None, Some(5), Some(15), Some(99)]);
    assert_eq!(groups.len(), 1, "{groups:?}");
}

#[test]
fn bands_of_each_level_of_the_client_are_in_force() {
    let orb = orb(ConnectionSharing::Exclusive);
    for level in LEVELS {
        let server = Recorder::start();
        let echo = orb
            .string_to_object(&server.ior(&[propagated(0)]).to_string())
            .unwrap();
        let echo: crate::common::EchoRef = echo.unchecked_narrow();
        let own = orb.clone();
        in_thread(&orb, move |current| {
            let set = [(level, bands(&[(0, 9), (10, 19)]))];
            let mut connections = Vec::new();
            for priority in [5, 15, 7, 17] {
                current.set_the_priority(priority).unwrap();
                with(&set, &own, &echo, |echo| {
                    ping(taut::Reference::as_object(echo))
                })
                .unwrap();
                connections.push(last_connection(&server));
            }
            assert_eq!(connections, [0, 1, 0, 1], "{level:?}");
            current.set_the_priority(20).unwrap();
            let refused = with(&set, &own, &echo, |echo| {
                ping(taut::Reference::as_object(echo)).unwrap_err()
            });
            assert_eq!(refused.minor, minor::PRIORITY_IN_NO_BAND, "{level:?}");
            // Without the policy they share connections.
            ping(taut::Reference::as_object(&echo)).unwrap();
            assert_eq!(last_connection(&server), 2);
        });
    }
}

#[test]
fn bands_of_both_sides_have_to_be_the_same() {
    let orb = orb(ConnectionSharing::Exclusive);
    let server = Recorder::start();
    let told = [propagated(0), bands(&[(0, 9), (10, 19)])];
    let object = orb
        .string_to_object(&server.ior(&told).to_string())
        .unwrap();
    let with = |own: Policy| {
        object
            .set_policy_overrides(&[own], SetOverrideType::Add)
            .unwrap()
    };
    let equal = with(bands(&[(0, 9), (10, 19)]));
    let none = with(bands(&[]));
    let other = with(bands(&[(0, 19)]));
    in_thread(&orb, move |current| {
        current.set_the_priority(5).unwrap();
        ping(&equal).unwrap();
        ping(&none).unwrap();
        let seen = server.take();
        assert_eq!(seen[0].connection, seen[1].connection);
        let exception = ping(&other).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::InvPolicy);
        assert_eq!(exception.minor, minor::omg(1));
        assert!(
            exception
                .to_string()
                .contains("PriorityBandedConnectionPolicy"),
            "{exception}"
        );
        assert!(
            other
                .get_policy(PolicyType::PRIORITY_BANDED_CONNECTION)
                .is_err()
        );
        let validity = other.validate_connection().unwrap();
        assert_eq!(validity.inconsistent_policies, [bands(&[(0, 19)])]);
        assert!(server.take().is_empty());
    });
}

#[test]
fn a_forward_leads_to_the_band_and_the_lane_there() {
    let orb = orb(ConnectionSharing::Exclusive);
    let [first, low, high] = [(); 3].map(|()| Recorder::start());
    let lanes = [(low.port, 0), (high.port, 20)];
    let told = [propagated(0), bands(&[(0, 9), (10, 29)])];
    let there = ior(low.port, &told, &lanes);
    first.forward_to(&orb.string_to_object(&there.to_string()).unwrap());
    let object = orb.string_to_object(&first.ior(&[]).to_string()).unwrap();
    for (own, refused) in [(25, false), (5, false), (30, true), (25, false)] {
        let object = object.clone();
        in_thread(&orb, move |current| {
            current.set_the_priority(own).unwrap();
            let minor = ping(&object).err().map(|exception| exception.minor);
            assert_eq!(minor, refused.then_some(minor::PRIORITY_IN_NO_BAND));
        });
    }
    let counts = [&first, &low, &high].map(|server| server.take().len());
    assert_eq!(counts, [1, 1, 2]);
}

#[test]
fn connections_are_bound_to_their_band_where_the_setting_says_so() {
    for sharing in SHARINGS {
        let orb = real_time(|settings| {
            settings.client.connection_sharing = sharing;
            settings.real_time.bind_priority_bands = true;
        });
        let orb = orb.build().unwrap();
        let told = [propagated(0), bands(&[(0, 9), (10, 0x0102)])];
        let no_such_operation =
            SystemException::new(SystemExceptionKind::BadOperation, 0, CompletionStatus::No);
        // A server that does not know the operation is called all the same.
        for refusal in [None, Some(no_such_operation)] {
            let server = Recorder::start();
            if let Some(refusal) = refusal {
                server.refuse_bands_by(refusal);
            }
            let object = orb
                .string_to_object(&server.ior(&told).to_string())
                .unwrap();
            in_thread(&orb, move |current| {
                current.set_the_priority(15).unwrap();
                ping(&object).unwrap();
                ping(&object).unwrap();
                block_on(object.invoke_async("ping", |_| Ok(()))).unwrap();
                let seen = server.take();
                let seen: Vec<_> = seen
                    .iter()
                    .map(|one| (one.connection, one.operation.as_str(), &one.contexts[..]))
                    .collect();
                let [low, high] = [10_i16, 0x0102].map(i16::to_ne_bytes);
                let order = u8::from(cfg!(target_endian = "little"));
                let data = [&[order, 0][..], &low, &high].concat();
                let band = [(id::RT_CORBA_PRIORITY_RANGE, data)];
                let own = [(id::RT_CORBA_PRIORITY, golden(15))];
                let expected = [
                    (0, "_bind_priority_band", &band[..]),
                    (0, "ping", &own),
                    (0, "ping", &own),
                    (1, "_bind_priority_band", &band),
                    (1, "ping", &own),
                ];
                assert_eq!(seen, expected, "{sharing:?}");
            });
        }
    }
}

#[test]
fn a_server_that_refuses_a_band_ends_its_calls() {
    for sharing in SHARINGS {
        let orb = real_time(|settings| {
            settings.client.connection_sharing = sharing;
            settings.real_time.bind_priority_bands = true;
        });
        let orb = orb.build().unwrap();
        let server = Recorder::start();
        let kind = SystemExceptionKind::InvPolicy;
        server.refuse_bands_by(SystemException::new(kind, 77, CompletionStatus::No));
        let told = [propagated(0), bands(&[(0, 9)])];
        let object = orb
            .string_to_object(&server.ior(&told).to_string())
            .unwrap();
        in_thread(&orb, move |current| {
            current.set_the_priority(5).unwrap();
            let calls: [Call; 3] = [
                ping,
                |object| object.invoke_oneway("note", |_| Ok(())),
                |object| block_on(object.invoke_async("ping", |_| Ok(()))).map(drop),
            ];
            for call in calls {
                let exception = call(&object).unwrap_err();
                assert_eq!((exception.kind, exception.minor), (kind, 77), "{exception}");
                assert_eq!(exception.completed, CompletionStatus::No);
            }
        });
        let seen = server.take();
        let only_asked = seen
            .iter()
            .all(|one| one.operation == "_bind_priority_band");
        assert!(only_asked && seen.len() == 3, "{seen:?}");
        eventually("the end of all connections", || server.open() == 0);
    }
}

//! Thread pools: what their lanes serve and in which threads, and what becomes of requests for
//! which no thread is there.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::interceptors::{IorInfo, IorInterceptor};
use taut::policy::{SetOverrideType, ThreadpoolPolicy};
use taut::real_time::{
    InvalidThreadpool, Priority, RealTime, Threadpool, ThreadpoolError, ThreadpoolId,
    ThreadpoolLane,
};
use taut::{
    Address, IdAssignmentPolicy, LifespanPolicy, ObjectRef, Orb, Poa, PoaError,
    SystemExceptionKind, minor,
};
use taut_giop::real_time::{InternetAddress, LaneEndpoint};
use test_tools::in_own_process;

use super::arena::{Arena, client_at, endpoints, lane, profile_of, real_time_orb};
use super::refusal;
use crate::common::mode::Mode;
use crate::common::process::threads_named;
use crate::common::{Echo, EchoError, EchoRef, EchoSkeleton, EndOfServer, eventually};

#[test]
fn each_operation_has_its_exceptions() {
    let orb = real_time_orb(|settings| settings.real_time.max_threadpool_threads = 8);
    let _end = EndOfServer::of(&orb);
    let rt = orb.real_time().unwrap();
    let invalid = (SystemExceptionKind::BadParam, minor::INVALID_THREADPOOL);
    let limit = (SystemExceptionKind::ImpLimit, minor::THREADPOOL_LIMIT);
    let out_of_range = (SystemExceptionKind::BadParam, minor::PRIORITY_OUT_OF_RANGE);
    let with_lanes = |lanes: &[ThreadpoolLane], buffers, requests, octets| {
        refusal(rt.create_threadpool_with_lanes(0, lanes, false, buffers, requests, octets))
    };
    assert_eq!(with_lanes(&[], false, 0, 0), invalid);
    assert_eq!(with_lanes(&[lane(1, 0)], false, 0, 0), invalid);
    assert_eq!(with_lanes(&[lane(1, 1), lane(1, 1)], false, 0, 0), invalid);
    assert_eq!(with_lanes(&[lane(1, 1)], true, 0, 0), invalid);
    assert_eq!(with_lanes(&[lane(1, 5), lane(2, 4)], false, 0, 0), limit);
    let huge = lane(1, u32::MAX).dynamic_threads(u32::MAX);
    assert_eq!(with_lanes(&[huge], false, 0, 0), limit);
    let refused = refusal(rt.create_threadpool(0, 1, 0, -1, false, 0, 0));
    assert_eq!(refused, out_of_range);
    assert_eq!(
        refusal(rt.create_threadpool(0, 0, 0, 1, false, 0, 0)),
        invalid
    );
    // A lane that cannot listen, and one whose CPU the machine does not have.
    let taken = orb.root_poa().map(|_| orb.published_addresses()[0].clone());
    let taken = format!("iiop://{}", taken.unwrap()).parse().unwrap();
    let refused = rt.create(&Threadpool::with_lanes([lane(1, 1).listen_at(taken)]));
    let cannot_listen = (SystemExceptionKind::Initialize, minor::LANE_CANNOT_LISTEN);
    assert_eq!(refusal(refused), cannot_listen);
    let refused = rt.create(&Threadpool::new(1).cpus([1_000_000]));
    let no_cpu = (SystemExceptionKind::NoResources, minor::REAL_TIME_RESOURCES);
    assert_eq!(refusal(refused), no_cpu);

    // No refused pool has taken a number.
    let pool = rt.create_threadpool(262_144, 1, 1, 1, true, 1, 0).unwrap();
    assert_eq!(pool, ThreadpoolId(1));
    let other = ThreadpoolId(2);
    let unknown = ThreadpoolError::Invalid(InvalidThreadpool(other));
    assert_eq!(rt.destroy_threadpool(other), Err(unknown));
    let policy = rt.create_threadpool_policy(other);
    let root = orb.root_poa().unwrap();
    let policies = [IdAssignmentPolicy::UserId.into(), policy.into()];
    let refused = root.create_poa("a", None, &policies).unwrap_err();
    assert_eq!(refused, PoaError::InvalidPolicy { index: 1 });
    rt.destroy_threadpool(pool).unwrap();
    let again = ThreadpoolError::Invalid(InvalidThreadpool(pool));
    assert_eq!(rt.destroy_threadpool(pool), Err(again));
    let policies = [rt.create_threadpool_policy(pool).into()];
    let refused = root.create_poa("a", None, &policies).unwrap_err();
    assert_eq!(refused, PoaError::InvalidPolicy { index: 0 });

    orb.shutdown(true).unwrap();
    let stopped = (SystemExceptionKind::BadInvOrder, minor::omg(4));
    assert_eq!(refusal(rt.create(&Threadpool::new(1))), stopped);
}

#[test]
fn a_pool_with_poas_is_not_destroyed_until_they_are() {
    let arena = Arena::of(&Threadpool::with_lanes([lane(1, 1)]));
    let client = arena.at(0);
    assert_eq!(client.echo("before").unwrap(), "before");
    let child = arena.poa.create_poa("other pool", None, &[]).unwrap();
    let refused = arena.real_time.destroy_threadpool(arena.pool).unwrap_err();
    let ThreadpoolError::System(exception) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(exception.minor, minor::THREADPOOL_IN_USE);
    let told = "has POAs that are bound to it: 1";
    assert!(exception.to_string().contains(told), "{exception}");
    // It goes on.
    assert_eq!(client.echo("between").unwrap(), "between");
    drop(child);
    arena.poa.destroy(true, true).unwrap();
    arena.real_time.destroy_threadpool(arena.pool).unwrap();
    let gone = client.echo("after").unwrap_err();
    let EchoError::System(gone) = gone else {
        panic!("{gone:?}");
    };
    assert_eq!(gone.kind, SystemExceptionKind::Transient, "{gone}");
    // The others go on.
    arena.root.create_poa("another", None, &[]).unwrap();
}

#[test]
fn references_tell_the_endpoint_of_each_lane_with_its_priority() {
    let lanes = [lane(5, 1), lane(9, 1), lane(1, 1)];
    let arena = Arena::of(&Threadpool::with_lanes(lanes));
    let told = endpoints(&arena.object);
    let priorities: Vec<_> = told.iter().map(|endpoint| endpoint.priority).collect();
    assert_eq!(priorities, [5, 9, 1]);
    let profile = profile_of(&arena.object);
    let own = InternetAddress {
        host: profile.host.clone(),
        port: profile.port,
    };
    assert_eq!(told[0].address, own);
    let alternates = profile.alternate_addresses().map(Result::unwrap);
    let alternates: Vec<_> = alternates.map(|address| address.port).collect();
    assert_eq!(alternates, [told[1].address.port, told[2].address.port]);
    // Those of the ORB itself are others, and tell nothing of lanes.
    let of_root = arena
        .root
        .activate(EchoSkeleton(Arc::clone(&arena.witness)));
    let of_root = of_root.unwrap();
    let profile = profile_of(&of_root);
    let tag = taut_giop::component::tag::TAO_ENDPOINTS;
    assert!(profile.component(tag).is_none());
    assert!(
        told.iter()
            .all(|endpoint| endpoint.address.port != profile.port)
    );
}

/// A reference of a POA that is bound to a pool with these lanes.
fn reference_of_lanes(orb: &Orb, lanes: [ThreadpoolLane; 2]) -> ObjectRef {
    let real_time = orb.real_time().unwrap();
    let pool = real_time.create(&Threadpool::with_lanes(lanes)).unwrap();
    let policies = [ThreadpoolPolicy(pool).into()];
    let root = orb.root_poa().unwrap();
    let poa = root.create_poa("lanes", None, &policies).unwrap();
    poa.create_reference("IDL:test/Echo:1.0").unwrap()
}

#[test]
fn lanes_listen_where_an_argument_says() {
    let port = test_tools::free_port().unwrap();
    let line = format!("-ORBLaneListenEndpoints 1:1 127.0.0.1:{port}");
    let mut arguments = line.split(' ').map(str::to_owned).collect();
    let builder = Orb::builder().arguments(&mut arguments).unwrap();
    let builder = builder.listen("127.0.0.1:0").unwrap();
    let orb = builder.real_time(RealTime::new()).build().unwrap();
    let _end = EndOfServer::of(&orb);
    let object = reference_of_lanes(&orb, [lane(1, 1), lane(2, 1)]);
    let told = endpoints(&object.unchecked_narrow());
    assert_eq!(told[1].address.port, port);
    assert_ne!(told[0].address.port, port);
}

#[test]
fn unix_domain_sockets_of_lanes_are_told_with_their_priorities() {
    let builder = Orb::builder().listen("uiop://").unwrap();
    let builder = builder.real_time(RealTime::new()).settings(|settings| {
        Mode::unix().adjust(settings);
    });
    let orb = builder.build().unwrap();
    let _end = EndOfServer::of(&orb);
    let object = reference_of_lanes(&orb, [lane(3, 1), lane(7, 1)]);
    let profiles = &object.ior().profiles;
    assert_eq!(profiles.len(), 2);
    for (profile, expected) in profiles.iter().zip([[3, 7], [7, 3]]) {
        let limits = taut_giop::Limits::DEFAULT;
        let read = taut_giop::ior::UiopProfile::parse_within(&profile.data, &limits).unwrap();
        let mut components = read.components.iter();
        let tag = taut_giop::component::tag::TAO_ENDPOINTS;
        let component = components.find(|component| component.tag == tag);
        let told = LaneEndpoint::<String>::read_all(component.unwrap(), &limits).unwrap();
        assert_eq!(
            told.iter().map(|lane| lane.priority).collect::<Vec<_>>(),
            expected
        );
        assert_eq!(told[0].address, read.path);
    }
}

#[test]
fn threads_of_a_lane_serve_its_connections_alone_and_at_its_priority() {
    let lanes = [lane(0, 2), lane(32_767, 2)];
    let arena = Arena::of(&Threadpool::with_lanes(lanes));
    let applies = arena.real_time.applies_native_priorities();
    for (place, native) in [(0, 1), (1, 9)] {
        let client = arena.at(place);
        for _ in 0..10 {
            client.echo(&format!("lane {place}")).unwrap();
        }
        let seen = arena.witness.seen.lock().clone();
        let what = format!("lane {place}");
        let of_lane: Vec<_> = seen.iter().filter(|seen| seen.what == what).collect();
        assert_eq!(of_lane.len(), 10);
        for seen in of_lane {
            assert_eq!(seen.thread, format!("taut lane {}:{place}", arena.pool));
            match applies {
                true => assert_eq!(seen.native, Some(native)),
                false => eprintln!("LEFT OUT: native priorities are not allowed here"),
            }
        }
    }
}

#[test]
fn a_request_that_comes_to_another_endpoint_is_forwarded_to_a_lane() {
    let lanes = [lane(0, 1), lane(9, 1)];
    for poa in ["transient", "persistent"] {
        let arena = Arena::of(&Threadpool::with_lanes(lanes.clone()));
        let object = match poa {
            "transient" => arena.object.clone(),
            _ => {
                let policies = [
                    ThreadpoolPolicy(arena.pool).into(),
                    LifespanPolicy::Persistent.into(),
                    IdAssignmentPolicy::UserId.into(),
                ];
                let poa = arena
                    .root
                    .create_poa(poa, Some(arena.root.manager()), &policies);
                let servant = EchoSkeleton(Arc::clone(&arena.witness));
                poa.unwrap()
                    .activate_with_id(&"id".into(), servant)
                    .unwrap()
            }
        };
        let client = client_at(&object, &arena.orb.published_addresses()[0]);
        assert_eq!(client.echo("elsewhere").unwrap(), "elsewhere");
        let expected = format!("taut lane {}:0", arena.pool);
        assert_eq!(arena.threads_of("elsewhere"), [expected]);
    }
}

#[test]
fn an_orb_has_a_pool_for_the_poas_that_are_made_from_then_on() {
    let orb = real_time_orb(|_| {});
    let _end = EndOfServer::of(&orb);
    let pool = orb
        .real_time()
        .unwrap()
        .create(&Threadpool::new(1))
        .unwrap();
    let before = orb.root_poa().unwrap();
    let policies = [ThreadpoolPolicy(pool).into()];
    let how = SetOverrideType::Add;
    orb.policy_manager()
        .set_policy_overrides(&policies, how)
        .unwrap();
    let after = before.create_poa("after", None, &[]).unwrap();
    let port = |poa: &Poa| {
        let object = poa.create_reference("IDL:test/Echo:1.0").unwrap();
        profile_of(&object.unchecked_narrow()).port
    };
    assert_eq!(Some(port(&before)), orb.published_addresses()[0].port());
    assert_ne!(port(&after), port(&before));
    let refused = orb.real_time().unwrap().destroy_threadpool(pool);
    assert!(
        matches!(refused, Err(ThreadpoolError::System(_))),
        "{refused:?}"
    );
}

/// It was told of a pool only where the POA's own policies name it.
#[test]
fn an_interceptor_is_told_the_pool_that_a_poa_has_by_its_orb() {
    type Told = (String, Option<u32>);
    #[derive(Clone, Default)]
    struct Asking(Arc<Mutex<Vec<Told>>>);
    impl IorInterceptor for Asking {
        fn name(&self) -> &str {
            "asking"
        }
        fn establish_components(&self, info: &mut IorInfo<'_>) -> taut::Result<()> {
            let name = info.adapter_name().join("/");
            let pool = info.get_effective_policy(41);
            self.0.lock().push((name, pool));
            Ok(())
        }
    }
    let asking = Asking::default();
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let builder = builder.real_time(RealTime::new());
    let orb = builder.ior_interceptor(asking.clone()).build().unwrap();
    let _end = EndOfServer::of(&orb);
    let pool = orb.real_time().unwrap().create(&Threadpool::new(1));
    let pool = pool.unwrap();
    let policies = [ThreadpoolPolicy(pool).into()];
    let root = orb.root_poa().unwrap();
    root.create_poa("none", None, &[]).unwrap();
    root.create_poa("own", None, &[ThreadpoolPolicy(pool).into()])
        .unwrap();
    orb.policy_manager()
        .set_policy_overrides(&policies, SetOverrideType::Add)
        .unwrap();
    root.create_poa("of the ORB", None, &[]).unwrap();
    let told = |name: &str, pool| (format!("RootPOA/{name}"), pool);
    let number = pool.to_string().parse().ok();
    let expected = [
        told("none", None),
        told("own", number),
        told("of the ORB", number),
    ];
    let asked = asking.0.lock();
    assert!(asked.ends_with(&expected), "{asked:?}");
}

#[test]
fn a_flooded_low_lane_does_not_keep_a_high_one_waiting() {
    const CALLS: usize = 500;
    let lanes = [lane(0, 1), lane(32_767, 1)];
    let arena = Arena::of(&Threadpool::with_lanes(lanes));
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        // They wait in their sockets, or are refused; the low lane's thread is kept.
        let flood: Vec<_> = (0..8).map(|_| arena.at(0)).collect();
        for client in flood {
            scope.spawn(move || {
                for _ in 0..20 {
                    let _ = client.echo("flood");
                }
            });
        }
        let high = arena.at(1);
        for _ in 0..CALLS {
            high.echo("high").unwrap();
        }
        assert_eq!(arena.threads_of("high").len(), CALLS);
        assert!(arena.threads_of("flood").is_empty());
        arena.release.send(()).unwrap();
    });
}

#[test]
fn a_request_without_a_thread_or_a_buffer_is_refused_with_transient() {
    let arena = Arena::of(&Threadpool::with_lanes([lane(5, 2)]));
    thread::scope(|scope| {
        arena.block(scope, arena.at(0));
        let client = arena.at(0);
        // One thread is left.
        client.echo("served").unwrap();
        arena.block(scope, arena.at(0));
        let refused = client.echo("refused").unwrap_err();
        let EchoError::System(exception) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            exception.kind,
            SystemExceptionKind::Transient,
            "{exception}"
        );
        assert_eq!(exception.minor, minor::THREADS_EXHAUSTED, "{exception}");
        assert!(arena.threads_of("refused").is_empty());
        arena.release.send(()).unwrap();
        eventually("a thread of the lane", || client.echo("again").is_ok());
        arena.release.send(()).unwrap();
    });
}

#[test]
fn dynamic_threads_come_when_all_are_at_work_and_go_when_there_is_nothing_to_do() {
    // The threads of a process are counted.
    in_own_process(
        dynamic_threads_come_when_all_are_at_work_and_go_when_there_is_nothing_to_do,
        dynamic_threads_come_and_go,
    );
}

fn dynamic_threads_come_and_go() {
    let pool = Threadpool::with_lanes([lane(5, 1).dynamic_threads(2)])
        .dynamic_thread_idle_time(Duration::from_millis(50));
    let arena = Arena::of(&pool);
    let name = format!("taut lane {}:0", arena.pool);
    let threads = || threads_named(&name);
    eventually("the static thread", || threads() == 1);
    thread::scope(|scope| {
        for _ in 0..3 {
            arena.block(scope, arena.at(0));
        }
        assert_eq!(threads(), 3);
        // There may be no fourth.
        let refused = arena.at(0).echo("refused");
        assert!(refused.is_err(), "{refused:?}");
        (0..3).for_each(|_| arena.release.send(()).unwrap());
    });
    eventually("the end of the dynamic threads", || threads() == 1);
    let client = arena.at(0);
    client.echo("after").unwrap();
    // A lane may have dynamic threads alone.
    let arena = Arena::of(&Threadpool::new(0).dynamic_threads(1));
    let client = client_at(&arena.object, &address_of(&arena.object));
    client.echo("dynamic").unwrap();
}

fn address_of(object: &EchoRef) -> Address {
    let profile = profile_of(object);
    Address::new(profile.host, profile.port)
}

#[test]
fn a_lane_borrows_threads_of_lower_lanes_alone_and_gives_them_back() {
    let lanes = [lane(0, 1), lane(16_000, 1), lane(32_767, 1)];
    let arena = Arena::of(&Threadpool::with_lanes(lanes).borrowing(true));
    let applies = arena.real_time.applies_native_priorities();
    let (low, high) = (arena.at(0), arena.at(2));
    thread::scope(|scope| {
        // Its own thread, then that of the middle lane, then that of the low one.
        for (place, what) in [(2, "own"), (1, "middle"), (0, "low")] {
            arena.block(scope, arena.at(2));
            let seen = arena.witness.seen.lock().last().cloned().unwrap();
            let name = format!("taut lane {}:{place}", arena.pool);
            assert_eq!(seen.thread, name, "{what}");
            if applies {
                assert_eq!(seen.native, Some(9), "{what}");
            }
        }
        // The low lane has lent its thread, and borrows none of the others.
        let refused = low.echo("refused");
        assert!(refused.is_err(), "{refused:?}");
        (0..3).for_each(|_| arena.release.send(()).unwrap());
    });
    for (place, client, native) in [(0, &low, 1), (2, &high, 9)] {
        let what = format!("after {place}");
        eventually("a thread of its own lane", || client.echo(&what).is_ok());
        let seen = arena.witness.seen.lock().last().cloned().unwrap();
        assert_eq!(seen.thread, format!("taut lane {}:{place}", arena.pool));
        if applies {
            assert_eq!(seen.native, Some(native));
        }
    }
}

#[test]
fn threads_without_lanes_have_the_default_priority() {
    let arena = Arena::of(&Threadpool::new(1).default_priority(Priority::MAX));
    let client = client_at(&arena.object, &address_of(&arena.object));
    client.echo("text").unwrap();
    let seen = arena.witness.seen.lock()[0].clone();
    match arena.real_time.applies_native_priorities() {
        true => assert_eq!(seen.native, Some(9)),
        false => eprintln!("LEFT OUT: native priorities are not allowed here"),
    }
}

#[test]
fn threads_have_the_stack_that_is_asked_for() {
    // Other tests give memory back.
    in_own_process(threads_have_the_stack_that_is_asked_for, measure_stacks);
}

fn measure_stacks() {
    let orb = real_time_orb(|_| {});
    let _end = EndOfServer::of(&orb);
    let rt = orb.real_time().unwrap();
    let stack = 40 << 20;
    let before = virtual_memory();
    rt.create_threadpool(stack, 2, 0, 32_767, false, 0, 0)
        .unwrap();
    // Two threads and the keeper.
    assert!(virtual_memory() >= before + 3 * u64::from(stack));
}

/// The octets of this process's address space.
fn virtual_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kibibytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kibibytes.parse::<u64>().unwrap() << 10
}

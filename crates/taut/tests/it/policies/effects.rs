//! The effects of policies that are neither of times nor of rebinding: each at each level.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use taut::policy::{
    BufferingConstraintPolicy, ClientProtocolPolicy, CollocationPolicy, MaxForwardsPolicy, Policy,
    ProtocolFallback, ProtocolFallbackPolicy, SetOverrideType, SyncScopePolicy,
    TransportOrderPolicy, WaitStrategyPolicy,
};
use taut::{
    CallContext, CollocationStrategy, Orb, Reference, SyncScope, SystemExceptionKind,
    TransportOrder, WaitStrategy, minor,
};
use taut_giop::ior::profile::tag;

use super::{LEVELS, Level, PATIENCE, with, witness};
use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, Server, eventually, orb_and_client};

#[test]
fn a_oneway_waits_for_what_its_policy_says() {
    let server = Server::start();
    server.poa.create_reference("IDL:test/Echo:1.0").unwrap();
    // Nobody has such an object: only those who wait for the target get to know it.
    let absent = server.poa.create_reference("IDL:test/Echo:1.0").unwrap();
    for is_shared in [false, true] {
        let (orb, echo) = orb_and_client(&absent.to_string(), |settings| {
            if is_shared {
                settings.client.connection_sharing = taut::ConnectionSharing::Shared;
            }
        });
        for level in LEVELS {
            let scope = |scope| [(level, SyncScopePolicy(scope).into())];
            let note = |echo: &EchoRef| echo.note("oneway");
            let exception = with(&scope(SyncScope::WithTarget), &orb, &echo, note).unwrap_err();
            assert_eq!(
                exception.kind,
                SystemExceptionKind::ObjectNotExist,
                "{level:?}"
            );
            with(&scope(SyncScope::None), &orb, &echo, note).unwrap();
            with(&scope(SyncScope::WithTransport), &orb, &echo, note).unwrap();
            note(&echo).unwrap();
        }
        // The reference's own comes before the thread's, whichever it is.
        let both = [
            (Level::Thread, SyncScopePolicy(SyncScope::WithTarget).into()),
            (
                Level::Reference,
                SyncScopePolicy(SyncScope::WithTransport).into(),
            ),
        ];
        with(&both, &orb, &echo, |echo| echo.note("oneway")).unwrap();
        let both = [
            (Level::Orb, SyncScopePolicy(SyncScope::WithTransport).into()),
            (Level::Thread, SyncScopePolicy(SyncScope::WithTarget).into()),
        ];
        with(&both, &orb, &echo, |echo| echo.note("oneway")).unwrap_err();
    }
}

#[test]
fn one_call_by_name_has_policies_of_its_own() {
    let server = Server::start();
    let absent = server.poa.create_reference("IDL:test/Echo:1.0").unwrap();
    let (_, echo) = orb_and_client(&absent.to_string(), |_| ());
    let context = CallContext::new();
    let context = context
        .with_policy(SyncScopePolicy(SyncScope::WithTarget))
        .unwrap();
    let object = echo.as_object();
    let note = |out: &mut taut::codegen::Encoder| taut::codegen::Encode::encode("oneway", out);
    object.invoke_oneway("note", note).unwrap();
    let end = object.invoke_oneway_with(&context, "note", note);
    assert_eq!(end.unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
    let context = CallContext::new()
        .with_policy(MaxForwardsPolicy(0))
        .unwrap();
    server.orb.bind_object_key("Moved", server.echo.as_object());
    let moved = crate::common::client(&server.url("Moved"));
    let ping = moved.as_object().invoke_with(&context, "ping", |_| Ok(()));
    assert_eq!(ping.map(drop).unwrap_err().minor, minor::TOO_MANY_FORWARDS);
}

/// Waits until the servant has so many oneways.
fn arrive(server: &Server, count: u32) {
    eventually("their arrival", || {
        server.servant.notes.load(Ordering::SeqCst) == count
    });
}

#[test]
fn oneways_are_sent_together_as_their_buffering_constraint_says() {
    for is_shared in [false, true] {
        for level in LEVELS {
            let server = Server::start();
            let (orb, echo) = orb_and_client(&server.ior(), |settings| {
                settings.client.sync_scope = SyncScope::None;
                settings.client.oneway_batch_timeout = Duration::from_secs(3_600);
                if is_shared {
                    settings.client.connection_sharing = taut::ConnectionSharing::Shared;
                }
            });
            let notes = |echo: &EchoRef, count: usize| {
                (0..count).for_each(|_| echo.note("oneway").unwrap());
            };
            let constraint = |constraint: BufferingConstraintPolicy| [(level, constraint.into())];
            // Open, and bound.
            assert_eq!(echo.notes().unwrap(), 0);
            let three = BufferingConstraintPolicy {
                message_count: Some(3),
                ..BufferingConstraintPolicy::default()
            };
            with(&constraint(three), &orb, &echo, |echo| notes(echo, 2));
            assert_eq!(server.servant.notes.load(Ordering::SeqCst), 0);
            with(&constraint(three), &orb, &echo, |echo| notes(echo, 1));
            arrive(&server, 3);
            let octets = BufferingConstraintPolicy {
                message_bytes: Some(1),
                ..BufferingConstraintPolicy::default()
            };
            with(&constraint(octets), &orb, &echo, |echo| notes(echo, 1));
            arrive(&server, 4);
            let timeout = BufferingConstraintPolicy {
                timeout: Some(Duration::from_millis(1)),
                ..BufferingConstraintPolicy::default()
            };
            // Those that waited for the ORB's time go along.
            notes(&echo, 2);
            with(&constraint(timeout), &orb, &echo, |echo| notes(echo, 1));
            arrive(&server, 7);
            with(&constraint(timeout), &orb, &echo, |echo| notes(echo, 1));
            arrive(&server, 8);
            // Those without any bound wait until they are told.
            let none = BufferingConstraintPolicy::default();
            with(&constraint(none), &orb, &echo, |echo| notes(echo, 2));
            assert_eq!(server.servant.notes.load(Ordering::SeqCst), 8);
            orb.flush_oneways(PATIENCE).unwrap();
            arrive(&server, 10);
        }
    }
}

#[test]
fn a_oneway_without_a_bound_does_not_keep_others_from_being_sent_in_their_time() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |settings| {
        settings.client.sync_scope = SyncScope::None;
    });
    assert_eq!(echo.notes().unwrap(), 0);
    let none = BufferingConstraintPolicy::default().into();
    with(&[(Level::Thread, none)], &orb, &echo, |echo| {
        echo.note("waits")
    })
    .unwrap();
    echo.note("is sent within a millisecond, and the other before it")
        .unwrap();
    arrive(&server, 2);
}

#[test]
fn forwards_are_followed_as_often_as_the_policy_says() {
    let (forwarder, server) = (Server::start(), Server::start());
    let target = server.client();
    forwarder.orb.bind_object_key("Moved", target.as_object());
    for level in LEVELS {
        let (orb, echo) = orb_and_client(&forwarder.url("Moved"), |_| ());
        let set = [(level, MaxForwardsPolicy(0).into())];
        let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
        assert_eq!(exception.minor, minor::TOO_MANY_FORWARDS, "{exception}");
        let text = exception.to_string();
        assert!(
            text.contains("the limit is MaxForwardsPolicy = 0"),
            "{text}"
        );
        let set = [(level, MaxForwardsPolicy(1).into())];
        with(&set, &orb, &echo, |echo| echo.ping()).unwrap();
    }
}

#[test]
fn replies_are_waited_for_as_the_policy_says() {
    let server = Server::start();
    for strategy in [
        WaitStrategy::Spin,
        WaitStrategy::Adaptive,
        WaitStrategy::Block,
    ] {
        let (orb, echo) = orb_and_client(&server.ior(), |_| ());
        for level in LEVELS {
            let set = [(level, WaitStrategyPolicy(strategy).into())];
            with(&set, &orb, &echo, |echo| {
                let found = echo
                    .as_object()
                    .get_client_policy(taut::policy::PolicyType::WAIT_STRATEGY)
                    .unwrap();
                if level != Level::Call {
                    assert_eq!(found.value(), Some(&WaitStrategyPolicy(strategy)));
                }
                for _ in 0..3 {
                    assert_eq!(echo.echo("hello").unwrap(), "hello");
                }
            });
        }
    }
}

/// A server with a TCP address and a socket, in this order.
fn both() -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    Mode::tcp().server_from(builder.listen("uiop://").unwrap())
}

#[test]
fn calls_go_by_the_protocol_and_in_the_order_that_their_policies_say() {
    let server = both();
    let (witness, echo) = witness(&server.orb);
    let (orb, echo) = orb_and_client(&echo.as_object().to_string(), |_| ());
    let is_tcp = |set: &[(Level, Policy)]| {
        with(set, &orb, &echo, |echo| echo.ping()).unwrap();
        let peer = witness.seen().unwrap().peer.unwrap();
        peer.starts_with("127.0.0.1:")
    };
    let protocols = |tags: &[u32]| Policy::from(ClientProtocolPolicy::of(tags.iter().copied()));
    let order = |order| Policy::from(TransportOrderPolicy(order));
    const UNKNOWN: u32 = 0x4d59_0001;
    assert!(!is_tcp(&[]));
    for level in LEVELS {
        assert!(is_tcp(&[(level, protocols(&[tag::INTERNET_IOP]))]));
        assert!(!is_tcp(&[(
            level,
            protocols(&[tag::TAO_UIOP, tag::INTERNET_IOP])
        )]));
        assert!(is_tcp(&[(level, protocols(&[UNKNOWN, tag::INTERNET_IOP]))]));
        assert!(is_tcp(&[(level, order(TransportOrder::AsPublished))]));
        assert!(!is_tcp(&[(level, order(TransportOrder::LocalFirst))]));
        // None of those that are preferred can be had.
        let unknown = [(level, protocols(&[UNKNOWN]))];
        let exception = with(&unknown, &orb, &echo, |echo| echo.ping().unwrap_err());
        assert_eq!(
            exception.kind,
            SystemExceptionKind::InvPolicy,
            "{exception}"
        );
        assert_eq!(exception.minor, minor::NO_PREFERRED_PROTOCOL, "{exception}");
        let text = exception.to_string();
        assert!(
            text.contains("ClientProtocolPolicy names the profile tags"),
            "{text}"
        );
        let silent = ProtocolFallbackPolicy(ProtocolFallback::Silent);
        let [only] = unknown;
        assert!(!is_tcp(&[only.clone(), (level, silent.into())]));
        assert!(is_tcp(&[
            only,
            (level, silent.into()),
            (level, order(TransportOrder::AsPublished)),
        ]));
    }
    assert!(!is_tcp(&[]));
}

#[test]
fn a_preferred_protocol_that_fails_leaves_a_call_to_others_if_the_policy_is_silent() {
    let server = both();
    let [tcp, unix] = server.orb.published_addresses() else {
        panic!("{:?}", server.orb.published_addresses());
    };
    let nobody = test_tools::free_port().unwrap();
    assert_ne!(Some(nobody), tcp.port());
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let path = unix.path().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{nobody},uiop:1.2@{path}|/Echo");
    let (orb, echo) = orb_and_client(&url, |_| ());
    let tcp_only = Policy::from(ClientProtocolPolicy::of([tag::INTERNET_IOP]));
    let set = [(Level::Orb, tcp_only.clone())];
    let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
    assert_eq!(exception.minor, minor::CONNECT_FAILED, "{exception}");
    let silent = ProtocolFallbackPolicy(ProtocolFallback::Silent).into();
    let set = [(Level::Orb, tcp_only), (Level::Orb, silent)];
    with(&set, &orb, &echo, |echo| echo.ping()).unwrap();
}

#[test]
fn objects_of_this_process_are_called_as_references_and_their_orb_say() {
    let server = Server::with(|settings| {
        settings.client.collocation = CollocationStrategy::ThroughPoa;
    });
    let (_, echo) = witness(&server.orb);
    // The stubs of these tests are of the kind that makes messages alone; the ORB's own
    // operations take the short way.
    let url = echo.as_object().to_string();
    let is_direct = |object: &taut::ObjectRef| object.collocation() != CollocationStrategy::Off;
    let off: Policy = CollocationPolicy(CollocationStrategy::Off).into();
    let object = server.orb.string_to_object(&url).unwrap();
    let how = SetOverrideType::Set;
    let by_message = object
        .set_policy_overrides(std::slice::from_ref(&off), how)
        .unwrap();
    assert!(!is_direct(&by_message));
    let manager = server.orb.policy_manager();
    manager.set_policy_overrides(&[off], how).unwrap();
    let later = server.orb.string_to_object(&url).unwrap();
    manager.set_policy_overrides(&[], how).unwrap();
    assert!(!is_direct(&later));
    for object in [&object, &by_message, &later] {
        assert!(!object.non_existent().unwrap());
        object.unchecked_narrow::<EchoRef>().ping().unwrap();
    }
}

#[test]
fn policies_of_a_thread_are_no_other_thread_s() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let over = taut::policy::RelativeRoundtripTimeoutPolicy::from(Duration::ZERO);
    with(&[(Level::Thread, over.into())], &orb, &echo, |echo| {
        echo.ping().unwrap_err();
        thread::scope(|scope| scope.spawn(|| echo.ping()).join().unwrap()).unwrap();
        echo.ping().unwrap_err();
    });
    echo.ping().unwrap();
}

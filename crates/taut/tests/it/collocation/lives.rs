//! When ORBs stop, and others come in their place.

use std::thread;
use std::time::Duration;

use taut::{CollocationStrategy, Orb, Reference, SystemExceptionKind};
use test_tools::free_port;

use super::{BLOCKS, Circle, CircleRef, Home, client, kind};

#[test]
fn an_object_whose_orb_has_stopped_is_as_far_as_any() {
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let home = Home::new();
        let circle = home.seen_by(&client()).with_collocation(strategy);
        circle.radius().unwrap();
        circle.radius().unwrap();
        assert!(home.servant.ran_here());
        home.orb.shutdown(true).unwrap();
        // Nobody listens there any more.
        assert_eq!(kind(circle.radius()), Some(SystemExceptionKind::Transient));
        assert_eq!(
            kind(circle.as_object().locate()),
            Some(SystemExceptionKind::Transient)
        );
        // The ORB's own references know it.
        assert_eq!(
            kind(home.circle.radius()),
            Some(SystemExceptionKind::BadInvOrder)
        );
        assert_eq!(
            kind(home.circle.log("text")),
            Some(SystemExceptionKind::BadInvOrder)
        );
    }
}

#[test]
fn a_caller_whose_own_orb_has_stopped_calls_nobody() {
    let (home, orb) = (Home::unreachable(), client());
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let circle = home.seen_by(&orb).with_collocation(strategy);
        circle.radius().unwrap();
        circle.radius().unwrap();
    }
    let circles = [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct]
        .map(|strategy| home.seen_by(&orb).with_collocation(strategy));
    for circle in &circles {
        circle.radius().unwrap();
        circle.radius().unwrap();
    }
    orb.shutdown(true).unwrap();
    for circle in &circles {
        assert_eq!(
            kind(circle.radius()),
            Some(SystemExceptionKind::BadInvOrder)
        );
    }
}

#[test]
fn an_orb_that_stops_waits_for_the_calls_under_way() {
    let home = Home::unreachable();
    let circle = home.seen_by(&client());
    thread::scope(|scope| {
        let call = scope.spawn(|| circle.outline(BLOCKS));
        home.entered.recv().unwrap();
        let stop = scope.spawn(|| home.orb.shutdown(true));
        thread::sleep(Duration::from_millis(50));
        assert!(!stop.is_finished());
        home.release.send(()).unwrap();
        call.join().unwrap().unwrap();
        stop.join().unwrap().unwrap();
    });
}

#[test]
fn calls_that_are_held_do_not_keep_an_orb_from_stopping() {
    let home = Home::unreachable();
    home.poa.manager().hold_requests(false).unwrap();
    let circle = home.seen_by(&client());
    thread::scope(|scope| {
        let call = scope.spawn(|| circle.radius());
        thread::sleep(Duration::from_millis(20));
        home.orb.shutdown(true).unwrap();
        let kind = kind(call.join().unwrap());
        // Held, or not begun.
        assert!(
            matches!(
                kind,
                Some(SystemExceptionKind::ObjAdapter | SystemExceptionKind::Transient)
            ),
            "{kind:?}"
        );
    });
}

/// Else it would wait for itself.
#[test]
fn a_servant_may_not_wait_for_its_orb_to_stop() {
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let home = Home::unreachable();
        let circle = home.circle.with_collocation(strategy);
        circle.radius().unwrap();
        circle.radius().unwrap();
        *home.servant.orb.lock() = Some(home.orb.clone());
        let exception = circle.feed(&[]).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::BadInvOrder);
        assert_eq!(exception.minor & 0xfff, 3);
    }
}

/// Two ORBs with the same port, one after the other: what was bound to the first
/// must not reach its servant, and finds the second as others do.
#[test]
fn the_successor_at_a_port_is_not_taken_for_its_predecessor() {
    let endpoint = format!("127.0.0.1:{}", free_port().unwrap());
    let first = Home::with(Orb::builder().listen(&endpoint).unwrap());
    let orb = client();
    let key = || -> CircleRef {
        let url = format!("corbaloc::{endpoint}/Circle");
        orb.string_to_object(&url).unwrap().unchecked_narrow()
    };
    first
        .orb
        .bind_object_key("Circle", first.circle.as_object());
    let (stale, by_key) = (first.seen_by(&orb), key());
    let direct = stale.with_collocation(CollocationStrategy::Direct);
    for circle in [&stale, &by_key, &direct] {
        circle.radius().unwrap();
        circle.radius().unwrap();
    }
    first.orb.shutdown(true).unwrap();
    *first.servant.thread.lock() = None;

    let second = Home::with(Orb::builder().listen(&endpoint).unwrap());
    second
        .orb
        .bind_object_key("Circle", second.circle.as_object());
    for circle in [&stale, &direct, &first.seen_by(&orb)] {
        assert_eq!(
            kind(circle.radius()),
            Some(SystemExceptionKind::ObjectNotExist)
        );
    }
    // The key is asked for at the old place by message, and leads to the new one.
    by_key.radius().unwrap();
    by_key.radius().unwrap();
    assert!(second.servant.ran_here());
    key().radius().unwrap();
    assert!(second.servant.ran_here());
    second.seen_by(&orb).radius().unwrap();
    assert!(second.servant.ran_here());
    assert!(first.servant.thread.lock().is_none());
}

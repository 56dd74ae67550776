//! The ways in which the strategies make calls.

use std::sync::Arc;
use std::thread;

use taut::{CollocationStrategy, Orb, Reference, SystemExceptionKind};

use super::{Circle, Home, Shape, client, eventually, kind};

#[test]
fn unless_told_otherwise_a_call_runs_in_the_callers_thread() {
    let home = Home::unreachable();
    assert_eq!(
        home.circle.as_object().collocation(),
        CollocationStrategy::ThroughPoa
    );
    assert_eq!(home.circle.radius().unwrap(), 1.0);
    assert!(home.servant.ran_here());
}

#[test]
fn a_reference_has_the_strategy_that_it_was_given() {
    let home = Home::new();
    for (strategy, is_here) in [
        (CollocationStrategy::ThroughPoa, true),
        (CollocationStrategy::Direct, true),
        (CollocationStrategy::Off, false),
    ] {
        let circle = home.circle.with_collocation(strategy);
        assert_eq!(circle.as_object().collocation(), strategy);
        for _ in 0..3 {
            circle.set_radius(2.0).unwrap();
            assert_eq!(home.servant.ran_here(), is_here, "{strategy:?}");
        }
        // Other policies of a reference stay as they are, and the other way round.
        let scoped = circle.with_sync_scope(taut::SyncScope::WithTarget);
        assert_eq!(scoped.as_object().collocation(), strategy);
        let again = scoped.with_collocation(strategy);
        assert_eq!(again.as_object().sync_scope(), taut::SyncScope::WithTarget);
    }
}

#[test]
fn an_orb_has_the_strategy_of_its_arguments() {
    let home = Home::new();
    for (value, is_here) in [("off", false), ("direct", true), ("thru_poa", true)] {
        let mut arguments = vec!["-ORBCollocationStrategy".to_owned(), value.to_owned()];
        let orb = Orb::init(&mut arguments).unwrap();
        let circle = home.seen_by(&orb);
        for _ in 0..2 {
            circle.radius().unwrap();
            assert_eq!(home.servant.ran_here(), is_here, "{value}");
        }
    }
}

/// With `Off` nothing is done without a message, not even what every object is
/// asked.
#[test]
fn off_sends_messages_for_everything() {
    let home = Home::unreachable();
    let circle = home.circle.with_collocation(CollocationStrategy::Off);
    let object = circle.as_object();
    let transient = Some(SystemExceptionKind::Transient);
    assert_eq!(kind(circle.name()), transient);
    assert_eq!(kind(object.is_a("IDL:other:1.0")), transient);
    assert_eq!(kind(object.non_existent()), transient);
    assert_eq!(kind(object.repository_id()), transient);
    assert_eq!(kind(object.locate()), transient);
    assert_eq!(kind(circle.log("nobody hears")), transient);
    assert!(home.servant.thread.lock().is_none());
}

#[test]
fn a_deactivated_servant_is_let_go_by_references_that_kept_it() {
    let home = Home::new();
    let circle = home.circle.with_collocation(CollocationStrategy::Direct);
    circle.radius().unwrap();
    circle.radius().unwrap();
    assert!(Arc::strong_count(&home.servant) > 1);
    home.deactivate();
    assert_eq!(
        kind(circle.radius()),
        Some(SystemExceptionKind::ObjectNotExist)
    );
    assert_eq!(Arc::strong_count(&home.servant), 1);
}

/// A thread keeps the servants that it calls; any direct call lets go those that
/// are no longer active.
#[test]
fn a_direct_call_lets_go_what_others_called() {
    let (home, other) = (Home::new(), Home::new());
    let direct = |home: &Home| home.circle.with_collocation(CollocationStrategy::Direct);
    let (circle, other) = (direct(&home), direct(&other));
    for circle in [&circle, &other] {
        circle.radius().unwrap();
        circle.radius().unwrap();
    }
    home.deactivate();
    other.radius().unwrap();
    assert_eq!(Arc::strong_count(&home.servant), 1);
}

/// More objects than a thread keeps.
#[test]
fn a_thread_may_call_any_number_of_objects_directly() {
    let homes: Vec<Home> = (0..40).map(|_| Home::unreachable()).collect();
    let direct = |home: &Home| home.circle.with_collocation(CollocationStrategy::Direct);
    let circles: Vec<_> = homes.iter().map(direct).collect();
    for round in 0..3_u8 {
        for (home, circle) in homes.iter().zip(&circles) {
            circle.set_radius(f64::from(round)).unwrap();
            assert!(home.servant.ran_here());
            assert_eq!(*home.servant.radius.lock(), f64::from(round));
        }
    }
    for (home, circle) in homes.iter().zip(&circles) {
        home.deactivate();
        assert!(circle.radius().is_err());
        assert_eq!(Arc::strong_count(&home.servant), 1);
    }
}

/// A servant that has a reference to itself, and calls through it, is a circle
/// unless deactivation opens it.
#[test]
fn a_servant_that_keeps_itself_is_freed_with_its_object() {
    let home = Home::new();
    let circle = home.circle.with_collocation(CollocationStrategy::Direct);
    circle.radius().unwrap();
    circle.radius().unwrap();
    *home.servant.other.lock() = Some(circle.clone().into());
    home.deactivate();
    assert!(circle.radius().is_err());
    assert_eq!(Arc::strong_count(&home.servant), 1);
}

#[test]
fn a_direct_call_asks_nobody_but_for_the_objects_life() {
    let home = Home::new();
    let circle = home.circle.with_collocation(CollocationStrategy::Direct);
    circle.radius().unwrap();
    home.poa.manager().discard_requests(false).unwrap();
    circle.radius().unwrap();
    assert!(home.servant.ran_here());
    // The other strategies do.
    assert_eq!(
        kind(home.circle.radius()),
        Some(SystemExceptionKind::Transient)
    );
}

/// A reference keeps the servant as the interface by which it called first.
#[test]
fn operations_of_all_interfaces_are_called_directly() {
    let home = Home::new();
    let circle = home.circle.with_collocation(CollocationStrategy::Direct);
    circle.radius().unwrap();
    circle.name().unwrap();
    home.poa.manager().discard_requests(false).unwrap();
    for _ in 0..2 {
        assert_eq!(circle.name().unwrap(), "disc");
        assert!(home.servant.ran_here());
        circle.radius().unwrap();
        assert!(home.servant.ran_here());
        circle.log("text").unwrap();
        assert!(home.servant.ran_here());
    }
}

#[test]
fn references_of_many_orbs_keep_a_servant_each_as_long_as_its_orb() {
    let home = Home::new();
    let direct = |orb: &Orb| {
        let seen = home.seen_by(orb);
        let circle = seen.with_collocation(CollocationStrategy::Direct);
        circle.radius().unwrap();
        circle.radius().unwrap();
        assert!(home.servant.ran_here());
        circle
    };
    let (stays, goes) = (client(), client());
    let (circle, other) = (direct(&stays), direct(&goes));
    goes.shutdown(true).unwrap();
    assert_eq!(kind(other.radius()), Some(SystemExceptionKind::BadInvOrder));
    circle.radius().unwrap();
    assert!(home.servant.ran_here());
    // A reference that comes later keeps it, too.
    direct(&stays).radius().unwrap();
    home.deactivate();
    assert_eq!(
        kind(circle.radius()),
        Some(SystemExceptionKind::ObjectNotExist)
    );
    assert_eq!(Arc::strong_count(&home.servant), 1);
}

/// While one thread takes the object away, others call it, in every way.
#[test]
fn a_call_finds_the_servant_or_learns_that_there_is_none() {
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        for _ in 0..50 {
            let home = Home::new();
            let circle = home.seen_by(&client()).with_collocation(strategy);
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while circle.radius().is_ok() {}
                        assert_eq!(
                            kind(circle.radius()),
                            Some(SystemExceptionKind::ObjectNotExist)
                        );
                    });
                }
                home.deactivate();
            });
            let is_dropped = || Arc::strong_count(&home.servant) == 1;
            eventually("the servant's end", is_dropped);
        }
    }
}

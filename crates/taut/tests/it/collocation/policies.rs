//! Policies of calls within the process: they hold as for calls by message, except where the
//! reference keeps its servant.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use taut::policy::{
    CollocationPolicy, Policy, PolicyCurrent, PriorityRange, ReplyStartTimePolicy,
    RequestEndTimePolicy, RequestPriorityPolicy, RequestStartTimePolicy, SetOverrideType,
    SyncScopePolicy,
};
use taut::{
    CollocationStrategy, CompletionStatus, Reference, SyncScope, SystemExceptionKind, minor,
};

use super::generated::demo::{Circle, CircleRef, CircleSkeleton, Shape};
use super::{FAILURE, Home};
use crate::policies::{LEVELS, with};

const TIME: Duration = Duration::from_millis(50);

#[test]
fn times_hold_at_each_level() {
    let home = Home::new();
    for level in LEVELS {
        let name = |policy: Policy| with(&[(level, policy)], &home.orb, &home.circle, Shape::name);
        let start = SystemTime::now() + TIME;
        name(RequestStartTimePolicy(start).into()).unwrap();
        assert!(SystemTime::now() >= start && home.servant.ran_here());
        let start = SystemTime::now() + TIME;
        name(ReplyStartTimePolicy(start).into()).unwrap();
        assert!(SystemTime::now() >= start && home.servant.ran_here());
        let past = SystemTime::now() - TIME;
        let exception = name(RequestEndTimePolicy(past).into()).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::Timeout, "{exception}");
        assert_eq!(exception.minor, minor::NOT_SENT_IN_TIME);
        assert_eq!(exception.completed, CompletionStatus::No);
        assert!(exception.to_string().contains("RequestEndTimePolicy"));
        assert!(!home.servant.ran_here());
        home.circle.name().unwrap();
        assert!(home.servant.ran_here());
    }
}

#[test]
fn oneways_wait_for_what_their_policy_says_at_each_level() {
    let home = Home::new();
    for level in LEVELS {
        let log = |scope| {
            let set = [(level, SyncScopePolicy(scope).into())];
            with(&set, &home.orb, &home.circle, |circle| circle.log("fail"))
        };
        assert_eq!(log(SyncScope::WithTarget), Err(FAILURE), "{level:?}");
        log(SyncScope::WithServer).unwrap();
        home.circle.log("fail").unwrap();
    }
    assert_eq!(home.servant.logged.load(Ordering::SeqCst), 12);
}

#[test]
fn policies_that_the_reference_contradicts_end_calls_at_each_level() {
    let home = Home::new();
    let range = |min, max| Policy::from(RequestPriorityPolicy(PriorityRange { min, max }));
    let manager = Some(home.poa.manager());
    let poa = home
        .poa
        .create_poa_telling("told", manager, &[], &[range(3, 5)]);
    let skeleton = CircleSkeleton::from_arc(Arc::clone(&home.servant));
    let circle = poa.unwrap().activate(skeleton);
    // The servant incarnates one object in each POA.
    let circle: CircleRef = circle.unwrap();
    for level in LEVELS {
        let name = |min, max| {
            let set = [(level, range(min, max))];
            with(&set, &home.orb, &circle, |circle| {
                (circle.name(), circle.log("note"), circle.radius())
            })
        };
        let (name_of, log, radius) = name(0, 2);
        for exception in [name_of.unwrap_err(), log.unwrap_err(), radius.unwrap_err()] {
            assert_eq!(
                exception.kind,
                SystemExceptionKind::InvPolicy,
                "{exception}"
            );
            assert_eq!(exception.minor, minor::omg(1));
        }
        assert!(!home.servant.ran_here());
        let (name_of, log, radius) = name(5, 9);
        name_of.unwrap();
        log.unwrap();
        radius.unwrap();
        assert!(home.servant.ran_here());
    }
}

#[test]
fn references_go_by_message_where_their_policy_or_that_of_their_orb_says_so() {
    let home = Home::new();
    let off: Policy = CollocationPolicy(CollocationStrategy::Off).into();
    let how = SetOverrideType::Set;
    let object = home.circle.as_object();
    let by_message = object.set_policy_overrides(std::slice::from_ref(&off), how);
    let by_message: CircleRef = by_message.unwrap().unchecked_narrow();
    by_message.name().unwrap();
    assert!(home.servant.ran_elsewhere());
    let manager = home.orb.policy_manager();
    manager.set_policy_overrides(&[off], how).unwrap();
    let url = object.to_string();
    let later = home.orb.string_to_object(&url).unwrap();
    manager.set_policy_overrides(&[], how).unwrap();
    later.unchecked_narrow::<CircleRef>().name().unwrap();
    assert!(home.servant.ran_elsewhere());
    home.circle.name().unwrap();
    assert!(home.servant.ran_here());
}

#[test]
fn a_reference_that_keeps_its_servant_looks_at_no_policies() {
    let home = Home::new();
    let direct = home.circle.with_collocation(CollocationStrategy::Direct);
    let past: Policy = RequestEndTimePolicy(SystemTime::now() - TIME).into();
    let name_late = || {
        let _here = PolicyCurrent::override_with(std::slice::from_ref(&past)).unwrap();
        direct.name()
    };
    name_late().unwrap_err();
    direct.name().unwrap();
    direct.name().unwrap();
    name_late().unwrap();
}

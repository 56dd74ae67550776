//! Each policy type at each level, and which level comes first.

use std::time::{Duration, SystemTime};

use taut::policy::{
    MaxForwardsPolicy, Policy, PolicyCurrent, PolicyLevels, PolicyOverrideError, PolicyType,
    RelativeRoundtripTimeoutPolicy, RequestEndTimePolicy, RequestStartTimePolicy, SetOverrideType,
    SyncScopePolicy, descriptions,
};
use taut::{
    CallContext, CollocationStrategy, Orb, Reference, SyncScope, SystemException,
    SystemExceptionKind, WaitStrategy,
};

use super::{LEVELS, Level, samples, with};
use crate::common::{Echo, Server, orb_and_client};

/// The level in terms of the ORB.
fn as_levels(level: Level) -> PolicyLevels {
    match level {
        Level::Orb => PolicyLevels::ORB,
        Level::Thread => PolicyLevels::THREAD,
        Level::Reference => PolicyLevels::REFERENCE,
        Level::Call => PolicyLevels::CALL,
    }
}

#[test]
fn of_every_type_the_nearest_level_that_has_it_holds() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let levels = [Level::Orb, Level::Thread, Level::Reference];
    for description in descriptions() {
        let policy_type = description.policy_type;
        let values = samples(policy_type);
        let default = echo.as_object().get_client_policy(policy_type);
        for chosen in 0..8_usize {
            let is_set = |place: usize| {
                chosen & (1 << place) != 0 && description.levels.contains(as_levels(levels[place]))
            };
            let places: Vec<_> = (0..3).filter(|place| is_set(*place)).collect();
            let set: Vec<_> = places
                .iter()
                .map(|place| (levels[*place], values[*place].clone()))
                .collect();
            let expected = set.last().map(|(_, policy)| policy.clone());
            let found = with(&set, &orb, &echo, |echo| {
                let object = echo.as_object();
                assert_eq!(
                    object.get_policy(policy_type).unwrap(),
                    object.get_client_policy(policy_type)
                );
                let own = object.get_policy_overrides(&[policy_type]);
                let is_own = set.iter().any(|(level, _)| *level == Level::Reference);
                assert_eq!(own.len(), usize::from(is_own), "{description:?} {set:?}");
                object.get_client_policy(policy_type)
            });
            assert_eq!(found, expected.or(default.clone()), "{set:?}");
        }
        // The reference itself has none, now as before.
        assert!(echo.as_object().get_policy_overrides(&[]).is_empty());
    }
    echo.ping().unwrap();
}

#[test]
fn every_type_is_refused_at_the_levels_where_it_may_not_be() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    let mut refused = 0;
    for description in descriptions() {
        let [policy, ..] = samples(description.policy_type);
        for level in LEVELS {
            let (policies, how) = ([policy.clone()], SetOverrideType::Add);
            let set = match level {
                Level::Orb => {
                    let set = orb.policy_manager().set_policy_overrides(&policies, how);
                    orb.policy_manager()
                        .set_policy_overrides(&[], SetOverrideType::Set)
                        .unwrap();
                    set
                }
                Level::Thread => PolicyCurrent::override_with(&policies).map(drop),
                Level::Reference => echo
                    .as_object()
                    .set_policy_overrides(&policies, how)
                    .map(drop),
                Level::Call => CallContext::new().with_policy(policy.clone()).map(drop),
            };
            if description.levels.contains(as_levels(level)) {
                assert_eq!(set, Ok(()), "{description:?} at {level:?}");
                continue;
            }
            refused += 1;
            let error = set.unwrap_err();
            let expected = PolicyOverrideError::NotAllowed {
                policy_type: description.policy_type,
                levels: description.levels,
            };
            assert_eq!(error, expected);
            let exception = SystemException::from(error);
            assert_eq!(exception.kind, SystemExceptionKind::NoPermission);
            assert!(
                exception.to_string().contains(description.name),
                "{exception}"
            );
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_set_replaces_all_and_an_addition_those_of_its_types() {
    let server = Server::start();
    let (_, echo) = orb_and_client(&server.ior(), |_| ());
    let types = |policies: &[Policy]| {
        let mut types: Vec<_> = policies.iter().map(Policy::policy_type).collect();
        types.sort();
        types
    };
    let [one, ..] = samples(PolicyType::MAX_FORWARDS);
    let [two, ..] = samples(PolicyType::CONNECT_TIMEOUT);
    let object = echo.as_object();
    let first = object
        .set_policy_overrides(std::slice::from_ref(&one), SetOverrideType::Add)
        .unwrap();
    let both = first
        .set_policy_overrides(
            &[two.clone(), MaxForwardsPolicy(7).into()],
            SetOverrideType::Add,
        )
        .unwrap();
    let all = both.get_policy_overrides(&[]);
    assert_eq!(
        types(&all),
        [PolicyType::CONNECT_TIMEOUT, PolicyType::MAX_FORWARDS]
    );
    let kept = both.get_policy_overrides(&[PolicyType::MAX_FORWARDS]);
    assert_eq!(kept, [MaxForwardsPolicy(7).into()]);
    let last = both
        .set_policy_overrides(std::slice::from_ref(&two), SetOverrideType::Set)
        .unwrap();
    assert_eq!(last.get_policy_overrides(&[]), [two]);
    // References that were there before are as they were, and all are the same object's.
    assert_eq!(first.get_policy_overrides(&[]), [one]);
    assert_eq!((&first, &both), (object, &last));
    let none = last
        .set_policy_overrides(&[], SetOverrideType::Set)
        .unwrap();
    assert!(none.get_policy_overrides(&[]).is_empty());
}

#[test]
fn methods_of_references_and_their_policies_are_the_same() {
    let server = Server::start();
    let (_, echo) = orb_and_client(&server.ior(), |_| ());
    let object = echo
        .as_object()
        .with_sync_scope(SyncScope::WithTarget)
        .with_wait_strategy(WaitStrategy::Spin)
        .with_collocation(CollocationStrategy::Direct)
        .with_call_timeout(Duration::from_secs(7));
    let policies = object.get_policy_overrides(&[]);
    assert_eq!(policies.len(), 4);
    let same = echo
        .as_object()
        .set_policy_overrides(&policies, SetOverrideType::Set)
        .unwrap();
    assert_eq!(same.sync_scope(), SyncScope::WithTarget);
    assert_eq!(same.wait_strategy(), WaitStrategy::Spin);
    assert_eq!(same.collocation(), CollocationStrategy::Direct);
    assert_eq!(same.call_timeout(), Some(Duration::from_secs(7)));
    let [further, ..] = samples(PolicyType::MAX_FORWARDS);
    let more = same
        .set_policy_overrides(&[further], SetOverrideType::Add)
        .unwrap()
        .with_sync_scope(SyncScope::WithServer)
        .with_call_timeout(None);
    assert_eq!(more.get_policy_overrides(&[]).len(), 5);
    assert_eq!(more.call_timeout(), None);
    let scope = more.get_client_policy(PolicyType::SYNC_SCOPE).unwrap();
    assert_eq!(scope.value(), Some(&SyncScopePolicy(SyncScope::WithServer)));
    more.unchecked_narrow::<crate::common::EchoRef>();
    more.invoke("ping", |_| Ok(())).unwrap();
}

#[test]
fn policies_that_are_there_twice_or_contradict_each_other_are_refused() {
    let orb = Orb::builder().build().unwrap();
    let manager = orb.policy_manager();
    let set = |policies: &[Policy]| manager.set_policy_overrides(policies, SetOverrideType::Add);
    let twice = [MaxForwardsPolicy(1).into(), MaxForwardsPolicy(2).into()];
    let error = set(&twice).unwrap_err();
    assert_eq!(
        error,
        PolicyOverrideError::Duplicate(PolicyType::MAX_FORWARDS)
    );
    let exception = SystemException::from(error);
    assert_eq!(exception.kind, SystemExceptionKind::BadParam);
    assert_eq!(exception.minor, taut::minor::omg(30));
    let now = SystemTime::now();
    let end: Policy = RequestEndTimePolicy(now).into();
    set(std::slice::from_ref(&end)).unwrap();
    let start = RequestStartTimePolicy(now + Duration::from_secs(1)).into();
    let timeout = RelativeRoundtripTimeoutPolicy::default().into();
    let error = set(&[timeout, start]).unwrap_err();
    let types = [PolicyType::REQUEST_START_TIME, PolicyType::REQUEST_END_TIME];
    let indices = vec![1];
    assert_eq!(error, PolicyOverrideError::Contradiction { indices, types });
    assert_eq!(manager.get_policy_overrides(&[]), [end]);
}

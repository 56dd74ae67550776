//! Policies made of numbers and values, as the standard's `create_policy` makes them.

use std::time::{Duration, SystemTime};

use taut::policy::{
    BufferingConstraintPolicy, ConnectTimeoutPolicy, MaxForwardsPolicy, Policy, PolicyErrorReason,
    PolicyLevels, PolicyType, RebindMode, RebindPolicy, RelativeRoundtripTimeoutPolicy,
    RequestEndTimePolicy, SyncScopePolicy, descriptions,
};
use taut::time_base::UtcT;
use taut::{Any, InitError, Orb, SyncScope};
use taut_types::Typed;

use super::samples;

fn any<T: Typed + taut::codegen::Encode>(value: T) -> Any {
    Any::new(&value).unwrap()
}

#[test]
fn policies_are_made_of_the_standard_s_values() {
    let orb = Orb::builder().build().unwrap();
    let make = |number, value: &Any| orb.create_policy(PolicyType(number), value).unwrap();
    let rebind = make(23, &any(2_i16));
    assert_eq!(rebind.value(), Some(&RebindPolicy(RebindMode::NoReconnect)));
    let scope = make(24, &any(3_i16));
    assert_eq!(scope.value(), Some(&SyncScopePolicy(SyncScope::WithTarget)));
    let timeout = make(32, &any(2_500_000_u64));
    let quarter = Duration::from_millis(250);
    let expected = RelativeRoundtripTimeoutPolicy::from(quarter);
    assert_eq!(timeout.value(), Some(&expected));
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(1_800_000_000_123);
    let end = make(28, &any(UtcT::from(now)));
    assert_eq!(end.value(), Some(&RequestEndTimePolicy(now)));
    assert_eq!(SystemTime::from(UtcT::from(now)), now);
    let connect = make(0x5441_0008, &any(10_u64));
    let expected = ConnectTimeoutPolicy(Duration::from_micros(1));
    assert_eq!(connect.value(), Some(&expected));
}

#[test]
fn every_type_is_made_of_the_form_in_which_it_travels() {
    let orb = Orb::builder().build().unwrap();
    for description in descriptions() {
        for sample in samples(description.policy_type) {
            let octets = sample.to_encapsulation().unwrap();
            let mut input = taut::codegen::Decoder::encapsulated(&octets).unwrap();
            let type_code = description.type_code();
            let limits = taut_types::TypeCodeLimits::default();
            let value = Any::read_value(type_code, &mut input, &limits).unwrap();
            let made = orb.create_policy(description.policy_type, &value).unwrap();
            assert_eq!(made, sample, "{description:?}");
            assert_eq!(made.name(), description.name);
        }
    }
}

#[test]
fn each_reason_is_told_for_which_there_is_no_policy() {
    let orb = Orb::builder().build().unwrap();
    let reason = |number, value: &Any| {
        let error = orb.create_policy(PolicyType(number), value).unwrap_err();
        assert_eq!(error.policy_type, PolicyType(number));
        assert!(!error.to_string().is_empty());
        error.reason
    };
    let value = any(1_i16);
    for (number, value, expected, code) in [
        (4_711, &value, PolicyErrorReason::BadPolicy, 0),
        (35, &value, PolicyErrorReason::UnsupportedPolicy, 1),
        (16, &value, PolicyErrorReason::UnsupportedPolicy, 1),
        (32, &value, PolicyErrorReason::BadPolicyType, 2),
        (28, &any(1_u64), PolicyErrorReason::BadPolicyType, 2),
        (23, &any(3_i16), PolicyErrorReason::BadPolicyValue, 3),
        (24, &any(-1_i16), PolicyErrorReason::BadPolicyValue, 3),
    ] {
        let found = reason(number, value);
        assert_eq!((found, found.code()), (expected, code), "{number}");
    }
    assert_eq!(PolicyErrorReason::UnsupportedPolicyValue.code(), 4);
}

#[test]
fn factories_of_the_application_make_further_types() {
    const MINE: PolicyType = PolicyType(0x4d59_0007);
    let factory = |policy_type: PolicyType, value: &Any| -> Result<Policy, PolicyErrorReason> {
        assert_eq!(policy_type, MINE);
        match value.extract::<u32>() {
            Ok(number @ 0..=9) => Ok(MaxForwardsPolicy(number).into()),
            Ok(_) => Err(PolicyErrorReason::UnsupportedPolicyValue),
            Err(_) => Err(PolicyErrorReason::BadPolicyType),
        }
    };
    let orb = Orb::builder().policy_factory(MINE, factory).unwrap();
    let orb = orb.build().unwrap();
    let made = orb.create_policy(MINE, &any(7_u32)).unwrap();
    assert_eq!(made.value(), Some(&MaxForwardsPolicy(7)));
    let error = orb.create_policy(MINE, &any(10_u32)).unwrap_err();
    assert_eq!(error.reason, PolicyErrorReason::UnsupportedPolicyValue);
    // One is enough, and Taut's own types have theirs.
    for taken in [MINE, PolicyType::REBIND] {
        let builder = Orb::builder().policy_factory(MINE, factory).unwrap();
        let twice = builder.policy_factory(taken, factory).unwrap_err();
        assert!(
            matches!(twice, InitError::PolicyFactory { policy_type } if policy_type == taken),
            "{twice}"
        );
    }
}

#[test]
fn values_that_a_type_cannot_have_are_refused_wherever_they_come_from() {
    let constraint = BufferingConstraintPolicy::default();
    let policy = Policy::from(constraint);
    assert_eq!(policy.value(), Some(&constraint));
    assert_eq!(policy.to_string(), "BufferingConstraintPolicy (1413545985)");
    assert!(policy.levels().contains(PolicyLevels::CALL));
    let none = taut::policy::ClientProtocolPolicy(Vec::new()).into();
    let orb = Orb::builder().build().unwrap();
    let manager = orb.policy_manager();
    let how = taut::policy::SetOverrideType::Add;
    let error = manager
        .set_policy_overrides(&[policy, none], how)
        .unwrap_err();
    assert_eq!(
        error,
        taut::policy::PolicyOverrideError::InvalidValue {
            index: 1,
            policy_type: PolicyType::CLIENT_PROTOCOL,
            reason: PolicyErrorReason::BadPolicyValue,
        }
    );
    assert!(manager.get_policy_overrides(&[]).is_empty());
}

//! The policies of Real-time CORBA that concern clients, by themselves.

use taut::policy::{
    Policy, PolicyErrorReason, PolicyOverrideError, PolicyType, PrivateConnectionPolicy,
    SetOverrideType,
};
use taut::{Any, Orb};

use super::{CLIENTS, SERVERS, bands, model};

/// An encapsulation in the byte order of this machine.
fn encapsulated(fields: &[&[u8]]) -> Vec<u8> {
    let order = [u8::from(cfg!(target_endian = "little"))];
    [&order[..], &fields.concat()].concat()
}

#[test]
fn every_policy_has_the_octets_of_the_standard() {
    let cases: [(Policy, Vec<u8>); 5] = [
        (
            model(CLIENTS, 0x0102).into(),
            encapsulated(&[&[0; 3], &0_u32.to_ne_bytes(), &0x0102_i16.to_ne_bytes()]),
        ),
        (
            model(SERVERS, i16::MAX).into(),
            encapsulated(&[&[0; 3], &1_u32.to_ne_bytes(), &i16::MAX.to_ne_bytes()]),
        ),
        (PrivateConnectionPolicy.into(), encapsulated(&[])),
        (
            bands(&[(0, 9), (10, 0x7f00)]),
            encapsulated(&[
                &[0; 3],
                &2_u32.to_ne_bytes(),
                &0_i16.to_ne_bytes(),
                &9_i16.to_ne_bytes(),
                &10_i16.to_ne_bytes(),
                &0x7f00_i16.to_ne_bytes(),
            ]),
        ),
        (bands(&[]), encapsulated(&[&[0; 3], &0_u32.to_ne_bytes()])),
    ];
    for (policy, octets) in cases {
        assert_eq!(policy.to_encapsulation().unwrap(), octets, "{policy:?}");
    }
}

#[test]
fn bands_that_overlap_or_are_empty_are_refused() {
    let orb = Orb::builder().build().unwrap();
    let manager = orb.policy_manager();
    for faulty in [
        &[(5, 4)][..],
        &[(0, 9), (9, 12)],
        &[(10, 20), (0, 15)],
        &[(0, 30), (10, 20)],
    ] {
        let set = manager.set_policy_overrides(&[bands(faulty)], SetOverrideType::Set);
        let expected = PolicyOverrideError::InvalidValue {
            index: 0,
            policy_type: PolicyType::PRIORITY_BANDED_CONNECTION,
            reason: PolicyErrorReason::BadPolicyValue,
        };
        assert_eq!(set, Err(expected), "{faulty:?}");
    }
    for fine in [&[][..], &[(0, 0)], &[(20, 30), (0, 19)]] {
        let set = manager.set_policy_overrides(&[bands(fine)], SetOverrideType::Set);
        assert_eq!(set, Ok(()), "{fine:?}");
    }
}

#[test]
fn a_private_connection_is_made_of_an_any_without_a_value() {
    let orb = Orb::builder().build().unwrap();
    let made = orb.create_policy(PolicyType::PRIVATE_CONNECTION, &Any::null());
    assert_eq!(made.unwrap(), Policy::from(PrivateConnectionPolicy));
    let of_number = Any::new(&1_u32).unwrap();
    let refused = orb.create_policy(PolicyType::PRIVATE_CONNECTION, &of_number);
    assert_eq!(
        refused.unwrap_err().reason,
        PolicyErrorReason::BadPolicyType
    );
}

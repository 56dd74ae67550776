//! The policy types that Taut has.

use taut_cdr::Result as CdrResult;
use taut_types::{Any, TypeCode};

use super::factory::{create, read};
use super::{
    BufferingConstraintPolicy, ClientProtocolPolicy, CollocationPolicy, ConnectTimeoutPolicy,
    ConnectionOptionsPolicy, ConnectionWaitPolicy, DeadlinePropagationPolicy, MaxForwardsPolicy,
    Policy, PolicyErrorReason, PolicyLevels, PolicyType, PolicyValue,
    PriorityBandedConnectionPolicy, PriorityModelPolicy, PrivateConnectionPolicy,
    ProtocolFallbackPolicy, RebindPolicy, RelativeRequestTimeoutPolicy,
    RelativeRoundtripTimeoutPolicy, ReplyEndTimePolicy, ReplyPriorityPolicy, ReplyStartTimePolicy,
    RequestEndTimePolicy, RequestPriorityPolicy, RequestStartTimePolicy, ServerProtocolPolicy,
    SyncScopePolicy, ThreadpoolPolicy, TransportOrderPolicy, WaitStrategyPolicy,
};
use crate::settings::Settings;

/// A policy type that Taut has.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyDescription {
    /// Its number.
    pub policy_type: PolicyType,
    /// Its name.
    pub name: &'static str,
    /// The levels at which policies of it may be.
    pub levels: PolicyLevels,
    type_code: fn() -> TypeCode,
    pub(super) create: fn(&Any) -> Result<Policy, PolicyErrorReason>,
    pub(super) read: fn(&[u8]) -> CdrResult<Policy>,
}

impl PolicyDescription {
    const fn of<V: PolicyValue>() -> Self {
        Self {
            policy_type: V::TYPE,
            name: V::NAME,
            levels: V::LEVELS,
            type_code: V::type_code,
            create: create::<V>,
            read: read::<V>,
        }
    }
}

impl PolicyDescription {
    /// Returns the TypeCode of the value in an `any` for
    /// [`Orb::create_policy`](crate::Orb::create_policy).
    pub fn type_code(&self) -> TypeCode {
        (self.type_code)()
    }
}

static ALL: [PolicyDescription; 26] = [
    PolicyDescription::of::<RebindPolicy>(),
    PolicyDescription::of::<SyncScopePolicy>(),
    PolicyDescription::of::<RequestPriorityPolicy>(),
    PolicyDescription::of::<ReplyPriorityPolicy>(),
    PolicyDescription::of::<RequestStartTimePolicy>(),
    PolicyDescription::of::<RequestEndTimePolicy>(),
    PolicyDescription::of::<ReplyStartTimePolicy>(),
    PolicyDescription::of::<ReplyEndTimePolicy>(),
    PolicyDescription::of::<RelativeRequestTimeoutPolicy>(),
    PolicyDescription::of::<RelativeRoundtripTimeoutPolicy>(),
    PolicyDescription::of::<PriorityModelPolicy>(),
    PolicyDescription::of::<ThreadpoolPolicy>(),
    PolicyDescription::of::<ClientProtocolPolicy>(),
    PolicyDescription::of::<PrivateConnectionPolicy>(),
    PolicyDescription::of::<PriorityBandedConnectionPolicy>(),
    PolicyDescription::of::<BufferingConstraintPolicy>(),
    PolicyDescription::of::<ConnectTimeoutPolicy>(),
    PolicyDescription::of::<WaitStrategyPolicy>(),
    PolicyDescription::of::<CollocationPolicy>(),
    PolicyDescription::of::<MaxForwardsPolicy>(),
    PolicyDescription::of::<ConnectionWaitPolicy>(),
    PolicyDescription::of::<TransportOrderPolicy>(),
    PolicyDescription::of::<ProtocolFallbackPolicy>(),
    PolicyDescription::of::<ServerProtocolPolicy>(),
    PolicyDescription::of::<ConnectionOptionsPolicy>(),
    PolicyDescription::of::<DeadlinePropagationPolicy>(),
];

/// Returns the policy types that Taut has for calls. Those of a POA alone are the variants of
/// [`taut::Policy`](crate::Policy).
pub fn descriptions() -> &'static [PolicyDescription] {
    &ALL
}

/// The type with this number.
pub(super) fn find(policy_type: PolicyType) -> Option<&'static PolicyDescription> {
    ALL.iter().find(|known| known.policy_type == policy_type)
}

/// Returns the policy of this type that holds where no level has one: the setting's value. None
/// where there is none.
pub(crate) fn default_of(policy_type: PolicyType, settings: &Settings) -> Option<Policy> {
    let client = &settings.client;
    Some(match policy_type {
        PolicyType::REBIND => RebindPolicy::default().into(),
        PolicyType::SYNC_SCOPE => SyncScopePolicy(client.sync_scope).into(),
        PolicyType::RELATIVE_REQUEST_TIMEOUT => RelativeRequestTimeoutPolicy::default().into(),
        PolicyType::RELATIVE_ROUNDTRIP_TIMEOUT => {
            RelativeRoundtripTimeoutPolicy(client.call_timeout).into()
        }
        PolicyType::BUFFERING_CONSTRAINT => BufferingConstraintPolicy {
            timeout: Some(client.oneway_batch_timeout),
            message_count: Some(client.oneway_batch_messages.try_into().unwrap_or(u32::MAX)),
            message_bytes: Some(client.oneway_batch_octets.try_into().unwrap_or(u32::MAX)),
        }
        .into(),
        PolicyType::CONNECT_TIMEOUT => ConnectTimeoutPolicy(client.connect_timeout).into(),
        PolicyType::CONNECTION_WAIT => ConnectionWaitPolicy(client.connection_wait).into(),
        PolicyType::WAIT_STRATEGY => WaitStrategyPolicy(settings.wire.wait_strategy).into(),
        PolicyType::COLLOCATION => CollocationPolicy(client.collocation).into(),
        PolicyType::MAX_FORWARDS => {
            MaxForwardsPolicy(client.max_forwards.try_into().unwrap_or(u32::MAX)).into()
        }
        PolicyType::TRANSPORT_ORDER => TransportOrderPolicy(client.transport_order).into(),
        PolicyType::PROTOCOL_FALLBACK => ProtocolFallbackPolicy::default().into(),
        PolicyType::CONNECTION_OPTIONS => {
            ConnectionOptionsPolicy(settings.wire.connection_options).into()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use taut_cdr::ByteOrder;

    use super::*;

    #[test]
    fn every_type_has_a_number_and_a_name_of_its_own_and_its_default_survives() {
        let settings = Settings::default();
        for (index, one) in ALL.iter().enumerate() {
            assert_eq!(one.policy_type.name(), Some(one.name));
            assert!(
                ALL[..index]
                    .iter()
                    .all(|other| other.policy_type != one.policy_type)
            );
            if let Some(default) = default_of(one.policy_type, &settings) {
                let octets = default.to_encapsulation().unwrap();
                assert_eq!(octets[0], ByteOrder::NATIVE.flag());
                assert_eq!((one.read)(&octets).unwrap(), default);
                assert_eq!(default.policy_type(), one.policy_type);
            }
        }
    }
}

//! Policies: their levels, their effects, and those that references tell.

mod creation;
mod deadlines;
mod effects;
mod exposed;
mod levels;
mod page;
mod rebinding;
mod time_outs;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use taut::policy::{
    BufferingConstraintPolicy, ClientProtocolPolicy, CollocationPolicy, ConnectTimeoutPolicy,
    ConnectionOptionsPolicy, ConnectionWaitPolicy, DeadlinePropagationPolicy, MaxForwardsPolicy,
    Policy, PolicyCurrent, PolicyType, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel,
    PriorityModelPolicy, PriorityRange, PrivateConnectionPolicy, ProtocolFallback,
    ProtocolFallbackPolicy, RebindMode, RebindPolicy, RelativeRequestTimeoutPolicy,
    RelativeRoundtripTimeoutPolicy, ReplyEndTimePolicy, ReplyPriorityPolicy, ReplyStartTimePolicy,
    RequestEndTimePolicy, RequestPriorityPolicy, RequestStartTimePolicy, ServerProtocolPolicy,
    SetOverrideType, SyncScopePolicy, ThreadpoolId, ThreadpoolPolicy, TransportOrderPolicy,
    WaitStrategyPolicy,
};
use taut::real_time::Priority;
use taut::{
    CallContext, CollocationStrategy, Orb, Reference, RequestContext, SyncScope, TransportOrder,
    WaitStrategy,
};

use crate::common::{Echo, EchoRef};

/// The time of a call that stalls.
const TIME: Duration = Duration::from_millis(100);

/// Far more than anything takes, for the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A level at which policies are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Orb,
    Thread,
    Reference,
    Call,
}

/// The weakest first.
pub(crate) const LEVELS: [Level; 4] = [Level::Orb, Level::Thread, Level::Reference, Level::Call];

/// Acts with a reference, while policies are set at these levels.
pub(crate) fn with<T: Reference, R>(
    set: &[(Level, Policy)],
    orb: &Orb,
    reference: &T,
    act: impl FnOnce(&T) -> R,
) -> R {
    let of = |level: Level| -> Vec<Policy> {
        let chosen = set.iter().filter(|(of, _)| *of == level);
        chosen.map(|(_, policy)| policy.clone()).collect()
    };
    let manager = orb.policy_manager();
    let how = SetOverrideType::Set;
    manager.set_policy_overrides(&of(Level::Orb), how).unwrap();
    let guard = PolicyCurrent::override_with(&of(Level::Thread)).unwrap();
    let object = reference.as_object();
    let object = object
        .set_policy_overrides(&of(Level::Reference), how)
        .unwrap();
    let reference = object.unchecked_narrow();
    let of_call = of(Level::Call);
    let result = match of_call.is_empty() {
        true => act(&reference),
        false => {
            let context = of_call
                .into_iter()
                .fold(CallContext::new(), |context, policy| {
                    context.with_policy(policy).unwrap()
                });
            context.within(|| act(&reference))
        }
    };
    drop(guard);
    manager.set_policy_overrides(&[], how).unwrap();
    result
}

/// Four values of each type.
fn samples(policy_type: PolicyType) -> [Policy; 4] {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000);
    let time = |number: u64| Duration::from_millis(number + 1);
    let range = |number: u64| PriorityRange {
        min: number as i16,
        max: 10,
    };
    let priority = |number: u64| Priority::new(number as i16).unwrap();
    // Of types with fewer values some are the same.
    let of = |number: u64| -> Policy {
        let is_odd = number % 2 == 1;
        match policy_type {
            PolicyType::REBIND => RebindPolicy(match number {
                0 | 3 => RebindMode::NoRebind,
                1 => RebindMode::NoReconnect,
                _ => RebindMode::Transparent,
            })
            .into(),
            PolicyType::SYNC_SCOPE => SyncScopePolicy(match number {
                0 => SyncScope::None,
                1 => SyncScope::WithServer,
                2 => SyncScope::WithTransport,
                _ => SyncScope::WithTarget,
            })
            .into(),
            PolicyType::REQUEST_PRIORITY => RequestPriorityPolicy(range(number)).into(),
            PolicyType::REPLY_PRIORITY => ReplyPriorityPolicy(range(number)).into(),
            PolicyType::REQUEST_START_TIME => RequestStartTimePolicy(now + time(number)).into(),
            PolicyType::REQUEST_END_TIME => RequestEndTimePolicy(now + time(number)).into(),
            PolicyType::REPLY_START_TIME => ReplyStartTimePolicy(now + time(number)).into(),
            PolicyType::REPLY_END_TIME => ReplyEndTimePolicy(now + time(number)).into(),
            PolicyType::RELATIVE_REQUEST_TIMEOUT => {
                RelativeRequestTimeoutPolicy::from(time(number)).into()
            }
            PolicyType::RELATIVE_ROUNDTRIP_TIMEOUT => {
                RelativeRoundtripTimeoutPolicy::from(time(number)).into()
            }
            PolicyType::PRIORITY_MODEL => PriorityModelPolicy {
                priority_model: match is_odd {
                    true => PriorityModel::ClientPropagated,
                    false => PriorityModel::ServerDeclared,
                },
                server_priority: priority(number),
            }
            .into(),
            PolicyType::THREADPOOL => ThreadpoolPolicy(ThreadpoolId(number as u32)).into(),
            PolicyType::PRIVATE_CONNECTION => PrivateConnectionPolicy.into(),
            PolicyType::PRIORITY_BANDED_CONNECTION => {
                let bands = [(0, number), (100, 100 + number)];
                let bands =
                    bands.map(|(low, high)| PriorityBand::new(priority(low), priority(high)));
                PriorityBandedConnectionPolicy(bands.to_vec()).into()
            }
            PolicyType::CLIENT_PROTOCOL => ClientProtocolPolicy::of([number as u32]).into(),
            PolicyType::SERVER_PROTOCOL => ServerProtocolPolicy::of([number as u32]).into(),
            PolicyType::CONNECTION_OPTIONS => {
                ConnectionOptionsPolicy(format!("dscp={number}").parse().unwrap()).into()
            }
            PolicyType::BUFFERING_CONSTRAINT => BufferingConstraintPolicy {
                timeout: is_odd.then(|| time(number)),
                message_count: Some(number as u32),
                message_bytes: None,
            }
            .into(),
            PolicyType::CONNECT_TIMEOUT => ConnectTimeoutPolicy(time(number)).into(),
            PolicyType::CONNECTION_WAIT => ConnectionWaitPolicy(time(number)).into(),
            PolicyType::WAIT_STRATEGY => WaitStrategyPolicy(match number {
                0 => WaitStrategy::Spin,
                1 => WaitStrategy::Adaptive,
                _ => WaitStrategy::Block,
            })
            .into(),
            PolicyType::COLLOCATION => CollocationPolicy(match number {
                0 => CollocationStrategy::Off,
                1 => CollocationStrategy::Direct,
                _ => CollocationStrategy::ThroughPoa,
            })
            .into(),
            PolicyType::MAX_FORWARDS => MaxForwardsPolicy(number as u32).into(),
            PolicyType::TRANSPORT_ORDER => TransportOrderPolicy(match is_odd {
                true => TransportOrder::AsPublished,
                false => TransportOrder::LocalFirst,
            })
            .into(),
            PolicyType::PROTOCOL_FALLBACK => ProtocolFallbackPolicy(match is_odd {
                true => ProtocolFallback::Silent,
                false => ProtocolFallback::Exception,
            })
            .into(),
            PolicyType::DEADLINE_PROPAGATION => DeadlinePropagationPolicy(is_odd).into(),
            other => panic!("{other} has no samples: add some"),
        }
    };
    [of(0), of(1), of(2), of(3)]
}

/// A servant that tells how it was called last.
#[derive(Default)]
struct Witness {
    seen: Mutex<Option<Seen>>,
}

#[derive(Clone)]
struct Seen {
    peer: Option<String>,
    time: SystemTime,
}

impl Witness {
    fn seen(&self) -> Option<Seen> {
        self.seen.lock().take()
    }
}

impl Echo for Witness {
    fn ping(&self) -> taut::Result<()> {
        *self.seen.lock() = Some(Seen {
            peer: RequestContext::peer().unwrap(),
            time: SystemTime::now(),
        });
        Ok(())
    }
}

/// Begins to serve a witness.
fn witness(orb: &Orb) -> (Arc<Witness>, EchoRef) {
    let witness = Arc::new(Witness::default());
    let echo = crate::common::serve(orb, &witness);
    (witness, echo)
}

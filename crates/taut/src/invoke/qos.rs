//! The quality of service of a call: what its policies at all levels come to.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::CallContext;
use super::failure;
use super::request::DeadlineData;
use crate::connection::{Batching, Patience};
use crate::core::OrbCore;
use crate::deadline::Deadline;
use crate::nested_calls;
use crate::object::{Binding, Bound, ObjectRef, RouteOrder, Wanted, WantedOptions};
use crate::policy::{
    BufferingConstraintPolicy, ClientProtocolPolicy, ConnectTimeoutPolicy, ConnectionOptionsPolicy,
    ConnectionWaitPolicy, DeadlinePropagationPolicy, Levels, MaxForwardsPolicy, PolicySet,
    PriorityBandedConnectionPolicy, PrivateConnectionPolicy, Protocol, ProtocolFallback,
    ProtocolFallbackPolicy, RebindMode, RebindPolicy, RelativeRequestTimeoutPolicy,
    RelativeRoundtripTimeoutPolicy, ReplyEndTimePolicy, ReplyStartTimePolicy, RequestEndTimePolicy,
    RequestStartTimePolicy, SyncScopePolicy, TransportOrderPolicy, WaitStrategyPolicy,
    inconsistent,
};
use crate::priority::CallPriority;
use crate::settings::{SyncScope, WaitStrategy};
use crate::straight_way::{self, GOVERNED};
use crate::transport::ConnectionOptions;

/// Longer than anybody lets a oneway wait: 30 years.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);

/// The longest time between two looks at the clock of a call that waits for a time of day.
const LONGEST_STEP: Duration = Duration::from_secs(60);

/// The policies of a call, if it has any beside those that its context and its reference keep
/// elsewhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Qos(Option<Governed>);

/// A call that has policies.
#[derive(Debug, Clone)]
struct Governed {
    levels: Levels,
    /// Whether the reference may be bound anew though its policy forbids it.
    is_explicit: bool,
}

/// Whether calls may have policies of their thread or their ORB.
#[inline]
pub(super) fn may_be_governed(core: &OrbCore) -> bool {
    straight_way::is_closed_by(GOVERNED) || core.lifecycle.is_governed()
}

/// Returns what a oneway by a reference waits for that says nothing of it, by its thread or its
/// ORB.
pub(super) fn sync_scope(object: &ObjectRef) -> Option<SyncScope> {
    if object.has_own_sync_scope() || !may_be_governed(object.core()) {
        return None;
    }
    let levels = Levels::of(PolicySet::EMPTY, PolicySet::EMPTY, &object.core().policies);
    levels.find::<SyncScopePolicy>().map(|policy| policy.0)
}

impl Qos {
    /// Looks for the policies of a call.
    pub(super) fn of(object: &ObjectRef, context: Option<&CallContext>) -> Self {
        let call = context.map_or(PolicySet::EMPTY, |context| context.policies().clone());
        let levels = Levels::of(call, object.overrides(), &object.core().policies);
        Self((!levels.are_empty()).then(|| {
            let is_explicit = false;
            Governed {
                levels,
                is_explicit,
            }
        }))
    }

    /// The same for a call that may bind its reference anew, whatever its policy.
    pub(super) fn explicit(mut self) -> Self {
        if let Some(governed) = &mut self.0 {
            governed.is_explicit = true;
        }
        self
    }

    fn find<V: crate::policy::PolicyValue>(&self) -> Option<&V> {
        self.0.as_ref()?.levels.find()
    }

    /// Returns the deadline of a call whose context and reference say nothing of it, if a
    /// thread or an ORB does.
    pub(super) fn call_deadline(&self, object: &ObjectRef) -> Option<Option<Deadline>> {
        if object.own_call_timeout().is_some() {
            return None;
        }
        let levels = &self.0.as_ref()?.levels;
        let policy = levels.find_beyond_reference::<RelativeRoundtripTimeoutPolicy>()?;
        let after = |time| Deadline::after(time, "RelativeRoundtripTimeoutPolicy");
        Some(policy.0.and_then(after))
    }

    /// Returns when the reply has to have come, of the deadline and what policies say.
    pub(super) fn reply_by(&self, deadline: Option<Deadline>) -> Option<Deadline> {
        let end = self.find::<ReplyEndTimePolicy>();
        let end = end.and_then(|end| at(end.0, "ReplyEndTimePolicy"));
        Deadline::earlier(deadline, end)
    }

    /// Returns when the request has to have left, of the deadline and what policies say.
    pub(super) fn request_by(&self, deadline: Option<Deadline>) -> Option<Deadline> {
        let end = self.find::<RequestEndTimePolicy>();
        let end = end.and_then(|end| at(end.0, "RequestEndTimePolicy"));
        let within = self.find::<RelativeRequestTimeoutPolicy>();
        let within = within.and_then(|within| {
            let time = within.0?;
            Deadline::after(time, "RelativeRequestTimeoutPolicy")
        });
        Deadline::earlier(deadline, Deadline::earlier(end, within))
    }

    /// Returns what a request tells of its deadline, unless a policy forbids it.
    #[cold]
    pub(super) fn deadline_to_tell(&self, deadline: Deadline) -> Option<DeadlineData> {
        let policy = self.find::<DeadlinePropagationPolicy>();
        match policy.is_none_or(|policy| policy.0) {
            true => Some(deadline.to_context().to_context_data()),
            false => None,
        }
    }

    /// Returns when the request may be sent at the earliest, if a policy says so.
    pub(super) fn send_from(&self) -> Option<SystemTime> {
        self.find::<RequestStartTimePolicy>().map(|start| start.0)
    }

    /// Returns when the reply may be given to the caller at the earliest, likewise.
    pub(super) fn deliver_from(&self) -> Option<SystemTime> {
        self.find::<ReplyStartTimePolicy>().map(|start| start.0)
    }

    /// Waits until the request may be sent.
    ///
    /// # Errors
    ///
    /// TIMEOUT, COMPLETED_NO, if the time in which it has to leave is over before;
    /// BAD_INV_ORDER with OMG minor 4 if the ORB stops meanwhile.
    pub(super) fn wait_to_send(
        &self,
        core: &OrbCore,
        by: Option<Deadline>,
    ) -> Result<(), SystemException> {
        match self.find::<RequestStartTimePolicy>() {
            None => Ok(()),
            Some(start) => match wait_until(start.0, by, core) {
                true => core.lifecycle.check(),
                false => Err(failure::too_late()),
            },
        }
    }

    /// Waits until the reply may be given to the caller, or the ORB stops.
    ///
    /// # Errors
    ///
    /// TIMEOUT, COMPLETED_YES, if the time of the call is over before.
    pub(super) fn wait_to_deliver(
        &self,
        core: &OrbCore,
        by: Option<Deadline>,
    ) -> Result<(), SystemException> {
        match self.find::<ReplyStartTimePolicy>() {
            Some(start) if !wait_until(start.0, by, core) => Err(came_too_early()),
            _ => Ok(()),
        }
    }

    /// Returns how long to wait for a connection.
    pub(super) fn patience(&self, object: &ObjectRef, until: Option<Deadline>) -> Patience {
        let connect_timeout = self.find::<ConnectTimeoutPolicy>();
        let connection_wait = self.find::<ConnectionWaitPolicy>();
        Patience {
            deadline: until.map(|deadline| deadline.at),
            connect_timeout: connect_timeout.map(|policy| policy.0),
            connection_wait: connection_wait.map(|policy| policy.0),
            forbids_reconnecting: self.rebind_mode() == RebindMode::NoReconnect
                && object.binding().is_bound(),
        }
    }

    fn rebind_mode(&self) -> RebindMode {
        match &self.0 {
            Some(governed) if governed.is_explicit => RebindMode::Transparent,
            _ => self.find::<RebindPolicy>().copied().unwrap_or_default().0,
        }
    }

    /// Checks that a reference that is bound may be bound elsewhere.
    ///
    /// # Errors
    ///
    /// REBIND.
    pub(super) fn check_rebinding(
        &self,
        object: &ObjectRef,
        from: &Binding,
        to: &Binding,
    ) -> Result<(), SystemException> {
        let is_bound = object.binding().is_bound();
        match self.rebind_mode() {
            RebindMode::NoReconnect if is_bound => Err(failure::rebinding(to)),
            RebindMode::NoRebind if is_bound => {
                let told =
                    |binding: &Binding| binding.exposed_policies(object.core(), object.ior());
                match told(from)? == told(to)? {
                    true => Ok(()),
                    false => Err(failure::rebinding(to)),
                }
            }
            _ => Ok(()),
        }
    }

    /// Whether a call may go back to where its reference leads by itself, from a place to
    /// which it has been sent and where nobody is any more.
    pub(super) fn may_go_back(&self, object: &ObjectRef) -> bool {
        self.rebind_mode() == RebindMode::Transparent || !object.binding().is_bound()
    }

    /// Returns how many forwards are followed, and what says so.
    pub(super) fn max_forwards(&self, core: &OrbCore) -> (usize, &'static str) {
        match self.find::<MaxForwardsPolicy>() {
            Some(policy) => (policy.0 as usize, "MaxForwardsPolicy"),
            None => (core.settings.client.max_forwards, "client.max_forwards"),
        }
    }

    /// Returns how the reply is waited for, if not as the reference says.
    pub(super) fn wait_strategy(&self, object: &ObjectRef) -> Option<WaitStrategy> {
        let levels = &self.0.as_ref()?.levels;
        // A call has it nearest; references keep theirs elsewhere.
        let policy = match object.has_own_wait_strategy() {
            true => levels.of_call::<WaitStrategyPolicy>(),
            false => levels.find::<WaitStrategyPolicy>(),
        };
        policy.map(|policy| policy.0)
    }

    /// Checks that the place where a reference is bound contradicts no policy.
    ///
    /// # Errors
    ///
    /// INV_POLICY with OMG minor 1, which names those that it contradicts.
    pub(super) fn check(
        &self,
        object: &ObjectRef,
        binding: &Binding,
    ) -> Result<(), SystemException> {
        let Some(governed) = &self.0 else {
            return Ok(());
        };
        let bands_are_checked = object.core().priorities.is_real_time();
        if !governed.levels.may_be_contradicted(bands_are_checked) {
            return Ok(());
        }
        let contradicted = self.contradicted(object, binding)?;
        match contradicted.is_empty() {
            true => Ok(()),
            false => Err(inconsistent(&contradicted)),
        }
    }

    /// The policies that the place contradicts where a reference is bound.
    pub(super) fn contradicted(
        &self,
        object: &ObjectRef,
        binding: &Binding,
    ) -> Result<Vec<crate::policy::Policy>, SystemException> {
        let Some(governed) = &self.0 else {
            return Ok(Vec::new());
        };
        let told = binding.exposed_policies(object.core(), object.ior())?;
        let contradicted = governed.levels.contradicted_by(&told);
        contradicted.map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))
    }

    /// Returns the options of the connections of a call of this priority, by its policies; none
    /// if they are those that all share.
    fn connection_options(
        &self,
        core: &OrbCore,
        priority: Option<CallPriority>,
    ) -> Option<WantedOptions> {
        self.0.as_ref()?;
        let options = self.find::<ConnectionOptionsPolicy>();
        let protocols = self.find::<ClientProtocolPolicy>();
        let of_protocol = |protocol: &Protocol| {
            let properties = protocol.transport_protocol_properties?;
            let own = priority.map(|priority| priority.own);
            let marks = match properties.enables_network_priority() {
                true => core.priorities.options_for(own),
                false => ConnectionOptions::NONE,
            };
            let options = properties.options().or(&marks);
            (!options.is_empty()).then_some((protocol.protocol_type, options))
        };
        let by_protocol = protocols.map(|policy| policy.0.iter().filter_map(of_protocol).collect());
        let wanted = WantedOptions {
            of_all: options.map(|policy| policy.0).unwrap_or_default(),
            by_protocol: by_protocol.unwrap_or_default(),
        };
        (!wanted.are_none()).then_some(wanted)
    }

    /// Returns the order in which the routes are tried, if policies say one.
    ///
    /// # Errors
    ///
    /// INV_POLICY, Taut minor 86, if no preferred protocol can be had.
    pub(super) fn route_order(
        &self,
        core: &OrbCore,
        binding: &Binding,
    ) -> Result<Option<RouteOrder>, SystemException> {
        let protocols = self.find::<ClientProtocolPolicy>();
        let order = self.find::<TransportOrderPolicy>().map(|policy| policy.0);
        if protocols.is_none() && order.is_none() {
            return Ok(None);
        }
        let fallback = self.find::<ProtocolFallbackPolicy>();
        let is_silent = fallback.is_some_and(|policy| policy.0 == ProtocolFallback::Silent);
        let protocols = protocols.map(ClientProtocolPolicy::protocol_types);
        let protocols = protocols.as_deref();
        let routes = binding.route_order(core, order, protocols, is_silent);
        match (routes.is_empty(), protocols) {
            (true, Some(protocols)) => Err(failure::no_preferred_protocol(protocols, binding)),
            _ => Ok(Some(routes)),
        }
    }

    /// Returns the binding by which a call of this priority goes from there, with the connections
    /// that its policies ask for.
    ///
    /// # Errors
    ///
    /// Those of [`Binding::way`].
    pub(super) fn way<'b>(
        &self,
        core: &Arc<OrbCore>,
        binding: &'b Binding,
        priority: Option<CallPriority>,
    ) -> Result<Bound<'b>, SystemException> {
        let is_private = self.find::<PrivateConnectionPolicy>().is_some();
        let options = self.connection_options(core, priority);
        if !is_private && options.is_none() && !core.priorities.is_real_time() {
            return Ok(Bound::Lent(binding));
        }
        let wanted = Wanted {
            priority,
            bands: self.bands(core),
            is_private,
            options: options.as_ref(),
        };
        binding.way(core, &wanted)
    }

    /// Returns the bands in force where the reference is bound.
    ///
    /// # Errors
    ///
    /// Those of [`Binding::bands`].
    pub(super) fn bands_in_force<'b>(
        &'b self,
        object: &ObjectRef,
        binding: &'b Binding,
    ) -> Result<Option<&'b PriorityBandedConnectionPolicy>, SystemException> {
        binding.bands(self.bands(object.core()))
    }

    /// The bands of the client, which an ORB without priorities has no use for.
    fn bands(&self, core: &OrbCore) -> Option<&PriorityBandedConnectionPolicy> {
        match core.priorities.is_real_time() {
            true => self.find(),
            false => None,
        }
    }

    /// Returns the bounds on how many oneways wait, if a policy says them.
    pub(super) fn batching(&self) -> Option<Batching> {
        let policy = self.find::<BufferingConstraintPolicy>()?;
        let number = |bound: Option<u32>| bound.map_or(usize::MAX, |bound| bound as usize);
        Some(Batching {
            messages: number(policy.message_count),
            octets: number(policy.message_bytes),
            timeout: policy.timeout.unwrap_or(FOR_EVER).min(FOR_EVER),
        })
    }
}

/// The time of a call is over before its reply may be given to the caller.
pub(super) fn came_too_early() -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Timeout, minor::CALL_TIMED_OUT);
    SystemException::new(kind, minor, CompletionStatus::Yes)
        .because("the reply came before the time of ReplyStartTimePolicy")
}

/// Returns a deadline at a time of day.
fn at(end: SystemTime, policy: &'static str) -> Option<Deadline> {
    let left = end.duration_since(SystemTime::now());
    Deadline::after(left.unwrap_or(Duration::ZERO), policy)
}

/// Waits until a time of day, or until the ORB stops. False if the deadline comes before; then
/// it is not waited for.
fn wait_until(start: SystemTime, by: Option<Deadline>, core: &OrbCore) -> bool {
    loop {
        let left = start.duration_since(SystemTime::now()).unwrap_or_default();
        if left.is_zero() {
            return true;
        }
        if by.is_some_and(|by| by.time_left() < left) {
            return false;
        }
        // The clock may be set meanwhile.
        let step = left.min(LONGEST_STEP);
        if nested_calls::wait(|| core.lifecycle.stops_within(step)) {
            return true;
        }
    }
}

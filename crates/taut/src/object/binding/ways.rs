//! The ways to an object that calls of different priorities take: to the endpoints of their
//! lane, over the connections of their band, or over private ones.

use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicI16, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use smallvec::SmallVec;
use taut_cdr::{ByteOrder, Encoder};
use taut_giop::message::{RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::real_time::{BIND_PRIORITY_BAND, priority_range_context};
use taut_giop::service_context::{self, ServiceContext, ServiceContexts};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::separated::Separated;
use super::{Binding, OtherRoutes, Rare, Route};
use crate::connection::{Band, EndpointKey, GREETING_ID, PrivateId};
use crate::core::OrbCore;
use crate::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    ToldPriorities, inconsistent,
};
use crate::priority::{CallPriority, Priority};

/// The ways of a binding, beside its own: they are made when a call first takes one, and there
/// as long as the binding.
#[derive(Default)]
pub(super) struct Ways {
    told: ToldPriorities,
    first: OnceLock<Box<Way>>,
}

/// One of them, and the next.
struct Way {
    key: WayKey,
    /// Routes of the same reference, to other endpoints.
    binding: Binding,
    next: OnceLock<Box<Self>>,
    /// Dropped behind the routes.
    _private: Option<PrivateEndpoints>,
}

/// All in which ways differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WayKey {
    /// The priority of the lane, if the reference tells lanes.
    lane: Option<Priority>,
    band: Option<PriorityBand>,
    is_private: bool,
}

/// The identity of a way of a binding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WayId(WayKey);

/// The priority of a lane, or none, in two octets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lane(i16);

impl Lane {
    pub(super) fn of(priority: Option<Priority>) -> Self {
        Self(priority.map_or(-1, Priority::get))
    }

    fn priority(self) -> Option<Priority> {
        Priority::new(self.0).ok()
    }
}

/// The properties of a call that decide about its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'q> {
    pub(crate) priority: Option<CallPriority>,
    /// The client's bands, if it has any.
    pub(crate) bands: Option<&'q PriorityBandedConnectionPolicy>,
    pub(crate) is_private: bool,
}

/// The endpoints of private connections, which end with the binding.
struct PrivateEndpoints {
    core: Weak<OrbCore>,
    keys: Vec<EndpointKey>,
}

impl Drop for PrivateEndpoints {
    fn drop(&mut self) {
        if let Some(core) = self.core.upgrade() {
            core.connections.end_private(&self.keys);
        }
    }
}

impl Ways {
    /// Those of a binding whose reference tells this.
    pub(super) fn new(told: ToldPriorities) -> Self {
        Self {
            told,
            first: OnceLock::new(),
        }
    }

    /// The priorities that the reference tells.
    pub(super) fn told(&self) -> &ToldPriorities {
        &self.told
    }

    /// Whether the reference tells bands.
    pub(super) fn has_bands(&self) -> bool {
        !self.told.bands.0.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &Way> {
        let first = self.first.get().map(|way| &**way);
        std::iter::successors(first, |way| way.next.get().map(|way| &**way))
    }

    /// The bindings of all ways that there are so far.
    pub(super) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.iter().map(|way| &way.binding)
    }

    /// Returns the way with this key, if it has been made.
    fn find(&self, key: WayKey) -> Option<&Binding> {
        let mut ways = self.iter();
        ways.find(|way| way.key == key).map(|way| &way.binding)
    }

    /// Adds a way; another thread may have made it meanwhile.
    fn add(&self, way: Box<Way>) -> &Binding {
        let key = way.key;
        let mut own = Some(way);
        let mut place = &self.first;
        loop {
            if place.get().is_none()
                && let Some(way) = own.take()
            {
                own = place.set(way).err();
            }
            match place.get() {
                Some(there) if there.key == key => return &there.binding,
                Some(there) => place = &there.next,
                // It has just been set.
                None => {}
            }
        }
    }
}

impl Binding {
    /// Returns the binding by which a call goes that wants this: mostly the same one.
    ///
    /// # Errors
    ///
    /// INV_POLICY, Taut minor 101, if the priority of the call is in no band, and OMG minor 1 if
    /// the reference tells other bands than the client has; DATA_CONVERSION, OMG minor 2, if the
    /// transform has no priority for the call.
    pub(crate) fn way(
        &self,
        core: &Arc<OrbCore>,
        wanted: &Wanted<'_>,
    ) -> Result<&Self, SystemException> {
        let ways = &self.rare().ways;
        let key = self.key_of(ways, wanted)?;
        if key == WayKey::default() {
            return Ok(self);
        }
        Ok(match ways.find(key) {
            Some(binding) => binding,
            None => ways.add(Box::new(self.make_way(core, key))),
        })
    }

    /// Returns the identity of a way that this binding has found; none: it is itself.
    pub(crate) fn id_of_way(&self, way: &Self) -> Option<WayId> {
        let mut ways = self.ways()?.iter();
        let found = ways.find(|one| std::ptr::eq(&one.binding, way));
        found.map(|way| WayId(way.key))
    }

    /// Returns the way with this identity.
    pub(crate) fn way_with(&self, WayId(key): WayId) -> Option<&Self> {
        self.ways()?.find(key)
    }

    /// Whether calls have to look for their way, also those without priorities and policies.
    pub(crate) fn has_several_ways(&self) -> bool {
        self.routes().any(|route| route.lane.priority().is_some())
            || self.ways().is_some_and(Ways::has_bands)
    }

    /// Returns the bands that are in force for a client with these, if any are.
    ///
    /// # Errors
    ///
    /// INV_POLICY, OMG minor 1, if the reference tells others.
    pub(crate) fn bands<'a>(
        &'a self,
        own: Option<&'a PriorityBandedConnectionPolicy>,
    ) -> Result<Option<&'a PriorityBandedConnectionPolicy>, SystemException> {
        let told = self.ways().map(|ways| &ways.told.bands);
        let is_some = |bands: &&PriorityBandedConnectionPolicy| !bands.0.is_empty();
        match (own.filter(is_some), told.filter(is_some)) {
            (Some(own), Some(told)) if own != told => {
                Err(inconsistent(&[Policy::from(own.clone())]))
            }
            (own, told) => Ok(own.or(told)),
        }
    }

    fn key_of(&self, ways: &Ways, wanted: &Wanted<'_>) -> Result<WayKey, SystemException> {
        let priority = priority_of(ways.told.model, wanted.priority)?;
        let bands = self.bands(wanted.bands)?;
        let band = match (bands, priority) {
            (Some(bands), Some(priority)) => {
                let mut bands = bands.0.iter();
                let band = bands.find(|band| band.contains(priority));
                Some(*band.ok_or_else(|| in_no_band(priority))?)
            }
            _ => None,
        };
        Ok(WayKey {
            lane: priority.and_then(|priority| self.lane_for(priority)),
            band,
            is_private: wanted.is_private,
        })
    }

    /// Returns the priority of the lane that a call of this priority goes to: the same one, or
    /// else the nearest; of two that are as near, the more urgent.
    fn lane_for(&self, priority: Priority) -> Option<Priority> {
        let distance = |lane: Priority| lane.get().abs_diff(priority.get());
        let lanes = self.routes().filter_map(|route| route.lane.priority());
        lanes.min_by_key(|lane| (distance(*lane), std::cmp::Reverse(*lane)))
    }

    /// Makes a way with this key.
    fn make_way(&self, core: &Arc<OrbCore>, key: WayKey) -> Way {
        let private = key.is_private.then(PrivateId::next);
        let band = key.band.map(|band| Band {
            lowest: band.low.get(),
            highest: band.high.get(),
        });
        let mut keys = Vec::new();
        let mut leading = |route: &Route| {
            let address = route.endpoint.address().clone();
            let endpoint = EndpointKey::shared(address).in_band(band).private(private);
            let endpoint = endpoint.with_options(&route.endpoint.own_options());
            keys.push(endpoint.clone());
            let route = route.to(core, endpoint);
            if let Some(band) = key
                .band
                .filter(|_| core.settings.real_time.bind_priority_bands)
            {
                match greeting(&route, band) {
                    Ok(request) => route.endpoint.greet_with(request),
                    Err(error) => tracing::warn!(%error, "a band cannot be bound"),
                }
            }
            route
        };
        // Those that belong to no lane come behind.
        let of = |lane: Option<Priority>| {
            self.routes()
                .filter(move |route| route.lane.priority() == lane)
        };
        let rest = key.lane.map(|_| of(None)).into_iter().flatten();
        let routes = of(key.lane).chain(rest).map(&mut leading);
        let mut routes = routes.collect::<SmallVec<[Route; 1]>>().into_iter();
        // The lane is that of one of them.
        let first_route = routes.next().unwrap_or_else(|| leading(&self.first_route));
        let binding = Self {
            local: None,
            rare: Rare::telling(self.ior(), ToldPriorities::default()),
            separated: Separated::default(),
            other_routes: OtherRoutes::of(routes),
            first_route,
            preferred: AtomicU32::new(0),
            addressing: AtomicI16::new(self.addressing.load(Ordering::Acquire)),
            forwarded: self.forwarded,
            wait_strategy: self.wait_strategy,
        };
        let keys = mem::take(&mut keys);
        Way {
            key,
            binding,
            next: OnceLock::new(),
            _private: private.map(|_| PrivateEndpoints {
                core: Arc::downgrade(core),
                keys,
            }),
        }
    }
}

/// Returns the priority at which a call is carried out by this model, if that can be told.
fn priority_of(
    model: Option<PriorityModelPolicy>,
    call: Option<CallPriority>,
) -> Result<Option<Priority>, SystemException> {
    match (model, call) {
        (None, call) => Ok(call.map(|call| call.own)),
        (Some(model), Some(call)) if model.priority_model == PriorityModel::ClientPropagated => {
            call.sent().map(Some)
        }
        (Some(model), _) => Ok(Some(model.server_priority)),
    }
}

/// The request by which the connections of a route are bound to a band.
fn greeting(route: &Route, band: PriorityBand) -> taut_cdr::Result<Vec<u8>> {
    let data = priority_range_context(band.low.get(), band.high.get());
    let context = ServiceContext {
        id: service_context::id::RT_CORBA_PRIORITY_RANGE,
        data: &data,
    };
    let header = RequestHeader {
        request_id: GREETING_ID,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(route.template.object_key()),
        operation: BIND_PRIORITY_BAND.as_bytes(),
        service_contexts: ServiceContexts::new(std::slice::from_ref(&context)),
    };
    let (messaging, version) = (route.messaging, route.version);
    let mut out = Encoder::new(ByteOrder::NATIVE);
    messaging.begin_request(&mut out, version, &header)?;
    messaging.begin_body(version, &mut out).finish(&mut out);
    messaging.finish_message(&mut out)?;
    Ok(out.into_buffer())
}

#[cold]
fn in_no_band(priority: Priority) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::InvPolicy, minor::PRIORITY_IN_NO_BAND);
    SystemException::new(kind, minor, CompletionStatus::No)
        .because(format!("the priority is {priority}"))
}

impl fmt::Debug for Ways {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|way| way.key))
            .finish()
    }
}

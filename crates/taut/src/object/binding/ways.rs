//! The ways to an object that calls with different priorities and policies take: to the endpoints
//! of their lane, over the connections of their band, over private ones, or over those that have
//! their options.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use smallvec::SmallVec;
use taut_cdr::{ByteOrder, Encoder};
use taut_giop::message::{RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::real_time::{BIND_PRIORITY_BAND, priority_range_context};
use taut_giop::service_context::{self, ServiceContext, ServiceContexts};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sync::primitives::AtomicArc;

use super::{Binding, OtherRoutes, Rare, Route};
use crate::connection::{Band, EndpointKey, GREETING_ID, PrivateId};
use crate::core::OrbCore;
use crate::object::Bound;
use crate::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    ToldPriorities, inconsistent,
};
use crate::priority::{CallPriority, Priority, SharedMutex};
use crate::transport::{Address, ConnectionOptions};

/// How many ways a binding keeps. A further one takes the place of the oldest, whose connections
/// are found again by their keys, unless they are private.
const MOST_WAYS: usize = 64;

/// Held while a way is added, to whichever binding.
static ADDING: SharedMutex<()> = SharedMutex::new(());

/// The ways of a binding, beside its own: each is made when a call first takes it.
#[derive(Default)]
pub(super) struct Ways {
    told: ToldPriorities,
    /// Looked up without a lock, for threads of several priorities do so.
    known: AtomicArc<Vec<Way>>,
    /// The endpoints of the binding itself, if it is a way over private connections.
    _private: Option<PrivateEndpoints>,
}

/// One of them.
#[derive(Clone)]
struct Way {
    key: WayKey,
    options: Option<WantedOptions>,
    /// Routes of the same reference, to other endpoints.
    binding: Arc<Binding>,
}

/// All in which ways differ beside options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WayKey {
    /// The priority of the lane, if the reference tells lanes.
    lane: Option<Priority>,
    band: Option<PriorityBand>,
    is_private: bool,
}

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
    /// The options of the connections beside those that all have, if there are some.
    pub(crate) options: Option<&'q WantedOptions>,
}

/// The options that a call wants its connections to have beside those that all have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WantedOptions {
    /// The options whatever the protocol.
    pub(crate) of_all: ConnectionOptions,
    /// Those of protocols, by the tags of their profiles.
    pub(crate) by_protocol: SmallVec<[(u32, ConnectionOptions); 2]>,
}

impl WantedOptions {
    /// Whether nothing is wanted.
    pub(crate) fn are_none(&self) -> bool {
        self.of_all.is_empty() && self.by_protocol.is_empty()
    }

    /// The options of connections to an address.
    fn at(&self, core: &OrbCore, address: &Address) -> ConnectionOptions {
        let protocol = core.protocols.of(address);
        let tag = protocol.map(|protocol| protocol.profile_tag());
        let mut by_protocol = self.by_protocol.iter();
        match by_protocol.find(|(of, _)| Some(*of) == tag) {
            Some((_, farther)) => self.of_all.or(farther),
            None => self.of_all,
        }
    }
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
            ..Self::default()
        }
    }

    /// Whether the reference tells bands.
    pub(super) fn has_bands(&self) -> bool {
        !self.told.bands.0.is_empty()
    }

    /// Changes all ways that there are so far. True if that did anything for one of them.
    pub(super) fn change(&self, change: impl Fn(&Binding) -> bool) -> bool {
        let Some(known) = self.known.load_full() else {
            return false;
        };
        let bindings = known.iter().map(|way| &*way.binding);
        bindings.fold(false, |any, way| change(way) | any)
    }

    /// Returns the way with this key and these options, if there is one.
    fn find(&self, key: WayKey, options: Option<&WantedOptions>) -> Option<Arc<Binding>> {
        let known = self.known.load()?;
        let mut known = known.iter();
        let way = known.find(|way| way.key == key && way.options.as_ref() == options)?;
        Some(Arc::clone(&way.binding))
    }

    /// Adds a way. Returns the one that it displaces, if there are too many.
    fn add(&self, way: Way) -> Option<Way> {
        let known = self.known.load_full();
        let mut known = known.map_or_else(Vec::new, |known| Vec::clone(&known));
        let displaced = (known.len() >= MOST_WAYS).then(|| known.remove(0));
        known.push(way);
        self.known.store(Some(Arc::new(known)));
        displaced
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
    ) -> Result<Bound<'_>, SystemException> {
        let ways = &self.rare().ways;
        let key = self.key_of(ways, wanted)?;
        if key == WayKey::default() && wanted.options.is_none() {
            return Ok(Bound::Lent(self));
        }
        let found = ways.find(key, wanted.options);
        Ok(Bound::Shared(found.unwrap_or_else(|| {
            self.add_way(core, ways, key, wanted.options)
        })))
    }

    #[cold]
    fn add_way(
        &self,
        core: &Arc<OrbCore>,
        ways: &Ways,
        key: WayKey,
        options: Option<&WantedOptions>,
    ) -> Arc<Self> {
        let adding = ADDING.lock();
        // Another thread may have made it meanwhile.
        if let Some(binding) = ways.find(key, options) {
            return binding;
        }
        let binding = Arc::new(self.make_way(core, key, options));
        let displaced = ways.add(Way {
            key,
            options: options.cloned(),
            binding: Arc::clone(&binding),
        });
        drop(adding);
        // Its private connections are closed without the lock.
        drop(displaced);
        binding
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

    /// Makes a way with this key and these options.
    fn make_way(&self, core: &Arc<OrbCore>, key: WayKey, options: Option<&WantedOptions>) -> Self {
        let private = key.is_private.then(PrivateId::next);
        let band = key.band.map(|band| Band {
            lowest: band.low.get(),
            highest: band.high.get(),
        });
        let mut keys = Vec::new();
        let mut leading = |route: &Route| {
            let address = route.endpoint.address();
            let options = options.map(|options| options.at(core, address));
            let endpoint = EndpointKey::shared(address.clone())
                .in_band(band)
                .private(private)
                .with_options(&options.unwrap_or_default());
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
        let mut chosen: SmallVec<[&Route; 1]> = self.routes().collect();
        let mut preferred = self.preferred.load(Ordering::Relaxed);
        if key.lane.is_some() {
            // Those that belong to no lane come behind.
            let lane = |route: &Route| route.lane.priority();
            chosen.retain(|route| lane(route).is_none_or(|lane| Some(lane) == key.lane));
            chosen.sort_by_key(|route| lane(route).is_none());
            preferred = 0;
        }
        // Made in the order of the reference, which their ids tell as well.
        let mut routes: SmallVec<[_; 1]> = chosen.into_iter().enumerate().collect();
        routes.sort_by_key(|(_, route): &(usize, &Route)| route.id);
        let mut routes: SmallVec<[_; 1]> = routes
            .into_iter()
            .map(|(place, route)| (place, leading(route)))
            .collect();
        routes.sort_by_key(|(place, _)| *place);
        let mut routes = routes.into_iter().map(|(_, route)| route);
        // The lane is that of one of them.
        let first_route = routes.next();
        let first_route = first_route.unwrap_or_else(|| leading(&self.first_route));
        let other_routes = OtherRoutes::of(routes);
        let private = private.map(|_| Ways {
            _private: Some(PrivateEndpoints {
                core: Arc::downgrade(core),
                keys,
            }),
            ..Ways::default()
        });
        Self {
            local: None,
            rare: Rare::of(self.ior(), private),
            other_routes,
            first_route,
            preferred: preferred.into(),
            addressing: self.addressing.load(Ordering::Acquire).into(),
            forwarded: self.forwarded,
            wait_strategy: self.wait_strategy,
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
        let known = self.known.load_full();
        let known = known.iter().flat_map(|known| known.iter());
        f.debug_list().entries(known.map(|way| way.key)).finish()
    }
}

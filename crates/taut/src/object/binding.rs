//! The result of resolving a reference: routes to the object, and what requests on them say.

mod routes;
#[cfg_attr(not(feature = "full"), path = "binding/ways_absent.rs")]
mod ways;

use std::array;
use std::iter;
use std::mem;
#[cfg(all(test, not(loom)))]
use std::mem::offset_of;
use std::sync::atomic::{AtomicI16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use smallvec::SmallVec;
use taut_cdr::CharacterForms;
#[cfg(feature = "full")]
use taut_giop::ExposedPolicy;
use taut_giop::ior::Ior;
use taut_giop::message::{AddressingMode, RequestTemplate, TargetAddress};
use taut_giop::service_context::{self, ServiceContext};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, Version, minor};

use super::collocation::{self, Local};
use super::handles::HandleRoute;
use super::whereabouts;
use crate::connection::{Endpoint, EndpointKey};
use crate::core::OrbCore;
use crate::messaging::Messaging;
use crate::policy::ToldPriorities;
use crate::settings::{TransportOrder, WaitStrategy};
use routes::{add_routes, agreed, enter, next_id};
use ways::{Lane, Ways};

#[cfg(feature = "full")]
pub(crate) use ways::{Wanted, WantedOptions};

/// The result of resolving a reference, once for many calls: every address at
/// which the object may be found, with what a request to it must say.
///
/// A client that calls a hundred thousand objects in turn waits for memory more than for
/// anything else. So all that a call needs lies in one piece, in the order of the fields:
/// what it does not need comes first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Binding {
    /// The object, if a server of this process has it.
    local: Option<Box<Local>>,
    /// The parts that few bindings have.
    rare: OnceLock<Box<Rare>>,
    /// Behind the first, in order of preference; none for most references.
    other_routes: Option<Box<OtherRoutes>>,
    first_route: Route,
    /// The route that served last.
    preferred: AtomicU32,
    /// How requests name their target: an [`AddressingMode`], for a server may ask for
    /// another form; or [`BY_HANDLE`].
    addressing: AtomicI16,
    /// Whether a server sent us here, rather than the reference itself.
    pub(crate) forwarded: bool,
    /// How replies are waited for.
    pub(crate) wait_strategy: WaitStrategy,
}

/// The parts that few bindings have.
#[derive(Debug, Default)]
struct Rare {
    /// The reference that the routes were made of, once a server wants to be told.
    ior: OnceLock<Box<Ior>>,
    /// The ways that calls with other priorities or policies take.
    ways: Ways,
}

/// The routes behind the first. Apart, for a reference that has none needs the room.
#[derive(Debug)]
struct OtherRoutes(Box<[Route]>);

impl OtherRoutes {
    fn of(routes: impl Iterator<Item = Route>) -> Option<Box<Self>> {
        let routes: Box<[Route]> = routes.collect();
        (!routes.is_empty()).then(|| Box::new(Self(routes)))
    }
}

/// By key; operations that have one are called by handle where the route says how.
const BY_HANDLE: i16 = -1;

/// The reference asks that requests tell their deadlines.
const DEADLINES: u8 = 1;

/// The reference asks that requests tell their priorities.
const PRIORITIES: u8 = 2;

/// The id of the next route.
static NEXT_ROUTE: AtomicU64 = AtomicU64::new(0);

/// One way to the object. The fields that most calls need come last, as in a [`Binding`].
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Route {
    /// Where the reference offers handles of operations and we use them.
    handles: Option<Box<HandleRoute>>,
    /// The index in the reference of the profile that this route came from.
    profile: u16,
    /// The lane that the endpoint belongs to.
    lane: Lane,
    /// The qualities that the reference asks requests to tell.
    takes: u8,
    /// The code-sets service context that the first request on a connection
    /// carries; none where the reference did not offer code sets.
    code_sets: Option<[u8; 12]>,
    /// The protocol of the endpoint's messages.
    pub(crate) messaging: Messaging,
    /// The highest version that both sides speak.
    pub(crate) version: Version,
    /// As agreed on, in this version.
    pub(crate) characters: CharacterForms,
    /// The octets with which requests begin that name their target by key.
    template: RequestTemplate,
    /// Tells this route from every other there ever was.
    pub(crate) id: u64,
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Drop for Route {
    fn drop(&mut self) {
        self.endpoint.leave_route();
    }
}

impl Route {
    /// Whether the first request on a connection tells the code sets.
    #[inline]
    pub(crate) fn has_code_sets(&self) -> bool {
        self.code_sets.is_some()
    }

    /// Whether the reference asks that requests tell their deadlines.
    #[inline]
    pub(crate) fn takes_deadlines(&self) -> bool {
        self.takes & DEADLINES != 0
    }

    /// Whether the reference asks that requests tell their priorities.
    #[inline]
    pub(crate) fn takes_priorities(&self) -> bool {
        self.takes & PRIORITIES != 0
    }

    /// The same route to another endpoint, which has this key.
    #[cfg(feature = "full")]
    fn to(&self, core: &OrbCore, key: EndpointKey) -> Self {
        let handles = self.handles.as_ref();
        let handles = handles.map(|handles| Box::new(handles.with_id(next_id())));
        let endpoint = enter(core, key, &core.settings);
        Self {
            handles,
            template: self.template.clone(),
            id: next_id(),
            endpoint,
            ..*self
        }
    }

    /// The service context by which the first request on a connection tells the
    /// code sets.
    pub(crate) fn code_sets_context(&self) -> Option<ServiceContext<'_>> {
        self.code_sets.as_ref().map(|data| ServiceContext {
            id: service_context::id::CODE_SETS,
            data,
        })
    }
}

/// The exception for a reference of which no profile can be used.
#[cold]
fn unusable(ior: &Ior, malformed: Option<taut_cdr::Error>) -> SystemException {
    if let Some(error) = malformed {
        let (kind, minor) = (SystemExceptionKind::InvObjref, minor::MALFORMED_PROFILE);
        return SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string());
    }
    let tags: Vec<_> = ior.profiles.iter().map(|profile| profile.tag).collect();
    SystemException::omg(SystemExceptionKind::Transient, 2, CompletionStatus::No).because(format!(
        "the reference has profiles with the tags {tags:?} only"
    ))
}

impl Rare {
    /// Those of a binding that keeps its reference, or has such ways, if it does.
    fn of(ior: Option<&Ior>, ways: Option<Ways>) -> OnceLock<Box<Self>> {
        if ior.is_none() && ways.is_none() {
            return OnceLock::new();
        }
        let ior = ior.map(|ior| Box::new(ior.clone()));
        OnceLock::from(Box::new(Self {
            ior: ior.map_or_else(OnceLock::new, OnceLock::from),
            ways: ways.unwrap_or_default(),
        }))
    }
}

impl Binding {
    /// Reads the routes out of a reference. The name service may have to be asked whether
    /// one leads to this machine: until the deadline.
    ///
    /// # Errors
    ///
    /// INV_OBJREF when all profiles are malformed; TRANSIENT with OMG minor 2 when
    /// there is no profile that this ORB can use; CODESET_INCOMPATIBLE.
    pub(crate) fn new(
        core: &OrbCore,
        ior: &Ior,
        wait_strategy: WaitStrategy,
        deadline: Option<Instant>,
    ) -> Result<Self, SystemException> {
        let mut routes = SmallVec::<[Route; 1]>::new();
        let (profiles, malformed) = whereabouts::of(ior, core, deadline);
        let told = profiles.first();
        let told = told.map(|(_, profile)| whereabouts::told_priorities(profile, core));
        let told = told.filter(ToldPriorities::is_some);
        for (index, profile) in profiles {
            add_routes(core, profile, index, &mut routes)?;
        }
        if routes.len() > 1 && core.settings.client.transport_order == TransportOrder::LocalFirst {
            // Routes of the same turn keep their order. Each is looked at once, for a peer
            // chooses how many there are, and the file system may have to be asked.
            let mut by_turn: [SmallVec<[Route; 1]>; whereabouts::TURNS] =
                array::from_fn(|_| SmallVec::new());
            for route in mem::take(&mut routes) {
                let turn = whereabouts::turn(route.endpoint.address(), &core.protocols);
                by_turn[turn].push(route);
            }
            routes.extend(by_turn.into_iter().flatten());
        }
        let addressing = match routes.iter().any(|route: &Route| route.handles.is_some()) {
            true => BY_HANDLE,
            false => AddressingMode::Key as i16,
        };
        let places = routes
            .iter()
            .map(|route| (route.endpoint.address(), route.template.object_key()));
        let local = collocation::find(core, places).map(Box::new);
        let mut routes = routes.into_iter();
        let Some(first_route) = routes.next() else {
            return Err(unusable(ior, malformed));
        };
        Ok(Self {
            local,
            rare: Rare::of(None, told.map(Ways::new)),
            other_routes: OtherRoutes::of(routes),
            first_route,
            preferred: AtomicU32::new(0),
            addressing: AtomicI16::new(addressing),
            forwarded: false,
            wait_strategy,
        })
    }

    /// Returns the forms that characters have in requests to where a reference says first,
    /// as far as that can be told without asking anybody.
    pub(crate) fn foreseen_characters(core: &OrbCore, ior: &Ior) -> CharacterForms {
        let first = whereabouts::first(ior, core);
        let agreed = first.and_then(|profile| agreed(core, &profile).ok());
        agreed.map(|agreed| agreed.characters).unwrap_or_default()
    }

    /// Reads the routes out of a reference that a server has sent us to.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub(crate) fn forwarded(
        core: &OrbCore,
        target: Box<Ior>,
        wait_strategy: WaitStrategy,
        deadline: Option<Instant>,
    ) -> Result<Self, SystemException> {
        let binding = Self::new(core, &target, wait_strategy, deadline)?;
        // It has none yet.
        let _ = binding.rare().ior.set(target);
        Ok(Self {
            forwarded: true,
            ..binding
        })
    }

    /// The reference that a server has sent us to, if one has.
    pub(crate) fn forwarded_ior(&self) -> Option<&Ior> {
        self.ior().filter(|_| self.forwarded)
    }

    /// The reference that the routes were made of, where it is kept.
    fn ior(&self) -> Option<&Ior> {
        let ior = self.rare.get()?.ior.get();
        ior.map(|ior| &**ior)
    }

    /// The parts that few bindings have.
    fn rare(&self) -> &Rare {
        self.rare.get_or_init(Box::default)
    }

    /// The ways of calls with other priorities or policies, where there may be some.
    fn ways(&self) -> Option<&Ways> {
        self.rare.get().map(|rare| &rare.ways)
    }

    /// The index in the reference of the profile that is tried first.
    pub(crate) fn preferred_profile(&self) -> usize {
        let (_, route) = self.preferred();
        usize::from(route.profile)
    }

    /// The object, if a server of this process has it.
    #[inline]
    pub(crate) fn local(&self) -> Option<&Local> {
        self.local.as_deref()
    }

    /// All routes, in order of preference.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &Route> {
        iter::once(&self.first_route).chain(self.other_routes())
    }

    /// The route to try first, and its index.
    #[inline(always)]
    pub(crate) fn preferred(&self) -> (usize, &Route) {
        match self.preferred.load(Ordering::Relaxed) as usize {
            0 => (0, &self.first_route),
            index => (index, self.other_route(index)),
        }
    }

    /// A route behind the first.
    #[cold]
    #[inline(never)]
    fn other_route(&self, index: usize) -> &Route {
        &self.other_routes()[index - 1]
    }

    /// The routes behind the first.
    fn other_routes(&self) -> &[Route] {
        self.other_routes.as_ref().map_or(&[], |routes| &routes.0)
    }

    /// Notes which route served.
    #[inline]
    pub(crate) fn prefer(&self, route: usize) {
        // There are never so many.
        self.preferred.store(route as u32, Ordering::Relaxed);
    }

    /// The policies that the reference tells which leads here: one that a server has sent us
    /// to, or `own`.
    #[cfg(feature = "full")]
    pub(crate) fn exposed_policies(
        &self,
        core: &OrbCore,
        own: &Ior,
    ) -> Result<Vec<ExposedPolicy>, SystemException> {
        let sent = self.forwarded_ior();
        let (_, route) = self.preferred();
        whereabouts::exposed_policies(sent.unwrap_or(own), core, Some(route.profile.into()))
    }

    /// Calls by name from now on. False if that was so before.
    #[cold]
    #[inline(never)]
    pub(crate) fn retire_handles(&self) -> bool {
        let by_name = AddressingMode::Key as i16;
        let outcome = self.addressing.compare_exchange(
            BY_HANDLE,
            by_name,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        self.all_ways(|way| way.retire_handles()) | outcome.is_ok()
    }

    /// Names the target as the server asked for. False when it is named like
    /// that already, so that asking again would go on for ever. `ior` is what the
    /// binding was made of, if that is not a forward.
    pub(crate) fn set_addressing(&self, mode: AddressingMode, ior: &Ior) -> bool {
        self.rare().ior.get_or_init(|| Box::new(ior.clone()));
        // A thread that sees the mode sees the reference as well.
        let was_other = self.addressing.swap(mode as i16, Ordering::AcqRel) != mode as i16;
        self.all_ways(|way| way.set_addressing(mode, ior)) | was_other
    }

    /// Changes all ways beside this one. True if that did anything for one of them.
    fn all_ways(&self, change: impl Fn(&Self) -> bool) -> bool {
        self.ways().is_some_and(|ways| ways.change(change))
    }

    /// Returns the octets with which a request on this route begins, when it names its
    /// target by key, as most do, and no operation by handle.
    #[inline]
    pub(crate) fn template<'b>(&self, route: &'b Route) -> Option<&'b RequestTemplate> {
        let by_key = self.addressing.load(Ordering::Relaxed) == AddressingMode::Key as i16;
        by_key.then_some(&route.template)
    }

    /// Where operations are called by handle, how they are on this route, if they are,
    /// and what requests begin with that name their operation.
    pub(crate) fn handles<'b>(
        &self,
        route: &'b Route,
    ) -> Option<(Option<&'b HandleRoute>, &'b RequestTemplate)> {
        let by_handle = self.addressing.load(Ordering::Relaxed) == BY_HANDLE;
        by_handle.then_some((route.handles.as_deref(), &route.template))
    }

    /// How a request on this route names its target.
    pub(crate) fn target<'b>(&'b self, route: &'b Route) -> TargetAddress<'b> {
        let mode = self.addressing.load(Ordering::Acquire);
        let Some(ior) = self.ior().filter(|_| mode > AddressingMode::Key as i16) else {
            return TargetAddress::Key(route.template.object_key());
        };
        if mode == AddressingMode::Profile as i16 {
            let profile = &ior.profiles[usize::from(route.profile)];
            TargetAddress::Profile {
                tag: profile.tag,
                data: &profile.data,
            }
        } else {
            TargetAddress::Reference {
                index: route.profile.into(),
                ior: ior.into(),
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_needs_of_a_binding_is_side_by_side() {
        let first = offset_of!(Binding, first_route) + offset_of!(Route, code_sets);
        assert!(size_of::<Binding>() - first <= 144);
        assert!(size_of::<Binding>() <= 3 * 64, "{}", size_of::<Binding>());
    }
}

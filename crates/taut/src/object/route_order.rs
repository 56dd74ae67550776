//! The order in which the routes of a binding are tried where a call has policies for it.

use std::iter;

use smallvec::SmallVec;

use super::whereabouts;
use super::{Binding, Route};
use crate::core::OrbCore;
use crate::settings::TransportOrder;

/// The indices of routes.
pub(crate) type RouteOrder = SmallVec<[usize; 4]>;

impl Binding {
    /// Returns the routes in the order of calls without such policies: the one that served last,
    /// then the others.
    pub(crate) fn usual_order(&self) -> RouteOrder {
        let (preferred, _) = self.preferred();
        let others = (0..self.routes().count()).filter(|&index| index != preferred);
        iter::once(preferred).chain(others).collect()
    }

    /// Returns the routes in an order: those of these `protocols` by the tags of their profiles,
    /// the best first, and if that `is_silent` then all others; the addresses of one protocol
    /// as `order` says, or as the binding has them.
    pub(crate) fn route_order(
        &self,
        core: &OrbCore,
        order: Option<TransportOrder>,
        protocols: Option<&[u32]>,
        is_silent: bool,
    ) -> RouteOrder {
        let mut routes: Vec<(usize, &Route)> = self.routes().enumerate().collect();
        if order.is_some() {
            // As the reference has them.
            routes.sort_by_key(|(_, route)| route.id);
        }
        if order == Some(TransportOrder::LocalFirst) {
            let turn = |route: &Route| whereabouts::turn(route.endpoint.address(), &core.protocols);
            routes.sort_by_cached_key(|(_, route)| turn(route));
        }
        if let Some(protocols) = protocols {
            let rank = |route: &Route| {
                let protocol = core.protocols.of(route.endpoint.address());
                let tag = protocol.map(|protocol| protocol.profile_tag());
                let place = |tag| protocols.iter().position(|one| *one == tag);
                tag.and_then(place).unwrap_or(protocols.len())
            };
            routes.retain(|(_, route)| is_silent || rank(route) < protocols.len());
            routes.sort_by_key(|(_, route)| rank(route));
        }
        routes.into_iter().map(|(index, _)| index).collect()
    }
}

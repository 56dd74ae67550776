//! The lanes of a server, as a profile tells them.

use taut_cdr::Result;
use taut_giop::Limits;
use taut_giop::component::tag;
use taut_giop::ior::profile;
use taut_giop::real_time::{InternetAddress, LaneAddress, LaneEndpoint};

use super::whereabouts::Whereabouts;
use crate::core::OrbCore;
use crate::priority::Priority;
use crate::transport::Address;

/// Reads the lanes of a profile with this tag, which may add addresses to it. An ORB without
/// priorities has no need of them. A component that is malformed is passed over.
pub(super) fn read(found: &mut Whereabouts, profile: u32, core: &OrbCore) {
    let is_told = found.component(tag::TAO_ENDPOINTS).is_some();
    if !is_told || !core.priorities.is_real_time() {
        return;
    }
    let limits = &core.settings.limits.lists;
    let read = match profile {
        profile::tag::INTERNET_IOP => read_as(found, limits, |address: InternetAddress| {
            Address::new(address.host, address.port)
        }),
        profile::tag::TAO_UIOP => read_as(found, limits, |path: String| Address::unix(path)),
        // Transports of others tell them in forms of their own.
        _ => Ok(()),
    };
    if let Err(error) = read {
        tracing::warn!(%error, "malformed endpoints of lanes in a reference");
    }
}

fn read_as<A: LaneAddress>(
    found: &mut Whereabouts,
    limits: &Limits,
    address: impl Fn(A) -> Address,
) -> Result<()> {
    let Some(component) = found.component(tag::TAO_ENDPOINTS) else {
        return Ok(());
    };
    let endpoints = LaneEndpoint::<A>::read_all(component, limits)?;
    for (index, endpoint) in endpoints.into_iter().enumerate() {
        let address = address(endpoint.address);
        // The first is that of the profile itself, whatever it says.
        let place = match (index, found.addresses.is_empty()) {
            (0, false) => Some(0),
            _ => found.addresses.iter().position(|one| *one == address),
        };
        let place = place.unwrap_or_else(|| {
            found.addresses.push(address);
            found.addresses.len() - 1
        });
        if found.lanes.len() <= place {
            found.lanes.resize(place + 1, None);
        }
        // TAO writes -1 for an endpoint that belongs to no lane.
        found.lanes[place] = Priority::new(endpoint.priority).ok();
    }
    Ok(())
}

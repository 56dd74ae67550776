//! The routes to an object, as the profiles of its reference tell them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;
use taut_cdr::{CharacterForms, NoWideCodeSet, WideForm};
use taut_giop::code_set::{CodeSetComponentInfo, CodeSetContext};
use taut_giop::component;
use taut_giop::message::TargetAddress;
use taut_giop::{CompletionStatus, SystemException, Version};

use super::ways::Lane;
use super::{DEADLINES, NEXT_ROUTE, PRIORITIES, Route};
use crate::connection::{Endpoint, EndpointKey};
use crate::core::OrbCore;
use crate::messaging::Messaging;
use crate::object::handles::HandleRoute;
use crate::object::whereabouts::{self, Whereabouts};
use crate::settings::Settings;

/// Whether the reference was made by Taut.
fn is_taut(profile: &Whereabouts) -> bool {
    profile
        .component(component::tag::ORB_TYPE)
        .and_then(|component| component.orb_type().ok())
        == Some(component::orb_type::TAUT)
}

/// The forms that both sides agree on for requests to the addresses of a profile.
pub(super) struct Agreed {
    version: Version,
    pub(super) characters: CharacterForms,
    /// See [`Route::code_sets`].
    code_sets: Option<[u8; 12]>,
}

pub(super) fn agreed(core: &OrbCore, profile: &Whereabouts) -> Result<Agreed, SystemException> {
    let messaging = Messaging::of(&core.settings);
    let version = messaging.version(profile.version.min(core.settings.wire.giop_version));
    let offered = profile
        .component(component::tag::CODE_SETS)
        .filter(|_| version >= Version::V1_1)
        .map(CodeSetComponentInfo::from_component)
        .transpose()
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    let agreed = match &offered {
        Some(_) if is_taut(profile) => CodeSetContext::TAUT,
        offered => {
            let client = CodeSetComponentInfo::client(&core.settings.wire.char_code_sets);
            CodeSetContext::negotiate(&client, offered.as_ref())?
        }
    };
    let wide = match (agreed.wchar_tcs, &offered) {
        _ if core.settings.wire.assume_utf16 => WideForm::Octets,
        (0, None) => WideForm::NoCodeSet(NoWideCodeSet::NotOffered),
        (0, Some(_)) => WideForm::NoCodeSet(NoWideCodeSet::NotSupported),
        _ => WideForm::Octets,
    };
    Ok(Agreed {
        version,
        characters: CharacterForms {
            narrow: agreed.char_code_set()?,
            wide: version.wide_form_as(wide),
        },
        code_sets: offered.map(|_| agreed.to_context_data()),
    })
}

/// A route for the profile's own address and one for each alternate address.
pub(super) fn add_routes(
    core: &OrbCore,
    profile: Whereabouts,
    index: usize,
    routes: &mut SmallVec<[Route; 1]>,
) -> Result<(), SystemException> {
    // Nobody has so many profiles.
    let Ok(index) = u16::try_from(index) else {
        return Ok(());
    };
    let messaging = Messaging::of(&core.settings);
    let Agreed {
        version,
        characters,
        code_sets,
    } = agreed(core, &profile)?;
    let target = TargetAddress::Key(&profile.object_key);
    let template = messaging
        .template(version, core.settings.wire.byte_order, target)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    let settings = &core.settings;
    let takes_priorities = whereabouts::told_priorities(&profile, core).are_propagated();
    let takes_deadlines = whereabouts::takes_deadlines(&profile, &settings.limits.lists);
    let takes = (u8::from(takes_deadlines) * DEADLINES) | (u8::from(takes_priorities) * PRIORITIES);
    let of_handles = profile.component(component::tag::OPERATION_HANDLES);
    let of_handles = of_handles.filter(|_| settings.wire.operation_handles);
    for (place, address) in profile.addresses.iter().enumerate() {
        // A socket may be named by several profiles.
        if address.path().is_some()
            && routes
                .iter()
                .any(|route| route.endpoint.address() == address)
        {
            continue;
        }
        let written = (messaging, version, settings.wire.byte_order);
        let handles =
            of_handles.and_then(|component| HandleRoute::new(next_id(), component, written));
        let endpoint = enter(core, EndpointKey::shared(address.clone()), settings);
        routes.push(Route {
            handles: handles.map(Box::new),
            profile: index,
            lane: Lane::of(profile.lane(place)),
            takes,
            code_sets,
            messaging: endpoint.messaging(),
            version,
            characters,
            template: template.clone(),
            id: next_id(),
            endpoint,
        });
    }
    Ok(())
}

pub(super) fn next_id() -> u64 {
    NEXT_ROUTE.fetch_add(1, Ordering::Relaxed)
}

/// The endpoint with this key, to which another route leads now.
pub(super) fn enter(core: &OrbCore, key: EndpointKey, settings: &Arc<Settings>) -> Arc<Endpoint> {
    let endpoint = core.connections.endpoint(key, settings);
    endpoint.enter_route();
    endpoint
}

//! References to our own objects.

use taut_cdr::Result;
use taut_giop::Version;
use taut_giop::code_set::CodeSetComponentInfo;
use taut_giop::component::{AlternateAddress, TaggedComponent, UnixAddress, orb_type};
use taut_giop::ior::{IiopProfile, TaggedProfile, UiopProfile};
use taut_giop::operation_handle::OperationHandles;
use taut_sys::host;

use super::ObjectRef;
use crate::settings::Settings;
use crate::transport::Address;

/// Makes references that lead to this process. Object adapters know the
/// server by nothing else.
pub(crate) trait ReferenceFactory: Send + Sync {
    /// A reference to the object with this key. One that is persistent leads to it
    /// in all lives of the server; the operations of another may have handles.
    fn reference(
        &self,
        type_id: &str,
        object_key: &[u8],
        is_persistent: bool,
        handles: Option<&OperationHandles>,
    ) -> ObjectRef;
}

/// The profiles of an object of ours. Of IIOP there is one with the first address, and
/// from IIOP 1.2 on the others as its alternates; before, when profiles could not say
/// that, one profile for each. Of UIOP there is one for each Unix-domain socket. The
/// kind of the first address comes first.
pub(crate) fn profiles(
    settings: &Settings,
    addresses: &[Address],
    object_key: &[u8],
    handles: Option<&OperationHandles>,
) -> Vec<TaggedProfile> {
    let version = settings.giop_version;
    let mut components = Vec::new();
    if version >= Version::V1_1 {
        components.push(TaggedComponent::from_orb_type(orb_type::TAUT));
        let code_sets =
            CodeSetComponentInfo::server(settings.native_char_code_set, &settings.char_code_sets);
        components.extend(code_sets.to_component().ok());
        components.extend(handles.and_then(|handles| handles.to_component().ok()));
        components.extend(unix_addresses(addresses));
    }
    let iiop = iiop_profiles(version, addresses, object_key, &components);
    let unix = addresses
        .iter()
        .filter_map(|address| Some((address, address.path()?)));
    let uiop = unix.filter_map(|(address, path)| {
        let profile = UiopProfile {
            version,
            path: path.to_owned(),
            object_key: object_key.to_vec(),
            components: components.clone(),
        };
        published(address, profile.to_profile())
    });
    let is_unix_first = addresses
        .first()
        .is_some_and(|address| address.path().is_some());
    match is_unix_first {
        true => uiop.chain(iiop).collect(),
        false => iiop.into_iter().chain(uiop).collect(),
    }
}

/// The profile with this address, if it can be made.
fn published(address: &Address, profile: Result<TaggedProfile>) -> Option<TaggedProfile> {
    profile
        .map_err(|error| tracing::error!(%address, %error, "address cannot be published"))
        .ok()
}

/// What tells clients the machine on which a Unix-domain socket is: omniORB's component,
/// by which its clients find the socket too.
fn unix_addresses(addresses: &[Address]) -> impl Iterator<Item = TaggedComponent> {
    addresses
        .iter()
        .filter_map(Address::path)
        .filter_map(|path| {
            let address = UnixAddress {
                host: host::name(),
                path: path.to_owned(),
            };
            address.to_component().ok()
        })
}

fn iiop_profiles(
    version: Version,
    addresses: &[Address],
    object_key: &[u8],
    components: &[TaggedComponent],
) -> Vec<TaggedProfile> {
    let mut places = addresses.iter().filter_map(|address| match address {
        Address::Tcp { host, port } => Some((address, host, *port)),
        Address::Unix { .. } => None,
    });
    let profile = |(address, host, port): (&Address, &String, u16), components| {
        let profile = IiopProfile {
            version,
            host: host.clone(),
            port,
            object_key: object_key.to_vec(),
            components,
        };
        published(address, profile.to_profile())
    };
    if version < Version::V1_2 {
        return places
            .filter_map(|place| profile(place, components.to_vec()))
            .collect();
    }
    let Some(first) = places.next() else {
        return Vec::new();
    };
    let mut components = components.to_vec();
    components.extend(places.filter_map(|(_, host, port)| {
        let host = host.clone();
        AlternateAddress { host, port }.to_component().ok()
    }));
    profile(first, components).into_iter().collect()
}

//! References to our own objects.

use taut_giop::Version;
use taut_giop::code_set::CodeSetComponentInfo;
use taut_giop::component::{AlternateAddress, TaggedComponent, orb_type};
use taut_giop::ior::{IiopProfile, TaggedProfile};
use taut_giop::operation_handle::OperationHandles;

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

/// The profiles of an object of ours: one IIOP profile with the first address,
/// and from IIOP 1.2 on the others as its alternates; before, when profiles
/// could not say that, one profile for each address.
pub(crate) fn profiles(
    settings: &Settings,
    addresses: &[Address],
    object_key: &[u8],
    handles: Option<&OperationHandles>,
) -> Vec<TaggedProfile> {
    let version = settings.giop_version;
    let profile = |address: &Address, components: Vec<TaggedComponent>| {
        IiopProfile {
            version,
            host: address.host.clone(),
            port: address.port,
            object_key: object_key.to_vec(),
            components,
        }
        .to_profile()
        .map_err(|error| tracing::error!(%address, %error, "address cannot be published"))
        .ok()
    };
    let components = || {
        let mut components = vec![TaggedComponent::from_orb_type(orb_type::TAUT)];
        let code_sets =
            CodeSetComponentInfo::server(settings.native_char_code_set, &settings.char_code_sets);
        components.extend(code_sets.to_component().ok());
        components.extend(handles.and_then(|handles| handles.to_component().ok()));
        components
    };
    match addresses {
        [first, alternates @ ..] if version >= Version::V1_2 => {
            let mut components = components();
            components.extend(alternates.iter().filter_map(|address| {
                let alternate = AlternateAddress {
                    host: address.host.clone(),
                    port: address.port,
                };
                alternate.to_component().ok()
            }));
            profile(first, components).into_iter().collect()
        }
        _ if version >= Version::V1_1 => addresses
            .iter()
            .filter_map(|address| profile(address, components()))
            .collect(),
        _ => addresses
            .iter()
            .filter_map(|address| profile(address, Vec::new()))
            .collect(),
    }
}

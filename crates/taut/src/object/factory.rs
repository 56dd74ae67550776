//! References to our own objects.

use std::sync::Arc;

use taut_giop::Version;
use taut_giop::code_set::CodeSetComponentInfo;
use taut_giop::component::{TaggedComponent, UnixAddress, orb_type};
use taut_giop::ior::{AddressProfile, TaggedProfile};
use taut_giop::operation_handle::OperationHandles;
use taut_giop::real_time::{InternetAddress, LaneAddress, LaneEndpoint};
use taut_sys::host;

use super::{ObjectRef, PoolEndpoints};
use crate::core::OrbCore;
use crate::transport::{Address, KnownProtocol};

/// Makes references that lead to this process. Object adapters know the
/// server by nothing else.
pub(crate) trait ReferenceFactory: Send + Sync {
    /// A reference to the object with this key. One that is persistent leads to it
    /// in all lives of the server; the operations of another may have handles. The policies
    /// are told in a component.
    fn reference(
        &self,
        type_id: &str,
        object_key: &[u8],
        is_persistent: bool,
        told: Told<'_>,
    ) -> ObjectRef;

    /// The tags of the profiles that references have.
    fn profile_tags(&self) -> Vec<u32>;

    /// The endpoints of the thread pool with this number, if it is there.
    fn pool(&self, id: u32) -> Option<Arc<PoolEndpoints>>;
}

/// A component that the references of a POA have beside the ORB's own.
#[derive(Debug, Clone)]
pub(crate) struct AddedComponent {
    pub(crate) component: TaggedComponent,
    /// The tag of the profiles that have it; none: all.
    pub(crate) profile: Option<u32>,
}

/// The tags of the profiles that references to these addresses have.
pub(crate) fn profile_tags(core: &OrbCore, addresses: &[Address]) -> Vec<u32> {
    let mut tags = Vec::new();
    for address in addresses {
        let protocol = core.protocols.by_scheme(address.scheme());
        let tag = protocol.map(|protocol| protocol.profile_tag());
        tags.extend(tag.filter(|tag| !tags.contains(tag)));
    }
    tags
}

/// The further parts that a reference tells, if there are any.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told<'a> {
    pub(crate) handles: Option<&'a OperationHandles>,
    pub(crate) policies: Option<&'a TaggedComponent>,
    /// The thread pool that the POA is bound to.
    pub(crate) pool: Option<&'a PoolEndpoints>,
    /// The tags of the profiles, the best first, of those that may be there; none: all may, in
    /// the order of the addresses.
    pub(crate) protocols: Option<&'a [u32]>,
    /// Those that interceptors have added.
    pub(crate) components: &'a [AddedComponent],
}

/// The profiles of an object of ours. Of a protocol whose profiles can say alternates there
/// is one, with the first address and from version 1.2 on the others as alternates;
/// otherwise one for each address. The protocol of the first address comes first.
pub(crate) fn profiles(
    core: &OrbCore,
    addresses: &[Address],
    object_key: &[u8],
    told: Told<'_>,
) -> Vec<TaggedProfile> {
    let chosen;
    let addresses = match told.protocols {
        None => addresses,
        Some(protocols) => {
            chosen = addresses_of(core, addresses, protocols);
            &chosen
        }
    };
    let settings = &core.settings;
    let version = settings.wire.giop_version;
    let mut components = Vec::new();
    if version >= Version::V1_1 {
        components.push(TaggedComponent::from_orb_type(orb_type::TAUT));
        let code_sets = CodeSetComponentInfo::server(
            settings.wire.native_char_code_set,
            &settings.wire.char_code_sets,
        );
        components.extend(code_sets.to_component().ok());
        components.extend(told.handles.and_then(|handles| handles.to_component().ok()));
        components.extend(told.policies.cloned());
        components.extend(unix_addresses(addresses));
    }
    let body = ProfileBody {
        version,
        object_key,
        components,
        added: told.components,
        pool: told.pool,
    };
    let mut profiles = Vec::new();
    for (index, address) in addresses.iter().enumerate() {
        let scheme = address.scheme();
        if addresses[..index].iter().any(|one| one.scheme() == scheme) {
            continue;
        }
        let of_scheme = addresses[index..].iter();
        let of_scheme = of_scheme.filter(|one| one.scheme() == scheme);
        match core.protocols.by_scheme(scheme) {
            Some(protocol) => profiles.extend(body.profiles(protocol, of_scheme)),
            None => {
                tracing::error!(%address, "address cannot be published: there is no such protocol");
            }
        }
    }
    profiles
}

/// The addresses of these protocols, in the order of the protocols; all if there are none.
#[cold]
fn addresses_of(core: &OrbCore, addresses: &[Address], protocols: &[u32]) -> Vec<Address> {
    let rank = |address: &Address| {
        let protocol = core.protocols.of(address);
        let tag = protocol.map(|protocol| protocol.profile_tag());
        protocols.iter().position(|one| Some(*one) == tag)
    };
    let mut chosen: Vec<_> = addresses.to_vec();
    chosen.retain(|address| rank(address).is_some());
    chosen.sort_by_key(rank);
    if chosen.is_empty() {
        tracing::error!(
            ?protocols,
            "no address can be published by the protocols of ServerProtocolPolicy; all are"
        );
        return addresses.to_vec();
    }
    chosen
}

/// The parts that the profiles of an object share.
struct ProfileBody<'k> {
    version: Version,
    object_key: &'k [u8],
    components: Vec<TaggedComponent>,
    /// Those of the POA.
    added: &'k [AddedComponent],
    /// The thread pool that the addresses are of.
    pool: Option<&'k PoolEndpoints>,
}

impl ProfileBody<'_> {
    /// The profiles with these addresses of a protocol, of which there is at least one.
    fn profiles<'a>(
        &self,
        protocol: &KnownProtocol,
        mut addresses: impl Iterator<Item = &'a Address>,
    ) -> Vec<TaggedProfile> {
        let alternate_tag = protocol.alternate_address_tag();
        let alternate_tag = alternate_tag.filter(|_| self.version >= Version::V1_2);
        let Some(tag) = alternate_tag else {
            let profile = |address| self.profile(protocol, address, self.components.clone());
            return addresses.filter_map(profile).collect();
        };
        let Some(first) = addresses.next() else {
            return Vec::new();
        };
        let alternate = |address: &Address| {
            TaggedComponent::encapsulated(tag, |out| protocol.write_address(address, out)).ok()
        };
        let mut components = self.components.clone();
        components.extend(addresses.filter_map(alternate));
        Vec::from_iter(self.profile(protocol, first, components))
    }

    /// The profile with this address, if it can be made.
    fn profile(
        &self,
        protocol: &KnownProtocol,
        address: &Address,
        mut components: Vec<TaggedComponent>,
    ) -> Option<TaggedProfile> {
        if self.version >= Version::V1_1 {
            let is_for_it =
                |one: &&AddedComponent| one.profile.is_none_or(|tag| tag == protocol.profile_tag());
            let added = self.added.iter().filter(is_for_it);
            components.extend(added.map(|one| one.component.clone()));
            components.extend(self.pool.and_then(|pool| lane_endpoints(pool, address)));
        }
        let profile = AddressProfile {
            version: self.version,
            address,
            object_key: self.object_key.to_vec(),
            components,
        };
        profile
            .to_profile(protocol.profile_tag(), |address, out| {
                protocol.write_address(address, out)
            })
            .map_err(|error| tracing::error!(%address, %error, "address cannot be published"))
            .ok()
    }
}

/// Returns the component by which a profile with this address tells the priorities of all
/// addresses of its protocol, if the reference leads to a thread pool with lanes: TAO's, which has
/// forms for IIOP and for UIOP.
fn lane_endpoints(pool: &PoolEndpoints, own: &Address) -> Option<TaggedComponent> {
    let mut all: Vec<_> = pool.with_priorities().collect();
    // The profile's own comes first.
    all.sort_by_key(|(address, _)| *address != own);
    let component = match own {
        Address::Tcp { .. } => component_of(&all, |address| match address {
            Address::Tcp { host, port } => Some(InternetAddress {
                host: host.clone(),
                port: *port,
            }),
            _ => None,
        }),
        Address::Unix { .. } => component_of(&all, |address| address.path().map(str::to_owned)),
        _ => return None,
    };
    component.filter(|_| !all.is_empty())
}

/// Returns the component of those addresses that have such a form.
fn component_of<A: LaneAddress>(
    all: &[(&Address, i16)],
    form: impl Fn(&Address) -> Option<A>,
) -> Option<TaggedComponent> {
    let endpoints = all.iter().filter_map(|&(address, priority)| {
        let address = form(address)?;
        Some(LaneEndpoint { address, priority })
    });
    let endpoints: Vec<_> = endpoints.collect();
    LaneEndpoint::to_component(&endpoints).ok()
}

/// Returns the components that tell clients the machine on which a Unix-domain socket is:
/// omniORB's component, by which its clients find the socket too.
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

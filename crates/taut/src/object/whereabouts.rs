//! The places where a reference says that its object is to be found.

use std::time::Instant;

use smallvec::SmallVec;
use taut_cdr::{Decoder, Result};
use taut_giop::component::{TaggedComponent, UnixAddress, tag};
use taut_giop::ior::{AddressProfile, Ior, TaggedProfile};
#[cfg(feature = "full")]
use taut_giop::{CompletionStatus, ExposedPolicy, SystemException};
use taut_giop::{Limits, Version};
use taut_sys::host;

use super::lanes;
use crate::core::OrbCore;
use crate::policy::{self, ToldPriorities};
use crate::priority::Priority;
use crate::transport::{Address, ConnectOptions, KnownProtocol, Protocols, Reach};

/// The content of a profile, whatever its transport.
#[derive(Debug)]
pub(super) struct Whereabouts {
    /// The highest version of GIOP that the server speaks.
    pub(super) version: Version,
    pub(super) object_key: Vec<u8>,
    pub(super) components: Vec<TaggedComponent>,
    /// In order of preference.
    pub(super) addresses: SmallVec<[Address; 1]>,
    /// The priority of the lane that each address belongs to; there may be fewer.
    pub(super) lanes: SmallVec<[Option<Priority>; 1]>,
}

impl Whereabouts {
    /// The first component with this tag.
    pub(super) fn component(&self, tag: u32) -> Option<&TaggedComponent> {
        let mut components = self.components.iter();
        components.find(|component| component.tag == tag)
    }

    /// Reads a profile of a protocol.
    fn read(profile: &TaggedProfile, protocol: &KnownProtocol, limits: &Limits) -> Result<Self> {
        let read_address = |input: &mut Decoder<'_>| protocol.read_address(input);
        let profile = AddressProfile::parse_within(&profile.data, limits, read_address)?;
        Ok(Self::of_profile(profile, protocol))
    }

    /// With the profile's own address, its alternates, and those of omniORB's Unix-domain
    /// sockets that are on this machine. One that cannot be read is one less to try.
    fn of_profile(profile: AddressProfile<Address>, protocol: &KnownProtocol) -> Self {
        let mut addresses = SmallVec::<[_; 1]>::new();
        if let Some(tag) = protocol.alternate_address_tag() {
            let alternates = profile.components.iter();
            let alternates = alternates.filter(|component| component.tag == tag);
            addresses.extend(alternates.filter_map(|component| {
                let mut input = component.decoder(tag).ok()?;
                protocol.read_address(&mut input).ok()
            }));
        }
        if protocol.reach() == Reach::Network {
            let sockets = unix_addresses(&profile.components);
            let here = sockets.filter(|address| address.host == host::name());
            addresses.extend(here.map(|address| Address::unix(address.path)));
        }
        // Port 0 says that only others will do.
        if profile.address.port() != Some(0) || addresses.is_empty() {
            addresses.insert(0, profile.address);
        }
        Self {
            version: profile.version,
            object_key: profile.object_key,
            components: profile.components,
            addresses,
            lanes: SmallVec::new(),
        }
    }

    /// The priority of the lane that the address at this place belongs to.
    pub(super) fn lane(&self, place: usize) -> Option<Priority> {
        self.lanes.get(place).copied().flatten()
    }
}

fn unix_addresses(components: &[TaggedComponent]) -> impl Iterator<Item = UnixAddress> {
    components
        .iter()
        .filter(|component| component.tag == tag::OMNIORB_UNIX_TRANS)
        .filter_map(|component| UnixAddress::from_component(component).ok())
}

/// The profiles of a reference by which its object can be reached from here, with their
/// places in it, and the fault of a malformed one, if there is any. The name service may
/// have to be asked for it, until the deadline.
pub(super) fn of(
    ior: &Ior,
    core: &OrbCore,
    deadline: Option<Instant>,
) -> (SmallVec<[(usize, Whereabouts); 1]>, Option<taut_cdr::Error>) {
    let limits = &core.settings.limits.lists;
    let (mut here, mut elsewhere) = (SmallVec::new(), SmallVec::new());
    let mut malformed = None;
    for (index, profile) in ior.profiles.iter().enumerate() {
        let Some(protocol) = core.protocols.by_tag(profile.tag) else {
            continue;
        };
        let is_own =
            |host: &str| is_own_host(host, &core.settings.client.connect_options(deadline));
        match Whereabouts::read(profile, protocol, limits) {
            Ok(mut found) => {
                lanes::read(&mut found, profile.tag, core);
                match is_within_reach(protocol, &found, ior, limits, is_own) {
                    true => here.push((index, found)),
                    false => elsewhere.push((index, found)),
                }
            }
            Err(error) => {
                tracing::warn!(index, %error, "malformed profile in a reference");
                malformed = Some(error);
            }
        }
    }
    // Where there is nothing else, it is tried: a machine may have several names.
    match here.is_empty() {
        true => (elsewhere, malformed),
        false => (here, malformed),
    }
}

/// The first profile of a reference of a protocol that this ORB has, wherever it leads.
pub(super) fn first(ior: &Ior, core: &OrbCore) -> Option<Whereabouts> {
    let limits = &core.settings.limits.lists;
    ior.profiles.iter().find_map(|profile| {
        let protocol = core.protocols.by_tag(profile.tag)?;
        Whereabouts::read(profile, protocol, limits).ok()
    })
}

/// Returns the components of a profile, if this ORB knows its protocol.
///
/// # Errors
///
/// When the profile is malformed.
pub(crate) fn components(profile: &TaggedProfile, core: &OrbCore) -> Result<Vec<TaggedComponent>> {
    let Some(protocol) = core.protocols.by_tag(profile.tag) else {
        return Ok(Vec::new());
    };
    let limits = &core.settings.limits.lists;
    let read_address = |input: &mut Decoder<'_>| protocol.read_address(input);
    let profile = AddressProfile::parse_within(&profile.data, limits, read_address)?;
    Ok(profile.components)
}

/// The policies that a reference tells in the profile with this index, or in the first that
/// has any.
///
/// # Errors
///
/// MARSHAL when they are malformed.
#[cfg(feature = "full")]
pub(super) fn exposed_policies(
    ior: &Ior,
    core: &OrbCore,
    profile: Option<u32>,
) -> std::result::Result<Vec<ExposedPolicy>, SystemException> {
    let limits = &core.settings.limits.lists;
    let malformed = |error| SystemException::from_cdr(&error, CompletionStatus::No);
    for (index, tagged) in ior.profiles.iter().enumerate() {
        if profile.is_some_and(|profile| profile as usize != index) {
            continue;
        }
        let Some(protocol) = core.protocols.by_tag(tagged.tag) else {
            continue;
        };
        let Ok(found) = Whereabouts::read(tagged, protocol, limits) else {
            continue;
        };
        if let Some(component) = found.component(tag::POLICIES) {
            return ExposedPolicy::read_all(component, limits).map_err(malformed);
        }
    }
    Ok(Vec::new())
}

/// Whether a profile asks that requests tell their deadlines.
pub(super) fn takes_deadlines(profile: &Whereabouts, limits: &Limits) -> bool {
    let policies = profile.component(tag::POLICIES);
    policies.is_some_and(|component| policy::asks_for_deadlines(component, limits))
}

/// The priorities that a profile tells, for an ORB that has any.
pub(super) fn told_priorities(profile: &Whereabouts, core: &OrbCore) -> ToldPriorities {
    match profile.component(tag::POLICIES) {
        Some(component) if core.priorities.is_real_time() => {
            policy::told_priorities(component, &core.settings.limits.lists)
        }
        _ => ToldPriorities::default(),
    }
}

/// The number of turns in which addresses are tried.
pub(super) const TURNS: usize = 3;

/// In which turn addresses are tried, where those on this machine come first: those that
/// are certainly there, then those of the network, then all others.
pub(super) fn turn(address: &Address, protocols: &Protocols) -> usize {
    match protocols.of(address) {
        Some(protocol) if protocol.is_here(address) => 0,
        Some(protocol) if protocol.reach() < Reach::Network => 2,
        _ => 1,
    }
}

/// Whether the address of a profile can be reached from here, as far as the reference
/// tells; the name service may be asked whether a host is this machine (`is_own`).
fn is_within_reach(
    protocol: &KnownProtocol,
    found: &Whereabouts,
    ior: &Ior,
    limits: &Limits,
    is_own: impl Fn(&str) -> bool,
) -> bool {
    let is_here = || found.addresses.iter().any(|one| protocol.is_here(one));
    match protocol.reach() {
        Reach::Network => true,
        Reach::Machine => is_on_this_machine(found, ior, limits, is_here, is_own),
        Reach::Process => is_here(),
    }
}

/// Whether an address that has a meaning on one machine has it on this one, as far as the
/// reference tells. The same path may be another server's here.
fn is_on_this_machine(
    found: &Whereabouts,
    ior: &Ior,
    limits: &Limits,
    is_here: impl FnOnce() -> bool,
    is_own: impl Fn(&str) -> bool,
) -> bool {
    if let Some(address) = unix_addresses(&found.components).next() {
        return address.host == host::name();
    }
    let mut others = ior
        .iiop_profiles_within(limits)
        .filter_map(Result::ok)
        .peekable();
    others.peek().is_none() || is_here() && others.any(|iiop| is_own(&iiop.host))
}

/// Whether a host is this machine, as far as the name service tells in the time that
/// there is.
fn is_own_host(host: &str, options: &ConnectOptions) -> bool {
    if host == host::name() {
        return true;
    }
    let addresses = options.resolve(host, 0).unwrap_or_default();
    let mut addresses = addresses.iter().map(|address| address.ip().to_canonical());
    addresses.any(host::is_own)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use taut_giop::ior::{IiopProfile, UiopProfile};

    use super::*;
    use crate::settings::Settings;

    const KEY: &[u8] = b"key";

    fn iiop(host: &str, port: u16, components: Vec<TaggedComponent>) -> TaggedProfile {
        let profile = IiopProfile {
            version: Version::V1_2,
            host: host.to_owned(),
            port,
            object_key: KEY.to_vec(),
            components,
        };
        profile.to_profile().unwrap()
    }

    fn uiop(path: &str, components: Vec<TaggedComponent>) -> TaggedProfile {
        let profile = UiopProfile {
            version: Version::V1_2,
            path: path.to_owned(),
            object_key: KEY.to_vec(),
            components,
        };
        profile.to_profile().unwrap()
    }

    fn socket_of(host: &str, path: &str) -> Vec<TaggedComponent> {
        let address = UnixAddress {
            host: host.to_owned(),
            path: path.to_owned(),
        };
        vec![address.to_component().unwrap()]
    }

    /// Returns the addresses in a reference of these profiles, as text.
    fn found(profiles: &[TaggedProfile]) -> Vec<String> {
        let ior = Ior {
            type_id: String::new(),
            profiles: profiles.to_vec(),
        };
        let core = OrbCore::new(Settings::default(), Protocols::default(), None);
        let (found, malformed) = of(&ior, &core, None);
        assert_eq!(malformed, None);
        found
            .iter()
            .flat_map(|(_, found)| found.addresses.iter().map(Address::to_string))
            .collect()
    }

    /// Reserved for documentation (RFC 5737), and nobody's.
    const ELSEWHERE: &str = "192.0.2.8";

    #[test]
    fn a_socket_of_another_machine_is_tried_only_if_there_is_nothing_else() {
        let (ours, theirs) = (socket_of(&host::name(), "/x"), socket_of("another", "/x"));
        assert_eq!(found(&[uiop("/x", Vec::new())]), ["uiop:///x"]);
        assert_eq!(found(&[uiop("/x", theirs.clone())]), ["uiop:///x"]);
        let tcp = iiop("127.0.0.1", 9, Vec::new());
        assert_eq!(
            found(&[uiop("/x", theirs.clone()), tcp.clone()]),
            ["127.0.0.1:9"]
        );
        assert_eq!(
            found(&[uiop("/x", ours.clone()), tcp]),
            ["uiop:///x", "127.0.0.1:9"]
        );
        assert_eq!(found(&[iiop("h", 9, theirs.clone())]), ["h:9"]);
        assert_eq!(found(&[iiop("h", 9, ours.clone())]), ["h:9", "uiop:///x"]);
        // As of an omniORB server that listens at nothing else.
        assert_eq!(found(&[iiop("h", 0, ours)]), ["uiop:///x"]);
        assert_eq!(found(&[iiop("h", 0, theirs)]), ["h:0"]);
    }

    #[test]
    fn where_nothing_names_the_machine_of_a_socket_its_host_and_path_tell() {
        let path = std::env::temp_dir().join(format!("taut-whereabouts-{}", std::process::id()));
        let text = path.to_str().unwrap();
        let references = ["127.0.0.1", "localhost", ELSEWHERE]
            .map(|host| [iiop(host, 9, Vec::new()), uiop(text, Vec::new())]);
        // Not before it is there.
        assert_eq!(found(&references[0]), ["127.0.0.1:9"]);
        let _listener = UnixListener::bind(&path).unwrap();
        let socket = format!("uiop://{text}");
        assert_eq!(found(&references[0]), ["127.0.0.1:9", &socket]);
        assert_eq!(found(&references[1]), ["localhost:9", &socket]);
        assert_eq!(found(&references[2]), [format!("{ELSEWHERE}:9")]);
        std::fs::remove_file(&path).unwrap();
    }
}

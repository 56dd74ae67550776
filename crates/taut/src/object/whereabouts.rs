//! What a reference says of the places where its object is to be found.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;

use smallvec::SmallVec;
use taut_cdr::Result;
use taut_giop::component::{TaggedComponent, UnixAddress, tag};
use taut_giop::ior::{IiopProfile, Ior, TaggedProfile, UiopProfile, profile};
use taut_giop::{Limits, Version};
use taut_sys::{host, unix};

use crate::settings::Settings;
use crate::transport::Address;

/// What a profile says, whatever its transport.
#[derive(Debug)]
pub(super) struct Whereabouts {
    /// The highest version of GIOP that the server speaks.
    pub(super) version: Version,
    pub(super) object_key: Vec<u8>,
    pub(super) components: Vec<TaggedComponent>,
    /// In order of preference.
    pub(super) addresses: SmallVec<[Address; 1]>,
}

impl Whereabouts {
    /// The first component with this tag.
    pub(super) fn component(&self, tag: u32) -> Option<&TaggedComponent> {
        let mut components = self.components.iter();
        components.find(|component| component.tag == tag)
    }

    /// Reads a profile of a kind that is understood.
    fn read(profile: &TaggedProfile, limits: &Limits) -> Option<Result<Self>> {
        let data = &profile.data;
        match profile.tag {
            profile::tag::INTERNET_IOP => {
                Some(IiopProfile::parse_within(data, limits).map(Self::from))
            }
            profile::tag::TAO_UIOP => Some(UiopProfile::parse_within(data, limits).map(Self::from)),
            _ => None,
        }
    }
}

/// With the profile's own address, its alternates, and those of omniORB's Unix-domain
/// sockets that are on this machine. One that cannot be read is one less to try.
impl From<IiopProfile> for Whereabouts {
    fn from(profile: IiopProfile) -> Self {
        let alternates = profile.alternate_addresses().filter_map(Result::ok);
        let mut addresses: SmallVec<_> = alternates
            .map(|alternate| Address::new(alternate.host, alternate.port))
            .collect();
        addresses.extend(
            unix_addresses(&profile.components)
                .filter(|address| address.host == host::name())
                .map(|address| Address::unix(address.path)),
        );
        // Port 0 says that only others will do.
        if profile.port != 0 || addresses.is_empty() {
            addresses.insert(0, Address::new(profile.host, profile.port));
        }
        Self {
            version: profile.version,
            object_key: profile.object_key,
            components: profile.components,
            addresses,
        }
    }
}

impl From<UiopProfile> for Whereabouts {
    fn from(profile: UiopProfile) -> Self {
        Self {
            version: profile.version,
            object_key: profile.object_key,
            components: profile.components,
            addresses: SmallVec::from_iter([Address::unix(profile.path)]),
        }
    }
}

fn unix_addresses(components: &[TaggedComponent]) -> impl Iterator<Item = UnixAddress> {
    components
        .iter()
        .filter(|component| component.tag == tag::OMNIORB_UNIX_TRANS)
        .filter_map(|component| UnixAddress::from_component(component).ok())
}

/// The profiles of a reference by which its object can be reached from here, with their
/// places in it, and the fault of a malformed one, if there is any.
pub(super) fn of(
    ior: &Ior,
    settings: &Settings,
) -> (SmallVec<[(usize, Whereabouts); 1]>, Option<taut_cdr::Error>) {
    let (mut here, mut elsewhere) = (SmallVec::new(), SmallVec::new());
    let mut malformed = None;
    for (index, profile) in ior.profiles.iter().enumerate() {
        match Whereabouts::read(profile, &settings.lists) {
            Some(Ok(found)) => {
                let is_unix = profile.tag == profile::tag::TAO_UIOP;
                match is_unix && !is_on_this_machine(&found, ior, settings) {
                    true => elsewhere.push((index, found)),
                    false => here.push((index, found)),
                }
            }
            Some(Err(error)) => {
                tracing::warn!(index, %error, "malformed profile in a reference");
                malformed = Some(error);
            }
            None => {}
        }
    }
    // Where there is nothing else, it is tried: a machine may have several names.
    match here.is_empty() {
        true => (elsewhere, malformed),
        false => (here, malformed),
    }
}

/// In which turn addresses are tried, where those on this machine come first: Unix-domain
/// sockets that are there, then all others.
pub(super) fn turn(address: &Address) -> u8 {
    match address {
        Address::Unix { path } if unix::is_socket(Path::new(path)) => 0,
        Address::Tcp { .. } => 1,
        Address::Unix { .. } => 2,
    }
}

/// Whether the Unix-domain socket of a profile is on this machine, as far as the
/// reference tells. The same path may be another server's here.
fn is_on_this_machine(uiop: &Whereabouts, ior: &Ior, settings: &Settings) -> bool {
    if let Some(address) = unix_addresses(&uiop.components).next() {
        return address.host == host::name();
    }
    let mut others = ior
        .iiop_profiles_within(&settings.lists)
        .filter_map(Result::ok)
        .peekable();
    others.peek().is_none()
        || (uiop.addresses.iter().filter_map(Address::path))
            .any(|path| unix::is_socket(Path::new(path)))
            && others.any(|iiop| is_own_host(&iiop.host))
}

/// Whether a host is this machine.
fn is_own_host(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => host::is_own(address.to_canonical()),
        Err(_) if host == host::name() => true,
        Err(_) => (host, 0)
            .to_socket_addrs()
            .is_ok_and(|mut addresses| addresses.any(|address| host::is_own(address.ip()))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

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

    /// What is found in a reference of these profiles, as text.
    fn found(profiles: &[TaggedProfile]) -> Vec<String> {
        let ior = Ior {
            type_id: String::new(),
            profiles: profiles.to_vec(),
        };
        let (found, malformed) = of(&ior, &Settings::default());
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

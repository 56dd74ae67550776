//! References that lead to several replicas of the service.

use std::fmt;
use std::str::FromStr;

use taut::{ObjectRef, Orb};
use taut_giop::Ior;
use taut_giop::component::tag;
use taut_giop::ior::IiopProfile;

use super::KEY;

/// The port of a naming service where none is said.
const DEFAULT_PORT: u16 = 2809;

/// The components of a profile that hold for each replica: the kind of its ORB and its code sets.
/// Others say something of one server, such as its alternate addresses.
const COMMON: [u32; 2] = [tag::ORB_TYPE, tag::CODE_SETS];

/// The address at which clients reach another replica, `host:port`; without a port it is 2809.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaAddress {
    host: String,
    port: u16,
}

/// A text that is no address of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaAddressError(String);

impl FromStr for ReplicaAddress {
    type Err = ReplicaAddressError;

    fn from_str(text: &str) -> Result<Self, ReplicaAddressError> {
        let wrong = || ReplicaAddressError(text.to_owned());
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(wrong)?,
            None => match text.find(':') {
                Some(at) => text.split_at(at),
                None => (text, ""),
            },
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| wrong())?,
            None if port.is_empty() => DEFAULT_PORT,
            None => return Err(wrong()),
        };
        let is_bracketed = text.starts_with('[');
        let is_host = |octet: u8| {
            octet.is_ascii_alphanumeric()
                || b"-._".contains(&octet)
                || (is_bracketed && octet == b':')
        };
        if host.is_empty() || port == 0 || !host.bytes().all(is_host) {
            return Err(wrong());
        }
        let host = host.to_owned();
        Ok(Self { host, port })
    }
}

impl fmt::Display for ReplicaAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

impl fmt::Display for ReplicaAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is no address of a replica; write host:port, and an IPv6 address in brackets",
            self.0.escape_default()
        )
    }
}

impl std::error::Error for ReplicaAddressError {}

/// A reference of this service with a profile for each of the other replicas.
pub(super) fn with_replicas(orb: &Orb, own: ObjectRef, others: &[ReplicaAddress]) -> ObjectRef {
    let mut ior: Ior = own.ior().clone();
    let first = ior.iiop_profiles().find_map(Result::ok);
    // A service that is not reached over TCP has no replicas that are.
    let Some(first) = first else {
        return own;
    };
    for replica in others {
        let mut components = first.components.clone();
        components.retain(|component| COMMON.contains(&component.tag));
        let profile = IiopProfile {
            host: replica.host.clone(),
            port: replica.port,
            components,
            ..first.clone()
        };
        if let Ok(profile) = profile.to_profile() {
            ior.profiles.push(profile);
        }
    }
    orb.string_to_object(&ior.to_string()).unwrap_or(own)
}

impl super::NamingService {
    /// Returns the URL at which clients find the root context, by way of this replica or of those
    /// that are known at the moment. None before the ORB listens.
    pub fn corbaloc(&self) -> Option<String> {
        let own = self.orb.corbaloc(KEY)?;
        let (addresses, key) = own.rsplit_once('/')?;
        // Each address of a URL says its version.
        let version = addresses.split_once("iiop:").map(|(_, rest)| rest);
        let version = version.and_then(|rest| rest.split_once('@'));
        let version = version.map_or("1.2", |(version, _)| version);
        let mut url = addresses.to_owned();
        for other in self.references.replicas().iter() {
            url.push_str(&format!(",iiop:{version}@{other}"));
        }
        Some(format!("{url}/{key}"))
    }
}

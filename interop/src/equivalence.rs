//! Whether two references lead to the same object.

use taut::Ior;
use taut_giop::ior::{IiopProfile, TaggedProfile, profile};

/// Whether two references certainly lead to the same object: they have an
/// address and object key in common. ORBs may write the same reference with
/// different components.
#[must_use]
pub fn is_equivalent(one: &Ior, other: &Ior) -> bool {
    let places = |ior: &Ior| -> Vec<(String, u16, Vec<u8>)> {
        ior.iiop_profiles()
            .flatten()
            .map(|profile: IiopProfile| (profile.host, profile.port, profile.object_key))
            .collect()
    };
    let others = places(other);
    // Those of other protocols are compared as they are.
    let is_common = |profile: &TaggedProfile| {
        profile.tag != profile::tag::INTERNET_IOP && other.profiles.contains(profile)
    };
    places(one).iter().any(|place| others.contains(place)) || one.profiles.iter().any(is_common)
}

//! The content of references and their profiles.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Result};

use super::component::component;
use super::fact::{Fact, Tagged, Value};
use super::object_key::object_key;
use taut_giop::Limits;
use taut_giop::component::{TaggedComponent, read_list, tag};
use taut_giop::ior::{AddressProfile, IiopProfile, Ior, TaggedProfile, UiopProfile, profile};

/// A reader of addresses in the profiles of transports that are not of the standard: it gets
/// a profile's tag, and a decoder that stands at the address (see [`AddressProfile`]). It
/// returns none for a tag that it does not know.
pub type ReadAddress<'r> = &'r dyn Fn(u32, &mut Decoder<'_>) -> Option<Result<String>>;

/// A reference: its type id, that it is nil if it is, and its profiles.
pub fn reference(ior: &Ior) -> Vec<Fact> {
    reference_with(ior, &|_, _| None)
}

/// [`reference()`], with a reader of the addresses that only certain transports know.
pub fn reference_with(ior: &Ior, read_address: ReadAddress<'_>) -> Vec<Fact> {
    let mut facts = vec![Fact::text("type id", ior.type_id.as_str())];
    if ior.is_nil() {
        facts.push(Fact::new("nil", Value::Boolean(true)));
    }
    let profiles = ior.profiles.iter();
    let profiles = profiles.map(|profile| Value::Tagged(self::profile_with(profile, read_address)));
    facts.push(Fact::new("profiles", Value::List(profiles.collect())));
    facts
}

/// A profile, with its object key and its components if it is of a kind that
/// has some.
pub fn profile(profile: &TaggedProfile) -> Tagged {
    profile_with(profile, &|_, _| None)
}

/// [`profile()`], with a reader of the addresses that only certain transports know.
pub fn profile_with(profile: &TaggedProfile, read_address: ReadAddress<'_>) -> Tagged {
    let data = profile.data.as_slice();
    let content = match profile.tag {
        profile::tag::INTERNET_IOP => Some(IiopProfile::parse(data).map(iiop)),
        profile::tag::MULTIPLE_COMPONENTS => Some(multiple_components(data)),
        profile::tag::TAO_UIOP => Some(UiopProfile::parse_within(data, &Limits::DEFAULT).map(uiop)),
        tag => of_transport(tag, data, read_address),
    };
    let name = profile::tag_name(profile.tag);
    Tagged::new(profile.tag, name, data, content.into())
}

fn iiop(profile: IiopProfile) -> Vec<Fact> {
    let orb_type = orb_type(&profile.components);
    vec![
        Fact::text("version", profile.version.to_string()),
        Fact::text("host", profile.host),
        Fact::number("port", profile.port),
        Fact::new(
            "object key",
            Value::Facts(object_key(&profile.object_key, orb_type)),
        ),
        components(&profile.components),
    ]
}

fn multiple_components(data: &[u8]) -> Result<Vec<Fact>> {
    let list = read_list(&mut Decoder::encapsulated(data)?, &Limits::DEFAULT)?;
    Ok(vec![components(&list)])
}

/// TAO's profile for Unix domain sockets: a path in place of host and port.
fn uiop(profile: UiopProfile) -> Vec<Fact> {
    let orb_type = orb_type(&profile.components);
    vec![
        Fact::text("version", profile.version.to_string()),
        Fact::text("path", profile.path),
        Fact::new(
            "object key",
            Value::Facts(object_key(&profile.object_key, orb_type)),
        ),
        components(&profile.components),
    ]
}

/// A profile of a transport that is known to the reader of its address alone.
fn of_transport(tag: u32, data: &[u8], read_address: ReadAddress<'_>) -> Option<Result<Vec<Fact>>> {
    let mut is_known = false;
    let profile = AddressProfile::parse_within(data, &Limits::DEFAULT, |input| {
        let address = read_address(tag, input);
        is_known = address.is_some();
        address.unwrap_or_else(|| Ok(String::new()))
    });
    is_known.then(|| profile.map(transport))
}

fn transport(profile: AddressProfile<String>) -> Vec<Fact> {
    let orb_type = orb_type(&profile.components);
    vec![
        Fact::text("version", profile.version.to_string()),
        Fact::text("address", profile.address),
        Fact::new(
            "object key",
            Value::Facts(object_key(&profile.object_key, orb_type)),
        ),
        components(&profile.components),
    ]
}

fn components(list: &[TaggedComponent]) -> Fact {
    let components = list.iter();
    Fact::new(
        "components",
        Value::List(
            components
                .map(|component| Value::Tagged(self::component(component)))
                .collect(),
        ),
    )
}

/// Which ORB made the reference, if a component says so.
fn orb_type(components: &[TaggedComponent]) -> Option<u32> {
    components
        .iter()
        .find(|component| component.tag == tag::ORB_TYPE)
        .and_then(|component| component.orb_type().ok())
}

#[cfg(test)]
mod tests {
    use super::super::fact::Content;
    use super::*;

    #[test]
    fn the_nil_reference_has_no_profiles() {
        let facts = reference(&Ior::nil());
        assert_eq!(facts[1], Fact::new("nil", Value::Boolean(true)));
        assert_eq!(facts[2], Fact::new("profiles", Value::List(Vec::new())));
    }

    #[test]
    fn what_is_not_known_or_malformed_keeps_its_octets() {
        let unknown = TaggedProfile {
            tag: 0x1234,
            data: vec![1, 2, 3],
        };
        let explained = profile(&unknown);
        assert_eq!(explained.content, Content::Unknown);
        assert_eq!((explained.name, explained.data), (None, vec![1, 2, 3]));

        // A transport that cannot be asked says nothing of what is wrong.
        assert_eq!(
            profile_with(&unknown, &|_, _| None).content,
            Content::Unknown
        );

        let malformed = TaggedProfile {
            tag: profile::tag::INTERNET_IOP,
            data: vec![0, 2, 0],
        };
        let explained = profile(&malformed);
        assert_eq!(explained.data, malformed.data);
        let Content::Malformed(error) = explained.content else {
            panic!("{explained:?}");
        };
        assert_eq!(error.offset(), 1);
    }

    #[test]
    fn an_address_of_a_transport_is_read_by_who_knows_it() {
        const TAG: u32 = 0x7461_7500;
        let read: ReadAddress<'_> = &|tag, input| {
            let number = (tag == TAG).then(|| input.read::<u32>())?;
            Some(number.map(|number| alloc::format!("ring {number}")))
        };
        let written = AddressProfile {
            version: taut_giop::Version::V1_2,
            address: 7_u32,
            object_key: b"key".to_vec(),
            components: Vec::new(),
        };
        let written = written.to_profile(TAG, |address, out| {
            out.write(*address);
            Ok(())
        });
        let mut written = written.unwrap();
        let Content::Known(facts) = profile_with(&written, read).content else {
            panic!("its reader knows it");
        };
        assert_eq!(facts[1], Fact::text("address", "ring 7"));
        assert_eq!(profile(&written).content, Content::Unknown);

        written.data.truncate(8);
        let explained = profile_with(&written, read);
        assert!(matches!(explained.content, Content::Malformed(_)));
    }
}

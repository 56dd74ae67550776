//! What references and their profiles say.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Result};

use super::component::component;
use super::fact::{Fact, Tagged, Value};
use super::object_key::object_key;
use taut_giop::Limits;
use taut_giop::component::{TaggedComponent, read_list, tag};
use taut_giop::ior::{IiopProfile, Ior, TaggedProfile, UiopProfile, profile};

/// A reference: its type id, that it is nil if it is, and its profiles.
pub fn reference(ior: &Ior) -> Vec<Fact> {
    let mut facts = vec![Fact::text("type id", ior.type_id.as_str())];
    if ior.is_nil() {
        facts.push(Fact::new("nil", Value::Boolean(true)));
    }
    let profiles = ior.profiles.iter();
    let profiles = profiles.map(|profile| Value::Tagged(self::profile(profile)));
    facts.push(Fact::new("profiles", Value::List(profiles.collect())));
    facts
}

/// A profile, with its object key and its components if it is of a kind that
/// has some.
pub fn profile(profile: &TaggedProfile) -> Tagged {
    let data = profile.data.as_slice();
    let content = match profile.tag {
        profile::tag::INTERNET_IOP => Some(IiopProfile::parse(data).map(iiop)),
        profile::tag::MULTIPLE_COMPONENTS => Some(multiple_components(data)),
        profile::tag::TAO_UIOP => Some(UiopProfile::parse_within(data, &Limits::DEFAULT).map(uiop)),
        _ => None,
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
}

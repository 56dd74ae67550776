//! What references, URLs and messages say, for people who have only the digits.
//!
//! An explanation is a tree of named facts: [`Fact`], [`Value`]. How it is
//! shown, as lines, a table or JSON, is the caller's choice. Profiles and
//! components that are not known here, or are malformed, keep their octets
//! ([`Content`]), so that nothing of a reference is lost.
//!
//! ```
//! use taut_giop::explain::{self, Value};
//!
//! let url = "corbaloc::example.com/Bank".parse()?;
//! let facts = explain::url(&url);
//! assert_eq!(facts[0].name, "scheme");
//! assert_eq!(facts[0].value, Value::Text("corbaloc".to_owned()));
//! # Ok::<(), taut_giop::url::UrlError>(())
//! ```

mod component;
mod message;
mod object_key;
mod security;
mod service_context;
mod url;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Error, Result};

use crate::component::{TaggedComponent, read_list, tag};
use crate::ior::{IiopProfile, Ior, TaggedProfile, UiopProfile, profile};
use crate::limits::Limits;

pub use component::component;
pub use message::{Body, Explained, Mark, Preamble, Rule, Subject, message};
pub use object_key::object_key;
pub use service_context::service_context;
pub use url::url;

/// A host and a port.
fn address(host: impl Into<String>, port: u16) -> Vec<Fact> {
    vec![Fact::text("host", host), Fact::number("port", port)]
}

/// Something that is known, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is called: a few English words, such as `object key`, or the name
    /// that IDL gives it.
    pub name: Cow<'static, str>,
    /// What is known.
    pub value: Value,
}

/// What is known of something.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Text, as a peer wrote it: it may hold any characters.
    Text(String),
    /// A string or character that is a value, to be told from other text.
    String(String),
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(i64),
    /// True or false.
    Boolean(bool),
    /// Octets that are not understood any further.
    Octets(Vec<u8>),
    /// A number that a registry gives a name to.
    Code {
        /// The number.
        number: u32,
        /// Its name, if it is known here.
        name: Option<&'static str>,
    },
    /// Association options (CORBA 3.3 part 2, 10.2.1.3): bits, with their names.
    Options {
        /// The bits.
        bits: u16,
        /// The names of those bits that are set and known.
        names: Vec<&'static str>,
    },
    /// Several values of one sort.
    List(Vec<Value>),
    /// What it consists of.
    Facts(Vec<Fact>),
    /// A profile or a component.
    Tagged(Tagged),
}

/// A profile or a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// Its tag.
    pub tag: u32,
    /// What the standard, or a vendor, calls the tag, if it is known here.
    pub name: Option<&'static str>,
    /// Its data, as it travels.
    pub data: Vec<u8>,
    /// What the data say.
    pub content: Content,
}

/// What the data of a profile or a component say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// They are understood.
    Known(Vec<Fact>),
    /// Their form is not known here.
    Unknown,
    /// They are not of the form that the tag demands. The error's offset counts
    /// from the first octet of the data.
    Malformed(Error),
}

impl Fact {
    /// A fact.
    pub fn new(name: impl Into<Cow<'static, str>>, value: Value) -> Self {
        let name = name.into();
        Self { name, value }
    }

    /// A fact that is text.
    pub fn text(name: &'static str, text: impl Into<String>) -> Self {
        Self::new(name, Value::Text(text.into()))
    }

    /// A fact that is a number.
    pub fn number(name: &'static str, number: impl Into<u64>) -> Self {
        Self::new(name, Value::Number(number.into()))
    }
}

impl Tagged {
    fn new(tag: u32, name: Option<&'static str>, data: &[u8], content: Content) -> Self {
        Self {
            tag,
            name,
            data: data.to_vec(),
            content,
        }
    }
}

impl From<Option<Result<Vec<Fact>>>> for Content {
    fn from(read: Option<Result<Vec<Fact>>>) -> Self {
        match read {
            None => Self::Unknown,
            Some(Ok(facts)) => Self::Known(facts),
            Some(Err(error)) => Self::Malformed(error),
        }
    }
}

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

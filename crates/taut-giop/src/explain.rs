//! References in words, for people who have only the digits.
//!
//! Every profile and component that is known is printed field by field, the
//! rest, and what is malformed, as hexadecimal digits.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter};

use taut_cdr::{Decoder, Result};

use crate::code_set::{self, CodeSetComponent, CodeSetComponentInfo};
use crate::component::{self, AlternateAddress, TaggedComponent, orb_type_name, tag};
use crate::ior::{IiopProfile, Ior, TaggedProfile, profile};
use crate::limits::Limits;

/// A whole reference, over several lines.
///
/// ```
/// let ior: taut_giop::Ior = "IOR:00000000000000000000000000000000".parse()?;
/// assert_eq!(taut_giop::explain::reference(&ior).to_string(), "the nil reference\n");
/// # Ok::<(), taut_giop::ior::IorParseError>(())
/// ```
pub fn reference(ior: &Ior) -> impl Display + '_ {
    fmt::from_fn(|f| {
        if ior.is_nil() {
            return f.write_str("the nil reference\n");
        }
        match ior.type_id.as_str() {
            "" => f.write_str("type id: none\n")?,
            type_id => writeln!(f, "type id: {}", type_id.escape_debug())?,
        }
        for (index, profile) in ior.profiles.iter().enumerate() {
            writeln!(f, "profile {}: {}", index + 1, self::profile(profile))?;
            for component in components_of(profile) {
                writeln!(f, "    {}", self::component(&component))?;
            }
        }
        Ok(())
    })
}

/// A profile without its components, in one line.
pub fn profile(profile: &TaggedProfile) -> impl Display + '_ {
    fmt::from_fn(|f| {
        write_tag(profile.tag, profile::tag_name(profile.tag), f)?;
        match profile.tag {
            profile::tag::INTERNET_IOP => match IiopProfile::parse(&profile.data) {
                Ok(iiop) => write!(
                    f,
                    ": IIOP {}, host {}, port {}, object key {}",
                    iiop.version,
                    iiop.host.escape_debug(),
                    iiop.port,
                    octets(&iiop.object_key)
                ),
                Err(error) => write_malformed(&error, &profile.data, f),
            },
            profile::tag::MULTIPLE_COMPONENTS => match multiple_components(&profile.data) {
                Ok(_) => Ok(()),
                Err(error) => write_malformed(&error, &profile.data, f),
            },
            _ => write!(f, ": {}", octets(&profile.data)),
        }
    })
}

/// The components of a profile, if it is of a kind that has some and is known.
pub fn components_of(profile: &TaggedProfile) -> Vec<TaggedComponent> {
    match profile.tag {
        profile::tag::INTERNET_IOP => IiopProfile::parse(&profile.data)
            .map(|iiop| iiop.components)
            .unwrap_or_default(),
        profile::tag::MULTIPLE_COMPONENTS => multiple_components(&profile.data).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A component, in one line.
pub fn component(component: &TaggedComponent) -> impl Display + '_ {
    fmt::from_fn(|f| {
        write_tag(component.tag, component::tag_name(component.tag), f)?;
        match read_content(component) {
            None => write!(f, ": {}", octets(&component.data)),
            Some(Err(error)) => write_malformed(&error, &component.data, f),
            Some(Ok(content)) => write!(f, ": {content}"),
        }
    })
}

/// Octets as text in quotes when all of them are visible ASCII, else as
/// hexadecimal digits.
pub fn octets(octets: &[u8]) -> impl Display + '_ {
    fmt::from_fn(|f| {
        if octets.iter().all(|octet| (b' '..=b'~').contains(octet)) {
            return write!(f, "\"{}\"", octets.escape_ascii());
        }
        f.write_str("0x")?;
        octets.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    })
}

/// What the components mean that are known.
enum Content {
    OrbType(u32),
    CodeSets(CodeSetComponentInfo),
    Address(AlternateAddress),
    PolicyTypes(Vec<u32>),
    Ssl {
        supports: u16,
        requires: u16,
        port: u16,
    },
    Tls {
        supports: u16,
        requires: u16,
        addresses: Vec<AlternateAddress>,
    },
    /// Each with its priority.
    Endpoints(Vec<(AlternateAddress, i16)>),
    Text(String),
    Number(u16),
    Boolean(bool),
    UnixSocket {
        host: String,
        path: String,
    },
}

fn read_content(component: &TaggedComponent) -> Option<Result<Content>> {
    let read: fn(&mut Decoder<'_>) -> Result<Content> = match component.tag {
        tag::ORB_TYPE => return Some(component.orb_type().map(Content::OrbType)),
        tag::CODE_SETS => {
            return Some(CodeSetComponentInfo::from_component(component).map(Content::CodeSets));
        }
        tag::ALTERNATE_IIOP_ADDRESS => {
            return Some(AlternateAddress::from_component(component).map(Content::Address));
        }
        tag::POLICIES => |input| {
            let count = input.read_count(8)?;
            let types = input.read_each(count, 8, |input| {
                let policy_type = input.read()?;
                input.read_octets()?;
                Ok(policy_type)
            })?;
            Ok(Content::PolicyTypes(types))
        },
        tag::SSL_SEC_TRANS => |input| {
            Ok(Content::Ssl {
                supports: input.read()?,
                requires: input.read()?,
                port: input.read()?,
            })
        },
        tag::TLS_SEC_TRANS => |input| {
            Ok(Content::Tls {
                supports: input.read()?,
                requires: input.read()?,
                addresses: read_addresses(input)?,
            })
        },
        tag::TAO_ENDPOINTS => |input| {
            let count = input.read_count(8)?;
            let endpoints = input.read_each(count, 8, |input| {
                let address = read_address(input)?;
                Ok((address, input.read()?))
            })?;
            Ok(Content::Endpoints(endpoints))
        },
        tag::JAVA_CODEBASE => |input| Ok(Content::Text(input.read_string()?.into_owned())),
        tag::TRANSACTION_POLICY | tag::OTS_POLICY | tag::INV_POLICY => {
            |input| Ok(Content::Number(input.read()?))
        }
        tag::FT_PRIMARY | tag::FT_HEARTBEAT_ENABLED => {
            |input| Ok(Content::Boolean(input.read_bool()?))
        }
        tag::OMNIORB_UNIX_TRANS => |input| {
            Ok(Content::UnixSocket {
                host: input.read_string()?.into_owned(),
                path: input.read_string()?.into_owned(),
            })
        },
        _ => return None,
    };
    Some(
        component
            .decoder(component.tag)
            .and_then(|mut input| read(&mut input)),
    )
}

impl Display for Content {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::OrbType(number) => match orb_type_name(*number) {
                Some(name) => write!(f, "{name} ({number:#010x})"),
                None => write!(f, "{number:#010x}"),
            },
            Self::CodeSets(info) => {
                f.write_str("char ")?;
                write_code_sets(&info.for_char, f)?;
                f.write_str("; wchar ")?;
                write_code_sets(&info.for_wchar, f)
            }
            Self::Address(address) => write_address(address, f),
            Self::PolicyTypes(types) => {
                f.write_str("policy types")?;
                types.iter().try_for_each(|number| write!(f, " {number}"))
            }
            Self::Ssl {
                supports,
                requires,
                port,
            } => write!(
                f,
                "supports {supports:#06x}, requires {requires:#06x}, port {port}"
            ),
            Self::Tls {
                supports,
                requires,
                addresses,
            } => {
                write!(f, "supports {supports:#06x}, requires {requires:#06x}")?;
                addresses.iter().try_for_each(|address| {
                    f.write_str("; ")?;
                    write_address(address, f)
                })
            }
            Self::Endpoints(endpoints) => {
                for (index, (address, priority)) in endpoints.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write_address(address, f)?;
                    write!(f, ", priority {priority}")?;
                }
                Ok(())
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::UnixSocket { host, path } => write!(
                f,
                "host {}, path {}",
                host.escape_debug(),
                path.escape_debug()
            ),
        }
    }
}

/// Host and port, as several components have them.
fn read_address(input: &mut Decoder<'_>) -> Result<AlternateAddress> {
    Ok(AlternateAddress {
        host: input.read_string()?.into_owned(),
        port: input.read()?,
    })
}

fn read_addresses(input: &mut Decoder<'_>) -> Result<Vec<AlternateAddress>> {
    let count = input.read_count(6)?;
    input.read_each(count, 6, read_address)
}

fn write_address(address: &AlternateAddress, f: &mut Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "host {}, port {}",
        address.host.escape_debug(),
        address.port
    )
}

fn multiple_components(data: &[u8]) -> Result<Vec<TaggedComponent>> {
    component::read_list(&mut Decoder::encapsulated(data)?, &Limits::DEFAULT)
}

fn write_tag(tag: u32, name: Option<&str>, f: &mut Formatter<'_>) -> fmt::Result {
    match name {
        Some(name) => f.write_str(name),
        None => write!(f, "tag {tag:#010x}"),
    }
}

fn write_malformed(error: &taut_cdr::Error, data: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, ": malformed, {error}: {}", octets(data))
}

fn write_code_sets(component: &CodeSetComponent, f: &mut Formatter<'_>) -> fmt::Result {
    write_code_set(component.native, f)?;
    for (index, code_set) in component.conversion.iter().enumerate() {
        f.write_str(if index == 0 { ", converts " } else { ", " })?;
        write_code_set(*code_set, f)?;
    }
    Ok(())
}

fn write_code_set(code_set: u32, f: &mut Formatter<'_>) -> fmt::Result {
    match code_set::name(code_set) {
        Some(name) => f.write_str(name),
        None if code_set == 0 => f.write_str("none"),
        None => write!(f, "{code_set:#010x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn components_of_other_orbs_are_explained() {
        let text = |tag, body: fn(&mut taut_cdr::Encoder)| {
            let made = TaggedComponent::encapsulated(tag, |out| {
                body(out);
                Ok(())
            });
            component(&made.unwrap()).to_string()
        };
        let endpoints = text(tag::TAO_ENDPOINTS, |out| {
            out.write(1_u32);
            out.write_string("h").unwrap();
            out.write(5_u16);
            out.write(-7_i16);
        });
        assert_eq!(endpoints, "TAO endpoints: host h, port 5, priority -7");
        let tls = text(tag::TLS_SEC_TRANS, |out| {
            out.write_elements(&[0x66_u16, 6]);
            out.write(1_u32);
            out.write_string("h").unwrap();
            out.write(684_u16);
        });
        assert_eq!(
            tls,
            "TAG_TLS_SEC_TRANS: supports 0x0066, requires 0x0006; host h, port 684"
        );
        let policies = text(tag::POLICIES, |out| {
            out.write_elements(&[1_u32, 40, 0]);
        });
        assert_eq!(policies, "TAG_POLICIES: policy types 40");
    }

    #[test]
    fn a_reference_is_explained() {
        let iiop = IiopProfile {
            version: crate::Version::V1_2,
            host: "example.org".into(),
            port: 4711,
            object_key: vec![0, 1, 0xff],
            components: vec![
                TaggedComponent::from_orb_type(component::orb_type::TAUT),
                CodeSetComponentInfo::taut().to_component().unwrap(),
                TaggedComponent {
                    tag: tag::JAVA_CODEBASE,
                    data: vec![9],
                },
                TaggedComponent {
                    tag: 0x1234_5678,
                    data: b"what?".to_vec(),
                },
            ],
        };
        let ior = Ior {
            type_id: "IDL:demo/Circle:1.0".into(),
            profiles: vec![
                iiop.to_profile().unwrap(),
                TaggedProfile {
                    tag: 0x5441_4f00,
                    data: vec![0, 7],
                },
            ],
        };
        assert_eq!(
            reference(&ior).to_string(),
            "type id: IDL:demo/Circle:1.0\n\
             profile 1: TAG_INTERNET_IOP: IIOP 1.2, host example.org, port 4711, \
             object key 0x0001ff\n    \
                 TAG_ORB_TYPE: Taut (0x54415554)\n    \
                 TAG_CODE_SETS: char UTF-8, converts ISO 8859-1; wchar UTF-16\n    \
                 TAG_JAVA_CODEBASE: malformed, 9 is not a boolean (0 or 1) at octet 0: 0x09\n    \
                 tag 0x12345678: \"what?\"\n\
             profile 2: TAO UIOP: 0x0007\n"
        );
    }
}

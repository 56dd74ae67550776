//! The meaning of references: their octets without padding and byte order.
//!
//! The data of a profile is an encapsulation. Two encapsulations with the same content
//! may differ: in their byte order, and in the octets between aligned values, which some
//! ORBs leave as they were in memory. The profiles and components that are understood
//! are therefore compared value by value, all others octet for octet.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use taut_cdr::{Decoder, Result};

use super::{Ior, TaggedProfile, profile};
use crate::component;

/// A value in an encapsulation.
#[derive(Debug, Clone, Copy)]
enum Field {
    U8,
    U16,
    U32,
    U64,
    /// A string.
    Text,
    /// A sequence of octets.
    Octets,
    /// A sequence of structs with these members.
    Sequence(&'static [Self]),
    /// Tagged components.
    Components,
}

use Field::{Components, Octets, Sequence, Text, U8, U16, U32, U64};

/// The content of a profile; none of a kind that is not understood.
fn profile_content(tag: u32, data: &[u8]) -> Option<&'static [Field]> {
    // Behind the byte order and the major version.
    let has_components = data.get(2).is_some_and(|minor| *minor > 0);
    Some(match tag {
        profile::tag::INTERNET_IOP if has_components => &[U8, U8, Text, U16, Octets, Components],
        profile::tag::INTERNET_IOP => &[U8, U8, Text, U16, Octets],
        profile::tag::TAO_UIOP if has_components => &[U8, U8, Text, Octets, Components],
        profile::tag::TAO_UIOP => &[U8, U8, Text, Octets],
        profile::tag::MULTIPLE_COMPONENTS => &[Components],
        _ => return None,
    })
}

/// The content of a component; none of a kind that is not understood.
const fn component_content(tag: u32) -> Option<&'static [Field]> {
    use component::tag;
    Some(match tag {
        tag::ORB_TYPE => &[U32],
        tag::CODE_SETS => &[U32, Sequence(&[U32]), U32, Sequence(&[U32])],
        tag::POLICIES => &[Sequence(&[U32, Octets])],
        tag::ALTERNATE_IIOP_ADDRESS => &[Text, U16],
        tag::SSL_SEC_TRANS => &[U16, U16, U16],
        tag::JAVA_CODEBASE => &[Text],
        tag::TRANSACTION_POLICY | tag::OTS_POLICY | tag::INV_POLICY => &[U16],
        tag::FT_GROUP => &[U8, U8, Text, U64, U32],
        tag::FT_PRIMARY | tag::FT_HEARTBEAT_ENABLED => &[U8],
        tag::TLS_SEC_TRANS => &[U16, U16, Sequence(&[Text, U16])],
        tag::TAO_ENDPOINTS => &[Sequence(&[Text, U16, U16])],
        tag::OMNIORB_UNIX_TRANS => &[Text, Text],
        _ => return None,
    })
}

/// The first octet of what is compared octet for octet.
const AS_IT_IS: u8 = 0;
/// The first octet of what is compared value by value.
const BY_VALUE: u8 = 1;

/// Appends the meaning of a profile to `out`: octets that are equal for two profiles if
/// and only if both say the same. They are about as many as those of the profile.
pub fn append_profile(tag: u32, data: &[u8], out: &mut Vec<u8>) {
    append(tag, data, profile_content(tag, data), out);
}

/// Appends a tag, and data with this content, if it has that.
fn append(tag: u32, data: &[u8], content: Option<&[Field]>, out: &mut Vec<u8>) {
    out.extend_from_slice(&tag.to_ne_bytes());
    let start = out.len();
    if let Some(content) = content {
        out.push(BY_VALUE);
        if append_values(data, content, out).is_ok() {
            return;
        }
        out.truncate(start);
    }
    out.push(AS_IT_IS);
    append_octets(data, out);
}

fn append_values(data: &[u8], content: &[Field], out: &mut Vec<u8>) -> Result<()> {
    let mut input = Decoder::encapsulated(data)?;
    append_fields(content, &mut input, out)?;
    // Octets that a higher version may add.
    append_octets(input.rest(), out);
    Ok(())
}

fn append_fields(fields: &[Field], input: &mut Decoder<'_>, out: &mut Vec<u8>) -> Result<()> {
    for field in fields {
        match field {
            U8 => out.push(input.read()?),
            U16 => out.extend_from_slice(&input.read::<u16>()?.to_ne_bytes()),
            U32 => out.extend_from_slice(&input.read::<u32>()?.to_ne_bytes()),
            U64 => out.extend_from_slice(&input.read::<u64>()?.to_ne_bytes()),
            Text => append_octets(input.read_string_octets()?, out),
            Octets => append_octets(input.read_octets()?, out),
            Sequence(members) => {
                for _ in 0..append_count(input, out)? {
                    append_fields(members, input, out)?;
                }
            }
            Components => {
                for _ in 0..append_count(input, out)? {
                    let (tag, data) = (input.read()?, input.read_octets()?);
                    append(tag, data, component_content(tag), out);
                }
            }
        }
    }
    Ok(())
}

fn append_count(input: &mut Decoder<'_>, out: &mut Vec<u8>) -> Result<usize> {
    let count = input.read_count(1)?;
    out.extend_from_slice(&(count as u64).to_ne_bytes());
    Ok(count)
}

fn append_octets(octets: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(octets.len() as u64).to_ne_bytes());
    out.extend_from_slice(octets);
}

impl TaggedProfile {
    /// Whether two profiles say the same. `==` compares octets.
    pub fn means_same(&self, other: &Self) -> bool {
        if self.tag != other.tag {
            return false;
        }
        self.data == other.data || {
            let [mut one, mut two] = [const { Vec::new() }; 2];
            append_profile(self.tag, &self.data, &mut one);
            append_profile(other.tag, &other.data, &mut two);
            one == two
        }
    }
}

impl Ior {
    /// Whether two references say the same: the same type id, and profiles that say the
    /// same in the same order. Byte orders and padding in the encapsulations of profiles
    /// and components do not count, as far as these are understood; what is not is
    /// compared octet for octet. `==` compares the octets of all profiles.
    pub fn means_same(&self, other: &Self) -> bool {
        self.type_id == other.type_id && self.leads_to_same(other)
    }

    /// [`means_same`](Self::means_same), whatever the type ids are.
    pub fn leads_to_same(&self, other: &Self) -> bool {
        self.profiles.len() == other.profiles.len()
            && self
                .profiles
                .iter()
                .zip(&other.profiles)
                .all(|(one, two)| one.means_same(two))
    }

    /// Hashes what [`leads_to_same`](Self::leads_to_same) compares.
    pub fn hash_meaning<H: Hasher>(&self, state: &mut H) {
        let mut meaning = Vec::new();
        for profile in &self.profiles {
            append_profile(profile.tag, &profile.data, &mut meaning);
        }
        meaning.hash(state);
    }
}

//! A reference that is left where it is.

use taut_cdr::{Decoder, Encoder, Result};

use super::{Ior, TaggedProfile};
use crate::Limits;
use crate::tagged::{EncodedEntries, EncodedList, encode_entry};

/// A reference in place: in a message that was received, or an [`Ior`]. It was
/// checked once, so that iterating it cannot fail.
#[derive(Debug, Clone, Copy)]
pub struct IorView<'m> {
    type_id: &'m [u8],
    profiles: List<'m>,
}

#[derive(Debug, Clone, Copy)]
enum List<'m> {
    Received(EncodedList<'m>),
    Owned(&'m [TaggedProfile]),
}

impl<'m> IorView<'m> {
    /// Checks a reference and steps over it.
    ///
    /// # Errors
    ///
    /// When it is malformed, or has too many profiles.
    pub fn decode_within(input: &mut Decoder<'m>, limits: &Limits) -> Result<Self> {
        Ok(Self {
            type_id: input.read_string_octets()?,
            profiles: List::Received(EncodedList::decode(input, limits.max_profiles, usize::MAX)?),
        })
    }

    /// The repository id, as octets.
    #[inline]
    pub fn type_id(&self) -> &'m [u8] {
        self.type_id
    }

    /// The profiles, as pairs of tag and data.
    #[inline]
    pub fn profiles(&self) -> Profiles<'m> {
        Profiles(match self.profiles {
            List::Received(list) => Entries::Received(list.iter()),
            List::Owned(profiles) => Entries::Owned(profiles.iter()),
        })
    }

    /// Appends the reference.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits.
    pub fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_string_octets(self.type_id)?;
        out.write_length(match &self.profiles {
            List::Received(list) => list.len(),
            List::Owned(profiles) => profiles.len(),
        })?;
        for (tag, data) in self.profiles() {
            encode_entry(tag, data, out)?;
        }
        Ok(())
    }
}

impl<'m> From<&'m Ior> for IorView<'m> {
    fn from(ior: &'m Ior) -> Self {
        Self {
            type_id: ior.type_id.as_bytes(),
            profiles: List::Owned(&ior.profiles),
        }
    }
}

/// Equal when type id and profiles are, wherever they are kept.
impl PartialEq for IorView<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.type_id == other.type_id && self.profiles().eq(other.profiles())
    }
}

impl Eq for IorView<'_> {}

/// Iterates over a reference's profiles.
#[derive(Debug, Clone)]
pub struct Profiles<'m>(Entries<'m>);

#[derive(Debug, Clone)]
enum Entries<'m> {
    Received(EncodedEntries<'m>),
    Owned(core::slice::Iter<'m, TaggedProfile>),
}

impl<'m> Iterator for Profiles<'m> {
    type Item = (u32, &'m [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Entries::Received(entries) => entries.next(),
            Entries::Owned(profiles) => profiles
                .next()
                .map(|profile| (profile.tag, profile.data.as_slice())),
        }
    }
}

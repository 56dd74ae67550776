//! Object references as they travel: IORs, their profiles, and their string
//! form (CORBA 3.3 part 2, 7.6).

mod address_profile;
mod body;
mod iiop;
pub mod meaning;
pub mod profile;
mod stringified;
mod uiop;
mod view;

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{Decode, Decoder, Encode, Encoder, Result};

use crate::Limits;
use crate::tagged::{encode_list, read_list};

pub use address_profile::AddressProfile;
pub use iiop::{IiopProfile, iiop_object_key};
pub use profile::TaggedProfile;
pub use stringified::{IorParseError, IorParseErrorKind};
pub use uiop::{UiopProfile, uiop_object_key};
pub use view::{IorView, Profiles};

/// An interoperable object reference. Profiles that are not understood are kept
/// octet for octet, as the standard demands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Ior {
    /// The repository id of the object's interface; empty when it is not known.
    pub type_id: String,
    /// Where the object is, in the order of preference. None: the nil reference.
    pub profiles: Vec<TaggedProfile>,
}

impl Ior {
    /// The nil reference.
    pub const fn nil() -> Self {
        Self {
            type_id: String::new(),
            profiles: Vec::new(),
        }
    }

    /// Whether this is the nil reference. Some peers send nil with a type id, so
    /// only the profiles count.
    #[inline]
    pub fn is_nil(&self) -> bool {
        self.profiles.is_empty()
    }

    /// The IIOP profiles, parsed, in their order.
    pub fn iiop_profiles(&self) -> impl Iterator<Item = Result<IiopProfile>> + '_ {
        self.iiop_profiles_within(&Limits::DEFAULT)
    }

    /// The IIOP profiles, parsed with these limits, in their order.
    pub fn iiop_profiles_within(
        &self,
        limits: &Limits,
    ) -> impl Iterator<Item = Result<IiopProfile>> + '_ {
        let limits = *limits;
        self.profiles
            .iter()
            .filter(|profile| profile.tag == profile::tag::INTERNET_IOP)
            .map(move |profile| IiopProfile::parse_within(&profile.data, &limits))
    }

    /// Reads a reference, with other limits than the default ones.
    ///
    /// # Errors
    ///
    /// When it is malformed, or has too many profiles.
    pub fn decode_within(input: &mut Decoder<'_>, limits: &Limits) -> Result<Self> {
        let type_id = input.read_plain_text()?;
        let own = |tag, data| TaggedProfile { tag, data };
        let profiles = read_list(input, limits.max_profiles, own)?;
        Ok(Self { type_id, profiles })
    }
}

impl Encode for Ior {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_string_octets(self.type_id.as_bytes())?;
        let profiles = self.profiles.iter();
        encode_list(
            profiles.map(|profile| (profile.tag, profile.data.as_slice())),
            out,
        )
    }
}

/// With [`Limits::DEFAULT`].
impl<'m> Decode<'m> for Ior {
    const MIN_SIZE: usize = 8;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Self::decode_within(input, &Limits::DEFAULT)
    }
}

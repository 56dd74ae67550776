//! How a request names its object.

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

use crate::Limits;
use crate::ior::{IorView, profile};
use crate::tagged::encode_entry;

/// How a request names its object (CORBA 3.3 part 2, 9.4.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetAddress<'m> {
    /// By its object key.
    Key(&'m [u8]),
    /// By a profile of its reference.
    Profile {
        /// The profile's tag.
        tag: u32,
        /// The profile's data.
        data: &'m [u8],
    },
    /// By its whole reference.
    Reference {
        /// Which profile of the reference the request was sent to.
        index: u32,
        /// The reference.
        ior: IorView<'m>,
    },
}

/// The forms of [`TargetAddress`], as a `short` in the body of a Reply with the
/// status NEEDS_ADDRESSING_MODE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum AddressingMode {
    /// [`TargetAddress::Key`].
    Key = 0,
    /// [`TargetAddress::Profile`].
    Profile = 1,
    /// [`TargetAddress::Reference`].
    Reference = 2,
}

impl AddressingMode {
    /// Reads a mode.
    ///
    /// # Errors
    ///
    /// When there is no such mode.
    #[inline]
    pub fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        match input.read::<i16>()? {
            0 => Ok(Self::Key),
            1 => Ok(Self::Profile),
            2 => Ok(Self::Reference),
            _ => {
                let kind = ErrorKind::Invalid("the addressing mode is none of 0, 1 and 2");
                Err(Error::new(kind, input.position() - 2))
            }
        }
    }

    /// Appends the mode.
    #[inline]
    pub fn encode(self, out: &mut Encoder) {
        out.write(self as i16);
    }
}

impl<'m> TargetAddress<'m> {
    /// The object key, dug out of the IIOP or UIOP profile where there is one, without
    /// allocation. `None` when the profile is of another kind or missing:
    /// answer NEEDS_ADDRESSING_MODE with [`AddressingMode::Key`].
    ///
    /// # Errors
    ///
    /// When that profile is malformed.
    #[inline]
    pub fn object_key(&self) -> Result<Option<&'m [u8]>> {
        match *self {
            Self::Key(key) => Ok(Some(key)),
            Self::Profile { tag, data } => profile::object_key(tag, data),
            Self::Reference { index, ior } => match ior.profiles().nth(index as usize) {
                Some((tag, data)) => profile::object_key(tag, data),
                None => Ok(None),
            },
        }
    }

    /// Reads an address in any of its forms.
    ///
    /// # Errors
    ///
    /// When it is malformed, or beyond a limit.
    #[inline]
    pub fn decode(input: &mut Decoder<'m>, limits: &Limits) -> Result<Self> {
        Ok(match AddressingMode::decode(input)? {
            AddressingMode::Key => Self::Key(input.read_octets()?),
            AddressingMode::Profile => Self::Profile {
                tag: input.read()?,
                data: input.read_octets()?,
            },
            AddressingMode::Reference => Self::Reference {
                index: input.read()?,
                ior: IorView::decode_within(input, limits)?,
            },
        })
    }

    /// Appends the address in its form.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) -> Result<()> {
        match self {
            Self::Key(key) => {
                AddressingMode::Key.encode(out);
                out.write_length(key.len())?;
                out.write_bytes(key);
                Ok(())
            }
            Self::Profile { tag, data } => {
                AddressingMode::Profile.encode(out);
                encode_entry(*tag, data, out)
            }
            Self::Reference { index, ior } => {
                AddressingMode::Reference.encode(out);
                out.write(*index);
                ior.encode(out)
            }
        }
    }

    /// Appends the key alone: the form before GIOP 1.2, and in GIOPlite.
    pub(super) fn encode_key(&self, out: &mut Encoder) -> Result<()> {
        let Self::Key(key) = self else {
            let kind = ErrorKind::Invalid(
                "only in GIOP 1.2 can a request name its object by anything but its key",
            );
            return Err(Error::new(kind, out.position()));
        };
        out.write_length(key.len())?;
        out.write_bytes(key);
        Ok(())
    }
}

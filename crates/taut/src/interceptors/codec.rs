//! Values as octets, for service contexts and components (CORBA 3.3 part 1, 16.9).

use std::fmt;

use taut_cdr::{ByteOrder, CharCodeSet, CharacterForms, Decoder, Encode, Encoder};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, Version};
use taut_types::{Any, TypeCode, TypeCodeLimits};

/// Makes codecs (`IOP::CodecFactory`). [`Orb::codec_factory`](crate::Orb::codec_factory) and
/// [`OrbInitInfo::codec_factory`](super::OrbInitInfo::codec_factory) have it.
///
/// ```
/// use taut::Any;
/// use taut::interceptors::{CodecFactory, Encoding};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let codec = CodecFactory::new().create_codec(Encoding::CDR_1_2)?;
/// let octets = codec.encode_value(&Any::new("Ada")?)?;
/// let name = codec.decode_value(&octets, &taut::TypeCode::string(0))?;
/// assert_eq!(name.extract::<String>()?, "Ada");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CodecFactory(());

/// A form of octets (`IOP::Encoding`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The form.
    pub format: EncodingFormat,
    /// The version of GIOP by which values are laid out.
    pub major_version: u8,
    /// See `major_version`.
    pub minor_version: u8,
}

/// The number of a form of octets (`IOP::EncodingFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EncodingFormat(pub i16);

impl EncodingFormat {
    /// `ENCODING_CDR_ENCAPS`: an encapsulation of CDR, the only one there is.
    pub const CDR_ENCAPSULATION: Self = Self(0);
}

impl Encoding {
    /// Encapsulations as in GIOP 1.2.
    pub const CDR_1_2: Self = Self {
        format: EncodingFormat::CDR_ENCAPSULATION,
        major_version: 1,
        minor_version: 2,
    };
}

/// There is no codec for this encoding (`IOP::CodecFactory::UnknownEncoding`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownEncoding(pub Encoding);

/// Makes octets of values, and values of octets (`IOP::Codec`).
#[derive(Debug, Clone, Copy)]
pub struct Codec {
    characters: CharacterForms,
}

/// Why a codec has made nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodecError {
    /// The value has no form in this encoding, such as a `wchar` in that of GIOP 1.0.
    InvalidTypeForEncoding(taut_cdr::Error),
    /// The octets are nothing that this encoding makes.
    FormatMismatch(taut_cdr::Error),
    /// The octets are no value of this type.
    TypeMismatch(taut_cdr::Error),
}

impl CodecFactory {
    /// The factory, which belongs to no ORB.
    pub const fn new() -> Self {
        Self(())
    }

    /// Makes a codec whose strings are in ISO 8859-1, as those of encapsulations are unless
    /// something else is agreed on.
    ///
    /// # Errors
    ///
    /// [`UnknownEncoding`] for other encodings than encapsulations of GIOP 1.0, 1.1 and 1.2.
    pub fn create_codec(self, encoding: Encoding) -> Result<Codec, UnknownEncoding> {
        self.create_codec_with_code_set(encoding, CharCodeSet::Iso8859_1)
    }

    /// [`create_codec`](Self::create_codec), with strings in another code set.
    ///
    /// # Errors
    ///
    /// Those of [`create_codec`](Self::create_codec).
    pub fn create_codec_with_code_set(
        self,
        encoding: Encoding,
        code_set: CharCodeSet,
    ) -> Result<Codec, UnknownEncoding> {
        let version = Version::new(encoding.major_version, encoding.minor_version);
        if encoding.format != EncodingFormat::CDR_ENCAPSULATION || !version.is_supported() {
            return Err(UnknownEncoding(encoding));
        }
        let characters = CharacterForms {
            narrow: code_set,
            wide: version.wide_form(),
        };
        Ok(Codec { characters })
    }
}

impl Codec {
    /// Writes a value with its type.
    ///
    /// # Errors
    ///
    /// [`CodecError::InvalidTypeForEncoding`].
    pub fn encode(&self, value: &Any) -> Result<Vec<u8>, CodecError> {
        self.written(|out| value.encode(out))
    }

    /// Reads a value with its type.
    ///
    /// # Errors
    ///
    /// [`CodecError::FormatMismatch`].
    pub fn decode(&self, octets: &[u8]) -> Result<Any, CodecError> {
        let mut input = self.decoder(octets)?;
        Any::decode_within(&mut input, &TypeCodeLimits::DEFAULT).map_err(CodecError::FormatMismatch)
    }

    /// Writes a value without its type.
    ///
    /// # Errors
    ///
    /// [`CodecError::InvalidTypeForEncoding`].
    pub fn encode_value(&self, value: &Any) -> Result<Vec<u8>, CodecError> {
        self.written(|out| value.write_value(out))
    }

    /// Reads a value of this type.
    ///
    /// # Errors
    ///
    /// [`CodecError::FormatMismatch`] where there is no encapsulation,
    /// [`CodecError::TypeMismatch`] where no such value is in it.
    pub fn decode_value(&self, octets: &[u8], type_code: &TypeCode) -> Result<Any, CodecError> {
        let mut input = self.decoder(octets)?;
        let read = Any::read_value(type_code.clone(), &mut input, &TypeCodeLimits::DEFAULT);
        read.map_err(CodecError::TypeMismatch)
    }

    fn written(
        &self,
        write: impl FnOnce(&mut Encoder) -> taut_cdr::Result<()>,
    ) -> Result<Vec<u8>, CodecError> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.write(ByteOrder::NATIVE.flag());
        out.set_characters(self.characters);
        write(&mut out).map_err(CodecError::InvalidTypeForEncoding)?;
        Ok(out.into_buffer())
    }

    fn decoder<'o>(&self, octets: &'o [u8]) -> Result<Decoder<'o>, CodecError> {
        let input = Decoder::encapsulated(octets).map_err(CodecError::FormatMismatch)?;
        Ok(input.with_characters(self.characters))
    }
}

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Encoding {
            format: EncodingFormat(format),
            major_version,
            minor_version,
        } = self.0;
        write!(
            f,
            "no codec for the encoding {format} of version {major_version}.{minor_version}; \
             there are encapsulations (0) of the versions 1.0 to 1.2"
        )
    }
}

impl std::error::Error for UnknownEncoding {}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidTypeForEncoding(error) => write!(f, "not to be encoded: {error}"),
            Self::FormatMismatch(error) => write!(f, "not encoded so: {error}"),
            Self::TypeMismatch(error) => write!(f, "of another type: {error}"),
        }
    }
}

impl std::error::Error for CodecError {}

/// MARSHAL, so that `?` works in interceptors.
impl From<CodecError> for SystemException {
    fn from(error: CodecError) -> Self {
        let kind = SystemExceptionKind::Marshal;
        Self::new(kind, 0, CompletionStatus::No).because(error.to_string())
    }
}

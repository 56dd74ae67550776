//! Values of any type (CORBA 3.3 part 1, 7.11.3; on the wire part 2, 9.3.5.2).

use std::fmt;
use std::hash::{Hash, Hasher};

use taut_cdr::codec::{DecodeAs, EncodeAs};
use taut_cdr::{ByteOrder, CharCodeSet, Context, Decode, Decoder, Encode, Encoder, Result};

use crate::engine::{LENGTHENED, Meaning, SHORT, Target};
use crate::type_code::DefaultLabel;
use crate::{TCKind, TypeCode, TypeCodeLimits, Typed, display, engine};

/// IDL's `any`: a value together with its TypeCode.
///
/// The value is kept in CDR: in this machine's byte order, aligned from its
/// start, strings in UTF-8, padding zero. An exception's id stands in front of
/// its members; encoding and decoding an exception is about the members alone,
/// the Any sees to the id. Two Anys are equal when their
/// TypeCodes are, and the values say the same: primitives and texts are compared
/// octet by octet, TypeCodes in the value as TypeCodes, and references by what they
/// mean, whatever byte order and padding their profiles have.
#[derive(Clone)]
pub struct Any {
    type_code: TypeCode,
    value: Box<[u8]>,
}

/// Why a value cannot be taken out of an [`Any`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// The Any holds a value of a type that is not equivalent.
    TypeMismatch {
        /// The type that was asked for.
        expected: TypeCode,
        /// The type that the Any holds.
        found: TypeCode,
    },
    /// The type is right, but the octets are no value of it: an enumerator
    /// beyond the last one, a boolean that is none, a reference without an ORB
    /// to belong to.
    Malformed(taut_cdr::Error),
}

impl Any {
    /// An Any that holds nothing (`tk_null`).
    pub fn null() -> Self {
        Self {
            type_code: TypeCode::null(),
            value: Box::default(),
        }
    }

    /// An Any that holds this value.
    ///
    /// # Errors
    ///
    /// Those of encoding the value.
    pub fn new<T: Typed + Encode + ?Sized>(value: &T) -> Result<Self> {
        Self::with_type(value.type_code_of(), value)
    }

    /// An Any that holds this value with another TypeCode than the Rust type's
    /// own: an alias, a bound, a more special interface. It must describe what
    /// the value's encoding is; what does not match it will not come out again.
    ///
    /// # Errors
    ///
    /// Those of encoding the value.
    pub fn with_type<T: Encode + ?Sized>(type_code: TypeCode, value: &T) -> Result<Self> {
        Self::written(type_code, |out| value.encode(out))
    }

    /// An Any that holds this value in the wire form `C`.
    ///
    /// # Errors
    ///
    /// Those of encoding the value.
    pub fn with_form<C: EncodeAs<T>, T: ?Sized>(type_code: TypeCode, value: &T) -> Result<Self> {
        Self::written(type_code, |out| C::encode(value, out))
    }

    /// Reads a value of this type, as it stands in a message without a TypeCode
    /// of its own.
    ///
    /// # Errors
    ///
    /// When the value is malformed or exceeds a limit.
    pub fn read_value(
        type_code: TypeCode,
        input: &mut Decoder<'_>,
        limits: &TypeCodeLimits,
    ) -> Result<Self> {
        let mut short = [0; SHORT + LENGTHENED];
        let target = Target {
            order: ByteOrder::NATIVE,
            char_code_set: CharCodeSet::Utf8,
            octets: &mut short,
            start: 0,
        };
        if let Some(length) = engine::copy_short(&type_code, input, target) {
            input.charge(length)?;
            let value = short[..length].into();
            return Ok(Self { type_code, value });
        }
        input.charge(WALK)?;
        let size = if input.remaining() <= SHORT {
            // Whatever becomes of so few octets is within what is charged.
            0
        } else {
            // Knowing the size beforehand keeps the memory close to it.
            engine::measure(&type_code, input, limits)?
        };
        input.charge(size)?;
        let mut out = value_encoder();
        out.reserve(size.max(input.remaining().min(SHORT)));
        engine::copy_long(&type_code, input, &mut out, limits)?;
        let value = out.into_buffer().into_boxed_slice();
        input.credit(WALK + size);
        input.charge(value.len())?;
        Ok(Self { type_code, value })
    }

    /// Reads an Any with these limits for the TypeCodes in it.
    ///
    /// # Errors
    ///
    /// When TypeCode or value are malformed or exceed a limit.
    pub fn decode_within(input: &mut Decoder<'_>, limits: &TypeCodeLimits) -> Result<Self> {
        let type_code = TypeCode::decode_within(input, limits)?;
        input.nested(|input| Self::read_value(type_code, input, limits))
    }

    /// Appends TypeCode and value, with this form of a union's default label in
    /// the TypeCode.
    ///
    /// # Errors
    ///
    /// When the value has no form in the encoder's code set or version of GIOP.
    pub fn encode_as(&self, out: &mut Encoder, label: DefaultLabel) -> Result<()> {
        self.type_code.encode_as(out, label)?;
        self.write_value(out)
    }

    /// Appends the value without its TypeCode.
    ///
    /// # Errors
    ///
    /// As [`encode_as`](Self::encode_as).
    pub fn write_value(&self, out: &mut Encoder) -> Result<()> {
        let as_kept = out.order() == ByteOrder::NATIVE
            && out.position().is_multiple_of(8)
            && out.char_code_set() == CharCodeSet::Utf8
            && out.wide_form() == taut_cdr::WideForm::Octets
            // Values that are in chunks are so in other places.
            && out.chunk_level() == 0;
        if as_kept {
            out.write_bytes(&self.value);
            return Ok(());
        }
        engine::copy(&self.type_code, &mut self.decoder(None), out)
    }

    /// The value's type.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The value, if it is of a type equivalent to that of `T`.
    ///
    /// # Errors
    ///
    /// Those of [`ExtractError`].
    pub fn extract<'a, T: Typed + Decode<'a>>(&'a self) -> std::result::Result<T, ExtractError> {
        self.extract_with(None)
    }

    /// The value, with what references in it need to know of their ORB.
    ///
    /// # Errors
    ///
    /// Those of [`ExtractError`].
    pub fn extract_with<'a, T: Typed + Decode<'a>>(
        &'a self,
        context: Context<'a>,
    ) -> std::result::Result<T, ExtractError> {
        self.extract_by(&T::type_code(), context, T::decode)
    }

    /// The value in the wire form `C`, if it is of a type equivalent to
    /// `expected`.
    ///
    /// # Errors
    ///
    /// Those of [`ExtractError`].
    pub fn extract_form<'a, C: DecodeAs<'a, T>, T>(
        &'a self,
        expected: &TypeCode,
        context: Context<'a>,
    ) -> std::result::Result<T, ExtractError> {
        self.extract_by(expected, context, C::decode)
    }

    /// A decoder at the start of the value, for those who read it by its
    /// TypeCode.
    pub fn decoder<'a>(&'a self, context: Context<'a>) -> Decoder<'a> {
        Decoder::new(&self.value, ByteOrder::NATIVE)
            .with_char_code_set(CharCodeSet::Utf8)
            .with_context(context)
    }

    /// An Any that holds what `body` writes, the id of an exception included.
    pub(crate) fn holding<E>(
        type_code: TypeCode,
        body: impl FnOnce(&mut Encoder) -> std::result::Result<(), E>,
    ) -> std::result::Result<Self, E> {
        let mut out = value_encoder();
        body(&mut out)?;
        let value = out.into_buffer().into_boxed_slice();
        Ok(Self { type_code, value })
    }

    fn extract_by<'a, T>(
        &'a self,
        expected: &TypeCode,
        context: Context<'a>,
        decode: impl FnOnce(&mut Decoder<'a>) -> Result<T>,
    ) -> std::result::Result<T, ExtractError> {
        if !self.type_code.equivalent(expected) {
            return Err(ExtractError::TypeMismatch {
                expected: expected.clone(),
                found: self.type_code.clone(),
            });
        }
        let mut input = self.decoder(context);
        if self.type_code.kind() == TCKind::Exception {
            input
                .read_string_octets()
                .map_err(ExtractError::Malformed)?;
        }
        decode(&mut input).map_err(ExtractError::Malformed)
    }

    fn written(type_code: TypeCode, body: impl FnOnce(&mut Encoder) -> Result<()>) -> Result<Self> {
        let mut out = value_encoder();
        if type_code.kind() == TCKind::Exception {
            out.write_string(type_code.id().unwrap_or_default())?;
        }
        body(&mut out)?;
        Ok(Self {
            type_code,
            value: out.into_buffer().into_boxed_slice(),
        })
    }
}

impl PartialEq for Any {
    fn eq(&self, other: &Self) -> bool {
        self.type_code == other.type_code
            && (self.value == other.value || self.means_same_as(other))
    }
}

impl Eq for Any {}

impl Hash for Any {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.type_code.hash(state);
        match self.meaning() {
            Some(meaning) => meaning.hash(state),
            None => self.value.hash(state),
        }
    }
}

impl Any {
    /// Whether the value, of the same type as the other, says the same in other octets.
    #[cold]
    fn means_same_as(&self, other: &Self) -> bool {
        match (self.meaning(), other.meaning()) {
            (Some(one), Some(two)) => one == two,
            _ => false,
        }
    }

    /// The value's meaning, if its type allows for several forms and it can be read.
    fn meaning(&self) -> Option<Meaning> {
        match Meaning::has_many_forms(&self.type_code) {
            true => Meaning::of(&self.type_code, self.decoder(None)).ok(),
            false => None,
        }
    }
}

/// Octets of memory that may be needed while a value is walked, and no longer.
const WALK: usize = 1024;

/// Octets of a message that are copied without having been measured are at most four
/// times as many in the form that values are kept in.
const _: () = assert!(SHORT <= WALK / 4);

/// An encoder for the form that values are kept in.
fn value_encoder() -> Encoder {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    out.set_char_code_set(CharCodeSet::Utf8);
    out
}

impl Default for Any {
    fn default() -> Self {
        Self::null()
    }
}

impl Typed for Any {
    fn type_code() -> TypeCode {
        TypeCode::primitive(TCKind::Any).unwrap_or_else(|_| TypeCode::null())
    }
}

impl Encode for Any {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.encode_as(out, DefaultLabel::default())
    }
}

/// With the limits that the decoder was given.
impl<'m> Decode<'m> for Any {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let limits = TypeCodeLimits::of(input);
        Self::decode_within(input, &limits)
    }
}

/// The type and the value, as far as it can be read.
impl fmt::Debug for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Any(")?;
        display::write_name(&self.type_code, f)?;
        f.write_str(" ")?;
        display::write_value(&self.type_code, &mut self.decoder(None), f)?;
        f.write_str(")")
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TypeMismatch { expected, found } => {
                f.write_str("the any holds ")?;
                display::write_name(found, f)?;
                f.write_str(", not ")?;
                display::write_name(expected, f)
            }
            Self::Malformed(error) => write!(f, "the any's value is malformed: {error}"),
        }
    }
}

impl std::error::Error for ExtractError {}

//! Values whose user marshals them (CORBA 3.3 part 1, 7.9.2.1).

use taut_cdr::codec::{DecodeAs, EncodeAs};
use taut_cdr::{Decode, Decoder, Encode, Encoder, Result};

/// How the state of a `custom` value type travels; implemented by its user.
///
/// Errors are [`taut_cdr::Error`]s: [`DataInputStream::fault`] and
/// [`DataOutputStream::fault`] make them.
pub trait CustomMarshal: Sized {
    /// Appends the state.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn marshal(&self, out: &mut DataOutputStream<'_>) -> Result<()>;

    /// Reads what [`marshal`](Self::marshal) has written. State that is left over is
    /// skipped.
    ///
    /// # Errors
    ///
    /// When the octets are none that it writes.
    fn unmarshal(input: &mut DataInputStream<'_, '_>) -> Result<Self>;
}

/// The standard's `DataOutputStream`. Its many operations are one here, since
/// Rust's types tell them apart.
#[derive(Debug)]
pub struct DataOutputStream<'o> {
    out: &'o mut Encoder,
}

/// The standard's `DataInputStream`.
#[derive(Debug)]
pub struct DataInputStream<'i, 'm> {
    input: &'i mut Decoder<'m>,
}

impl<'o> DataOutputStream<'o> {
    #[doc(hidden)]
    pub fn new(out: &'o mut Encoder) -> Self {
        Self { out }
    }

    /// Appends a value of any IDL type.
    ///
    /// # Errors
    ///
    /// Those of encoding it.
    pub fn write<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.encode(self.out)
    }

    /// Appends values without their number, as `write_long_array` does.
    ///
    /// # Errors
    ///
    /// Those of encoding them.
    pub fn write_array<T: Encode>(&mut self, values: &[T]) -> Result<()> {
        T::encode_elements(values, self.out)
    }

    /// Appends a `wstring`.
    ///
    /// # Errors
    ///
    /// Those of encoding it.
    pub fn write_wstring(&mut self, value: &str) -> Result<()> {
        self.out.write_wstring(value)
    }

    /// Appends a value in the wire form `C`.
    ///
    /// # Errors
    ///
    /// Those of encoding it.
    pub fn write_form<C: EncodeAs<T>, T: ?Sized>(&mut self, value: &T) -> Result<()> {
        C::encode(value, self.out)
    }

    /// The error for a state that breaks this rule.
    pub fn fault(&self, rule: &'static str) -> taut_cdr::Error {
        taut_cdr::Error::new(taut_cdr::ErrorKind::Invalid(rule), self.out.position())
    }
}

impl<'i, 'm> DataInputStream<'i, 'm> {
    #[doc(hidden)]
    pub fn new(input: &'i mut Decoder<'m>) -> Self {
        Self { input }
    }

    /// Reads a value of any IDL type.
    ///
    /// # Errors
    ///
    /// Those of decoding it.
    pub fn read<T: Decode<'m>>(&mut self) -> Result<T> {
        T::decode(self.input)
    }

    /// Reads `count` values, as `read_long_array` does.
    ///
    /// # Errors
    ///
    /// Those of decoding them.
    pub fn read_array<T: Decode<'m>>(&mut self, count: usize) -> Result<Vec<T>> {
        T::decode_elements(count, self.input)
    }

    /// Reads a `wstring`.
    ///
    /// # Errors
    ///
    /// Those of decoding it.
    pub fn read_wstring(&mut self) -> Result<String> {
        self.input.read_wstring()
    }

    /// Reads a value in the wire form `C`.
    ///
    /// # Errors
    ///
    /// Those of decoding it.
    pub fn read_form<C: DecodeAs<'m, T>, T>(&mut self) -> Result<T> {
        C::decode(self.input)
    }

    /// The error for octets that break this rule.
    pub fn fault(&self, rule: &'static str) -> taut_cdr::Error {
        self.input.error(taut_cdr::ErrorKind::Invalid(rule))
    }
}

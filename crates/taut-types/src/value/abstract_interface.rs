//! Abstract interfaces: what is passed for one is an object or a value (CORBA
//! 3.3 part 1, 7.10; on the wire part 2, 9.3.5.3).

use taut_cdr::{DecodeNil, Decoder, Encode, EncodeNil, Encoder, Result};

use super::{Value, ValueBase, ValueDescriptor};
use crate::{TypeCode, Typed};

/// The id of `CORBA::AbstractBase`, for which any object and any value may be passed.
const ABSTRACT_BASE: &str = "IDL:omg.org/CORBA/AbstractBase:1.0";

/// The references to objects of an abstract interface say this of it.
pub trait AbstractInterface {
    /// The interface's repository id.
    const REPOSITORY_ID: &'static str;

    /// The value types that support it, as far as its own IDL defines them.
    const KNOWN: &'static [&'static ValueDescriptor];

    /// The interface's TypeCode.
    fn type_code() -> TypeCode;
}

/// An object, known by the reference `R`, or a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Abstract<R> {
    /// An object, which stays where it is.
    Object(R),
    /// A value; [`Value::downcast`] tells which.
    Value(Value<ValueBase>),
}

impl<R> Abstract<R> {
    /// The reference, if it is an object.
    pub fn as_object(&self) -> Option<&R> {
        match self {
            Self::Object(reference) => Some(reference),
            Self::Value(_) => None,
        }
    }

    /// The value, if it is one.
    pub fn as_value(&self) -> Option<&Value<ValueBase>> {
        match self {
            Self::Object(_) => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<R: Encode> Encode for Abstract<R> {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        match self {
            Self::Object(reference) => {
                true.encode(out)?;
                reference.encode(out)
            }
            Self::Value(value) => {
                false.encode(out)?;
                value.encode(out)
            }
        }
    }
}

impl<R: Encode> EncodeNil for Abstract<R> {
    fn encode_nil(out: &mut Encoder) -> Result<()> {
        false.encode(out)?;
        Value::<ValueBase>::encode_nil(out)
    }
}

impl<'m, R: DecodeNil<'m> + AbstractInterface> DecodeNil<'m> for Abstract<R> {
    /// The boolean, and null.
    const MIN_SIZE: usize = 5;

    fn decode_nil(input: &mut Decoder<'m>) -> Result<Option<Self>> {
        if input.read_bool()? {
            return Ok(R::decode_nil(input)?.map(Self::Object));
        }
        let fits = |object: &dyn super::ValueObject| {
            R::REPOSITORY_ID == ABSTRACT_BASE || object.descriptor().is_a(R::REPOSITORY_ID)
        };
        let object = super::read(input, R::REPOSITORY_ID, R::KNOWN, fits)?;
        Ok(object.map(|object| Self::Value(Value::from_object(object))))
    }
}

impl<R: AbstractInterface> Typed for Abstract<R> {
    fn type_code() -> TypeCode {
        R::type_code()
    }
}

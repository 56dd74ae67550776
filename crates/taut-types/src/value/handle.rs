//! The handle to a value.

use std::any::{Any, TypeId};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use taut_cdr::{Decode, DecodeNil, Decoder, Encode, EncodeNil, Encoder, Result};

use super::traits::StateCell;
use super::{ConcreteValue, DerivesFrom, ValueObject, ValueType};
use crate::{TypeCode, Typed};

/// A value of the type `T`, or of one that derives from it.
///
/// A clone is the same value: in a message it is written once, however many
/// handles to it are met, and the receiver's handles lead to one value again.
/// The state does not change; a new state is a new value. Null is `None`.
///
/// `==` compares types and states, [`ptr_eq`](Self::ptr_eq) identities.
pub struct Value<T: ValueType> {
    object: Arc<dyn ValueObject>,
    of: PhantomData<fn() -> T>,
}

impl<T: ValueType> Value<T> {
    /// A value with this state.
    pub fn new(state: T) -> Self
    where
        T: ConcreteValue,
    {
        Self::from_object(Arc::new(StateCell::from(state)))
    }

    /// Whether both are the same value.
    pub fn ptr_eq<U: ValueType>(&self, other: &Value<U>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.object), Arc::as_ptr(&other.object))
    }

    /// The same value as one of a base.
    #[must_use]
    pub fn upcast<B: ValueType>(&self) -> Value<B>
    where
        T: DerivesFrom<B>,
    {
        Value::from_object(Arc::clone(&self.object))
    }

    /// The same value as one of the type `D`, if it is one.
    pub fn downcast<D: ValueType>(&self) -> Option<Value<D>> {
        D::fits(&*self.object).then(|| Value::from_object(Arc::clone(&self.object)))
    }

    /// The repository id of the value's own type.
    pub fn repository_id(&self) -> &'static str {
        self.object.descriptor().repository_id()
    }

    /// The TypeCode of the value's own type.
    pub fn type_code_of_value(&self) -> TypeCode {
        self.object.type_code()
    }

    /// `object` must fit.
    pub(crate) fn from_object(object: Arc<dyn ValueObject>) -> Self {
        Self {
            object,
            of: PhantomData,
        }
    }
}

/// The state, as that of `T`.
///
/// # Panics
///
/// In [`CustomMarshal::unmarshal`](super::CustomMarshal::unmarshal) alone, and
/// there only where cyclic values are allowed: when the value is one whose state
/// is still being read.
impl<T: ConcreteValue> Deref for Value<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let part = self.object.part(TypeId::of::<T>());
        #[expect(clippy::expect_used, reason = "documented above")]
        part.and_then(<dyn Any>::downcast_ref)
            .expect("the value's state is still being read")
    }
}

impl<T: ValueType> Clone for Value<T> {
    fn clone(&self) -> Self {
        Self::from_object(Arc::clone(&self.object))
    }
}

impl<T: ConcreteValue> From<T> for Value<T> {
    fn from(state: T) -> Self {
        Self::new(state)
    }
}

impl<T: ValueType, U: ValueType> PartialEq<Value<U>> for Value<T> {
    fn eq(&self, other: &Value<U>) -> bool {
        self.ptr_eq(other) || self.object.equals(&*other.object)
    }
}

impl<T: ValueType> fmt::Debug for Value<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.show(f)
    }
}

impl<T: ValueType> Encode for Value<T> {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        super::write(&self.object, out)
    }
}

impl<T: ValueType> EncodeNil for Value<T> {
    fn encode_nil(out: &mut Encoder) -> Result<()> {
        out.write(0_u32);
        Ok(())
    }
}

impl<'m, T: ValueType> DecodeNil<'m> for Value<T> {
    const MIN_SIZE: usize = 4;

    fn decode_nil(input: &mut Decoder<'m>) -> Result<Option<Self>> {
        let object = super::read(input, T::REPOSITORY_ID, T::KNOWN, T::fits)?;
        Ok(object.map(Self::from_object))
    }
}

/// Not null.
impl<'m, T: ValueType> Decode<'m> for Value<T> {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let start = input.clone();
        match Self::decode_nil(input)? {
            Some(value) => Ok(value),
            None => Err(start.error(taut_cdr::ErrorKind::Invalid("a value is null"))),
        }
    }
}

/// A value in an [`Any`](crate::Any) has the TypeCode of its own type.
impl<T: ValueType + Typed> Typed for Value<T> {
    fn type_code() -> TypeCode {
        T::type_code()
    }

    fn type_code_of(&self) -> TypeCode {
        self.object.type_code()
    }
}

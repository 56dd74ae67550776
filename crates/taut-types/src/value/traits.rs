//! What a Rust type must say to stand for a value type.

use std::any::{Any, TypeId};
use std::fmt::Debug;

use taut_cdr::{Decoder, Encoder, Result};

use super::{ValueDescriptor, ValueObject};
use crate::{TCKind, TypeCode, Typed};

/// A Rust type that stands for a value type: a struct with its state, a value
/// box, or the name alone of an abstract one.
pub trait ValueType: 'static {
    /// The repository id.
    const REPOSITORY_ID: &'static str;

    /// The types that values of this one may have, as far as its own IDL
    /// defines them.
    const KNOWN: &'static [&'static ValueDescriptor];

    /// Whether an object is of this type.
    fn fits(object: &dyn ValueObject) -> bool {
        object.descriptor().is_a(Self::REPOSITORY_ID)
    }
}

/// A value type whose values exist: one with state (perhaps none), or a box.
pub trait ConcreteValue: ValueType + Typed + Debug + PartialEq + Send + Sync + Sized {
    /// The repository ids of all types that this one derives from, and of the
    /// abstract interfaces that it supports.
    const BASES: &'static [&'static str];

    /// The repository ids that are sent: this type's, then those of the bases
    /// that a receiver may truncate it to, the nearest first.
    const SENT: &'static [&'static str];

    /// Whether the state is written by [`CustomMarshal`](super::CustomMarshal).
    const CUSTOM: bool = false;

    /// What tells of this type while the program runs.
    const DESCRIPTOR: &'static ValueDescriptor = &ValueDescriptor::of::<Self>();

    /// The base with state; [`NoBase`] without one.
    type Base: Part;

    /// The base's state.
    fn base(&self) -> Option<&Self::Base>;

    /// Appends the state, that of the base first.
    ///
    /// # Errors
    ///
    /// Those of encoding the members.
    fn encode_state(&self, out: &mut Encoder) -> Result<()>;

    /// Reads the state.
    ///
    /// # Errors
    ///
    /// Those of decoding the members.
    fn decode_state(input: &mut Decoder<'_>) -> Result<Self>;
}

/// A value type derives from `B`, directly or not.
pub trait DerivesFrom<B: ValueType>: ValueType {}

/// IDL's `ValueBase`, from which all value types derive. There are no values of
/// it, only [`Value<ValueBase>`](super::Value).
#[derive(Debug)]
pub enum ValueBase {}

/// The base of value types that derive from none with state.
#[derive(Debug)]
pub enum NoBase {}

/// Something that a value's state contains as its base, or is.
pub trait Part {
    /// Whether the state of this type has a part of that type.
    fn has_part(part: TypeId) -> bool;

    /// The part of that type.
    fn part(&self, part: TypeId) -> Option<&dyn Any>;
}

impl ValueType for ValueBase {
    const REPOSITORY_ID: &'static str = "IDL:omg.org/CORBA/ValueBase:1.0";
    const KNOWN: &'static [&'static ValueDescriptor] = &[];

    fn fits(_: &dyn ValueObject) -> bool {
        true
    }
}

impl<T: ValueType> DerivesFrom<ValueBase> for T {}

/// An abstract value type without a base; that is how other ORBs describe it.
impl Typed for ValueBase {
    fn type_code() -> TypeCode {
        use crate::ValueModifier::Abstract;
        TypeCode::create_value(
            TCKind::Value,
            Self::REPOSITORY_ID,
            "ValueBase",
            Abstract,
            None,
            &[],
        )
        .unwrap_or_else(|_| TypeCode::null())
    }
}

impl<T: ConcreteValue> Part for T {
    fn has_part(part: TypeId) -> bool {
        part == TypeId::of::<T>() || T::Base::has_part(part)
    }

    fn part(&self, part: TypeId) -> Option<&dyn Any> {
        if part == TypeId::of::<T>() {
            return Some(self);
        }
        self.base()?.part(part)
    }
}

impl Part for NoBase {
    fn has_part(_: TypeId) -> bool {
        false
    }

    fn part(&self, _: TypeId) -> Option<&dyn Any> {
        None
    }
}

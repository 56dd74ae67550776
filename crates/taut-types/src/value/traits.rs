//! The traits of Rust types that stand for value types, and the cell in which such a
//! value's state lies.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::sync::{Arc, OnceLock};

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

use super::comparison::{UnderComparison, address};
use super::descriptor::{ValueDescriptor, ValueObject};
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

    /// The description of this type for code that meets it only at run time.
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

impl ValueDescriptor {
    /// Describes `T`.
    pub const fn of<T: ConcreteValue>() -> Self {
        Self {
            repository_id: T::REPOSITORY_ID,
            bases: T::BASES,
            sent: T::SENT,
            custom: T::CUSTOM,
            make: || Arc::new(StateCell::<T>::empty()),
            type_code: T::type_code,
        }
    }
}

/// A state that is there, or will be once it has been read: a value may be met
/// inside itself.
pub(super) struct StateCell<T> {
    state: OnceLock<T>,
}

impl<T> StateCell<T> {
    pub(super) fn empty() -> Self {
        Self {
            state: OnceLock::new(),
        }
    }
}

impl<T> From<T> for StateCell<T> {
    fn from(state: T) -> Self {
        Self {
            state: OnceLock::from(state),
        }
    }
}

impl<T: ConcreteValue> ValueObject for StateCell<T> {
    fn descriptor(&self) -> &'static ValueDescriptor {
        T::DESCRIPTOR
    }

    fn type_code(&self) -> TypeCode {
        T::type_code()
    }

    fn has_part(&self, part: TypeId) -> bool {
        <T as Part>::has_part(part)
    }

    fn part(&self, part: TypeId) -> Option<&dyn Any> {
        Part::part(self.state.get()?, part)
    }

    fn is_complete(&self) -> bool {
        self.state.get().is_some()
    }

    fn encode_state(&self, out: &mut Encoder) -> Result<()> {
        match self.state.get() {
            Some(state) => state.encode_state(out),
            None => Err(Error::new(
                ErrorKind::Invalid("a value that is still being read cannot be written"),
                out.position(),
            )),
        }
    }

    fn decode_state(&self, input: &mut Decoder<'_>) -> Result<()> {
        let state = T::decode_state(input)?;
        // It is set once: nobody else has this cell to read into.
        let _ = self.state.set(state);
        Ok(())
    }

    fn equals(&self, other: &dyn ValueObject) -> bool {
        let same_type = self.descriptor().repository_id() == other.descriptor().repository_id();
        let other = other.part(TypeId::of::<T>());
        let other = other.and_then(<dyn Any>::downcast_ref::<T>);
        match (self.state.get(), other) {
            (Some(one), Some(two)) if same_type => {
                let addresses = [address(one), address(two)];
                UnderComparison::begin(addresses).is_none_or(|_guard| one == two)
            }
            _ => false,
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(state) = self.state.get() else {
            return f.write_str("(still being read)");
        };
        match UnderComparison::begin([address(state), 0]) {
            Some(_guard) => fmt::Debug::fmt(state, f),
            None => f.write_str("(as above)"),
        }
    }

    fn keep(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

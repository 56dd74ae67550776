//! What a handle leads to: a value's state, behind an interface that does not
//! tell its type.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

use super::traits::Part;
use super::{ConcreteValue, ValueDescriptor};
use crate::TypeCode;

/// A value of some type.
pub trait ValueObject: Any + Send + Sync {
    /// Its type.
    fn descriptor(&self) -> &'static ValueDescriptor;

    /// Its type's TypeCode.
    fn type_code(&self) -> TypeCode;

    /// Whether its type is, or has as a base with state, the one of this id.
    fn has_part(&self, part: TypeId) -> bool;

    /// The state as one of these types; none while it is still being read.
    fn part(&self, part: TypeId) -> Option<&dyn Any>;

    /// Whether the state has been read.
    fn is_complete(&self) -> bool;

    /// Appends the state.
    ///
    /// # Errors
    ///
    /// Those of encoding the members.
    fn encode_state(&self, out: &mut Encoder) -> Result<()>;

    /// Reads the state, once.
    ///
    /// # Errors
    ///
    /// Those of decoding the members.
    fn decode_state(&self, input: &mut Decoder<'_>) -> Result<()>;

    /// Whether another value is of the same type and has an equal state.
    fn equals(&self, other: &dyn ValueObject) -> bool;

    /// Shows the state.
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The same value, to be kept.
    fn keep(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
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

thread_local! {
    /// The values that this thread is comparing or showing: a circle of them
    /// would never end.
    static UNDER_COMPARISON: RefCell<HashSet<[usize; 2]>> = RefCell::default();
}

/// Two values are being compared, or one is being shown.
struct UnderComparison([usize; 2]);

impl UnderComparison {
    /// None if they are already.
    fn begin(addresses: [usize; 2]) -> Option<Self> {
        UNDER_COMPARISON
            .with_borrow_mut(|all| all.insert(addresses))
            .then_some(Self(addresses))
    }
}

impl Drop for UnderComparison {
    fn drop(&mut self) {
        UNDER_COMPARISON.with_borrow_mut(|all| all.remove(&self.0));
    }
}

fn address<T>(state: &T) -> usize {
    std::ptr::from_ref(state).addr()
}

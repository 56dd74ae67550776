//! The servant of `Construct_Test` as `construct_test.idl` describes it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use taut::{
    Any, CompletionStatus, LongDouble, ObjectRef, Orb, Reference, SystemException,
    SystemExceptionKind, TypeCode, WChar,
};

use super::constructs::construct_test::*;
use super::constructs::{ConstructTest, ConstructTestRef, ConstructTestSkeleton, Point};
use super::values::{self, REFUSED_MINOR};
use crate::HarnessError;
use crate::is_equivalent;

/// The servant of `Construct_Test`.
#[derive(Debug)]
pub struct ConstructTestServant {
    /// Shut down by the operation `shutdown`.
    orb: Orb,
    /// The reference to the servant's object, once it has one.
    own: OnceLock<ConstructTestRef>,
    place: Mutex<Point>,
}

/// Makes an ORB serve a `Construct_Test`, and gives the reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve_constructs(orb: &Orb) -> Result<ConstructTestRef, HarnessError> {
    let poa = orb.root_poa().map_err(HarnessError::orb)?;
    poa.manager().activate().map_err(HarnessError::orb)?;
    let servant = Arc::new(ConstructTestServant {
        orb: orb.clone(),
        own: OnceLock::new(),
        place: Mutex::new(values::P),
    });
    let skeleton = ConstructTestSkeleton::from_arc(Arc::clone(&servant));
    let reference = poa.activate(skeleton).map_err(HarnessError::orb)?;
    let _ = servant.own.set(reference.clone());
    Ok(reference)
}

/// The refusal of a value.
const REFUSED: SystemException = SystemException::new(
    SystemExceptionKind::BadParam,
    REFUSED_MINOR,
    CompletionStatus::No,
);

/// Refuses the pair unless s2 follows s1 in the table; puts the one after the
/// next into s2, and gives the result and s3.
fn answer<T: Clone + PartialEq>(table: &[T], s1: T, s2: &mut T) -> taut::Result<(T, T)> {
    let k = table.iter().position(|value| *value == s1).ok_or(REFUSED)?;
    let value = |index: usize| &table[index % table.len()];
    if value(k + 1) != s2 {
        return Err(REFUSED);
    }
    let s3 = std::mem::replace(s2, value(k + 2).clone());
    Ok((s1, s3))
}

macro_rules! implement_construct_test {
    (
        by_value { $($copied:ident: $copied_type:ty, $copied_table:ident;)* }
        by_reference { $($lent:ident: $lent_type:ty, $lent_in:ty, $lent_table:ident;)* }
    ) => {
        impl ConstructTest for ConstructTestServant {
            $(
                fn $copied(
                    &self,
                    s1: $copied_type,
                    s2: &mut $copied_type,
                ) -> taut::Result<($copied_type, $copied_type)> {
                    answer(values::$copied_table(), s1, s2)
                }
            )*
            $(
                fn $lent(
                    &self,
                    s1: &$lent_in,
                    s2: &mut $lent_type,
                ) -> taut::Result<($lent_type, $lent_type)> {
                    answer(values::$lent_table(), s1.to_owned(), s2)
                }
            )*

            fn test_object(
                &self,
                s1: Option<&ObjectRef>,
                s2: &mut Option<ObjectRef>,
            ) -> taut::Result<(Option<ObjectRef>, Option<ObjectRef>)> {
                let own = self.own.get().ok_or(REFUSED)?.as_object();
                let is_own = |object: &ObjectRef| is_equivalent(object.ior(), own.ior());
                match (s1, s2.as_ref()) {
                    (Some(object), None) | (None, Some(object)) if is_own(object) => {}
                    _ => return Err(REFUSED),
                }
                // There are two values: the one after the next is the first.
                let s3 = std::mem::replace(s2, s1.cloned());
                Ok((s1.cloned(), s3))
            }

            fn raise_fault(&self) -> Result<(), RaiseFaultError> {
                Err(values::fault().into())
            }

            fn place(&self) -> taut::Result<Point> {
                Ok(*self.place.lock())
            }

            fn set_place(&self, value: &Point) -> taut::Result<()> {
                *self.place.lock() = *value;
                Ok(())
            }

            fn shutdown(&self) -> taut::Result<()> {
                self.orb.shutdown(false)
            }
        }
    };
}

super::for_each_construct!(implement_construct_test);

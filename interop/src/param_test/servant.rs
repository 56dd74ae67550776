//! The servant of `Param_Test` as `param_test.idl` describes it.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use taut::{Char, CompletionStatus, Orb, Poa, Reference, SystemException, SystemExceptionKind};

use super::for_each_value_operation;
use super::interop::{
    Callback, CallbackRef, CallbackSkeleton, ParamTest, ParamTestRef, ParamTestSkeleton,
};
use super::param_test::*;
use super::values::{self, REFUSED_MINOR, Value};
use crate::HarnessError;
use crate::is_equivalent;

/// The servant of `Param_Test`.
#[derive(Debug)]
pub struct ParamTestServant {
    /// Shut down by the operation `shutdown`.
    orb: Orb,
    /// The reference to the servant's object, once it has one.
    own: OnceLock<ParamTestRef>,
    level: AtomicI32,
    notified: AtomicU32,
}

impl ParamTestServant {
    /// A servant; its operation `shutdown` shuts this ORB down.
    #[must_use]
    pub fn new(orb: Orb) -> Self {
        Self {
            orb,
            own: OnceLock::new(),
            level: AtomicI32::new(0),
            notified: AtomicU32::new(0),
        }
    }

    /// Tells the servant the reference to its object, which `test_objref` is
    /// about. Only the first has an effect.
    pub fn set_own_reference(&self, own: ParamTestRef) {
        let _ = self.own.set(own);
    }
}

/// Makes an ORB serve a `Param_Test`, and gives the reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve(orb: &Orb) -> Result<ParamTestRef, HarnessError> {
    let poa = active_root_poa(orb)?;
    let servant = Arc::new(ParamTestServant::new(orb.clone()));
    let skeleton = ParamTestSkeleton::from_arc(Arc::clone(&servant));
    let reference = poa.activate(skeleton).map_err(HarnessError::orb)?;
    servant.set_own_reference(reference.clone());
    Ok(reference)
}

/// The servant of `Callback`.
#[derive(Debug)]
pub struct CallbackServant {
    target: ParamTestRef,
    own: OnceLock<CallbackRef>,
}

/// Makes an ORB serve a `Callback` that calls `target` back, and gives the
/// reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve_callback(orb: &Orb, target: ParamTestRef) -> Result<CallbackRef, HarnessError> {
    let poa = active_root_poa(orb)?;
    let servant = Arc::new(CallbackServant {
        target,
        own: OnceLock::new(),
    });
    let skeleton = CallbackSkeleton::from_arc(Arc::clone(&servant));
    let reference = poa.activate(skeleton).map_err(HarnessError::orb)?;
    let _ = servant.own.set(reference.clone());
    Ok(reference)
}

pub(super) fn active_root_poa(orb: &Orb) -> Result<Poa, HarnessError> {
    let poa = orb.root_poa().map_err(HarnessError::orb)?;
    poa.manager().activate().map_err(HarnessError::orb)?;
    Ok(poa)
}

/// The refusal of a value.
const REFUSED: SystemException = SystemException::new(
    SystemExceptionKind::BadParam,
    REFUSED_MINOR,
    CompletionStatus::No,
);

/// Refuses the pair unless s2 follows s1 in the table; turns s2, and gives the
/// result and s3.
fn answer<T: Value>(table: &[T], s1: &T, s2: &mut T) -> taut::Result<(T, T)> {
    let index = table.iter().position(|value| value.is_same(s1));
    let next = index.map(|k| &table[(k + 1) % table.len()]);
    if !next.is_some_and(|next| next.is_same(s2)) {
        return Err(REFUSED);
    }
    let s3 = s2.clone();
    *s2 = s2.turned();
    Ok((s1.clone(), s3))
}

macro_rules! implement_param_test {
    ($($operation:ident: $type:ty, $table:ident;)*) => {
        impl ParamTest for ParamTestServant {
            $(
                fn $operation(
                    &self,
                    s1: <$type as Value>::In<'_>,
                    s2: &mut $type,
                ) -> taut::Result<($type, $type)> {
                    answer(values::$table(), &<$type>::from_in(s1), s2)
                }
            )*

            fn test_objref(
                &self,
                s1: Option<&ParamTestRef>,
                s2: &mut Option<ParamTestRef>,
            ) -> taut::Result<(Option<ParamTestRef>, Option<ParamTestRef>)> {
                let own = self.own.get().ok_or(REFUSED)?;
                let is_own = |reference: &ParamTestRef| {
                    is_equivalent(reference.as_object().ior(), own.as_object().ior())
                };
                let turned = match (s1, s2.as_ref()) {
                    (Some(reference), None) if is_own(reference) => Some(own.clone()),
                    (None, Some(reference)) if is_own(reference) => None,
                    _ => return Err(REFUSED),
                };
                let s3 = std::mem::replace(s2, turned);
                Ok((s1.cloned(), s3))
            }

            fn greeting(&self) -> taut::Result<String> {
                Ok(values::GREETING.to_owned())
            }

            fn level(&self) -> taut::Result<i32> {
                Ok(self.level.load(Ordering::SeqCst))
            }

            fn set_level(&self, value: i32) -> taut::Result<()> {
                self.level.store(value, Ordering::SeqCst);
                Ok(())
            }

            fn raise_user(&self, which: u32) -> Result<(), RaiseUserError> {
                match which {
                    0 => Ok(()),
                    1 => Err(A {
                        code: i32::MIN,
                        shade: Color::Blue,
                    }
                    .into()),
                    2 => Err(B {
                        why: values::latin1(),
                        details: values::long_sequences()[2].clone(),
                    }
                    .into()),
                    3 => Err(Bare {}.into()),
                    _ => Err(REFUSED.into()),
                }
            }

            fn raise_system(&self) -> taut::Result<()> {
                Err(SystemException::new(
                    SystemExceptionKind::BadParam,
                    42,
                    CompletionStatus::Yes,
                ))
            }

            fn notify(&self, message: &str) -> taut::Result<()> {
                if values::strings().iter().any(|known| known == message) {
                    self.notified.fetch_add(1, Ordering::SeqCst);
                }
                Ok(())
            }

            fn notified(&self) -> taut::Result<u32> {
                Ok(self.notified.load(Ordering::SeqCst))
            }

            fn call_back(&self, c: Option<&CallbackRef>, n: i32) -> taut::Result<i32> {
                match c {
                    Some(callback) if n >= 0 => Ok(1 + callback.call(n)?),
                    _ => Err(REFUSED),
                }
            }

            fn echo(&self, data: &[u8]) -> taut::Result<OctetSeq> {
                Ok(data.to_vec())
            }

            fn shutdown(&self) -> taut::Result<()> {
                self.orb.shutdown(false)
            }
        }
    };
}

for_each_value_operation!(implement_param_test);

impl Callback for CallbackServant {
    fn call(&self, n: i32) -> taut::Result<i32> {
        match n {
            0 => Ok(0),
            _ => Ok(1 + self.target.call_back(self.own.get(), n - 1)?),
        }
    }
}

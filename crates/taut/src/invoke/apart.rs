//! An ORB without collocation: all calls are made by message.

use taut_giop::SystemException;

use super::locate::Located;
use crate::object::{Interface, ObjectRef, Passes};

/// Carries an operation out by message.
#[inline(always)]
pub fn collocated<V, T, E>(
    _: &ObjectRef,
    _: impl Fn() -> (&'static str, Passes),
    run: impl FnOnce(Option<&V>) -> Result<T, E>,
) -> Result<T, E>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    run(None)
}

/// None: the call is to be made by message.
#[inline(always)]
pub fn collocated_compact<V, T, E>(
    _: &ObjectRef,
    _: &'static str,
    _: Passes,
    _: impl FnMut(&V) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    None
}

/// None: the call is to be made by message.
#[inline(always)]
pub fn collocated_oneway<V>(
    _: &ObjectRef,
    _: &'static str,
    _: Passes,
    _: impl FnMut(&V) -> Result<(), SystemException>,
) -> Option<Result<(), SystemException>>
where
    V: ?Sized + 'static,
{
    None
}

impl ObjectRef {
    /// None: to be asked by message.
    pub(super) fn local_interface(
        &self,
        _: &'static str,
    ) -> Option<Result<Interface, SystemException>> {
        None
    }

    /// None: to be asked by message.
    pub(super) fn locate_locally(&self) -> Option<Result<Located, SystemException>> {
        None
    }
}

/// The copy of an `inout` argument for a servant of this process: never asked for.
#[inline(always)]
pub fn inout_copy<T: Clone>(value: &T) -> T {
    value.clone()
}

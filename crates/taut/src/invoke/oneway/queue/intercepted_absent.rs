//! Calls for which nobody waits, in an ORB of the shape `minimal`: no interceptors take part.

use taut_giop::SystemException;

use super::post_to;
use crate::invoke::arguments::Arguments;
use crate::invoke::bound;
use crate::invoke::call_context::Terms;
use crate::object::ObjectRef;

/// Leaves a request to be sent soon.
#[cold]
pub(super) fn post(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
    terms: &Terms<'_>,
) -> Result<(), SystemException> {
    let binding = bound(object, terms.until())?;
    post_to(object, &binding, operation, arguments, terms)
}

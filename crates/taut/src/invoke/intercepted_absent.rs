//! Attempts in an ORB of the shape `minimal`: no interceptors take part in them.

use taut_giop::SystemException;

use super::attempt::{self, Outcome, SlowOutcome};
use super::call_context::Terms;
use super::request::Exchange;
use crate::message::Message;
use crate::object::{Binding, ObjectRef};

/// The values that interceptors keep with a call: none.
#[derive(Default)]
pub(super) struct Kept {}

/// Attempts an exchange. Its outcome is never final.
pub(super) fn attempt(
    object: &ObjectRef,
    binding: &Binding,
    (exchange, tried, _): (&Exchange<'_>, SlowOutcome, bool),
    terms: &Terms<'_>,
    message: &mut Message,
    _: &mut Kept,
) -> (Result<Outcome, SystemException>, bool) {
    let outcome = attempt::attempt(object, binding, exchange, terms, message, tried);
    (outcome, false)
}

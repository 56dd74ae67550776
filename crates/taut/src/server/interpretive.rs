//! Requests whose arguments and results are marshaled by the operation's table:
//! what skeletons of the interpretive strategy do.

use taut_giop::SystemException;
use taut_types::table::{AnswerFrame, ArgumentFrame, Filled, Operation, ReceiveFrame, Signature};

use super::ServerRequest;

/// Reads the in and inout values into the skeleton's frame.
///
/// # Errors
///
/// MARSHAL when they are not what the operation's table says.
#[inline]
pub fn receive<'a, 'm, S: Signature>(
    request: &mut ServerRequest<'m>,
    frame: &'a mut ArgumentFrame<'m, S>,
) -> Result<S::Received<'a>, SystemException> {
    frame.receive(|frame| fill(request, frame))
}

/// Writes the result and the inout and out values.
///
/// # Errors
///
/// MARSHAL or DATA_CONVERSION when a value cannot be written.
#[inline]
pub fn answer<S: Signature>(
    request: &mut ServerRequest<'_>,
    operation: &'static Operation<S>,
    values: S::Answer<'_>,
) -> Result<(), SystemException> {
    operation.answer(values, |frame| write(request, frame))
}

#[inline(never)]
fn fill<'f, 'm>(
    request: &mut ServerRequest<'m>,
    frame: ReceiveFrame<'f, 'm>,
) -> Result<Filled<'f>, SystemException> {
    request.arguments(|input| frame.decode(input))
}

#[inline(never)]
fn write(request: &mut ServerRequest<'_>, frame: AnswerFrame<'_>) -> Result<(), SystemException> {
    request.reply(|out| frame.encode(out))
}

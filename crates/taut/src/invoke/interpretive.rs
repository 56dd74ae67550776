//! Calls whose arguments and results are marshaled by the operation's table:
//! what stubs of the interpretive strategy do. The code that all of them share
//! stands here once; what is generic does no more than point to their frames.

use std::cell::Cell;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::SystemException;
use taut_types::table::{CallFrame, Filled, Operation, OperationDescription, Signature};

use super::arguments::{Arguments, write_lending};
use super::oneway::one_way;
use super::reply::Reply;
use super::two_way;
use crate::context::{Context, encode_context};
use crate::exception::UserException;
use crate::object::{CalledOperation, ObjectRef};

/// Calls an operation that raises no user exceptions.
///
/// # Errors
///
/// The system exception that the call ended with.
#[inline]
pub fn call<S: Signature>(
    object: &ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
) -> Result<S::Results, SystemException> {
    operation.call(arguments, |frame| exchange(object, frame, None))
}

/// Calls an operation that may raise user exceptions.
///
/// # Errors
///
/// The user or system exception that the call ended with.
#[inline]
pub fn call_raising<'r, S: Signature>(
    object: &'r ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
) -> Result<S::Results, CallFailure<'r>> {
    operation.call(arguments, |frame| exchange_raising(object, frame, None))
}

/// Sends a oneway request.
///
/// # Errors
///
/// When the request could not be handed to the transport.
#[inline]
pub fn send<S: Signature>(
    object: &ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
) -> Result<(), SystemException> {
    operation.send(arguments, |frame| deliver(object, frame, None))
}

/// [`call`] for an operation with a `context` clause.
///
/// # Errors
///
/// Those of [`call`].
#[inline]
pub fn call_in_context<S: Signature>(
    object: &ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
    context: &Context,
) -> Result<S::Results, SystemException> {
    operation.call(arguments, |frame| exchange(object, frame, Some(context)))
}

/// [`call_raising`] for an operation with a `context` clause.
///
/// # Errors
///
/// Those of [`call_raising`].
#[inline]
pub fn call_raising_in_context<'r, S: Signature>(
    object: &'r ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
    context: &Context,
) -> Result<S::Results, CallFailure<'r>> {
    operation.call(arguments, |frame| {
        exchange_raising(object, frame, Some(context))
    })
}

/// [`send`] for an operation with a `context` clause.
///
/// # Errors
///
/// Those of [`send`].
#[inline]
pub fn send_in_context<S: Signature>(
    object: &ObjectRef,
    operation: &'static Operation<S>,
    arguments: S::Arguments<'_>,
    context: &Context,
) -> Result<(), SystemException> {
    operation.send(arguments, |frame| deliver(object, frame, Some(context)))
}

/// How a call ended that did not succeed.
#[derive(Debug)]
pub struct CallFailure<'r>(Failure<'r>);

#[derive(Debug)]
enum Failure<'r> {
    System(SystemException),
    /// A user exception, in this reply, and its place among those that the
    /// operation raises.
    User(Reply<'r>, Option<usize>),
}

impl CallFailure<'_> {
    /// The place of the user exception among those that the operation raises;
    /// none for any other end.
    pub fn index(&self) -> Option<usize> {
        match &self.0 {
            Failure::System(_) => None,
            Failure::User(_, index) => *index,
        }
    }

    /// The error of an operation that raised the exception `E`.
    pub fn exception<E: UserException, F: From<E> + From<SystemException>>(&self) -> F {
        let read = || match &self.0 {
            Failure::System(exception) => Err(exception.clone()),
            Failure::User(reply, _) => match reply.user_exception()? {
                Some(exception) => exception.decode::<E>(),
                None => Err(super::failure::internal()),
            },
        };
        match read() {
            Ok(exception) => exception.into(),
            Err(exception) => exception.into(),
        }
    }

    /// The system exception that it is for the caller, which is UNKNOWN for a
    /// user exception that the operation does not list.
    pub fn system(&self) -> SystemException {
        match &self.0 {
            Failure::System(exception) => exception.clone(),
            Failure::User(reply, _) => match reply.user_exception() {
                Ok(Some(exception)) => exception.unlisted(),
                Ok(None) => super::failure::internal(),
                Err(exception) => exception,
            },
        }
    }
}

#[inline(never)]
fn exchange<'f>(
    object: &ObjectRef,
    frame: CallFrame<'f>,
    context: Option<&Context>,
) -> Result<Filled<'f>, SystemException> {
    let lent = Cell::new(&[][..]);
    let reply = two_way(
        object,
        &called(frame.operation()),
        Arguments::lending(&|out| encode(&frame, context, &lent, out), &lent),
    )?;
    reply.results(|input| frame.decode(input))
}

#[inline(never)]
fn exchange_raising<'f, 'r>(
    object: &'r ObjectRef,
    frame: CallFrame<'f>,
    context: Option<&Context>,
) -> Result<Filled<'f>, CallFailure<'r>> {
    let operation = frame.operation();
    let system = |exception| CallFailure(Failure::System(exception));
    let lent = Cell::new(&[][..]);
    let reply = two_way(
        object,
        &called(operation),
        Arguments::lending(&|out| encode(&frame, context, &lent, out), &lent),
    )
    .map_err(system)?;
    let listed = reply.user_exception().map_err(system)?.map(|exception| {
        let id = exception.repository_id();
        operation
            .raises()
            .iter()
            .position(|raised| raised.repository_id() == id)
    });
    match listed {
        Some(index) => Err(CallFailure(Failure::User(reply, index))),
        None => reply.results(|input| frame.decode(input)).map_err(system),
    }
}

#[inline(never)]
fn deliver(
    object: &ObjectRef,
    frame: CallFrame<'_>,
    context: Option<&Context>,
) -> Result<(), SystemException> {
    let operation = CalledOperation::by_name(frame.operation().name());
    let lent = Cell::new(&[][..]);
    let write = |out: &mut Encoder| encode(&frame, context, &lent, out);
    one_way(object, &operation, Arguments::lending(&write, &lent))
}

/// Describes the called operation and the results that come back.
fn called(operation: &'static OperationDescription) -> CalledOperation<'static> {
    CalledOperation::by_name(operation.name()).returning(operation.elements())
}

/// Writes the arguments, of which the last may be lent, and behind them what the operation
/// asks of the context.
fn encode<'a>(
    frame: &'a CallFrame<'_>,
    context: Option<&Context>,
    lent: &Cell<&'a [u8]>,
    out: &mut Encoder,
) -> CdrResult<()> {
    write_lending(out, lent, |out| frame.encode(out))?;
    match context {
        Some(context) => encode_context(context, frame.operation().context(), out),
        None => Ok(()),
    }
}

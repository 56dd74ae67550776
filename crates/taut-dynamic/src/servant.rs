//! The dynamic skeleton interface (CORBA 3.3 part 1, chapter 12).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use taut::{Interface, Servant, ServantIdentity, ServerRequest, SystemException};
use taut_cdr::{Decoder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemExceptionKind};
use taut_types::dynamic::{Mismatch, Value, read, write};
use taut_types::{TCKind, TypeCode};

use crate::Signature;

/// An implementation of objects that receives any operation (the standard's
/// `DynamicImplementation`).
pub trait DynamicImplementation: Send + Sync + 'static {
    /// Returns the most derived interface of the objects; [`Interface::dynamic`] makes one.
    fn primary_interface(&self) -> &'static Interface;

    /// Carries out a request, but for those operations that every object has, such as `_is_a`.
    /// An implementation that returns without an answer has returned nothing: `void`.
    ///
    /// # Errors
    ///
    /// The system exception that the caller gets. BAD_OPERATION for an operation that the
    /// objects do not have: [`DynamicRequest::unknown_operation`].
    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException>;
}

/// A servant that a POA can activate, of an implementation.
#[derive(Debug)]
pub struct DynamicServant<T>(Arc<T>);

/// A request as a [`DynamicImplementation`] sees it (the standard's `ServerRequest`).
///
/// The arguments are read once, and then one result or exception is set; in another order the
/// caller gets BAD_INV_ORDER with OMG minor 7, 8 or 9.
pub struct DynamicRequest<'r, 'm> {
    request: &'r mut ServerRequest<'m>,
    progress: Progress,
}

/// The stages at which an exception may be set: the arguments need not be read.
const RAISABLE: &[Progress] = &[Progress::Received, Progress::Read];

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Received,
    Read,
    Answered,
}

impl<T: DynamicImplementation> DynamicServant<T> {
    /// A servant of an implementation of its own.
    pub fn new(implementation: T) -> Self {
        Self(Arc::new(implementation))
    }
}

/// A servant of an implementation that is shared. All of its servants are the same to a POA.
impl<T> From<Arc<T>> for DynamicServant<T> {
    fn from(implementation: Arc<T>) -> Self {
        Self(implementation)
    }
}

impl<T: DynamicImplementation> Servant for DynamicServant<T> {
    fn interface(&self) -> &'static Interface {
        self.0.primary_interface()
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        if request.is_implicit() {
            return request.implicit_operation(self.interface());
        }
        let progress = Progress::Received;
        self.0.invoke(&mut DynamicRequest { request, progress })
    }
}

impl<'m> DynamicRequest<'_, 'm> {
    /// Returns the operation's name on the wire, such as `outline` or `_get_radius`.
    pub fn operation(&self) -> Cow<'m, str> {
        String::from_utf8_lossy(self.request.operation())
    }

    /// Whether the client waits for a reply.
    pub fn is_reply_expected(&self) -> bool {
        self.request.is_reply_expected()
    }

    /// Reads the `in` and `inout` values, in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not those of the signature; BAD_INV_ORDER, OMG minor 7, when they
    /// have been read already.
    pub fn arguments(&mut self, signature: &Signature) -> Result<Vec<Value>, SystemException> {
        let sent = signature.parameters.iter().filter(|one| one.is_sent());
        self.raw_arguments(|input| sent.map(|one| read(&one.type_code, input)).collect())
    }

    /// Reads the arguments as `read` does.
    ///
    /// # Errors
    ///
    /// Those of [`arguments`](Self::arguments).
    pub fn raw_arguments<R>(
        &mut self,
        read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<R>,
    ) -> Result<R, SystemException> {
        self.advance(&[Progress::Received], Progress::Read, 7)?;
        self.request.arguments(read)
    }

    /// Answers with a result, and with the `inout` and `out` values in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL when a value does not fit the signature, with the place; BAD_INV_ORDER, OMG
    /// minor 8, when the arguments have not been read, or an answer was set already.
    pub fn set_result(
        &mut self,
        signature: &Signature,
        result: &Value,
        others: &[Value],
    ) -> Result<(), SystemException> {
        let received = signature.parameters.iter().filter(|one| one.is_received());
        let expected = received.clone().count();
        if expected != others.len() {
            let text = format!(
                "{} values, where the operation gives {expected}",
                others.len()
            );
            return Err(marshal(&text));
        }
        let mut fault = None;
        let written = self.raw_result(|out| {
            let result = (&signature.result, result);
            let others = received.map(|one| &one.type_code).zip(others);
            for (type_code, value) in [result].into_iter().chain(others) {
                write(type_code, value, out).map_err(|error| misfit(error, out, &mut fault))?;
            }
            Ok(())
        });
        written.map_err(|exception| explained(exception, fault))
    }

    /// Answers with the values that `write` writes.
    ///
    /// # Errors
    ///
    /// Those of [`set_result`](Self::set_result).
    pub fn raw_result(
        &mut self,
        write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        self.advance(&[Progress::Read], Progress::Answered, 8)?;
        self.request.reply(write)
    }

    /// Answers with a user exception, by its type and its members.
    ///
    /// # Errors
    ///
    /// BAD_PARAM, OMG minor 21, when the type is no exception's; MARSHAL when the members do not
    /// fit it; BAD_INV_ORDER, OMG minor 9, when an answer was set already.
    pub fn set_exception(
        &mut self,
        exception: &TypeCode,
        members: &Value,
    ) -> Result<(), SystemException> {
        if exception.kind() != TCKind::Exception {
            let kind = SystemExceptionKind::BadParam;
            return Err(SystemException::omg(kind, 21, CompletionStatus::Maybe));
        }
        self.advance(RAISABLE, Progress::Answered, 9)?;
        let mut fault = None;
        let written = self.request.raise_with(|out| {
            write(exception, members, out).map_err(|error| misfit(error, out, &mut fault))
        });
        written.map_err(|exception| explained(exception, fault))
    }

    /// Answers with a user exception whose members `write` writes.
    ///
    /// # Errors
    ///
    /// Those of [`set_exception`](Self::set_exception).
    pub fn raw_exception(
        &mut self,
        repository_id: &str,
        write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        self.advance(RAISABLE, Progress::Answered, 9)?;
        self.request.raise_with(|out| {
            repository_id.encode(out)?;
            write(out)
        })
    }

    /// Returns the exception for an operation that the objects do not have.
    pub fn unknown_operation(&self) -> SystemException {
        SystemException::omg(SystemExceptionKind::BadOperation, 2, CompletionStatus::No)
    }

    /// Goes on to a stage of the request from one of others.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with this OMG minor where the request has not come to one of them, or has
    /// passed them.
    fn advance(
        &mut self,
        from: &[Progress],
        to: Progress,
        minor: u32,
    ) -> Result<(), SystemException> {
        if !from.contains(&self.progress) {
            let kind = SystemExceptionKind::BadInvOrder;
            return Err(SystemException::omg(kind, minor, CompletionStatus::Maybe));
        }
        self.progress = to;
        Ok(())
    }
}

/// The error of a value that does not fit its type; what is wrong is left in `fault`.
fn misfit(error: Mismatch, out: &Encoder, fault: &mut Option<Mismatch>) -> taut_cdr::Error {
    *fault = Some(error);
    let rule = "the value does not fit its type";
    taut_cdr::Error::new(ErrorKind::Invalid(rule), out.position())
}

fn explained(exception: SystemException, fault: Option<Mismatch>) -> SystemException {
    match fault {
        Some(fault) => exception.because(fault.to_string()),
        None => exception,
    }
}

fn marshal(text: &str) -> SystemException {
    let (kind, completed) = (SystemExceptionKind::Marshal, CompletionStatus::Yes);
    SystemException::new(kind, 0, completed).because(text)
}

impl fmt::Debug for DynamicRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicRequest")
            .field("request", &self.request)
            .field("progress", &self.progress)
            .finish()
    }
}

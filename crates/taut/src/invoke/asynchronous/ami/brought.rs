//! The outcome of a call as reply handlers take it.

use std::sync::Arc;

use taut_cdr::{ByteOrder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::{AmiOperation, Counted};
use crate::core::OrbCore;
use crate::invoke::asynchronous::OwnedReply;

/// The type of the values in which exceptions go to reply handlers.
const EXCEPTION_HOLDER: &str = "IDL:omg.org/Messaging/ExceptionHolder:1.0";

/// The tag of a value of which one repository id tells the type; CORBA 3.3 part 2, 9.3.4.
const VALUE_WITH_ID: u32 = 0x7fff_ff02;

/// The outcome of a call, on its way to a reply handler.
pub(super) struct Brought {
    outcome: Result<OwnedReply, SystemException>,
    operation: &'static AmiOperation,
    /// A reply that waits for its handler takes the place of its call.
    counted: Counted,
}

impl Brought {
    /// The outcome of a call that an ORB has made.
    pub(super) fn new(
        outcome: Result<OwnedReply, SystemException>,
        operation: &'static AmiOperation,
        core: &Arc<OrbCore>,
    ) -> Self {
        let (counted, _) = Counted::one(core);
        Self {
            outcome,
            operation,
            counted,
        }
    }

    /// The reply with the results, unless the call has ended with an exception.
    fn with_results(&self) -> Option<&OwnedReply> {
        let reply = self.outcome.as_ref().ok()?;
        (!reply.is_raised()).then_some(reply)
    }

    /// The operation of the handler that takes it.
    pub(super) fn operation(&self) -> &'static str {
        match self.with_results() {
            Some(_) => self.operation.reply,
            None => self.operation.exception,
        }
    }

    /// The same call's failure because its results cannot be read, if that is so. They are
    /// handed on unread, so that it is found out only when a handler has refused them.
    pub(super) fn as_unreadable(&self) -> Option<Self> {
        let reply = self.with_results()?;
        let mut out = Encoder::new(ByteOrder::NATIVE);
        let read = reply.results(|input| (self.operation.results)(input, &mut out));
        let exception = read.err()?;
        Some(Self::new(Err(exception), self.operation, &self.counted.0))
    }

    /// Writes the arguments of the handler's operation. Results that stand as they would be
    /// written are copied; those that do not are read and written again.
    pub(super) fn write(&self, out: &mut Encoder) -> CdrResult<()> {
        let Some(reply) = self.with_results() else {
            return write_holder(&self.outcome, self.operation, out);
        };
        if let Some(octets) = reply.octets_for(out) {
            out.write_bytes(octets);
            return Ok(());
        }
        let written = reply.results(|input| Ok((self.operation.results)(input, out)));
        written.unwrap_or_else(|_| Err(unreadable(out)))
    }
}

/// Writes a `Messaging::ExceptionHolder`.
fn write_holder(
    outcome: &Result<OwnedReply, SystemException>,
    operation: &AmiOperation,
    out: &mut Encoder,
) -> CdrResult<()> {
    let order = out.order();
    let mut exception = Encoder::new(order);
    let mut is_system = true;
    match outcome {
        Err(system) => system.encode(&mut exception)?,
        Ok(reply) => match raised(reply, operation, &mut exception) {
            Ok(()) => is_system = false,
            Err(system) => {
                exception = Encoder::new(order);
                system.encode(&mut exception)?;
            }
        },
    }
    out.write(VALUE_WITH_ID);
    EXCEPTION_HOLDER.encode(out)?;
    is_system.encode(out)?;
    // As in the header of a message: true is little-endian.
    (order == ByteOrder::Little).encode(out)?;
    exception.as_bytes().encode(out)
}

/// Writes the user exception of a reply: its id, and its members. Their characters are in the
/// form that an encoder has of itself, for the holder cannot tell of another.
fn raised(
    reply: &OwnedReply,
    operation: &AmiOperation,
    out: &mut Encoder,
) -> Result<(), SystemException> {
    let Some(raised) = reply.user_exception()? else {
        return Err(reply.no_results().err().unwrap_or_else(unknown));
    };
    let written = raised.repository_id().encode(out);
    written.map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Yes))?;
    match (operation.raised)(&raised, out)? {
        true => Ok(()),
        false => Err(raised.unlisted()),
    }
}

#[cold]
fn unknown() -> SystemException {
    SystemException::omg(SystemExceptionKind::Unknown, 1, CompletionStatus::Yes)
}

/// The results could not be read.
#[cold]
fn unreadable(out: &Encoder) -> taut_cdr::Error {
    let rule = "the results are not those of the operation";
    taut_cdr::Error::new(ErrorKind::Invalid(rule), out.position())
}

//! The outcome of a call as reply handlers take it.

use taut_cdr::{ByteOrder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::ReplyOperations;
use crate::invoke::asynchronous::OwnedReply;

/// The type of the values in which exceptions go to reply handlers.
const EXCEPTION_HOLDER: &str = "IDL:omg.org/Messaging/ExceptionHolder:1.0";

/// The tag of a value of which one repository id tells the type; CORBA 3.3 part 2, 9.3.4.
const VALUE_WITH_ID: u32 = 0x7fff_ff02;

/// The outcome of a call, on its way to a reply handler.
pub(super) struct Brought {
    outcome: Result<OwnedReply, SystemException>,
    operations: &'static ReplyOperations,
}

impl Brought {
    pub(super) fn new(
        outcome: Result<OwnedReply, SystemException>,
        operations: &'static ReplyOperations,
    ) -> Self {
        Self {
            outcome,
            operations,
        }
    }

    /// The operation of the handler that takes it.
    pub(super) fn operation(&self) -> &'static str {
        match &self.outcome {
            Ok(reply) if !reply.is_raised() => self.operations.reply,
            _ => self.operations.exception,
        }
    }

    /// The same call's failure because its results cannot be read, if that is so. They are
    /// handed on unread, so that it is found out only when a handler has refused them.
    pub(super) fn as_unreadable(&self) -> Option<Self> {
        let reply = self.outcome.as_ref().ok()?;
        if reply.is_raised() {
            return None;
        }
        let mut out = Encoder::new(ByteOrder::NATIVE);
        let read = reply.results(|input| (self.operations.results)(input, &mut out));
        let exception = read.err()?;
        Some(Self::new(Err(exception), self.operations))
    }

    /// Writes the arguments of the handler's operation. Results that stand as they would be
    /// written are copied; those that do not are read and written again.
    pub(super) fn write(&self, out: &mut Encoder) -> CdrResult<()> {
        match &self.outcome {
            Ok(reply) if !reply.is_raised() => match reply.octets_for(out) {
                Some(octets) => {
                    out.write_bytes(octets);
                    Ok(())
                }
                None => {
                    let mut written = Ok(());
                    let read = reply.results(|input| {
                        written = (self.operations.results)(input, out);
                        Ok(())
                    });
                    read.map_err(|_| unreadable(out))?;
                    written
                }
            },
            outcome => write_holder(outcome, self.operations, out),
        }
    }

    /// Lets go of what nobody takes.
    pub(super) fn discard(self) {
        if let Err(exception) = self.outcome {
            let operation = self.operations.reply;
            tracing::debug!(operation, %exception, "a failure that nobody takes");
        }
    }
}

/// Writes a `Messaging::ExceptionHolder`.
fn write_holder(
    outcome: &Result<OwnedReply, SystemException>,
    operations: &ReplyOperations,
    out: &mut Encoder,
) -> CdrResult<()> {
    let order = out.order();
    let mut exception = Encoder::new(order);
    let mut is_system = true;
    match outcome {
        Err(system) => system.encode(&mut exception)?,
        Ok(reply) => match raised(reply, operations, &mut exception) {
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
    operations: &ReplyOperations,
    out: &mut Encoder,
) -> Result<(), SystemException> {
    let Some(raised) = reply.user_exception()? else {
        return Err(reply.no_results().err().unwrap_or_else(unknown));
    };
    let written = raised.repository_id().encode(out);
    written.map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Yes))?;
    match (operations.raised)(&raised, out)? {
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

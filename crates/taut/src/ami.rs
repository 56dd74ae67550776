//! Asynchronous Method Invocation: callbacks and polling (CORBA 3.3 part 1, chapter 17).
//!
//! Operations for which `taut-build` is told so can be called in two further ways, beside the
//! futures that all have: `sendc_file` has the reply brought to a reply handler, which is an
//! ordinary object, and `sendp_file` returns a poller. The page `docs/async.md` tells of both.
//!
//! The module holds what the IDL module `Messaging` defines of that, and what pollers have
//! in common.

use std::fmt;

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException};

use crate::exception::UserException;
use crate::invoke::RaisedException;
use crate::poa::Current;

#[cfg(feature = "full")]
pub use crate::invoke::{AlreadyInSet, PollError, PollableSet, UnknownPollable};
pub use crate::invoke::{OperationError, Pollable, Poller};
pub use crate::standard::messaging::{
    ExceptionHolder, ReplyHandler, ReplyHandlerRef, ReplyHandlerSkeleton,
};

/// The use that a reply handler has for a holder. To C++ programmers: `raise_exception` returns
/// the exception instead of throwing it.
impl ExceptionHolder {
    /// The holder of a system exception.
    pub fn of_system(exception: &SystemException) -> Self {
        // Encoding three numbers and an id does not fail.
        Self::holding(true, |out| exception.encode(out)).unwrap_or_default()
    }

    /// The holder of a user exception.
    ///
    /// # Errors
    ///
    /// MARSHAL and its kin when it cannot be written.
    pub fn of_user<E: UserException>(exception: &E) -> Result<Self, SystemException> {
        let write = |out: &mut Encoder| {
            E::REPOSITORY_ID.encode(out)?;
            exception.encode(out)
        };
        Self::holding(false, write)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Yes))
    }

    fn holding(
        is_system_exception: bool,
        write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        write(&mut out)?;
        Ok(Self {
            is_system_exception,
            byte_order: ByteOrder::NATIVE == ByteOrder::Little,
            marshaled_exception: out.as_bytes().into(),
        })
    }

    /// Whether it is a system exception, and none that the operation declares.
    pub fn is_system_exception(&self) -> bool {
        self.is_system_exception
    }

    /// The repository id of the exception.
    ///
    /// # Errors
    ///
    /// MARSHAL when it cannot be read.
    pub fn exception_id(&self) -> Result<String, SystemException> {
        let id = self.decoder().read_string();
        id.map(Into::into).map_err(|error| unreadable(&error))
    }

    /// Returns the exception as the error of the operation, of the type `FileError` for an
    /// operation `file`; as [`SystemException`] for one that raises no others. It never
    /// returns `Ok`, whose type is the caller's choice:
    ///
    /// ```
    /// use taut::SystemException;
    /// use taut::ami::ExceptionHolder;
    ///
    /// fn fails(holder: &ExceptionHolder) -> Result<u32, SystemException> {
    ///     holder.raise_exception()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The exception. UNKNOWN with OMG minor 1 for a user exception that is none of the
    /// operation's; MARSHAL when it cannot be read. Object references in it are those of
    /// the ORB whose servant runs, and outside of servants cannot be read.
    pub fn raise_exception<T, E: OperationError>(&self) -> Result<T, E> {
        let mut input = self.decoder();
        if self.is_system_exception {
            let exception = SystemException::decode(&mut input);
            return Err(exception.unwrap_or_else(|error| unreadable(&error)).into());
        }
        let called = Current::reference().ok();
        let core = called.as_ref().map(|object| object.core());
        if let Some(core) = core {
            input = input
                .with_nesting_limit(core.settings.limits.nesting_limit)
                .with_graph_limits(core.settings.limits.type_codes)
                .with_cyclic_values(core.settings.limits.cyclic_values)
                .with_context(Some(core));
        }
        let raised = RaisedException::read(input).map_err(|error| unreadable(&error))?;
        Err(raised.as_error())
    }

    fn decoder(&self) -> Decoder<'_> {
        let order = match self.byte_order {
            true => ByteOrder::Little,
            false => ByteOrder::Big,
        };
        Decoder::new(&self.marshaled_exception, order)
    }
}

#[cold]
fn unreadable(error: &taut_cdr::Error) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes)
}

/// The exception that it holds, by its repository id.
impl fmt::Display for ExceptionHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exception_id() {
            Ok(id) => f.write_str(&id),
            Err(_) => f.write_str("an exception that cannot be read"),
        }
    }
}

//! Replies that own what they need.

use std::fmt;
use std::sync::Arc;

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::SystemException;

use crate::core::OrbCore;
use crate::invoke::reply::{
    OperationError, RaisedException, ReplyBody, results_of, user_exception_of,
};
use crate::message::Message;

/// A reply with results or a user exception, which a future has brought. It owns the
/// message.
pub struct OwnedReply {
    core: Arc<OrbCore>,
    message: Message,
    body: ReplyBody,
}

impl OwnedReply {
    pub(super) fn new(core: &Arc<OrbCore>, message: Message, body: ReplyBody) -> Self {
        Self {
            core: Arc::clone(core),
            message,
            body,
        }
    }

    /// Whether it is a user exception.
    pub(super) fn is_raised(&self) -> bool {
        self.body.raised
    }

    /// The octets of the results, if they are those that this encoder would write.
    pub(super) fn octets_for(&self, out: &Encoder) -> Option<&[u8]> {
        let body = &self.body;
        let is_aligned = body.offset.is_multiple_of(8) && out.position().is_multiple_of(8);
        let forms = (body.characters.narrow, body.characters.wide);
        let is_alike = forms == (out.char_code_set(), out.wide_form());
        let is_written_so = is_aligned && is_alike && body.order == out.order();
        // An empty body may begin behind the end.
        is_written_so.then(|| self.message.octets.get(body.offset..).unwrap_or_default())
    }

    /// Reads the result and the inout and out values, in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not what `read` expects; UNKNOWN with OMG minor 1
    /// when the reply is a user exception.
    pub fn results<'m, T>(
        &'m self,
        read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        results_of(&self.core, &self.message, &self.body, read)
    }

    /// [`results`](Self::results), where there are none to read.
    ///
    /// # Errors
    ///
    /// UNKNOWN with OMG minor 1 when the reply is a user exception.
    pub fn no_results(&self) -> Result<(), SystemException> {
        self.body.no_results()
    }

    /// Reads the results, or the user exception as the error of the operation.
    ///
    /// # Errors
    ///
    /// The exception; UNKNOWN with OMG minor 1 for one that the operation does not list; MARSHAL
    /// when either cannot be read.
    #[doc(hidden)]
    pub fn outcome<'m, T, E: OperationError>(
        &'m self,
        read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, E> {
        match self.user_exception()? {
            None => Ok(self.results(read)?),
            Some(raised) => Err(raised.as_error()),
        }
    }

    /// The user exception, if the reply is one.
    ///
    /// # Errors
    ///
    /// MARSHAL when its repository id cannot be read.
    pub fn user_exception(&self) -> Result<Option<RaisedException<'_>>, SystemException> {
        user_exception_of(&self.core, &self.message, &self.body)
    }
}

impl fmt::Debug for OwnedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedReply")
            .field("octets", &self.message.octets.len())
            .field("raised", &self.body.raised)
            .finish_non_exhaustive()
    }
}

//! Binding a reference by request, and which policies forbid it.

use taut_cdr::Decode;
use taut_giop::message::ResponseFlags;
use taut_giop::{SystemException, SystemExceptionKind, minor};

use super::arguments::Arguments;
use super::attempt::Outcome;
use super::call_context::{Terms, with_that_of_thread};
use super::reply::Reply;
use super::request::Exchange;
use super::{CallContext, bound, failure, pursue_to_the_end};
use crate::message::Message;
use crate::object::{CalledOperation, ObjectRef};
use crate::policy::ConnectionValidity;

/// The question by which a reference is bound. Servers forward it as they forward calls, which
/// is not so of a LocateRequest: no servant locator is asked for that.
const QUESTION: &str = "_non_existent";

impl ObjectRef {
    /// Binds the reference, and tells whether calls by it can be made with the policies that
    /// they have in this thread (the standard's `_validate_connection`, CORBA 3.3 part 1,
    /// 8.3.8.6). It connects and asks whether the object is there, follows where it is sent,
    /// and does so also if the [`RebindPolicy`](crate::policy::RebindPolicy) forbids calls
    /// to do that by themselves.
    ///
    /// A policy of bands is among those that contradict if the priority of the call is in none of
    /// them, also if it is the server's.
    ///
    /// # Errors
    ///
    /// The system exception with which binding ended for other reasons than policies:
    /// OBJECT_NOT_EXIST if the object is not there.
    pub fn validate_connection(&self) -> Result<ConnectionValidity, SystemException> {
        self.core().lifecycle.check()?;
        with_that_of_thread(|context| self.validate_in_context(context))
    }

    /// The same, with the context of the thread's calls if they have one.
    fn validate_in_context(
        &self,
        context: Option<&CallContext>,
    ) -> Result<ConnectionValidity, SystemException> {
        let found = match self.local_interface(QUESTION) {
            Some(interface) => interface.map(drop),
            None => self.bind_explicitly(context),
        };
        match found {
            Ok(()) => Ok(ConnectionValidity::of(Vec::new())),
            Err(exception) if exception.kind == SystemExceptionKind::InvPolicy => {
                let terms = Terms::of(self, context);
                let binding = bound(self, terms.send_until())?;
                if exception.minor == minor::PRIORITY_IN_NO_BAND {
                    let bands = terms.qos.bands_in_force(self, &binding)?;
                    let bands = bands.map(|bands| bands.clone().into());
                    return Ok(ConnectionValidity::of(bands.into_iter().collect()));
                }
                match terms.qos.contradicted(self, &binding)? {
                    none if none.is_empty() => Err(exception),
                    contradicted => Ok(ConnectionValidity::of(contradicted)),
                }
            }
            Err(exception) => Err(exception),
        }
    }

    /// Asks where the object is, and goes there.
    fn bind_explicitly(&self, context: Option<&CallContext>) -> Result<(), SystemException> {
        let terms = Terms::of(self, context).explicit(self);
        let exchange = Exchange::Request {
            operation: &CalledOperation::by_name(QUESTION),
            response: ResponseFlags::Expected,
            arguments: Arguments::whole(&|_| Ok(())),
        };
        let mut message = Message::take();
        let is_gone = match pursue_to_the_end(self, &exchange, &terms, &mut message, None) {
            Ok(Outcome::Reply(body)) => {
                Reply::new(self.core(), message, body).results(bool::decode)
            }
            Ok(_) => Err(failure::internal()),
            Err(exception) => Err(exception),
        };
        match is_gone {
            Ok(false) => Ok(()),
            Ok(true) => Err(failure::unknown_object()),
            Err(exception) => Err(exception),
        }
        .map_err(|exception| failure::concluded(exception, self, QUESTION, &terms))
    }
}

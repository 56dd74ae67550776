//! Binding a reference by request, and which policies forbid it.

use taut_giop::{SystemException, SystemExceptionKind};

use super::CallContext;
use super::attempt::Outcome;
use super::call_context::{Terms, with_that_of_thread};
use super::locate::Located;
use super::request::Exchange;
use super::{bound, failure, pursue_to_the_end};
use crate::message::Message;
use crate::object::ObjectRef;
use crate::policy::ConnectionValidity;

impl ObjectRef {
    /// Binds the reference, and tells whether calls by it can be made with the policies that
    /// they have in this thread (the standard's `_validate_connection`, CORBA 3.3 part 1,
    /// 8.3.8.6). It connects and asks for the object by LocateRequest, follows where it is sent,
    /// and does so also if the [`RebindPolicy`](crate::policy::RebindPolicy) forbids calls
    /// to do that by themselves.
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
        let located = match self.locate_locally() {
            Some(Ok(Located::Unknown)) => Err(failure::unknown_object()),
            Some(located) => located.map(drop),
            None => self.bind_explicitly(context),
        };
        match located {
            Ok(()) => Ok(ConnectionValidity::of(Vec::new())),
            Err(exception) if exception.kind == SystemExceptionKind::InvPolicy => {
                let terms = Terms::of(self, context);
                let binding = bound(self, terms.send_until())?;
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
        let terms = Terms::of(self, context).explicit();
        let exchange = Exchange::Locate;
        let outcome = pursue_to_the_end(self, &exchange, &terms, &mut Message::take(), None);
        let concluded =
            |exception| failure::concluded(exception, self, exchange.operation(), &terms);
        match outcome.map_err(concluded)? {
            Outcome::Unknown => Err(concluded(failure::unknown_object())),
            _ => Ok(()),
        }
    }
}

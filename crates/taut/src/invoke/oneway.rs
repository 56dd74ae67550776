//! Calls without a result, and what they wait for.

#[cfg(feature = "oneway-queue")]
mod queue;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::request::Exchange;
use super::{Arguments, follow};
use crate::message::Message;
use crate::object::ObjectRef;
use crate::settings::SyncScope;

impl ObjectRef {
    /// Calls an operation that has no result, and waits for what the reference's
    /// [`SyncScope`] says.
    ///
    /// # Errors
    ///
    /// As far as the scope lets them be known, those of a call with a result;
    /// with [`SyncScope::None`], TRANSIENT when too much waits to be sent.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        let response = match self.sync_scope() {
            SyncScope::WithTransport => ResponseFlags::None,
            SyncScope::WithServer => ResponseFlags::SyncWithServer,
            SyncScope::WithTarget => ResponseFlags::Expected,
            #[cfg(feature = "oneway-queue")]
            SyncScope::None => return queue::post(self, operation, &arguments),
        };
        one_way(self, operation, response, &arguments)
    }
}

/// Sends a request, and waits for what `response` says.
fn one_way(
    object: &ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
    let exchange = Exchange::Request {
        operation,
        response,
        arguments,
    };
    follow(object, &exchange, &mut Message::take()).map(drop)
}

//! The interceptors of servers.

use taut_giop::SystemException;

use super::{Interruption, ServerRequestInfo};

/// Takes part in the requests that an ORB serves
/// (`PortableInterceptor::ServerRequestInterceptor`, CORBA 3.3 part 1, 16.3.8). It is called in
/// the threads that serve, by many at once.
///
/// [`receive_request_service_contexts`](Self::receive_request_service_contexts) of all
/// interceptors runs in the order in which they were registered. For each of them that ends
/// without an error, one of `send_reply`, `send_exception` and `send_other` runs when the
/// request has been carried out, in the opposite order.
///
/// A panic is UNKNOWN for the caller.
pub trait ServerRequestInterceptor: Send + Sync {
    /// Returns the name, which tells it from others of the ORB. Those without a name may be
    /// several.
    fn name(&self) -> &str {
        ""
    }

    /// Runs when the ORB has ended.
    fn destroy(&self) {}

    /// A request has come, and no servant has been looked for: neither a servant manager nor
    /// an adapter activator has been asked.
    ///
    /// # Errors
    ///
    /// An exception answers the request; a forward sends the caller elsewhere.
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }

    /// The servant has been found, and is about to be called, by this thread.
    ///
    /// # Errors
    ///
    /// As at [`receive_request_service_contexts`](Self::receive_request_service_contexts).
    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }

    /// The operation has been carried out. So it is for a oneway, though nothing is sent.
    ///
    /// # Errors
    ///
    /// The exception that answers the request in place of the results. Interceptors that come
    /// after this one have `send_exception`.
    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// An exception answers the request.
    ///
    /// # Errors
    ///
    /// Another exception for the caller; or a forward, which sends it elsewhere.
    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }

    /// The caller is sent elsewhere, or is to send the request again.
    ///
    /// # Errors
    ///
    /// As at [`send_exception`](Self::send_exception).
    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }
}

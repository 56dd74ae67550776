//! The interceptors of clients.

use taut_giop::SystemException;

use super::{ClientRequestInfo, Interruption};

/// Takes part in the calls that an ORB makes (`PortableInterceptor::ClientRequestInterceptor`,
/// CORBA 3.3 part 1, 16.3.5). It is called in the thread that calls, by many threads at once.
///
/// [`send_request`](Self::send_request) of all interceptors runs in the order in which they
/// were registered. For each of them that ends without an error, one of the other points runs
/// when the request has ended, in the opposite order. A request that is forwarded or sent
/// again begins anew, with `send_request`.
///
/// A panic is UNKNOWN for the caller.
pub trait ClientRequestInterceptor: Send + Sync {
    /// Returns the name, which tells it from others of the ORB. Those without a name may be
    /// several.
    fn name(&self) -> &str {
        ""
    }

    /// Runs when the ORB has ended.
    fn destroy(&self) {}

    /// A request is to be sent: its service contexts may be changed.
    ///
    /// # Errors
    ///
    /// An exception ends the call before anything is sent; a forward sends it elsewhere.
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }

    /// The reply to an asynchronous call is asked for.
    ///
    /// # Errors
    ///
    /// The exception for who asks.
    fn send_poll(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// A reply with results has come.
    ///
    /// # Errors
    ///
    /// The exception that the caller gets in their place. Interceptors that come after this
    /// one have `receive_exception`.
    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// The call has ended with an exception, of the object or of this ORB.
    ///
    /// # Errors
    ///
    /// Another exception for the caller; or a forward, which sends the call elsewhere.
    fn receive_exception(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }

    /// The request has ended otherwise: it is forwarded, or sent again, or it was sent and
    /// nothing comes back; or its caller has dropped the future of the call, of which the
    /// status is [`Unknown`](super::ReplyStatus::Unknown), and nothing that is raised here
    /// reaches anybody.
    ///
    /// # Errors
    ///
    /// As at [`receive_exception`](Self::receive_exception).
    fn receive_other(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let _ = info;
        Ok(())
    }
}

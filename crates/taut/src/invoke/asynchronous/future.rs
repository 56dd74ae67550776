//! Futures of calls.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use taut_giop::SystemException;

use super::OwnedReply;
use super::pursuit::Pursuit;

/// The future of a call: what generated methods `…_async` return.
///
/// The arguments have been encoded when the method was called, so that the future borrows
/// nothing; it is `Send`, `'static` and `Unpin`, and any executor may poll it. The time of
/// the call, its service contexts and what else was in force for the calling thread
/// ([`CallContext::within`](crate::CallContext::within),
/// [`deadline::within`](crate::deadline::within)) were taken down at that point, too.
///
/// The call begins when the future is first polled: one that never is sends nothing, not
/// even a oneway. No poll blocks, whatever the call waits for: names, connections, a turn
/// among the calls in flight (`client.max_requests_in_flight`), or the reply.
///
/// A future that is dropped before it is ready gives the call up. If its request has been
/// written, a CancelRequest follows it (CORBA 3.3 part 2, 9.4.4); the server may carry the
/// request out nevertheless, and its reply is passed over.
///
/// A oneway's future is ready when that has come about for which the reference's
/// [`SyncScope`](crate::SyncScope) says that it waits: with `None` as soon as the request is
/// written, with `WithTransport` when the transport has taken it.
#[must_use = "the call begins when the future is polled"]
pub struct ReplyFuture<T, E = SystemException> {
    pursuit: Pursuit,
    read: fn(OwnedReply) -> Result<T, E>,
}

impl<T, E> ReplyFuture<T, E> {
    pub(super) fn new(pursuit: Pursuit, read: fn(OwnedReply) -> Result<T, E>) -> Self {
        Self { pursuit, read }
    }
}

impl<T, E: From<SystemException>> Future for ReplyFuture<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = self.pursuit.poll(cx.waker());
        ended.map(|ended| (self.read)(ended?))
    }
}

impl<T, E> fmt::Debug for ReplyFuture<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReplyFuture").field(&self.pursuit).finish()
    }
}

/// The future of a call by name ([`ObjectRef::invoke_async`](crate::ObjectRef::invoke_async)),
/// with the properties of a [`ReplyFuture`].
#[must_use = "the call begins when the future is polled"]
pub struct InvokeFuture {
    pursuit: Pursuit,
}

impl InvokeFuture {
    pub(super) fn new(pursuit: Pursuit) -> Self {
        Self { pursuit }
    }
}

impl Future for InvokeFuture {
    type Output = Result<OwnedReply, SystemException>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.pursuit.poll(cx.waker())
    }
}

impl fmt::Debug for InvokeFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InvokeFuture").field(&self.pursuit).finish()
    }
}

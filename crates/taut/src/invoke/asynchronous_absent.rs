//! Futures of calls in the shape `minimal`: each is ready at once, with NO_IMPLEMENT.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::arguments::Written;
use super::reply::{OperationError, RaisedException};
use crate::object::{CalledOperation, ObjectRef, Reference};

/// The facts about an operation that would be called asynchronously.
#[doc(hidden)]
#[derive(Debug)]
pub struct AmiOperation {
    pub called: &'static CalledOperation<'static>,
    pub rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
    pub reply: &'static str,
    pub exception: &'static str,
    pub results: fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>,
    pub raised: fn(&RaisedException<'_>, &mut Encoder) -> Result<bool, SystemException>,
}

/// The poller of a call, which the shape `minimal` does not make.
#[derive(Debug, Clone)]
pub enum Poller {}

impl Poller {
    #[doc(hidden)]
    pub fn take(&self, _: &str, _: Option<Duration>) -> Result<OwnedReply, SystemException> {
        match *self {}
    }
}

/// Something that would be waited for.
pub trait Pollable {
    /// The poller in it.
    fn poller(&self) -> &Poller;
}

/// The reply that never comes.
#[derive(Debug)]
pub enum OwnedReply {}

/// The future of a call, which the shape `minimal` does not make.
#[derive(Debug)]
#[must_use = "the call begins when the future is polled"]
pub struct ReplyFuture<T, E = SystemException>(PhantomData<fn() -> (T, E)>);

impl OwnedReply {
    /// See the shape `full`.
    ///
    /// # Errors
    ///
    /// There is no such reply.
    pub fn results<'m, T>(
        &'m self,
        _: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        match *self {}
    }

    #[doc(hidden)]
    pub fn outcome<'m, T, E: OperationError>(
        &'m self,
        _: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, E> {
        match *self {}
    }

    /// See the shape `full`.
    ///
    /// # Errors
    ///
    /// There is no such reply.
    pub fn no_results(&self) -> Result<(), SystemException> {
        match *self {}
    }

    /// See the shape `full`.
    ///
    /// # Errors
    ///
    /// There is no such reply.
    pub fn user_exception(&self) -> Result<Option<RaisedException<'_>>, SystemException> {
        match *self {}
    }
}

impl<T, E: From<SystemException>> Future for ReplyFuture<T, E> {
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Err(absent().into()))
    }
}

#[cold]
fn absent() -> SystemException {
    let (kind, completed) = (SystemExceptionKind::NoImplement, CompletionStatus::No);
    let exception = SystemException::new(kind, 0, completed);
    let cause = "the shape `minimal` has no calls that are awaited: use the feature `full`";
    exception.because(cause.to_owned())
}

impl ObjectRef {
    #[doc(hidden)]
    pub fn call_async<T, E, A: Written>(
        &self,
        _: &'static CalledOperation<'static>,
        _: impl Fn(&mut Encoder) -> CdrResult<A>,
        _: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
        _: fn(OwnedReply) -> Result<T, E>,
    ) -> ReplyFuture<T, E> {
        ReplyFuture(PhantomData)
    }

    #[doc(hidden)]
    pub fn send_async<A: Written>(
        &self,
        _: &'static CalledOperation<'static>,
        _: impl Fn(&mut Encoder) -> CdrResult<A>,
        _: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
    ) -> ReplyFuture<(), SystemException> {
        ReplyFuture(PhantomData)
    }

    #[doc(hidden)]
    pub fn call_with_handler<A: Written, H: Reference>(
        &self,
        _: &'static AmiOperation,
        _: Option<&H>,
        _: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<(), SystemException> {
        Err(absent())
    }

    #[doc(hidden)]
    pub fn call_with_poller<A: Written>(
        &self,
        _: &'static AmiOperation,
        _: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<Poller, SystemException> {
        Err(absent())
    }
}

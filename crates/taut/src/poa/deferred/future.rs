//! Requests that are answered by futures.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::{DeferredRequest, Write};
use crate::server::ServerRequest;
use crate::upcall;

/// Answers a request with what a future ends with, which `write` writes.
///
/// The future is polled at once. Only if it is not ready is the request deferred; a thread of
/// the ORB goes on when the future is woken. With an executor of the application, that does all
/// of it.
///
/// # Errors
///
/// Those of [`ServerRequest::defer`], and of `write`.
pub fn answer_with_future<F, T, E>(
    request: &mut ServerRequest<'_>,
    future: F,
    write: fn(&mut ServerRequest<'_>, Result<T, E>) -> Result<(), SystemException>,
) -> Result<(), SystemException>
where
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: 'static,
    E: 'static,
{
    let core = Arc::clone(request.core().ok_or_else(no_orb)?);
    let mut future = Box::pin(future);
    if let Some(executor) = core.executor.given() {
        executor.spawn(Box::pin(Answer {
            request: Some(request.defer()?),
            future: Some(future),
            write,
        }));
        return Ok(());
    }
    let task = core.executor.task();
    let waker = Waker::from(Arc::clone(&task));
    let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
    if let Poll::Ready(outcome) = polled {
        return write(request, outcome);
    }
    let request = request.defer()?;
    task.go_on(Box::pin(Answer {
        request: Some(request),
        future: Some(future),
        write,
    }));
    Ok(())
}

/// A future of a servant together with the request that it answers.
struct Answer<F, T, E> {
    /// There until it has been answered.
    request: Option<DeferredRequest>,
    /// There until it has ended.
    future: Option<Pin<Box<F>>>,
    write: Write<T, E>,
}

/// The future of the servant is pinned by its own box.
impl<F, T, E> Unpin for Answer<F, T, E> {}

impl<F, T, E> Future for Answer<F, T, E>
where
    F: Future<Output = Result<T, E>>,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let (Some(future), Some(request)) = (&mut this.future, &mut this.request) else {
            return Poll::Ready(());
        };
        let polled = request.go_on(|| future.as_mut().poll(context));
        if matches!(polled, Ok(Poll::Pending)) {
            return Poll::Pending;
        }
        let request = this.request.take();
        this.end();
        match (polled, request) {
            (Ok(Poll::Ready(outcome)), Some(request)) => {
                request.answer(|request| (this.write)(request, outcome));
            }
            (Err(panic), Some(request)) => request.panicked(panic),
            _ => {}
        }
        Poll::Ready(())
    }
}

impl<F, T, E> Answer<F, T, E> {
    /// Drops the servant's future, which may run its code.
    fn end(&mut self) {
        if let Some(future) = self.future.take() {
            upcall::let_go("Drop of a servant's future", &"a request", future);
        }
    }
}

impl<F, T, E> Drop for Answer<F, T, E> {
    fn drop(&mut self) {
        self.end();
    }
}

#[cold]
fn no_orb() -> SystemException {
    SystemException::new(SystemExceptionKind::BadInvOrder, 0, CompletionStatus::No)
}

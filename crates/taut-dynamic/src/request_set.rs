//! Many requests at once.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::{Request, RequestError};

/// Requests that were sent together and end in any order (the standard's
/// `send_multiple_requests_deferred`, `poll_next_response` and `get_next_response`).
#[derive(Debug, Default)]
pub struct RequestSet {
    pending: VecDeque<Request>,
}

impl RequestSet {
    /// Sends all requests. None is sent if one has a fault that shows before; those that follow
    /// one that cannot be sent are not sent.
    ///
    /// # Errors
    ///
    /// That of the request, with its index. The requests are dropped, and the calls of those
    /// that were sent given up.
    pub fn send_deferred(
        requests: impl IntoIterator<Item = Request>,
    ) -> Result<Self, (usize, RequestError)> {
        let mut pending: VecDeque<Request> = requests.into_iter().collect();
        for (index, request) in pending.iter_mut().enumerate() {
            request.send_deferred().map_err(|error| (index, error))?;
        }
        Ok(Self { pending })
    }

    /// Sends requests to which nothing comes back (the standard's
    /// `send_multiple_requests_oneway`).
    ///
    /// # Errors
    ///
    /// That of the first request that cannot be sent, with its index. Those before it were sent.
    pub fn send_oneway(requests: &mut [Request]) -> Result<(), (usize, RequestError)> {
        for (index, request) in requests.iter_mut().enumerate() {
            request.send_oneway().map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// Returns how many responses have not been fetched.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether all responses have been fetched.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a response is there.
    pub fn poll_next_response(&self) -> bool {
        self.position(Waker::noop()).is_some()
    }

    /// Waits for a response, and returns its request with the outcome. None: all have been
    /// fetched.
    pub fn get_next_response(&mut self) -> Option<(Request, Result<(), RequestError>)> {
        if self.pending.is_empty() {
            return None;
        }
        let index = wait(poll_fn(|context| match self.position(context.waker()) {
            Some(index) => Poll::Ready(index),
            None => Poll::Pending,
        }));
        let mut request = self.pending.remove(index)?;
        let outcome = request.get_response();
        Some((request, outcome))
    }

    /// Returns the place of a request whose response is there.
    fn position(&self, waker: &Waker) -> Option<usize> {
        let mut pending = self.pending.iter();
        pending.position(|request| request.poll_with(waker).unwrap_or(true))
    }
}

/// The thread that waits for a call.
struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits in the calling thread until a future is ready.
fn wait<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Waiting(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(ended) => return ended,
            Poll::Pending => thread::park(),
        }
    }
}

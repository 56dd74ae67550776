//! What connections have in common, whatever they run over.

use std::os::fd::{AsFd, BorrowedFd};

/// A connected socket, and what people call its other end.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(super) socket: S,
    pub(super) peer: String,
}

impl<S: AsFd> AsFd for Connection<S> {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

//! Connections over stream sockets.

use std::os::fd::{AsFd, BorrowedFd};

/// A connected socket, and what people call its other end.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(crate) socket: S,
    pub(crate) peer: String,
}

impl<S: AsFd> AsFd for Connection<S> {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

//! Options of connections in programs that have those alone of which there are settings.

use std::io::{self, IoSlice};

use taut_sys::tcp::TcpStream;
use taut_sys::unix::UnixStream;

use super::Stream;
use crate::ChannelOption;

impl Stream {
    /// [`send_parts`](Self::send_parts): no connection here sends without a copy.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub fn send_parts_in_place(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_parts(parts)
    }
}

/// As the function of this name where connections have further options.
pub(super) fn set_of_tcp(_: &TcpStream, _: ChannelOption) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// As the function of this name where connections have further options.
pub(super) fn set_of_unix(_: &UnixStream, _: ChannelOption) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

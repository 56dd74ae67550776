//! The transport half of an inter-ORB protocol: how octets get from one ORB to
//! another. What they mean is the business of the messaging half.

mod address;
mod tcp;

use std::fmt;
use std::io;
use std::time::Duration;

pub use address::{Address, AddressError, DEFAULT_PORT};
pub(crate) use tcp::Tcp;

/// A way to carry octets, such as TCP.
pub(crate) trait Transport: Send + Sync {
    /// Connects to an address, in at most `timeout`.
    fn connect(&self, address: &Address, timeout: Duration) -> io::Result<Box<dyn Stream>>;

    /// Listens at an address; the port may be 0 for a free one.
    fn listen(&self, address: &Address) -> io::Result<Box<dyn Listener>>;
}

/// A connection: octets both ways, in order.
///
/// One thread sends and receives; any thread may shut it down.
pub(crate) trait Stream: Send + Sync + fmt::Debug {
    /// Sends all octets, in one system call where the system lets it.
    fn send(&self, octets: &[u8]) -> io::Result<()>;

    /// Waits for octets and appends them to the buffer's spare capacity, in one
    /// system call. 0 is the end of the stream.
    fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize>;

    /// Whether it is open and nothing has arrived; does not wait.
    fn is_quiet(&self) -> bool;

    /// Limits how long a receive waits from here on.
    fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Ends receiving: a thread that waits for octets gets the end of the stream.
    fn stop_receiving(&self);

    /// Ends sending: the peer gets the end of the stream.
    fn stop_sending(&self);

    /// Who is at the other end, for messages to people.
    fn peer(&self) -> &str;
}

/// A place where connections come in.
pub(crate) trait Listener: Send + Sync + fmt::Debug {
    /// Waits for a connection.
    fn accept(&self) -> io::Result<Box<dyn Stream>>;

    /// Where it listens, with the port that it was given.
    fn address(&self) -> &Address;

    /// Whether it listens on every interface rather than at one address.
    fn is_wildcard(&self) -> bool;

    /// Stops listening; a thread that waits in [`accept`](Self::accept) returns.
    fn close(&self);
}

//! Notices for the service manager (`sd_notify(3)`): a datagram to the socket that it names.

use std::env;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The environment variable with the socket: a path, or `@` and an abstract name.
const VARIABLE: &str = "NOTIFY_SOCKET";

/// Tells the service manager, if there is one, that clients are served.
///
/// # Errors
///
/// When there is one that cannot be told.
pub(super) fn ready(status: &str) -> io::Result<()> {
    send(&format!("READY=1\nSTATUS={status}"))
}

/// Tells the service manager, if there is one, that the end has begun.
///
/// # Errors
///
/// When there is one that cannot be told.
pub(super) fn stopping() -> io::Result<()> {
    send("STOPPING=1")
}

fn send(notice: &str) -> io::Result<()> {
    let Some(place) = env::var_os(VARIABLE).filter(|place| !place.is_empty()) else {
        return Ok(());
    };
    let address = match place.as_encoded_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(&place)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.send_to_addr(notice.as_bytes(), &address)?;
    Ok(())
}

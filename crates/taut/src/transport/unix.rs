//! Unix-domain sockets, the transport of TAO's UIOP: for clients on the server's own
//! machine.

use std::io;
use std::path::Path;
use std::time::Duration;

use taut_sys::entropy;
use taut_sys::unix::{Credentials, UnixListener, UnixStream};

use super::{Address, Source};

/// A connection over a Unix-domain socket.
pub(crate) type Connection = super::connection::Connection<UnixStream>;

/// A place where connections over a Unix-domain socket come in.
#[derive(Debug)]
pub(crate) struct Acceptor {
    listener: UnixListener,
    address: Address,
}

/// Connects to the socket at a path; waits at most `timeout` while too many others
/// wait there.
pub(super) fn connect(path: &str, timeout: Duration) -> io::Result<Connection> {
    let socket = UnixStream::connect(Path::new(path), Some(timeout))?;
    let peer = Address::unix(path).to_string();
    Ok(Connection { socket, peer })
}

/// Listens at a path, or at a new one in the system's directory for temporary files.
/// References carry it from the root on, for clients have other directories.
pub(super) fn listen(path: Option<&str>, mode: u32, backlog: u32) -> io::Result<Acceptor> {
    let path = match path {
        Some(path) => std::path::absolute(path)?,
        None => {
            let unique = u64::from_ne_bytes(entropy::random()?);
            let name = format!("taut-{}-{unique:016x}", std::process::id());
            std::env::temp_dir().join(name)
        }
    };
    let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8");
    let address = Address::unix(path.to_str().ok_or_else(not_text)?);
    Ok(Acceptor {
        listener: UnixListener::bind(&path, mode, backlog)?,
        address,
    })
}

impl Connection {
    pub(super) fn source(&self) -> Option<Source> {
        let credentials = self.socket.peer_credentials().ok()?;
        Some(Source::User(credentials.user))
    }
}

impl Acceptor {
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let socket = self.listener.accept()?;
        let peer = match socket.peer_credentials() {
            Ok(Credentials { process: 0, user }) => format!("a process of user {user}"),
            Ok(Credentials { process, user }) => format!("process {process} of user {user}"),
            Err(_) => "a process".to_owned(),
        };
        Ok(Connection { socket, peer })
    }

    pub(super) fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.listener.wait_for_client(timeout)
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn close(&self) {
        if let Err(error) = self.listener.close() {
            tracing::debug!(address = %self.address, %error, "the socket was not removed");
        }
    }
}

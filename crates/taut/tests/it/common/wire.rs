//! Connections of which a test writes every octet, over the transport that the test is
//! about.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use taut::{Address, Orb};

use super::mode::Mode;

/// Either end of a connection.
pub enum Wire {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Wire {
    /// Connects to where an ORB listens first, at the loopback address.
    pub fn to(orb: &Orb) -> Self {
        Self::try_to(&orb.published_addresses()[0]).unwrap()
    }

    /// Connects, if somebody listens.
    pub fn try_to(address: &Address) -> io::Result<Self> {
        if let Some(path) = address.path() {
            return UnixStream::connect(path).map(Self::Unix);
        }
        let stream = TcpStream::connect(("127.0.0.1", address.port().unwrap()))?;
        stream.set_nodelay(true)?;
        Ok(Self::Tcp(stream))
    }

    /// Another handle to the same connection.
    pub fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    /// How long a read waits from here on.
    pub fn set_read_timeout(&self, timeout: Option<Duration>) {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
            Self::Unix(stream) => stream.set_read_timeout(timeout),
        }
        .unwrap();
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(octets),
            Self::Unix(stream) => stream.write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A place where a test answers itself.
pub enum Listening {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Listening {
    pub fn new(mode: Mode) -> Self {
        if !mode.is_unix() {
            return Self::Tcp(TcpListener::bind("127.0.0.1:0").unwrap());
        }
        let path = unique_path();
        Self::Unix(UnixListener::bind(&path).unwrap(), path)
    }

    pub fn accept(&self) -> Wire {
        match self {
            Self::Tcp(listener) => Wire::Tcp(listener.accept().unwrap().0),
            Self::Unix(listener, _) => Wire::Unix(listener.accept().unwrap().0),
        }
    }

    /// Whether nobody waits to be accepted. To be asked last.
    pub fn is_deserted(&self) -> bool {
        let outcome = match self {
            Self::Tcp(listener) => {
                listener.set_nonblocking(true).unwrap();
                listener.accept().map(drop)
            }
            Self::Unix(listener, _) => {
                listener.set_nonblocking(true).unwrap();
                listener.accept().map(drop)
            }
        };
        outcome.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    pub fn address(&self) -> Address {
        match self {
            Self::Tcp(listener) => Address::new("127.0.0.1", listener.local_addr().unwrap().port()),
            Self::Unix(_, path) => Address::unix(path.to_str().unwrap()),
        }
    }

    /// An object here.
    pub fn url(&self) -> String {
        url(&self.address(), "1.2@", "key")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Removes the sockets of a server that a test leaves running.
pub struct SocketFiles(Vec<String>);

impl SocketFiles {
    pub fn of(orb: &Orb) -> Self {
        let paths = orb.published_addresses().iter().filter_map(Address::path);
        Self(paths.map(str::to_owned).collect())
    }
}

impl Drop for SocketFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A path for a socket that no other test has.
pub fn unique_path() -> PathBuf {
    let unique = u64::from_ne_bytes(taut_sys::entropy::random().unwrap());
    std::env::temp_dir().join(format!("taut-test-{unique:016x}"))
}

/// The object with this key at an address; `version` is empty, or ends with `@`.
pub fn url(address: &Address, version: &str, key: &str) -> String {
    match address.path() {
        Some(path) => format!("corbaloc:uiop:{version}{path}|/{key}"),
        None => {
            let port = address.port().unwrap();
            format!("corbaloc:iiop:{version}127.0.0.1:{port}/{key}")
        }
    }
}

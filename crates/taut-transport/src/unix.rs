//! Unix-domain sockets, the transport of TAO's UIOP: for clients on the server's own
//! machine.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder, ErrorKind};
use taut_sys::entropy;
use taut_sys::unix::{self, Credentials, UnixListener, UnixStream};

use crate::address::UIOP;
use crate::{
    Acceptor, Address, AddressError, ConnectError, ConnectOptions, ListenOptions, Protocol, Reach,
    Source, Stream,
};

/// Unix-domain sockets: TAO's UIOP.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unix;

/// A connection over a Unix-domain socket.
type Connection = crate::socket::Connection<UnixStream>;

/// A place where connections over a Unix-domain socket come in.
#[derive(Debug)]
struct UnixAcceptor {
    listener: UnixListener,
    address: Address,
}

impl Protocol for Unix {
    fn scheme(&self) -> &str {
        UIOP
    }

    fn profile_tag(&self) -> u32 {
        0x5441_4f00
    }

    fn reach(&self) -> Reach {
        Reach::Machine
    }

    /// Any path will do, and none asks for a new one.
    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        Ok(place.to_owned())
    }

    fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        match place {
            "" => Err(AddressError::NoPath),
            path => Ok(Address::unix(path)),
        }
    }

    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        profile.read_plain_text().map(Address::unix)
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        let Address::Unix { path } = address else {
            let kind = ErrorKind::Invalid("the address is no path of a socket");
            return Err(taut_cdr::Error::new(kind, profile.position()));
        };
        profile.write_string_octets(path.as_bytes())
    }

    fn is_here(&self, address: &Address) -> bool {
        let is_socket = |path| unix::is_socket(Path::new(path));
        address.path().is_some_and(is_socket)
    }

    /// Connects to the socket at a path; waits while too many others wait there.
    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let path = Path::new(address.path().unwrap_or_default());
        let mut left = options.time_left();
        let until = Instant::now().checked_add(left);
        loop {
            match UnixStream::connect(path, Some(left)) {
                Ok(socket) => {
                    let peer = address.to_string();
                    return Ok(Connection { socket, peer }.into());
                }
                // The system counts time in ticks, and may be early by one.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let Some(until) = until else { continue };
                    left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(ConnectError::new(address, error));
                    }
                }
                Err(error) => return Err(ConnectError::new(address, error)),
            }
        }
    }

    /// Listens at a path, or without one at a new one in the system's directory for
    /// temporary files. References carry it from the root on, for clients have other
    /// directories.
    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        if options.descriptor.is_some() {
            let text = "only a TCP socket can be taken over from the process that has opened it";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let path = match place {
            "" => {
                let unique = u64::from_ne_bytes(entropy::random()?);
                let name = format!("taut-{}-{unique:016x}", std::process::id());
                std::env::temp_dir().join(name)
            }
            path => std::path::absolute(path)?,
        };
        let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8");
        let address = Address::unix(path.to_str().ok_or_else(not_text)?);
        let listener = UnixListener::bind(&path, options.file_mode, options.backlog)?;
        Ok(Box::new(UnixAcceptor { listener, address }))
    }
}

pub(crate) fn source(connection: &Connection) -> Option<Source> {
    let credentials = connection.socket.peer_credentials().ok()?;
    Some(Source::User(credentials.user))
}

impl Acceptor for UnixAcceptor {
    fn accept(&self) -> io::Result<Stream> {
        let socket = self.listener.accept()?;
        let peer = match socket.peer_credentials() {
            Ok(Credentials { process: 0, user }) => format!("a process of user {user}"),
            Ok(Credentials { process, user }) => format!("process {process} of user {user}"),
            Err(_) => "a process".to_owned(),
        };
        Ok(Connection { socket, peer }.into())
    }

    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.listener.wait_for_client(timeout)
    }

    fn address(&self) -> &Address {
        &self.address
    }

    /// Addresses of hosts and ports do not concern a path.
    fn published(&self, _: &[Address]) -> Vec<Address> {
        vec![self.address.clone()]
    }

    fn close(&self) -> io::Result<()> {
        self.listener.close()
    }
}

//! Stream sockets within one machine (`AF_UNIX`): each listener has a path in the
//! file system.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::credentials;
use crate::stream::{self, StreamSocket};

pub use crate::credentials::Credentials;

/// The most octets of a socket's path: those of the system's `sun_path`, 108, but for
/// the NUL at its end.
pub const PATH_OCTETS_MAX: usize = 107;

/// How long to wait for another process that replaces sockets in the same directory.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// A connected Unix-domain socket.
#[derive(Debug)]
pub struct UnixStream {
    socket: net::UnixStream,
}

impl UnixStream {
    /// Connects to the listener at a path. `timeout` is how long to wait while as many
    /// connections wait there as may.
    ///
    /// # Errors
    ///
    /// An error of the operating system: [`io::ErrorKind::NotFound`] when there is no such
    /// file, [`io::ErrorKind::ConnectionRefused`] when nobody listens;
    /// [`io::ErrorKind::TimedOut`]; [`io::ErrorKind::InvalidInput`] when the path is too
    /// long.
    pub fn connect(path: &Path, timeout: Option<Duration>) -> io::Result<Self> {
        let address = address(path)?;
        let socket = socket()?;
        let set_timeout = |timeout| sockopt::set_socket_timeout(&socket, Timeout::Send, timeout);
        if timeout.is_some() {
            set_timeout(timeout.map(|timeout| timeout.max(Duration::from_micros(1))))?;
        }
        let connected = loop {
            match rustix::net::connect(&socket, &address) {
                Err(Errno::INTR) => {}
                outcome => break outcome,
            }
        };
        connected.map_err(|error| match error {
            Errno::AGAIN => io::ErrorKind::TimedOut.into(),
            error => io::Error::from(error),
        })?;
        if timeout.is_some() {
            set_timeout(None)?;
        }
        Ok(Self {
            socket: socket.into(),
        })
    }

    /// Returns the identity of the process at the other end: who connected, or who
    /// listened.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn peer_credentials(&self) -> io::Result<Credentials> {
        credentials::of_peer(self.socket.as_fd())
    }
}

impl StreamSocket for UnixStream {}

impl AsFd for UnixStream {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A listening Unix-domain socket. Its file goes when it is closed or dropped.
#[derive(Debug)]
pub struct UnixListener {
    socket: net::UnixListener,
    path: PathBuf,
    /// Device and inode of the file, as long as it is there: another may have taken its
    /// place.
    file: Mutex<Option<(u64, u64)>>,
}

impl UnixListener {
    /// Listens at a path. The file gets the permissions `mode`; who may write to it may
    /// connect. The socket of a process that is gone is replaced: one to which nobody
    /// can connect.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AddrInUse`] when somebody listens there, or there is a file of
    /// another kind; [`io::ErrorKind::InvalidInput`] when the path is too long; what
    /// else the operating system answers.
    pub fn bind(path: &Path, mode: u32, backlog: u32) -> io::Result<Self> {
        let address = address(path)?;
        let socket = socket()?;
        // From here on until it listens: a socket at which nobody listens yet looks
        // like one of a dead process.
        let _lock = lock_directory(path);
        match rustix::net::bind(&socket, &address) {
            Err(Errno::ADDRINUSE) => {
                remove_stale(path)?;
                rustix::net::bind(&socket, &address)?;
            }
            outcome => outcome?,
        }
        let file = fs::symlink_metadata(path)?;
        let listener = Self {
            socket: socket.into(),
            path: path.to_owned(),
            file: Mutex::new(Some((file.dev(), file.ino()))),
        };
        // Before anybody can connect.
        fs::set_permissions(path, Permissions::from_mode(mode))?;
        stream::set_backlog(&listener.socket, backlog)?;
        Ok(listener)
    }

    /// Waits until [`accept`](Self::accept) would not have to wait; at most for so long.
    /// True when it would not. Unlike it, this needs no file descriptor.
    ///
    /// # Errors
    ///
    /// The operating system's error.
    pub fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        stream::wait_for_client(&self.socket, None, timeout)
    }

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// An error of the operating system; `EINVAL` after [`close`](Self::close).
    pub fn accept(&self) -> io::Result<UnixStream> {
        let (socket, _) = self.socket.accept()?;
        Ok(UnixStream { socket })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stops listening and removes the file; a waiting [`accept`](Self::accept) fails.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub fn close(&self) -> io::Result<()> {
        self.remove_file()?;
        stream::end_listening(&self.socket)
    }

    /// Removes the file, if it is still this listener's, once.
    fn remove_file(&self) -> io::Result<()> {
        // Nothing can panic while the lock is held.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(own) = file.take() else {
            return Ok(());
        };
        // As long as this one listens, nobody replaces it.
        match fs::symlink_metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == own => fs::remove_file(&self.path),
            _ => Ok(()),
        }
    }
}

impl Drop for UnixListener {
    fn drop(&mut self) {
        // A file that cannot be removed is replaced by the next who listens there.
        let _ = self.remove_file();
    }
}

/// Whether there is a socket at a path.
pub fn is_socket(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.file_type().is_socket())
}

fn socket() -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

fn address(path: &Path) -> io::Result<SocketAddrUnix> {
    let octets = path.as_os_str().len();
    let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidInput, problem);
    match octets {
        0 => Err(invalid("the path of the socket is empty".to_owned())),
        1..=PATH_OCTETS_MAX => Ok(SocketAddrUnix::new(path)?),
        _ => Err(invalid(format!(
            "the path of the socket has {octets} octets, of which the system takes \
             {PATH_OCTETS_MAX}: choose a shorter one"
        ))),
    }
}

/// Removes the socket of a process that is gone.
fn remove_stale(path: &Path) -> io::Result<()> {
    let in_use = |problem: &str| {
        let problem = format!("{}: {problem}", path.display());
        io::Error::new(io::ErrorKind::AddrInUse, problem)
    };
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        return Err(in_use("there is a file that is no socket"));
    }
    match UnixStream::connect(path, Some(Duration::from_millis(1))) {
        Ok(_) => Err(in_use("another process listens there")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(in_use(&format!(
            "there is a socket that may be another process's: {error}"
        ))),
    }
}

/// Keeps others who do this from replacing sockets in the same directory, as long as
/// it is held. It guards against a race of servers that start at the same
/// moment; where it cannot be had, one goes without.
fn lock_directory(path: &Path) -> Option<File> {
    let directory = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return None,
    };
    let file = File::open(directory).ok()?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(fs::TryLockError::WouldBlock) if begin.elapsed() < LOCK_PATIENCE => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(_) => return None,
        }
    }
}

/// Both ends of a connection: the client's, and the server's.
#[cfg(test)]
pub(crate) fn pair() -> (UnixStream, UnixStream) {
    let (client, server) = net::UnixStream::pair().unwrap();
    (UnixStream { socket: client }, UnixStream { socket: server })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path for one test, free again when it ends.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let name = format!("taut-sys-{}-{name}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn listen(&self) -> io::Result<UnixListener> {
            UnixListener::bind(&self.0, 0o600, 8)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn both_ends_know_each_other() {
        let place = Place::new("known");
        let listener = place.listen().unwrap();
        let client = UnixStream::connect(&place.0, Some(Duration::from_secs(5))).unwrap();
        let server = listener.accept().unwrap();
        for end in [&client, &server] {
            let Credentials { process, user } = end.peer_credentials().unwrap();
            assert_eq!(process, std::process::id());
            assert_eq!(user, fs::metadata(&place.0).unwrap().uid());
        }
        client.send(b"hello").unwrap();
        let mut buffer = Vec::with_capacity(8);
        assert_eq!(server.receive(&mut buffer).unwrap(), 5);
    }

    #[test]
    fn the_file_has_its_mode_and_goes_with_the_listener() {
        for mode in [0o600, 0o666] {
            let place = Place::new(&format!("mode-{mode:o}"));
            let listener = UnixListener::bind(&place.0, mode, 8).unwrap();
            assert!(is_socket(&place.0));
            let permissions = fs::metadata(&place.0).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, mode);
            match mode {
                0o600 => listener.close().unwrap(),
                _ => drop(listener),
            }
            assert!(!place.0.exists());
        }
    }

    #[test]
    fn a_socket_of_a_dead_process_is_replaced_and_a_live_one_is_not() {
        let place = Place::new("stale");
        // std leaves the file behind, as a process does that is killed.
        drop(net::UnixListener::bind(&place.0).unwrap());
        assert!(is_socket(&place.0));
        let listener = place.listen().unwrap();
        let refused = place.listen().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AddrInUse);
        let message = format!("{}: another process listens there", place.0.display());
        assert_eq!(refused.to_string(), message);
        // The look of the second was a connection too.
        listener.accept().unwrap();
        UnixStream::connect(&place.0, None).unwrap();
        listener.accept().unwrap();
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let place = Place::new("file");
        fs::write(&place.0, "precious").unwrap();
        let refused = place.listen().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AddrInUse);
        assert!(refused.to_string().ends_with("a file that is no socket"));
        assert_eq!(fs::read_to_string(&place.0).unwrap(), "precious");
    }

    #[test]
    fn a_file_that_another_has_put_there_is_not_removed() {
        let place = Place::new("other");
        let listener = place.listen().unwrap();
        fs::remove_file(&place.0).unwrap();
        let other = place.listen().unwrap();
        drop(listener);
        assert!(is_socket(&place.0));
        drop(other);
        assert!(!place.0.exists());
    }

    #[test]
    fn of_many_that_listen_at_once_at_a_stale_socket_one_succeeds() {
        for _ in 0..20 {
            let place = Place::new("many");
            drop(net::UnixListener::bind(&place.0).unwrap());
            let outcomes: Vec<_> = thread::scope(|scope| {
                let all: Vec<_> = (0..4).map(|_| scope.spawn(|| place.listen())).collect();
                all.into_iter().map(|one| one.join().unwrap()).collect()
            });
            let listening = outcomes.iter().filter(|outcome| outcome.is_ok());
            assert_eq!(listening.count(), 1, "{outcomes:?}");
            UnixStream::connect(&place.0, None).unwrap();
        }
    }

    #[test]
    fn a_path_may_be_too_long_and_says_so() {
        let path = PathBuf::from(format!("/tmp/{}", "x".repeat(PATH_OCTETS_MAX - 4)));
        for refused in [
            UnixListener::bind(&path, 0o600, 8).unwrap_err(),
            UnixStream::connect(&path, None).unwrap_err(),
        ] {
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
            assert_eq!(
                refused.to_string(),
                "the path of the socket has 108 octets, of which the system takes 107: choose a \
                 shorter one"
            );
        }
        // A path of the greatest length that the system takes is accepted.
        let longest = Path::new("/tmp").join("x".repeat(PATH_OCTETS_MAX - 5));
        drop(UnixListener::bind(&longest, 0o600, 8).unwrap());
    }

    #[test]
    fn who_waits_to_be_accepted_waits_no_longer_than_told() {
        let place = Place::new("backlog");
        let _listener = UnixListener::bind(&place.0, 0o600, 0).unwrap();
        let timeout = Some(Duration::from_millis(20));
        let connect = || UnixStream::connect(&place.0, timeout);
        let _waiting = connect().unwrap();
        let late = connect().unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn closing_a_listener_ends_its_accept() {
        let place = Place::new("closing");
        let listener = place.listen().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| listener.accept());
            thread::sleep(Duration::from_millis(50));
            listener.close().unwrap();
            assert!(waiting.join().unwrap().is_err());
        });
        let refused = UnixStream::connect(&place.0, None).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotFound);
    }
}

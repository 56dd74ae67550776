//! Connections that could not be opened.

use std::fmt;
use std::io;
use std::time::Duration;

use taut_giop::{ConnectAttempt, ConnectFailure};
use taut_sys::descriptors;
use taut_transport::{Address, ConnectStage};

/// The error of an address that gave no connection: every numeric address that its host
/// stands for, with the reason.
#[derive(Debug, Clone)]
pub(crate) struct ConnectError {
    /// At least one. The numeric addresses of one host are told apart only if their
    /// reasons differ.
    pub(crate) attempts: Vec<ConnectAttempt>,
}

impl ConnectError {
    /// The error of a transport, which waited so long for each address.
    #[cold]
    pub(crate) fn of(error: taut_transport::ConnectError, timeout: Duration) -> Self {
        let attempt = |attempt: taut_transport::ConnectAttempt| ConnectAttempt {
            address: attempt.address.into(),
            failure: match attempt.stage {
                ConnectStage::Resolving => unresolved(&attempt.error),
                ConnectStage::Connecting => reason(&attempt.error, timeout),
            },
        };
        Self {
            attempts: error.attempts.into_iter().map(attempt).collect(),
        }
    }

    /// The error of one address, of which the system says `error`.
    #[cold]
    pub(crate) fn from_io(address: &Address, error: io::Error, timeout: Duration) -> Self {
        Self::of(taut_transport::ConnectError::new(address, error), timeout)
    }

    /// Whether the process has no file descriptor left.
    pub(crate) fn lacks_descriptors(&self) -> bool {
        let lacks = |attempt: &ConnectAttempt| attempt.failure == ConnectFailure::NoDescriptors;
        self.attempts.iter().any(lacks)
    }
}

/// The attempts with commas between them.
impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, attempt) in self.attempts.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{attempt}")?;
        }
        Ok(())
    }
}

/// The reason of a failed connection, by what the operating system says of it.
#[cold]
fn reason(error: &io::Error, timeout: Duration) -> ConnectFailure {
    if descriptors::is_exhausted(error) {
        return ConnectFailure::NoDescriptors;
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ConnectFailure::Refused,
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown => ConnectFailure::Unreachable,
        // The system's own patience ends with a number, ours without.
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock if error.raw_os_error().is_none() => {
            ConnectFailure::TimedOut(timeout)
        }
        // Of the system alone: a transport that a program has added may mean anything by it.
        io::ErrorKind::NotFound if error.raw_os_error().is_some() => ConnectFailure::NoSocketFile,
        io::ErrorKind::PermissionDenied => ConnectFailure::Forbidden,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => ConnectFailure::Reset,
        _ => ConnectFailure::Other(error.to_string().into()),
    }
}

/// The reason for which the name of a host could not be turned into an address.
#[cold]
fn unresolved(error: &io::Error) -> ConnectFailure {
    if descriptors::is_exhausted(error) {
        return ConnectFailure::NoDescriptors;
    }
    // A name without any address.
    if error.kind() == io::ErrorKind::NotFound {
        return ConnectFailure::UnknownHost;
    }
    let text = error.to_string();
    // The standard library has no kind for it; the rest is the system's `gai_strerror`.
    let detail = text.strip_prefix("failed to lookup address information: ");
    match detail {
        Some("Name or service not known" | "No address associated with hostname") => {
            ConnectFailure::UnknownHost
        }
        detail => ConnectFailure::Unresolved(detail.unwrap_or(&text).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(10_500);

    #[test]
    fn each_error_of_the_system_has_its_reason() {
        let os = io::Error::from_raw_os_error;
        for (error, text) in [
            (os(111), "refused"),
            (os(113), "unreachable"),
            (os(101), "unreachable"),
            (os(100), "unreachable"),
            (os(2), "no such socket file"),
            (os(13), "permission denied"),
            (os(1), "permission denied"),
            (os(24), "no file descriptor left, see `ulimit -n`"),
            (os(23), "no file descriptor left, see `ulimit -n`"),
            (os(104), "the peer closed the connection"),
            (os(110), "Connection timed out (os error 110)"),
            (io::ErrorKind::TimedOut.into(), "timed out after 10500 ms"),
        ] {
            assert_eq!(reason(&error, TIMEOUT).to_string(), text, "{error:?}");
        }
    }

    #[test]
    fn a_name_that_is_not_known_is_told_from_a_name_service_that_does_not_answer() {
        let lookup = |detail| {
            let text = format!("failed to lookup address information: {detail}");
            unresolved(&io::Error::other(text)).to_string()
        };
        assert_eq!(lookup("Name or service not known"), "no such host");
        assert_eq!(
            lookup("Temporary failure in name resolution"),
            "the host's name is not resolved (Temporary failure in name resolution)"
        );
        let exhausted = unresolved(&io::Error::from_raw_os_error(24));
        assert_eq!(exhausted, ConnectFailure::NoDescriptors);
    }
}

//! Connections that could not be opened.

use std::fmt;
use std::io;
use std::time::Duration;

use taut_giop::{ConnectAttempt, ConnectFailure};
use taut_sys::descriptors;

use super::Address;

/// The error of an address that gave no connection: every numeric address that its host
/// stands for, with the reason.
#[derive(Debug)]
pub(crate) struct ConnectError {
    /// At least one. The numeric addresses of one host are told apart only if their
    /// reasons differ.
    pub(crate) attempts: Vec<ConnectAttempt>,
}

impl ConnectError {
    /// The error of one address.
    #[cold]
    pub(crate) fn new(address: impl fmt::Display, failure: ConnectFailure) -> Self {
        let address = address.to_string().into();
        Self {
            attempts: vec![ConnectAttempt { address, failure }],
        }
    }

    /// The error of an address, of which the system says `error`.
    #[cold]
    pub(crate) fn from_io(address: &Address, error: &io::Error, timeout: Duration) -> Self {
        Self::new(address, reason(error, timeout))
    }

    /// Whether the process has no file descriptor left.
    pub(crate) fn lacks_descriptors(&self) -> bool {
        let lacks = |attempt: &ConnectAttempt| attempt.failure == ConnectFailure::NoDescriptors;
        self.attempts.iter().any(lacks)
    }

    /// The error of a host, of whose numeric addresses each has failed.
    #[cold]
    pub(super) fn of_host(
        address: &Address,
        failures: Vec<(std::net::SocketAddr, ConnectFailure)>,
    ) -> Self {
        let Some((_, first)) = failures.first() else {
            return Self::new(address, ConnectFailure::UnknownHost);
        };
        if failures.iter().all(|(_, failure)| failure == first) {
            return Self::new(address, first.clone());
        }
        let attempt = |(numeric, failure)| ConnectAttempt {
            address: format!("{address} ({numeric})").into(),
            failure,
        };
        Self {
            attempts: failures.into_iter().map(attempt).collect(),
        }
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
pub(super) fn reason(error: &io::Error, timeout: Duration) -> ConnectFailure {
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
        io::ErrorKind::NotFound => ConnectFailure::NoSocketFile,
        io::ErrorKind::PermissionDenied => ConnectFailure::Forbidden,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => ConnectFailure::Reset,
        _ => ConnectFailure::Other(error.to_string().into()),
    }
}

/// The reason for which the name of a host could not be turned into an address.
#[cold]
pub(super) fn unresolved(error: &io::Error) -> ConnectFailure {
    if descriptors::is_exhausted(error) {
        return ConnectFailure::NoDescriptors;
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

    #[test]
    fn the_addresses_of_a_host_are_told_apart_if_their_reasons_differ() {
        let host = Address::new("h", 7);
        let of = |reasons: &[(&str, ConnectFailure)]| {
            let failures = reasons.iter();
            let failures = failures.map(|(at, reason)| (at.parse().unwrap(), reason.clone()));
            ConnectError::of_host(&host, failures.collect()).to_string()
        };
        let refused = ConnectFailure::Refused;
        let (v4, v6) = ("127.0.0.1:7", "[::1]:7");
        assert_eq!(
            of(&[(v6, refused.clone()), (v4, refused.clone())]),
            "h:7: refused"
        );
        assert_eq!(
            of(&[(v6, ConnectFailure::Unreachable), (v4, refused)]),
            "h:7 ([::1]:7): unreachable, h:7 (127.0.0.1:7): refused"
        );
        assert_eq!(of(&[]), "h:7: no such host");
    }
}

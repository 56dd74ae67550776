//! Connecting, and connections that could not be opened.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::Resolver;

/// Properties of an attempt to connect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// How long the name service is waited for, and again each numeric address.
    pub timeout: Duration,
    /// When all of it is over, whatever is waited for then.
    pub deadline: Option<Instant>,
    /// The name service.
    pub resolver: Resolver,
    /// How many threads may wait for the name service at once.
    pub max_resolver_threads: usize,
}

impl ConnectOptions {
    /// An attempt that waits so long for each numeric address, and for the system's name
    /// service.
    pub fn within(timeout: Duration) -> Self {
        Self {
            timeout,
            deadline: None,
            resolver: Resolver::default(),
            max_resolver_threads: 16,
        }
    }

    /// Returns the time for the next step: what is left until the deadline, at most the
    /// time-out. Zero: all of it is over.
    pub fn time_left(&self) -> Duration {
        match self.deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                left.min(self.timeout)
            }
            None => self.timeout,
        }
    }

    /// Returns the addresses that a host stands for, each with the port. Protocols look
    /// names up by this, so that the deadline holds.
    ///
    /// # Errors
    ///
    /// The name service's; [`io::ErrorKind::TimedOut`] if it has not answered in time.
    pub fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let until = Instant::now().checked_add(self.time_left());
        self.resolver
            .resolve(host, port, until, self.max_resolver_threads)
    }
}

/// The error of an address that gave no connection.
#[derive(Debug)]
pub struct ConnectError {
    /// Each numeric address that the address stands for, with the reason; at least one.
    pub attempts: Vec<ConnectAttempt>,
}

/// An attempt that gave no connection.
#[derive(Debug)]
pub struct ConnectAttempt {
    /// The address as the reference gives it, with the numeric one behind it where the
    /// attempts differ.
    pub address: String,
    /// How far it came.
    pub stage: ConnectStage,
    /// The reason.
    pub error: io::Error,
}

/// How far an attempt to connect came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectStage {
    /// The name of the host was looked up.
    Resolving,
    /// An address was asked for a connection.
    Connecting,
}

impl ConnectError {
    /// The error of a single attempt at an address that was asked for a connection.
    #[cold]
    pub fn new(address: impl fmt::Display, error: io::Error) -> Self {
        Self::at(ConnectStage::Connecting, address, error)
    }

    /// The error of a single attempt that came as far as this.
    #[cold]
    pub fn at(stage: ConnectStage, address: impl fmt::Display, error: io::Error) -> Self {
        Self {
            attempts: vec![ConnectAttempt {
                address: address.to_string(),
                stage,
                error,
            }],
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
            write!(f, "{}: {}", attempt.address, attempt.error)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let first = self.attempts.first()?;
        Some(&first.error)
    }
}

//! Connecting, and connections that could not be opened.

use std::fmt;
use std::io;
use std::time::Duration;

/// Properties of an attempt to connect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// How long each numeric address is waited for.
    pub timeout: Duration,
}

impl ConnectOptions {
    /// An attempt that waits so long for each numeric address.
    pub fn within(timeout: Duration) -> Self {
        Self { timeout }
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

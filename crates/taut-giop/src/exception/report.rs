//! The circumstances of a system exception, for the person who reads its text.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// The circumstances in which a call ended with a system exception.
///
/// A report belongs to the exception in this process. It never goes over the wire, and
/// two exceptions that differ in their reports alone are equal. Each part is absent if
/// nothing is known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExceptionReport {
    /// The operation that was called, by its name in IDL.
    pub operation: Option<Box<str>>,
    /// The object that was called, in words: `the naming service at localhost:2809`.
    pub purpose: Option<Box<str>>,
    /// The side that raised the exception.
    pub raised_by: Option<RaisedBy>,
    /// The addresses to which a connection was asked for, in the order of the attempts.
    pub attempts: Vec<ConnectAttempt>,
    /// The setting whose limit was reached.
    pub limit: Option<LimitReached>,
    /// A further cause, in words, such as the text of an error of a lower floor.
    pub cause: Option<Box<str>>,
}

/// The side of a call that raised an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RaisedBy {
    /// The ORB of this process. No peer sent the exception.
    ThisOrb,
    /// The peer at this address, in a Reply.
    Peer(Box<str>),
}

/// An address to which no connection was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectAttempt {
    /// The address as the reference gives it, such as `host:2809`.
    pub address: Box<str>,
    /// The reason for which there is no connection.
    pub failure: ConnectFailure,
}

/// A reason for which an address gave no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectFailure {
    /// The peer's machine refused the connection: nothing listens there.
    Refused,
    /// The host's name has no address.
    UnknownHost,
    /// The host's name could not be looked up, in the words of the operating system.
    Unresolved(Box<str>),
    /// The network or the host cannot be reached.
    Unreachable,
    /// No answer came for this long.
    TimedOut(Duration),
    /// This process or this machine has no descriptor left.
    NoDescriptors,
    /// There is no such socket file.
    NoSocketFile,
    /// The permissions of the socket file, or rules of the network, forbid it.
    Forbidden,
    /// The peer ended the connection before it was of use.
    Reset,
    /// A connection was there and was lost before the request was carried out.
    Lost(Box<str>),
    /// A limit of this process: all connections are in use, or as many are open as may be.
    Limit(LimitReached),
    /// Any other error, in the words of the operating system.
    Other(Box<str>),
}

/// A setting whose limit ended a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    /// The setting's name in `Settings`, such as `client.max_forwards`.
    pub setting: &'static str,
    /// The setting's value.
    pub value: u64,
    /// The unit of the value: `ms` of a time, empty of a count.
    pub unit: &'static str,
}

impl ExceptionReport {
    /// A report that says nothing yet.
    pub const fn new() -> Self {
        Self {
            operation: None,
            purpose: None,
            raised_by: None,
            attempts: Vec::new(),
            limit: None,
            cause: None,
        }
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("refused"),
            Self::UnknownHost => f.write_str("no such host"),
            Self::Unresolved(text) => write!(f, "the host's name is not resolved ({text})"),
            Self::Unreachable => f.write_str("unreachable"),
            Self::TimedOut(after) if after.subsec_millis() == 0 => {
                write!(f, "timed out after {} s", after.as_secs())
            }
            Self::TimedOut(after) => write!(f, "timed out after {} ms", milliseconds(*after)),
            Self::NoDescriptors => f.write_str("no file descriptor left, see `ulimit -n`"),
            Self::NoSocketFile => f.write_str("no such socket file"),
            Self::Forbidden => f.write_str("permission denied"),
            Self::Reset => f.write_str("the peer closed the connection"),
            Self::Lost(text) => write!(f, "connection lost ({text})"),
            Self::Limit(limit) => write!(f, "all connections in use ({limit})"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// A time as a number of 64 bits: formatting others takes more of a program.
fn milliseconds(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// The setting as a program writes it: `client.call_timeout = 500 ms`.
impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.setting, self.value)?;
        match self.unit {
            "" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

impl fmt::Display for ConnectAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.address, self.failure)
    }
}

/// The report as it follows the exception's own text, each part behind a semicolon.
impl fmt::Display for ExceptionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.operation, &self.purpose) {
            (Some(operation), Some(purpose)) => write!(f, "; calling {operation} on {purpose}")?,
            (Some(operation), None) => write!(f, "; calling {operation}")?,
            (None, Some(purpose)) => write!(f, "; calling {purpose}")?,
            (None, None) => {}
        }
        match &self.raised_by {
            Some(RaisedBy::Peer(peer)) => write!(f, "; raised by {peer}")?,
            Some(RaisedBy::ThisOrb) | None => {}
        }
        for (index, attempt) in self.attempts.iter().enumerate() {
            let before = if index == 0 { "; tried " } else { ", " };
            write!(f, "{before}{attempt}")?;
        }
        if let Some(limit) = &self.limit {
            write!(f, "; the limit is {limit}")?;
        }
        if let Some(cause) = &self.cause {
            write!(f, "; {cause}")?;
        }
        Ok(())
    }
}

//! How dynamic calls end that do not succeed.

use std::error::Error;
use std::fmt;

use taut::SystemException;
use taut_types::TypeCode;
use taut_types::dynamic::{Mismatch, Value};

/// Why a request has no results.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RequestError {
    /// The servant raised a user exception.
    Raised(Box<RaisedValue>),
    /// The call ended with a system exception.
    System(SystemException),
    /// The operation has no such parameter.
    UnknownParameter {
        /// The name.
        name: String,
        /// The parameters that go to the servant.
        known: Vec<String>,
    },
    /// A parameter has no value yet.
    Unset {
        /// Its name.
        parameter: String,
    },
    /// A value does not fit the type of its parameter.
    Value {
        /// The parameter's name.
        parameter: String,
        /// The fault, and its place in the value.
        mismatch: Mismatch,
    },
    /// A oneway operation has no reply to wait for.
    Oneway,
    /// The request was sent, and its response has not been fetched yet (the standard's
    /// BAD_INV_ORDER, minor 10).
    InProgress,
    /// The request was not sent, or its response has been fetched already (the standard's
    /// BAD_INV_ORDER, minors 11 and 12).
    NotSent,
}

/// A user exception that a servant raised.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RaisedValue {
    /// Its repository id.
    pub repository_id: String,
    /// Its type and its members, if the operation's signature lists it.
    pub members: Option<(TypeCode, Value)>,
}

impl From<SystemException> for RequestError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(raised) => write!(f, "the operation raised {}", raised.repository_id),
            Self::System(exception) => exception.fmt(f),
            Self::UnknownParameter { name, known } if known.is_empty() => {
                write!(f, "the operation takes no `{name}`: it takes nothing")
            }
            Self::UnknownParameter { name, known } => {
                let known = known.join(", ");
                write!(f, "the operation takes no `{name}`: it takes {known}")
            }
            Self::Unset { parameter } => write!(f, "`{parameter}` has no value"),
            Self::Value {
                parameter,
                mismatch,
            } => write!(f, "`{parameter}`: {mismatch}"),
            Self::Oneway => f.write_str("the operation is oneway: no reply comes"),
            Self::InProgress => f.write_str("the request waits for its response: fetch it first"),
            Self::NotSent => f.write_str("the request waits for no response: send it first"),
        }
    }
}

impl Error for RequestError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(exception) => Some(exception),
            Self::Value { mismatch, .. } => Some(mismatch),
            _ => None,
        }
    }
}

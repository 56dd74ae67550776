//! The errors of an ORB itself, rather than of a call.

use std::error::Error;
use std::fmt;
use std::io;

use taut_giop::url::UrlErrorKind;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::{arguments, reference_file, setting_arguments};
use crate::server::EndpointError;
use crate::transport::{AddressError, ProtocolError};

/// Why an ORB could not be configured.
#[non_exhaustive]
pub enum InitError {
    /// An argument that begins with `-ORB` is none that the ORB knows.
    UnknownArgument(String),
    /// The argument's value is missing.
    MissingValue(String),
    /// The argument's value is malformed.
    InvalidValue {
        /// The argument.
        argument: String,
        /// The fault of its value.
        problem: String,
    },
    /// An endpoint is malformed.
    Endpoint {
        /// The endpoint.
        text: String,
        /// The fault of the end point.
        error: EndpointError,
    },
    /// A protocol cannot be added.
    Protocol(ProtocolError),
    /// There is a factory for this type of policies already.
    #[cfg(feature = "full")]
    PolicyFactory {
        /// The type.
        policy_type: crate::policy::PolicyType,
    },
    /// The URL of an initial reference leads nowhere, or its file cannot be read.
    InitialReference {
        /// The name.
        name: String,
        /// The fault of its URL.
        error: UrlError,
    },
    /// The priorities that the settings ask for cannot be had.
    #[cfg(feature = "full")]
    RealTime(crate::priority::NativePriorityError),
    /// The operating system gave no random octets.
    Entropy(io::Error),
    /// Two interceptors have the same name.
    #[cfg(feature = "full")]
    DuplicateName(crate::interceptors::DuplicateName),
    /// Code that registers interceptors has failed.
    #[cfg(feature = "full")]
    Initializer(crate::interceptors::InitializerError),
}

/// Why an ORB could not become a server.
#[non_exhaustive]
pub enum ServerError {
    /// It cannot listen.
    Listen(io::Error),
    /// It has been shut down.
    System(SystemException),
}

/// Why a URL or stringified reference led to no object.
#[non_exhaustive]
pub enum UrlError {
    /// It is malformed.
    Malformed(taut_giop::url::UrlError),
    /// It is the nil reference.
    Nil,
    /// It names only addresses of protocols that this ORB does not speak.
    NoProtocol {
        /// The first of these protocols, as it was read.
        protocol: String,
        /// The address behind it.
        address: String,
        /// The protocols that the ORB speaks, in words.
        known: String,
    },
    /// An address of it is none of its protocol.
    Address {
        /// The address, with the protocol before it.
        address: String,
        /// The fault of the address.
        error: AddressError,
    },
    /// It is the path of a file, not a URL.
    Path(String),
    /// The file that it names holds no reference that can be read.
    File {
        /// The path.
        path: String,
        /// The fault of the file.
        problem: String,
    },
    /// The initial reference that it names is unknown.
    InvalidName(InvalidName),
    /// The naming service knows no such name.
    NotFound {
        /// The name.
        name: String,
    },
    /// The naming service refused the name.
    Naming(String),
    /// A call failed on the way.
    System(SystemException),
}

/// No initial reference has this name.
pub struct InvalidName {
    /// The name.
    pub name: String,
    /// Why the URL that was configured for it led to nothing, if one was.
    pub cause: Option<Box<UrlError>>,
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownArgument(argument) => fmt_unknown(argument, f),
            Self::MissingValue(argument) => write!(f, "{argument} needs a value"),
            Self::InvalidValue { argument, problem } => write!(f, "{argument}: {problem}"),
            Self::Endpoint { text, error } => write!(f, "endpoint {text:?}: {error}"),
            Self::Protocol(error) => error.fmt(f),
            #[cfg(feature = "full")]
            Self::PolicyFactory { policy_type } => {
                write!(f, "{policy_type}: there is a factory for it already")
            }
            Self::InitialReference { name, error } => {
                write!(f, "the initial reference {name:?}: {error}")
            }
            #[cfg(feature = "full")]
            Self::RealTime(error) => error.fmt(f),
            Self::Entropy(error) => write!(f, "no random octets: {error}"),
            #[cfg(feature = "full")]
            Self::DuplicateName(error) => error.fmt(f),
            #[cfg(feature = "full")]
            Self::Initializer(error) => write!(f, "an initializer of the ORB: {error}"),
        }
    }
}

fn fmt_unknown(argument: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{argument} is not an argument of the ORB")?;
    match (arguments::meant_by(argument), argument.split_once('=')) {
        (Some(meant), Some((_, value))) => {
            write!(f, "; write the value behind a blank: {meant} {value}")
        }
        (Some(meant), None) => write!(f, "; did you mean {meant}?"),
        (None, _) => write!(
            f,
            "; known are {}{}",
            arguments::KNOWN.join(", "),
            setting_arguments::OTHERS
        ),
    }
}

impl Error for InitError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Endpoint { error, .. } => Some(error),
            Self::Protocol(error) => Some(error),
            Self::InitialReference { error, .. } => Some(error),
            #[cfg(feature = "full")]
            Self::RealTime(error) => Some(error),
            Self::Entropy(error) => Some(error),
            _ => None,
        }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(error) => error.fmt(f),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl Error for ServerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Listen(error) => Some(error),
            Self::System(exception) => Some(exception),
        }
    }
}

impl From<io::Error> for ServerError {
    fn from(error: io::Error) -> Self {
        Self::Listen(error)
    }
}

impl From<SystemException> for ServerError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) if error.kind == UrlErrorKind::UnknownScheme => f.write_str(
                "the text begins with none of \"IOR:\", \"corbaloc:\", \"corbaname:\" and \
                 \"file://\"",
            ),
            Self::Malformed(error) => error.fmt(f),
            Self::Nil => f.write_str("the reference is nil: it leads to no object"),
            Self::NoProtocol {
                protocol,
                address,
                known,
            } => fmt_no_protocol(protocol, address, known, f),
            Self::Address { address, error } => write!(f, "{address:?}: {error}"),
            Self::Path(path) => write!(
                f,
                "{path:?} is a path, not a URL; write file://{}",
                path.trim_ascii()
            ),
            Self::File { path, problem } => write!(f, "the file {path:?}: {problem}"),
            Self::InvalidName(error) => error.fmt(f),
            Self::NotFound { name } => {
                write!(f, "the naming service does not know {name:?}")
            }
            Self::Naming(problem) => f.write_str(problem),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

/// Says that what stands before the first colon is a protocol, which many take for the
/// host.
fn fmt_no_protocol(
    protocol: &str,
    address: &str,
    known: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(
        f,
        "{protocol:?} was read as a protocol, and this ORB speaks {known} only"
    )?;
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    let is_host = address.is_empty() || is_port(address);
    match is_host {
        true if address.is_empty() => write!(f, "; if it is a host, write :{protocol}"),
        true => write!(f, "; if it is a host, write :{protocol}:{address}"),
        false => Ok(()),
    }
}

impl UrlError {
    /// The error for a text that is no URL: a path is told from other texts.
    pub(super) fn malformed(text: &str, error: taut_giop::url::UrlError) -> Self {
        match error.kind {
            UrlErrorKind::UnknownScheme if reference_file::is_path(text) => {
                Self::Path(text.to_owned())
            }
            _ => Self::Malformed(error),
        }
    }
}

impl Error for UrlError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            Self::Address { error, .. } => Some(error),
            Self::InvalidName(error) => Some(error),
            Self::System(exception) => Some(exception),
            Self::Nil
            | Self::NoProtocol { .. }
            | Self::Path(_)
            | Self::File { .. }
            | Self::NotFound { .. }
            | Self::Naming(_) => None,
        }
    }
}

impl From<taut_giop::url::UrlError> for UrlError {
    fn from(error: taut_giop::url::UrlError) -> Self {
        Self::Malformed(error)
    }
}

impl From<InvalidName> for UrlError {
    fn from(error: InvalidName) -> Self {
        Self::InvalidName(error)
    }
}

impl From<SystemException> for UrlError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// BAD_PARAM with the minor code of the fault, as `string_to_object` raises it.
impl From<UrlError> for SystemException {
    fn from(error: UrlError) -> Self {
        let code = match error {
            UrlError::System(exception) => return exception,
            UrlError::Malformed(error) => error.minor(),
            _ => minor::omg(10),
        };
        Self::new(SystemExceptionKind::BadParam, code, CompletionStatus::No)
            .because(error.to_string())
    }
}

/// Where the local object is to be had that the standard gives this name, and to which
/// no reference can lead.
pub(super) fn local_object(name: &str) -> Option<&'static str> {
    match name {
        "RootPOA" => Some("Orb::root_poa"),
        "POACurrent" => Some("taut::Current"),
        "POAManagerFactory" => Some("Poa::manager_factory"),
        _ => None,
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.cause, local_object(&self.name)) {
            (Some(cause), _) => write!(
                f,
                "the initial reference {:?} leads nowhere: {cause}",
                self.name
            ),
            (None, Some(place)) => write!(
                f,
                "{:?} is a local object, which no reference leads to; use {place}",
                self.name
            ),
            (None, None) => write!(
                f,
                "no initial reference is called {:?}; configure one with -ORBInitRef {}=URL",
                self.name, self.name
            ),
        }
    }
}

impl Error for InvalidName {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

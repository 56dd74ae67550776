//! URLs that name objects: `IOR:`, `corbaloc:` and `corbaname:`
//! (CORBA 3.3 part 2, 7.6.10), for `string_to_object`.

mod corbaloc;
mod error;
mod escape;
mod part;

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::ior::Ior;
use crate::limits::Limits;
use part::Part;

pub use corbaloc::{Corbaloc, CorbalocAddress, DEFAULT_PORT, DEFAULT_VERSION};
pub use error::{UrlError, UrlErrorKind};

/// The key of a `corbaname:` that gives none.
pub const DEFAULT_NAMING_CONTEXT_KEY: &[u8] = b"NameService";

/// A URL that names an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectUrl {
    /// A stringified reference.
    Ior(Ior),
    /// Addresses and a key.
    Corbaloc(Corbaloc),
    /// A name in a naming context.
    Corbaname {
        /// Where the naming context is.
        location: Corbaloc,
        /// The name, without escapes of the URL; empty for the context itself.
        /// [`crate::naming::parse_name`] reads it.
        name: String,
    },
}

impl ObjectUrl {
    /// Reads a URL. The case of the scheme does not matter; white space around
    /// the URL is ignored.
    ///
    /// # Errors
    ///
    /// When the text is no such URL, or beyond a limit.
    pub fn parse_within(text: &str, limits: &Limits) -> Result<Self, UrlError> {
        let url = Part::whole(text).trim();
        if url.strip_prefix_ignoring_case("IOR:").is_some() {
            return match Ior::parse_within(url.text, limits) {
                Ok(ior) => Ok(Self::Ior(ior)),
                Err(error) => Err(url
                    .behind(error.position)
                    .error(UrlErrorKind::MalformedIor(error.kind))),
            };
        }
        if let Some(rest) = url.strip_prefix_ignoring_case("corbaloc:") {
            return Corbaloc::parse(rest, limits).map(Self::Corbaloc);
        }
        if let Some(rest) = url.strip_prefix_ignoring_case("corbaname:") {
            return parse_corbaname(rest, limits);
        }
        Err(url.error(UrlErrorKind::UnknownScheme))
    }
}

fn parse_corbaname(part: Part<'_>, limits: &Limits) -> Result<ObjectUrl, UrlError> {
    let (location, name) = match part.split_once('#') {
        Some((location, name)) => (location, Some(name)),
        None => (part, None),
    };
    let mut location = Corbaloc::parse(location, limits)?;
    if location.key.is_empty() {
        location.key = DEFAULT_NAMING_CONTEXT_KEY.to_vec();
    }
    let name = match name {
        None => String::new(),
        Some(name) => String::from_utf8(escape::unescape(name)?)
            .map_err(|_| name.error(UrlErrorKind::NameNotUtf8))?,
    };
    Ok(ObjectUrl::Corbaname { location, name })
}

/// With [`Limits::DEFAULT`].
impl FromStr for ObjectUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse_within(text, &Limits::DEFAULT)
    }
}

impl fmt::Display for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ior(ior) => write!(f, "{ior}"),
            Self::Corbaloc(location) => write!(f, "{location}"),
            Self::Corbaname { location, name } => {
                f.write_str("corbaname:")?;
                location.write(f)?;
                if name.is_empty() {
                    return Ok(());
                }
                f.write_str("#")?;
                escape::write_escaped(name.as_bytes(), f)
            }
        }
    }
}

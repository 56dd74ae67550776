//! Whether the URLs of initial references can lead anywhere, which is looked at when an ORB is
//! configured.
//!
//! The environment speaks to many programs. One that uses no initial references is not
//! stopped by a wrong one there, and has no code for them: a [`UrlCheck`] comes only from
//! those functions of the builder by which a program takes initial references.

use std::str::FromStr;

use taut_giop::url::ObjectUrl;

use super::UrlError;
use super::reference_file;
use super::url::check_protocols;
use crate::transport::Protocols;

/// Looks whether a URL can lead anywhere, without asking anybody. With an ORB to be, this
/// returns the text of the file that the URL names.
pub(super) type UrlCheck = fn(url: &str, orb: Option<&OrbToBe<'_>>) -> FileText;

/// The text of the file that a URL names; `None` if it names no file.
type FileText = Result<Option<String>, UrlError>;

/// The parts of an ORB that is being built on which it depends where URLs lead.
pub(super) struct OrbToBe<'o> {
    pub(super) protocols: &'o Protocols,
    pub(super) max_reference_file: usize,
}

/// The [`UrlCheck`] of a program with initial references.
pub(super) fn check(url: &str, orb: Option<&OrbToBe<'_>>) -> FileText {
    if let Some(path) = reference_file::path_in(url) {
        let Some(orb) = orb else {
            return Ok(None);
        };
        let text = reference_file::read(path, orb.max_reference_file)?;
        look(&text, Some(orb))?;
        return Ok(Some(text));
    }
    look(url, orb)?;
    Ok(None)
}

fn look(url: &str, orb: Option<&OrbToBe<'_>>) -> Result<(), UrlError> {
    let read = ObjectUrl::from_str(url).map_err(|error| UrlError::malformed(url, error))?;
    match (read, orb) {
        (
            ObjectUrl::Corbaloc(location) | ObjectUrl::Corbaname { location, .. },
            Some(OrbToBe { protocols, .. }),
        ) => check_protocols(&location.addresses, protocols),
        _ => Ok(()),
    }
}

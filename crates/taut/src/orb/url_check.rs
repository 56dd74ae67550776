//! Whether the URLs of initial references can lead anywhere, which is looked at when an ORB is
//! configured.

use std::str::FromStr;

use taut_giop::url::ObjectUrl;

use super::arguments::Configuration;
use super::url::check_protocols;
use super::{InitError, UrlError, reference_file};
use crate::transport::Protocols;

/// Looks whether a URL can lead anywhere, without asking anybody.
pub(super) fn check(url: &str, protocols: Option<&Protocols>) -> Result<(), UrlError> {
    if reference_file::path_in(url).is_some() {
        return Ok(());
    }
    let read = ObjectUrl::from_str(url).map_err(|error| UrlError::malformed(url, error))?;
    match read {
        ObjectUrl::Corbaloc(location) | ObjectUrl::Corbaname { location, .. } => match protocols {
            Some(protocols) => check_protocols(&location.addresses, protocols),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Reads the files that initial references name, once and now, and looks whether the URLs
/// of the others can lead anywhere.
pub(super) fn read_files(
    configuration: &mut Configuration,
    limit: usize,
    protocols: &Protocols,
) -> Result<(), InitError> {
    for (name, url) in configuration.initial_references.iter_mut() {
        let invalid = |error| InitError::InitialReference {
            name: name.to_owned(),
            error,
        };
        if let Some(path) = reference_file::path_in(url) {
            *url = reference_file::read(path, limit).map_err(invalid)?;
        }
        check(url, Some(protocols)).map_err(invalid)?;
    }
    if let Some(prefix) = &configuration.default_initial_reference {
        check(&format!("{prefix}/NameService"), Some(protocols)).map_err(|error| {
            InitError::InitialReference {
                name: "NameService".to_owned(),
                error,
            }
        })?;
    }
    Ok(())
}

//! Files and standard input, as the subcommands read them.

use std::io;

use taut_idl::bounded;

use crate::failure::Failure;
use crate::output::visible;

/// The argument that stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads a file, or standard input for `-`, as text of at most `octets_max` octets.
///
/// # Errors
///
/// When it cannot be read, is larger, or is not UTF-8; the message names it.
pub(crate) fn read_text(path: &str, octets_max: usize) -> Result<String, Failure> {
    let (octets, place) = match path {
        STANDARD_INPUT => {
            let octets = bounded::read_stream(&mut io::stdin().lock(), octets_max);
            (octets, "standard input".into())
        }
        path => {
            let octets = bounded::read_file(path.as_ref(), octets_max);
            (octets, visible(path))
        }
    };
    let octets = octets.map_err(|error| cannot_read(&place, &error))?;
    String::from_utf8(octets)
        .map_err(|_| cannot_read(&place, &io::Error::other("it is not text in UTF-8")))
}

/// The failure of a command whose input at `place` cannot be read.
pub(crate) fn cannot_read(place: &str, error: &io::Error) -> Failure {
    Failure::Message(format!("cannot read {place}: {error}"))
}

//! References as people give them: as text, in a file, or on standard input.

use std::borrow::Cow;
use std::path::Path;

use clap::ValueHint;
use taut_giop::url::{ObjectUrl, UrlError};

use crate::failure::Failure;
use crate::input;
use crate::output::visible;

/// The number of characters of a faulty text that are shown on each side of the fault.
const EXCERPT: usize = 32;

/// The prefix of a stringified reference.
const IOR: &str = "IOR:";

/// The fewest digits that are taken for a reference without its prefix.
const BARE_DIGITS_MIN: usize = 16;

/// The options of subcommands that read references.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ReadOptions {
    /// Read at most this many octets of a reference from a file or standard input
    #[arg(long, value_name = "OCTETS", default_value_t = 1 << 20, global = true,
          value_hint = ValueHint::Other)]
    max_reference_size: usize,
}

/// Reads the reference that an argument stands for: the text on standard input for
/// `-`, the text in a file for `@FILE` and `file:///PATH`, or the argument itself.
/// White space around it is dropped. A stringified reference may be folded over
/// several lines, as mail programs do it, and may lack its prefix `IOR:`.
///
/// # Errors
///
/// When there is no text, more than one reference or none in it, or the file or
/// standard input cannot be read, is too large, or is not UTF-8.
pub(crate) fn read(argument: &str, options: ReadOptions) -> Result<String, Failure> {
    let octets_max = options.max_reference_size;
    let (text, place) = if argument == input::STANDARD_INPUT {
        (input::read_text(argument, octets_max)?, "standard input")
    } else if let Some(path) = file_of(argument) {
        (input::read_text(path, octets_max)?, path)
    } else {
        (argument.to_owned(), "")
    };
    let place = visible(place);
    let text = text.trim();
    if text.is_empty() {
        return Err(match place.is_empty() {
            true => Failure::new("the reference is empty"),
            false => Failure::Message(format!("{place} is empty")),
        });
    }
    let count = count_references(text);
    if count > 1 {
        let place = match place.is_empty() {
            true => Cow::Borrowed("the argument"),
            false => place,
        };
        return Err(Failure::Message(format!(
            "there are {count} references in {place}; give one of them at a time"
        )));
    }
    if place.is_empty() && is_file_without_mark(text) {
        let name = visible(text);
        return Err(Failure::Message(format!(
            "{name} is a file; write @{name} to read the reference in it"
        )));
    }
    Ok(unfolded(text))
}

/// The path of the file that an argument names.
fn file_of(argument: &str) -> Option<&str> {
    let by_url = || {
        let path = argument.strip_prefix("file://")?;
        path.starts_with('/').then_some(path)
    };
    argument.strip_prefix('@').or_else(by_url)
}

/// Whether an argument that is no reference is the path of a file.
fn is_file_without_mark(text: &str) -> bool {
    let has_scheme = text.contains(':');
    !has_scheme && !is_bare(text) && Path::new(text).is_file()
}

/// The number of stringified references and URLs in a text.
fn count_references(text: &str) -> usize {
    let iors = text.to_ascii_uppercase().matches(IOR).count();
    let is_url = |line: &&str| {
        let line = line.trim_start().to_ascii_lowercase();
        line.starts_with("corbaloc:") || line.starts_with("corbaname:")
    };
    iors + text.lines().filter(is_url).count()
}

/// Whether a text consists of the digits of a reference without its prefix: the
/// first octet is the byte order, 0 or 1.
fn is_bare(text: &str) -> bool {
    let digits = || text.chars().filter(|one| !one.is_whitespace());
    digits().count() >= BARE_DIGITS_MIN
        && digits().all(|one| one.is_ascii_hexdigit())
        && (text.starts_with("00") || text.starts_with("01"))
}

/// A stringified reference in one line and with its prefix; any other text as it is.
fn unfolded(text: &str) -> String {
    let unquoted = text.trim_start_matches(['>', ' ', '\t']);
    let has_prefix = unquoted
        .get(..IOR.len())
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case(IOR));
    let text = if has_prefix { unquoted } else { text };
    if !has_prefix && !is_bare(text) {
        return text.to_owned();
    }
    let mut joined = String::with_capacity(IOR.len() + text.len());
    if !has_prefix {
        joined.push_str(IOR);
    }
    let is_folded = text.contains('\n');
    for line in text.lines() {
        // Mail puts `>` before what it quotes, and `=` where quoted-printable folds.
        let line = match is_folded {
            true => line.trim_start_matches(['>', ' ', '\t']).trim_end(),
            false => line,
        };
        let line = match is_folded {
            true => line.strip_suffix('=').unwrap_or(line),
            false => line,
        };
        joined.extend(line.chars().filter(|one| !one.is_whitespace()));
    }
    joined
}

/// Reads a URL.
///
/// # Errors
///
/// When the text is none; the message shows where the fault is.
pub(crate) fn parse(text: &str) -> Result<ObjectUrl, Failure> {
    text.parse().map_err(|error| malformed(text, &error))
}

/// The failure of a text that is no URL, with the place of the fault and, where the
/// text looks like something else, a hint.
pub(crate) fn malformed(text: &str, error: &UrlError) -> Failure {
    let excerpt = excerpt(text, error.position);
    Failure::Message(match hint(text) {
        Some(hint) => format!("{error}\n{excerpt}\n  {hint}"),
        None => format!("{error}\n{excerpt}"),
    })
}

/// Advice on a text that is no URL.
fn hint(text: &str) -> Option<String> {
    let prefix = text.to_ascii_uppercase().find(IOR).filter(|at| *at > 0);
    if let Some(at) = prefix {
        let character = text.get(..at).map_or(at, |before| before.chars().count()) + 1;
        return Some(format!(
            "a reference begins at character {character}; give the text from there on"
        ));
    }
    let is_path = !text.contains(':') && text.contains(['/', '.']);
    is_path.then(|| "to read a reference from a file, write @ before its path".to_owned())
}

/// The neighbourhood of an octet, with a mark below it.
fn excerpt(text: &str, position: usize) -> String {
    let position = text.floor_char_boundary(position.min(text.len()));
    let (before, behind) = text.split_at(position);
    let skipped = before.chars().count().saturating_sub(EXCERPT);
    let start: String = before.chars().skip(skipped).collect();
    let end: String = behind.chars().take(EXCERPT).collect();
    let ellipsis = |cut: bool| if cut { "…" } else { "" };
    let start = format!("  {}{}", ellipsis(skipped > 0), visible(&start));
    let cut = end.len() < behind.len();
    format!(
        "{start}{}{}\n{:width$}^",
        visible(&end),
        ellipsis(cut),
        "",
        width = start.chars().count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_references_are_joined() {
        let one = "IOR:000000000000000100000000";
        for folded in [
            "IOR:0000000000000001\n00000000",
            "IOR:00000000 00000001\r\n 00000000",
            "IOR:0000000000000001=\r\n00000000",
            "> IOR:0000000000000001\n> 00000000",
            "0000000000000001\n00000000",
            "000000000000000100000000",
        ] {
            assert_eq!(unfolded(folded), one, "{folded:?}");
        }
        for other in ["corbaloc::h/a b", "bank.ior", "0000", "ff00000000000001"] {
            assert_eq!(unfolded(other), other);
        }
    }

    #[test]
    fn references_are_counted() {
        for (text, count) in [
            ("bank", 0),
            ("IOR:00", 1),
            ("IOR:00\nior:01\n", 2),
            ("corbaloc::h/k\n corbaname::h#a", 2),
            ("corbaloc::h,iiop:k/corbaloc:", 1),
        ] {
            assert_eq!(count_references(text), count, "{text:?}");
        }
    }

    #[test]
    fn the_fault_is_marked_wherever_it_is() {
        assert_eq!(excerpt("abc", 1), "  abc\n   ^");
        assert_eq!(excerpt("ab", 9), "  ab\n    ^");
        assert_eq!(excerpt("é\n", 1), "  é\\n\n  ^");
        let long = "x".repeat(100);
        let shown = excerpt(&long, 50);
        let (line, mark) = shown.split_once('\n').unwrap();
        assert_eq!(line, format!("  …{}…", "x".repeat(2 * EXCERPT)));
        assert_eq!(mark.len(), 2 + 1 + EXCERPT + 1);
    }
}

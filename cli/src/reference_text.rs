//! References as people give them: as text, in a file, or on standard input.

use std::io::{self, Read};

use taut_giop::url::{ObjectUrl, UrlError};

use crate::failure::Failure;
use crate::output::visible;

/// How many characters of a faulty text are shown on each side of the fault.
const EXCERPT: usize = 32;

/// The text that an argument stands for: what follows `-` on standard input,
/// what a file behind `@` holds, or the argument itself; without white space
/// around it.
///
/// # Errors
///
/// When there is no text, or the file or standard input cannot be read or is
/// not UTF-8.
pub(crate) fn read(argument: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let (read, place) = if argument == "-" {
        (io::stdin().read_to_string(&mut text), "standard input")
    } else if let Some(path) = argument.strip_prefix('@') {
        let file = std::fs::File::open(path);
        (
            file.and_then(|mut file| file.read_to_string(&mut text)),
            path,
        )
    } else {
        text.push_str(argument);
        (Ok(text.len()), "")
    };
    let place = visible(place);
    match read {
        Ok(_) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        Ok(_) if place.is_empty() => Err(Failure::new("the reference is empty")),
        Ok(_) => Err(Failure::Message(format!("{place} is empty"))),
        Err(error) => Err(Failure::Message(format!("{place} cannot be read: {error}"))),
    }
}

/// Reads a URL.
///
/// # Errors
///
/// When the text is none; the message shows where the fault is.
pub(crate) fn parse(text: &str) -> Result<ObjectUrl, Failure> {
    text.parse().map_err(|error| malformed(text, &error))
}

/// What is wrong with a URL, and where.
pub(crate) fn malformed(text: &str, error: &UrlError) -> Failure {
    Failure::Message(format!("{error}\n{}", excerpt(text, error.position)))
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

//! The command's output, and its looks.
//!
//! Text is always written with its colours; they are taken out on the way when
//! nobody would see them.

use std::borrow::Cow;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

/// For what things are called.
pub(crate) const LABEL: Style = AnsiColor::Cyan.on_default();
/// For what stands out.
pub(crate) const HEADING: Style = Style::new().bold();
/// For what is only there for completeness.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// For what is wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Writes code, which has no colours to look for, to standard output.
///
/// # Errors
///
/// When it is closed or full.
pub(crate) fn write_code(text: &str) -> io::Result<()> {
    write_octets(text.as_bytes())
}

/// Writes octets as they are to standard output.
///
/// # Errors
///
/// When it is closed or full.
pub(crate) fn write_octets(octets: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(octets)?;
    output.flush()
}

/// Writes to standard output.
///
/// # Errors
///
/// When it is closed or full.
pub(crate) fn write(text: &str) -> io::Result<()> {
    let mut output = anstream::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Writes to standard error.
pub(crate) fn complain(text: &str) {
    // When this fails there is nobody left to tell.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Text from somewhere else, with its control characters escaped: a peer must
/// not steer the terminal.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\u{1b}[1mé\n"), "a\\u{1b}[1mé\\n");
        assert!(matches!(visible("é"), Cow::Borrowed(_)));
    }
}

//! Names as strings (Naming Service 1.3, 2.4): `id.kind/id.kind`, with `\`
//! before a `/`, `.` or `\` that belongs to an id or kind.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::Limits;

/// One component of a name. Two are equal when both fields are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NameComponent {
    /// The name's identifier.
    pub id: String,
    /// The kind of object, in the words of the application; often empty.
    pub kind: String,
}

impl NameComponent {
    /// A component.
    pub fn new(id: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind: kind.into(),
        }
    }
}

/// Why text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameError {
    /// The kind of fault.
    pub kind: NameErrorKind,
    /// At which octet of the text, counted from 0.
    pub position: usize,
}

/// A fault in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameErrorKind {
    /// A name has at least one component.
    EmptyName,
    /// Nothing stands between two `/`, or before the first or after the last.
    /// A component whose id and kind are empty is written `.`.
    EmptyComponent,
    /// A component has a second `.` without `\`.
    SecondDot,
    /// A component ends in `.`: without a kind there is no dot.
    TrailingDot,
    /// A `\` stands before something else than `/`, `.` and `\`.
    InvalidEscape,
    /// There are more components than [`Limits::max_name_components`].
    TooManyComponents {
        /// The limit in force.
        limit: usize,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            NameErrorKind::EmptyName => return f.write_str("the name is empty"),
            NameErrorKind::EmptyComponent => "a component of the name is empty (write \".\")",
            NameErrorKind::SecondDot => "a component of the name has a second \".\"",
            NameErrorKind::TrailingDot => "a component of the name ends in \".\"",
            NameErrorKind::InvalidEscape => {
                "a \"\\\" in the name stands before none of \"/\", \".\" and \"\\\""
            }
            NameErrorKind::TooManyComponents { limit } => {
                return write!(
                    f,
                    "the name has more components than the limit (max_name_components) of {limit}, \
                     at octet {}",
                    self.position
                );
            }
        })?;
        write!(f, " at octet {}", self.position)
    }
}

impl core::error::Error for NameError {}

/// Reads a name from its string form. [`Limits::DEFAULT`] hold.
///
/// # Errors
///
/// When the text is not well-formed, or beyond the limit; the Naming Service then
/// raises InvalidName.
pub fn parse_name(text: &str) -> Result<Vec<NameComponent>, NameError> {
    parse_name_within(text, &Limits::DEFAULT)
}

/// Reads a name that may have up to [`Limits::max_name_components`] components.
///
/// # Errors
///
/// When the text is not well-formed, or beyond the limit.
pub fn parse_name_within(text: &str, limits: &Limits) -> Result<Vec<NameComponent>, NameError> {
    if text.is_empty() {
        return Err(error(NameErrorKind::EmptyName, 0));
    }
    let mut name = Vec::new();
    let mut component = ComponentParser::default();
    let mut characters = text.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '/' => {
                name.push(core::mem::take(&mut component).finish(position)?);
                // A further one follows.
                if name.len() >= limits.max_name_components {
                    let limit = limits.max_name_components;
                    return Err(error(NameErrorKind::TooManyComponents { limit }, position));
                }
            }
            '.' => component.dot(position)?,
            '\\' => match characters.next() {
                Some((_, escaped @ ('/' | '.' | '\\'))) => component.push(escaped),
                _ => return Err(error(NameErrorKind::InvalidEscape, position)),
            },
            other => component.push(other),
        }
    }
    name.push(component.finish(text.len())?);
    Ok(name)
}

/// The string form of a name.
///
/// # Errors
///
/// [`NameErrorKind::EmptyName`].
pub fn format_name(name: &[NameComponent]) -> Result<String, NameError> {
    if name.is_empty() {
        return Err(error(NameErrorKind::EmptyName, 0));
    }
    let mut text = String::new();
    for (index, component) in name.iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        push_escaped(&component.id, &mut text);
        if !component.kind.is_empty() || component.id.is_empty() {
            text.push('.');
            push_escaped(&component.kind, &mut text);
        }
    }
    Ok(text)
}

fn push_escaped(part: &str, text: &mut String) {
    for character in part.chars() {
        if matches!(character, '/' | '.' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
}

fn error(kind: NameErrorKind, position: usize) -> NameError {
    NameError { kind, position }
}

#[derive(Default)]
struct ComponentParser {
    component: NameComponent,
    /// Where its dot stands.
    dot: Option<usize>,
}

impl ComponentParser {
    fn push(&mut self, character: char) {
        match self.dot {
            None => self.component.id.push(character),
            Some(_) => self.component.kind.push(character),
        }
    }

    fn dot(&mut self, position: usize) -> Result<(), NameError> {
        match self.dot.replace(position) {
            None => Ok(()),
            Some(_) => Err(error(NameErrorKind::SecondDot, position)),
        }
    }

    fn finish(self, end: usize) -> Result<NameComponent, NameError> {
        let NameComponent { id, kind } = &self.component;
        match self.dot {
            None if id.is_empty() => Err(error(NameErrorKind::EmptyComponent, end)),
            Some(dot) if kind.is_empty() && !id.is_empty() => {
                Err(error(NameErrorKind::TrailingDot, dot))
            }
            _ => Ok(self.component),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("a", &[("a", "")]),
            ("a.b", &[("a", "b")]),
            (".b", &[("", "b")]),
            (".", &[("", "")]),
            ("a/./c.d/.e", &[("a", ""), ("", ""), ("c", "d"), ("", "e")]),
            (r"a\/b\.c\\.d", &[(r"a/b.c\", "d")]),
            (r"a.\.", &[("a", ".")]),
            ("é/日本.語", &[("é", ""), ("日本", "語")]),
            (" ", &[(" ", "")]),
        ];
        for (text, parts) in cases {
            let name: Vec<_> = parts
                .iter()
                .map(|(id, kind)| NameComponent::new(*id, *kind))
                .collect();
            assert_eq!(parse_name(text).as_ref(), Ok(&name), "{text}");
            assert_eq!(format_name(&name).as_deref(), Ok(*text));
        }
    }

    #[test]
    fn malformed_names_are_refused_with_their_place() {
        use NameErrorKind::{EmptyComponent, EmptyName, InvalidEscape, SecondDot, TrailingDot};
        for (text, kind, position) in [
            ("", EmptyName, 0),
            ("/", EmptyComponent, 0),
            ("/a", EmptyComponent, 0),
            ("a/", EmptyComponent, 2),
            ("a//b", EmptyComponent, 2),
            ("a.", TrailingDot, 1),
            ("a/bc./d", TrailingDot, 4),
            ("a.b.c", SecondDot, 3),
            ("..", SecondDot, 1),
            (r"a\b", InvalidEscape, 1),
            (r"a\", InvalidEscape, 1),
        ] {
            assert_eq!(
                parse_name(text),
                Err(NameError { kind, position }),
                "{text}"
            );
        }
        assert_eq!(format_name(&[]).map_err(|error| error.kind), Err(EmptyName));
    }
}

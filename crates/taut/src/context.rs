//! The properties that a caller passes with an operation (CORBA 3.3 part 1,
//! 7.10 and 8.6): what a `context` clause in IDL asks for.

use std::collections::BTreeMap;
use std::collections::btree_map;
use std::fmt;

use taut_cdr::{Decode, Decoder, Encode, Encoder, Result as CdrResult};

/// Properties: names, each with a text as its value, in the order of the names.
///
/// An operation declared with `context ("user", "screen.*")` takes the context
/// of its caller as the last argument. The properties that travel are those whose names
/// match a pattern of the clause; the servant gets a context of these.
///
/// A name begins with a letter, and goes on with letters, digits, `_` and `.`;
/// case counts. A pattern is a name, or the beginning of names with `*` behind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Context {
    properties: BTreeMap<String, String>,
}

/// A text cannot be the name of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPropertyName {
    /// The text.
    pub name: String,
}

impl Context {
    /// A context without properties.
    pub const fn new() -> Self {
        Self {
            properties: BTreeMap::new(),
        }
    }

    /// Gives a property this value, and returns what it was before.
    ///
    /// # Errors
    ///
    /// When the name is none.
    pub fn set(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Option<String>, InvalidPropertyName> {
        let name = name.into();
        if is_name(&name) {
            Ok(self.properties.insert(name, value.into()))
        } else {
            Err(InvalidPropertyName { name })
        }
    }

    /// The value of a property.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }

    /// The properties whose names match a pattern, in the order of the names.
    pub fn matching<'c>(&'c self, pattern: &'c str) -> impl Iterator<Item = (&'c str, &'c str)> {
        self.iter().filter(move |(name, _)| matches(pattern, name))
    }

    /// Takes out the properties whose names match a pattern, and returns how
    /// many these were.
    pub fn delete(&mut self, pattern: &str) -> usize {
        let before = self.properties.len();
        self.properties.retain(|name, _| !matches(pattern, name));
        before - self.properties.len()
    }

    /// All properties, in the order of their names.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.properties.iter())
    }

    /// How many properties there are.
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether there is no property.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }
}

impl<'c> IntoIterator for &'c Context {
    type Item = (&'c str, &'c str);
    type IntoIter = Iter<'c>;

    fn into_iter(self) -> Iter<'c> {
        self.iter()
    }
}

/// The properties of a [`Context`].
#[derive(Debug, Clone)]
pub struct Iter<'c>(btree_map::Iter<'c, String, String>);

impl<'c> Iterator for Iter<'c> {
    type Item = (&'c str, &'c str);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.0.next()?;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl fmt::Display for InvalidPropertyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no name of a property: that is a letter, then letters, digits, `_` and `.`",
            self.name.escape_debug()
        )
    }
}

impl std::error::Error for InvalidPropertyName {}

/// Appends, behind the arguments, the properties that match one of these
/// patterns: a sequence of strings, name and value in turn (CORBA 3.3 part 2,
/// 9.4.2.2).
///
/// # Errors
///
/// When a value has no form in the transmission code set.
pub fn encode_context(context: &Context, patterns: &[&str], out: &mut Encoder) -> CdrResult<()> {
    out.write_length(2 * chosen(context, patterns).count())?;
    for (name, value) in chosen(context, patterns) {
        name.encode(out)?;
        value.encode(out)?;
    }
    Ok(())
}

/// Reads what [`encode_context`] wrote. Names are taken as they come. There are
/// ORBs that send no context at all; that is an empty one.
///
/// # Errors
///
/// When it is no sequence of strings, or a name has no value.
pub fn decode_context(input: &mut Decoder<'_>) -> CdrResult<Context> {
    let mut context = Context::new();
    if input.remaining() == 0 {
        return Ok(context);
    }
    let count = input.read_count(String::MIN_SIZE)?;
    if !count.is_multiple_of(2) {
        let rule = "a property of a context has no value";
        return Err(input.error(taut_cdr::ErrorKind::Invalid(rule)));
    }
    for _ in 0..count / 2 {
        let name = String::decode(input)?;
        let value = String::decode(input)?;
        context.properties.insert(name, value);
    }
    Ok(context)
}

/// Returns the context that [`decode_context`] would make of the output of
/// [`encode_context`]: for a servant in the caller's own process.
pub fn passed_context(context: &Context, patterns: &[&str]) -> Context {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Context {
        properties: chosen(context, patterns).map(owned).collect(),
    }
}

/// The properties that match one of these patterns.
fn chosen<'c>(context: &'c Context, patterns: &[&str]) -> impl Iterator<Item = (&'c str, &'c str)> {
    context
        .iter()
        .filter(|(name, _)| patterns.iter().any(|pattern| matches(pattern, name)))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '.'))
}

#[cfg(test)]
mod tests {
    use taut_cdr::{ByteOrder, ErrorKind};

    use super::*;

    fn example() -> Context {
        let mut context = Context::new();
        for (name, value) in [
            ("user", "Ada"),
            ("screen.width", "80"),
            ("screen.depth", "1"),
            ("screens", ""),
        ] {
            assert_eq!(context.set(name, value), Ok(None));
        }
        context
    }

    #[test]
    fn properties_are_set_found_and_deleted_by_name_and_pattern() {
        let mut context = example();
        assert_eq!(context.set("user", "Bob"), Ok(Some("Ada".to_owned())));
        assert_eq!(context.get("user"), Some("Bob"));
        assert_eq!(context.get("User"), None);
        let found: Vec<_> = context.matching("screen.*").collect();
        assert_eq!(found, [("screen.depth", "1"), ("screen.width", "80")]);
        assert_eq!(context.delete("screen"), 0);
        assert_eq!(context.delete("screen*"), 3);
        assert_eq!(
            (&context).into_iter().collect::<Vec<_>>(),
            [("user", "Bob")]
        );
        assert_eq!(context.delete("*"), 1);
        assert!(context.is_empty());
    }

    #[test]
    fn names_are_checked() {
        let mut context = Context::new();
        for name in ["", "1a", "_a", "a b", "a*", ".a", "é"] {
            let error = context.set(name, "").unwrap_err();
            assert_eq!(error.name, name);
        }
        assert_eq!(context.set("a1._b", ""), Ok(None));
        assert_eq!(context.len(), 1);
    }

    #[test]
    fn what_matches_travels_and_nothing_twice() {
        let mut out = Encoder::new(ByteOrder::Big);
        encode_context(&example(), &["user", "u*", "absent", "screen.w*"], &mut out).unwrap();
        assert_eq!(out.as_bytes()[..4], [0, 0, 0, 4]);
        let received = decode_context(&mut Decoder::new(out.as_bytes(), ByteOrder::Big)).unwrap();
        let received: Vec<_> = received.iter().collect();
        assert_eq!(received, [("screen.width", "80"), ("user", "Ada")]);
    }

    #[test]
    fn a_context_that_is_not_there_is_empty_and_a_broken_one_an_error() {
        let decode = |bytes: &[u8]| decode_context(&mut Decoder::new(bytes, ByteOrder::Big));
        assert_eq!(decode(&[]), Ok(Context::new()));
        let odd = decode(&[0, 0, 0, 1, 0, 0, 0, 2, b'a', 0]).unwrap_err();
        assert!(matches!(odd.kind(), ErrorKind::Invalid(_)), "{odd}");
        let huge = decode(&[0x7f, 0xff, 0xff, 0xfe, 0, 0, 0, 2, b'a', 0]).unwrap_err();
        assert!(
            matches!(huge.kind(), ErrorKind::LengthBeyondMessage { .. }),
            "{huge}"
        );
    }
}

//! Rust code in the making: tokens in one row, as the printer wants them.
//!
//! [`quote!`] makes it of what stands between its parentheses, with the syntax of
//! the crate `quote`: `#name` puts in a variable, `#(..)*` and `#(..),*` repeat.
//! That crate makes trees of tokens, each with its own memory; a file of code
//! then costs several times what it costs as a row.

mod macros;
mod repetition;

use std::fmt::{self, Display, Write};

use proc_macro2::{Delimiter, Literal, Spacing, TokenStream, TokenTree};

pub(crate) use self::macros::{each_token, quote, repeat, variables_begin, variables_next};
pub(crate) use self::repetition::{Bound, RepeatAlways, RepeatIterator, RepeatSlice};

/// The sort of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    Literal,
    Lifetime,
    /// One punctuation mark, of one character or several.
    Mark,
    Open,
    Close,
    /// A doc comment: its text without the slashes.
    Doc,
}

/// A token of [`Code`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// In octets. The texts of all tokens stand behind each other.
    pub(crate) length: u32,
    /// How many tokens further the other end of a group is; 0 where there is
    /// none.
    pub(crate) mate: i32,
}

/// Tokens in one row, groups opened and marks of several characters joined.
#[derive(Debug, Clone, Default)]
pub(crate) struct Code {
    text: String,
    tokens: Vec<Token>,
}

/// The marks of several characters.
const JOINED: &[&str] = &[
    "::", "->", "=>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "|=", "&=", "&&", "||", "..",
    "..=",
];

/// Something that code can be made of.
pub(crate) trait ToCode {
    /// Adds it to the code.
    fn to_code(&self, code: &mut Code);
}

impl Code {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// No code yet, with room for a path or a short expression: most code is one,
    /// and to grow costs more than to have.
    pub(crate) fn with_room() -> Self {
        Self {
            text: String::with_capacity(96),
            tokens: Vec::with_capacity(16),
        }
    }

    /// Code that somebody else wrote; empty if it is none.
    pub(crate) fn parse(text: &str) -> Self {
        let mut code = Self::new();
        code.read(text.parse().unwrap_or_default());
        code
    }

    /// The texts of all tokens behind each other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Adds a token that is no delimiter.
    pub(crate) fn push(&mut self, kind: Kind, text: &str) {
        self.text.push_str(text);
        self.note(kind, text.len());
    }

    /// Adds a token of [`quote!`]'s, the kind of which its text tells.
    pub(crate) fn token(&mut self, text: &'static str) {
        match text.as_bytes() {
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', rest @ ..] if rest.last() != Some(&b'"') => {
                self.push(Kind::Word, text);
            }
            [b'\'', rest @ ..] if rest.last() != Some(&b'\'') => self.push(Kind::Lifetime, text),
            [b'\'' | b'"' | b'0'..=b'9', ..] | [_, .., b'"'] => self.push(Kind::Literal, text),
            // They end or begin generic arguments.
            b">>" | b"<<" => {
                self.push(Kind::Mark, &text[1..]);
                self.push(Kind::Mark, &text[1..]);
            }
            _ => self.push(Kind::Mark, text),
        }
    }

    /// Begins a group. The returned place is needed to end it.
    pub(crate) fn open(&mut self, delimiter: &'static str) -> usize {
        self.push(Kind::Open, delimiter);
        self.tokens.len() - 1
    }

    /// Ends the group that begins at `open`.
    pub(crate) fn close(&mut self, open: usize, delimiter: &'static str) {
        let mate = (self.tokens.len() - open) as i32;
        self.push(Kind::Close, delimiter);
        self.tokens[open].mate = mate;
        if let Some(close) = self.tokens.last_mut() {
            close.mate = -mate;
        }
    }

    /// Adds a doc comment, the text of which follows the slashes.
    pub(crate) fn doc(&mut self, text: &str) {
        if !text.contains(['\n', '\r']) {
            return self.push(Kind::Doc, text.trim_end());
        }
        self.token("#");
        let open = self.open("[");
        self.token("doc");
        self.token("=");
        text.to_code(self);
        self.close(open, "]");
    }

    fn read(&mut self, stream: TokenStream) {
        // The marks, one behind the other, that have come so far.
        let mut marks = String::new();
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match tree {
                TokenTree::Ident(ident) if marks == "'" => {
                    self.push(Kind::Lifetime, &format!("'{ident}"));
                    marks.clear();
                }
                TokenTree::Ident(ident) => self.push(Kind::Word, &ident.to_string()),
                TokenTree::Literal(literal) => literal.to_code(self),
                TokenTree::Punct(punct) => {
                    marks.push(punct.as_char());
                    let goes_on = punct.spacing() == Spacing::Joint
                        && match trees.peek() {
                            Some(TokenTree::Punct(next)) => {
                                JOINED.contains(&format!("{marks}{}", next.as_char()).as_str())
                            }
                            _ => marks == "'",
                        };
                    if !goes_on {
                        self.push(Kind::Mark, &std::mem::take(&mut marks));
                    }
                }
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => {
                            self.read(group.stream());
                            continue;
                        }
                    };
                    let open = self.open(open);
                    self.read(group.stream());
                    self.close(open, close);
                }
            }
        }
    }

    fn note(&mut self, kind: Kind, length: usize) {
        self.tokens.push(Token {
            kind,
            length: length as u32,
            mate: 0,
        });
    }
}

/// The tokens with blanks between them.
impl Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = 0;
        for token in &self.tokens {
            let text = &self.text[start..start + token.length as usize];
            start += token.length as usize;
            match token.kind {
                Kind::Doc => writeln!(f, "///{text}")?,
                _ => write!(f, "{text} ")?,
            }
        }
        Ok(())
    }
}

impl Extend<Self> for Code {
    fn extend<I: IntoIterator<Item = Self>>(&mut self, codes: I) {
        for code in codes {
            code.to_code(self);
        }
    }
}

impl FromIterator<Self> for Code {
    fn from_iter<I: IntoIterator<Item = Self>>(codes: I) -> Self {
        let mut all = Self::new();
        all.extend(codes);
        all
    }
}

impl ToCode for Code {
    fn to_code(&self, code: &mut Code) {
        code.text.push_str(&self.text);
        code.tokens.extend_from_slice(&self.tokens);
    }
}

impl<T: ToCode + ?Sized> ToCode for &T {
    fn to_code(&self, code: &mut Code) {
        (**self).to_code(code);
    }
}

impl<T: ToCode> ToCode for Option<T> {
    fn to_code(&self, code: &mut Code) {
        if let Some(some) = self {
            some.to_code(code);
        }
    }
}

impl ToCode for Literal {
    fn to_code(&self, code: &mut Code) {
        let start = code.text.len();
        // Writing to a string does not fail.
        let _ = write!(code.text, "{self}");
        code.note(Kind::Literal, code.text.len() - start);
    }
}

impl ToCode for bool {
    fn to_code(&self, code: &mut Code) {
        code.token(if *self { "true" } else { "false" });
    }
}

/// A string literal.
impl ToCode for str {
    fn to_code(&self, code: &mut Code) {
        let is_plain = |octet: u8| matches!(octet, b' '..=b'~') && !matches!(octet, b'"' | b'\\');
        if !self.bytes().all(is_plain) {
            return Literal::string(self).to_code(code);
        }
        code.text.push('"');
        code.text.push_str(self);
        code.text.push('"');
        code.note(Kind::Literal, self.len() + 2);
    }
}

impl ToCode for String {
    fn to_code(&self, code: &mut Code) {
        self.as_str().to_code(code);
    }
}

/// An identifier, raw or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ident(String);

impl Ident {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ToCode for Ident {
    fn to_code(&self, code: &mut Code) {
        code.push(Kind::Word, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(code: &Code) -> String {
        code.to_string().trim_end().to_owned()
    }

    #[test]
    fn code_is_quoted_token_by_token() {
        let (name, text, none) = (Ident::new("a"), "b\"c", None::<Ident>);
        let code = quote!(#[derive(X)] fn #name<'m>(&'m self) -> Vec<Vec<u8>> { #none f(#text, 'x', 1u8) });
        assert_eq!(
            laid_out(&code),
            r##"# [ derive ( X ) ] fn a < 'm > ( & 'm self ) -> Vec < Vec < u8 > > { f ( "b\"c" , 'x' , 1u8 ) }"##
        );
    }

    #[test]
    fn variables_that_can_be_iterated_are_repeated_beside_others() {
        let names = [Ident::new("a"), Ident::new("b")];
        let values = names.iter().map(|name| quote!(f(#name)));
        let ty = quote!(T);
        let code = quote!(#(#names: #ty = #values),*; #(#names #names;)*);
        assert_eq!(
            laid_out(&code),
            "a : T = f ( a ) , b : T = f ( b ) ; a a ; b b ;"
        );
    }

    #[test]
    fn repetitions_stand_in_repetitions() {
        let rows = [vec![quote!(a), quote!(b)], vec![], vec![quote!(c)]];
        let code = quote!(#([#(#rows)|*])*);
        assert_eq!(laid_out(&code), "[ a | b ] [ ] [ c ]");
    }

    #[test]
    fn comments_are_tokens_of_their_own() {
        let code = quote! {
            /// One line.
            pub struct A;
        };
        assert_eq!(laid_out(&code), "/// One line.\npub struct A ;");
        let mut code = Code::new();
        code.doc("two\nlines");
        assert_eq!(laid_out(&code), r#"# [ doc = "two\nlines" ]"#);
    }

    #[test]
    fn paths_that_users_give_become_code() {
        let code = Code::parse("::a::B<'static, [C; 2]>");
        assert_eq!(laid_out(&code), ":: a :: B < 'static , [ C ; 2 ] >");
    }
}

//! Words that Rust keeps to itself.

use proc_macro2::{TokenStream, TokenTree};

/// The keywords of edition 2024, strict and reserved.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["Self", "crate", "self", "super"];

/// Types that a module of the same name would hide.
const PRIMITIVE_TYPES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// The identifier for a name: itself, raw if it is a keyword, or with an
/// underscore behind it if not even that is allowed.
pub(crate) fn escape(name: &str) -> String {
    if NEVER_RAW.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// The identifier for a module. A module called `str` would hide the type.
pub(crate) fn escape_module(name: &str) -> String {
    if PRIMITIVE_TYPES.contains(&name) {
        format!("{name}_")
    } else {
        escape(name)
    }
}

/// The name inside a raw identifier.
pub(crate) fn unraw(identifier: &str) -> &str {
    identifier.strip_prefix("r#").unwrap_or(identifier)
}

/// Whether a text, which [`escape`] may have made, is an identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    let (name, is_raw) = match text.strip_prefix("r#") {
        Some(name) => (name, true),
        None => (text, false),
    };
    let is_kept = match is_raw {
        true => NEVER_RAW.contains(&name),
        false => KEYWORDS.contains(&name),
    };
    name != "_" && !is_kept && is_word(name)
}

/// Whether a text is an absolute path, with generic arguments or without.
pub(crate) fn is_path(text: &str) -> bool {
    let text = text.strip_prefix("::").unwrap_or(text);
    let (names, arguments) = match text.find('<') {
        Some(start) => text.split_at(start),
        None => (text, ""),
    };
    let has_arguments = arguments.is_empty()
        || (arguments.ends_with('>') && arguments.parse::<TokenStream>().is_ok());
    let names = names
        .strip_suffix("::")
        .filter(|_| !arguments.is_empty())
        .unwrap_or(names);
    has_arguments
        && names.split("::").all(|name| {
            let name = name.trim();
            is_identifier(name) || NEVER_RAW.contains(&name)
        })
}

/// Whether the lexer takes a text for one word.
fn is_word(text: &str) -> bool {
    if text.is_ascii() {
        let is_letter = |octet: u8| octet.is_ascii_alphabetic() || octet == b'_';
        return text.bytes().next().is_some_and(is_letter)
            && text
                .bytes()
                .all(|octet| is_letter(octet) || octet.is_ascii_digit());
    }
    let mut tokens = text.parse::<TokenStream>().into_iter().flatten();
    matches!(
        (tokens.next(), tokens.next()),
        (Some(TokenTree::Ident(word)), None) if word == text
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_raw_where_rust_allows_it() {
        for (name, expected) in [
            ("type", "r#type"),
            ("gen", "r#gen"),
            ("self", "self_"),
            ("Self", "Self_"),
            ("crate", "crate_"),
            ("super", "super_"),
            ("union", "union"),
            ("radius", "radius"),
        ] {
            assert_eq!(escape(name), expected);
        }
    }

    #[test]
    fn every_escaped_keyword_is_an_identifier() {
        for keyword in KEYWORDS {
            let escaped = escape(keyword);
            assert!(syn::parse_str::<syn::Ident>(&escaped).is_ok(), "{escaped}");
            assert!(
                is_identifier(&escaped) && !is_identifier(keyword),
                "{escaped}"
            );
            assert!(syn::parse_str::<syn::Ident>(keyword).is_err() || *keyword == "gen");
        }
    }

    #[test]
    fn identifiers_and_paths_are_told_from_what_is_none() {
        for text in ["a", "_a1", "r#type", "größe", "Self_"] {
            assert!(is_identifier(text), "{text}");
        }
        for text in ["", "_", "1a", "a b", "a-b", "type", "r#self", "a(", "a·b c"] {
            assert!(!is_identifier(text), "{text:?}");
        }
        for path in ["::a::B", "crate::a", "::a::B<u8>", "::a::B::<C<'static>>"] {
            assert!(is_path(path), "{path}");
        }
        for path in [
            "::",
            "::a::",
            "::a:b",
            "::a b",
            "::a::B<u8",
            "::a::B<(>",
            "::1",
        ] {
            assert!(!is_path(path), "{path}");
        }
    }

    #[test]
    fn modules_do_not_hide_primitive_types() {
        assert_eq!(escape_module("str"), "str_");
        assert_eq!(escape_module("match"), "r#match");
        assert_eq!(escape_module("demo"), "demo");
    }
}

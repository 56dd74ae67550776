//! Words that Rust keeps to itself.

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
            assert!(syn::parse_str::<syn::Ident>(keyword).is_err() || *keyword == "gen");
        }
    }

    #[test]
    fn modules_do_not_hide_primitive_types() {
        assert_eq!(escape_module("str"), "str_");
        assert_eq!(escape_module("match"), "r#match");
        assert_eq!(escape_module("demo"), "demo");
    }
}

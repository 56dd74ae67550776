//! Where a blank stands between two tokens of a run.

use super::token::{Kind, Tokens};

/// Whether a blank stands before the token at `index`, which is not the first
/// of its run.
pub(super) fn is_spaced(tokens: &Tokens<'_>, index: usize) -> bool {
    let (before, after) = (index - 1, index);
    let (left, right) = (tokens.get(before), tokens.get(after));
    let (left_text, right_text) = (tokens.text(before), tokens.text(after));
    match (left.kind, right.kind) {
        (Kind::Open, Kind::Close) => false,
        (Kind::Open, _) => left_text == "{" && !is_use_group(tokens, before),
        (_, Kind::Close) => right_text == "}" && !is_use_group(tokens, tokens.mate(after)),
        (Kind::Mark, _) if matches!(left_text, "," | ";" | ":") => true,
        (_, Kind::Mark) if right_text == "?" => matches!(left_text, "+" | "="),
        (_, Kind::Mark) if matches!(right_text, "," | ";" | ":" | "." | "..=") => false,
        (Kind::Word, Kind::Open) => right_text == "{" || is_spaced_keyword(left_text),
        (
            Kind::Word | Kind::Literal | Kind::Lifetime,
            Kind::Word | Kind::Literal | Kind::Lifetime,
        ) => true,
        (Kind::Lifetime, Kind::Open) => true,
        (Kind::Close, Kind::Open) => right_text == "{",
        (Kind::Close, Kind::Word | Kind::Literal | Kind::Lifetime) => true,
        (_, Kind::Mark) => is_mark_spaced(tokens, before, after),
        (Kind::Mark, _) => is_spaced_after_mark(tokens, before, after),
        _ => false,
    }
}

/// Whether the brace at `open` begins the names of an import.
fn is_use_group(tokens: &Tokens<'_>, open: usize) -> bool {
    open > 0 && tokens.text(open - 1) == "::"
}

/// Whether the `>` at `close` ends the parameters of an `impl`.
fn ends_parameters(tokens: &Tokens<'_>, close: usize) -> bool {
    let mut depth = 0_usize;
    for index in (0..=close).rev() {
        match tokens.text(index) {
            ">" => depth += 1,
            "<" => depth -= 1,
            ";" => return false,
            _ => {}
        }
        if depth == 0 {
            return index > 0 && tokens.text(index - 1) == "impl";
        }
    }
    false
}

fn is_mark_spaced(tokens: &Tokens<'_>, before: usize, after: usize) -> bool {
    let left = tokens.text(before);
    match tokens.text(after) {
        "+" | "=" | "->" | "=>" | "|" | "@" | "==" | "&&" | "||" | "+=" => {
            left != "(" && left != "<"
        }
        "::" => {
            if left == ">" {
                return ends_parameters(tokens, before);
            }
            let follows_keyword = tokens.get(before).kind == Kind::Word && is_keyword(left);
            let follows_lifetime = tokens.get(before).kind == Kind::Lifetime;
            follows_keyword
                || follows_lifetime
                || matches!(left, "=" | "->" | "+" | "|" | "@" | "=>")
        }
        "&" | "*" | "-" | "?" | "!" | "<" if tokens.get(before).kind == Kind::Mark => {
            matches!(left, "=" | "->" | "+" | "|" | "=>" | "@")
        }
        "&" | "*" | "-" => matches!(tokens.get(before).kind, Kind::Word),
        "<" => {
            tokens.get(before).kind == Kind::Word
                && is_keyword(left)
                && !matches!(left, "impl" | "fn" | "for")
        }
        "#" => true,
        _ => false,
    }
}

fn is_spaced_after_mark(tokens: &Tokens<'_>, before: usize, after: usize) -> bool {
    let is_brace = tokens.text(after) == "{";
    match tokens.text(before) {
        "+" | "=" | "->" | "=>" | "|" | "@" | "==" | "&&" | "||" | "+=" => true,
        ">" => match tokens.get(after).kind {
            Kind::Open => is_brace,
            _ => true,
        },
        "!" | ".." => is_brace,
        _ => false,
    }
}

fn is_spaced_keyword(word: &str) -> bool {
    is_keyword(word) && !matches!(word, "fn" | "pub")
}

/// Whether a word is a keyword that may stand before a delimiter.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "dyn"
            | "impl"
            | "in"
            | "mut"
            | "ref"
            | "for"
            | "const"
            | "let"
            | "match"
            | "if"
            | "return"
            | "where"
            | "static"
            | "type"
            | "use"
            | "move"
            | "while"
            | "else"
            | "break"
            | "pub"
            | "unsafe"
            | "loop"
    )
}

//! The arguments of macros.

use super::replacement::{Reader, Replacement};
use crate::lean;
use crate::lex::{Lexer, Punctuation, RawKind, RawToken};

/// The next token of text in which the ends of lines mean nothing; none at the
/// end.
pub(super) fn next_of_text(lexer: &mut Lexer) -> Option<RawToken> {
    loop {
        let token = lexer.next_token();
        match token.kind {
            RawKind::Newline => {}
            RawKind::End | RawKind::UnterminatedComment => return None,
            _ => return Some(token),
        }
    }
}

/// Reads arguments with their parentheses; whether the closing one is there.
pub(super) fn read_arguments(
    mut next: impl FnMut() -> Option<RawToken>,
    tokens: &mut Vec<RawToken>,
) -> bool {
    let mut depth = 0_usize;
    while let Some(token) = next() {
        match token.kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => depth += 1,
            RawKind::Punctuation(Punctuation::RightParenthesis) => depth = depth.saturating_sub(1),
            _ => {}
        }
        lean::push(tokens, token);
        if depth == 0 {
            return true;
        }
    }
    false
}

pub(super) fn opens(kind: &RawKind) -> bool {
    *kind == RawKind::Punctuation(Punctuation::LeftParenthesis)
}

pub(super) fn is_open(token: &RawToken) -> bool {
    opens(&token.kind)
}

/// The closing parenthesis of each opening one that has one, by its index.
/// Found for all at once: to look for each anew would take quadratic time where
/// many are never closed.
pub(super) fn closings_of(tokens: &Replacement<'_>) -> Vec<(u32, u32)> {
    let mut open = Vec::new();
    let mut closings = Vec::new();
    for (at, kind) in (0..).zip(tokens.kinds()) {
        match kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => lean::push(&mut open, at),
            RawKind::Punctuation(Punctuation::RightParenthesis) => {
                if let Some(opening) = open.pop() {
                    lean::push(&mut closings, (opening, at));
                }
            }
            _ => {}
        }
    }
    closings.sort_unstable();
    closings
}

/// The index of the parenthesis that closes the one which comes next.
pub(super) fn closing_of(closings: &[(u32, u32)], reader: &Reader<'_, '_>) -> Option<usize> {
    let opening = u32::try_from(reader.position).ok()?;
    let found = closings
        .binary_search_by_key(&opening, |pair| pair.0)
        .ok()?;
    Some(closings[found].1 as usize)
}

/// The arguments between parentheses, with which the tokens begin and end.
pub(super) fn arguments(tokens: &[RawToken]) -> Vec<&[RawToken]> {
    let mut list = Vec::new();
    let mut depth = 0_usize;
    let mut start = 1;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            RawKind::Punctuation(Punctuation::LeftParenthesis) => depth += 1,
            RawKind::Punctuation(Punctuation::Comma) if depth == 1 => {
                list.push(&tokens[start..at]);
                start = at + 1;
            }
            RawKind::Punctuation(Punctuation::RightParenthesis) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    list.push(tokens.get(start..tokens.len() - 1).unwrap_or_default());
    list
}

//! Prints Rust tokens, laid out as rustfmt lays out code by default.
//!
//! The tokens are put in one row ([`token`]), read into a tree that knows as
//! much of Rust as generated code has and a layout needs ([`parse`], [`tree`]),
//! and written with a limit on each line's columns ([`write`]). What the parser
//! does not know is written as it comes, never lost and never changed. Where
//! the layout decides, as rustfmt does, a comma after the last of several lines
//! comes in, and braces round the body of a closure or an arm.

mod parse;
mod spacing;
mod token;
mod tree;
mod write;

use proc_macro2::TokenStream;

use self::token::Tokens;
use self::write::Writer;

/// The text of a file with these items. The outermost of them that define
/// something, types, traits, modules and so on, have `attribute` besides their
/// own.
pub(crate) fn file(items: TokenStream, attribute: &str) -> String {
    let tokens = Tokens::new(items, spacing::is_spaced);
    let items = parse::file(&tokens);
    let mut writer = Writer::new(&tokens, tokens.len() * 8);
    writer.file(&items, attribute);
    writer.finish()
}

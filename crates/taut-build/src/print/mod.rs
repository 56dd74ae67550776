//! Prints Rust tokens, laid out as rustfmt lays out code by default.
//!
//! The tokens are put in one row ([`token`]), read into a tree that knows as
//! much of Rust as generated code has and a layout needs ([`parse`], [`tree`]),
//! and written with a limit on each line's columns ([`write`]). Tokens that the parser does
//! not understand are written as they come, never lost and never changed. Where the layout
//! decides, as rustfmt does, a comma after the last of several lines comes in, and braces
//! round the body of a closure or an arm.
//!
//! Items are printed a few at a time, and their text put together
//! ([`Printed`]): so they can be printed by several threads, and text that
//! occurs more than once is laid out once.

use crate::code::Code;

#[cfg(test)]
mod essence;
mod parse;
mod printed;
mod spacing;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod write;

pub(crate) use self::printed::Printed;
use self::token::Tokens;
use self::write::{STEP, Writer};

/// The text of items that stand in so many blocks. Those that define something,
/// types, traits, modules and so on, have `attribute` besides their own.
pub(crate) fn items(items: &Code, depth: usize, attribute: &str) -> Printed {
    #[cfg(test)]
    let emitted = items.to_string();
    let tokens = Tokens::new(items, spacing::is_spaced);
    let items = parse::items(&tokens);
    let mut writer = Writer::new(&tokens, tokens.len() * 6);
    let indent = STEP * depth as u32;
    writer.items(&items, indent, attribute);
    let printed = Printed::new(writer.finish(), indent, &items);
    #[cfg(test)]
    essence::assert_alike(&emitted, printed.text(), attribute);
    printed
}

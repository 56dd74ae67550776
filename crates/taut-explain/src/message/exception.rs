//! The body of a reply that is a system exception.

use alloc::format;
use alloc::vec::Vec;

use taut_cdr::Result;

use super::Rule;
use super::walk::{Walk, text};
use crate::{Fact, Value};
use taut_giop::{CompletionStatus, SystemExceptionKind, minor};

/// Reads a system exception. One that the standard does not know is marked, and
/// so is a completion that does not exist.
pub(super) fn read(walk: &mut Walk<'_>) -> Result<Vec<Fact>> {
    let start = walk.position();
    let id = walk.string()?;
    let kind = SystemExceptionKind::from_repository_id(id);
    if kind.is_none() {
        let what = format!("there is no system exception \"{}\"", id.escape_ascii());
        walk.mark(Rule::Exception, start, what);
    }
    let code: u32 = walk.read()?;
    let number: u32 = walk.read()?;
    let completed = match number {
        0 => Some(CompletionStatus::Yes),
        1 => Some(CompletionStatus::No),
        2 => Some(CompletionStatus::Maybe),
        _ => {
            let what = format!("the completion status is {number}, none of 0, 1 and 2");
            let offset = walk.position() - 4;
            walk.mark(Rule::Exception, offset, what);
            None
        }
    };
    let mut facts = Vec::from([
        Fact::text("id", text(id)),
        Fact::new(
            "minor",
            Value::Code {
                number: code,
                name: minor::vendor(code),
            },
        ),
    ]);
    if let (Some(kind), Some(_)) = (kind, completed) {
        if let Some(meaning) = minor::minor_meaning_in_reply(kind, code) {
            facts.push(Fact::text("meaning", meaning));
        }
        if let Some(error) = minor::system_error(code) {
            facts.push(Fact::text("error", error));
        }
    }
    if let Some(completed) = completed {
        facts.push(Fact::text("completed", completed.name()));
    }
    Ok(facts)
}

//! Reading values by their types.

use taut_cdr::{Decoder, Error, ErrorKind, Realignment};
use taut_explain::{Fact, Mark, Preamble, Rule};
use taut_giop::code_set;
use taut_types::tree::TreeReader;
use taut_types::{TCKind, TypeCode};

use super::shown::fact;
use crate::Limits;

/// Which values a message has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Arguments,
    Results,
    /// The members of the exception with this repository id.
    Exception(String),
}

/// Whose values are to be explained.
pub(crate) struct Question<'q> {
    pub(crate) operation: &'q str,
    pub(crate) kind: Kind,
    pub(crate) preamble: &'q Preamble,
    /// The whole message.
    pub(crate) bytes: &'q [u8],
    pub(crate) realignments: &'q [Realignment],
    /// Where the values begin; none when there are no octets for them.
    pub(crate) offset: Option<usize>,
    /// The code sets of the connection.
    pub(crate) code_sets: Option<(u32, u32)>,
}

/// The outcome of reading values.
pub(super) struct Reading {
    pub(super) facts: Vec<Fact>,
    pub(super) fault: Option<Fault>,
}

impl Reading {
    pub(super) fn not_explained(why: String) -> Self {
        Self {
            facts: Vec::new(),
            fault: Some(Fault::NotExplained(why)),
        }
    }

    /// The same, with the interface named to which the octets do not fit.
    pub(super) fn of(mut self, interface: &str) -> Self {
        if let Some(Fault::Mark(mark)) = &mut self.fault {
            mark.what = format!("{} (as {interface} has it)", mark.what);
        }
        self
    }
}

/// Why values were not read to their end.
pub(super) enum Fault {
    /// They break the standard.
    Mark(Mark),
    /// More than the IDL must be known to read them.
    NotExplained(String),
}

pub(super) fn read(
    question: &Question<'_>,
    values: &[(String, TypeCode)],
    limits: &Limits,
    has_context: bool,
) -> Reading {
    let end = question.bytes.len();
    let mut input = Decoder::new(question.bytes, question.preamble.order)
        .with_realignments(question.realignments)
        .with_wide_form(question.preamble.version.wide_form());
    if let Some((char_set, _)) = question.code_sets
        && let Ok(char_set) = code_set::char_code_set(char_set)
    {
        input = input.with_char_code_set(char_set);
    }
    // Where there is no body, its values are missing at the message's end.
    let _ = input.skip(question.offset.unwrap_or(end).min(end));
    let mut reader = TreeReader::new(limits.max_values);
    let mut facts = Vec::new();
    for (name, type_code) in values {
        match reader.read(type_code, &mut input) {
            Ok(tree) => facts.push(fact(name, tree)),
            Err(error) => {
                let fault = Some(fault(name, type_code, &error));
                return Reading { facts, fault };
            }
        }
    }
    let remaining = input.remaining();
    let fault = (remaining > 0 && !has_context).then(|| {
        let what = format!(
            "{remaining} octets behind the last value of `{}`",
            question.operation
        );
        Fault::Mark(Mark::new(Rule::Trailing, input.position(), what))
    });
    Reading { facts, fault }
}

fn fault(name: &str, type_code: &TypeCode, error: &Error) -> Fault {
    let kind = error.kind();
    let is_certain = matches!(
        kind,
        ErrorKind::Truncated { .. }
            | ErrorKind::LengthBeyondMessage { .. }
            | ErrorKind::BoundExceeded { .. }
            | ErrorKind::InvalidBoolean(_)
            | ErrorKind::InvalidEnum { .. }
            | ErrorKind::UnterminatedString
            | ErrorKind::NulInString
            | ErrorKind::WideForbidden
    );
    let what = format!("`{name}`: {kind}");
    // The state of a value type is laid out by ids that the IDL need not know.
    match is_certain
        && !matches!(
            type_code.without_aliases().kind(),
            TCKind::Value | TCKind::Event
        ) {
        true => Fault::Mark(Mark::new(Rule::of_cdr(&kind), error.offset(), what)),
        false => Fault::NotExplained(what),
    }
}

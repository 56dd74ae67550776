//! Explanations of references and messages, shown.

mod json;
mod text;

use taut_explain::{Content, Fact, Value};

use crate::failure::Failure;

pub(crate) use text::{indented, text};

/// The explanation as JSON: an object whose keys are the names in snake case.
///
/// # Errors
///
/// None today.
pub(crate) fn json(facts: &[Fact]) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(&json::Facts(facts)).map_err(Failure::new)?;
    text.push('\n');
    Ok(text)
}

/// The explanation as a part of a larger object.
///
/// # Errors
///
/// None today.
pub(crate) fn value(facts: &[Fact]) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(json::Facts(facts)).map_err(Failure::new)
}

/// How many profiles, components and names are malformed.
pub(crate) fn count_malformed(facts: &[Fact]) -> usize {
    facts.iter().map(|fact| count(&fact.value)).sum()
}

fn count(value: &Value) -> usize {
    match value {
        Value::List(values) => values.iter().map(count).sum(),
        Value::Facts(facts) => count_malformed(facts),
        Value::Tagged(tagged) => match &tagged.content {
            Content::Known(facts) => count_malformed(facts),
            Content::Unknown => 0,
            Content::Malformed(_) => 1,
        },
        Value::Fault(_) => 1,
        _ => 0,
    }
}

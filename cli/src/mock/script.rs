//! Scripts: which call gets which answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use taut::{SystemException, SystemExceptionKind};
use taut_dynamic::{InterfaceDescription, Signature, Value};
use taut_giop::CompletionStatus;
use taut_json::{Resolver, from_json_with, to_json};
use taut_types::TypeCode;

use super::generate::Generator;
use crate::failure::Failure;
use crate::input;
use crate::output::visible;

/// Answers in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct Script(Vec<Answer>);

/// An answer, and the calls that get it.
#[derive(Debug)]
pub(super) struct Answer {
    operation: String,
    /// The arguments, or parts of them, that the call must have.
    arguments: Map<String, Json>,
    /// The time before it goes out.
    pub(super) delay: Duration,
    /// How often it may still be given; none: as often as asked.
    left: Option<AtomicU64>,
    pub(super) outcome: Outcome,
}

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The result and the `inout` and `out` values, where the script has them.
    Returned(Option<Value>, Vec<Option<Value>>),
    /// A user exception by its type and its members.
    Raised(TypeCode, Value),
    /// A system exception.
    Refused(SystemException),
}

/// The text of a script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    answers: Vec<AnswerText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerText {
    operation: String,
    #[serde(default)]
    arguments: Map<String, Json>,
    result: Option<Json>,
    #[serde(default)]
    out: Map<String, Json>,
    exception: Option<String>,
    #[serde(default)]
    members: Map<String, Json>,
    #[serde(default)]
    minor: u32,
    #[serde(default)]
    delay_ms: u64,
    times: Option<u64>,
}

impl Script {
    /// Reads the script in a file for an interface.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not fit the interface; the message names the answer.
    pub(super) fn read(
        path: &str,
        octets_max: usize,
        interface: &InterfaceDescription,
        resolve: Resolver<'_>,
    ) -> Result<Self, Failure> {
        let text = input::read_text(path, octets_max)?;
        let place = visible(path).into_owned();
        let wrong = |error: &dyn std::fmt::Display| Failure::Message(format!("{place}: {error}"));
        let is_json = text.trim_start().starts_with('{');
        let script: Text = match is_json {
            true => serde_json::from_str(&text).map_err(|error| wrong(&error))?,
            false => toml::from_str(&text).map_err(|error| wrong(&error))?,
        };
        let answers = script.answers.into_iter().enumerate().map(|(index, text)| {
            let answer = Answer::new(text, interface, resolve);
            answer.map_err(|fault| wrong(&format!("answers[{index}]: {fault}")))
        });
        Ok(Self(answers.collect::<Result<_, _>>()?))
    }

    /// Returns the answer of a call.
    pub(super) fn answer(&self, operation: &str, arguments: &Map<String, Json>) -> Option<&Answer> {
        let mut answers = self.0.iter();
        answers.find(|answer| {
            answer.operation == operation && has(arguments, &answer.arguments) && answer.is_left()
        })
    }
}

impl Answer {
    fn new(
        text: AnswerText,
        interface: &InterfaceDescription,
        resolve: Resolver<'_>,
    ) -> Result<Self, String> {
        let operation = match text.operation.split_once(' ') {
            Some((mode @ ("get" | "set"), attribute)) => format!("_{mode}_{}", attribute.trim()),
            _ => text.operation.clone(),
        };
        let signature = interface.signature(&operation)?;
        let mut arguments = Map::new();
        for (name, json) in text.arguments {
            let type_code = &parameter(signature, &name, true)?.type_code;
            // In the form in which the arguments of calls are shown; a part of a value stays as
            // it is.
            let whole = from_json_with(type_code, &json, resolve);
            let shown = whole.and_then(|value| to_json(type_code, &value));
            arguments.insert(name, shown.unwrap_or(json));
        }
        let outcome = match &text.exception {
            Some(_) if text.result.is_some() || !text.out.is_empty() => {
                return Err("it has an exception, and results beside it".to_owned());
            }
            Some(name) => raised(signature, name, text.members, text.minor, resolve)?,
            None if !text.members.is_empty() => {
                return Err("it has members, and no exception".to_owned());
            }
            None => returned(signature, text.result.as_ref(), text.out, resolve)?,
        };
        Ok(Self {
            operation,
            arguments,
            delay: Duration::from_millis(text.delay_ms),
            left: text.times.map(AtomicU64::new),
            outcome,
        })
    }

    /// Whether it may be given once more; then it is.
    fn is_left(&self) -> bool {
        let Some(left) = &self.left else { return true };
        let order = Ordering::Relaxed;
        left.fetch_update(order, order, |left| left.checked_sub(1))
            .is_ok()
    }
}

fn parameter<'s>(
    signature: &'s Signature,
    name: &str,
    is_sent: bool,
) -> Result<&'s taut_dynamic::Parameter, String> {
    let of_way = |one: &&taut_dynamic::Parameter| match is_sent {
        true => one.is_sent(),
        false => one.is_received(),
    };
    let mut all = signature.parameters.iter().filter(of_way);
    all.clone().find(|one| one.name == name).ok_or_else(|| {
        let known: Vec<_> = all.by_ref().map(|one| &*one.name).collect();
        let (way, operation) = (
            if is_sent { "takes" } else { "gives" },
            &signature.operation,
        );
        let known = match known.is_empty() {
            true => "none".to_owned(),
            false => known.join(", "),
        };
        format!("{operation} {way} no `{name}`, but {known}")
    })
}

fn returned(
    signature: &Signature,
    result: Option<&Json>,
    out: Map<String, Json>,
    resolve: Resolver<'_>,
) -> Result<Outcome, String> {
    if result.is_some() && !signature.has_result() {
        return Err(format!("{} returns nothing", signature.operation));
    }
    let read = |place: &str, type_code: &TypeCode, json: &Json| {
        let value = from_json_with(type_code, json, resolve);
        value.map_err(|error| format!("{place}: {error}"))
    };
    let result = result.map(|json| read("result", &signature.result, json));
    for name in out.keys() {
        parameter(signature, name, false)?;
    }
    let received = signature.parameters.iter().filter(|one| one.is_received());
    let others = received.map(|one| {
        let json = out.get(&one.name);
        json.map(|json| read(&one.name, &one.type_code, json))
            .transpose()
    });
    Ok(Outcome::Returned(
        result.transpose()?,
        others.collect::<Result<_, _>>()?,
    ))
}

fn raised(
    signature: &Signature,
    name: &str,
    members: Map<String, Json>,
    minor: u32,
    resolve: Resolver<'_>,
) -> Result<Outcome, String> {
    let as_id = format!(
        "IDL:{}:1.0",
        name.trim_start_matches("::").replace("::", "/")
    );
    let is_it = |one: &&TypeCode| {
        let id = one.id().unwrap_or_default();
        id == name || id == as_id || one.name() == Ok(name)
    };
    if let Some(exception) = signature.exceptions.iter().find(is_it) {
        let members = match members.is_empty() {
            true => Generator::new(None).value(exception),
            false => from_json_with(exception, &Json::Object(members), resolve),
        };
        let members = members.map_err(|error| format!("members: {error}"))?;
        return Ok(Outcome::Raised(exception.clone(), members));
    }
    let mut kinds = SystemExceptionKind::ALL.iter();
    let kind = kinds.find(|kind| kind.name() == name || kind.repository_id() == name);
    let kind = kind.ok_or_else(|| {
        let ids = signature.exceptions.iter();
        let ids: Vec<_> = ids.map(|one| one.id().unwrap_or_default()).collect();
        let raises = match ids.is_empty() {
            true => "none".to_owned(),
            false => ids.join(", "),
        };
        format!(
            "`{name}` is no system exception, and of user exceptions {} raises {raises}",
            signature.operation
        )
    })?;
    let exception = SystemException::new(*kind, minor, CompletionStatus::No);
    Ok(Outcome::Refused(exception))
}

/// Whether an object has all members of another, and these the same values; objects in it
/// likewise.
fn has(object: &Map<String, Json>, expected: &Map<String, Json>) -> bool {
    expected.iter().all(|(name, expected)| {
        object
            .get(name)
            .is_some_and(|found| is_like(found, expected))
    })
}

fn is_like(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (Json::Object(found), Json::Object(expected)) => has(found, expected),
        (Json::Array(found), Json::Array(expected)) => {
            let mut pairs = found.iter().zip(expected);
            found.len() == expected.len() && pairs.all(|(one, other)| is_like(one, other))
        }
        _ => found == expected,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_of_an_argument_is_enough() {
        let found = json!({"point": {"x": 1, "y": 2}, "name": "a"});
        for (expected, is_there) in [
            (json!({}), true),
            (json!({"name": "a"}), true),
            (json!({"point": {"y": 2}}), true),
            (json!({"point": {"y": 3}}), false),
            (json!({"other": 1}), false),
        ] {
            let (found, expected) = (found.as_object(), expected.as_object());
            assert_eq!(has(found.unwrap(), expected.unwrap()), is_there);
        }
        assert!(!is_like(&json!([1, 2]), &json!([1])));
    }
}

//! Arguments from the command line.

use serde_json::{Map, Value as Json};
use taut_dynamic::{Parameter, Request};
use taut_json::{Resolver, from_json_with};
use taut_types::{TCKind, TypeCode};

use crate::failure::Failure;
use crate::output::visible;

/// Gives a request its values.
///
/// # Errors
///
/// When there is one too many or too few, or one does not fit its parameter.
pub(crate) fn fill(
    request: &mut Request,
    given: &[String],
    resolve: Resolver<'_>,
) -> Result<(), Failure> {
    let signature = request.signature().clone();
    let sent: Vec<&Parameter> = signature
        .parameters
        .iter()
        .filter(|one| one.is_sent())
        .collect();
    let mut values = match given {
        [only] if only.trim_start().starts_with('{') => whole(only)?,
        given => named(given, &sent)?,
    };
    for parameter in sent {
        let Some(json) = values.remove(&parameter.name) else {
            return Err(Failure::Message(format!(
                "the argument `{}` is missing: write {}=VALUE",
                parameter.name, parameter.name
            )));
        };
        let value = from_json_with(&parameter.type_code, &json, resolve);
        let value = value.map_err(|error| {
            Failure::Message(format!(
                "`{}`: {}",
                parameter.name,
                visible(&error.to_string())
            ))
        })?;
        request.set(&parameter.name, value).map_err(Failure::new)?;
    }
    match values.keys().next() {
        None => Ok(()),
        Some(name) => Err(unknown(name, &signature.parameters)),
    }
}

/// All arguments as one object in JSON.
fn whole(text: &str) -> Result<Map<String, Json>, Failure> {
    match serde_json::from_str(text) {
        Ok(Json::Object(values)) => Ok(values),
        Ok(_) => Err(Failure::new(
            "the arguments are an object in JSON, or NAME=VALUE",
        )),
        Err(error) => Err(Failure::Message(format!(
            "the arguments are no JSON: {error}"
        ))),
    }
}

/// Arguments as NAME=VALUE. A VALUE alone is that of the only parameter.
fn named(given: &[String], sent: &[&Parameter]) -> Result<Map<String, Json>, Failure> {
    let mut values = Map::new();
    for text in given {
        let (parameter, text) = match (text.split_once('='), sent) {
            (Some((name, text)), _) if sent.iter().any(|one| one.name == name) => {
                let parameter = sent.iter().find(|one| one.name == name);
                (parameter.copied(), text)
            }
            (split, [only]) if split.is_none() || takes_text(&only.type_code) => {
                (Some(*only), &**text)
            }
            (Some((name, _)), _) => {
                let all: Vec<_> = sent.iter().map(|one| (*one).clone()).collect();
                return Err(unknown(name, &all));
            }
            (None, _) => (None, &**text),
        };
        let Some(parameter) = parameter else {
            let text = visible(text);
            return Err(Failure::Message(format!(
                "`{text}` is no argument: write NAME=VALUE"
            )));
        };
        let value = one(text, &parameter.type_code)?;
        if values.insert(parameter.name.clone(), value).is_some() {
            return Err(Failure::Message(format!(
                "`{}` is given twice",
                parameter.name
            )));
        }
    }
    Ok(values)
}

/// A value: JSON, or a text as it is where that is one of the type's forms.
fn one(text: &str, type_code: &TypeCode) -> Result<Json, Failure> {
    let parsed: Result<Json, _> = serde_json::from_str(text);
    match (type_code.without_aliases().kind(), parsed) {
        // Digits are a text too.
        (TCKind::String | TCKind::WString | TCKind::Char | TCKind::WChar, Ok(json))
            if !json.is_string() =>
        {
            Ok(text.into())
        }
        (_, Ok(json)) => Ok(json),
        (_, Err(_)) if takes_text(type_code) => Ok(text.into()),
        (_, Err(error)) => {
            let text = visible(text);
            Err(Failure::Message(format!("`{text}` is no JSON: {error}")))
        }
    }
}

/// Whether a text that is no JSON may be a value of the type.
fn takes_text(type_code: &TypeCode) -> bool {
    matches!(
        type_code.without_aliases().kind(),
        TCKind::String
            | TCKind::WString
            | TCKind::Char
            | TCKind::WChar
            | TCKind::Enum
            | TCKind::Fixed
            | TCKind::ObjectReference
            | TCKind::Float
            | TCKind::Double
    )
}

fn unknown(name: &str, known: &[Parameter]) -> Failure {
    let sent: Vec<_> = known
        .iter()
        .filter(|one| one.is_sent())
        .map(|one| &*one.name)
        .collect();
    let name = visible(name);
    Failure::Message(match sent.is_empty() {
        true => format!("the operation takes no `{name}`: it takes nothing"),
        false => format!(
            "the operation takes no `{name}`: it takes {}",
            sent.join(", ")
        ),
    })
}

//! The results of calls, as JSON.

use serde_json::{Map, Value as Json, json};
use taut_dynamic::{RaisedValue, Request, RequestError, Value};
use taut_json::to_json;
use taut_types::TypeCode;

use crate::failure::Failure;
use crate::output;

/// The name of the result beside the out parameters; no parameter has it.
pub(crate) const RESULT: &str = "$result";

/// Writes what came of a call.
///
/// # Errors
///
/// When it raised an exception, or the output cannot be written.
pub(super) fn show(
    request: &Request,
    outcome: Result<(), RequestError>,
    in_json: bool,
) -> Result<(), Failure> {
    match outcome {
        Ok(()) => write(&results(request)?, in_json),
        Err(RequestError::Raised(raised)) => {
            let members = members(&raised)?;
            if in_json {
                write(
                    &json!({"$exception": raised.repository_id, "$members": members}),
                    true,
                )?;
                return Err(Failure::Reported);
            }
            let id = output::visible(&raised.repository_id);
            Err(Failure::Message(match members {
                Json::Null => format!("the operation raised {id}, which the IDL does not list"),
                Json::Object(members) if members.is_empty() => format!("the operation raised {id}"),
                members => format!("the operation raised {id} {members}"),
            }))
        }
        Err(RequestError::System(exception)) if in_json => {
            let text = exception.to_string();
            write(
                &json!({"$exception": exception.kind.repository_id(), "$text": text}),
                true,
            )?;
            Err(Failure::Reported)
        }
        Err(error) => Err(Failure::Message(
            output::visible(&error.to_string()).into_owned(),
        )),
    }
}

fn members(raised: &RaisedValue) -> Result<Json, Failure> {
    match &raised.members {
        Some((type_code, value)) => shown(type_code, value),
        None => Ok(Json::Null),
    }
}

/// The result, or an object with it and the values of the out parameters.
pub(crate) fn results(request: &Request) -> Result<Json, Failure> {
    let signature = request.signature();
    let mut all = Map::new();
    if signature.has_result() {
        all.insert(
            RESULT.to_owned(),
            shown(&signature.result, request.result())?,
        );
    }
    for parameter in signature.parameters.iter().filter(|one| one.is_received()) {
        if let Some(value) = request.value(&parameter.name) {
            all.insert(parameter.name.clone(), shown(&parameter.type_code, value)?);
        }
    }
    Ok(one_or_all(all))
}

/// Returns the result where it is alone, null where there is nothing, and all values by their
/// names elsewhere.
pub(crate) fn one_or_all(mut all: Map<String, Json>) -> Json {
    if all.len() == 1
        && let Some(result) = all.remove(RESULT)
    {
        return result;
    }
    match all.is_empty() {
        true => Json::Null,
        false => Json::Object(all),
    }
}

fn shown(type_code: &TypeCode, value: &Value) -> Result<Json, Failure> {
    to_json(type_code, value).map_err(Failure::new)
}

fn write(json: &Json, in_one_line: bool) -> Result<(), Failure> {
    let text = match in_one_line {
        true => json.to_string(),
        false if json.is_null() => return Ok(()),
        false => format!("{json:#}"),
    };
    // JSON escapes what might steer a terminal.
    Ok(output::write_code(&format!("{text}\n"))?)
}

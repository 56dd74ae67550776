//! One session of the shell: its object, and what its lines do.

use std::sync::Arc;

use serde_json::Value as Json;
use taut::{ObjectRef, Orb};
use taut_dynamic::InterfaceDescription;

use super::{Arguments, words};
use crate::call::{self, describe, interface, outcome};
use crate::failure::Failure;
use crate::objects::object_at;
use crate::output::{self, FAINT, visible};

/// The commands that are no operations, each with its explanation.
pub(super) const COMMANDS: [(&str, &str); 4] = [
    ("describe", "list the operations and attributes"),
    ("use", "go on with another object: use REFERENCE, use $1"),
    ("help", "explain the commands"),
    ("quit", "end"),
];

/// The state between two lines.
pub(super) struct Session<'s> {
    arguments: &'s Arguments,
    orb: &'s Orb,
    object: ObjectRef,
    pub(super) interface: Arc<InterfaceDescription>,
    /// The results so far; the first is `$1`.
    results: Vec<Json>,
}

/// How a line leaves the session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    End,
}

impl<'s> Session<'s> {
    /// A session that begins with an object.
    ///
    /// # Errors
    ///
    /// When the object does not answer, or the IDL does not know its interface.
    pub(super) fn new(orb: &'s Orb, arguments: &'s Arguments) -> Result<Self, Failure> {
        let object = object_at(orb, &arguments.reference, arguments.read)?;
        Ok(Self {
            interface: interface_of(orb, &object, arguments)?,
            arguments,
            orb,
            object,
            results: Vec::new(),
        })
    }

    /// Does what a line says.
    ///
    /// # Errors
    ///
    /// The fault of the line, or how its call failed.
    pub(super) fn line(&mut self, line: &str) -> Result<Next, Failure> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(Next::Line);
        }
        let words = words::split(line).map_err(Failure::new)?;
        let Some((first, given)) = words.split_first() else {
            return Ok(Next::Line);
        };
        let is_operation = self
            .interface
            .operations
            .iter()
            .any(|(name, _)| name == first);
        match first.strip_prefix(':').unwrap_or(first) {
            _ if is_operation => {}
            "describe" => {
                output::write(&describe::as_text(&self.interface))?;
                return Ok(Next::Line);
            }
            "use" => return self.go_on_with(given),
            "help" => {
                output::write(&help())?;
                return Ok(Next::Line);
            }
            "quit" | "exit" => return Ok(Next::End),
            _ => {}
        }
        let given = given.iter().map(|word| self.with_results(word));
        let given: Vec<String> = given.collect::<Result<_, _>>()?;
        let (operation, given) = interface::chosen(&self.interface, first, &given)?;
        let read = self.arguments.read;
        let mut request = call::request(
            self.orb,
            &self.object,
            &self.interface,
            &operation,
            given,
            read,
        )?;
        request.set_context(Arc::new(call::time_out(self.arguments.timeout)));
        match request.invoke() {
            Ok(()) => self.keep(outcome::results(&request)?),
            ended => {
                outcome::show(&request, ended, self.arguments.json)?;
                Ok(Next::Line)
            }
        }
    }

    /// Writes a result, and keeps it for the lines that follow.
    fn keep(&mut self, result: Json) -> Result<Next, Failure> {
        if self.arguments.json {
            output::write_code(&format!("{result}\n"))?;
        } else if !result.is_null() {
            let number = self.results.len() + 1;
            output::write(&format!("{FAINT}${number} ={FAINT:#} {result:#}\n"))?;
        }
        if self.arguments.json || !result.is_null() {
            self.results.push(result);
        }
        Ok(Next::Line)
    }

    fn go_on_with(&mut self, given: &[String]) -> Result<Next, Failure> {
        let [reference] = given else {
            return Err(Failure::new(
                "use needs one reference: use REFERENCE, use $1",
            ));
        };
        let reference = self.with_results(reference)?;
        let object = object_at(self.orb, &reference, self.arguments.read)?;
        self.interface = interface_of(self.orb, &object, self.arguments)?;
        self.object = object;
        Ok(Next::Line)
    }

    /// A word in which `$1`, or a part such as `$1.bi` and `$1[0]`, stands for that result.
    fn with_results(&self, word: &str) -> Result<String, Failure> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (format!("{name}="), value),
            None => (String::new(), word),
        };
        let Some(path) = value.strip_prefix('$') else {
            return Ok(word.to_owned());
        };
        let digits = path
            .find(|one: char| !one.is_ascii_digit())
            .unwrap_or(path.len());
        let (number, rest) = path.split_at(digits);
        if number.is_empty() {
            return Ok(word.to_owned());
        }
        let index: Option<usize> = number.parse().ok();
        let result = index.and_then(|index| self.results.get(index.checked_sub(1)?));
        let result = result.ok_or_else(|| {
            let count = self.results.len();
            Failure::Message(format!("there is no ${number}: there are {count} results"))
        })?;
        let part = part(result, rest).ok_or_else(|| {
            let rest = visible(rest);
            Failure::Message(format!("${number} has no part {rest}"))
        })?;
        Ok(name
            + &part
                .as_str()
                .map_or_else(|| part.to_string(), str::to_owned))
    }
}

fn interface_of(
    orb: &Orb,
    object: &ObjectRef,
    arguments: &Arguments,
) -> Result<Arc<InterfaceDescription>, Failure> {
    let asked = call::time_out(arguments.timeout);
    let interface = asked.within(|| arguments.knowledge.of(orb, object))?;
    Ok(Arc::new(interface))
}

/// A part of a value, by a path such as `.bl[0].name`.
fn part<'j>(json: &'j Json, path: &str) -> Option<&'j Json> {
    let mut part = json;
    let mut path = path;
    while !path.is_empty() {
        if let Some(rest) = path.strip_prefix('[') {
            let (index, rest) = rest.split_once(']')?;
            part = part.get(index.parse::<usize>().ok()?)?;
            path = rest;
        } else {
            let rest = path.strip_prefix('.')?;
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            part = part.get(&rest[..end])?;
            path = &rest[end..];
        }
    }
    Some(part)
}

fn help() -> String {
    let mut text = "\
OPERATION [NAME=VALUE]...  call an operation, as taut call does
get NAME, set NAME=VALUE   read and write an attribute
"
    .to_owned();
    for (name, explanation) in COMMANDS {
        text += &format!("{name:<26} {explanation}\n");
    }
    text + "\
$1 is the first result, $1.name and $1[0] are parts of it. Where an operation has the name of a
command, the command is written with a colon: :use.
"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_of_a_result_has_a_path() {
        let json = json!({"bl": [{"name": "a"}], "bi": null});
        assert_eq!(part(&json, ""), Some(&json));
        assert_eq!(part(&json, ".bl[0].name"), Some(&json!("a")));
        assert_eq!(part(&json, ".bi"), Some(&Json::Null));
        for path in [".bl[1]", ".none", "bl", ".bl[x]", ".bl[0"] {
            assert_eq!(part(&json, path), None, "{path}");
        }
    }
}

//! Arguments, results and exceptions by the names and types that IDL gives them.

mod reading;
mod shown;

use std::collections::HashMap;

use taut_explain::Fact;
use taut_idl::Model;
use taut_idl::model::{DefinitionKind, ParameterMode};
use taut_idl_types::{CalledOperation, TypeCodeFault, TypeCodes};
use taut_types::{TCKind, TypeCode};

use self::reading::{Fault, Reading, read};
pub(crate) use self::reading::{Kind, Question};
use self::shown::RETURN_VALUE;
use crate::{Limits, Message};

/// The operations and exceptions of IDL: what the values in messages are.
///
/// A message names an operation, not the interface that has it. Where several
/// interfaces have an operation of that name, the first whose types fit the
/// octets is taken.
#[derive(Debug, Clone)]
pub struct Interfaces {
    operations: HashMap<String, Vec<Signature>>,
    /// By their repository ids.
    exceptions: HashMap<String, TypeCode>,
}

/// Names and types, in order.
type Values = Vec<(String, TypeCode)>;

/// An operation of one interface.
#[derive(Debug, Clone, PartialEq)]
struct Signature {
    interface: String,
    /// `in` and `inout`, or why they are not known.
    arguments: Result<Values, TypeCodeFault>,
    /// The return value, `inout` and `out`, or why they are not known.
    results: Result<Values, TypeCodeFault>,
    /// Whether properties of an IDL context may follow the arguments.
    has_context: bool,
}

impl Signature {
    fn of(interface: &str, operation: &CalledOperation) -> Self {
        let parameters = |other: ParameterMode| {
            let goes = operation
                .parameters
                .iter()
                .filter(move |one| one.1 != other);
            goes.map(|(name, _, type_code)| Ok((name.clone(), type_code.clone()?)))
        };
        let result = operation.result.iter();
        let result = result.map(|type_code| Ok((RETURN_VALUE.to_owned(), type_code.clone()?)));
        Self {
            interface: interface.to_owned(),
            arguments: parameters(ParameterMode::Out).collect(),
            results: result.chain(parameters(ParameterMode::In)).collect(),
            has_context: operation.has_context,
        }
    }
}

impl Default for Interfaces {
    /// The operations that every object has (CORBA 3.3 part 1, 8.2).
    fn default() -> Self {
        let mut interfaces = Self {
            operations: HashMap::new(),
            exceptions: HashMap::new(),
        };
        let simple = |kind| TypeCode::primitive(kind).unwrap_or_else(|_| TypeCode::null());
        let object = TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object");
        let object = object.unwrap_or_else(|_| TypeCode::null());
        let id = ("logical_type_id".to_owned(), TypeCode::string(0));
        for (name, arguments, result) in [
            ("_is_a", vec![id], simple(TCKind::Boolean)),
            ("_non_existent", Vec::new(), simple(TCKind::Boolean)),
            ("_not_existent", Vec::new(), simple(TCKind::Boolean)),
            ("_repository_id", Vec::new(), TypeCode::string(0)),
            ("_interface", Vec::new(), object.clone()),
            ("_component", Vec::new(), object),
        ] {
            let results = vec![(RETURN_VALUE.to_owned(), result)];
            interfaces.add(
                name.to_owned(),
                Signature {
                    interface: "CORBA::Object".to_owned(),
                    arguments: Ok(arguments),
                    results: Ok(results),
                    has_context: false,
                },
            );
        }
        interfaces
    }
}

impl Interfaces {
    /// The operations and exceptions of a model, besides those that every object
    /// has.
    pub fn new(model: &Model) -> Self {
        let mut interfaces = Self::default();
        let mut type_codes = TypeCodes::new(model);
        for (id, definition) in model.definitions() {
            match &definition.kind {
                DefinitionKind::Interface(interface) => {
                    let name = definition.scoped_name.join("::");
                    for operation in type_codes.operations_of(interface) {
                        let signature = Signature::of(&name, &operation);
                        interfaces.add(operation.name, signature);
                    }
                }
                DefinitionKind::Exception(_) => {
                    if let Ok(type_code) = type_codes.of_definition(id) {
                        let repository_id = definition.repository_id.clone();
                        interfaces
                            .exceptions
                            .insert(repository_id.to_string(), type_code);
                    }
                }
                _ => {}
            }
        }
        interfaces
    }

    /// Adds an operation that is known otherwise than by IDL: what goes to the servant, and what
    /// comes back, the values of `inout` parameters in both.
    pub fn add_operation(
        &mut self,
        interface: &str,
        operation: &str,
        sent: Vec<(String, TypeCode)>,
        result: Option<TypeCode>,
        received: Vec<(String, TypeCode)>,
    ) {
        let result = result.map(|type_code| (RETURN_VALUE.to_owned(), type_code));
        let signature = Signature {
            interface: interface.to_owned(),
            arguments: Ok(sent),
            results: Ok(result.into_iter().chain(received).collect()),
            has_context: false,
        };
        self.add(operation.to_owned(), signature);
    }

    /// Adds an exception; a TypeCode without a repository id is none.
    pub fn add_exception(&mut self, exception: TypeCode) {
        if let Ok(id) = exception.id() {
            self.exceptions.insert(id.to_owned(), exception.clone());
        }
    }

    fn add(&mut self, operation: String, signature: Signature) {
        self.operations
            .entry(operation)
            .or_default()
            .push(signature);
    }

    /// Adds a message's values, and marks what is wrong with them.
    pub(crate) fn explain(&self, question: &Question<'_>, limits: &Limits, message: &mut Message) {
        let reading = match &question.kind {
            Kind::Exception(id) => match self.exceptions.get(id) {
                Some(type_code) => {
                    let members = [("members".to_owned(), type_code.clone())];
                    read(question, &members, limits, false)
                }
                None => return,
            },
            kind => match self.first_that_fits(question, kind, limits) {
                Some(reading) => reading,
                None => return,
            },
        };
        message.values = reading.facts;
        match reading.fault {
            None => {}
            Some(Fault::Mark(mark)) => message.marks.push(mark),
            Some(Fault::NotExplained(why)) => {
                message.values.push(Fact::text("not explained", why));
            }
        }
    }

    fn first_that_fits(
        &self,
        question: &Question<'_>,
        kind: &Kind,
        limits: &Limits,
    ) -> Option<Reading> {
        let signatures = self.operations.get(question.operation)?;
        let mut first = None;
        for signature in signatures {
            let (values, has_context) = match kind {
                Kind::Arguments => (&signature.arguments, signature.has_context),
                _ => (&signature.results, false),
            };
            let reading = match values {
                Ok(values) => read(question, values, limits, has_context),
                Err(fault) => Reading::not_explained(fault.to_string()),
            };
            if reading.fault.is_none() {
                return Some(reading);
            }
            first.get_or_insert(reading);
        }
        match &signatures[..] {
            [only] => first.map(|reading| reading.of(&only.interface)),
            several => {
                let interfaces = several.iter().map(|one| one.interface.as_str());
                let interfaces: Vec<&str> = interfaces.take(8).collect();
                Some(Reading::not_explained(format!(
                    "the octets fit the operation of none of {}",
                    interfaces.join(", ")
                )))
            }
        }
    }
}

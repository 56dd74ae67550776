//! The signatures of the table's operations, as a program knows them that has no stubs.

use taut_dynamic::{Mode, Signature, Value};
use taut_types::{TCKind, TypeCode};

use crate::error::BenchError;
use crate::goals::{Cube, Element, Kind, STRING_CHARACTERS};

/// An operation with what is needed for its signature, and a value for its parameter.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) name: String,
    /// The type of the parameter; none for none.
    pub(super) parameter: Option<TypeCode>,
    /// Whether it returns a value of the same type.
    pub(super) returns: bool,
    pub(super) is_oneway: bool,
}

/// The name of each parameter.
pub(super) const PARAMETER: &str = "values";

impl Operation {
    /// The operation of a kind of calls.
    ///
    /// # Errors
    ///
    /// [`BenchError::Request`] for a kind that is not called dynamically.
    pub(super) fn of(kind: Kind) -> Result<Self, BenchError> {
        let of = |name: &str, parameter| Self {
            name: name.to_owned(),
            returns: true,
            parameter: Some(parameter),
            is_oneway: false,
        };
        Ok(match kind {
            Kind::Void => Self::nothing(),
            Kind::Cube(Cube::Long) => of("cube_long", primitive(TCKind::Long)?),
            Kind::String => of("echo_string", TypeCode::string(0)),
            Kind::Echo { element, .. } => {
                of(&format!("echo_{}", plural(element)), sequence(element)?)
            }
            Kind::Flood { element, .. } => Self {
                returns: false,
                is_oneway: true,
                ..of(&format!("flood_{}", plural(element)), sequence(element)?)
            },
            other => return Err(BenchError::request(&other.to_string())),
        })
    }

    /// The operation that does nothing.
    pub(super) fn nothing() -> Self {
        Self {
            name: "nothing".to_owned(),
            parameter: None,
            returns: false,
            is_oneway: false,
        }
    }

    /// Makes its signature.
    pub(super) fn signature(&self) -> Signature {
        let mut signature = Signature::new(&self.name);
        if let Some(type_code) = &self.parameter {
            signature = signature.with(Mode::In, PARAMETER, type_code.clone());
            if self.returns {
                signature = signature.returning(type_code.clone());
            }
        }
        match self.is_oneway {
            true => signature.oneway(),
            false => signature,
        }
    }
}

/// Returns the value of the parameter in calls of a kind, and what comes back.
///
/// # Errors
///
/// [`BenchError::Orb`] when a type cannot be made.
pub(super) fn values(kind: Kind) -> Result<(Option<Value>, Value), BenchError> {
    Ok(match kind {
        Kind::Cube(_) => (Some(Value::Long(1_291)), cubed(&Value::Long(1_291))),
        Kind::String => {
            let text = Value::String("x".repeat(STRING_CHARACTERS));
            (Some(text.clone()), text)
        }
        Kind::Echo { element, octets } => {
            let values = sequence_value(element, octets)?;
            (Some(values.clone()), values)
        }
        Kind::Flood {
            element, octets, ..
        } => (Some(sequence_value(element, octets)?), Value::Nothing),
        _ => (None, Value::Nothing),
    })
}

/// The cube of a long, as it wraps around.
pub(super) fn cubed(value: &Value) -> Value {
    match value {
        Value::Long(it) => Value::Long(it.wrapping_mul(*it).wrapping_mul(*it)),
        other => other.clone(),
    }
}

fn plural(element: Element) -> &'static str {
    match element {
        Element::Octet => "octets",
        Element::Char => "chars",
        Element::Short => "shorts",
        Element::Long => "longs",
        Element::Double => "doubles",
        Element::Struct => "structs",
    }
}

fn primitive(kind: TCKind) -> Result<TypeCode, BenchError> {
    TypeCode::primitive(kind).map_err(BenchError::orb)
}

/// The type of an element.
fn element_type(element: Element) -> Result<TypeCode, BenchError> {
    match element {
        Element::Octet => primitive(TCKind::Octet),
        Element::Char => primitive(TCKind::Char),
        Element::Short => primitive(TCKind::Short),
        Element::Long => primitive(TCKind::Long),
        Element::Double => primitive(TCKind::Double),
        Element::Struct => {
            let members = [
                ("s", primitive(TCKind::Short)?),
                ("c", primitive(TCKind::Char)?),
                ("l", primitive(TCKind::Long)?),
                ("o", primitive(TCKind::Octet)?),
                ("d", primitive(TCKind::Double)?),
            ];
            let id = "IDL:taut.test/table/BinStruct:1.0";
            TypeCode::create_struct(id, "BinStruct", &members).map_err(BenchError::orb)
        }
    }
}

/// The type of a parameter.
fn sequence(element: Element) -> Result<TypeCode, BenchError> {
    let name = match element {
        Element::Octet => "OctetSeq",
        Element::Char => "CharSeq",
        Element::Short => "ShortSeq",
        Element::Long => "LongSeq",
        Element::Double => "DoubleSeq",
        Element::Struct => "StructSeq",
    };
    let sequence = TypeCode::create_sequence(&element_type(element)?, 0);
    let id = format!("IDL:taut.test/table/{name}:1.0");
    let alias = sequence.and_then(|it| TypeCode::create_alias(&id, name, &it));
    alias.map_err(BenchError::orb)
}

/// As many elements as fill so many octets, not all alike.
fn sequence_value(element: Element, octets: u32) -> Result<Value, BenchError> {
    // Steps below 95, so that chars can be printed.
    let steps = (0..element.count(octets)).map(|place| (b' '..=b'~').nth(place % 95));
    let value = |step: u8| match element {
        Element::Octet => Value::Octet(step),
        Element::Char => Value::Char(step),
        Element::Short => Value::Short(step.into()),
        Element::Long => Value::Long(step.into()),
        Element::Double => Value::Double(step.into()),
        Element::Struct => Value::Members(vec![
            Value::Short(step.into()),
            Value::Char(step),
            Value::Long(step.into()),
            Value::Octet(step),
            Value::Double(step.into()),
        ]),
    };
    let values = steps.map(|step| value(step.unwrap_or_default())).collect();
    Ok(Value::elements(&element_type(element)?, values))
}

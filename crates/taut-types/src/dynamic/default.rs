//! The first value of each type.

use taut_cdr::LongDouble;
use taut_giop::Ior;

use super::{Elements, Fault, Mismatch, UnionValue, Value};
use crate::engine::MAX_FRAMES;
use crate::node::{Node, Union};
use crate::{Any, TCKind, TypeCode};

/// The memory of a value's parts that [`Value::default_of`] may make, in octets.
pub const DEFAULT_MEMORY: usize = 16 << 20;

impl Value {
    /// Returns the value that a DynAny has when it is created of a TypeCode (CORBA 3.3 part 1,
    /// 13.2.3.5): zeros, empty texts and sequences, nil, null, the first enumerator, the first
    /// member of a union. Arrays and structs are made whole: `memory` is the most octets that
    /// all parts may take.
    ///
    /// # Errors
    ///
    /// [`Fault::Memory`]; [`Fault::TooDeep`]; [`Fault::Text`] when no value has this type.
    pub fn default_of(type_code: &TypeCode, memory: usize) -> Result<Self, Mismatch> {
        if !type_code.is_complete() {
            let text = "a recursive TypeCode is not complete".to_owned();
            return Err(Mismatch::new(Fault::Text(text)));
        }
        let mut maker = Maker {
            limit: memory,
            left: memory,
        };
        maker.value(type_code, MAX_FRAMES)
    }
}

struct Maker {
    limit: usize,
    left: usize,
}

impl Maker {
    fn charge(&mut self, count: usize, size: usize) -> Result<(), Mismatch> {
        let octets = count.checked_mul(size);
        let left = octets.and_then(|octets| self.left.checked_sub(octets));
        let limit = self.limit;
        self.left = left.ok_or_else(|| Mismatch::new(Fault::Memory { limit }))?;
        Ok(())
    }

    fn value(&mut self, type_code: &TypeCode, frames: u16) -> Result<Value, Mismatch> {
        let limit = MAX_FRAMES;
        let frames = frames.checked_sub(1);
        let frames = frames.ok_or_else(|| Mismatch::new(Fault::TooDeep { limit }))?;
        let type_code = type_code.without_aliases();
        Ok(match type_code.node() {
            Node::Simple(kind) => return simple(*kind, &type_code),
            Node::String { .. } => Value::String(String::new()),
            Node::WString { .. } => Value::WString(String::new()),
            Node::Fixed { .. } => Value::Fixed(0),
            Node::Enum(_) => Value::Enum(0),
            Node::Sequence { element, .. } => empty(&type_code.at(*element)),
            Node::Array { element, length } => {
                self.array(&type_code.at(*element), *length as usize, frames)?
            }
            Node::Struct(_, it) => {
                self.charge(it.members.len(), size_of::<Value>())?;
                let member =
                    |one: &crate::node::Member| self.value(&type_code.at(one.node), frames);
                Value::Members(it.members.iter().map(member).collect::<Result<_, _>>()?)
            }
            Node::Union(it) => self.union(&type_code, it, frames)?,
            Node::Value(..) | Node::Alias(..) => Value::Null,
            Node::Interface(TCKind::AbstractInterface, _) => Value::Null,
            Node::Interface(TCKind::LocalInterface | TCKind::Native, _)
            | Node::Recursive(_)
            | Node::Unfinished(_) => return Err(no_value()),
            Node::Interface(..) => Value::Reference(Ior::default()),
        })
    }

    fn array(&mut self, element: &TypeCode, length: usize, frames: u16) -> Result<Value, Mismatch> {
        let element = element.without_aliases();
        if let Some(mut elements) = Elements::of(&element) {
            self.charge(length, elements.size_of_one())?;
            elements.resize(length);
            return Ok(Value::Elements(elements));
        }
        self.charge(length, size_of::<Value>())?;
        let items = (0..length).map(|_| self.value(&element, frames));
        items.collect::<Result<_, _>>().map(Value::List)
    }

    fn union(&mut self, type_code: &TypeCode, it: &Union, frames: u16) -> Result<Value, Mismatch> {
        self.charge(1, size_of::<UnionValue>())?;
        let Some((index, case)) = it.cases.iter().enumerate().next() else {
            return Err(no_value());
        };
        let label = match it.default_index {
            Some(default) if default as usize == index => {
                let free = type_code.free_label();
                free.ok_or_else(no_value)?
            }
            _ => case.label,
        };
        let member = Some(self.value(&type_code.at(case.member.node), frames)?);
        Ok(Value::Union(Box::new(UnionValue { label, member })))
    }
}

fn simple(kind: TCKind, type_code: &TypeCode) -> Result<Value, Mismatch> {
    Ok(match kind {
        TCKind::Null | TCKind::Void => Value::Nothing,
        TCKind::Boolean => Value::Boolean(false),
        TCKind::Octet => Value::Octet(0),
        TCKind::Char => Value::Char(0),
        TCKind::WChar => Value::WChar(0),
        TCKind::Short => Value::Short(0),
        TCKind::UShort => Value::UShort(0),
        TCKind::Long => Value::Long(0),
        TCKind::ULong => Value::ULong(0),
        TCKind::LongLong => Value::LongLong(0),
        TCKind::ULongLong => Value::ULongLong(0),
        TCKind::Float => Value::Float(0.0),
        TCKind::Double => Value::Double(0.0),
        TCKind::LongDouble => Value::LongDouble(LongDouble::from_f64(0.0)),
        TCKind::TypeCode => Value::TypeCode(TypeCode::null()),
        TCKind::Any => Value::Any(Box::new((TypeCode::null(), Value::Nothing))),
        TCKind::Principal => {
            let none = Any::with_type(type_code.clone(), &0_u32);
            Value::Encoded(none?)
        }
        _ => return Err(no_value()),
    })
}

/// Returns a list without elements.
fn empty(element: &TypeCode) -> Value {
    let elements = Elements::of(element);
    elements.map_or(Value::List(Vec::new()), Value::Elements)
}

fn no_value() -> Mismatch {
    Mismatch::new(Fault::Text("no value has this type".to_owned()))
}

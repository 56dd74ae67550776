//! Random values of a type.

use taut_dynamic::{UnionValue, Value};
use taut_giop::Ior;
use taut_interop::random_idl::Numbers;
use taut_types::{TCKind, TypeCode};

/// How deep values nest at most: below, lists are empty.
const DEEPEST: usize = 5;

/// Values of types, of these numbers.
pub(super) struct Values<'n> {
    numbers: &'n mut Numbers,
    /// A reference that is not nil.
    reference: &'n Ior,
}

impl<'n> Values<'n> {
    pub(super) fn new(numbers: &'n mut Numbers, reference: &'n Ior) -> Self {
        Self { numbers, reference }
    }

    /// Makes a value of this type.
    pub(super) fn of(&mut self, type_code: &TypeCode) -> Value {
        self.value(&type_code.without_aliases(), 0)
    }

    fn value(&mut self, type_code: &TypeCode, depth: usize) -> Value {
        match type_code.kind() {
            TCKind::String => Value::String(self.text(type_code, &['a', 'Z', '0', ' ', '~'])),
            TCKind::WString => Value::WString(self.text(type_code, &['a', 'é', '€', '中'])),
            TCKind::Sequence => {
                let bound = type_code.length().unwrap() as usize;
                let most = if depth < DEEPEST { 4 } else { 0 };
                let most = if bound == 0 { most } else { most.min(bound) };
                let count = self.numbers.between(0, most);
                self.elements(type_code, count, depth)
            }
            TCKind::Array => self.elements(type_code, type_code.length().unwrap() as usize, depth),
            TCKind::Struct | TCKind::Exception => {
                let members = 0..type_code.member_count().unwrap();
                Value::Members(
                    members
                        .map(|index| self.member(type_code, index, depth))
                        .collect(),
                )
            }
            TCKind::Union => self.union(type_code, depth),
            TCKind::Enum => {
                let count = type_code.member_count().unwrap();
                Value::Enum(self.numbers.below(count) as u32)
            }
            TCKind::Fixed => {
                let digits = type_code.fixed_digits().unwrap();
                let largest = 10_u128.pow(digits.into());
                let unscaled =
                    u128::from(self.numbers.number()) * u128::from(self.numbers.number());
                let unscaled = (unscaled % largest) as i128;
                Value::Fixed(if self.numbers.one_in(2) {
                    unscaled
                } else {
                    -unscaled
                })
            }
            TCKind::ObjectReference => Value::Reference(match self.numbers.one_in(2) {
                true => Ior::nil(),
                false => self.reference.clone(),
            }),
            TCKind::Any => {
                let held = self.held();
                let value = self.value(&held, depth + 1);
                Value::Any(Box::new((held, value)))
            }
            kind => self.primitive(kind),
        }
    }

    fn member(&mut self, type_code: &TypeCode, index: usize, depth: usize) -> Value {
        let member = type_code.member_type(index).unwrap();
        self.value(&member.without_aliases(), depth + 1)
    }

    fn elements(&mut self, type_code: &TypeCode, count: usize, depth: usize) -> Value {
        let element = type_code.content_type().unwrap().without_aliases();
        let values = (0..count)
            .map(|_| self.value(&element, depth + 1))
            .collect();
        Value::elements(&element, values)
    }

    fn union(&mut self, type_code: &TypeCode, depth: usize) -> Value {
        // Deep down the last one, which of recursive unions is a leaf.
        let count = type_code.member_count().unwrap();
        let index = match depth < DEEPEST {
            true => self.numbers.below(count),
            false => count - 1,
        };
        let label = match type_code.member_label(index).unwrap() {
            Some(label) => label,
            None => self.other_label(type_code),
        };
        let member = Some(self.member(type_code, index, depth));
        // The bits, of a number that may have no sign.
        let label = label as i64;
        Value::Union(Box::new(UnionValue { label, member }))
    }

    /// A label that selects the default member.
    fn other_label(&mut self, type_code: &TypeCode) -> i128 {
        let labels = (0..type_code.member_count().unwrap())
            .filter_map(|index| type_code.member_label(index).unwrap());
        let labels: Vec<_> = labels.collect();
        // All discriminators have the numbers from 0, characters those that can be printed.
        let first = match type_code
            .discriminator_type()
            .unwrap()
            .without_aliases()
            .kind()
        {
            TCKind::Char => 65,
            _ => 0,
        };
        (first..).find(|label| !labels.contains(label)).unwrap()
    }

    /// A type for an Any.
    fn held(&mut self) -> TypeCode {
        let kinds = [TCKind::Boolean, TCKind::Long, TCKind::Double, TCKind::Octet];
        let primitive = TypeCode::primitive(self.numbers.choose(&kinds)).unwrap();
        match self.numbers.below(4) {
            0 => TypeCode::string(0),
            1 => TypeCode::create_sequence(&primitive, 0).unwrap(),
            2 => {
                let members = [("s", TypeCode::string(0)), ("p", primitive)];
                TypeCode::create_struct("IDL:taut.test/Held:1.0", "Held", &members).unwrap()
            }
            _ => primitive,
        }
    }

    fn text(&mut self, type_code: &TypeCode, letters: &[char]) -> String {
        let most = match type_code.length().unwrap() as usize {
            0 => 9,
            bound => bound,
        };
        let count = self.numbers.between(0, most);
        (0..count).map(|_| self.numbers.choose(letters)).collect()
    }

    fn primitive(&mut self, kind: TCKind) -> Value {
        let bits = self.numbers.number();
        // Not all bits are a number that is equal to itself.
        let number = (bits as i32) as f32 / 4.0;
        match kind {
            TCKind::Boolean => Value::Boolean(bits & 1 == 1),
            TCKind::Octet => Value::Octet(bits as u8),
            TCKind::Char => Value::Char(b' ' + (bits % 95) as u8),
            TCKind::WChar => Value::WChar(self.numbers.choose(&[0x41, 0xe9, 0x20ac, 0x4e2d])),
            TCKind::Short => Value::Short(bits as i16),
            TCKind::UShort => Value::UShort(bits as u16),
            TCKind::Long => Value::Long(bits as i32),
            TCKind::ULong => Value::ULong(bits as u32),
            TCKind::LongLong => Value::LongLong(bits as i64),
            TCKind::ULongLong => Value::ULongLong(bits),
            TCKind::Float => Value::Float(number),
            TCKind::Double => Value::Double(f64::from(number) / 1_024.0),
            TCKind::Void | TCKind::Null => Value::Nothing,
            other => panic!("no random IDL has the type {other}"),
        }
    }
}

//! Values of types, made without anybody's word: the default value of each type, or random ones.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value as Json, json};
use taut_dynamic::{Mismatch, Value};
use taut_json::from_json;
use taut_types::{TCKind, TypeCode};

use super::random::Random;

/// The levels below which sequences are empty, so that recursive types end.
const LEVELS: usize = 6;

/// The most elements of a random sequence.
const ELEMENTS: usize = 4;

/// The most characters of a random string.
const CHARACTERS: usize = 12;

/// A source of values.
#[derive(Debug)]
pub(super) struct Generator(Option<Mutex<Random>>);

impl Generator {
    /// A source of default values, or of random ones from a seed.
    pub(super) fn new(seed: Option<u64>) -> Self {
        Self(seed.map(|seed| Mutex::new(Random::new(seed))))
    }

    /// Makes a value of a type.
    ///
    /// # Errors
    ///
    /// When the type has values that JSON has no form for.
    pub(super) fn value(&self, type_code: &TypeCode) -> Result<Value, Mismatch> {
        let mut random = self
            .0
            .as_ref()
            .map(|random| random.lock().unwrap_or_else(PoisonError::into_inner));
        let json = Making(random.as_deref_mut()).value(type_code, LEVELS);
        from_json(type_code, &json)
    }
}

/// The making of one value: by random numbers, if there are any.
struct Making<'r>(Option<&'r mut Random>);

impl Making<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.0.as_mut().map_or(0, |random| random.below(end))
    }

    fn bits(&mut self) -> u64 {
        self.0.as_mut().map_or(0, |random| random.bits())
    }

    /// Makes a value with so many levels of sequences at most.
    fn value(&mut self, type_code: &TypeCode, levels: usize) -> Json {
        let type_code = type_code.without_aliases();
        match type_code.kind() {
            TCKind::Struct | TCKind::Exception => self.members(&type_code, levels),
            TCKind::Union => self.union(&type_code, levels),
            TCKind::Sequence | TCKind::Array => self.list(&type_code, levels),
            TCKind::Any => {
                let value = self.value(&long(), levels);
                json!({"$type": "long", "$value": value})
            }
            _ => self.leaf(&type_code),
        }
    }

    fn leaf(&mut self, type_code: &TypeCode) -> Json {
        let bits = self.bits();
        match type_code.kind() {
            TCKind::Boolean => (bits & 1 == 1).into(),
            TCKind::Octet => (bits as u8).into(),
            TCKind::Short => (bits as i16).into(),
            TCKind::UShort => (bits as u16).into(),
            TCKind::Long => (bits as i32).into(),
            TCKind::ULong => (bits as u32).into(),
            TCKind::LongLong => (bits as i64).into(),
            TCKind::ULongLong => bits.into(),
            // Eighths have the same digits as float, double and long double.
            TCKind::Float | TCKind::Double | TCKind::LongDouble => {
                (f64::from(bits as i16) / 8.0).into()
            }
            TCKind::Fixed => self.fixed(type_code).into(),
            TCKind::Char | TCKind::WChar => self.letter().to_string().into(),
            TCKind::String | TCKind::WString => self.text(type_code).into(),
            TCKind::Enum => {
                let index = self.below(type_code.member_count().unwrap_or_default());
                type_code.member_name(index).unwrap_or_default().into()
            }
            TCKind::TypeCode => "long".into(),
            // Nil, null, and nothing.
            _ => Json::Null,
        }
    }

    /// A letter; the character 0 where nothing is random.
    fn letter(&mut self) -> char {
        match self.0.is_some() {
            true => char::from(b'a' + self.below(26) as u8),
            false => '\0',
        }
    }

    fn text(&mut self, type_code: &TypeCode) -> String {
        let most = bounded(type_code, CHARACTERS);
        let length = self.below(most + 1);
        (0..length).map(|_| self.letter()).collect()
    }

    /// The digits of a fixed, with the point at its place.
    fn fixed(&mut self, type_code: &TypeCode) -> String {
        let digits = usize::from(type_code.fixed_digits().unwrap_or_default());
        let scale = usize::from(type_code.fixed_scale().unwrap_or_default());
        let digit = |making: &mut Self| char::from(b'0' + making.below(10) as u8);
        let whole: String = (scale..digits).map(|_| digit(self)).collect();
        let rest: String = (0..scale.min(digits)).map(|_| digit(self)).collect();
        match rest.is_empty() {
            true => format!("0{whole}"),
            false => format!("0{whole}.{rest}"),
        }
    }

    fn members(&mut self, type_code: &TypeCode, levels: usize) -> Json {
        let count = type_code.member_count().unwrap_or_default();
        let mut object = Map::new();
        for index in 0..count {
            if let (Ok(name), Ok(member)) =
                (type_code.member_name(index), type_code.member_type(index))
            {
                object.insert(name.to_owned(), self.value(&member, levels));
            }
        }
        Json::Object(object)
    }

    /// A union with one of the members that have labels; the default member if there are none.
    fn union(&mut self, type_code: &TypeCode, levels: usize) -> Json {
        let count = type_code.member_count().unwrap_or_default();
        let labelled = |index: &usize| matches!(type_code.member_label(*index), Ok(Some(_)));
        let labelled: Vec<usize> = (0..count).filter(labelled).collect();
        let chosen = labelled.get(self.below(labelled.len())).copied();
        let index = chosen.unwrap_or_default();
        let mut object = Map::new();
        if chosen.is_none() {
            let discriminator = type_code.discriminator_type().unwrap_or_default();
            let label = Making(None).value(&discriminator, levels);
            object.insert("$discriminator".to_owned(), label);
        }
        if let (Ok(name), Ok(member)) = (type_code.member_name(index), type_code.member_type(index))
        {
            let levels = levels.saturating_sub(1);
            object.insert(name.to_owned(), self.value(&member, levels));
        }
        Json::Object(object)
    }

    fn list(&mut self, type_code: &TypeCode, levels: usize) -> Json {
        let Ok(element) = type_code.content_type() else {
            return Json::Null;
        };
        let length = type_code.length().unwrap_or_default() as usize;
        let count = match (type_code.kind(), levels) {
            (TCKind::Array, _) => length,
            (_, 0) => 0,
            _ => self.below(bounded(type_code, ELEMENTS) + 1),
        };
        let levels = levels.saturating_sub(1);
        (0..count).map(|_| self.value(&element, levels)).collect()
    }
}

/// The bound of a string or a sequence, at most this; 0 is none.
fn bounded(type_code: &TypeCode, most: usize) -> usize {
    match type_code.length() {
        Ok(bound) if bound > 0 => most.min(bound as usize),
        _ => most,
    }
}

fn long() -> TypeCode {
    TypeCode::primitive(TCKind::Long).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use taut_types::UnionMember;

    use super::*;

    /// A value as JSON.
    fn made(type_code: &TypeCode, seed: Option<u64>) -> Json {
        let value = Generator::new(seed).value(type_code).unwrap();
        taut_json::to_json(type_code, &value).unwrap()
    }

    fn types() -> Vec<(TypeCode, Json)> {
        let long = long();
        let kind = TypeCode::create_enum("IDL:Kind:1.0", "Kind", &["square", "round"]).unwrap();
        let labelled = TypeCode::create_union(
            "IDL:Shape:1.0",
            "Shape",
            &kind,
            &[
                UnionMember {
                    label: Some(1),
                    name: "radius",
                    type_code: long.clone(),
                },
                UnionMember {
                    label: None,
                    name: "text",
                    type_code: TypeCode::string(0),
                },
            ],
        );
        let octet = TypeCode::primitive(TCKind::Octet).unwrap();
        let simple = |kind| TypeCode::primitive(kind).unwrap();
        vec![
            (long.clone(), json!(0)),
            (simple(TCKind::Char), json!("\0")),
            (simple(TCKind::Double), json!(0.0)),
            (simple(TCKind::LongDouble), json!(0.0)),
            (simple(TCKind::Any), json!({"$type": "long", "$value": 0})),
            (simple(TCKind::TypeCode), json!("long")),
            (TypeCode::string(3), json!("")),
            (TypeCode::create_fixed(5, 2).unwrap(), json!("0.00")),
            (TypeCode::create_fixed(2, 2).unwrap(), json!("0.00")),
            (kind, json!("square")),
            (labelled.unwrap(), json!({"radius": 0})),
            (TypeCode::create_sequence(&octet, 0).unwrap(), json!("")),
            (TypeCode::create_array(&long, 2).unwrap(), json!([0, 0])),
            (
                TypeCode::create_struct("IDL:P:1.0", "P", &[("x", long)]).unwrap(),
                json!({"x": 0}),
            ),
            (
                TypeCode::create_interface("IDL:I:1.0", "I").unwrap(),
                Json::Null,
            ),
        ]
    }

    #[test]
    fn each_type_has_its_default_value() {
        for (type_code, expected) in types() {
            assert_eq!(made(&type_code, None), expected, "{type_code}");
        }
    }

    #[test]
    fn random_values_fit_their_types_and_are_the_same_for_the_same_seed() {
        for (type_code, _) in types() {
            for seed in 0..200 {
                let one = made(&type_code, Some(seed));
                assert_eq!(one, made(&type_code, Some(seed)), "{type_code}");
            }
        }
        let longs: std::collections::BTreeSet<_> = (0..20)
            .map(|seed| made(&long(), Some(seed)).to_string())
            .collect();
        assert_eq!(longs.len(), 20);
    }
}

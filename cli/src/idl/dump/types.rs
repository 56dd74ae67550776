//! Types and constants.

use taut_idl::model::{ConstantValue, DefinitionKind, Type};

use super::Dump;
use super::json::Json;

impl Dump<'_> {
    pub(super) fn ty(&self, ty: &Type) -> Json {
        let (kind, mut parts): (&str, Vec<(&'static str, Json)>) = match ty {
            Type::Primitive(primitive) => (primitive.idl_name(), Vec::new()),
            Type::String { bound } => ("string", vec![("bound", (*bound).into())]),
            Type::WString { bound } => ("wstring", vec![("bound", (*bound).into())]),
            Type::Sequence { element, bound } => (
                "sequence",
                vec![("element", self.ty(element)), ("bound", (*bound).into())],
            ),
            Type::Array { element, length } => (
                "array",
                vec![("element", self.ty(element)), ("length", (*length).into())],
            ),
            Type::Fixed { digits, scale } => (
                "fixed",
                vec![("digits", (*digits).into()), ("scale", (*scale).into())],
            ),
            Type::Map { key, value, bound } => (
                "map",
                vec![
                    ("key", self.ty(key)),
                    ("value", self.ty(value)),
                    ("bound", (*bound).into()),
                ],
            ),
            Type::Object => ("Object", Vec::new()),
            Type::Any => ("any", Vec::new()),
            Type::TypeCode => ("TypeCode", Vec::new()),
            Type::ValueBase => ("ValueBase", Vec::new()),
            Type::Named(id) => ("named", vec![("name", self.name(*id))]),
            _ => ("unknown", Vec::new()),
        };
        let mut members = vec![("kind", kind.into())];
        members.append(&mut parts);
        Json::Object(members)
    }

    pub(super) fn value(&self, value: &ConstantValue) -> Json {
        let (kind, value) = match value {
            ConstantValue::Boolean(value) => ("boolean", (*value).into()),
            ConstantValue::Char(value) => ("char", (*value).into()),
            ConstantValue::WChar(value) => ("wchar", u32::from(*value).into()),
            ConstantValue::Integer(value) => ("integer", integer(*value)),
            ConstantValue::Floating(value) => ("floating", Json::Floating(*value)),
            ConstantValue::LongDouble(bits) => ("long double", format!("{bits:032x}").into()),
            ConstantValue::String(text) => ("string", text.as_str().into()),
            ConstantValue::WString(text) => ("wstring", text.as_str().into()),
            ConstantValue::Fixed(digits, scale) => ("fixed", fixed(*digits, *scale).into()),
            ConstantValue::Enumerator(id, ordinal) => {
                let enumerator = match &self.model.get(*id).kind {
                    DefinitionKind::Enum(enumerators) => enumerators.get(*ordinal as usize),
                    _ => None,
                };
                let name = enumerator.map(|enumerator| enumerator.name.as_str());
                return Json::Object(vec![
                    ("kind", "enumerator".into()),
                    ("enum", self.name(*id)),
                    ("name", name.into()),
                    ("ordinal", (*ordinal).into()),
                ]);
            }
            _ => ("unknown", Json::Null),
        };
        Json::Object(vec![("kind", kind.into()), ("value", value)])
    }
}

/// A number; the few that no reader of JSON may be expected to know, as text.
fn integer(value: i128) -> Json {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => Json::Signed(value),
        (_, Ok(value)) => Json::Unsigned(value),
        _ => value.to_string().into(),
    }
}

/// `-12.50`
fn fixed(digits: i128, scale: u8) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let scale = usize::from(scale);
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_numbers_keep_their_scale() {
        assert_eq!(fixed(-1250, 2), "-12.50");
        assert_eq!(fixed(5, 3), "0.005");
        assert_eq!(fixed(7, 0), "7");
    }

    #[test]
    fn integers_are_numbers() {
        assert_eq!(integer(-1), Json::Signed(-1));
        assert_eq!(integer(u64::MAX.into()), Json::Unsigned(u64::MAX));
        assert_eq!(integer(1 << 64), Json::Text((1_i128 << 64).to_string()));
    }
}

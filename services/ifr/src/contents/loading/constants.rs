//! The values of constants.

use taut::{Any, LongDouble};
use taut_idl::model::ConstantValue;
use taut_types::TCKind;
use taut_types::dynamic::Value;

use super::super::record::Key;
use super::super::values;
use super::{Loading, Result};

impl Loading<'_> {
    /// The value of a constant of this type.
    pub(super) fn constant(&mut self, ty: Key, value: &ConstantValue, name: &str) -> Result<Any> {
        let made = self.contents.type_code(ty).and_then(|type_code| {
            if let Some(ordinal) = value.ordinal() {
                return values::of_ordinal(&type_code, ordinal);
            }
            let value = match value {
                ConstantValue::Floating(value) => {
                    match type_code.without_aliases().kind() {
                        // It has been rounded to one already.
                        TCKind::Float => Value::Float(*value as f32),
                        _ => Value::Double(*value),
                    }
                }
                ConstantValue::LongDouble(bits) => Value::LongDouble(LongDouble::from_bits(*bits)),
                ConstantValue::String(text) => Value::String(text.to_string()),
                ConstantValue::WString(text) => Value::WString(text.to_string()),
                ConstantValue::Fixed(digits, _) => Value::Fixed(*digits),
                _ => Value::Nothing,
            };
            values::any(&type_code, &value)
        });
        made.map_err(|exception| self.refused(name, exception))
    }
}

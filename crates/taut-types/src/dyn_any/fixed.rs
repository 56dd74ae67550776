//! Decimals (CORBA 3.3 part 1, 13.2.4).

use std::fmt;

use super::{DynAny, DynAnyError, Result};
use crate::TCKind;
use crate::dynamic::Value;

/// A value of a `fixed` type (the standard's `DynFixed`).
#[derive(Debug)]
pub struct DynFixed<'d, 'v>(pub(super) &'d mut DynAny<'v>);

super::members::narrowed!(DynFixed);

impl<'v> DynAny<'v> {
    /// Returns it as a decimal. None: it is none.
    pub fn as_fixed(&mut self) -> Option<DynFixed<'_, 'v>> {
        (self.plain.kind() == TCKind::Fixed).then_some(DynFixed(self))
    }
}

impl DynFixed<'_, '_> {
    /// Returns the value as a decimal with the digits of its scale: `-12.50`.
    pub fn get_value(&self) -> String {
        let unscaled = match &*self.0.value() {
            Value::Fixed(unscaled) => *unscaled,
            _ => 0,
        };
        fmt::from_fn(|f| taut_cdr::fixed::format(unscaled, self.scale(), f)).to_string()
    }

    /// Sets the value to a decimal, with a sign or without, with spaces around it, with or
    /// without the `d` that IDL's literals end with. Digits behind the point beyond the scale
    /// are cut off; false tells that they were not zero.
    ///
    /// # Errors
    ///
    /// [`DynAnyError::TypeMismatch`] when the text is no decimal; [`DynAnyError::InvalidValue`]
    /// when it has more digits than the type.
    pub fn set_value(&mut self, text: &str) -> Result<bool> {
        let trimmed = text.trim();
        let trimmed = trimmed.strip_suffix(['d', 'D']).unwrap_or(trimmed);
        let (is_negative, rest) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let (whole, part) = rest.split_once('.').unwrap_or((rest, ""));
        let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        if (whole.is_empty() && part.is_empty()) || !is_number(whole) || !is_number(part) {
            let found = format!("{text:?}: write a decimal such as -12.50");
            return Err(DynAnyError::type_mismatch(&self.0.type_code, found));
        }
        let scale = usize::from(self.scale());
        let (kept, lost) = part.split_at(part.len().min(scale));
        let whole = whole.trim_start_matches('0');
        let digits = usize::from(self.0.plain.fixed_digits().unwrap_or_default());
        if whole.len() + scale > digits {
            let text = format!(
                "{text} has more digits than {}",
                self.0.type_code.declared()
            );
            return Err(DynAnyError::InvalidValue(text));
        }
        let all = format!("0{whole}{kept:0<scale$}");
        // It has at most the 31 digits of a fixed.
        let unscaled: i128 = all.parse().unwrap_or_default();
        let unscaled = if is_negative { -unscaled } else { unscaled };
        self.0.put(Value::Fixed(unscaled))?;
        Ok(lost.bytes().all(|digit| digit == b'0'))
    }

    fn scale(&self) -> u8 {
        self.0.plain.fixed_scale().unwrap_or_default()
    }
}

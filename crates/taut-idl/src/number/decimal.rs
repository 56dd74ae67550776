//! Numbers of the type `fixed`: decimal ones of up to 31 digits.

use super::natural::Natural;

/// The most digits that a `fixed` has.
const DIGITS: usize = 31;

/// A decimal number of up to 31 digits, of which up to 31 stand behind the
/// point. A number that was read or computed has no trailing zeros among these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// All digits as an integer.
    pub(crate) value: i128,
    /// How many of them stand behind the point.
    pub(crate) scale: u8,
}

/// Why there is no such number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// More than 31 digits stand before the point.
    TooLarge,
    DivisionByZero,
}

impl Decimal {
    /// Reads digits with a point at most. None if there is no digit, anything
    /// else, or more than 31 digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        if whole.len() + fraction.len() > DIGITS {
            return None;
        }
        let digits = whole.bytes().chain(fraction.bytes());
        let value = digits.fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));
        Some(Self {
            value,
            scale: fraction.len() as u8,
        })
    }

    pub(crate) fn from_integer(value: i128) -> Result<Self, Unfit> {
        fit(value < 0, Natural::from(value.unsigned_abs()), 0)
    }

    /// The least number of digits of a `fixed` that can hold it.
    pub(crate) fn digits(self) -> u8 {
        let digits = self.value.unsigned_abs().checked_ilog10().unwrap_or(0) as u8 + 1;
        digits.max(self.scale)
    }

    #[must_use]
    pub(crate) fn negate(self) -> Self {
        Self {
            value: -self.value,
            ..self
        }
    }

    pub(crate) fn add(self, other: Self) -> Result<Self, Unfit> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.at_scale(scale), other.at_scale(scale));
        let (negative, sum) = if (self.value < 0) == (other.value < 0) {
            (self.value < 0, left.add(&right))
        } else if left.compare(&right).is_lt() {
            (other.value < 0, right.subtract(&left))
        } else {
            (self.value < 0, left.subtract(&right))
        };
        fit(negative, sum, usize::from(scale))
    }

    pub(crate) fn multiply(self, other: Self) -> Result<Self, Unfit> {
        let product = self
            .at_scale(self.scale)
            .multiply(&other.at_scale(other.scale));
        let scale = usize::from(self.scale) + usize::from(other.scale);
        fit((self.value < 0) != (other.value < 0), product, scale)
    }

    pub(crate) fn divide(self, other: Self) -> Result<Self, Unfit> {
        if other.value == 0 {
            return Err(Unfit::DivisionByZero);
        }
        // Twice the digits, so that 31 are left of the quotient whatever the
        // divisor.
        let more = 2 * DIGITS;
        let dividend = self
            .at_scale(self.scale)
            .multiply(&Natural::power_of(10, more));
        let (quotient, _) = dividend.divide(&other.at_scale(other.scale));
        let scale = usize::from(self.scale) + more - usize::from(other.scale);
        fit((self.value < 0) != (other.value < 0), quotient, scale)
    }

    /// The digits, the sign aside, when `scale` of them, which are at least as
    /// many as there are, stand behind the point.
    fn at_scale(self, scale: u8) -> Natural {
        let more = usize::from(scale.saturating_sub(self.scale));
        Natural::from(self.value.unsigned_abs()).multiply(&Natural::power_of(10, more))
    }

    /// The value with this many digits behind the point, further ones cut off,
    /// and whether any was. None if there are too many digits before it.
    pub(crate) fn with_scale(self, digits: u8, scale: u8) -> Option<(i128, bool)> {
        let (value, cut) = if scale >= self.scale {
            let factor = 10_i128.pow(u32::from(scale - self.scale));
            (self.value.checked_mul(factor)?, false)
        } else {
            let factor = 10_i128.pow(u32::from(self.scale - scale));
            (self.value / factor, self.value % factor != 0)
        };
        (value.unsigned_abs() < 10_u128.pow(u32::from(digits))).then_some((value, cut))
    }
}

/// Cuts digits behind the point off until 31 are left, then trailing zeros.
fn fit(negative: bool, mut value: Natural, mut scale: usize) -> Result<Decimal, Unfit> {
    let ten = Natural::from(10);
    let most = Natural::power_of(10, DIGITS);
    while value.compare(&most).is_ge() {
        scale = scale.checked_sub(1).ok_or(Unfit::TooLarge)?;
        value = value.divide(&ten).0;
    }
    // It is less than 10^31.
    let mut value = value.to_u128().ok_or(Unfit::TooLarge)? as i128;
    while scale > DIGITS || scale > 0 && value % 10 == 0 {
        scale -= 1;
        value /= 10;
    }
    Ok(Decimal {
        value: if negative { -value } else { value },
        scale: scale as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        match text.strip_prefix('-') {
            Some(rest) => Decimal::parse(rest).unwrap().negate(),
            None => Decimal::parse(text).unwrap(),
        }
    }

    #[test]
    fn literals() {
        for (text, value, scale, digits) in [
            ("0123.450", 12345, 2, 5),
            ("0", 0, 0, 1),
            ("0.000", 0, 0, 1),
            ("100", 100, 0, 3),
            (".001", 1, 3, 3),
            ("5.", 5, 0, 1),
        ] {
            let decimal = decimal(text);
            assert_eq!((decimal.value, decimal.scale), (value, scale), "{text}");
            assert_eq!(decimal.digits(), digits, "{text}");
        }
        for text in ["", ".", "1.2.3", "1e3", "12345678901234567890123456789012"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn arithmetic() {
        assert_eq!(decimal("1.5").add(decimal("2.25")), Ok(decimal("3.75")));
        assert_eq!(decimal("1.5").add(decimal("-2.25")), Ok(decimal("-0.75")));
        assert_eq!(decimal("-1.5").add(decimal("1.5")), Ok(decimal("0")));
        assert_eq!(
            decimal("-1.5").multiply(decimal("0.2")),
            Ok(decimal("-0.3"))
        );
        assert_eq!(decimal("10").divide(decimal("4")), Ok(decimal("2.5")));
        assert_eq!(
            decimal("2").divide(decimal("3")),
            Ok(decimal("0.6666666666666666666666666666666"))
        );
        assert_eq!(
            decimal("100").divide(decimal("3")),
            Ok(decimal("33.33333333333333333333333333333"))
        );
        let least = decimal("0.0000000000000000000000000000001");
        assert_eq!(decimal("1").divide(least), Err(Unfit::TooLarge));
        assert_eq!(
            decimal("1").divide(decimal("0")),
            Err(Unfit::DivisionByZero)
        );
        let large = decimal("9999999999999999999999999999999");
        assert_eq!(large.add(decimal("1")), Err(Unfit::TooLarge));
        assert_eq!(large.multiply(large), Err(Unfit::TooLarge));
    }

    #[test]
    fn scales() {
        assert_eq!(decimal("1.5").with_scale(5, 2), Some((150, false)));
        assert_eq!(decimal("1.567").with_scale(5, 2), Some((156, true)));
        assert_eq!(decimal("1234").with_scale(5, 2), None);
        assert_eq!(decimal("-999.99").with_scale(5, 2), Some((-99999, false)));
    }
}

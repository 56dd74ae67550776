//! Numbers of the type `long double`: IEEE 754 binary128.

use super::natural::Natural;

/// The bits of a significand.
const PRECISION: usize = 113;
/// The exponent of the least bit of the least number.
const LEAST: i32 = -16494;
/// The exponent of the least bit of the greatest number.
const GREATEST: i32 = 16383 - 112;
/// How many digits of a literal count. Of further ones it counts only whether
/// they are all 0, which could matter to no number that is not made for it.
const DIGITS: usize = 1200;

/// A finite number: `± significand × 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quad {
    negative: bool,
    /// Of 113 bits at most.
    significand: u128,
    exponent: i32,
}

impl Quad {
    /// Reads a floating-point literal, and rounds it to the nearest number.
    /// None if it is too great or no literal.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes());
        let mut value = Natural::from(0);
        let mut count = 0;
        let mut sticky = false;
        let mut exponent = parse_exponent(exponent)?.saturating_sub(fraction.len() as i64);
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            let digit = digit - b'0';
            count += usize::from(count > 0 || digit > 0);
            if count <= DIGITS {
                value = value.multiply_add(10, u32::from(digit));
            } else {
                sticky |= digit > 0;
                exponent = exponent.saturating_add(1);
            }
        }
        let magnitude = exponent.saturating_add(count.min(DIGITS) as i64);
        if value.is_zero() || magnitude < -5000 {
            return Some(Self::ZERO);
        }
        if magnitude > 5000 {
            return None;
        }
        let power = Natural::power_of(5, exponent.unsigned_abs() as usize);
        if exponent >= 0 {
            return round(false, &value.multiply(&power), exponent as i32, sticky);
        }
        let more = (power.bits() + PRECISION + 3).saturating_sub(value.bits());
        let (quotient, rest) = value.shift_left(more).divide(&power);
        round(
            false,
            &quotient,
            exponent as i32 - more as i32,
            sticky || !rest.is_zero(),
        )
    }

    const ZERO: Self = Self {
        negative: false,
        significand: 0,
        exponent: 0,
    };

    /// The number nearest to an integer.
    pub(crate) fn from_integer(value: i128) -> Self {
        round(value < 0, &Natural::from(value.unsigned_abs()), 0, false).unwrap_or(Self::ZERO)
    }

    /// A finite number, exactly.
    pub(crate) fn from_double(value: f64) -> Self {
        let bits = value.to_bits();
        let field = (bits >> 52 & 0x7FF) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let significand = if field > 0 {
            fraction | 1 << 52
        } else {
            fraction
        };
        Self {
            negative: value.is_sign_negative(),
            significand,
            exponent: field.max(1) - 1075,
        }
    }

    /// The number whose encoding this is. None if it is no finite one.
    pub(crate) fn from_bits(bits: u128) -> Option<Self> {
        let field = (bits >> 112 & 0x7FFF) as i32;
        let fraction = bits & ((1 << 112) - 1);
        (field < 0x7FFF).then(|| Self {
            negative: bits >> 127 == 1,
            significand: if field > 0 {
                fraction | 1 << 112
            } else {
                fraction
            },
            exponent: field.max(1) - 1 + LEAST,
        })
    }

    /// The encoding.
    pub(crate) fn to_bits(self) -> u128 {
        let sign = u128::from(self.negative) << 127;
        if self.significand == 0 {
            return sign;
        }
        let room = self.significand.leading_zeros() as i32 - (128 - PRECISION as i32);
        let shift = room.min(self.exponent - LEAST).max(0);
        let significand = self.significand << shift;
        let exponent = self.exponent - shift;
        match significand >> 112 {
            0 => sign | significand,
            _ => {
                let field = (exponent - LEAST + 1) as u128;
                sign | field << 112 | significand & ((1 << 112) - 1)
            }
        }
    }

    /// The nearest `double`; it may be infinite.
    pub(crate) fn to_double(self) -> f64 {
        // To 64 bits with the lowest one sticky, from which one more rounding
        // gives the right result: a double has 53. Subnormal ones have fewer,
        // so that they may be off by one unit in the last place.
        let excess = (128 - self.significand.leading_zeros()).saturating_sub(64);
        let lost = self.significand & ((1 << excess) - 1) != 0;
        let top = (self.significand >> excess) as u64 | u64::from(lost);
        let exponent = self.exponent + excess as i32;
        let mut value = top as f64;
        let mut left = exponent.clamp(-3000, 3000);
        while left != 0 {
            let step = left.clamp(-1000, 1000);
            value *= 2_f64.powi(step);
            left -= step;
        }
        if self.negative { -value } else { value }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.significand == 0
    }

    #[must_use]
    pub(crate) fn negate(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    /// The sum, rounded. None if it is too great.
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let at = |number: Self| {
            let shift = (number.exponent - exponent) as usize;
            Natural::from(number.significand).shift_left(shift)
        };
        let (left, right) = (at(self), at(other));
        if self.negative == other.negative {
            return round(self.negative, &left.add(&right), exponent, false);
        }
        if left.compare(&right).is_lt() {
            return round(other.negative, &right.subtract(&left), exponent, false);
        }
        let difference = left.subtract(&right);
        let negative = self.negative && !difference.is_zero();
        round(negative, &difference, exponent, false)
    }

    /// The product, rounded. None if it is too great.
    pub(crate) fn multiply(self, other: Self) -> Option<Self> {
        let product = Natural::from(self.significand).multiply(&Natural::from(other.significand));
        let negative = self.negative != other.negative;
        round(negative, &product, self.exponent + other.exponent, false)
    }

    /// The quotient, rounded. None if it is too great or the divisor is 0.
    pub(crate) fn divide(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let more = 2 * PRECISION + 3;
        let dividend = Natural::from(self.significand).shift_left(more);
        let (quotient, rest) = dividend.divide(&Natural::from(other.significand));
        let exponent = self.exponent - other.exponent - more as i32;
        let negative = self.negative != other.negative;
        round(negative, &quotient, exponent, !rest.is_zero())
    }
}

/// The exponent of a literal. One too great to matter counts as one that is
/// merely great.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = digits.bytes().fold(0_i64, |value, digit| {
        (value * 10 + i64::from(digit - b'0')).min(1 << 40)
    });
    Some(if text.starts_with('-') { -value } else { value })
}

/// The number nearest to `value × 2^exponent`, and of two the even one.
/// `sticky` says that the value is in truth a little greater.
fn round(negative: bool, value: &Natural, exponent: i32, sticky: bool) -> Option<Quad> {
    let excess = value.bits() as i32 - PRECISION as i32;
    let shift = excess.max(LEAST - exponent).max(0);
    let places = shift as usize;
    let kept = value.shift_right(places);
    let half = places > 0 && value.bit(places - 1);
    let more = sticky || places > 0 && value.any_below(places - 1);
    let up = half && (more || kept.bit(0));
    let mut significand = kept.to_u128()? + u128::from(up);
    let mut exponent = exponent + shift;
    if significand >> PRECISION != 0 {
        significand >>= 1;
        exponent += 1;
    }
    // A small significand may stand for a large one.
    let room = significand.leading_zeros() as i32 - (128 - PRECISION as i32);
    if significand != 0 && exponent - room > GREATEST {
        return None;
    }
    Some(Quad {
        negative,
        significand,
        exponent: if significand == 0 { 0 } else { exponent },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quad(text: &str) -> Quad {
        Quad::parse(text).unwrap()
    }

    #[test]
    fn literals() {
        for (text, bits) in [
            ("0.0", 0),
            ("1.0", 0x3FFF_0000_0000_0000_0000_0000_0000_0000),
            ("2.5", 0x4000_4000_0000_0000_0000_0000_0000_0000),
            ("1.1", 0x3FFF_1999_9999_9999_9999_9999_9999_999A),
            ("0.1", 0x3FFB_9999_9999_9999_9999_9999_9999_999A),
            ("1e2", 0x4005_9000_0000_0000_0000_0000_0000_0000),
            // The greatest, the least normal and the least number.
            (
                "1.18973149535723176508575932662800702e4932",
                0x7FFE_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF,
            ),
            (
                "3.36210314311209350626267781732175260e-4932",
                0x0001_0000_0000_0000_0000_0000_0000_0000,
            ),
            ("6.47517511943802511092443895822764655e-4966", 1),
            ("1e-5000", 0),
            ("1e-99999999999999999999", 0),
        ] {
            assert_eq!(quad(text).to_bits(), bits, "{text}");
        }
        for text in [
            "1e4933",
            "1e99999999999999999999",
            "1e",
            "1e+",
            "x",
            "1.2.3",
        ] {
            assert_eq!(Quad::parse(text), None, "{text}");
        }
        let long = format!("1.{}1", "0".repeat(5000));
        assert_eq!(quad(&long), quad("1.0").add(quad("0.0")).unwrap());
    }

    #[test]
    fn arithmetic() {
        let cases = [
            (quad("1.5").add(quad("2.25")), "3.75"),
            (quad("1.0").add(quad("2.0").negate()), "-1.0"),
            (quad("1e30").add(quad("1e30").negate()), "0.0"),
            (quad("1.5").multiply(quad("0.5")), "0.75"),
            (
                quad("1.0").divide(quad("3.0")),
                "0.333333333333333333333333333333333333",
            ),
        ];
        for (found, expected) in cases {
            let expected = match expected.strip_prefix('-') {
                Some(rest) => quad(rest).negate(),
                None => quad(expected),
            };
            assert_eq!(found.unwrap().to_bits(), expected.to_bits());
        }
        assert_eq!(quad("1.0").divide(quad("0.0")), None);
        assert_eq!(quad("1e4000").multiply(quad("1e4000")), None);
        assert!(quad("1e-4000").multiply(quad("1e-4000")).unwrap().is_zero());
    }

    #[test]
    fn conversions() {
        for value in [
            0.0,
            -0.0,
            1.0,
            -2.5,
            0.1,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
        ] {
            let quad = Quad::from_double(value);
            assert_eq!(quad.to_double().to_bits(), value.to_bits());
            assert_eq!(
                Quad::from_bits(quad.to_bits()).unwrap().to_bits(),
                quad.to_bits()
            );
        }
        assert_eq!(quad("0.1").to_double(), 0.1);
        assert_eq!(quad("1e400").to_double(), f64::INFINITY);
        assert_eq!(Quad::from_integer(-3).to_double(), -3.0);
        assert_eq!(Quad::from_bits(0x7FFF << 112), None);
    }
}

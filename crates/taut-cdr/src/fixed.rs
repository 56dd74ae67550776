//! IDL's `fixed`: exact decimals of up to 31 digits (CORBA 3.3 part 2, 9.3.2.8).
//!
//! [`Fixed`] is the type that IDL declares. The functions serve those who know
//! digits and scale only when the program runs.

use core::fmt;
use core::str::FromStr;

use crate::{Decode, Decoder, Encode, Encoder, Error, ErrorKind, Result};

/// The most digits that a `fixed` has.
pub const MAX_DIGITS: u8 = 31;

/// The last half-octet of a value that is not negative.
const PLUS: u8 = 0xc;

/// The last half-octet of a negative value.
const MINUS: u8 = 0xd;

/// `fixed<DIGITS, SCALE>`: a decimal of at most `DIGITS` digits, `SCALE` of
/// them behind the point.
///
/// `DIGITS` is 1 to 31 and `SCALE` at most `DIGITS`; other types do not compile
/// once they are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fixed<const DIGITS: u8, const SCALE: u8> {
    /// The value times ten to the power of `SCALE`; below ten to the power of
    /// `DIGITS` in magnitude.
    unscaled: i128,
}

/// Why there is no such `fixed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FixedError {
    /// The value has more digits than the type.
    TooManyDigits,
    /// The value has digits behind the point that the type has no place for.
    Inexact,
    /// The text is not a decimal number.
    NotANumber,
}

impl<const DIGITS: u8, const SCALE: u8> Fixed<DIGITS, SCALE> {
    const VALID: () = assert!(
        DIGITS >= 1 && DIGITS <= MAX_DIGITS && SCALE <= DIGITS,
        "fixed has 1 to 31 digits, and no more of them behind the point"
    );

    /// Zero.
    pub const ZERO: Self = {
        let () = Self::VALID;
        Self { unscaled: 0 }
    };

    /// The largest value; its negation is the smallest.
    pub const MAX: Self = {
        let () = Self::VALID;
        Self {
            unscaled: limit(DIGITS) - 1,
        }
    };

    /// The value `unscaled` divided by ten to the power of `SCALE`.
    ///
    /// # Errors
    ///
    /// [`FixedError::TooManyDigits`].
    pub const fn from_unscaled(unscaled: i128) -> core::result::Result<Self, FixedError> {
        let () = Self::VALID;
        if unscaled.unsigned_abs() < limit(DIGITS).unsigned_abs() {
            Ok(Self { unscaled })
        } else {
            Err(FixedError::TooManyDigits)
        }
    }

    /// The whole number as a `fixed`.
    ///
    /// # Errors
    ///
    /// [`FixedError::TooManyDigits`].
    pub fn from_integer(value: i128) -> core::result::Result<Self, FixedError> {
        value
            .checked_mul(limit(SCALE))
            .ok_or(FixedError::TooManyDigits)
            .and_then(Self::from_unscaled)
    }

    /// The value times ten to the power of `SCALE`, a whole number.
    #[inline]
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// [`FixedError::TooManyDigits`].
    pub fn checked_add(self, other: Self) -> core::result::Result<Self, FixedError> {
        // 31 digits leave room for many such sums in 128 bits.
        Self::from_unscaled(self.unscaled + other.unscaled)
    }

    /// The difference.
    ///
    /// # Errors
    ///
    /// [`FixedError::TooManyDigits`].
    pub fn checked_sub(self, other: Self) -> core::result::Result<Self, FixedError> {
        Self::from_unscaled(self.unscaled - other.unscaled)
    }

    /// The same value in another type of `fixed`.
    ///
    /// # Errors
    ///
    /// [`FixedError::TooManyDigits`], [`FixedError::Inexact`].
    pub fn convert<const TO_DIGITS: u8, const TO_SCALE: u8>(
        self,
    ) -> core::result::Result<Fixed<TO_DIGITS, TO_SCALE>, FixedError> {
        rescale(self.unscaled, SCALE, TO_SCALE).and_then(Fixed::from_unscaled)
    }
}

/// How many octets a `fixed` of so many digits takes.
pub const fn encoded_size(digits: u8) -> usize {
    digits as usize / 2 + 1
}

/// Appends the `fixed` of `digits` digits that has this unscaled value.
///
/// # Errors
///
/// [`ErrorKind::BoundExceeded`] when the value, or `digits` itself, has too
/// many digits.
pub fn encode(unscaled: i128, digits: u8, out: &mut Encoder) -> Result<()> {
    if digits > MAX_DIGITS || unscaled.unsigned_abs() >= limit(digits).unsigned_abs() {
        let kind = ErrorKind::BoundExceeded {
            length: digit_count(unscaled),
            bound: usize::from(digits.min(MAX_DIGITS)),
        };
        return Err(Error::new(kind, out.position()));
    }
    let size = encoded_size(digits);
    let mut octets = [0_u8; encoded_size(MAX_DIGITS)];
    let sign = if unscaled < 0 { MINUS } else { PLUS };
    let mut rest = unscaled.unsigned_abs();
    octets[size - 1] = (rest % 10) as u8 * 16 + sign;
    rest /= 10;
    for octet in octets[..size - 1].iter_mut().rev() {
        *octet = (rest / 10 % 10) as u8 * 16 + (rest % 10) as u8;
        rest /= 100;
    }
    out.write_bytes(&octets[..size]);
    Ok(())
}

/// Reads the unscaled value of a `fixed` of `digits` digits.
///
/// # Errors
///
/// [`ErrorKind::Truncated`], and [`ErrorKind::Invalid`] when a half-octet is no
/// digit, the last one no sign, or there are too many digits.
pub fn decode(digits: u8, input: &mut Decoder<'_>) -> Result<i128> {
    if digits > MAX_DIGITS {
        return Err(input.error(ErrorKind::Invalid("a fixed has at most 31 digits")));
    }
    let start = input.clone();
    let octets = input.read_bytes(encoded_size(digits))?;
    let mut unscaled = 0_i128;
    let mut sign = 0;
    for (place, octet) in octets.iter().enumerate() {
        let (high, low) = (octet / 16, octet % 16);
        let last = place + 1 == octets.len();
        if high > 9 || !last && low > 9 {
            return Err(start.error(ErrorKind::Invalid("a fixed has a digit above 9")));
        }
        unscaled = unscaled * 10 + i128::from(high);
        if last {
            sign = low;
        } else {
            unscaled = unscaled * 10 + i128::from(low);
        }
    }
    if unscaled >= limit(digits) {
        return Err(start.error(ErrorKind::Invalid("a fixed has more digits than its type")));
    }
    match sign {
        PLUS => Ok(unscaled),
        MINUS => Ok(-unscaled),
        _ => Err(start.error(ErrorKind::Invalid("a fixed has neither sign C nor D"))),
    }
}

/// Writes a decimal as people do: `-12.50`.
///
/// # Errors
///
/// Those of the formatter.
pub fn format(unscaled: i128, scale: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let magnitude = unscaled.unsigned_abs();
    let power = limit(scale.min(MAX_DIGITS)).unsigned_abs();
    let (whole, fraction) = (magnitude / power, magnitude % power);
    let sign = if unscaled < 0 { "-" } else { "" };
    if scale == 0 {
        return write!(f, "{sign}{whole}");
    }
    write!(
        f,
        "{sign}{whole}.{fraction:0width$}",
        width = usize::from(scale)
    )
}

/// Ten to the power of `digits`, which is at most 31.
const fn limit(digits: u8) -> i128 {
    10_i128.pow(digits as u32)
}

fn digit_count(value: i128) -> usize {
    value
        .unsigned_abs()
        .checked_ilog10()
        .map_or(1, |power| power as usize + 1)
}

fn rescale(unscaled: i128, from: u8, to: u8) -> core::result::Result<i128, FixedError> {
    if to >= from {
        return unscaled
            .checked_mul(limit(to - from))
            .ok_or(FixedError::TooManyDigits);
    }
    let power = limit(from - to);
    if unscaled % power != 0 {
        return Err(FixedError::Inexact);
    }
    Ok(unscaled / power)
}

impl<const DIGITS: u8, const SCALE: u8> Encode for Fixed<DIGITS, SCALE> {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        encode(self.unscaled, DIGITS, out)
    }
}

impl<'m, const DIGITS: u8, const SCALE: u8> Decode<'m> for Fixed<DIGITS, SCALE> {
    const MIN_SIZE: usize = encoded_size(DIGITS);

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let () = Self::VALID;
        decode(DIGITS, input).map(|unscaled| Self { unscaled })
    }
}

impl<const DIGITS: u8, const SCALE: u8> fmt::Display for Fixed<DIGITS, SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        format(self.unscaled, SCALE, f)
    }
}

impl<const DIGITS: u8, const SCALE: u8> fmt::Debug for Fixed<DIGITS, SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const DIGITS: u8, const SCALE: u8> core::ops::Neg for Fixed<DIGITS, SCALE> {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            unscaled: -self.unscaled,
        }
    }
}

/// Reads what [`Display`](fmt::Display) writes, and IDL's literals: an optional
/// sign, digits with or without a point, an optional `d` or `D`.
impl<const DIGITS: u8, const SCALE: u8> FromStr for Fixed<DIGITS, SCALE> {
    type Err = FixedError;

    fn from_str(text: &str) -> core::result::Result<Self, FixedError> {
        let digits = text.strip_suffix(['d', 'D']).unwrap_or(text);
        let (negative, digits) = match digits.as_bytes() {
            [b'-', ..] => (true, &digits[1..]),
            [b'+', ..] => (false, &digits[1..]),
            _ => (false, digits),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.len() + fraction.len() == 0 {
            return Err(FixedError::NotANumber);
        }
        let mut unscaled = 0_i128;
        let mut scale = 0;
        for (behind_point, digit) in whole
            .bytes()
            .map(|digit| (false, digit))
            .chain(fraction.bytes().map(|digit| (true, digit)))
        {
            if !digit.is_ascii_digit() {
                return Err(FixedError::NotANumber);
            }
            if behind_point && scale == SCALE {
                // Zeroes may follow without end; they say nothing.
                if digit != b'0' {
                    return Err(FixedError::Inexact);
                }
                continue;
            }
            scale += u8::from(behind_point);
            unscaled = unscaled * 10 + i128::from(digit - b'0');
            if unscaled >= limit(DIGITS) {
                return Err(FixedError::TooManyDigits);
            }
        }
        let unscaled = rescale(unscaled, scale, SCALE)?;
        Self::from_unscaled(if negative { -unscaled } else { unscaled })
    }
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooManyDigits => "the value has more digits than the type",
            Self::Inexact => "the value has more digits behind the point than the type",
            Self::NotANumber => "the text is not a decimal number",
        })
    }
}

impl core::error::Error for FixedError {}

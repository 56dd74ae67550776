//! IDL's `long double`: IEEE 754 binary128.

use core::fmt;

/// Bits of the fraction of a binary128.
const FRACTION_BITS: u32 = 112;

/// The exponent's bias of a binary128.
const BIAS: i32 = 16_383;

/// The exponent of infinities and NaNs.
const EXPONENT_MAX: u32 = 0x7fff;

/// Bits of the fraction of an `f64`.
const F64_FRACTION_BITS: u32 = 52;

/// The exponent's bias of an `f64`.
const F64_BIAS: i32 = 1023;

/// IDL's `long double` (CORBA 3.3 part 2, 9.3.1.4): sixteen octets, aligned to
/// eight, a sign, 15 bits of exponent and 112 of fraction.
///
/// Rust has no stable type for it, so that this one only carries the value:
/// exactly from an `f64`, rounded back to one. Equality and hashing are those
/// of the bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct LongDouble(u128);

impl LongDouble {
    /// The value with these bits, the sign in the highest.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits, the sign in the highest.
    #[inline]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// The same value; every `f64` has one.
    pub fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let sign = u128::from(bits >> 63) << 127;
        let exponent = (bits >> F64_FRACTION_BITS & 0x7ff) as i32;
        let fraction = bits & ((1 << F64_FRACTION_BITS) - 1);
        let (exponent, fraction) = match (exponent, fraction) {
            (0, 0) => return Self(sign),
            (0, _) => {
                // A subnormal f64 is a normal binary128: its highest one
                // becomes the implied one.
                let shift = fraction.leading_zeros() - (63 - F64_FRACTION_BITS);
                let normal = fraction << shift & ((1 << F64_FRACTION_BITS) - 1);
                (1 - F64_BIAS - shift as i32 + BIAS, normal)
            }
            (0x7ff, _) => (EXPONENT_MAX as i32, fraction),
            _ => (exponent - F64_BIAS + BIAS, fraction),
        };
        let fraction = u128::from(fraction) << (FRACTION_BITS - F64_FRACTION_BITS);
        Self(sign | (exponent as u128) << FRACTION_BITS | fraction)
    }

    /// The nearest `f64`, ties to even; an infinity where the value is beyond
    /// the range.
    pub fn to_f64(self) -> f64 {
        let sign = ((self.0 >> 127) as u64) << 63;
        let exponent = (self.0 >> FRACTION_BITS) as u32 & EXPONENT_MAX;
        let fraction = self.0 & ((1 << FRACTION_BITS) - 1);
        let dropped = FRACTION_BITS - F64_FRACTION_BITS;
        if exponent == EXPONENT_MAX {
            let mut payload = (fraction >> dropped) as u64;
            if fraction != 0 && payload == 0 {
                payload = 1 << (F64_FRACTION_BITS - 1);
            }
            return f64::from_bits(sign | 0x7ff << F64_FRACTION_BITS | payload);
        }
        let unbiased = exponent as i32 - BIAS;
        if unbiased > F64_BIAS {
            return f64::from_bits(sign | 0x7ff << F64_FRACTION_BITS);
        }
        let (significand, exponent, shift) = if unbiased >= 1 - F64_BIAS {
            // The carry of rounding up may run into the exponent, which is
            // what shall happen.
            (fraction, (unbiased + F64_BIAS) as u64, dropped)
        } else {
            let below = (1 - F64_BIAS - unbiased) as u32;
            let significand = fraction | u128::from(exponent != 0) << FRACTION_BITS;
            (significand, 0, dropped.saturating_add(below).min(127))
        };
        let kept = (significand >> shift) as u64;
        let rest = significand & ((1 << shift) - 1);
        let half = 1_u128 << (shift - 1);
        let up = rest > half || rest == half && kept & 1 == 1;
        let magnitude = (exponent << F64_FRACTION_BITS) + kept + u64::from(up);
        f64::from_bits(sign | magnitude)
    }
}

impl From<f64> for LongDouble {
    #[inline]
    fn from(value: f64) -> Self {
        Self::from_f64(value)
    }
}

impl From<f32> for LongDouble {
    #[inline]
    fn from(value: f32) -> Self {
        Self::from_f64(f64::from(value))
    }
}

impl fmt::Debug for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LongDouble({:?}, {:#034x})", self.to_f64(), self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values whose binary128 forms are known from the standard's definition.
    const KNOWN: &[(f64, u128)] = &[
        (0.0, 0),
        (-0.0, 1 << 127),
        (1.0, 0x3fff << 112),
        (-2.0, 0xc000 << 112),
        (1.5, 0x3fff_8000 << 96),
        (f64::INFINITY, 0x7fff << 112),
        (f64::NEG_INFINITY, 0xffff << 112),
        (f64::MIN_POSITIVE, 0x3c01 << 112),
        (5e-324, 0x3bcd << 112),
        (f64::MAX, 0x43fe_ffff_ffff_ffff_f000_0000_0000_0000),
    ];

    #[test]
    fn known_values_have_their_bits() {
        for &(value, bits) in KNOWN {
            assert_eq!(LongDouble::from(value).to_bits(), bits, "{value}");
            assert_eq!(
                LongDouble::from_bits(bits).to_f64().to_bits(),
                value.to_bits(),
                "{value}"
            );
        }
        assert!(LongDouble::from(f64::NAN).to_f64().is_nan());
        assert!(LongDouble::from_bits((0x7fff << 112) | 1).to_f64().is_nan());
    }

    #[test]
    fn what_an_f64_cannot_hold_is_rounded_to_even() {
        let one = 0x3fff_u128 << 112;
        let half_ulp = 1_u128 << 59;
        let max = 0x43fe_ffff_ffff_ffff_f000_0000_0000_0000_u128;
        let least = 0x3bcd_u128 << 112;
        let cases = [
            (one + half_ulp, 1.0),
            (one + half_ulp + 1, 1.0 + f64::EPSILON),
            (one + 3 * half_ulp, 1.0 + 2.0 * f64::EPSILON),
            (one - 1, 1.0),
            (max + half_ulp - 1, f64::MAX),
            (max + half_ulp, f64::INFINITY),
            (0x7ffe << 112, f64::INFINITY),
            // Half of the least subnormal is a tie with zero; a little more is not.
            (0x3bcc << 112, 0.0),
            ((0x3bcc << 112) + 1, 5e-324),
            (least + (1 << 111), 1e-323),
            (1, 0.0),
        ];
        for (bits, expected) in cases {
            let rounded = LongDouble::from_bits(bits).to_f64();
            assert_eq!(rounded.to_bits(), expected.to_bits(), "{bits:#034x}");
        }
    }
}

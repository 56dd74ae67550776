//! Natural numbers of any size. Simple rather than fast: they only serve the
//! constants of a source.

use std::cmp::Ordering;

/// Limbs, the least significant first; the last one is never 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bits there are up to the highest that is set.
    pub(super) fn bits(&self) -> usize {
        self.0
            .last()
            .map_or(0, |last| self.0.len() * 32 - last.leading_zeros() as usize)
    }

    pub(super) fn bit(&self, index: usize) -> bool {
        self.0
            .get(index / 32)
            .is_some_and(|limb| limb >> (index % 32) & 1 == 1)
    }

    /// Whether a bit below this one is set.
    pub(super) fn any_below(&self, index: usize) -> bool {
        let whole = index / 32;
        self.0.iter().take(whole).any(|limb| *limb != 0)
            || (whole * 32..index).any(|index| self.bit(index))
    }

    pub(super) fn to_u128(&self) -> Option<u128> {
        (self.0.len() <= 4).then(|| {
            let limbs = self.0.iter().rev();
            limbs.fold(0, |value, limb| value << 32 | u128::from(*limb))
        })
    }

    pub(super) fn power_of(base: u32, exponent: usize) -> Self {
        (0..exponent).fold(Self::from(1), |power, _| power.multiply_add(base, 0))
    }

    pub(super) fn multiply_add(&self, factor: u32, summand: u32) -> Self {
        let mut carry = u64::from(summand);
        let mut limbs = Vec::with_capacity(self.0.len() + 1);
        for limb in &self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            limbs.push(carry as u32);
            carry >>= 32;
        }
        limbs.push(carry as u32);
        Self::trimmed(limbs)
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        let mut limbs = vec![0_u32; self.0.len() + other.0.len() + 1];
        for (start, left) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            for (limb, right) in limbs[start..]
                .iter_mut()
                .zip(other.0.iter().copied().chain(std::iter::once(0)))
            {
                carry += u64::from(*limb) + u64::from(*left) * u64::from(right);
                *limb = carry as u32;
                carry >>= 32;
            }
        }
        Self::trimmed(limbs)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let mut carry = 0_u64;
        let length = self.0.len().max(other.0.len()) + 1;
        let limb = |number: &Self, index: usize| number.0.get(index).copied().unwrap_or(0);
        let mut limbs = Vec::with_capacity(length);
        for index in 0..length {
            carry += u64::from(limb(self, index)) + u64::from(limb(other, index));
            limbs.push(carry as u32);
            carry >>= 32;
        }
        Self::trimmed(limbs)
    }

    /// Returns the difference; `other` must be no greater.
    pub(super) fn subtract(&self, other: &Self) -> Self {
        let mut borrow = false;
        let mut limbs = Vec::with_capacity(self.0.len());
        for (index, limb) in self.0.iter().enumerate() {
            let other = other.0.get(index).copied().unwrap_or(0);
            let (rest, first) = limb.overflowing_sub(other);
            let (rest, second) = rest.overflowing_sub(u32::from(borrow));
            borrow = first || second;
            limbs.push(rest);
        }
        Self::trimmed(limbs)
    }

    pub(super) fn shift_left(&self, bits: usize) -> Self {
        let mut limbs = vec![0; bits / 32];
        let mut carry = 0_u64;
        for limb in &self.0 {
            carry |= u64::from(*limb) << (bits % 32);
            limbs.push(carry as u32);
            carry >>= 32;
        }
        limbs.push(carry as u32);
        Self::trimmed(limbs)
    }

    pub(super) fn shift_right(&self, bits: usize) -> Self {
        let mut limbs: Vec<u32> = self.0.iter().skip(bits / 32).copied().collect();
        for index in 0..limbs.len() {
            let high = limbs.get(index + 1).copied().unwrap_or(0);
            let both = u64::from(high) << 32 | u64::from(limbs[index]);
            limbs[index] = (both >> (bits % 32)) as u32;
        }
        Self::trimmed(limbs)
    }

    /// Quotient and remainder. The divisor must not be 0.
    pub(super) fn divide(&self, divisor: &Self) -> (Self, Self) {
        let places = (self.bits() + 1).saturating_sub(divisor.bits());
        let mut rest = self.clone();
        let mut part = divisor.shift_left(places);
        let mut quotient = vec![0_u32; places / 32 + 1];
        for place in (0..=places).rev() {
            if rest.compare(&part) != Ordering::Less {
                rest = rest.subtract(&part);
                quotient[place / 32] |= 1 << (place % 32);
            }
            part = part.shift_right(1);
        }
        (Self::trimmed(quotient), rest)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn trimmed(mut limbs: Vec<u32>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self(limbs)
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Self::trimmed((0..4).map(|limb| (value >> (32 * limb)) as u32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_machine() {
        let samples = [
            0_u128,
            1,
            2,
            9,
            31,
            0xFFFF_FFFF,
            1 << 32,
            1 << 63,
            (1 << 64) - 1,
        ];
        for left in samples {
            for right in samples {
                let (a, b) = (Natural::from(left), Natural::from(right));
                assert_eq!(a.add(&b).to_u128(), Some(left + right));
                if let Some(product) = left.checked_mul(right) {
                    assert_eq!(a.multiply(&b).to_u128(), Some(product));
                }
                assert_eq!(a.compare(&b), left.cmp(&right));
                if left >= right {
                    assert_eq!(a.subtract(&b).to_u128(), Some(left - right));
                }
                if let (Some(expected), Some(left_over)) =
                    (left.checked_div(right), left.checked_rem(right))
                {
                    let (quotient, rest) = a.divide(&b);
                    assert_eq!(quotient.to_u128(), Some(expected));
                    assert_eq!(rest.to_u128(), Some(left_over));
                }
            }
            let number = Natural::from(left);
            assert_eq!(number.bits() as u32, 128 - left.leading_zeros());
            for bits in [0, 1, 31, 32, 33, 63] {
                assert_eq!(number.shift_left(bits).to_u128(), Some(left << bits));
                assert_eq!(number.shift_right(bits).to_u128(), Some(left >> bits));
                assert_eq!(number.any_below(bits), left & ((1 << bits) - 1) != 0);
            }
        }
        let big = Natural::power_of(10, 60);
        let (quotient, rest) = big.divide(&Natural::power_of(10, 40));
        assert_eq!(quotient.to_u128(), Some(10_u128.pow(20)));
        assert!(rest.is_zero());
        assert_eq!(big.to_u128(), None);
    }
}

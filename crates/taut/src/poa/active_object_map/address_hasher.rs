//! The hash of addresses in this process, which no peer can choose.

use std::hash::Hasher;

/// An odd number whose bits are as good as random: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads an address over all bits of a hash.
#[derive(Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, octets: &[u8]) {
        for &octet in octets {
            self.write_usize(octet.into());
        }
    }

    fn write_usize(&mut self, address: usize) {
        let product = (self.0 ^ address as u64).wrapping_mul(MULTIPLIER);
        // The lower bits of a product depend on the lower bits of the address alone, which
        // are mostly zero.
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn addresses_that_lie_side_by_side_differ_at_both_ends_of_the_hash() {
        for spacing in [16, 64, 4096] {
            let (mut lower, mut upper) = (HashSet::new(), HashSet::new());
            for index in 0..1_000_usize {
                let mut hasher = AddressHasher::default();
                hasher.write_usize(0x7f00_0000_0000 + index * spacing);
                lower.insert(hasher.finish() & 0x3ff);
                upper.insert(hasher.finish() >> 57);
            }
            assert!(lower.len() > 500, "{}", lower.len());
            assert!(upper.len() > 100, "{}", upper.len());
        }
    }
}

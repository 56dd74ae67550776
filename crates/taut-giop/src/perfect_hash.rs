//! A minimal perfect hash of names: as many slots as names, each name in a slot
//! of its own, found with one hash and one look at a small table.
//!
//! The names are hashed once. The upper half of the hash chooses a bucket, the
//! lower half a first slot; the bucket's *displacement*, which the generator
//! chooses so that no two names meet, is added to that slot. Large buckets are
//! placed first, while there is room; buckets of one name fill the gaps at the
//! end. This takes time linear in the number of names, as expected; it is then
//! verified.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The most names that a table can have: a displacement has 16 bits.
pub const MAX_NAMES: usize = 65_535;

/// Names per bucket, on average. With more, two names of a bucket more often
/// have the same first slot, which no displacement can mend.
const NAMES_PER_BUCKET: usize = 2;

/// How many seeds are tried. Each succeeds with a probability of about 1/3.
const SEEDS: u64 = 1_000;

/// A minimal perfect hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfectHash {
    /// The seed for [`hash`].
    pub seed: u64,
    /// One displacement per bucket.
    pub displacements: Vec<u16>,
    /// For each slot the index of its name in the names given.
    pub order: Vec<usize>,
    /// How many slots there are: as many as names.
    pub slots: usize,
}

impl PerfectHash {
    /// Returns the slot in which a name must be, if it is one of those given. Any other name
    /// has a slot of one of them, or none.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let hash = hash(name, self.seed);
        let bucket = bucket(hash, self.displacements.len());
        let displacement = *self.displacements.get(bucket)?;
        Some(slot(hash, displacement, self.slots))
    }
}

/// Why there is no perfect hash of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PerfectHashError {
    /// Two names are equal.
    Duplicate {
        /// The index of the first of them.
        first: usize,
        /// The index of the second.
        second: usize,
    },
    /// There are more than [`MAX_NAMES`].
    TooManyNames {
        /// How many there are.
        count: usize,
    },
    /// No seed was found; with names that were not made for this purpose that
    /// does not happen.
    NoSeed,
}

impl fmt::Display for PerfectHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { first, second } => {
                write!(f, "the names {first} and {second} are equal")
            }
            Self::TooManyNames { count } => {
                write!(
                    f,
                    "{count} names are more than the {MAX_NAMES} that are possible"
                )
            }
            Self::NoSeed => write!(f, "none of {SEEDS} seeds keeps the names apart"),
        }
    }
}

impl core::error::Error for PerfectHashError {}

/// Hashes a name: 16 octets per step, folded in by one multiplication; most names take no
/// more. The same on every machine.
#[inline]
pub const fn hash(name: &[u8], seed: u64) -> u64 {
    // With the seed on either side nobody who does not know it can choose names of which
    // one side is zero.
    let key = seed ^ FACTORS[1];
    let mut state = seed ^ (name.len() as u64).wrapping_mul(FACTORS[0]);
    let mut rest = name;
    while let Some((words, behind)) = rest.split_first_chunk::<16>()
        && !behind.is_empty()
    {
        let (first, last) = words_of(words);
        state = fold(first ^ key, last ^ state);
        rest = behind;
    }
    let (first, last) = words_of(rest);
    fold(first ^ key, last ^ state)
}

/// Odd numbers with an even spread of bits: the fractional digits of the square
/// roots of 2 and 3.
const FACTORS: [u64; 2] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Multiplies to 128 bits and folds the halves together.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Up to 16 octets as two numbers. No two sequences of the same length give the same.
#[inline]
const fn words_of(octets: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (octets.first_chunk::<8>(), octets.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (octets.first_chunk::<4>(), octets.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return (first as u64 | (last as u64) << 32, 0);
    }
    let word = match *octets {
        [a, b, c] => a as u64 | (b as u64) << 8 | (c as u64) << 16,
        [a, b] => a as u64 | (b as u64) << 8,
        [a] => a as u64,
        _ => 0,
    };
    (word, 0)
}

/// Whether two names, or ids of objects, are equal. Those of 8 to 16 octets, as most are,
/// are compared in place, without a call.
#[inline]
pub fn is_same(name: &[u8], other: &[u8]) -> bool {
    match name.len() {
        8..=16 => name.len() == other.len() && words_of(name) == words_of(other),
        _ => name == other,
    }
}

/// The bucket of a hash.
#[inline]
pub(crate) const fn bucket(hash: u64, buckets: usize) -> usize {
    scale((hash >> 32) as u32, buckets)
}

/// The slot of a hash, given its bucket's displacement, which is below `slots`.
#[inline]
pub(crate) const fn slot(hash: u64, displacement: u16, slots: usize) -> usize {
    let slot = scale(hash as u32, slots) + displacement as usize;
    if slot >= slots { slot - slots } else { slot }
}

/// Brings 32 bits to a number below `range`, without division.
#[inline]
const fn scale(bits: u32, range: usize) -> usize {
    ((bits as u64 * range as u64) >> 32) as usize
}

/// Finds a minimal perfect hash of the names.
///
/// # Errors
///
/// When two names are equal or there are too many.
pub fn generate<N: AsRef<[u8]>>(names: &[N]) -> Result<PerfectHash, PerfectHashError> {
    if names.len() > MAX_NAMES {
        return Err(PerfectHashError::TooManyNames { count: names.len() });
    }
    let mut seen = BTreeMap::new();
    for (second, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_ref(), second) {
            return Err(PerfectHashError::Duplicate { first, second });
        }
    }
    (0..SEEDS)
        .map(|attempt| fold(attempt + 1, FACTORS[1]))
        .find_map(|seed| place(names, seed).filter(|found| verify(names, found)))
        .ok_or(PerfectHashError::NoSeed)
}

/// Tries one seed.
fn place<N: AsRef<[u8]>>(names: &[N], seed: u64) -> Option<PerfectHash> {
    let slots = names.len();
    if slots == 0 {
        return Some(PerfectHash {
            seed,
            displacements: Vec::new(),
            order: Vec::new(),
            slots,
        });
    }
    let mut buckets: Vec<Vec<(usize, u64)>> = vec![Vec::new(); slots.div_ceil(NAMES_PER_BUCKET)];
    let count = buckets.len();
    for (index, name) in names.iter().enumerate() {
        let hash = hash(name.as_ref(), seed);
        buckets[bucket(hash, count)].push((index, hash));
    }
    let mut by_size: Vec<usize> = (0..count).collect();
    by_size.sort_by_key(|&bucket| core::cmp::Reverse(buckets[bucket].len()));

    let mut order: Vec<Option<usize>> = vec![None; slots];
    let mut displacements = vec![0; count];
    let mut next_free = 0;
    for bucket in by_size {
        let members = &buckets[bucket];
        displacements[bucket] = match members.as_slice() {
            [] => break,
            [(_, hash)] => {
                // Any gap will do, and every displacement is a way to one.
                next_free += order[next_free..].iter().position(Option::is_none)?;
                displacement_to(*hash, next_free, slots)?
            }
            _ => {
                if share_first_slot(members, slots) {
                    return None;
                }
                (0..slots)
                    .filter_map(|displacement| u16::try_from(displacement).ok())
                    .find(|&displacement| {
                        members
                            .iter()
                            .all(|&(_, hash)| order[slot(hash, displacement, slots)].is_none())
                    })?
            }
        };
        for &(index, hash) in members {
            order[slot(hash, displacements[bucket], slots)] = Some(index);
        }
    }
    let order = order.into_iter().collect::<Option<_>>()?;
    Some(PerfectHash {
        seed,
        displacements,
        order,
        slots,
    })
}

/// The displacement that brings a hash to a slot.
fn displacement_to(hash: u64, target: usize, slots: usize) -> Option<u16> {
    let first = slot(hash, 0, slots);
    u16::try_from((target + slots - first) % slots).ok()
}

/// Whether two names of a bucket have the same first slot, hence every slot.
fn share_first_slot(members: &[(usize, u64)], slots: usize) -> bool {
    members.iter().enumerate().any(|(index, &(_, hash))| {
        members[..index]
            .iter()
            .any(|&(_, other)| slot(hash, 0, slots) == slot(other, 0, slots))
    })
}

/// Whether every name is found in its slot.
fn verify<N: AsRef<[u8]>>(names: &[N], found: &PerfectHash) -> bool {
    found.order.len() == names.len()
        && found.order.iter().enumerate().all(|(place, &index)| {
            let hash = hash(names[index].as_ref(), found.seed);
            let bucket = bucket(hash, found.displacements.len());
            slot(hash, found.displacements[bucket], names.len()) == place
        })
}

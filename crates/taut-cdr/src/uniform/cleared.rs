//! Values of which some octets are padding, and clearing these, on the way of a copy or where
//! they lie.
//!
//! Padding may never have been written, and no value may be made of it, not even to be
//! masked. The processor does not mind: where it has registers that are wide enough, the
//! octets go through them, and through nothing that the compiler would see.

#![allow(unsafe_code)]

use super::PlainForm;

/// How many octets a register has.
const WIDTH: usize = 16;

/// How many registers' octets a period may have, after which padding lies again as it did.
const MAX_PERIOD: usize = 8;

/// How many registers' octets of values with so many octets each are a period; 0 if that are
/// too many.
pub(super) const fn period(size: usize) -> usize {
    let mut period = 1;
    while period <= MAX_PERIOD {
        if size != 0 && (period * WIDTH).is_multiple_of(size) {
            return period;
        }
        period += 1;
    }
    0
}

/// Passes the first of so many octets of values from `source` to `target`, where they may
/// be already, and clears their padding: of as many values as it can, and says how many
/// octets these have.
///
/// # Safety
///
/// Both have so many octets, and nobody else the second ones meanwhile.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(super) unsafe fn pass(
    _form: PlainForm,
    _source: *const u8,
    _target: *mut u8,
    _octets: usize,
) -> usize {
    0
}

/// Passes the first of so many octets of values from `source` to `target`, where they may
/// be already, and clears their padding: of as many values as it can, and says how many
/// octets these have.
///
/// # Safety
///
/// Both have so many octets, and nobody else the second ones meanwhile.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) unsafe fn pass(
    form: PlainForm,
    source: *const u8,
    target: *mut u8,
    octets: usize,
) -> usize {
    match form.period() {
        // SAFETY: the caller vouches for both.
        1 => unsafe { pass_periods::<1>(form, source, target, octets) },
        // SAFETY: as above.
        2 => unsafe { pass_periods::<2>(form, source, target, octets) },
        // SAFETY: as above.
        3 => unsafe { pass_periods::<3>(form, source, target, octets) },
        // SAFETY: as above.
        4 => unsafe { pass_periods::<4>(form, source, target, octets) },
        // SAFETY: as above.
        5 => unsafe { pass_periods::<5>(form, source, target, octets) },
        // SAFETY: as above.
        6 => unsafe { pass_periods::<6>(form, source, target, octets) },
        // SAFETY: as above.
        7 => unsafe { pass_periods::<7>(form, source, target, octets) },
        // SAFETY: as above.
        MAX_PERIOD => unsafe { pass_periods::<MAX_PERIOD>(form, source, target, octets) },
        _ => 0,
    }
}

/// [`pass`] for periods of so many registers.
///
/// # Safety
///
/// As for [`pass`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn pass_periods<const REGISTERS: usize>(
    form: PlainForm,
    source: *const u8,
    target: *mut u8,
    octets: usize,
) -> usize {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128};

    let masks: [__m128i; REGISTERS] = masks::<REGISTERS>(form).map(|mask| {
        // SAFETY: a mask has a register's octets.
        unsafe { _mm_loadu_si128(mask.as_ptr().cast()) }
    });
    let period = REGISTERS * WIDTH;
    let octets = octets / period * period;
    let mut start = 0;
    while start < octets {
        for (register, mask) in masks.iter().enumerate() {
            let offset = start + register * WIDTH;
            // SAFETY: so many octets from there on are within both, as the caller says. The
            // octets that are read, those of padding included, never become values of the
            // program; only octets are written.
            unsafe {
                core::arch::asm!(
                    "movdqu {octets}, [{source} + {offset}]",
                    "pand {octets}, {mask}",
                    "movdqu [{target} + {offset}], {octets}",
                    octets = out(xmm_reg) _,
                    mask = in(xmm_reg) *mask,
                    source = in(reg) source,
                    target = in(reg) target,
                    offset = in(reg) offset,
                    options(nostack, preserves_flags),
                );
            }
        }
        start += period;
    }
    octets
}

/// Which octets of a period are no padding.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn masks<const REGISTERS: usize>(form: PlainForm) -> [[u8; WIDTH]; REGISTERS] {
    core::array::from_fn(|register| {
        let bits = (form.filled() >> (register * WIDTH)) as u16;
        let [low, high] = bits.to_le_bytes().map(widened);
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    })
}

/// An octet for each bit, the lowest first: all ones for a one.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
const fn widened(bits: u8) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // In each octet, its own bit.
    let bits = (bits as u64 * ONES) & 0x8040_2010_0804_0201;
    let highest = (bits + 0x7f * ONES) & (0x80 * ONES);
    (highest >> 7) * 0xff
}

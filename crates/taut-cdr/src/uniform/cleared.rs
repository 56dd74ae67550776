//! Values of which some octets are padding, and clearing these, on the way of a copy or where
//! they lie.
//!
//! What is in padding may never have been written, and no value may be made of it, not
//! even to be masked. The processor does not mind: where it has registers that are wide
//! enough, the octets go through them, and through nothing that the compiler would see.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use super::PlainData;

/// How many octets a register has.
const WIDTH: usize = 16;

/// How many registers' octets a period may have, after which padding lies again as it did.
const MAX_PERIOD: usize = 8;

/// Which octets of values one after the other are no padding, by registers.
struct Masks<T>(T);

impl<T: PlainData> Masks<T> {
    /// How many registers' octets are a period; none if that are too many, if it is not
    /// known which octets are padding, or if none is.
    const PERIOD: usize = {
        let size = size_of::<T>();
        let mut period = 1;
        while period <= MAX_PERIOD && !(period * WIDTH).is_multiple_of(size) {
            period += 1;
        }
        if period <= MAX_PERIOD && T::LAYOUT.has_padding() {
            period
        } else {
            0
        }
    };

    const OCTETS: [[u8; WIDTH]; MAX_PERIOD] = {
        let mut masks = [[0; WIDTH]; MAX_PERIOD];
        let mut index = 0;
        while index < Self::PERIOD * WIDTH {
            if !T::LAYOUT.is_padding(index % size_of::<T>()) {
                masks[index / WIDTH][index % WIDTH] = 0xff;
            }
            index += 1;
        }
        masks
    };
}

/// Copies the first of the values to `places`, their padding cleared: as many as can be
/// copied so, and says how many.
#[inline(always)]
pub(super) fn copy_first<T: PlainData>(items: &[T], places: &mut [MaybeUninit<u8>]) -> usize {
    let octets = size_of_val(items).min(places.len());
    // SAFETY: both have so many octets.
    unsafe { pass::<T>(items.as_ptr().cast(), places.as_mut_ptr().cast(), octets) }
}

/// Clears the padding of the first values that are in `places`: of as many as it can be so,
/// and says how many.
pub(super) fn clear_first<T: PlainData>(places: &mut [MaybeUninit<u8>]) -> usize {
    let (first, octets) = (places.as_mut_ptr().cast(), places.len());
    // SAFETY: there are so many octets.
    unsafe { pass::<T>(first, first, octets) }
}

/// Passes the first of so many octets of values from `source` to `target`, where they may
/// be already, and clears their padding: of as many values as it can, and says how many.
///
/// # Safety
///
/// Both have so many octets, and nobody else the second ones meanwhile.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
unsafe fn pass<T: PlainData>(_source: *const u8, _target: *mut u8, _octets: usize) -> usize {
    0
}

/// Passes the first of so many octets of values from `source` to `target`, where they may
/// be already, and clears their padding: of as many values as it can, and says how many.
///
/// # Safety
///
/// Both have so many octets, and nobody else the second ones meanwhile.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn pass<T: PlainData>(source: *const u8, target: *mut u8, octets: usize) -> usize {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128};

    let period = Masks::<T>::PERIOD * WIDTH;
    if period == 0 {
        return 0;
    }
    let octets = octets / period * period;
    let masks: [__m128i; MAX_PERIOD] = core::array::from_fn(|register| {
        let mask = &Masks::<T>::OCTETS[register];
        // SAFETY: a mask has a register's octets.
        unsafe { _mm_loadu_si128(mask.as_ptr().cast()) }
    });
    for start in (0..octets).step_by(period) {
        for (register, mask) in masks.iter().enumerate().take(Masks::<T>::PERIOD) {
            let offset = start + register * WIDTH;
            // SAFETY: so many octets from there on are within both, as the caller says. What
            // is read, of padding too, is no value of the program's; what is written are
            // octets.
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
    }
    octets / size_of::<T>()
}

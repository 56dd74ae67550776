//! What the processor expects functions to return to, after the system has run.
//!
//! A processor keeps the addresses behind the calls that it has made, and goes on there
//! at a `ret` before it has read the address from memory. It has room for some 16 to 64
//! of them, and the system's calls take their places: Linux even fills all with addresses
//! of its own whenever it switches to another process, so that none can lead a process
//! astray there (the mitigation of `SpectreRSB`). Whoever comes back from a system call
//! therefore goes on at an address that is the system's at its next `ret`, and finds out
//! late. On the machine where this was measured, that took 0.3 to 0.7 µs at the first
//! `ret` behind a system call: 5 % of an empty call over TCP, and more than all that an
//! ORB does for it.

#![allow(unsafe_code)]

/// So many returns are expected at addresses of the program itself from here on: wrong
/// ones, of which the processor finds out in a few nanoseconds. Called behind a system
/// call that has let another process run, or has done much, where functions return next
/// that were called before it.
///
/// Does nothing but on x86-64.
#[inline(always)]
pub fn refill() {
    fill();
}

/// Calls that never return: eight, for so many functions may return one after the other
/// until something is called again, and all lie in a line of the cache. What lies behind
/// each is not executed; a call of what lies behind it would not count. Where a shadow
/// stack checks what returns (`rdsspq` tells), calls have to return, and there are none.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fill() {
    // SAFETY: what the calls push below the stack pointer is not part of anything, for
    // the block does not say that it leaves the stack alone; and the stack pointer is
    // behind it where it was before.
    unsafe {
        std::arch::asm!(
            "xor {shadow:e}, {shadow:e}",
            "rdsspq {shadow}",
            "test {shadow}, {shadow}",
            "jnz 3f",
            ".rept 8",
            "call 2f",
            "int3",
            "2:",
            ".endr",
            "lea rsp, [rsp + 64]",
            "3:",
            shadow = out(reg) _,
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn fill() {}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::refill;

    #[inline(never)]
    fn descend(depth: usize) -> usize {
        let below = [depth; 3];
        let counted = match depth {
            0 => {
                refill();
                0
            }
            _ => descend(depth - 1),
        };
        refill();
        counted + usize::from(black_box(below) == [depth; 3])
    }

    #[test]
    fn functions_return_to_where_they_were_called_however_deep() {
        for depth in 0..100 {
            assert_eq!(descend(black_box(depth)), depth + 1);
        }
    }

    #[test]
    fn panics_find_their_way_through_it() {
        let caught = std::panic::catch_unwind(|| {
            refill();
            assert_eq!(descend(9), 11, "as it must be");
        });
        assert!(caught.is_err());
    }
}

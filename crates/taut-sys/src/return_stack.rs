//! The addresses to which the processor expects functions to return after a system call.
//!
//! A processor keeps the addresses behind the calls that it has made, and goes on there
//! at a `ret` before it has read the address from memory. It has room for some 16 to 64
//! of them, and the system's calls take their places: Linux even fills all with addresses
//! of its own whenever it switches to another process, so that none can lead a process
//! astray there (the mitigation of `SpectreRSB`). A program that comes back from a system
//! call therefore goes on, at its next `ret`, at an address that is the system's, and finds
//! out late. On the machine where this was measured, that took 0.3 to 0.7 µs at the first
//! `ret` behind a system call: 5 % of an empty call over TCP, and more than all that an ORB
//! does for it.

#![allow(unsafe_code)]

/// Has the processor expect the next eight returns at addresses of the program's own:
/// wrong ones, of which it finds out in a few nanoseconds. For what a system call has
/// `answer`ed that has let another process run, or has done much; in the function that
/// made the call, for already its own return goes astray otherwise.
///
/// By eight calls that never return, for so many functions may return one after the other
/// until something is called again, and their code fits a line of the cache. The code
/// behind each of them is not executed; a call of the code behind it would not count. Where
/// a shadow stack checks what returns (`rdsspq` tells), calls have to return, and there are
/// none; nor are there on other processors than x86-64.
#[inline(always)]
pub fn refill_behind<T>(answer: T) -> T {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
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
    answer
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::refill_behind;

    #[inline(never)]
    fn descend(depth: usize) -> usize {
        let below = [depth; 3];
        let counted = match depth {
            0 => refill_behind(0),
            _ => refill_behind(descend(depth - 1)),
        };
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
            assert_eq!(refill_behind(descend(9)), 11, "as it must be");
        });
        assert!(caught.is_err());
    }

    /// Where there is no shadow stack, which no test runs with.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[test]
    fn eight_addresses_of_the_program_have_been_called_from() {
        let mut pushed = [0_u64; 8];
        let places = pushed.as_mut_ptr();
        refill_behind(());
        // SAFETY: a thread's stack goes on below the stack pointer, as the calls have just
        // shown, and there are places for as many addresses as they have left there.
        unsafe {
            std::arch::asm!(
                ".irp place, 0, 1, 2, 3, 4, 5, 6, 7",
                "mov {address}, [rsp - 8 - 8 * \\place]",
                "mov [{places} + 8 * \\place], {address}",
                ".endr",
                places = in(reg) places,
                address = out(reg) _,
                options(nostack),
            );
        }
        let own = eight_addresses_of_the_program_have_been_called_from as fn() as usize as u64;
        // A call and what lies behind it take six octets.
        assert!(
            pushed.windows(2).all(|two| two[1] == two[0] + 6),
            "{pushed:x?}"
        );
        assert!(
            pushed[0].abs_diff(own) < 0x10_0000,
            "{pushed:x?} near {own:x}"
        );
    }
}

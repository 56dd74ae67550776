//! Memory of the process: what the C library keeps for later, and pages that are there before
//! they are needed.

#![allow(unsafe_code)]

use std::{hint, io};

/// Gives memory back to the system that the C library's allocator holds and does not use,
/// as far as it can. A program with another allocator has no such memory. It takes up to
/// some milliseconds, in which other threads may wait for memory.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `malloc_trim` may be called at any time by any thread; it touches only
        // memory that is not allocated.
        let _ = unsafe { libc::malloc_trim(0) };
    }
}

/// Locks all pages of the process in memory, those that it has and those that it will have, so that
/// none is ever read from a disk. Pages that it gets later are there when it gets them.
///
/// # Errors
///
/// `EPERM` and `ENOMEM` where the process may not lock so much (`ulimit -l`, `CAP_IPC_LOCK`).
pub fn lock_all() -> io::Result<()> {
    // SAFETY: `mlockall` takes a number and touches no memory that the program sees.
    let result = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes back what [`lock_all`] has done.
///
/// # Errors
///
/// An error of the operating system.
pub fn unlock_all() -> io::Result<()> {
    // SAFETY: `munlockall` takes nothing and touches no memory that the program sees.
    match unsafe { libc::munlockall() } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The octets of a page, or fewer.
const PAGE: usize = 4_096;

/// Touches the next octets of the calling thread's stack, so that their pages are there when the
/// stack grows. The stack must have so many left.
pub fn touch_stack(octets: usize) {
    touch_pages(octets.div_ceil(PAGE));
}

#[inline(never)]
fn touch_pages(pages: usize) {
    let mut page = [0_u8; PAGE];
    hint::black_box(&mut page);
    if pages > 1 {
        touch_pages(pages - 1);
    }
    // Behind the call, so that it is none that reuses the frame.
    hint::black_box(&mut page);
}

/// Touches all pages of a buffer's room, also behind what is in it, and leaves the buffer as it
/// is.
pub fn touch_room(buffer: &mut Vec<u8>) {
    let length = buffer.len();
    buffer.resize(buffer.capacity(), 0);
    hint::black_box(&mut *buffer);
    buffer.truncate(length);
}

#[cfg(test)]
mod page_tests {
    use std::thread;

    use super::*;
    use crate::usage::Usage;

    /// The page faults of the process while `run` runs. Those of other tests are among them.
    fn faults(run: impl FnOnce()) -> u64 {
        let before = Usage::of_this_process().unwrap().minor_faults;
        run();
        Usage::of_this_process().unwrap().minor_faults - before
    }

    #[test]
    fn a_stack_that_has_been_touched_is_there() {
        const OCTETS: usize = 512 * 1_024;
        let thread = thread::Builder::new().stack_size(4 * OCTETS);
        let touched = thread.spawn(|| {
            let first = faults(|| touch_stack(OCTETS));
            let again = (0..10).map(|_| faults(|| touch_stack(OCTETS))).min();
            (first, again)
        });
        let (first, again) = touched.unwrap().join().unwrap();
        assert!(first >= 64, "{first}");
        assert_eq!(again, Some(0));
    }

    #[test]
    fn a_buffer_that_has_been_touched_is_as_it_was() {
        let mut buffer = Vec::with_capacity(100_000);
        buffer.extend(b"abc");
        touch_room(&mut buffer);
        assert_eq!(buffer, b"abc");
        assert!(buffer.capacity() >= 100_000);
    }
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::process::Command;
    use std::{env, fs, hint};

    use super::*;

    /// Set where the test runs alone in a process, whose memory it looks at.
    const ALONE: &str = "TAUT_TEST_ALONE";

    /// Octets of this process that are in memory.
    fn resident() -> usize {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
        kibibytes.parse::<usize>().unwrap() << 10
    }

    #[test]
    fn what_lies_below_memory_in_use_is_given_back() {
        const PIECE: usize = 64 << 10;
        const PIECES: usize = 1_024;
        if env::var_os(ALONE).is_none() {
            let name = "memory::tests::what_lies_below_memory_in_use_is_given_back";
            let mut this = Command::new(env::current_exe().unwrap());
            let output = this.args(["--exact", name]).env(ALONE, "1").output();
            let output = output.unwrap();
            assert!(output.status.success(), "{output:?}");
            return;
        }
        let pieces: Vec<Vec<u8>> = (0..PIECES).map(|_| vec![1; PIECE]).collect();
        // Behind all of them, so that the heap cannot simply become shorter.
        let last = hint::black_box(vec![1_u8; PIECE]);
        drop(hint::black_box(pieces));
        give_back();
        let before = resident();
        let pieces: Vec<Vec<u8>> = (0..PIECES).map(|_| vec![1; PIECE]).collect();
        let full = resident();
        drop(hint::black_box(pieces));
        give_back();
        let after = resident();
        assert!(full > before + PIECE * PIECES / 2, "{before}, {full}");
        assert!(after < full - PIECE * PIECES / 2, "{full}, {after}");
        drop(last);
    }
}

//! Memory that the C library keeps for later.

#![allow(unsafe_code)]

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

//! Random octets.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Octets that nobody can foretell.
///
/// # Errors
///
/// An error of the operating system.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut octets = [0; N];
    let mut filled = 0;
    while filled < N {
        match getrandom(&mut octets[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(octets)
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_draws_differ() {
        assert_ne!(
            super::random::<16>().unwrap(),
            super::random::<16>().unwrap()
        );
    }
}

//! Messages as octets.

/// The messages that omniORB's tools sent each other.
pub fn omniorb_messages() -> Vec<Vec<u8>> {
    include_str!("../../data/omniorb_messages.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(from_hexadecimal)
        .collect()
}

pub fn from_hexadecimal(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

//! References as the octets that a store keeps.

use taut::{ObjectRef, Orb, SystemException};

use super::faults::store_failed;
use crate::store::StoreError;

const PREFIX: &str = "IOR:";

/// The octets of a reference: those that a stringified one has in hexadecimal. None for nil.
pub(super) fn octets(reference: Option<&ObjectRef>) -> Vec<u8> {
    let Some(reference) = reference else {
        return Vec::new();
    };
    let text = reference.to_string();
    let digits = text.strip_prefix(PREFIX).unwrap_or_default();
    let digit = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or_default() as u8;
    let pairs = digits.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| pair.iter().fold(0, |octet, one| (octet << 4) | digit(one)))
        .collect()
}

/// The reference that has been stored.
///
/// # Errors
///
/// PERSIST_STORE when it is damaged.
pub(super) fn reference(orb: &Orb, octets: &[u8]) -> Result<Option<ObjectRef>, SystemException> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    if octets.is_empty() {
        return Ok(None);
    }
    let mut text = String::with_capacity(PREFIX.len() + 2 * octets.len());
    text.push_str(PREFIX);
    for octet in octets {
        for nibble in [octet >> 4, octet & 0xf] {
            text.extend(DIGITS.get(usize::from(nibble)).copied().map(char::from));
        }
    }
    let object = orb.string_to_object(&text).map_err(|error| {
        store_failed(&StoreError::new(format!(
            "a stored reference cannot be used: {error}"
        )))
    })?;
    Ok(Some(object))
}

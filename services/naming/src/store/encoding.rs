//! The things to which names are bound, as octets.

use super::{Bound, ContextId, StoreError};

const OBJECT: u8 = 0;
const CONTEXT: u8 = 1;
const ELSEWHERE: u8 = 2;

/// The octets in which a binding is stored.
pub(super) fn encoded(bound: &Bound) -> Vec<u8> {
    let (tag, octets) = match bound {
        Bound::Object(reference) => (OBJECT, &reference[..]),
        Bound::Context(context) => (CONTEXT, &context.0.to_be_bytes()[..]),
        Bound::Elsewhere(reference) => (ELSEWHERE, &reference[..]),
    };
    let mut encoded = Vec::with_capacity(octets.len() + 1);
    encoded.push(tag);
    encoded.extend_from_slice(octets);
    encoded
}

/// The binding that has been stored.
///
/// # Errors
///
/// When the octets have no known form.
pub(super) fn decoded(octets: &[u8]) -> Result<Bound, StoreError> {
    let damaged = || StoreError::new("it is damaged: a binding has no known form");
    match octets.split_first() {
        Some((&OBJECT, reference)) => Ok(Bound::Object(reference.to_vec())),
        Some((&ELSEWHERE, reference)) => Ok(Bound::Elsewhere(reference.to_vec())),
        Some((&CONTEXT, number)) => {
            let number = number.try_into().map_err(|_| damaged())?;
            Ok(Bound::Context(ContextId(u64::from_be_bytes(number))))
        }
        _ => Err(damaged()),
    }
}

/// Whether the octets of a binding are those of a context.
pub(super) fn is_context(octets: &[u8]) -> bool {
    octets.first() != Some(&OBJECT)
}

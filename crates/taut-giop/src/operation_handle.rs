//! Handles: an object and one of its operations under one number, for peers that
//! agree on it (M10 of the TAO papers; `docs/handles.md`).

use alloc::vec::Vec;

use taut_cdr::{Error, ErrorKind, Result};

use crate::component::{TaggedComponent, tag};
use crate::perfect_hash::hash;

/// The version of the component that this module reads and writes.
const VERSION: u32 = 1;

/// The handles by which a reference says that its object's operations may be called:
/// component OPERATION_HANDLES.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OperationHandles {
    /// The [`fingerprint`] of the object's interface. A client with another list of
    /// operations calls by name.
    pub fingerprint: u64,
    /// The octets with which the object key of a request by handle begins. The operation's
    /// place in the list follows, in 4 octets, the most significant first; the name of the
    /// operation is empty.
    pub key: Vec<u8>,
}

impl OperationHandles {
    /// Reads the component. None when it is of a version that is not known.
    ///
    /// # Errors
    ///
    /// When it is malformed, or of another kind.
    pub fn from_component(component: &TaggedComponent) -> Result<Option<Self>> {
        let mut input = component.decoder(tag::OPERATION_HANDLES)?;
        let version: u32 = input.read()?;
        if version != VERSION {
            return Ok(None);
        }
        let fingerprint = input.read()?;
        let key = input.read_octets()?.to_vec();
        if key.is_empty() {
            let kind = ErrorKind::Invalid("a handle's key is empty");
            return Err(Error::new(kind, input.position()));
        }
        Ok(Some(Self { fingerprint, key }))
    }

    /// The component.
    ///
    /// # Errors
    ///
    /// When the key's length does not fit in 32 bits.
    pub fn to_component(&self) -> Result<TaggedComponent> {
        TaggedComponent::encapsulated(tag::OPERATION_HANDLES, |out| {
            out.write(VERSION);
            out.write(self.fingerprint);
            out.write_length(self.key.len())?;
            out.write_bytes(&self.key);
            Ok(())
        })
    }
}

/// Tells an interface's list of operations from others: another interface, name or
/// order gives another number, but for one chance in 2⁶⁴.
#[must_use]
pub const fn fingerprint(repository_id: &str, operations: &[&str]) -> u64 {
    let mut state = hash(repository_id.as_bytes(), operations.len() as u64);
    let mut index = 0;
    while index < operations.len() {
        state = hash(operations[index].as_bytes(), state);
        index += 1;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const ID: &str = "IDL:taut.test/Circle:1.0";

    #[test]
    fn handles_survive_as_a_component() {
        let handles = OperationHandles {
            fingerprint: u64::MAX - 1,
            key: vec![0, 1, 2, 0xff],
        };
        let component = handles.to_component().unwrap();
        assert_eq!(component.tag, 0x5441_5501);
        let read = OperationHandles::from_component(&component);
        assert_eq!(read, Ok(Some(handles)));
        for cut in 0..component.data.len() {
            let mut cut_off = component.clone();
            cut_off.data.truncate(cut);
            assert!(OperationHandles::from_component(&cut_off).is_err());
        }
    }

    #[test]
    fn a_later_version_is_left_to_those_who_know_it() {
        let later = TaggedComponent::encapsulated(tag::OPERATION_HANDLES, |out| {
            out.write(2_u32);
            Ok(())
        });
        let read = OperationHandles::from_component(&later.unwrap());
        assert_eq!(read, Ok(None));
    }

    #[test]
    fn every_other_list_has_another_fingerprint() {
        let lists: [(&str, &[&str]); 9] = [
            (ID, &["outline", "move"]),
            (ID, &["move", "outline"]),
            (ID, &["outlinemove"]),
            (ID, &["outline", "mov", "e"]),
            (ID, &["outline", "move", ""]),
            (ID, &["", "outline", "move"]),
            (ID, &["outline"]),
            (ID, &[]),
            ("IDL:taut.test/Circle:1.1", &["outline", "move"]),
        ];
        for (at, one) in lists.iter().enumerate() {
            for other in &lists[..at] {
                assert_ne!(fingerprint(one.0, one.1), fingerprint(other.0, other.1));
            }
        }
    }

    /// Two programs must agree on it, be they of different versions of Taut.
    #[test]
    fn the_fingerprint_is_the_same_everywhere() {
        assert_eq!(
            fingerprint(ID, &["outline", "move"]),
            5_806_444_740_479_439_557
        );
    }
}

//! `map`, of IDL 4: a count, then each key with its value.
//!
//! CORBA has no maps. This is the form that DDS gives them (XTypes 1.3,
//! 7.4.3.5.3), and at the same time that of a sequence of structs.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{DecodeAs, EncodeAs, check_bound};
use crate::{Decoder, Encoder, ErrorKind, Result};

/// `map<K, V, BOUND>` whose keys have the form `K` and whose values have the
/// form `V`. Without a bound: [`UNBOUNDED`](crate::codec::UNBOUNDED).
///
/// In Rust it is a `BTreeMap`, or pairs where keys have no order. A `BTreeMap`
/// is not read from a message that has a key twice.
#[derive(Debug)]
pub struct Map<K, V, const BOUND: usize>(PhantomData<(K, V)>);

impl<K, V, A, B, const BOUND: usize> EncodeAs<BTreeMap<A, B>> for Map<K, V, BOUND>
where
    K: EncodeAs<A>,
    V: EncodeAs<B>,
{
    fn encode(map: &BTreeMap<A, B>, out: &mut Encoder) -> Result<()> {
        check_bound(map.len(), BOUND, out.position())?;
        out.write_length(map.len())?;
        map.iter().try_for_each(|(key, value)| {
            K::encode(key, out)?;
            V::encode(value, out)
        })
    }
}

impl<K, V, A, B, const BOUND: usize> EncodeAs<[(A, B)]> for Map<K, V, BOUND>
where
    K: EncodeAs<A>,
    V: EncodeAs<B>,
{
    fn encode(entries: &[(A, B)], out: &mut Encoder) -> Result<()> {
        check_bound(entries.len(), BOUND, out.position())?;
        out.write_length(entries.len())?;
        entries.iter().try_for_each(|(key, value)| {
            K::encode(key, out)?;
            V::encode(value, out)
        })
    }
}

impl<K, V, A, B, const BOUND: usize> EncodeAs<Vec<(A, B)>> for Map<K, V, BOUND>
where
    K: EncodeAs<A>,
    V: EncodeAs<B>,
{
    fn encode(entries: &Vec<(A, B)>, out: &mut Encoder) -> Result<()> {
        <Self as EncodeAs<[(A, B)]>>::encode(entries, out)
    }
}

impl<'m, K, V, A, B, const BOUND: usize> DecodeAs<'m, BTreeMap<A, B>> for Map<K, V, BOUND>
where
    K: DecodeAs<'m, A>,
    V: DecodeAs<'m, B>,
    A: Ord,
{
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<BTreeMap<A, B>> {
        let count = read_count::<BOUND>(K::MIN_SIZE, V::MIN_SIZE, input)?;
        input.nested(|input| {
            let mut map = BTreeMap::new();
            for _ in 0..count {
                // A node may be half empty.
                input.charge(2 * (size_of::<(A, B)>() + size_of::<usize>()))?;
                let start = input.clone();
                let key = K::decode(input)?;
                let value = V::decode(input)?;
                if map.insert(key, value).is_some() {
                    return Err(start.error(ErrorKind::Invalid("a map has a key twice")));
                }
            }
            Ok(map)
        })
    }
}

impl<'m, K, V, A, B, const BOUND: usize> DecodeAs<'m, Vec<(A, B)>> for Map<K, V, BOUND>
where
    K: DecodeAs<'m, A>,
    V: DecodeAs<'m, B>,
{
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Vec<(A, B)>> {
        let count = read_count::<BOUND>(K::MIN_SIZE, V::MIN_SIZE, input)?;
        let min_size = K::MIN_SIZE.saturating_add(V::MIN_SIZE);
        input.read_each(count, min_size, |input| {
            Ok((K::decode(input)?, V::decode(input)?))
        })
    }
}

fn read_count<const BOUND: usize>(
    key_min_size: usize,
    value_min_size: usize,
    input: &mut Decoder<'_>,
) -> Result<usize> {
    let start = input.position();
    let count = input.read_count(key_min_size.saturating_add(value_min_size))?;
    check_bound(count, BOUND, start)?;
    Ok(count)
}

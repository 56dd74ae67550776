//! Values that are all laid out alike, and move in bulk.
//!
//! Where a value's members lie depends on where it begins, for alignment counts from
//! the start of the message (CORBA 3.3 part 2, 9.3.1). But where it ends is always the
//! same up to the type's own alignment: the member with the largest alignment sees to
//! that, whatever was in front of it. So of values one after the other the first
//! travels like any other, and all the rest have one layout, which is known when the
//! program is compiled. Room for many is made at once, and what is left is compared
//! once; each member moves at a constant offset.
//!
//! Whatever is not as it should be, too few octets or octets that are no value of the
//! type, is left to who reads one value after the other, and names the fault and its
//! place.

mod cleared;
mod elementary;
mod layout;
mod macros;
mod place;
mod plain;
mod plain_form;

#[doc(hidden)]
pub use alloc::vec::Vec;

use crate::{Decode, Decoder, Encode, Encoder, Result};

pub use crate::landing::take_landed;
pub use layout::Layout;
pub use place::{Room, Source};
pub use plain::{PlainData, append_plain, extend_plain};
pub use plain_form::PlainForm;

/// A type whose values all have the same members, each of one size: primitives,
/// booleans and enums, and the arrays and structs of these.
pub trait Uniform: Copy {
    /// How values lie on the wire.
    const LAYOUT: Layout;

    /// Writes the value, in foreign byte order if `FOREIGN`.
    fn put<const FOREIGN: bool>(&self, room: &mut Room<'_, FOREIGN>);

    /// Reads a value, in foreign byte order if `FOREIGN`. If the octets are none, the
    /// source is told, and the value does not matter.
    fn get<const FOREIGN: bool>(source: &mut Source<'_, FOREIGN>) -> Self;

    /// Appends values, none of them the first, in this machine's byte order.
    #[inline]
    fn append(items: &[Self], out: &mut Encoder) {
        append_alike::<Self, false>(items, out);
    }

    /// Appends the values that all these octets are, in this machine's byte order and none
    /// of them the first; whether they are values.
    #[inline]
    fn extend(items: &mut Vec<Self>, octets: &[u8]) -> bool {
        get_alike::<Self, false>(items, octets)
    }

    /// Takes `count` values that are not among the message's octets, if they are there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooMuchMemory`](crate::ErrorKind::TooMuchMemory), and those of the first
    /// value, which may be.
    fn take_landed<'m>(_count: usize, _input: &mut Decoder<'m>) -> Result<Option<Vec<Self>>>
    where
        Self: Decode<'m>,
    {
        Ok(None)
    }

    /// Writes values one after the other.
    #[inline(always)]
    fn put_elements<const FOREIGN: bool>(items: &[Self], room: &mut Room<'_, FOREIGN>) {
        if let Some((first, rest)) = items.split_first() {
            first.put(room);
            let octets = room.take(rest.len() * Self::LAYOUT.stride());
            put_alike::<Self, FOREIGN>(rest, octets);
        }
    }

    /// Reads values one after the other.
    #[inline(always)]
    fn get_array<const FOREIGN: bool, const N: usize>(
        source: &mut Source<'_, FOREIGN>,
    ) -> [Self; N] {
        let first = (N > 0).then(|| Self::get(source));
        let octets = source.take(N.saturating_sub(1) * Self::LAYOUT.stride());
        let (items, are_valid) = array_alike::<Self, FOREIGN, N>(first, octets);
        source.note(are_valid);
        items
    }
}

/// For how many octets room is made at once, if a group takes no more: so few that what
/// was cleared is still in the processor's cache when it is written, and that clearing
/// has no use for string instructions, which are slow to start.
const BLOCK: usize = 2048;

/// How many octets a value takes at most that is written in groups, and how many values
/// a group has.
const SMALL: usize = 32;
const GROUP: usize = 4;

/// Appends values one after the other, as [`Encode::encode_elements`] does.
///
/// # Errors
///
/// Those of [`Encode::encode`].
pub fn write_elements<T: Uniform + Encode>(items: &[T], out: &mut Encoder) -> Result<()> {
    let Some((first, rest)) = items.split_first() else {
        return Ok(());
    };
    first.encode(out)?;
    out.reserve_amortized(rest.len().saturating_mul(T::LAYOUT.stride()));
    if out.order().is_foreign() {
        append_alike::<T, true>(rest, out);
    } else {
        T::append(rest, out);
    }
    Ok(())
}

/// Reads `count` values one after the other, as [`Decode::decode_elements`] does.
///
/// # Errors
///
/// Those of [`Decoder::read_each`].
pub fn read_elements<'m, T: Uniform + Decode<'m>>(
    count: usize,
    input: &mut Decoder<'m>,
) -> Result<Vec<T>> {
    let in_bulk = input.attempt(|input| {
        let octets = behind_first::<T>(count, input)?;
        input.nested(|_| Ok(())).ok()?;
        input.charge(count.checked_mul(size_of::<T>())?).ok()?;
        let mut items = Vec::with_capacity(count);
        items.push(T::decode(input).ok()?);
        let are_valid = if input.order().is_foreign() {
            get_alike::<T, true>(&mut items, octets)
        } else {
            T::extend(&mut items, octets)
        };
        input.skip(octets.len()).ok()?;
        are_valid.then_some(items)
    });
    match in_bulk {
        Some(items) => Ok(items),
        None => read_otherwise(count, input),
    }
}

/// Reads values that do not come in one piece, or not as they should.
#[cold]
fn read_otherwise<'m, T: Uniform + Decode<'m>>(
    count: usize,
    input: &mut Decoder<'m>,
) -> Result<Vec<T>> {
    match T::take_landed(count, input)? {
        Some(items) => Ok(items),
        None => input.read_each(count, T::MIN_SIZE, T::decode),
    }
}

/// Reads the elements of an array, as [`Decode::decode_array`] does.
///
/// # Errors
///
/// Those of [`Decode::decode`].
pub fn read_array<'m, T: Uniform + Decode<'m>, const N: usize>(
    input: &mut Decoder<'m>,
) -> Result<[T; N]> {
    let in_bulk = input.attempt(|input| {
        let octets = behind_first::<T>(N, input)?;
        let first = T::decode(input).ok()?;
        let (items, are_valid) = if input.order().is_foreign() {
            array_alike::<T, true, N>(Some(first), octets)
        } else {
            array_alike::<T, false, N>(Some(first), octets)
        };
        input.skip(octets.len()).ok()?;
        are_valid.then_some(items)
    });
    match in_bulk {
        Some(items) => Ok(items),
        None => crate::array::read_array(input, T::decode),
    }
}

/// The octets of all values but the first, if data are not interrupted and all are
/// there.
#[inline]
fn behind_first<'m, T: Uniform>(count: usize, input: &Decoder<'m>) -> Option<&'m [u8]> {
    let first = T::LAYOUT.size_at(input.position());
    let rest = count.checked_sub(1)?.checked_mul(T::LAYOUT.stride())?;
    input.in_one_piece(first.checked_add(rest)?)?.get(first..)
}

/// Appends values, none of them the first.
#[inline(always)]
fn append_alike<T: Uniform, const FOREIGN: bool>(items: &[T], out: &mut Encoder) {
    let stride = T::LAYOUT.stride();
    let groups = BLOCK / (GROUP * stride.max(1));
    for block in items.chunks(groups.max(1) * GROUP) {
        put_many::<T, FOREIGN>(block, out.append_zeroes(block.len() * stride));
    }
}

/// Writes values, none of them the first, into zeroes.
#[inline(always)]
fn put_alike<T: Uniform, const FOREIGN: bool>(items: &[T], octets: &mut [u8]) {
    let pieces = octets.chunks_exact_mut(T::LAYOUT.stride().max(1));
    for (item, piece) in items.iter().zip(pieces) {
        item.put(&mut Room::<FOREIGN>::new(piece, T::LAYOUT.phase()));
    }
}

/// The same in groups, if values are so small that the loop itself counts.
#[inline(always)]
fn put_many<T: Uniform, const FOREIGN: bool>(items: &[T], octets: &mut [u8]) {
    if T::LAYOUT.stride() > SMALL {
        return put_alike::<T, FOREIGN>(items, octets);
    }
    let (groups, others) = items.as_chunks::<GROUP>();
    let size = groups.len() * GROUP * T::LAYOUT.stride();
    let (front, back) = octets.split_at_mut(size);
    put_alike::<[T; GROUP], FOREIGN>(groups, front);
    put_alike::<T, FOREIGN>(others, back);
}

/// Appends the values that all these octets are, none of them the first; whether they
/// are values.
#[inline(always)]
fn get_alike<T: Uniform, const FOREIGN: bool>(items: &mut Vec<T>, octets: &[u8]) -> bool {
    let mut are_valid = true;
    let pieces = octets.chunks_exact(T::LAYOUT.stride().max(1));
    // A zipped loop counts values, which is cheaper than counting octets.
    let count = pieces.len();
    items.extend(pieces.zip(0..count).map(|(piece, _)| {
        let mut source = Source::<FOREIGN>::new(piece, T::LAYOUT.phase());
        let value = T::get(&mut source);
        are_valid &= source.is_valid();
        value
    }));
    are_valid
}

/// An array of the first value and those that the octets are; whether they are values.
#[inline(always)]
fn array_alike<T: Uniform, const FOREIGN: bool, const N: usize>(
    first: Option<T>,
    octets: &[u8],
) -> ([T; N], bool) {
    let stride = T::LAYOUT.stride();
    let mut are_valid = true;
    let items = core::array::from_fn(|index| match (index.checked_sub(1), first) {
        (None, Some(first)) => first,
        (before, _) => {
            let start = before.unwrap_or(0) * stride;
            let piece = &octets[start..start + stride];
            let mut source = Source::<FOREIGN>::new(piece, T::LAYOUT.phase());
            let value = T::get(&mut source);
            are_valid &= source.is_valid();
            value
        }
    });
    (items, are_valid)
}

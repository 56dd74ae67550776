//! From bytes to memory.

use std::borrow::Cow;
use std::slice;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decoder, ErrorKind, LongDouble, Primitive, Result};

use super::bulk::Bulk;
use super::shape::{Access, Bound, Field, Kind, Shape, Width};
use super::{flat, plain};

/// Reads a value into `place`. After an error there is none in it.
///
/// # Safety
///
/// `place` must have room and alignment for the shape's type.
pub(super) unsafe fn decode(shape: &Shape, place: *mut u8, input: &mut Decoder<'_>) -> Result<()> {
    match shape.kind {
        Kind::Primitive(width) => {
            // SAFETY: the place is for a primitive of this width.
            unsafe { one(width, place, input) }
        }
        Kind::Boolean => {
            let value = input.read_bool()?;
            // SAFETY: the place is for a `bool`.
            unsafe { place.cast::<bool>().write(value) }
            Ok(())
        }
        Kind::Enum { count } => {
            let ordinal = input.read_ordinal(count)?;
            // SAFETY: the place is for an enum, of which this ordinal is a value.
            unsafe { place.cast::<u32>().write(ordinal) }
            Ok(())
        }
        Kind::String(bound) => {
            let text = owned(read_text(bound, input)?, input)?;
            // SAFETY: the place is for a `String`.
            unsafe { place.cast::<String>().write(text) }
            Ok(())
        }
        // SAFETY: the place is for a struct of these members.
        Kind::Structure(it) if it.is_flat && unsafe { flat::read(it.fields, place, input) } => {
            Ok(())
        }
        // SAFETY: as above.
        Kind::Structure(it) => unsafe { structure(it.fields, place, input) },
        Kind::Array { element, length } => {
            // SAFETY: the place is for an array of so many elements.
            unsafe { array(element, length as usize, place, input) }
        }
        Kind::Sequence(access, bound) => {
            // SAFETY: the place is for the `Vec` that the access is for.
            unsafe { sequence(shape, access, bound, place, input) }
        }
        Kind::Whole(access, bound) => {
            // SAFETY: the place is for the `Vec` that the access is for.
            unsafe { (access.decode)(place, bound.get(), input) }
        }
        Kind::Leaf(leaf) => {
            // SAFETY: the place is for the type that the code is for.
            unsafe { (leaf.decode)(place, input) }
        }
    }
}

/// Reads a string into a place for a `Cow<'m, str>`.
///
/// # Safety
///
/// `place` must have room and alignment for it, `'m` being that of the decoder,
/// and the shape must be that of a `String`.
pub(super) unsafe fn decode_text(
    shape: &Shape,
    place: *mut u8,
    input: &mut Decoder<'_>,
) -> Result<()> {
    let text = match shape.kind {
        Kind::String(bound) => read_text(bound, input)?,
        _ => {
            let mut text = std::mem::MaybeUninit::<String>::uninit();
            // SAFETY: the shape is that of a `String`.
            unsafe { decode(shape, text.as_mut_ptr().cast(), input) }?;
            // SAFETY: decoding succeeded, and so the text is there.
            Cow::Owned(unsafe { text.assume_init() })
        }
    };
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Cow<'_, str>>().write(text) }
    Ok(())
}

/// Reads a sequence of primitives into a place for a `Cow<'m, [T]>`.
///
/// # Safety
///
/// `place` must have room and alignment for it, `'m` being that of the decoder,
/// and the shape must be that of `Vec<T>`.
pub(super) unsafe fn decode_primitives(
    shape: &Shape,
    place: *mut u8,
    input: &mut Decoder<'_>,
) -> Result<()> {
    if let Kind::Whole(access, bound) = shape.kind
        && let Some(borrowing) = access.borrowing
    {
        // SAFETY: the caller vouches for the place.
        return unsafe { (borrowing.decode)(place, bound.get(), input) };
    }
    let rule = "an operation's table passes a parameter as its type cannot be passed";
    Err(input.error(ErrorKind::Invalid(rule)))
}

/// A text with memory of its own, which is charged unless it had it already.
fn owned(text: Cow<'_, str>, input: &mut Decoder<'_>) -> Result<String> {
    if let Cow::Borrowed(text) = text {
        input.charge(text.len())?;
    }
    Ok(text.into_owned())
}

fn read_text<'m>(bound: Bound, input: &mut Decoder<'m>) -> Result<Cow<'m, str>> {
    let start = input.position();
    let text = input.read_string()?;
    if text.len() > bound.get() {
        check_bound(text.chars().count(), bound.get(), start)?;
    }
    Ok(text)
}

/// # Safety
///
/// `place` must have room and alignment for a struct of these members.
unsafe fn structure(fields: &[Field], place: *mut u8, input: &mut Decoder<'_>) -> Result<()> {
    for (index, field) in fields.iter().enumerate() {
        // SAFETY: the member lies within the struct.
        let member = unsafe { place.add(field.offset as usize) };
        let outcome = if let Kind::Primitive(width) = field.shape.kind {
            // SAFETY: there is room for so many primitives.
            unsafe { run(width, member, field.count as usize, input) }
        } else {
            // SAFETY: there is room for the member.
            unsafe { decode(field.shape, member, input) }
        };
        if let Err(error) = outcome {
            for earlier in &fields[..index] {
                // SAFETY: the member lies within the struct.
                let member = unsafe { place.add(earlier.offset as usize) };
                // SAFETY: it was read, and the struct will not be.
                unsafe { earlier.shape.drop_in_place(member) }
            }
            return Err(error);
        }
    }
    Ok(())
}

/// # Safety
///
/// `place` must have room and alignment for `length` elements.
unsafe fn array(
    element: &Shape,
    length: usize,
    place: *mut u8,
    input: &mut Decoder<'_>,
) -> Result<()> {
    if let Kind::Primitive(width) = element.kind {
        // SAFETY: there is room for so many primitives.
        return unsafe { in_bulk(width, place, length, input) };
    }
    // SAFETY: there is room for so many elements.
    let (read, outcome) = unsafe { elements(element, place, length, input) };
    if outcome.is_err() {
        for index in 0..read {
            // SAFETY: the element lies within the array.
            let value = unsafe { place.add(index * element.size()) };
            // SAFETY: it was read, and the array will not be.
            unsafe { element.drop_in_place(value) }
        }
    }
    outcome
}

/// # Safety
///
/// `place` must have room and alignment for the `Vec` that `access` is for and
/// `shape` describes.
unsafe fn sequence(
    shape: &Shape,
    access: &Access,
    bound: Bound,
    place: *mut u8,
    input: &mut Decoder<'_>,
) -> Result<()> {
    let element = (access.element)();
    let start = input.position();
    let count = input.read_count(element.min_size())?;
    check_bound(count, bound.get(), start)?;
    input.nested(|input| {
        // SAFETY: it is given room for an element.
        let read_first = |first, input: &mut Decoder<'_>| unsafe { decode(element, first, input) };
        // SAFETY: the caller vouches for the place.
        if unsafe { plain::read(shape, element, access, count, place, input, read_first) }? {
            return Ok(());
        }
        // SAFETY: the caller vouches for the place.
        unsafe { (access.create)(place, 0) };
        let mut have = 0;
        while have < count {
            let outcome = input.afford(have, count - have, element.size());
            let outcome = outcome.and_then(|batch| {
                // SAFETY: there is a `Vec` in the place.
                let first = unsafe { (access.room)(place, batch) };
                // SAFETY: there is room for so many elements.
                let (read, outcome) = unsafe { elements(element, first, batch, input) };
                // SAFETY: so many were read.
                unsafe { (access.extend)(place, read) };
                have += read;
                outcome
            });
            if let Err(error) = outcome {
                // SAFETY: there is a `Vec` in the place, which will not be used.
                unsafe { shape.drop_in_place(place) };
                return Err(error);
            }
        }
        Ok(())
    })
}

/// Reads elements until one fails: how many were read, and the fault.
///
/// # Safety
///
/// There must be room and alignment for `count` elements from `first` on.
unsafe fn elements(
    element: &Shape,
    first: *mut u8,
    count: usize,
    input: &mut Decoder<'_>,
) -> (usize, Result<()>) {
    if let Some((width, each)) = element.as_run()
        && is_enough(width, count * each, input)
    {
        // SAFETY: each element is `each` primitives and nothing between.
        let outcome = unsafe { in_bulk(width, first, count * each, input) };
        return (if outcome.is_ok() { count } else { 0 }, outcome);
    }
    let mut start = 0;
    if let Some(bulk) = Bulk::of(element, count, input.order()) {
        // SAFETY: there is room for more elements than one.
        if let Err(error) = unsafe { decode(element, first, input) } {
            return (0, Err(error));
        }
        // SAFETY: as above.
        let rest = unsafe { first.add(element.size()) };
        // SAFETY: there is room for so many, of this shape.
        start = 1 + unsafe { bulk.read(rest, count - 1, input) };
    }
    for index in start..count {
        // SAFETY: there is room for `count` elements.
        let place = unsafe { first.add(index * element.size()) };
        // SAFETY: this one's place is among them.
        if let Err(error) = unsafe { decode(element, place, input) } {
            return (index, Err(error));
        }
    }
    (count, Ok(()))
}

/// Whether so many primitives are certainly there, padding included. If not,
/// they are read one by one, so that the fault is that of the first missing one.
fn is_enough(width: Width, count: usize, input: &Decoder<'_>) -> bool {
    input.remaining() >= (count + 1).saturating_mul(width.octets())
}

/// Reads several members of one width.
///
/// # Safety
///
/// There must be room and alignment for so many primitives at `place`.
unsafe fn run(width: Width, place: *mut u8, count: usize, input: &mut Decoder<'_>) -> Result<()> {
    if count == 1 {
        // SAFETY: the caller vouches for the room.
        unsafe { one(width, place, input) }
    } else if is_enough(width, count, input) {
        // SAFETY: the caller vouches for the room.
        unsafe { in_bulk(width, place, count, input) }
    } else {
        // SAFETY: the caller vouches for the room.
        unsafe { one_by_one(width, place, count, input) }
    }
}

/// Reads primitives as an array is read.
///
/// # Safety
///
/// There must be room and alignment for `count` primitives of this width at
/// `place`.
unsafe fn in_bulk(
    width: Width,
    place: *mut u8,
    count: usize,
    input: &mut Decoder<'_>,
) -> Result<()> {
    // SAFETY: there is room for so many octets. The place must be initialized before a
    // slice of it is made to be filled.
    unsafe { place.write_bytes(0, count * width.octets()) };
    match width {
        // SAFETY: so many octets are there.
        Width::One => input.fill(unsafe { slice::from_raw_parts_mut(place, count) }),
        Width::Two => {
            // SAFETY: as above, with the alignment of this width.
            input.fill(unsafe { slice::from_raw_parts_mut(place.cast::<u16>(), count) })
        }
        Width::Four => {
            // SAFETY: as above.
            input.fill(unsafe { slice::from_raw_parts_mut(place.cast::<u32>(), count) })
        }
        Width::Eight => {
            // SAFETY: as above.
            input.fill(unsafe { slice::from_raw_parts_mut(place.cast::<u64>(), count) })
        }
        Width::Sixteen => {
            // SAFETY: as above; a `LongDouble` is transparent over a `u128`.
            input.fill(unsafe { slice::from_raw_parts_mut(place.cast::<LongDouble>(), count) })
        }
    }
}

/// Reads primitives one after the other.
///
/// # Safety
///
/// As [`in_bulk`].
unsafe fn one_by_one(
    width: Width,
    place: *mut u8,
    count: usize,
    input: &mut Decoder<'_>,
) -> Result<()> {
    for index in 0..count {
        // SAFETY: there is room for `count` primitives.
        let place = unsafe { place.add(index * width.octets()) };
        // SAFETY: this one's place is among them.
        unsafe { one(width, place, input) }?;
    }
    Ok(())
}

/// Reads a primitive.
///
/// # Safety
///
/// `place` must have room and alignment for a primitive of this width.
unsafe fn one(width: Width, place: *mut u8, input: &mut Decoder<'_>) -> Result<()> {
    match width {
        // SAFETY: the place is for a primitive of this width, and every
        // pattern is a value.
        Width::One => unsafe { read_into::<u8>(place, input) },
        // SAFETY: as above.
        Width::Two => unsafe { read_into::<u16>(place, input) },
        // SAFETY: as above.
        Width::Four => unsafe { read_into::<u32>(place, input) },
        // SAFETY: as above.
        Width::Eight => unsafe { read_into::<u64>(place, input) },
        // SAFETY: as above.
        Width::Sixteen => unsafe { read_into::<LongDouble>(place, input) },
    }
}

/// # Safety
///
/// `place` must have room and alignment for a `T`.
unsafe fn read_into<T: Primitive>(place: *mut u8, input: &mut Decoder<'_>) -> Result<()> {
    let value: T = input.read()?;
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<T>().write(value) }
    Ok(())
}

//! Sequences without their element type: what the engine must know to walk a
//! `Vec`, whose layout Rust does not tell.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decode, Decoder, Encode, Encoder, Primitive, Result};

use super::TabledAs;
use super::shape::Shape;

/// Ways into a `Vec<T>` of elements that the engine reads and writes itself.
pub(super) struct Access {
    /// The table of the elements. A function, for a type may contain sequences
    /// of itself.
    pub(super) element: fn() -> &'static Shape,
    /// The elements of the `Vec<T>` at this place.
    pub(super) of_vec: unsafe fn(*const u8) -> (*const u8, usize),
    /// The elements of the `&[T]` at this place.
    pub(super) of_slice: unsafe fn(*const u8) -> (*const u8, usize),
    /// Makes an empty `Vec<T>` with this capacity.
    pub(super) create: unsafe fn(*mut u8),
    /// Makes room in the `Vec<T>` for so many further elements: where the next
    /// belongs.
    pub(super) room: unsafe fn(*mut u8, usize) -> *mut u8,
    /// Tells the `Vec<T>` that so many elements have been put there.
    pub(super) extend: unsafe fn(*mut u8, usize),
}

/// Ways into a `Vec<T>` that moves as a whole.
pub(super) struct WholeAccess {
    /// Writes the elements of the `Vec<T>` at this place, with their count.
    pub(super) encode_vec: unsafe fn(*const u8, usize, &mut Encoder) -> Result<()>,
    /// The same for a `&[T]`.
    pub(super) encode_slice: unsafe fn(*const u8, usize, &mut Encoder) -> Result<()>,
    /// Reads a `Vec<T>` of this bound into a place.
    pub(super) decode: unsafe fn(*mut u8, usize, &mut Decoder<'_>) -> Result<()>,
    /// How it is borrowed from a message, if that is possible.
    pub(super) borrowing: Option<Borrowing>,
}

/// Ways with a `Cow<'m, [T]>`.
#[derive(Clone, Copy)]
pub(super) struct Borrowing {
    /// Reads one of this bound into a place.
    pub(super) decode: unsafe fn(*mut u8, usize, &mut Decoder<'_>) -> Result<()>,
    /// Drops the one in this place.
    pub(super) drop: unsafe fn(*mut u8),
}

/// The ways for the type `T` in the form `C`.
pub(super) struct Of<C, T>(PhantomData<(C, T)>);

impl<C: TabledAs<T>, T: 'static> Of<C, T> {
    pub(super) const EACH: Access = Access {
        element: element::<C, T>,
        of_vec: of_vec::<T>,
        of_slice: of_slice::<T>,
        create: create::<T>,
        room: room::<T>,
        extend: extend::<T>,
    };
}

impl<C, T: Encode + for<'m> Decode<'m>> Of<C, T> {
    pub(super) const WHOLE: WholeAccess = WholeAccess {
        encode_vec: encode_vec::<T>,
        encode_slice: encode_slice::<T>,
        decode: decode::<T>,
        borrowing: None,
    };
}

impl<C, T: Primitive + Encode + for<'m> Decode<'m>> Of<C, T> {
    pub(super) const PRIMITIVES: WholeAccess = WholeAccess {
        borrowing: Some(Borrowing {
            decode: borrow::<T>,
            drop: drop_borrowed::<T>,
        }),
        ..Of::<C, T>::WHOLE
    };
}

fn element<C: TabledAs<T>, T: 'static>() -> &'static Shape {
    C::TABLE.shape()
}

/// # Safety
///
/// There must be a `Vec<T>` at `place` for as long as the result is used.
unsafe fn of_vec<T>(place: *const u8) -> (*const u8, usize) {
    // SAFETY: the caller vouches for the `Vec<T>`.
    let items = unsafe { &*place.cast::<Vec<T>>() };
    (items.as_ptr().cast(), items.len())
}

/// # Safety
///
/// There must be a `&[T]` at `place` for as long as the result is used.
unsafe fn of_slice<T>(place: *const u8) -> (*const u8, usize) {
    // SAFETY: the caller vouches for the `&[T]`.
    let items = unsafe { *place.cast::<&[T]>() };
    (items.as_ptr().cast(), items.len())
}

/// # Safety
///
/// `place` must have room and alignment for a `Vec<T>`.
unsafe fn create<T>(place: *mut u8) {
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Vec<T>>().write(Vec::new()) }
}

/// # Safety
///
/// There must be a `Vec<T>` at `place`, which nobody else uses.
unsafe fn room<T>(place: *mut u8, count: usize) -> *mut u8 {
    // SAFETY: the caller vouches for the `Vec<T>`.
    let items = unsafe { &mut *place.cast::<Vec<T>>() };
    items.reserve_exact(count);
    items.spare_capacity_mut().as_mut_ptr().cast()
}

/// # Safety
///
/// There must be a `Vec<T>` at `place`, which nobody else uses, and behind its
/// elements, in its capacity, `count` more.
unsafe fn extend<T>(place: *mut u8, count: usize) {
    // SAFETY: the caller vouches for the `Vec<T>`.
    let items = unsafe { &mut *place.cast::<Vec<T>>() };
    let length = items.len() + count;
    // SAFETY: the caller vouches for the elements.
    unsafe { items.set_len(length) }
}

/// # Safety
///
/// As [`of_vec`].
unsafe fn encode_vec<T: Encode>(place: *const u8, bound: usize, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the `Vec<T>`.
    encode::<T>(unsafe { &*place.cast::<Vec<T>>() }, bound, out)
}

/// # Safety
///
/// As [`of_slice`].
unsafe fn encode_slice<T: Encode>(place: *const u8, bound: usize, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the `&[T]`.
    encode::<T>(unsafe { *place.cast::<&[T]>() }, bound, out)
}

fn encode<T: Encode>(items: &[T], bound: usize, out: &mut Encoder) -> Result<()> {
    check_bound(items.len(), bound, out.position())?;
    items.encode(out)
}

/// # Safety
///
/// As [`create`].
unsafe fn decode<T: for<'m> Decode<'m>>(
    place: *mut u8,
    bound: usize,
    input: &mut Decoder<'_>,
) -> Result<()> {
    let start = input.position();
    let count = input.read_count(T::MIN_SIZE)?;
    check_bound(count, bound, start)?;
    let items = T::decode_elements(count, input)?;
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Vec<T>>().write(items) }
    Ok(())
}

/// # Safety
///
/// `place` must have room and alignment for a `Cow<'m, [T]>`, where `'m` is that
/// of the decoder.
unsafe fn borrow<T: Primitive>(
    place: *mut u8,
    bound: usize,
    input: &mut Decoder<'_>,
) -> Result<()> {
    let start = input.position();
    let count = input.read_count(size_of::<T>())?;
    check_bound(count, bound, start)?;
    let items = input.read_elements::<T>(count)?;
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Cow<'_, [T]>>().write(items) }
    Ok(())
}

/// # Safety
///
/// There must be a `Cow<[T]>` at `place`, which is not used again.
unsafe fn drop_borrowed<T: Primitive>(place: *mut u8) {
    // SAFETY: the caller vouches for the value; what it borrows does not matter
    // to its end.
    unsafe { place.cast::<Cow<'static, [T]>>().drop_in_place() }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

impl fmt::Debug for WholeAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WholeAccess").finish_non_exhaustive()
    }
}

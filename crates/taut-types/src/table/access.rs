//! Sequences without their element type: what the engine must know to walk a
//! `Vec`, whose layout Rust does not tell.

use std::borrow::Cow;
use std::marker::PhantomData;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decode, Decoder, ElementForm, Encode, Encoder, Lent, Primitive, Result, VecMemory};

use super::shape::{Access, Borrowing, Bound, Kind, Shape, WholeAccess};

/// The facts about a type `T` by which sequences of it are described.
#[derive(Debug)]
pub struct Elements<T> {
    /// True of `Vec<T>`.
    access: ElementAccess,
    ty: PhantomData<fn(T) -> T>,
}

/// How a sequence is read and made.
#[derive(Debug, Clone, Copy)]
pub(super) enum ElementAccess {
    /// Element by element.
    Each(&'static Access),
    /// As a whole.
    Whole(&'static WholeAccess),
}

impl<T> Elements<T> {
    /// Sequences of `T` are read and made like this.
    ///
    /// # Safety
    ///
    /// The functions must be those for `Vec<T>`.
    pub(super) const unsafe fn new(access: ElementAccess) -> Self {
        Self {
            access,
            ty: PhantomData,
        }
    }

    /// The kind of a sequence with this bound.
    pub(super) const fn sequence(&self, bound: usize) -> Kind {
        match self.access {
            ElementAccess::Each(access) => Kind::Sequence(access, Bound::new(bound)),
            ElementAccess::Whole(access) => Kind::Whole(access, Bound::new(bound)),
        }
    }
}

/// The ways into a `Vec<T>` whose elements have this table.
pub(super) const fn each<T: 'static>(element: fn() -> &'static Shape) -> Access {
    Access {
        element,
        of_vec: of_vec::<T>,
        of_slice: of_slice::<T>,
        create: create::<T>,
        room: room::<T>,
        extend: extend::<T>,
        release: release::<T>,
        adopt: adopt::<T>,
    }
}

/// The ways into a `Vec<T>` that moves as a whole.
pub(super) struct Of<T>(PhantomData<T>);

impl<T: Encode + for<'m> Decode<'m>> Of<T> {
    pub(super) const WHOLE: WholeAccess = WholeAccess {
        encode_vec: encode_vec::<T>,
        encode_slice: encode_slice::<T>,
        decode: decode::<T>,
        borrowing: None,
    };
}

impl<T: Primitive + Encode + for<'m> Decode<'m>> Of<T> {
    pub(super) const PRIMITIVES: WholeAccess = WholeAccess {
        borrowing: Some(Borrowing {
            decode: borrow::<T>,
            drop: drop_borrowed::<T>,
            lend: lend::<T>,
            give: give::<T>,
            form: ElementForm::of::<T>(),
        }),
        ..Self::WHOLE
    };
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
unsafe fn create<T>(place: *mut u8, capacity: usize) -> *mut u8 {
    let mut items = Vec::<T>::with_capacity(capacity);
    let first = items.spare_capacity_mut().as_mut_ptr().cast();
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Vec<T>>().write(items) };
    first
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
/// There must be a `Vec<T>` at `place`, which nobody else uses.
unsafe fn release<T>(place: *mut u8) -> VecMemory {
    // SAFETY: the caller vouches for the `Vec<T>`.
    VecMemory::of(std::mem::take(unsafe { &mut *place.cast::<Vec<T>>() }))
}

/// # Safety
///
/// `place` must have room and alignment for a `Vec<T>`, and the memory must be that of one.
unsafe fn adopt<T>(place: *mut u8, memory: VecMemory) {
    // SAFETY: the caller vouches for the memory.
    let items = unsafe { memory.into_vec::<T>() };
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<Vec<T>>().write(items) }
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
/// There must be a `&'a [T]` at `place`.
unsafe fn lend<'a, T: Primitive>(
    place: *const u8,
    _: PhantomData<&'a ()>,
    bound: usize,
    out: &mut Encoder,
) -> Result<Lent<'a>> {
    // SAFETY: the caller vouches for the `&'a [T]`.
    let items = unsafe { *place.cast::<&'a [T]>() };
    check_bound(items.len(), bound, out.position())?;
    out.lend(items)
}

/// # Safety
///
/// There must be a `Vec<T>` at `place`, which nobody else uses.
unsafe fn give<T: Primitive + Encode>(
    place: *mut u8,
    bound: usize,
    out: &mut Encoder,
) -> Result<()> {
    // SAFETY: the caller vouches for the `Vec<T>`.
    let items = std::mem::take(unsafe { &mut *place.cast::<Vec<T>>() });
    check_bound(items.len(), bound, out.position())?;
    out.give(items)
}

/// # Safety
///
/// There must be a `Cow<[T]>` at `place`, which is not used again.
unsafe fn drop_borrowed<T: Primitive>(place: *mut u8) {
    // SAFETY: the caller vouches for the value; what it borrows does not matter
    // to its end.
    unsafe { place.cast::<Cow<'static, [T]>>().drop_in_place() }
}

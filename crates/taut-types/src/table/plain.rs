//! Sequences of plain structs, in memory that is not copied: given away when they are sent,
//! and received where they stay.

use std::slice;

use taut_cdr::codec::check_bound;
use taut_cdr::uniform::PlainForm;
use taut_cdr::{ByteOrder, Decoder, Elements, Encoder, Result};

use super::shape::{Access, Bound, Shape};

/// Gives away the elements of the `Vec` at `value`, with their count in front, if they are
/// plain and it pays: whether it has, and then the `Vec` is empty. `write_first` writes the
/// element at a place.
///
/// # Safety
///
/// There must be the `Vec` that the access is for, which nobody else uses.
pub(super) unsafe fn give(
    access: &Access,
    bound: Bound,
    value: *mut u8,
    out: &mut Encoder,
    write_first: impl FnOnce(*const u8, &mut Encoder) -> Result<()>,
) -> Result<bool> {
    let element = (access.element)();
    // SAFETY: the caller vouches for the `Vec`.
    let (first, count) = unsafe { (access.of_vec)(value) };
    let octets = count.saturating_mul(element.size());
    let Some(form) = element.plain().filter(|_| out.makes_tail(octets)) else {
        return Ok(false);
    };
    check_bound(count, bound.get(), out.position())?;
    out.write_length(count)?;
    // SAFETY: as above.
    let memory = unsafe { (access.release)(value) };
    // SAFETY: the form is that of the elements.
    let elements = unsafe { Elements::from_memory(memory, form) };
    // The elements are still where they were.
    out.give_elements(elements, form, |out| write_first(first, out))?;
    Ok(true)
}

/// Reads so many elements into a new `Vec` in this place, if they are plain and nothing can be
/// wrong with them: whether it has. `read_first` reads an element into a place.
///
/// # Safety
///
/// `place` must have room and alignment for the `Vec` that `access` is for and `shape`
/// describes, which has such elements; and where `read_first` does not fail, there must be an
/// element in the place that it was given.
pub(super) unsafe fn read(
    shape: &Shape,
    element: &Shape,
    access: &Access,
    count: usize,
    place: *mut u8,
    input: &mut Decoder<'_>,
    read_first: impl FnOnce(*mut u8, &mut Decoder<'_>) -> Result<()>,
) -> Result<bool> {
    let (Some(form), Some(others)) = (element.plain(), count.checked_sub(1)) else {
        return Ok(false);
    };
    let apart = form.size_at(input.position());
    let octets = others.saturating_mul(form.size()).saturating_add(apart);
    let Some(octets) = input.in_one_piece(octets) else {
        // SAFETY: the caller vouches for the place.
        return unsafe { take_landed(form, access, count, place, input, read_first) };
    };
    if input.order() != ByteOrder::NATIVE {
        return Ok(false);
    }
    input.charge(count * form.size())?;
    // SAFETY: the caller vouches for the place.
    let first = unsafe { (access.create)(place, count) };
    if let Err(error) = read_first(first, input) {
        // SAFETY: there is a `Vec` in the place, which will not be used.
        unsafe { shape.drop_in_place(place) };
        return Err(error);
    }
    // SAFETY: as above.
    let rest = unsafe { first.add(form.size()) };
    let octets = &octets[apart..];
    // SAFETY: as above, and any octets are values; what comes into padding does not matter.
    unsafe { rest.copy_from_nonoverlapping(octets.as_ptr(), octets.len()) };
    // SAFETY: so many were read.
    unsafe { (access.extend)(place, count) };
    input.skip(octets.len())?;
    Ok(true)
}

/// Makes the `Vec` in this place of elements that have landed, if they are plain and what
/// comes next: whether it has.
///
/// # Safety
///
/// As for [`read`].
unsafe fn take_landed(
    form: PlainForm,
    access: &Access,
    count: usize,
    place: *mut u8,
    input: &mut Decoder<'_>,
    read_first: impl FnOnce(*mut u8, &mut Decoder<'_>) -> Result<()>,
) -> Result<bool> {
    if !input.awaits_landed() {
        return Ok(false);
    }
    let mut first = First::default();
    let start = form.landing_at(input.position());
    let landed = input.take_landed(count, form.element(), start, |input| {
        read_first(first.place(form), input)
    })?;
    let Some(mut elements) = landed else {
        return Ok(false);
    };
    if let Some(octets) = first.octets() {
        elements.as_bytes_mut()[..octets.len()].copy_from_slice(octets);
    }
    match elements.into_memory(form.size(), form.element().alignment()) {
        // SAFETY: the memory is aligned and has a size as the `Vec` has them, and any octets
        // are values.
        Ok(memory) => unsafe { (access.adopt)(place, memory) },
        Err(elements) => {
            let octets = elements.as_bytes();
            // SAFETY: the caller vouches for the place.
            let room = unsafe { (access.create)(place, count) };
            // SAFETY: there is room for `count` elements, which the octets are.
            unsafe { room.copy_from_nonoverlapping(octets.as_ptr(), octets.len()) };
            // SAFETY: so many are there.
            unsafe { (access.extend)(place, count) };
        }
    }
    Ok(true)
}

/// Room for the first element, if that is apart.
#[derive(Default)]
struct First {
    /// As large as a plain struct may be, and aligned for every one.
    room: [u128; 4],
    /// The octets of an element; none while there is no use for the room.
    octets: usize,
}

impl First {
    fn place(&mut self, form: PlainForm) -> *mut u8 {
        assert!(
            form.size() <= size_of_val(&self.room),
            "the struct is too large"
        );
        self.octets = form.size();
        self.room.as_mut_ptr().cast()
    }

    fn octets(&self) -> Option<&[u8]> {
        let octets = (self.octets > 0).then_some(self.octets)?;
        // SAFETY: the room has so many, all of them written.
        Some(unsafe { slice::from_raw_parts(self.room.as_ptr().cast(), octets) })
    }
}

//! Many structs of primitives: the first is moved like any other, and all that follow are laid
//! out alike, as `taut_cdr::uniform` says.

use taut_cdr::uniform::PlainForm;
use taut_cdr::{ByteOrder, Decoder, Encoder};

use super::columns::Columns;
use super::shape::{Kind, Shape};

/// So few elements are moved one by one, where not as they lie.
const FEW: usize = 8;

/// How elements behind the first one are moved.
pub(super) enum Bulk<'e> {
    /// As they lie.
    Whole(PlainForm),
    /// Member by member.
    ByColumn(&'e Shape),
}

impl<'e> Bulk<'e> {
    /// How to move so many of these elements; none if it is better to move them one by one,
    /// and if there is none behind the first.
    pub(super) fn of(element: &'e Shape, count: usize, order: ByteOrder) -> Option<Self> {
        match element.kind {
            Kind::Structure(structure) => match structure.plain {
                Some(form) if order == ByteOrder::NATIVE => {
                    (count > 1).then_some(Self::Whole(form))
                }
                _ => (count >= FEW).then_some(Self::ByColumn(element)),
            },
            _ => None,
        }
    }

    /// Writes elements, of which none is the first: how many. The others are written one by
    /// one.
    ///
    /// # Safety
    ///
    /// There must be `count` values from `first` on, of the shape that this is of.
    pub(super) unsafe fn write(&self, first: *const u8, count: usize, out: &mut Encoder) -> usize {
        match self {
            Self::Whole(form) => {
                // SAFETY: the caller vouches for the values.
                unsafe { form.append(first, count, out) };
                count
            }
            // SAFETY: as above.
            Self::ByColumn(element) => unsafe { write_columns(element, first, count, out) },
        }
    }

    /// Reads elements, of which none is the first, as long as they are there in one piece
    /// and have values: how many. It is for who reads one after the other to name a fault.
    ///
    /// # Safety
    ///
    /// There must be room and alignment for `count` elements from `first` on, of the shape
    /// that this is of.
    pub(super) unsafe fn read(
        &self,
        first: *mut u8,
        count: usize,
        input: &mut Decoder<'_>,
    ) -> usize {
        match self {
            // SAFETY: the caller vouches for the room.
            Self::Whole(form) => unsafe { read_whole(*form, first, count, input) },
            // SAFETY: as above.
            Self::ByColumn(element) => unsafe { read_columns(element, first, count, input) },
        }
    }
}

/// # Safety
///
/// There must be `count` values of this shape from `first` on.
#[inline(never)]
unsafe fn write_columns(
    element: &Shape,
    first: *const u8,
    count: usize,
    out: &mut Encoder,
) -> usize {
    let Some(columns) = Columns::of(element) else {
        return 0;
    };
    let is_foreign = out.order() != ByteOrder::NATIVE;
    out.reserve_amortized(count.saturating_mul(columns.stride()));
    for start in (0..count).step_by(columns.block()) {
        let block = columns.block().min(count - start);
        let octets = out.append_zeroes(block * columns.stride());
        // SAFETY: there are `count` elements.
        let first = unsafe { first.add(start * columns.size()) };
        // SAFETY: so many elements are left as the octets are room for.
        unsafe { columns.gather(first, octets, is_foreign) }
    }
    count
}

/// # Safety
///
/// There must be room and alignment for `count` elements of this shape from `first` on.
#[inline(never)]
unsafe fn read_columns(
    element: &Shape,
    first: *mut u8,
    count: usize,
    input: &mut Decoder<'_>,
) -> usize {
    let Some(columns) = Columns::of(element) else {
        return 0;
    };
    let is_foreign = input.order() != ByteOrder::NATIVE;
    let mut read = 0;
    while read < count {
        let block = columns.block().min(count - read);
        let Some(octets) = input.in_one_piece(block * columns.stride()) else {
            break;
        };
        if !columns.are_valid(octets, is_foreign) || input.skip(octets.len()).is_err() {
            break;
        }
        // SAFETY: there is room for `count` elements.
        let first = unsafe { first.add(read * columns.size()) };
        // SAFETY: as above, and the octets are values.
        unsafe { columns.scatter(first, octets, is_foreign) }
        read += block;
    }
    read
}

/// Reads all of the elements, if they are there in one piece.
///
/// # Safety
///
/// There must be room for `count` elements of this form from `first` on.
unsafe fn read_whole(
    form: PlainForm,
    first: *mut u8,
    count: usize,
    input: &mut Decoder<'_>,
) -> usize {
    let octets = count.checked_mul(form.size());
    let Some(octets) = octets.and_then(|octets| input.in_one_piece(octets)) else {
        return 0;
    };
    if input.skip(octets.len()).is_err() {
        return 0;
    }
    // SAFETY: there is room for as many elements as the octets are, each of them a value;
    // what comes into padding does not matter.
    unsafe { first.copy_from_nonoverlapping(octets.as_ptr(), octets.len()) };
    count
}

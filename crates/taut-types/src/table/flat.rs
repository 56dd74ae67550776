//! A small struct of nothing but primitives: its members are put together, or taken apart, in
//! one walk that looks at nothing else.

use taut_cdr::{ByteOrder, Decoder, Encoder};

use super::shape::{Field, Kind, Width};

/// The largest alignment on the wire.
const MAX_ALIGNMENT: usize = 8;

/// The most octets of a plain struct, with padding in front.
const ROOM: usize = 64 + MAX_ALIGNMENT;

/// Writes the plain struct at `value`, if nothing has to be swapped: whether it did.
///
/// # Safety
///
/// There must be a struct with these members, all of them primitives.
pub(super) unsafe fn write(fields: &[Field], value: *const u8, out: &mut Encoder) -> bool {
    if out.order() != ByteOrder::NATIVE {
        return false;
    }
    let phase = out.position() % MAX_ALIGNMENT;
    let mut room = [0; ROOM + MAX_ALIGNMENT];
    let mut end = phase;
    for field in fields {
        let Some(run) = Run::of(field) else {
            return false;
        };
        let start = run.start_at(end);
        end = start + run.octets();
        let Some(places) = room.get_mut(start..end) else {
            return false;
        };
        // SAFETY: the member lies within the struct.
        let member = unsafe { value.add(field.offset as usize) };
        // SAFETY: both have so many octets.
        unsafe { run.copy(member, places.as_mut_ptr()) };
    }
    out.write_bytes(&room[phase..end]);
    true
}

/// Reads a plain struct into `place`, if it is there in one piece and nothing has to be
/// swapped: whether it did.
///
/// # Safety
///
/// `place` must have room for a struct of these members, all of them primitives.
pub(super) unsafe fn read(fields: &[Field], place: *mut u8, input: &mut Decoder<'_>) -> bool {
    let is_native = input.order() == ByteOrder::NATIVE;
    let Some(octets) = input.in_one_piece(input.remaining()).filter(|_| is_native) else {
        return false;
    };
    let phase = input.position() % MAX_ALIGNMENT;
    let mut end = phase;
    for field in fields {
        let Some(run) = Run::of(field) else {
            return false;
        };
        let start = run.start_at(end);
        end = start + run.octets();
        let Some(octets) = octets.get(start - phase..end - phase) else {
            return false;
        };
        // SAFETY: the member lies within the struct.
        let member = unsafe { place.add(field.offset as usize) };
        // SAFETY: both have so many octets, which are values.
        unsafe { run.copy(octets.as_ptr(), member) };
    }
    input.skip(end - phase).is_ok()
}

/// Primitives of one width, one behind the other.
struct Run {
    width: Width,
    count: usize,
}

impl Run {
    #[inline(always)]
    fn of(field: &Field) -> Option<Self> {
        match field.shape.kind {
            Kind::Primitive(width) => Some(Self {
                width,
                count: field.count as usize,
            }),
            _ => None,
        }
    }

    /// Where it begins behind this place.
    #[inline(always)]
    fn start_at(&self, end: usize) -> usize {
        let alignment = self.width.octets().min(MAX_ALIGNMENT);
        (end + (alignment - 1)) & !(alignment - 1)
    }

    #[inline(always)]
    fn octets(&self) -> usize {
        self.count << self.width as u8
    }

    /// # Safety
    ///
    /// Both must have the run's octets, and nobody else the second ones.
    #[inline(always)]
    unsafe fn copy(&self, source: *const u8, target: *mut u8) {
        let copy = |octets| {
            // SAFETY: the caller vouches for both.
            unsafe { source.copy_to_nonoverlapping(target, octets) }
        };
        match self.octets() {
            1 => copy(1),
            2 => copy(2),
            4 => copy(4),
            8 => copy(8),
            octets => copy(octets),
        }
    }
}

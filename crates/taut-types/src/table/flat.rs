//! A small struct of nothing but primitives: its members are put together, or taken apart, in
//! one walk that looks at nothing else.

use std::ops::Range;

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
    let end = walk(fields, phase, |run, offset, range| {
        let places = room.get_mut(range)?;
        // SAFETY: the member lies within the struct.
        let member = unsafe { value.add(offset) };
        // SAFETY: both have so many octets.
        unsafe { run.copy(member, places.as_mut_ptr()) };
        Some(())
    });
    let Some(end) = end else {
        return false;
    };
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
    let end = walk(fields, phase, |run, offset, range| {
        let octets = octets.get(range.start - phase..range.end - phase)?;
        // SAFETY: the member lies within the struct.
        let member = unsafe { place.add(offset) };
        // SAFETY: both have so many octets, which are values.
        unsafe { run.copy(octets.as_ptr(), member) };
        Some(())
    });
    end.is_some_and(|end| input.skip(end - phase).is_ok())
}

/// Has each member transferred between its offset in memory and its range on the wire, where
/// the struct begins at `phase`: where the last one ends. None if one has no such range.
#[inline(always)]
fn walk(
    fields: &[Field],
    phase: usize,
    mut transfer: impl FnMut(Run, usize, Range<usize>) -> Option<()>,
) -> Option<usize> {
    let mut end = phase;
    for field in fields {
        let run = Run::of(field)?;
        let start = run.start_at(end);
        end = start + run.octets();
        transfer(run, field.offset as usize, start..end)?;
    }
    Some(end)
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
        // So many as are known when this is compiled are moved by a register, not by a call.
        match self.octets() {
            1 => copy(1),
            2 => copy(2),
            4 => copy(4),
            8 => copy(8),
            octets => copy(octets),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::table::Tabled;

    #[derive(Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Mixed {
        octet: u8,
        short: i16,
        next: i16,
        double: f64,
    }
    crate::table_structure! { Mixed { octet: u8, short: i16, next: i16, double: f64 } }

    static VALUE: Mixed = Mixed {
        octet: 7,
        short: -1,
        next: 2,
        double: 0.5,
    };

    const FOREIGN: ByteOrder = match ByteOrder::NATIVE {
        ByteOrder::Big => ByteOrder::Little,
        ByteOrder::Little => ByteOrder::Big,
    };

    fn fields() -> &'static [Field] {
        let Kind::Structure(structure) = Mixed::TABLE.shape().kind else {
            panic!("a struct's table is that of something else");
        };
        assert!(structure.is_flat);
        structure.fields
    }

    fn encoder(order: ByteOrder, front: usize) -> Encoder {
        let mut out = Encoder::new(order);
        out.write_bytes(&[0xaa; 8][..front]);
        out
    }

    /// Returns the octets that the walk writes for the value behind so many octets, if it
    /// takes it.
    fn written(order: ByteOrder, front: usize) -> Option<Vec<u8>> {
        let mut out = encoder(order, front);
        // SAFETY: these are the members of the value.
        let is_written = unsafe { write(fields(), (&raw const VALUE).cast(), &mut out) };
        is_written.then(|| out.into_buffer())
    }

    /// Returns the value that the walk reads behind so many octets, if it takes them, and
    /// the number of octets that are left.
    fn value(octets: &[u8], order: ByteOrder, front: usize) -> (Option<Mixed>, usize) {
        let mut input = Decoder::new(octets, order);
        input.skip(front).unwrap();
        let mut place = MaybeUninit::<Mixed>::uninit();
        // SAFETY: there is room for a value with these members.
        let is_read = unsafe { read(fields(), place.as_mut_ptr().cast(), &mut input) };
        // SAFETY: all members have been read.
        let value = is_read.then(|| unsafe { place.assume_init() });
        (value, input.remaining())
    }

    #[test]
    fn members_are_moved_wherever_a_struct_begins() {
        for front in 0..8 {
            let mut one_by_one = encoder(ByteOrder::NATIVE, front);
            one_by_one.write(VALUE.octet);
            one_by_one.write(VALUE.short);
            one_by_one.write(VALUE.next);
            one_by_one.write(VALUE.double);
            let octets = written(ByteOrder::NATIVE, front);
            assert_eq!(octets.as_deref(), Some(one_by_one.as_bytes()), "{front}");
            let back = value(one_by_one.as_bytes(), ByteOrder::NATIVE, front);
            assert_eq!(back, (Some(VALUE), 0), "{front}");
        }
    }

    #[test]
    fn what_is_cut_off_or_foreign_is_left_to_others() {
        let octets = written(ByteOrder::NATIVE, 3).unwrap();
        for end in 3..octets.len() {
            let cut = value(&octets[..end], ByteOrder::NATIVE, 3);
            assert_eq!(cut, (None, end - 3), "{end}");
        }
        assert_eq!(written(FOREIGN, 3), None);
        assert_eq!(value(&octets, FOREIGN, 3), (None, octets.len() - 3));
    }
}

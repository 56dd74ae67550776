//! Many structs that are all laid out alike: one member of all of them, then the next.
//!
//! The rule that `taut_cdr::uniform` states for types that are marshaled by code holds here
//! as well: behind a value of such a type every further one has the same layout. It is
//! found by a walk through the table, which takes as long as a few elements do, and tells
//! where each primitive of an element lies, in memory and on the wire. Values then move by
//! columns: the same primitive of each element, in a loop that need not look at the table.

use std::ops::Range;
use std::slice::{ChunksExact, ChunksExactMut};

use super::shape::{Kind, Shape};

/// The most columns, and the most octets of an element on the wire: one with more is
/// large enough to be moved by itself.
const COLUMNS_MAX: usize = 32;
const STRIDE_MAX: usize = 256;

/// How many octets are moved at once.
const BLOCK: usize = 2048;

/// The largest alignment on the wire.
const MAX_ALIGNMENT: usize = 8;

/// How elements behind the first one lie.
pub(super) struct Columns {
    columns: [Column; COLUMNS_MAX],
    count: usize,
    /// Octets from an element to the next in memory.
    size: usize,
    /// Octets from an element to the next on the wire.
    stride: usize,
    /// Whether elements lie on the wire as they do in memory, padding aside.
    mirror_memory: bool,
}

/// Primitives of one width, one behind the other, that each element has.
#[derive(Clone, Copy)]
struct Column {
    /// Where they lie in an element in memory.
    memory: usize,
    /// Where they lie in an element on the wire.
    wire: usize,
    /// How many octets each has: 1, 2, 4, 8 or 16.
    width: usize,
    count: usize,
    values: Values,
}

/// Which octets are a value.
#[derive(Clone, Copy)]
enum Values {
    All,
    Booleans,
    Ordinals { count: u32 },
}

impl Column {
    /// A single member.
    const fn one(memory: usize, width: usize, values: Values) -> Self {
        Self {
            memory,
            wire: 0,
            width,
            count: 1,
            values,
        }
    }
}

impl Columns {
    /// The columns of these elements, if each is made of primitives alone.
    pub(super) fn of(element: &Shape) -> Option<Self> {
        let mut columns = Self {
            columns: [Column::one(0, 1, Values::All); COLUMNS_MAX],
            count: 0,
            size: element.size(),
            stride: 0,
            mirror_memory: false,
        };
        // Where an element ends, the next one begins.
        let phase = columns.walk(element, 0, 0)? % MAX_ALIGNMENT;
        columns.count = 0;
        columns.stride = columns.walk(element, 0, phase)? - phase;
        if !(1..=STRIDE_MAX).contains(&columns.stride) {
            return None;
        }
        for column in &mut columns.columns[..columns.count] {
            column.wire -= phase;
        }
        let mut noted = columns.columns[..columns.count].iter();
        columns.mirror_memory =
            columns.stride == columns.size && noted.all(|column| column.wire == column.memory);
        Some(columns)
    }

    /// How many elements to move at once, at most: so few that they are still in the
    /// processor's cache when their next column comes.
    pub(super) fn block(&self) -> usize {
        (BLOCK / self.stride).max(1)
    }

    /// Octets from an element to the next in memory.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Octets from an element to the next on the wire.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Takes note of the primitives of a value that begins at `wire`: where it ends.
    fn walk(&mut self, shape: &Shape, memory: usize, wire: usize) -> Option<usize> {
        let (width, values) = match shape.kind {
            Kind::Primitive(width) => (width.octets(), Values::All),
            Kind::Boolean => (1, Values::Booleans),
            Kind::Enum { count } => (4, Values::Ordinals { count }),
            Kind::Structure(structure) => {
                return structure.fields.iter().try_fold(wire, |wire, field| {
                    let memory = memory + field.offset as usize;
                    self.walk_run(field.shape, field.count as usize, memory, wire)
                });
            }
            Kind::Array { element, length } => {
                return self.walk_run(element, length as usize, memory, wire);
            }
            _ => return None,
        };
        self.note(Column::one(memory, width, values), wire)
    }

    /// The same for so many values, one behind the other.
    fn walk_run(
        &mut self,
        shape: &Shape,
        count: usize,
        memory: usize,
        wire: usize,
    ) -> Option<usize> {
        if let Kind::Primitive(width) = shape.kind {
            let column = Column::one(memory, width.octets(), Values::All);
            return self.note(Column { count, ..column }, wire);
        }
        (0..count).try_fold(wire, |wire, index| {
            self.walk(shape, memory + index * shape.size(), wire)
        })
    }

    /// Takes note of a column, which begins where `wire` is aligned: where it ends.
    fn note(&mut self, column: Column, wire: usize) -> Option<usize> {
        if column.count == 0 {
            return Some(wire);
        }
        let wire = wire.next_multiple_of(column.width.min(MAX_ALIGNMENT));
        *self.columns.get_mut(self.count)? = Column { wire, ..column };
        self.count += 1;
        wire.checked_add(column.width.checked_mul(column.count)?)
    }

    /// Writes elements, of which none is the first, into zeroes.
    ///
    /// # Safety
    ///
    /// From `first` on there must be as many elements as the octets are room for, of
    /// the shape that the columns are of.
    pub(super) unsafe fn gather(&self, first: *const u8, octets: &mut [u8], is_foreign: bool) {
        if self.mirror_memory && !is_foreign {
            // SAFETY: there are as many elements as there is room for.
            unsafe { first.copy_to_nonoverlapping(octets.as_mut_ptr(), octets.len()) };
            return self.clear_padding(octets);
        }
        for column in &self.columns[..self.count] {
            for index in 0..column.count {
                let offset = index * column.width;
                // SAFETY: the column lies within each element.
                let members = unsafe { first.add(column.memory + offset) };
                let pieces = octets.chunks_exact_mut(self.stride);
                let wire = column.wire + offset;
                match column.width {
                    // SAFETY: each element has a member of this width there.
                    1 => unsafe { gather::<1>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    2 => unsafe { gather::<2>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    4 => unsafe { gather::<4>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    8 => unsafe { gather::<8>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    _ => unsafe { gather::<16>(members, self.size, pieces, wire, is_foreign) },
                }
            }
        }
    }

    /// Makes zeroes of whatever is in the padding of these elements, which lie on the
    /// wire as they do in memory.
    fn clear_padding(&self, octets: &mut [u8]) {
        let mut end = 0;
        for column in &self.columns[..self.count] {
            clear(octets, self.stride, end..column.wire);
            end = column.wire + column.width * column.count;
        }
        clear(octets, self.stride, end..self.stride);
    }

    /// Reads elements, of which none is the first.
    ///
    /// # Safety
    ///
    /// From `first` on there must be room for as many elements as the octets are, of
    /// the shape that the columns are of; and these must be [valid](Self::are_valid).
    pub(super) unsafe fn scatter(&self, first: *mut u8, octets: &[u8], is_foreign: bool) {
        if self.mirror_memory && !is_foreign {
            // SAFETY: there is room for as many elements as the octets are, each of them a
            // value where its members lie; what comes into padding does not matter.
            return unsafe { first.copy_from_nonoverlapping(octets.as_ptr(), octets.len()) };
        }
        for column in &self.columns[..self.count] {
            for index in 0..column.count {
                let offset = index * column.width;
                // SAFETY: the column lies within each element.
                let members = unsafe { first.add(column.memory + offset) };
                let pieces = octets.chunks_exact(self.stride);
                let wire = column.wire + offset;
                match column.width {
                    // SAFETY: each element has room for a member of this width there.
                    1 => unsafe { scatter::<1>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    2 => unsafe { scatter::<2>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    4 => unsafe { scatter::<4>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    8 => unsafe { scatter::<8>(members, self.size, pieces, wire, is_foreign) },
                    // SAFETY: as above.
                    _ => unsafe { scatter::<16>(members, self.size, pieces, wire, is_foreign) },
                }
            }
        }
    }

    /// Whether the octets of elements, of which none is the first, are values.
    pub(super) fn are_valid(&self, octets: &[u8], is_foreign: bool) -> bool {
        self.columns[..self.count].iter().all(|column| {
            let mut pieces = octets[column.wire..].chunks(self.stride);
            match column.values {
                Values::All => true,
                Values::Booleans => pieces.all(|piece| piece[0] <= 1),
                Values::Ordinals { count } => pieces.all(|piece| {
                    let ordinal = piece.first_chunk().copied().map(u32::from_ne_bytes);
                    let ordinal = match is_foreign {
                        true => ordinal.map(u32::swap_bytes),
                        false => ordinal,
                    };
                    ordinal.is_some_and(|ordinal| ordinal < count)
                }),
            }
        })
    }
}

/// Writes zeroes to these octets of each element.
fn clear(octets: &mut [u8], stride: usize, padding: Range<usize>) {
    match padding.len() {
        0 => {}
        1 => clear_some::<1>(octets, stride, padding.start),
        2 => clear_some::<2>(octets, stride, padding.start),
        // Some may be written twice.
        3 => {
            clear_some::<2>(octets, stride, padding.start);
            clear_some::<2>(octets, stride, padding.end - 2);
        }
        _ => {
            for start in padding.clone().step_by(4) {
                clear_some::<4>(octets, stride, start.min(padding.end - 4));
            }
        }
    }
}

/// Writes `N` zeroes at this place of each element.
fn clear_some<const N: usize>(octets: &mut [u8], stride: usize, start: usize) {
    for piece in octets.chunks_exact_mut(stride) {
        if let Some(place) = piece.get_mut(start..start + N) {
            place.copy_from_slice(&[0; N]);
        }
    }
}

/// Writes a member of `N` octets of each element at this place in its piece.
///
/// # Safety
///
/// At `members`, and `size` octets further for each further piece, there must be a
/// primitive of that size.
unsafe fn gather<const N: usize>(
    members: *const u8,
    size: usize,
    pieces: ChunksExactMut<'_, u8>,
    wire: usize,
    is_foreign: bool,
) {
    for (index, piece) in pieces.enumerate() {
        // SAFETY: the caller vouches for a member of each element.
        let member = unsafe { members.add(index * size) };
        // SAFETY: as above; octets need no alignment.
        let mut octets = unsafe { member.cast::<[u8; N]>().read() };
        if is_foreign {
            octets.reverse();
        }
        if let Some(place) = piece.get_mut(wire..wire + N) {
            place.copy_from_slice(&octets);
        }
    }
}

/// Reads a member of `N` octets of each element from this place in its piece.
///
/// # Safety
///
/// At `members`, and `size` octets further for each further piece, there must be room
/// for a primitive of that size, of which the octets are a value.
unsafe fn scatter<const N: usize>(
    members: *mut u8,
    size: usize,
    pieces: ChunksExact<'_, u8>,
    wire: usize,
    is_foreign: bool,
) {
    for (index, piece) in pieces.enumerate() {
        if let Some(piece) = piece.get(wire..wire + N) {
            let mut octets = [0; N];
            octets.copy_from_slice(piece);
            if is_foreign {
                octets.reverse();
            }
            // SAFETY: the caller vouches for the room in each element.
            let member = unsafe { members.add(index * size) };
            // SAFETY: as above; octets need no alignment.
            unsafe { member.cast::<[u8; N]>().write(octets) }
        }
    }
}

//! How many octets values take, wherever they begin.

use crate::Primitive;

/// The largest alignment of CDR: offsets that are alike up to it are alike.
pub(super) const MAX_ALIGNMENT: usize = 8;

/// Of how many octets it is known which are padding.
const MAX_FILLED: usize = u64::BITS as usize;

/// How many octets a value takes on the wire, for each place at which it may begin, and
/// whether they are those that it has in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// By the offset of the place from an aligned one: the octets with all padding,
    /// that in front included.
    sizes: [usize; MAX_ALIGNMENT],
    /// By the same: whether each member of a value that begins there lies as far from its
    /// begin as in memory. Then there is no padding in front.
    mirrors: [bool; MAX_ALIGNMENT],
    /// The alignment of what comes first.
    alignment: usize,
    /// The octets in memory.
    memory: usize,
    /// Which octets in memory are no padding, the first one lowest; of a value that has
    /// no more than there are bits here.
    filled: u64,
}

impl Layout {
    /// Nothing.
    pub const EMPTY: Self = Self {
        sizes: [0; MAX_ALIGNMENT],
        mirrors: [true; MAX_ALIGNMENT],
        alignment: 1,
        memory: 0,
        filled: 0,
    };

    /// A primitive.
    #[must_use]
    pub const fn of<T: Primitive>() -> Self {
        let mut layout = Self {
            alignment: T::ALIGNMENT,
            memory: size_of::<T>(),
            filled: (1 << size_of::<T>()) - 1,
            ..Self::EMPTY
        };
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            let padding = padding(place, T::ALIGNMENT);
            layout.sizes[place] = padding + size_of::<T>();
            layout.mirrors[place] = padding == 0;
            place += 1;
        }
        layout
    }

    /// This, and a member behind it, which lies at this offset in memory.
    #[must_use]
    pub const fn then(self, member: Self, offset: usize) -> Self {
        let mut layout = self;
        if self.is_empty() {
            layout.alignment = member.alignment;
        }
        layout.filled |= shifted(member.filled, offset);
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            let size = self.sizes[place];
            let end = place.saturating_add(size);
            layout.sizes[place] = size.saturating_add(member.size_at(end));
            let start = end.saturating_add(padding(end, member.alignment));
            layout.mirrors[place] &= start - place == offset && member.is_mirrored_at(start);
            place += 1;
        }
        layout
    }

    /// This, of a value that takes so many octets in memory.
    #[must_use]
    pub const fn in_memory(self, size: usize) -> Self {
        Self {
            memory: size,
            ..self
        }
    }

    /// This, so many times.
    #[must_use]
    pub const fn times(self, count: usize) -> Self {
        if count == 0 {
            return Self::EMPTY;
        }
        let rest = self.stride().saturating_mul(count - 1);
        let mut layout = self.in_memory(self.memory.saturating_mul(count));
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            layout.sizes[place] = layout.sizes[place].saturating_add(rest);
            let goes_on = self.sizes[place] == self.memory && self.mirrors_memory();
            layout.mirrors[place] &= goes_on || count == 1;
            place += 1;
        }
        let mut index = 1;
        while index < count && index < MAX_FILLED {
            layout.filled |= shifted(self.filled, index.saturating_mul(self.memory));
            index += 1;
        }
        layout
    }

    const fn is_empty(self) -> bool {
        self.sizes[0] == 0
    }

    /// The octets of a value that begins at this offset.
    #[inline]
    #[must_use]
    pub const fn size_at(self, offset: usize) -> usize {
        self.sizes[offset % MAX_ALIGNMENT]
    }

    /// The alignment of what comes first.
    pub(crate) const fn alignment(self) -> usize {
        self.alignment
    }

    /// Where a value begins behind this offset.
    pub(crate) const fn start_at(self, offset: usize) -> usize {
        offset + padding(offset, self.alignment)
    }

    pub(crate) const fn is_mirrored_at(self, offset: usize) -> bool {
        self.mirrors[offset % MAX_ALIGNMENT]
    }

    /// The offset, up to the alignment, at which a value ends and another one behind
    /// it begins.
    #[inline]
    #[must_use]
    pub const fn phase(self) -> usize {
        self.sizes[0] % MAX_ALIGNMENT
    }

    /// The octets of a value that begins where another one ends.
    #[inline]
    #[must_use]
    pub const fn stride(self) -> usize {
        self.size_at(self.phase())
    }

    /// The octets in memory.
    pub(crate) const fn memory(self) -> usize {
        self.memory
    }

    /// Which octets in memory are no padding, the first one lowest; if that is known of each.
    pub(super) const fn filled(self) -> Option<u64> {
        match self.memory <= MAX_FILLED {
            true => Some(self.filled),
            false => None,
        }
    }

    /// Whether it is known of some octets in memory that they are padding.
    pub(super) const fn has_padding(self) -> bool {
        self.memory <= MAX_FILLED && self.filled.count_ones() as usize != self.memory
    }

    /// Whether values that begin where others end lie on the wire as they do in memory,
    /// up to byte order and to what is in padding. Not so if there is nothing of them.
    #[inline]
    #[must_use]
    pub const fn mirrors_memory(self) -> bool {
        let has_octets = !self.is_empty() && self.stride() == self.memory;
        has_octets && self.is_mirrored_at(self.phase())
    }
}

/// So many octets to the end.
const fn shifted(filled: u64, octets: usize) -> u64 {
    if octets < MAX_FILLED {
        filled << octets
    } else {
        0
    }
}

/// The padding in front of what is aligned so, at this offset.
pub(super) const fn padding(offset: usize, alignment: usize) -> usize {
    offset.wrapping_neg() & (alignment - 1)
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    /// The layout of a struct with these members, which it declares.
    macro_rules! layout_of {
        ($name:ident { $($member:ident: $layout:expr => $ty:ty),* }) => {{
            #[repr(C)]
            struct $name {
                $($member: $ty),*
            }
            Layout::EMPTY
                $(.then($layout, offset_of!($name, $member)))*
                .in_memory(size_of::<$name>())
        }};
        ($name:ident { $($member:ident: $ty:ty),* }) => {
            layout_of!($name { $($member: Layout::of::<$ty>() => $ty),* })
        };
    }

    #[test]
    fn sizes_are_those_of_cdr() {
        let bin = layout_of!(Bin {
            s: i16,
            c: u8,
            l: i32,
            o: u8,
            d: f64
        });
        assert_eq!(
            [0, 1, 2, 4, 7].map(|place| bin.size_at(place)),
            [24, 23, 22, 20, 25]
        );
        assert_eq!((bin.phase(), bin.stride()), (0, 24));
        assert!(bin.mirrors_memory());
    }

    #[test]
    fn values_behind_others_begin_where_those_end() {
        let layout = layout_of!(Mixed {
            a: u8,
            l: i32,
            b: u8
        });
        assert_eq!(
            (layout.size_at(0), layout.phase(), layout.stride()),
            (9, 1, 8)
        );
        let three = layout.times(3);
        assert_eq!(three.sizes, layout.then(layout, 0).then(layout, 0).sizes);
        assert_eq!(layout.times(0), Layout::EMPTY);
    }

    #[test]
    fn what_lies_in_memory_as_on_the_wire_is_known() {
        // A value ends, and the next begins, in the middle of a long.
        assert!(!layout_of!(End { l: i32, o: u8 }).mirrors_memory());
        assert!(
            !layout_of!(Both {
                a: u8,
                l: i32,
                b: u8
            })
            .mirrors_memory()
        );
        // All ends are aligned for what comes next.
        let shorts = layout_of!(Shorts {
            a: i16,
            b: i16,
            c: i16
        });
        assert_eq!((shorts.phase(), shorts.stride()), (6, 6));
        assert!(shorts.mirrors_memory());
        assert!(shorts.times(3).mirrors_memory());
        // Of these, one by one, every second begins at half a double.
        let halves = layout_of!(Halves {
            a: i32,
            b: i32,
            c: i32
        });
        assert!(halves.mirrors_memory());
        assert!(
            layout_of!(Odd { h: halves => [i32; 3], l: Layout::of::<i32>() => i32 })
                .mirrors_memory()
        );
        // In memory a struct of structs may have padding that the wire has not.
        let inner = layout_of!(Inner { l: i32, o: u8 });
        let outer = layout_of!(Outer { i: inner => [u32; 2], o: Layout::of::<u8>() => u8 });
        assert!(!outer.mirrors_memory());
        // Elements of arrays lie as those of sequences do.
        let array = Layout::of::<u8>().times(3);
        assert!(
            layout_of!(Array { a: array => [u8; 3], o: Layout::of::<u8>() => u8 }).mirrors_memory()
        );
        assert!(
            !layout_of!(Array { l: Layout::of::<i32>() => i32, a: array => [u8; 3] })
                .mirrors_memory()
        );
        assert!(!inner.times(2).mirrors_memory());
    }
}

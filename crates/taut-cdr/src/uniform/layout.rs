//! How many octets values take, wherever they begin.

use crate::Primitive;

/// The largest alignment of CDR: offsets that are alike up to it are alike.
const MAX_ALIGNMENT: usize = 8;

/// How many octets a value takes on the wire, for each place at which it may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// By the offset of the place from an aligned one: the octets with all padding,
    /// that in front included.
    sizes: [usize; MAX_ALIGNMENT],
}

impl Layout {
    /// Nothing.
    pub const EMPTY: Self = Self {
        sizes: [0; MAX_ALIGNMENT],
    };

    /// A primitive.
    #[must_use]
    pub const fn of<T: Primitive>() -> Self {
        let mut sizes = [0; MAX_ALIGNMENT];
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            sizes[place] = padding(place, T::ALIGNMENT) + size_of::<T>();
            place += 1;
        }
        Self { sizes }
    }

    /// This, and another behind it.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        let mut sizes = [0; MAX_ALIGNMENT];
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            let size = self.sizes[place];
            sizes[place] = size.saturating_add(next.size_at(place + size));
            place += 1;
        }
        Self { sizes }
    }

    /// This, so many times.
    #[must_use]
    pub const fn times(self, count: usize) -> Self {
        if count == 0 {
            return Self::EMPTY;
        }
        let rest = self.stride().saturating_mul(count - 1);
        let mut sizes = self.sizes;
        let mut place = 0;
        while place < MAX_ALIGNMENT {
            sizes[place] = sizes[place].saturating_add(rest);
            place += 1;
        }
        Self { sizes }
    }

    /// The octets of a value that begins at this offset.
    #[inline]
    #[must_use]
    pub const fn size_at(self, offset: usize) -> usize {
        self.sizes[offset % MAX_ALIGNMENT]
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
}

/// The padding in front of what is aligned so, at this offset.
pub(super) const fn padding(offset: usize, alignment: usize) -> usize {
    offset.wrapping_neg() & (alignment - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `struct { short; char; long; octet; double; }`.
    const BIN: Layout = Layout::of::<i16>()
        .then(Layout::of::<u8>())
        .then(Layout::of::<i32>())
        .then(Layout::of::<u8>())
        .then(Layout::of::<f64>());

    #[test]
    fn sizes_are_those_of_cdr() {
        assert_eq!(
            [0, 1, 2, 4, 7].map(|place| BIN.size_at(place)),
            [24, 23, 22, 20, 25]
        );
        assert_eq!((BIN.phase(), BIN.stride()), (0, 24));
    }

    #[test]
    fn values_behind_others_begin_where_those_end() {
        let layout = Layout::of::<u8>()
            .then(Layout::of::<i32>())
            .then(Layout::of::<u8>());
        assert_eq!(
            (layout.size_at(0), layout.phase(), layout.stride()),
            (9, 1, 8)
        );
        let three = layout.times(3);
        assert_eq!(three, layout.then(layout).then(layout));
        assert_eq!(layout.times(0), Layout::EMPTY);
    }
}

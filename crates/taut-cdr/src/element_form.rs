//! How the elements of a sequence lie in memory and in a message.

use crate::uniform::{Layout, PlainData};

/// The octets of a sequence's count.
const COUNT: usize = 4;

/// The most octets of an element.
const MAX_SIZE: usize = 128;

/// How the elements of a large sequence can be received where they stay, where the sequence
/// begins at a multiple of 8 octets of its message: they lie there as they do in memory,
/// but perhaps for the first, of which the members may lie otherwise
/// (CORBA 3.3 part 2, 9.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementForm {
    /// Octets of each in memory; 0 where they cannot be received so.
    size: u8,
    /// Their alignment in memory.
    alignment: u8,
    /// Octets of the sequence in front of those that are as in memory.
    head: u8,
    /// Whether the first element is among them.
    is_first_apart: bool,
}

impl ElementForm {
    /// That of elements that must be read.
    pub const NONE: Self = Self {
        size: 0,
        alignment: 1,
        head: 0,
        is_first_apart: false,
    };

    /// The most octets of a sequence in front of those that are as in memory.
    pub const MAX_HEAD: usize = COUNT + 8 + MAX_SIZE;

    /// That of elements of this type; [`NONE`](Self::NONE) where they are large, or lie
    /// otherwise in a message than in memory.
    #[must_use]
    pub const fn of<T: PlainData>() -> Self {
        Self::of_layout(T::LAYOUT, align_of::<T>())
    }

    /// That of elements with this layout, and this alignment in memory.
    #[must_use]
    pub const fn of_layout(layout: Layout, alignment: usize) -> Self {
        let size = layout.memory();
        let start = layout.start_at(COUNT);
        let is_first_apart = !layout.is_mirrored_at(start);
        let head = match is_first_apart {
            true => COUNT + layout.size_at(COUNT),
            false => start,
        };
        if !layout.mirrors_memory() || head > Self::MAX_HEAD || size > MAX_SIZE {
            return Self::NONE;
        }
        Self {
            size: size as u8,
            alignment: alignment as u8,
            head: head as u8,
            is_first_apart,
        }
    }

    /// Whether elements have to be read.
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.size == 0
    }

    /// How many octets each has in memory.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size as usize
    }

    /// The alignment in memory.
    #[must_use]
    pub const fn alignment(self) -> usize {
        self.alignment as usize
    }

    /// How many octets of the sequence come before those that are as in memory: its count,
    /// padding, and perhaps the first element.
    #[must_use]
    pub const fn head(self) -> usize {
        self.head as usize
    }

    /// The octets in memory of the first element, where it is not as the others are.
    pub(crate) const fn apart(self) -> usize {
        match self.is_first_apart {
            true => self.size(),
            false => 0,
        }
    }

    /// How many octets are as in memory, where there are `count` elements; none where there
    /// are too few, or too many.
    #[must_use]
    pub fn landing(self, count: usize) -> Option<usize> {
        count.checked_mul(self.size())?.checked_sub(self.apart())
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "the macro vouches for the structs")]
mod tests {
    use super::*;
    use crate::{Char, LongDouble};

    fn form<T: PlainData>() -> (usize, usize, usize) {
        let form = ElementForm::of::<T>();
        (form.size(), form.head(), form.apart())
    }

    #[test]
    fn primitives_are_all_alike_behind_their_padding() {
        assert_eq!(form::<Char>(), (1, 4, 0));
        assert_eq!(form::<i16>(), (2, 4, 0));
        assert_eq!(form::<f32>(), (4, 4, 0));
        assert_eq!(form::<f64>(), (8, 8, 0));
        assert_eq!(form::<LongDouble>(), (16, 8, 0));
    }

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Small {
        id: u16,
        value: f32,
    }
    crate::uniform_structure! { plain Small { id: u16, value: f32 } }

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Wide {
        id: u16,
        value: f64,
    }
    crate::uniform_structure! { plain Wide { id: u16, value: f64 } }

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Odd {
        value: f64,
        id: u16,
    }
    crate::uniform_structure! { plain Odd { value: f64, id: u16 } }

    #[test]
    fn the_first_struct_may_lie_otherwise() {
        assert_eq!(form::<Small>(), (8, 4, 0));
        // Its id lies in front of the eighth octet, the value at once behind it.
        assert_eq!(form::<Wide>(), (16, 16, 16));
        assert_eq!(ElementForm::of::<Wide>().landing(3), Some(32));
        assert_eq!(ElementForm::of::<Wide>().landing(0), None);
        assert_eq!(ElementForm::of::<Small>().landing(3), Some(24));
    }

    #[test]
    fn what_is_large_or_ends_otherwise_than_in_memory_is_read() {
        assert!(ElementForm::of::<[u8; 129]>().is_none());
        assert!(ElementForm::of::<[u8; 128]>().landing(usize::MAX).is_none());
        // The next one follows its id, not its padding.
        assert!(ElementForm::of::<Odd>().is_none());
    }
}

//! What a table says.

use std::fmt;
use std::marker::PhantomData;

use taut_cdr::codec::UNBOUNDED;

use super::access::{Access, WholeAccess};
use super::leaf::Leaf;
use super::structure::Field;

/// What a table says of a type: its size in memory, its smallest size on the
/// wire, how it is dropped, and its kind.
#[derive(Clone, Copy)]
pub struct Shape {
    pub(super) kind: Kind,
    /// In memory; the distance from one element to the next.
    pub(super) size: u32,
    /// The fewest octets that a value occupies, padding not counted.
    pub(super) min_size: u32,
    /// Drops a value in its place; none if there is nothing to do.
    pub(super) drop: Option<unsafe fn(*mut u8)>,
}

/// The kinds of type that the engine tells apart.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A primitive whose octets in memory are those on the wire, up to order.
    Primitive(Width),
    Boolean,
    /// The ordinal, as a `u32`; every one below `count` is a value.
    Enum {
        count: u32,
    },
    /// A `String`; [`Bound`] in characters.
    String(Bound),
    /// Members, in the order of the wire.
    Structure(&'static [Field]),
    Array {
        element: &'static Shape,
        length: u32,
    },
    /// A `Vec` of elements that are decoded one by one.
    Sequence(&'static Access, Bound),
    /// A `Vec` that is read and written as a whole: of primitives.
    Whole(&'static WholeAccess, Bound),
    /// What is marshaled by code.
    Leaf(&'static Leaf),
}

/// How many octets a primitive has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    Four,
    Eight,
    Sixteen,
}

/// The most elements or characters that there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound(u32);

/// What is to be known of a type `T` to describe sequences of it.
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

impl Shape {
    /// The shape of a type `T`, but for its kind.
    pub(super) const fn of<T>(kind: Kind, min_size: usize) -> Self {
        assert!(size_of::<T>() <= u32::MAX as usize, "the type is too large");
        let min_size = if min_size > u32::MAX as usize {
            u32::MAX
        } else {
            min_size as u32
        };
        Self {
            kind,
            size: size_of::<T>() as u32,
            min_size,
            drop: if std::mem::needs_drop::<T>() {
                Some(drop_in_place::<T>)
            } else {
                None
            },
        }
    }

    /// The fewest octets that a value occupies on the wire, padding not counted.
    pub const fn min_size(&self) -> usize {
        self.min_size as usize
    }

    /// The octets that a value takes in memory.
    pub const fn size(&self) -> usize {
        self.size as usize
    }

    /// The octets that the table itself takes, those of other types' tables not.
    pub const fn footprint(&self) -> usize {
        let parts = match self.kind {
            Kind::Structure(fields) => size_of_val(fields),
            Kind::Sequence(..) => size_of::<Access>(),
            Kind::Whole(..) => size_of::<WholeAccess>(),
            Kind::Leaf(_) => size_of::<Leaf>(),
            _ => 0,
        };
        size_of::<Self>() + parts
    }

    /// How many primitives of which width a value is, if it is nothing else:
    /// then many values can be moved in bulk.
    #[inline]
    pub(super) fn as_run(&self) -> Option<(Width, usize)> {
        match self.kind {
            Kind::Primitive(width) => Some((width, 1)),
            Kind::Structure([field]) => match field.shape.kind {
                Kind::Primitive(width) if width.octets() * field.count as usize == self.size() => {
                    Some((width, field.count as usize))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Drops the value at `place`.
    ///
    /// # Safety
    ///
    /// There must be a value of the shape's type, which is not used again.
    #[inline]
    pub(super) unsafe fn drop_in_place(&self, place: *mut u8) {
        if let Some(drop) = self.drop {
            // SAFETY: `drop` is that of the shape's type.
            unsafe { drop(place) }
        }
    }
}

/// Drops a value in its place.
///
/// # Safety
///
/// `place` must hold a `T` that is not used again.
unsafe fn drop_in_place<T>(place: *mut u8) {
    // SAFETY: the caller vouches for the value.
    unsafe { place.cast::<T>().drop_in_place() }
}

impl Width {
    pub(super) const fn octets(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }

    pub(super) const fn of<T>() -> Self {
        match size_of::<T>() {
            1 => Self::One,
            2 => Self::Two,
            4 => Self::Four,
            8 => Self::Eight,
            16 => Self::Sixteen,
            _ => panic!("no primitive has this size"),
        }
    }
}

impl Bound {
    /// The bound of a wire form: [`UNBOUNDED`], or what fits in 32 bits, for no
    /// length can be more.
    pub(super) const fn new(bound: usize) -> Self {
        if bound >= u32::MAX as usize {
            Self(u32::MAX)
        } else {
            Self(bound as u32)
        }
    }

    pub(super) const fn get(self) -> usize {
        match self.0 {
            u32::MAX => UNBOUNDED,
            bound => bound as usize,
        }
    }
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

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("size", &self.size)
            .field("min_size", &self.min_size)
            .finish_non_exhaustive()
    }
}

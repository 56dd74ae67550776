//! The content of a table.

use std::fmt;
use std::marker::PhantomData;

use taut_cdr::codec::UNBOUNDED;
use taut_cdr::uniform::{Layout, PlainForm};
use taut_cdr::{Decoder, ElementForm, Encoder, Lent, LongDouble, Result, VecMemory};

use super::leaf::Leaf;

/// How values of `T` lie in memory and on the wire.
#[derive(Debug)]
#[repr(transparent)]
pub struct Table<T> {
    /// True of `T`: every value of `T` can be encoded by it, and what it decodes
    /// is a value of `T`.
    shape: Shape,
    ty: PhantomData<fn(T) -> T>,
}

impl<T> Table<T> {
    /// A table of this shape.
    ///
    /// # Safety
    ///
    /// The shape must be true of `T`.
    pub(super) const unsafe fn new(shape: Shape) -> Self {
        Self {
            shape,
            ty: PhantomData,
        }
    }

    /// Returns the content of the table, without the type that it describes.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// The description of a type in a table: its size in memory, its smallest size on the wire,
/// how it is dropped, and its kind.
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
    Structure(&'static Structure),
    Array {
        element: &'static Shape,
        length: u32,
    },
    /// A `Vec` of elements that are decoded one by one.
    Sequence(&'static Access, Bound),
    /// A `Vec` that is read and written as a whole: of primitives.
    Whole(&'static WholeAccess, Bound),
    /// A type that is marshaled by code.
    Leaf(&'static Leaf),
}

/// The description of a struct in a table.
#[derive(Debug)]
pub struct Structure {
    /// The members, in the order of the wire.
    pub(super) fields: &'static [Field],
    /// Whether it is [plain](Self::plain), and all of them are primitives.
    pub(super) is_flat: bool,
    /// How many values are moved without a look at their members, if they can be.
    pub(super) plain: Option<PlainForm>,
}

/// A member of a struct, or several of one width that lie one behind the other
/// in memory as they do on the wire.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// From the start of the struct.
    pub(super) offset: u32,
    /// How many; more than one only of primitives.
    pub(super) count: u32,
    pub(super) shape: &'static Shape,
}

/// Ways into a `Vec<T>` of elements that the engine reads and writes itself.
pub(super) struct Access {
    /// The table of the elements. A function, for a type may contain sequences
    /// of itself.
    pub(super) element: fn() -> &'static Shape,
    /// The elements of the `Vec<T>` at this place.
    pub(super) of_vec: unsafe fn(*const u8) -> (*const u8, usize),
    /// The elements of the `&[T]` at this place.
    pub(super) of_slice: unsafe fn(*const u8) -> (*const u8, usize),
    /// Makes an empty `Vec<T>` with this capacity: where the first element belongs.
    pub(super) create: unsafe fn(*mut u8, usize) -> *mut u8,
    /// Makes room in the `Vec<T>` for so many further elements: where the next
    /// belongs.
    pub(super) room: unsafe fn(*mut u8, usize) -> *mut u8,
    /// Tells the `Vec<T>` that so many elements have been put there.
    pub(super) extend: unsafe fn(*mut u8, usize),
    /// Takes the memory of the `Vec<T>` at this place, and leaves an empty one.
    pub(super) release: unsafe fn(*mut u8) -> VecMemory,
    /// Makes a `Vec<T>` of this memory.
    pub(super) adopt: unsafe fn(*mut u8, VecMemory),
}

/// Ways into a `Vec<T>` that moves as a whole.
pub(super) struct WholeAccess {
    /// Writes the elements of the `Vec<T>` at this place, with their count.
    pub(super) encode_vec: unsafe fn(*const u8, usize, &mut Encoder) -> Result<()>,
    /// The same for a `&[T]`.
    pub(super) encode_slice: unsafe fn(*const u8, usize, &mut Encoder) -> Result<()>,
    /// Reads a `Vec<T>` of this bound into a place.
    pub(super) decode: unsafe fn(*mut u8, usize, &mut Decoder<'_>) -> Result<()>,
    /// How it is borrowed from a message, and sent from where it lies, if that is
    /// possible.
    pub(super) borrowing: Option<Borrowing>,
}

/// Ways with octets that are not copied.
#[derive(Clone, Copy)]
pub(super) struct Borrowing {
    /// Reads a `Cow<'m, [T]>` of this bound into a place.
    pub(super) decode: unsafe fn(*mut u8, usize, &mut Decoder<'_>) -> Result<()>,
    /// Drops the `Cow<'m, [T]>` in this place.
    pub(super) drop: unsafe fn(*mut u8),
    /// Writes the `&'a [T]` of this bound in this place, and may leave out its elements.
    pub(super) lend: LendFn,
    /// How elements lie in memory and in a message.
    pub(super) form: ElementForm,
    /// Writes the `Vec<T>` of this bound in this place, or gives away its elements.
    pub(super) give: unsafe fn(*mut u8, usize, &mut Encoder) -> Result<()>,
}

/// The type of [`Borrowing::lend`].
type LendFn =
    for<'a> unsafe fn(*const u8, PhantomData<&'a ()>, usize, &mut Encoder) -> Result<Lent<'a>>;

/// How many octets a primitive has: as a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
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
            Kind::Structure(structure) => size_of::<Structure>() + size_of_val(structure.fields),
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
            Kind::Structure(Structure {
                fields: [field], ..
            }) => match field.shape.kind {
                Kind::Primitive(width) if width.octets() * field.count as usize == self.size() => {
                    Some((width, field.count as usize))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// How many values are moved without a look at their members, if these are structs for
    /// which that can be.
    #[inline]
    pub(super) fn plain(&self) -> Option<PlainForm> {
        match self.kind {
            Kind::Structure(structure) => structure.plain,
            _ => None,
        }
    }

    /// How the elements of a sequence are received where they stay.
    pub(super) fn landing(&self) -> ElementForm {
        let form = match self.kind {
            Kind::Whole(access, _) => access.borrowing.map(|borrowing| borrowing.form),
            Kind::Sequence(access, _) => (access.element)().plain().map(PlainForm::element),
            _ => None,
        };
        form.unwrap_or(ElementForm::NONE)
    }

    /// How a value lies on the wire, if that is known of it, and any octets are one.
    pub(super) const fn layout(&self) -> Option<Layout> {
        match self.kind {
            Kind::Primitive(width) => Some(width.layout()),
            Kind::Structure(structure) => layout_of(structure.fields, self.size()),
            Kind::Array { element, length } => match element.layout() {
                Some(layout) => Some(layout.times(length as usize)),
                None => None,
            },
            _ => None,
        }
    }

    /// The ways with a sequence's octets that are not copied, and its bound.
    pub(super) fn borrowing(&self) -> Option<(&'static Borrowing, Bound)> {
        match self.kind {
            Kind::Whole(access, bound) => Some((access.borrowing.as_ref()?, bound)),
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

/// How a struct of this size with these members lies on the wire, if that is known of it, and
/// any octets are one.
pub(super) const fn layout_of(fields: &[Field], size: usize) -> Option<Layout> {
    let mut layout = Layout::EMPTY;
    let mut index = 0;
    while index < fields.len() {
        let field = &fields[index];
        let Some(member) = field.shape.layout() else {
            return None;
        };
        layout = layout.then(member.times(field.count as usize), field.offset as usize);
        index += 1;
    }
    Some(layout.in_memory(size))
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

impl Field {
    pub(super) const fn at(offset: usize, shape: &'static Shape) -> Self {
        assert!(offset <= u32::MAX as usize, "the struct is too large");
        Self {
            offset: offset as u32,
            count: 1,
            shape,
        }
    }

    /// Whether `next` continues a run of primitives.
    pub(super) const fn goes_on_with(&self, next: &Self) -> bool {
        match (self.shape.kind, next.shape.kind) {
            (Kind::Primitive(width), Kind::Primitive(next_width)) => {
                let octets = width.octets();
                octets == next_width.octets()
                    && self.offset as usize + octets * self.count as usize == next.offset as usize
            }
            _ => false,
        }
    }
}

impl Width {
    #[inline]
    pub(super) const fn octets(self) -> usize {
        1 << self as u8
    }

    const fn layout(self) -> Layout {
        match self {
            Self::One => Layout::of::<u8>(),
            Self::Two => Layout::of::<u16>(),
            Self::Four => Layout::of::<u32>(),
            Self::Eight => Layout::of::<u64>(),
            Self::Sixteen => Layout::of::<LongDouble>(),
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

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape")
            .field("size", &self.size)
            .field("min_size", &self.min_size)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

impl fmt::Debug for WholeAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WholeAccess").finish_non_exhaustive()
    }
}

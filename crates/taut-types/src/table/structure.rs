//! The tables of structs, exceptions and enums.

use taut_cdr::uniform::PlainForm;

use super::shape::{Field, Kind, Shape, Structure, Table, layout_of};

/// The members of a struct, those that move together put together.
#[derive(Debug)]
pub struct Fields<const N: usize> {
    fields: [Field; N],
    /// How many of `fields` are left.
    count: usize,
    min_size: usize,
}

impl<const N: usize> Fields<N> {
    /// The members, in the order of the wire.
    #[doc(hidden)]
    pub const fn new(members: [Field; N]) -> Self {
        let mut fields = members;
        let mut count = 0;
        let mut min_size: usize = 0;
        let mut index = 0;
        while index < N {
            let member = members[index];
            min_size = min_size.saturating_add(member.shape.min_size());
            if count > 0 && fields[count - 1].goes_on_with(&member) {
                fields[count - 1].count += 1;
            } else {
                fields[count] = member;
                count += 1;
            }
            index += 1;
        }
        Self {
            fields,
            count,
            min_size,
        }
    }

    /// Returns the description of a struct `T` that has these members.
    #[doc(hidden)]
    pub const fn structure<T>(&'static self) -> Structure {
        let (fields, _) = self.fields.split_at(self.count);
        let plain = match layout_of(fields, size_of::<T>()) {
            Some(layout) => PlainForm::of_layout(layout, align_of::<T>()),
            None => None,
        };
        let mut is_flat = plain.is_some();
        let mut index = 0;
        while index < fields.len() {
            is_flat &= matches!(fields[index].shape.kind, Kind::Primitive(_));
            index += 1;
        }
        Structure {
            fields,
            is_flat,
            plain,
        }
    }

    /// The fewest octets that they all occupy.
    #[doc(hidden)]
    pub const fn min_size(&self) -> usize {
        self.min_size
    }
}

impl Structure {
    /// The table of a struct `T` of which this is true, and whose values occupy no fewer
    /// octets.
    ///
    /// # Safety
    ///
    /// Each member must be in `T` at its offset, and `T` must have no others.
    #[doc(hidden)]
    pub const unsafe fn table<T>(&'static self, min_size: usize) -> Table<T> {
        let shape = Shape::of::<T>(Kind::Structure(self), min_size);
        // SAFETY: the caller vouches for the members; those that were put
        // together lie where they lay.
        unsafe { Table::new(shape) }
    }
}

impl<T> Table<T> {
    /// The table of an enum whose `count` variants are, in memory, the ordinals
    /// from 0 on.
    ///
    /// # Safety
    ///
    /// Every `u32` below `count` must be a value of `T` when it lies there.
    #[doc(hidden)]
    pub const unsafe fn enumeration(count: u32) -> Self {
        // SAFETY: the caller vouches for the ordinals.
        unsafe { Self::new(Shape::of::<T>(Kind::Enum { count }, 4)) }
    }
}

/// Gives a struct its table, and marshals it by that: implements
/// [`Tabled`](crate::table::Tabled), `Encode` and `Decode`.
///
/// The members stand in the order of the wire, each with its type and, where
/// the type does not tell it, its wire form. That there are no others, and that
/// they have these types, is proved by the compiler.
///
/// ```
/// struct Point { x: f64, y: f64 }
/// taut_types::table_structure! { Point { x: f64, y: f64 } }
/// ```
///
/// A member left out, or of another type, is an error:
///
/// ```compile_fail,E0027
/// struct Point { x: f64, y: f64 }
/// taut_types::table_structure! { Point { x: f64 } }
/// ```
///
/// ```compile_fail,E0308
/// struct Point { x: f64, y: Box<f64> }
/// taut_types::table_structure! { Point { x: f64, y: f64 } }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! table_structure {
    ($name:ident { $($field:ident: $ty:ty $(as $form:ty)?),* $(,)? }) => {
        impl $crate::table::Tabled for $name {
            const TABLE: &'static $crate::table::Table<Self> = {
                // All the members, and of these types: a raw pointer converts to
                // no other.
                const _: fn(&$name) = |value| {
                    let $name { $($field),* } = value;
                    $(
                        let member = ::core::ptr::from_ref($field);
                        let _: *const $ty = member;
                    )*
                };
                const COUNT: usize = {
                    let names: &[&str] = &[$(stringify!($field)),*];
                    names.len()
                };
                const FIELDS: &'static $crate::table::Fields<COUNT> =
                    &$crate::table::Fields::new([$(
                        $crate::table::Field::new::<$ty>(
                            ::core::mem::offset_of!($name, $field),
                            <$crate::table_form!($($form)?) as $crate::table::TabledAs<$ty>>::TABLE,
                        )
                    ),*]);
                const STRUCTURE: &'static $crate::table::Structure =
                    &FIELDS.structure::<$name>();
                // SAFETY: the offsets are those of the members, which are all
                // that there are, as was proved above.
                &unsafe { STRUCTURE.table::<$name>(FIELDS.min_size()) }
            };
        }
        $crate::table_codec! { $name }
    };
}

/// Marshals a type that has a table by that.
#[doc(hidden)]
#[macro_export]
macro_rules! table_codec {
    ($name:ident) => {
        impl $crate::table::code::Encode for $name {
            fn encode(
                &self,
                out: &mut $crate::table::code::Encoder,
            ) -> $crate::table::code::Result<()> {
                $crate::table::encode(self, out)
            }
        }
        impl<'m> $crate::table::code::Decode<'m> for $name {
            const MIN_SIZE: usize = <Self as $crate::table::Tabled>::TABLE.shape().min_size();
            fn decode(
                input: &mut $crate::table::code::Decoder<'m>,
            ) -> $crate::table::code::Result<Self> {
                $crate::table::decode(input)
            }
        }
    };
}

/// The wire form of a member: the type's own unless one is given.
#[doc(hidden)]
#[macro_export]
macro_rules! table_form {
    () => {
        $crate::table::code::Plain
    };
    ($form:ty) => {
        $form
    };
}

/// Gives an enum its table, and marshals it by that. The variants stand in the
/// order of their ordinals, which must be what they are in memory; the compiler
/// proves it.
///
/// ```
/// #[repr(u32)]
/// enum Colour { Red, Green }
/// taut_types::table_enumeration! { Colour { Red, Green } }
/// ```
///
/// Another order, or another size, is an error:
///
/// ```compile_fail,E0080
/// #[repr(u32)]
/// enum Colour { Red, Green }
/// taut_types::table_enumeration! { Colour { Green, Red } }
/// ```
///
/// ```compile_fail,E0512
/// enum Colour { Red, Green }
/// taut_types::table_enumeration! { Colour { Red, Green } }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! table_enumeration {
    ($name:ident { $($variant:ident),* $(,)? }) => {
        impl $crate::table::Tabled for $name {
            const TABLE: &'static $crate::table::Table<Self> = {
                const COUNT: u32 = {
                    let mut count: u32 = 0;
                    $(
                        // SAFETY: `transmute` has made sure that the enum has the
                        // size of a `u32`, and with no member it has no padding.
                        let ordinal = unsafe {
                            ::core::mem::transmute::<$name, u32>($name::$variant)
                        };
                        assert!(ordinal == count);
                        count += 1;
                    )*
                    count
                };
                // SAFETY: each ordinal below the count was found in memory above.
                &unsafe { $crate::table::Table::<$name>::enumeration(COUNT) }
            };
        }
        $crate::table_codec! { $name }
    };
}

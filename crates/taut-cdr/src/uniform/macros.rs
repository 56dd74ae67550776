//! The macros with which generated code describes its structs and enums.

/// Marshals a struct whose members are all [`Uniform`](crate::uniform::Uniform), and
/// makes it so: implements `Encode`, `Decode` and `Uniform`.
///
/// The members stand in the order of the wire, each with its type. That there are no
/// others is proved by the compiler.
///
/// ```
/// #[derive(Clone, Copy)]
/// struct Point { x: f64, y: f64 }
/// taut_cdr::uniform_structure! { Point { x: f64, y: f64 } }
/// ```
///
/// A member left out is an error:
///
/// ```compile_fail,E0063
/// #[derive(Clone, Copy)]
/// struct Point { x: f64, y: f64 }
/// taut_cdr::uniform_structure! { Point { x: f64 } }
/// ```
///
/// If any octets are a value of each member, the struct may be called `plain`. Then
/// several values are copied as they are, if they lie in memory as on the wire. The unsafe
/// part of that is in the macro, and does not touch a crate that forbids unsafe code:
///
/// ```
/// #![forbid(unsafe_code)]
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Point { x: f64, y: f64 }
/// taut_cdr::uniform_structure! { plain Point { x: f64, y: f64 } }
/// ```
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Point { x: f64, is_set: bool }
/// taut_cdr::uniform_structure! { plain Point { x: f64, is_set: bool } }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! uniform_structure {
    (plain $name:ident { $($member:ident: $ty:ty),* $(,)? }) => {
        const _: () = {
            const fn is_plain<T: $crate::uniform::PlainData>() {}
            $(is_plain::<$ty>();)*
        };

        // SAFETY: any octets are a value of each member, and there are no others, as
        // `Uniform::get` shows; the layout is made of the members' own.
        unsafe impl $crate::uniform::PlainData for $name {}

        $crate::uniform_structure! {
            @ $name { $($member: $ty),* }
            #[inline]
            fn append(items: &[Self], out: &mut $crate::Encoder) {
                $crate::uniform::append_plain(items, out);
            }

            #[inline]
            fn extend(items: &mut $crate::uniform::Vec<Self>, octets: &[u8]) -> bool {
                $crate::uniform::extend_plain(items, octets)
            }

            fn take_landed<'m>(
                count: usize,
                input: &mut $crate::Decoder<'m>,
            ) -> $crate::Result<::core::option::Option<$crate::uniform::Vec<Self>>>
            where
                Self: $crate::Decode<'m>,
            {
                $crate::uniform::take_landed(count, input)
            }
        }
    };
    ($name:ident { $($member:ident: $ty:ty),* $(,)? }) => {
        $crate::uniform_structure! { @ $name { $($member: $ty),* } }
    };
    (@ $name:ident { $($member:ident: $ty:ty),* } $($in_bulk:item)*) => {
        impl $crate::Encode for $name {
            fn encode(&self, out: &mut $crate::Encoder) -> $crate::Result<()> {
                $($crate::Encode::encode(&self.$member, out)?;)*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn encode_elements(items: &[Self], out: &mut $crate::Encoder) -> $crate::Result<()> {
                $crate::uniform::write_elements(items, out)
            }
        }

        impl<'m> $crate::Decode<'m> for $name {
            const MIN_SIZE: usize =
                0_usize $(.saturating_add(<$ty as $crate::Decode<'m>>::MIN_SIZE))*;

            fn decode(input: &mut $crate::Decoder<'m>) -> $crate::Result<Self> {
                ::core::result::Result::Ok(Self {
                    $($member: <$ty as $crate::Decode<'m>>::decode(input)?),*
                })
            }

            $crate::uniform_elements! { 'm }
        }

        impl $crate::uniform::Uniform for $name {
            const LAYOUT: $crate::uniform::Layout = $crate::uniform::Layout::EMPTY
                $(.then(
                    <$ty as $crate::uniform::Uniform>::LAYOUT,
                    ::core::mem::offset_of!($name, $member),
                ))*
                .in_memory(::core::mem::size_of::<$name>());

            $($in_bulk)*

            #[inline(always)]
            fn put<const FOREIGN: bool>(&self, room: &mut $crate::uniform::Room<'_, FOREIGN>) {
                $(<$ty as $crate::uniform::Uniform>::put(&self.$member, room);)*
            }

            #[inline(always)]
            fn get<const FOREIGN: bool>(
                source: &mut $crate::uniform::Source<'_, FOREIGN>,
            ) -> Self {
                Self { $($member: <$ty as $crate::uniform::Uniform>::get(source)),* }
            }
        }
    };
}

/// Marshals an enum, and makes it [`Uniform`](crate::uniform::Uniform). The variants
/// stand in the order of their ordinals, and the last one without its own.
///
/// ```
/// #[derive(Clone, Copy)]
/// enum Colour { Red, Green }
/// taut_cdr::uniform_enumeration! { Colour { 0 => Red, _ => Green } }
/// ```
///
/// Other ordinals are an error, and so is a variant left out:
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy)]
/// enum Colour { Red, Green }
/// taut_cdr::uniform_enumeration! { Colour { 0 => Green, _ => Red } }
/// ```
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy)]
/// enum Colour { Red, Green, Blue }
/// taut_cdr::uniform_enumeration! { Colour { 0 => Red, _ => Blue } }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! uniform_enumeration {
    ($name:ident { $($ordinal:literal => $variant:ident,)* _ => $last:ident $(,)? }) => {
        const _: () = {
            let mut count: u32 = 0;
            $(
                assert!($ordinal == count && $name::$variant as u32 == count);
                count += 1;
            )*
            assert!($name::$last as u32 == count);
        };

        impl $crate::Encode for $name {
            fn encode(&self, out: &mut $crate::Encoder) -> $crate::Result<()> {
                out.write(*self as u32);
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn encode_elements(items: &[Self], out: &mut $crate::Encoder) -> $crate::Result<()> {
                $crate::uniform::write_elements(items, out)
            }
        }

        impl<'m> $crate::Decode<'m> for $name {
            const MIN_SIZE: usize = 4;

            fn decode(input: &mut $crate::Decoder<'m>) -> $crate::Result<Self> {
                ::core::result::Result::Ok(match input.read_ordinal($name::$last as u32 + 1)? {
                    $($ordinal => Self::$variant,)*
                    _ => Self::$last,
                })
            }

            $crate::uniform_elements! { 'm }
        }

        impl $crate::uniform::Uniform for $name {
            const LAYOUT: $crate::uniform::Layout = $crate::uniform::Layout::of::<u32>();

            #[inline(always)]
            fn put<const FOREIGN: bool>(&self, room: &mut $crate::uniform::Room<'_, FOREIGN>) {
                $crate::uniform::Uniform::put(&(*self as u32), room);
            }

            #[inline(always)]
            fn get<const FOREIGN: bool>(
                source: &mut $crate::uniform::Source<'_, FOREIGN>,
            ) -> Self {
                match source.ordinal($name::$last as u32 + 1) {
                    $($ordinal => Self::$variant,)*
                    _ => Self::$last,
                }
            }
        }
    };
}

/// How [`Decode`](crate::Decode) reads several values of a type that is
/// [`Uniform`](crate::uniform::Uniform).
#[doc(hidden)]
#[macro_export]
macro_rules! uniform_elements {
    ($message:lifetime) => {
        #[inline]
        fn decode_elements(
            count: usize,
            input: &mut $crate::Decoder<$message>,
        ) -> $crate::Result<$crate::uniform::Vec<Self>> {
            $crate::uniform::read_elements(count, input)
        }

        #[inline]
        fn decode_array<const N: usize>(
            input: &mut $crate::Decoder<$message>,
        ) -> $crate::Result<[Self; N]> {
            $crate::uniform::read_array(input)
        }
    };
}

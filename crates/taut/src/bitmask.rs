//! The methods of every type that a `bitmask` becomes.

use taut_cdr::{Decoder, Error, ErrorKind};

/// The error for a bitmask that arrives with a bit beyond its width.
#[cold]
pub fn undefined_bit(input: &Decoder<'_>) -> Error {
    input.error(ErrorKind::Invalid(
        "a bitmask has a bit set beyond its `@bit_bound`",
    ))
}

/// Implements what every generated bitmask has: its bits as a number, the
/// operators on them, and its form in messages.
#[doc(hidden)]
#[macro_export]
macro_rules! __bitmask {
    ($name:ident: $bits:ty, width: $width:literal) => {
        impl $name {
            /// No flag.
            #[must_use]
            pub const fn empty() -> Self {
                Self(0)
            }

            /// The flags of a number; none if it has bits that this type lacks.
            #[must_use]
            pub const fn from_bits(bits: $bits) -> ::core::option::Option<Self> {
                if bits & !Self::WIDTH == 0 {
                    ::core::option::Option::Some(Self(bits))
                } else {
                    ::core::option::Option::None
                }
            }

            /// The flags as a number.
            #[must_use]
            pub const fn bits(self) -> $bits {
                self.0
            }

            /// Whether no flag is set.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all the flags of another are set here.
            #[must_use]
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            const WIDTH: $bits = <$bits>::MAX >> (<$bits>::BITS - $width);
        }

        $crate::__bitmask!(operator $name, BitAnd, bitand, BitAndAssign, bitand_assign);
        $crate::__bitmask!(operator $name, BitOr, bitor, BitOrAssign, bitor_assign);
        $crate::__bitmask!(operator $name, BitXor, bitxor, BitXorAssign, bitxor_assign);

        impl ::core::ops::Not for $name {
            type Output = Self;

            fn not(self) -> Self {
                Self(!self.0 & Self::WIDTH)
            }
        }

        impl $crate::codegen::Encode for $name {
            fn encode(
                &self,
                out: &mut $crate::codegen::Encoder,
            ) -> $crate::codegen::CdrResult<()> {
                $crate::codegen::Encode::encode(&self.0, out)
            }
        }

        impl<'m> $crate::codegen::Decode<'m> for $name {
            const MIN_SIZE: usize = <$bits as $crate::codegen::Decode<'m>>::MIN_SIZE;

            fn decode(
                input: &mut $crate::codegen::Decoder<'m>,
            ) -> $crate::codegen::CdrResult<Self> {
                let bits = $crate::codegen::Decode::decode(input)?;
                Self::from_bits(bits).ok_or_else(|| $crate::codegen::undefined_bit(input))
            }
        }
    };
    (operator $name:ident, $operator:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl ::core::ops::$operator for $name {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(::core::ops::$operator::$method(self.0, other.0))
            }
        }

        impl ::core::ops::$assign for $name {
            fn $assign_method(&mut self, other: Self) {
                ::core::ops::$assign::$assign_method(&mut self.0, other.0);
            }
        }
    };
}

//! Which TypeCode a Rust type has.

use taut_cdr::{Char, EncodeNil, Fixed, LongDouble, WChar};

use crate::{TCKind, TypeCode};

/// A Rust type that stands for an IDL type.
///
/// A `String` is a `string`, a `Vec` a `sequence` without a bound. Where IDL
/// says more (a `wstring`, a bound), [`Any`](crate::Any) takes the TypeCode beside the value.
pub trait Typed {
    /// The IDL type's description. Implementations keep what is expensive to
    /// make.
    fn type_code() -> TypeCode;

    /// The description of this value's own type, where that may be another: a
    /// value type's values may be of derived types.
    fn type_code_of(&self) -> TypeCode {
        Self::type_code()
    }
}

macro_rules! primitives {
    ($($ty:ty: $kind:ident;)*) => {$(
        impl Typed for $ty {
            fn type_code() -> TypeCode {
                primitive(TCKind::$kind)
            }
        }
    )*};
}

primitives! {
    (): Void;
    bool: Boolean;
    u8: Octet;
    Char: Char;
    WChar: WChar;
    i16: Short;
    u16: UShort;
    i32: Long;
    u32: ULong;
    i64: LongLong;
    u64: ULongLong;
    f32: Float;
    f64: Double;
    LongDouble: LongDouble;
    TypeCode: TypeCode;
}

impl Typed for str {
    fn type_code() -> TypeCode {
        TypeCode::string(0)
    }
}

impl Typed for String {
    fn type_code() -> TypeCode {
        TypeCode::string(0)
    }
}

impl<const DIGITS: u8, const SCALE: u8> Typed for Fixed<DIGITS, SCALE> {
    fn type_code() -> TypeCode {
        TypeCode::create_fixed(DIGITS, SCALE).unwrap_or_else(|_| TypeCode::null())
    }
}

/// [`TypeCode::null`] where the element type cannot be one, or types nest too
/// deeply; no value can be exchanged as that.
impl<T: Typed> Typed for [T] {
    fn type_code() -> TypeCode {
        TypeCode::create_sequence(&T::type_code(), 0).unwrap_or_else(|_| TypeCode::null())
    }
}

impl<T: Typed> Typed for Vec<T> {
    fn type_code() -> TypeCode {
        <[T]>::type_code()
    }
}

/// As for sequences; an array without elements is no IDL type either.
impl<T: Typed, const N: usize> Typed for [T; N] {
    fn type_code() -> TypeCode {
        u32::try_from(N)
            .ok()
            .and_then(|length| TypeCode::create_array(&T::type_code(), length).ok())
            .unwrap_or_else(TypeCode::null)
    }
}

impl<T: Typed + ?Sized> Typed for &T {
    fn type_code() -> TypeCode {
        T::type_code()
    }

    fn type_code_of(&self) -> TypeCode {
        T::type_code_of(self)
    }
}

/// References and values that may be nil have the type of those that may not.
impl<T: Typed + EncodeNil> Typed for Option<T> {
    fn type_code() -> TypeCode {
        T::type_code()
    }

    fn type_code_of(&self) -> TypeCode {
        match self {
            Some(value) => value.type_code_of(),
            None => T::type_code(),
        }
    }
}

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap_or_else(|_| TypeCode::null())
}

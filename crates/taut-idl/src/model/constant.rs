//! The values that constant expressions have.

use arcstr::ArcStr;

use super::DefinitionId;

/// The value of a constant, already converted to the constant's type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ConstantValue {
    /// Of a `boolean`.
    Boolean(bool),
    /// Of a `char`: an ISO 8859-1 octet.
    Char(u8),
    /// Of any integer type or `octet`; within that type's range.
    Integer(i128),
    /// Of `float` or `double`; of a `float`, already rounded to one.
    Floating(f64),
    /// Of a `long double`: the bits of the IEEE 754 binary128 number that is
    /// nearest to the exact value, the sign bit being the highest. Never an
    /// infinity or a NaN.
    LongDouble(u128),
    /// Of a `string`.
    String(ArcStr),
    /// Of a `wchar`: a UTF-16 code unit, and so the code point if that is one
    /// of the Basic Multilingual Plane.
    WChar(u16),
    /// Of a `wstring`.
    WString(ArcStr),
    /// Of a `fixed`: the digits as an integer, and how many of them stand
    /// behind the point, which is the scale of the constant's type.
    Fixed(i128, u8),
    /// Of an enum: its definition and the ordinal of the enumerator.
    Enumerator(DefinitionId, u32),
}

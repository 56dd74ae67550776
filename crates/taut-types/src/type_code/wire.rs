//! The common rules of reading and writing TypeCodes (CORBA 3.3 part 2, 9.3.5.1).

use taut_cdr::{Decoder, Encoder, Result, WChar};

use crate::TCKind;

/// In place of a kind: the TypeCode stands elsewhere.
pub(super) const INDIRECTION: u32 = 0xffff_ffff;

/// The label that ORBs send for a union's default case, which means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DefaultLabel {
    /// A value of the discriminator's type, as the standard has it; so do
    /// omniORB and TAO.
    #[default]
    Discriminator,
    /// One octet, as JacORB does and expects.
    Octet,
}

/// Reads a discriminator, or a label, as a number.
pub(crate) fn read_label(kind: TCKind, input: &mut Decoder<'_>) -> Result<i64> {
    Ok(match kind {
        TCKind::Short => i64::from(input.read::<i16>()?),
        TCKind::UShort => i64::from(input.read::<u16>()?),
        TCKind::Long => i64::from(input.read::<i32>()?),
        TCKind::ULong | TCKind::Enum => i64::from(input.read::<u32>()?),
        TCKind::LongLong | TCKind::ULongLong => input.read::<i64>()?,
        TCKind::Boolean => i64::from(input.read_bool()?),
        TCKind::WChar => i64::from(input.read_wchar()?.0),
        _ => i64::from(input.read::<u8>()?),
    })
}

/// Appends a discriminator, or a label. That fails for a wide character only,
/// which GIOP 1.0 does not have.
pub(crate) fn write_label(kind: TCKind, label: i64, out: &mut Encoder) -> Result<()> {
    match kind {
        TCKind::Short | TCKind::UShort => out.write(label as u16),
        TCKind::Long | TCKind::ULong | TCKind::Enum => out.write(label as u32),
        TCKind::LongLong | TCKind::ULongLong => out.write(label),
        TCKind::WChar => out.write_wchar(WChar(label as u16))?,
        _ => out.write(label as u8),
    }
    Ok(())
}

//! Checks of the parts of which a TypeCode is created.

use std::collections::HashSet;

use super::TypeCode;
use super::create_error::CreateError;
use crate::TCKind;
use crate::node::Node;

/// A repository id has a format and a colon.
pub(super) fn check_id(id: &str) -> Result<(), CreateError> {
    match id.find(':') {
        Some(1..) if !id.contains('\0') => Ok(()),
        _ => Err(CreateError::InvalidId),
    }
}

/// A name may be empty; else it is an identifier.
pub(super) fn check_name(name: &str) -> Result<(), CreateError> {
    let identifier = |character: char| character.is_alphanumeric() || character == '_';
    if name.starts_with(|first: char| first.is_numeric()) || !name.chars().all(identifier) {
        return Err(CreateError::InvalidName);
    }
    Ok(())
}

/// Names that are not empty differ, and not only in case.
pub(super) fn unique<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), CreateError> {
    let mut seen = HashSet::new();
    for name in names {
        check_name(name)?;
        if !name.is_empty() && !seen.insert(name.to_lowercase()) {
            return Err(CreateError::DuplicateMember);
        }
    }
    Ok(())
}

pub(super) fn check_member(type_code: &TypeCode) -> Result<(), CreateError> {
    let is_recursive = matches!(type_code.node(), Node::Recursive(_));
    match type_code.without_aliases().kind() {
        TCKind::Null | TCKind::Void | TCKind::Exception if !is_recursive => {
            Err(CreateError::InvalidMemberType)
        }
        _ => Ok(()),
    }
}

pub(super) fn check_label(discriminator: &TypeCode, label: i128) -> Result<i64, CreateError> {
    let range = match discriminator.kind() {
        TCKind::Short => i128::from(i16::MIN)..=i128::from(i16::MAX),
        TCKind::UShort | TCKind::WChar => 0..=i128::from(u16::MAX),
        TCKind::Long => i128::from(i32::MIN)..=i128::from(i32::MAX),
        TCKind::ULong => 0..=i128::from(u32::MAX),
        TCKind::LongLong => i128::from(i64::MIN)..=i128::from(i64::MAX),
        TCKind::ULongLong => 0..=i128::from(u64::MAX),
        TCKind::Boolean => 0..=1,
        TCKind::Char | TCKind::Octet => 0..=i128::from(u8::MAX),
        TCKind::Enum => 0..=discriminator.member_count().unwrap_or(0) as i128 - 1,
        _ => return Err(CreateError::InvalidDiscriminator),
    };
    if !range.contains(&label) {
        return Err(CreateError::InvalidLabel);
    }
    // The upper half of unsigned long long is kept by its bits.
    Ok(label as i64)
}

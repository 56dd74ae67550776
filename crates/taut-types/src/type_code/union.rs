//! Unions: their discriminators, and their cases by label.

use super::create_error::CreateError;
use crate::TCKind;
use crate::node::{Case, Name, Node, NodeIndex, Union};

/// A union of checked cases.
pub(super) fn union(
    name: Name,
    discriminator: NodeIndex,
    discriminator_kind: TCKind,
    default_index: Option<u32>,
    cases: Vec<Case>,
) -> Result<Node, CreateError> {
    if !is_discriminator(discriminator_kind) {
        return Err(CreateError::InvalidDiscriminator);
    }
    let mut by_label: Vec<u32> = (0..cases.len() as u32)
        .filter(|index| Some(*index) != default_index)
        .collect();
    by_label.sort_unstable_by_key(|index| cases[*index as usize].label);
    let label = |place: &u32| cases[*place as usize].label;
    if by_label
        .windows(2)
        .any(|pair| label(&pair[0]) == label(&pair[1]))
    {
        return Err(CreateError::DuplicateLabel);
    }
    Ok(Node::Union(Box::new(Union {
        name,
        discriminator,
        discriminator_kind,
        default_index,
        cases: cases.into(),
        by_label: by_label.into(),
    })))
}

/// Whether a union may be switched by values of this kind. The standard's
/// TypeCodes know no `wchar` there; IDL 4 and other ORBs do.
pub(super) const fn is_discriminator(kind: TCKind) -> bool {
    matches!(
        kind,
        TCKind::Short
            | TCKind::UShort
            | TCKind::Long
            | TCKind::ULong
            | TCKind::LongLong
            | TCKind::ULongLong
            | TCKind::Boolean
            | TCKind::Char
            | TCKind::WChar
            | TCKind::Octet
            | TCKind::Enum
    )
}

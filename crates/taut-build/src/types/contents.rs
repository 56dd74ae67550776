//! The types that a type may contain.

use taut_idl::model::{DefinitionId, DefinitionKind, Model, Primitive, Type};

use crate::names::{is_object_reference, is_reference};

/// Whether there may be object references in the values of one of these types.
/// Those of value types derive from others that are not known here. An Any holds
/// what a message would, and no reference that belongs to an ORB.
pub(crate) fn may_hold_references<'t>(
    model: &Model,
    mut types: impl Iterator<Item = &'t Type>,
) -> bool {
    let mut seen = Vec::new();
    types.any(|ty| holds(model, ty, &mut seen))
}

/// The same for a type, but for definitions that were `seen` before.
fn holds(model: &Model, ty: &Type, seen: &mut Vec<DefinitionId>) -> bool {
    if is_reference(model, ty) {
        return true;
    }
    match model.resolve_alias(ty) {
        Type::Sequence { element, .. } | Type::Array { element, .. } => holds(model, element, seen),
        Type::Map { key, value, .. } => holds(model, key, seen) || holds(model, value, seen),
        Type::Named(id) if !seen.contains(id) => {
            seen.push(*id);
            match &model.get(*id).kind {
                DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                    members.iter().any(|member| holds(model, &member.ty, seen))
                }
                DefinitionKind::Union(union) => union
                    .branches
                    .iter()
                    .any(|branch| holds(model, &branch.member.ty, seen)),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether values of a type may hold characters, whose form the two sides agree on.
pub(crate) fn may_hold_characters(model: &Model, ty: &Type) -> bool {
    holds_characters(model, ty, &mut Vec::new())
}

/// The same, but for definitions that were `seen` before.
fn holds_characters(model: &Model, ty: &Type, seen: &mut Vec<DefinitionId>) -> bool {
    match model.resolve_alias(ty) {
        Type::Primitive(primitive) => {
            matches!(primitive, Primitive::Char | Primitive::WChar)
        }
        Type::Sequence { element, .. } | Type::Array { element, .. } => {
            holds_characters(model, element, seen)
        }
        Type::Map { key, value, .. } => {
            holds_characters(model, key, seen) || holds_characters(model, value, seen)
        }
        Type::Fixed { .. } | Type::Object => false,
        Type::Named(id) if seen.contains(id) => false,
        Type::Named(id) => {
            seen.push(*id);
            match &model.get(*id).kind {
                DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => members
                    .iter()
                    .any(|member| holds_characters(model, &member.ty, seen)),
                DefinitionKind::Union(union) => {
                    let mut branches = union.branches.iter();
                    holds_characters(model, &union.discriminator, seen)
                        || branches.any(|branch| holds_characters(model, &branch.member.ty, seen))
                }
                DefinitionKind::Enum(_)
                | DefinitionKind::Bitmask(_)
                | DefinitionKind::Bitset(_) => false,
                // Values, and what is not known here.
                _ => !is_object_reference(model, ty),
            }
        }
        // Strings, Anys, TypeCodes.
        _ => true,
    }
}

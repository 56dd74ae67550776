//! The types that a type may contain.

use taut_idl::model::{DefinitionId, DefinitionKind, Model, Type};

use crate::names::is_reference;

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

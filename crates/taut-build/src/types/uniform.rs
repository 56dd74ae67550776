//! Which structs have values that are all laid out alike.

use taut_idl::model::{DefinitionId, DefinitionKind, Member, Primitive, Type};

use crate::scope::Scope;

/// How many elementary members a struct may have, those of structs inside included and
/// an array counted as one of its elements, for its values to be moved in bulk. The code for
/// that grows with them, and what it saves for each does not.
const MEMBERS_MAX: u64 = 128;

/// Whether the values of a struct with such members are all laid out alike, so that they
/// can be moved in bulk.
pub(crate) fn is_uniform(scope: &Scope<'_>, members: &[Member]) -> bool {
    !members.is_empty() && of_members(scope, members).is_some_and(|count| count <= MEMBERS_MAX)
}

/// Whether any octets are a value of a struct with such members: there are no booleans,
/// no enums, and nothing whose size differs.
pub(crate) fn is_plain_data(scope: &Scope<'_>, members: &[Member]) -> bool {
    !members.is_empty()
        && members
            .iter()
            .all(|member| has_any_octets(scope, &member.ty))
}

/// Whether the type is a struct of which any octets are a value, and its values are moved
/// in bulk.
pub(crate) fn is_plain_struct(scope: &Scope<'_>, ty: &Type) -> bool {
    let is_named = matches!(scope.model.resolve_alias(ty), Type::Named(_));
    is_named && has_any_octets(scope, ty) && elementary(scope, ty).is_some()
}

fn has_any_octets(scope: &Scope<'_>, ty: &Type) -> bool {
    match scope.model.resolve_alias(ty) {
        Type::Primitive(Primitive::WChar | Primitive::Boolean) => false,
        Type::Primitive(_) => true,
        Type::Array { element, .. } => has_any_octets(scope, element),
        Type::Named(id) => match &scope.model.get(*id).kind {
            DefinitionKind::Struct(members) => is_plain_data(scope, members),
            _ => false,
        },
        _ => false,
    }
}

/// The elementary members of a struct's members, if all have one size.
fn of_members(scope: &Scope<'_>, members: &[Member]) -> Option<u64> {
    let mut counts = members.iter().map(|member| elementary(scope, &member.ty));
    counts.try_fold(0, |sum: u64, count| sum.checked_add(count?))
}

/// The elementary members that a value of the type brings along, if it has one size
/// and its type is known to say so.
fn elementary(scope: &Scope<'_>, ty: &Type) -> Option<u64> {
    match scope.model.resolve_alias(ty) {
        // How wide characters travel is known only when they do.
        Type::Primitive(Primitive::WChar) => None,
        Type::Primitive(_) => Some(1),
        Type::Array { element, .. } => elementary(scope, element),
        Type::Named(id) if is_by_code(scope, *id) => match &scope.model.get(*id).kind {
            DefinitionKind::Enum(_) => Some(1),
            DefinitionKind::Struct(members) if is_uniform(scope, members) => {
                of_members(scope, members)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type is generated here, to be marshaled by code.
fn is_by_code(scope: &Scope<'_>, id: DefinitionId) -> bool {
    let is_here = scope.names.of(id).module.external.is_none();
    is_here && !scope.names.strategies().has_table(id)
}

//! Definitions, each with what is defined inside.

use taut_idl::model::{Definition, DefinitionId, DefinitionKind};

use super::{
    bits, constant, data, enumeration, exception, inner, interface, typedef, union, value,
    value_box,
};
use crate::docs::doc;
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::print::Printed;
use crate::scope::Scope;

/// The items for definitions, in their order.
fn items(scope: &Scope<'_>, definitions: &[DefinitionId]) -> Result<Printed, Vec<GenerateError>> {
    let mut printed = Printed::default();
    let mut errors = Vec::new();
    let definitions = definitions
        .iter()
        .filter(|id| !scope.names.is_omitted(**id));
    for &id in definitions {
        match item(scope, id) {
            Ok(item) => printed.push(&item),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() {
        Ok(printed)
    } else {
        Err(errors)
    }
}

/// The items for a definition that is no module.
///
/// # Errors
///
/// When it has no mapping, or something inside it has none.
pub(super) fn item(scope: &Scope<'_>, id: DefinitionId) -> Result<Printed, Vec<GenerateError>> {
    let definition = scope.model.get(id);
    let items = match &definition.kind {
        DefinitionKind::Interface(interface) => {
            let inner = scope.inside(id);
            let members = items(&inner, &interface.members)?;
            return interface::interface(scope, id, definition, interface, &inner, members);
        }
        DefinitionKind::ValueType(value_type) => {
            let inner = scope.inside(id);
            let members = items(&inner, &value_type.members)?;
            let value = value::value_type(scope, id, definition, value_type, &inner, members);
            return Ok(value);
        }
        DefinitionKind::ValueBox(ty) => value_box::value_box(scope, id, definition, ty),
        DefinitionKind::InterfaceDeclaration => interface::declaration(scope, id, definition),
        DefinitionKind::Struct(members) => data::structure(scope, id, definition, members),
        DefinitionKind::Exception(members) => exception::exception(scope, id, definition, members),
        DefinitionKind::Union(union) => union::union(scope, id, definition, union),
        DefinitionKind::Enum(enumerators) => {
            enumeration::enumeration(scope, id, definition, enumerators)
        }
        DefinitionKind::Bitmask(bitmask) => bits::bitmask(scope, id, definition, bitmask),
        DefinitionKind::Bitset(bitset) => bits::bitset(scope, id, definition, bitset),
        DefinitionKind::Native => typedef::native(scope, id, definition),
        DefinitionKind::Typedef(typedef) => typedef::typedef(scope, id, definition, typedef),
        DefinitionKind::Constant(constant) => constant::constant(scope, id, definition, constant),
        _ => {
            let name = definition.scoped_name.join("::");
            let message = format!("`{name}` is of a kind that has no mapping to Rust yet");
            let error = GenerateError::new(GenerateErrorKind::NotSupported, message);
            return Err(vec![error.at(definition.span, "defined here")]);
        }
    };
    let mut printed = scope.print(items);
    printed.push(&nested(scope, id, definition)?);
    Ok(printed)
}

/// The module for the types that a definition's members define, if they do.
fn nested(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
) -> Result<Printed, Vec<GenerateError>> {
    let name = scope.names.of(id);
    if name.nested.is_empty() {
        return Ok(Printed::default());
    }
    let inner = scope.inside(id);
    let items = items(&inner, &name.nested)?;
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc(&format!(
        "The types that the members of `{scoped_name}` define."
    ));
    Ok(inner::module(scope, id, &doc, inner.imports(), &items))
}

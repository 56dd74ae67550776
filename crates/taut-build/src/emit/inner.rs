//! Modules of the generated file: for IDL modules, and for what is inside of
//! interfaces and other definitions.

use taut_idl::model::{Definition, DefinitionId};

use super::{ami, operation_error, reply};
use crate::code::{Code, quote};
use crate::docs::doc;
use crate::imports::Imports;
use crate::names::ident;
use crate::print::Printed;
use crate::scope::Scope;

/// The module for what is inside a definition, which itself stands in `scope`.
pub(super) fn module(
    scope: &Scope<'_>,
    id: DefinitionId,
    doc: &Code,
    imports: Imports,
    items: &Printed,
) -> Printed {
    let name = &scope.names.of(id).scope;
    let name = name.segments.last().map(|module| ident(module));
    let mut module = scope.print(quote!(#doc pub mod #name {}));
    let mut content = scope.print_inside(imports.items());
    content.push(items);
    module.fill(&content);
    module
}

/// The module for the definitions inside an interface or value type, and for the
/// types that its operations bring along; none if there is nothing to put in.
/// `members` are the items for the definitions inside, made in the scope `inner`.
pub(super) fn inner_module(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    inner: &Scope<'_>,
    members: Printed,
) -> Printed {
    let mut items = members;
    let methods = scope.names.methods(id).iter();
    for method in methods.chain(scope.names.factories(id)) {
        if let Some(error) = &method.error_type {
            items.push(&inner.print(operation_error::operation_error(inner, method, error)));
            let handlers = scope.names.reply_handlers();
            if handlers.operations(id, &method.wire_name).is_some() {
                items.push(&inner.print(ami::operation_error(inner, method, error)));
            }
        }
        if let Some(reply) = &method.reply_type {
            items.push(&inner.print(reply::reply_struct(inner, method, reply)));
        }
    }
    if items.is_empty() {
        return items;
    }
    let scoped_name = definition.scoped_name.join("::");
    let kind = match scope.model.interface(id) {
        Some(_) => "interface",
        None => "value type",
    };
    let doc = doc(&format!(
        "Definitions in the scope of the {kind} `{scoped_name}`."
    ));
    module(scope, id, &doc, inner.imports(), &items)
}

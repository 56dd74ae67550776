//! Modules, and the definitions in them.

use proc_macro2::TokenStream;
use quote::quote;
use taut_idl::model::{Definition, DefinitionId, DefinitionKind};

use super::{bits, constant, data, enumeration, exception, interface, typedef, union, value};
use crate::docs::{doc, doc_or};
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::names::ident;
use crate::scope::Scope;

/// The items for definitions, in their order.
pub(super) fn items(
    scope: &Scope<'_>,
    definitions: &[DefinitionId],
) -> Result<TokenStream, Vec<GenerateError>> {
    let mut tokens = TokenStream::new();
    let mut errors = Vec::new();
    let definitions = definitions
        .iter()
        .filter(|id| !scope.names.is_omitted(**id));
    for &id in definitions {
        match item(scope, id, scope.model.get(id)) {
            Ok(item) => tokens.extend(item),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() {
        Ok(tokens)
    } else {
        Err(errors)
    }
}

fn item(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
) -> Result<TokenStream, Vec<GenerateError>> {
    Ok(match &definition.kind {
        DefinitionKind::Module(members) => return module(scope, id, definition, members),
        DefinitionKind::Interface(interface) => {
            let inner = Scope::new(scope.model, scope.names, scope.names.of(id).scope.clone());
            let members = items(&inner, &interface.members)?;
            return interface::interface(scope, id, definition, interface, &inner, members);
        }
        DefinitionKind::ValueType(value_type) => {
            let inner = Scope::new(scope.model, scope.names, scope.names.of(id).scope.clone());
            let members = items(&inner, &value_type.members)?;
            value::value_type(scope, id, definition, value_type, &inner, members)
        }
        DefinitionKind::ValueBox(ty) => value::value_box(scope, id, definition, ty),
        DefinitionKind::InterfaceDeclaration => interface::declaration(scope, id, definition),
        DefinitionKind::Struct(members) => {
            let item = data::structure(scope, id, definition, members);
            let nested = nested(scope, id, definition)?;
            quote!(#item #nested)
        }
        DefinitionKind::Exception(members) => {
            let item = exception::exception(scope, id, definition, members);
            let nested = nested(scope, id, definition)?;
            quote!(#item #nested)
        }
        DefinitionKind::Union(union) => {
            let item = union::union(scope, id, definition, union);
            let nested = nested(scope, id, definition)?;
            quote!(#item #nested)
        }
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
    })
}

/// The module for the types that a definition's members define, if they do.
fn nested(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
) -> Result<TokenStream, Vec<GenerateError>> {
    let name = scope.names.of(id);
    if name.nested.is_empty() {
        return Ok(TokenStream::new());
    }
    let inner = Scope::new(scope.model, scope.names, name.scope.clone());
    let items = items(&inner, &name.nested)?;
    let imports = inner.imports();
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc(&format!("What the members of `{scoped_name}` define."));
    let module = name.scope.segments.last().map(|module| ident(module));
    Ok(quote! {
        #doc
        pub mod #module {
            #imports
            #items
        }
    })
}

fn module(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    members: &[DefinitionId],
) -> Result<TokenStream, Vec<GenerateError>> {
    let name = scope.names.of(id);
    if name.scope.external.is_some() {
        return Ok(TokenStream::new());
    }
    let inner = Scope::new(scope.model, scope.names, name.scope.clone());
    let items = items(&inner, members)?;
    let imports = inner.imports();
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc_or(
        &definition.docs,
        &format!("Definitions of the IDL module `{scoped_name}`."),
    );
    let ident = ident(&name.ident);
    Ok(quote! {
        #doc
        pub mod #ident {
            #imports
            #items
        }
    })
}

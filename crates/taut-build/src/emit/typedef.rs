//! Typedefs.

use taut_idl::model::{Definition, DefinitionId, Type, Typedef};

use super::type_code;
use crate::code::{Code, quote};
use crate::docs::doc_and;
use crate::names::{ident, is_reference};
use crate::scope::Scope;
use crate::support::is_local_type;
use crate::types;

pub(super) fn typedef(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    typedef: &Typedef,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let meaning = types::idl_name(scope.model, &typedef.ty);
    let fallback = format!("The IDL type `{scoped_name}`: `{meaning}`.");
    let bound = match &typedef.ty {
        Type::String { bound: Some(bound) } => Some(format!("At most {bound} characters.")),
        Type::WString { bound: Some(bound) } => Some(format!("At most {bound} UTF-16 units.")),
        Type::Sequence {
            bound: Some(bound), ..
        } => Some(format!("At most {bound} elements.")),
        Type::Map {
            bound: Some(bound), ..
        } => Some(format!("At most {bound} entries.")),
        _ => None,
    };
    let doc = doc_and(&definition.docs, &fallback, bound.as_deref());
    let name = ident(&scope.names.of(id).ident);
    let ty = if is_reference(scope.model, &typedef.ty) {
        types::reference(scope, &typedef.ty)
    } else {
        types::owned(scope, &typedef.ty)
    };
    let type_code = (!is_local_type(scope.model, &typedef.ty)).then(|| type_code::alias(scope, id));
    quote! {
        #doc
        pub type #name = #ty;
        #type_code
    }
}

/// A native type: the Rust type that the options name.
pub(super) fn native(scope: &Scope<'_>, id: DefinitionId, definition: &Definition) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc_and(
        &definition.docs,
        &format!("The native type `{scoped_name}`."),
        None,
    );
    let name = ident(&scope.names.of(id).ident);
    let path = Code::parse(scope.names.native(id));
    quote! {
        #doc
        pub type #name = #path;
    }
}

//! Typedefs.

use proc_macro2::TokenStream;
use quote::quote;
use taut_idl::model::{Definition, DefinitionId, Type, Typedef};

use super::type_code;
use crate::docs::doc_and;
use crate::names::{ident, is_reference};
use crate::scope::Scope;
use crate::types;

pub(super) fn typedef(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    typedef: &Typedef,
) -> TokenStream {
    let scoped_name = definition.scoped_name.join("::");
    let meaning = types::idl_name(scope.model, &typedef.ty);
    let fallback = format!("The IDL type `{scoped_name}`: `{meaning}`.");
    let bound = match &typedef.ty {
        Type::String { bound: Some(bound) } => Some(format!("At most {bound} characters.")),
        Type::WString { bound: Some(bound) } => Some(format!("At most {bound} UTF-16 units.")),
        Type::Sequence {
            bound: Some(bound), ..
        } => Some(format!("At most {bound} elements.")),
        _ => None,
    };
    let doc = doc_and(&definition.docs, &fallback, bound.as_deref());
    let name = ident(&scope.names.of(id).ident);
    let ty = if is_reference(scope.model, &typedef.ty) {
        types::reference(scope, &typedef.ty)
    } else {
        types::owned(scope, &typedef.ty)
    };
    let type_code = type_code::alias(scope, id);
    quote! {
        #doc
        pub type #name = #ty;
        #type_code
    }
}

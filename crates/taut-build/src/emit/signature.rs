//! The heads of methods: what traits, references and skeletons agree upon.

use taut_idl::model::{DefinitionId, ParameterMode};

use super::{lints, operation_error, reply};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::method::Method;
use crate::names::ident;
use crate::scope::Scope;
use crate::types;

/// The parameters of a method with their types.
pub(super) fn signature(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> Code {
    let returned = reply::returned(scope, interface, method);
    signature_as(scope, interface, method, &method.name, &returned)
}

/// The same for a method of another name that returns something else.
pub(super) fn signature_as(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    name: &str,
    returned: &Code,
) -> Code {
    let name = ident(name);
    let arguments = method.arguments().map(|parameter| {
        let name = ident(&parameter.name);
        let ty = match parameter.mode {
            ParameterMode::InOut => {
                let ty = types::owned(scope, &parameter.ty);
                quote!(&mut #ty)
            }
            _ => types::in_argument(scope, &parameter.ty),
        };
        quote!(#name: #ty)
    });
    let context = method.context_parameter().map(|name| {
        let (name, ty) = (ident(&name), scope.runtime("Context"));
        quote!(#name: &#ty)
    });
    let arguments = arguments.chain(context);
    let result = match &method.error_type {
        Some(error) => {
            let (result, error) = (scope.prelude("Result"), scope.belonging(interface, error));
            quote!(#result<#returned, #error>)
        }
        None => {
            let result = scope.runtime("Result");
            quote!(#result<#returned>)
        }
    };
    quote!(fn #name(&self #(, #arguments)*) -> #result)
}

/// The methods of a trait, with their docs.
pub(super) fn trait_methods(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let methods = scope.names.methods(id).iter();
    methods
        .map(|method| declaration(scope, method, &signature(scope, id, method)))
        .collect()
}

/// A method of a trait, with its docs.
pub(super) fn declaration(scope: &Scope<'_>, method: &Method, head: &Code) -> Code {
    let doc = doc_or(&method.docs, &method.fallback_doc);
    let error_size = operation_error::error_size(scope, method);
    let allow = lints::method(scope.model, method, error_size);
    quote!(#doc #allow #head;)
}

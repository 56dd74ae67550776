//! The types of operations, for interceptors that look at arguments.

use taut_idl::model::{DefinitionId, DefinitionKind, ParameterMode, Type};

use super::operation_list::OperationList;
use crate::code::{Code, quote};
use crate::method::Method;
use crate::names::{ident, reference_type};
use crate::scope::Scope;
use crate::types::{self, Site};

/// `Signatures` for the references to an interface, if they are asked for.
pub(super) fn signatures(
    scope: &Scope<'_>,
    id: DefinitionId,
    operations: &OperationList<'_>,
) -> Option<Code> {
    if !scope.names.has_signatures() {
        return None;
    }
    let name = ident(&reference_type(&scope.names.of(id).ident));
    let (signatures, signature) = (
        scope.runtime("Signatures"),
        scope.runtime("OperationSignature"),
    );
    let described = operations.methods.iter();
    let described = described.map(|(_, method)| described_method(scope, method));
    let (vec, of, ok) = (
        quote!(::std::vec::Vec),
        scope.runtime("signatures"),
        scope.prelude("Ok"),
    );
    Some(quote! {
        impl #signatures for #name {
            fn signatures() -> #vec<#signature> {
                #of(|| #ok(::std::vec![#(#described),*]))
            }
        }
    })
}

/// The expression of an operation's types.
fn described_method(scope: &Scope<'_>, method: &Method) -> Code {
    let type_code = |ty: &Type| types::type_code(scope, Site::Elsewhere, ty);
    let signature = scope.runtime("OperationSignature");
    let name = method.wire_name.as_str();
    let new = match &method.result {
        Some(ty) => {
            let result = type_code(ty);
            quote!(#signature::new(#name, #result))
        }
        None => quote!(#signature::void(#name)),
    };
    let parameters = method.parameters.iter().map(|parameter| {
        let ty = type_code(&parameter.ty);
        match parameter.mode {
            ParameterMode::In => quote!(.with_in(#ty)),
            ParameterMode::Out => quote!(.with_out(#ty)),
            ParameterMode::InOut => quote!(.with_inout(#ty)),
        }
    });
    let is_exception =
        |id: &&DefinitionId| matches!(scope.model.get(**id).kind, DefinitionKind::Exception(_));
    let exceptions = method.raises.iter().filter(is_exception).map(|&id| {
        let ty = type_code(&Type::Named(id));
        quote!(.raising(#ty))
    });
    let contexts = method.context.iter().map(String::as_str);
    quote! {
        #new #(#parameters)* #(#exceptions)* #(.with_context(#contexts))*
    }
}

//! Abstract interfaces: objects or values.

use taut_idl::model::{Definition, DefinitionId};

use super::type_code;
use super::value_state::known;
use crate::code::{Code, quote};
use crate::docs::doc;
use crate::keywords::unraw;
use crate::names::{abstract_type, ident, reference_type};
use crate::scope::Scope;
use crate::types::Site;

/// The type of arguments for an abstract interface, and the part that its references
/// implement.
pub(super) fn abstract_interface(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
) -> Code {
    let name = &scope.names.of(id).ident;
    let doc = doc(&format!(
        "An object or a value that is passed for a [`{}`].",
        unraw(name)
    ));
    let (reference, passed) = (ident(&reference_type(name)), ident(&abstract_type(name)));
    let (passed_type, interface) = (
        scope.runtime("Abstract"),
        scope.runtime("AbstractInterface"),
    );
    let (descriptor, type_code) = (scope.runtime("ValueDescriptor"), scope.runtime("TypeCode"));
    let repository_id = definition.repository_id.to_string();
    let known = known(scope, id);
    let body = type_code::body(scope, Site::Elsewhere, id);
    quote! {
        #doc
        pub type #passed = #passed_type<#reference>;
        impl #interface for #reference {
            const REPOSITORY_ID: &'static str = #repository_id;
            const KNOWN: &'static [&'static #descriptor] = &[#(#known),*];
            fn type_code() -> #type_code {
                #body
            }
        }
    }
}

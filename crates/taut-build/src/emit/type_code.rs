//! The implementations that give types their TypeCodes.

use taut_idl::model::DefinitionId;

use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::names::{alias_type_code, ident, reference_type};
use crate::scope::Scope;
use crate::types::{self, Site};

/// `Typed` for the type that a struct, union, enum or exception becomes.
pub(super) fn typed(scope: &Scope<'_>, id: DefinitionId) -> Code {
    implementation(scope, id, &ident(&scope.names.of(id).ident))
}

/// `Typed` for the references to an interface.
pub(super) fn typed_reference(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let reference = reference_type(&scope.names.of(id).ident);
    implementation(scope, id, &ident(&reference))
}

/// The function that returns a typedef's TypeCode: a Rust alias is no type of
/// its own, and so cannot be `Typed`.
pub(super) fn alias(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let name = &scope.names.of(id).ident;
    let function = ident(&alias_type_code(name));
    let type_code = scope.runtime("TypeCode");
    let body = body(scope, Site::Elsewhere, id);
    let doc = doc(&format!(
        "The TypeCode of the IDL type `{}`: an alias.",
        scope.model.get(id).scoped_name.join("::")
    ));
    quote! {
        #doc
        pub fn #function() -> #type_code {
            #body
        }
    }
}

fn implementation(scope: &Scope<'_>, id: DefinitionId, name: &Ident) -> Code {
    let (typed, type_code) = (scope.runtime("Typed"), scope.runtime("TypeCode"));
    let body = body(scope, Site::Implementation, id);
    quote! {
        impl #typed for #name {
            fn type_code() -> #type_code {
                #body
            }
        }
    }
}

/// The statements that tell the TypeCode of a definition.
pub(super) fn body(scope: &Scope<'_>, site: Site, id: DefinitionId) -> Code {
    let type_code = scope.runtime("StaticTypeCode");
    let creation = types::type_code_creation(scope, site, id);
    quote! {
        static TYPE_CODE: #type_code = #type_code::new(|| { #creation });
        TYPE_CODE.get()
    }
}

//! User exceptions.

use taut_idl::model::{Definition, DefinitionId, Member};

use super::{data, type_code};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;

pub(super) fn exception(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    members: &[Member],
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let repository_id = definition.repository_id.to_string();
    let fallback = format!("The IDL exception `{scoped_name}` (`{repository_id}`).");
    let doc = doc_or(&definition.docs, &fallback);
    let item = data::item(scope, id, members, false);
    let encoding = data::encoding(scope, id, members);
    let name = ident(&scope.names.of(id).ident);
    let user_exception = scope.runtime("UserException");
    let id_constant = if scope.has_user_exception() {
        quote!(Self::REPOSITORY_ID)
    } else {
        quote!(<Self as #user_exception>::REPOSITORY_ID)
    };
    let shown = if members.is_empty() {
        quote!(f.write_str(#id_constant))
    } else {
        quote!(write!(f, "{}: {self:?}", #id_constant))
    };
    let typed = type_code::typed(scope, id);
    quote! {
        #doc
        #item
        impl #user_exception for #name {
            const REPOSITORY_ID: &'static str = #repository_id;
        }
        #encoding
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                #shown
            }
        }
        impl ::std::error::Error for #name {}
        #typed
    }
}

//! Enums.

use taut_idl::model::{Definition, DefinitionId, Enumerator};

use super::{lints, table, type_code, uniform};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;

pub(super) fn enumeration(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    enumerators: &[Enumerator],
) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let scoped_name = definition.scoped_name.join("::");
    let fallback = format!(
        "The IDL enum `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    let doc = doc_or(&definition.docs, &fallback);
    let allow = lints::variant_names(&names.ident, &names.members);
    let variants = enumerators.iter().zip(&names.members).enumerate();
    let variants = variants.map(|(ordinal, (enumerator, name))| {
        let fallback = format!("The enumerator `{}`.", enumerator.name);
        let doc = doc_or(&enumerator.docs, &fallback);
        let default = (ordinal == 0).then(|| quote!(#[default]));
        let name = ident(name);
        quote!(#doc #default #name)
    });
    let encoding = if scope.names.strategies().has_table(id) {
        table::enumeration(scope, id)
    } else {
        uniform::enumeration(scope, id)
    };
    let typed = type_code::typed(scope, id);
    quote! {
        #doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(u32)]
        #allow
        pub enum #name {
            #(#variants),*
        }
        #encoding
        #typed
    }
}

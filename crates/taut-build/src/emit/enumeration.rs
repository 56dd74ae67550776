//! Enums.

use proc_macro2::Literal;
use taut_idl::model::{Definition, DefinitionId, Enumerator};

use super::codec::{decode_impl, encode_impl};
use super::{lints, table, type_code};
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
        encoding(scope, &quote!(#name), &names.members)
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

fn encoding(scope: &Scope<'_>, name: &Code, variants: &[String]) -> Code {
    let ok = scope.prelude("Ok");
    let count = Literal::usize_unsuffixed(variants.len());
    let read = quote!(input.read_ordinal(#count)?);
    let variants: Vec<_> = variants.iter().map(|name| ident(name)).collect();
    let body = match variants.split_last() {
        Some((last, [])) => quote! {
            #read;
            #ok(Self::#last)
        },
        Some((last, others)) => {
            let ordinals = (0..others.len()).map(Literal::usize_unsuffixed);
            quote! {
                #ok(match #read {
                    #(#ordinals => Self::#others,)*
                    _ => Self::#last,
                })
            }
        }
        // The front end lets no enum pass without enumerators.
        None => Code::new(),
    };
    let encode = encode_impl(scope, name, &quote!((*self as u32).encode(out)));
    let decode = decode_impl(scope, name, &quote!(4), &body);
    quote!(#encode #decode)
}

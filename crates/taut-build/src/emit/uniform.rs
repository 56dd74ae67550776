//! Types that are marshaled by code, and in bulk where there are several.

use proc_macro2::Literal;
use taut_idl::model::{DefinitionId, Member};

use crate::code::{Code, quote};
use crate::names::ident;
use crate::scope::Scope;
use crate::types;

/// `Encode` and `Decode` of a struct whose values are all laid out alike.
pub(super) fn structure(scope: &Scope<'_>, id: DefinitionId, members: &[Member]) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let uniform = scope.runtime("uniform_structure");
    let fields = members.iter().zip(&names.members).map(|(member, name)| {
        let name = ident(name);
        let ty = types::owned(scope, &member.ty);
        quote!(#name: #ty)
    });
    let plain = types::is_plain_data(scope, members).then(|| ident("plain"));
    quote!(#uniform! { #plain #name { #(#fields),* } })
}

/// `Encode` and `Decode` of an enum.
pub(super) fn enumeration(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let uniform = scope.runtime("uniform_enumeration");
    let last = names.members.len().saturating_sub(1);
    let variants = names.members.iter().enumerate().map(|(ordinal, variant)| {
        let variant = ident(variant);
        if ordinal == last {
            return quote!(_ => #variant);
        }
        let ordinal = Literal::usize_unsuffixed(ordinal);
        quote!(#ordinal => #variant)
    });
    quote!(#uniform! { #name { #(#variants),* } })
}

//! Types that are marshaled by table.

use taut_idl::model::{DefinitionId, Member};

use crate::code::{Code, quote};
use crate::names::ident;
use crate::scope::Scope;
use crate::types;

/// The table of a struct or exception, and `Encode` and `Decode` by it.
pub(super) fn structure(scope: &Scope<'_>, id: DefinitionId, members: &[Member]) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let table = scope.runtime("table_structure");
    let members = members.iter().zip(&names.members).map(|(member, name)| {
        let name = ident(name);
        let ty = types::owned(scope, &member.ty);
        let form = types::table_form(scope, &member.ty).map(|form| quote!(as #form));
        quote!(#name: #ty #form)
    });
    quote!(#table! { #name { #(#members),* } })
}

/// The table of an enum, and `Encode` and `Decode` by it.
pub(super) fn enumeration(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let table = scope.runtime("table_enumeration");
    let variants = names.members.iter().map(|variant| ident(variant));
    quote!(#table! { #name { #(#variants),* } })
}

//! Structs, and what they share with exceptions: members, and how they travel.

use proc_macro2::Literal;
use taut_idl::model::{Definition, DefinitionId, Member, Type};

use super::codec::{decode_impl, encode_impl};
use super::{table, type_code, uniform};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;
use crate::types::{self, Operand, Site, Traits};

pub(super) fn structure(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    members: &[Member],
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let fallback = format!(
        "The IDL struct `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    let doc = doc_or(&definition.docs, &fallback);
    let item = item(scope, id, members, true);
    let by_table = scope.names.strategies().has_table(id);
    let encoding = if !by_table && types::is_uniform(scope, members) {
        uniform::structure(scope, id, members)
    } else {
        encoding(scope, id, members)
    };
    let typed = type_code::typed(scope, id);
    quote!(#doc #item #encoding #typed)
}

/// The struct with its derived traits. Exceptions are never `Copy`: they are
/// errors, and grow.
pub(super) fn item(
    scope: &Scope<'_>,
    id: DefinitionId,
    members: &[Member],
    may_copy: bool,
) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let traits = types::traits(scope.model, members.iter().map(|member| &member.ty));
    let derives = derives(Traits {
        copy: traits.copy && may_copy,
        ..traits
    });
    if members.is_empty() {
        return quote! {
            #derives
            pub struct #name;
        };
    }
    let fields = members
        .iter()
        .zip(&names.members)
        .map(|(member, name)| field(scope, member, name, &quote!(pub)));
    // In memory as on the wire, where that can be, for its values to be copied as they are.
    let layout = (may_copy && types::is_plain_data(scope, members)).then(|| quote!(#[repr(C)]));
    quote! {
        #derives
        #layout
        pub struct #name {
            #(#fields),*
        }
    }
}

/// A member as a field of a struct.
pub(super) fn field(scope: &Scope<'_>, member: &Member, name: &str, visibility: &Code) -> Code {
    let doc = doc_or(&member.docs, &format!("The member `{}`.", member.name));
    let name = ident(name);
    let ty = types::owned(scope, &member.ty);
    quote!(#doc #visibility #name: #ty)
}

/// The derive attribute for a struct with these traits.
pub(super) fn derives(traits: Traits) -> Code {
    let copy = traits.copy.then(|| quote!(, Copy));
    let eq = traits.eq.then(|| quote!(, Eq, Hash));
    let default = traits.default.then(|| quote!(, Default));
    quote!(#[derive(Debug, Clone #copy, PartialEq #eq #default)])
}

/// `Encode` and `Decode`, member by member, by code or by table.
pub(super) fn encoding(scope: &Scope<'_>, id: DefinitionId, members: &[Member]) -> Code {
    if scope.names.strategies().has_table(id) {
        return table::structure(scope, id, members);
    }
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let ok = scope.prelude("Ok");
    if members.is_empty() {
        let (encode, encoder) = (scope.runtime("Encode"), scope.runtime("Encoder"));
        let (decode, decoder) = (scope.runtime("Decode"), scope.runtime("Decoder"));
        let result = scope.runtime("CdrResult");
        return quote! {
            impl #encode for #name {
                fn encode(&self, _out: &mut #encoder) -> #result<()> {
                    #ok(())
                }
            }
            impl<'m> #decode<'m> for #name {
                const MIN_SIZE: usize = 0;
                fn decode(_input: &mut #decoder<'m>) -> #result<Self> {
                    #ok(Self)
                }
            }
        };
    }
    let fields: Vec<_> = names.members.iter().map(|name| ident(name)).collect();
    let written = members.iter().zip(&fields).map(|(member, field)| {
        let member_value = Operand::place(quote!(self.#field));
        types::encode(
            scope,
            Site::Implementation,
            &member.ty,
            &member_value,
            &quote!(out),
        )
    });
    let written = in_sequence(written.collect());
    let read = members
        .iter()
        .map(|member| types::decode_fn(scope, Site::Implementation, &member.ty));
    let min_size = min_size(scope, members.iter().map(|member| &member.ty));
    let read = quote!(#ok(Self { #(#fields: #read(input)?),* }));
    let encode = encode_impl(scope, &name, &written);
    let decode = decode_impl(scope, &name, &min_size, &read);
    quote!(#encode #decode)
}

/// Expressions of results, one after the other, the first error ending it.
pub(super) fn in_sequence(mut steps: Vec<Code>) -> Code {
    let last = steps.pop();
    quote!(#(#steps?;)* #last)
}

pub(super) fn min_size<'t>(scope: &Scope<'_>, types: impl Iterator<Item = &'t Type>) -> Literal {
    let sum = types.fold(0, |sum: u64, ty| {
        sum.saturating_add(types::min_size(scope.model, ty))
    });
    // A size is compared with the octets of a message, which are fewer than
    // 2^32; so the constant fits in a `usize` of any target.
    Literal::u32_unsuffixed(u32::try_from(sum).unwrap_or(u32::MAX))
}

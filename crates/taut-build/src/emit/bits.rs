//! Bit masks and bit sets.

use proc_macro2::Literal;
use taut_idl::model::{Bitmask, Bitset, Definition, DefinitionId, Primitive, Type};

use super::codec::{decode_impl, encode_impl};
use super::data::derives;
use super::type_code;
use crate::bits::{self, Field};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;
use crate::types;

/// A bit mask: a number, and a constant for each flag.
pub(super) fn bitmask(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    bitmask: &Bitmask,
) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let doc = definition_doc("bitmask", definition);
    let width = u32::from(bitmask.bits);
    let holder = types::owned(scope, &Type::Primitive(Primitive::of_bits(width)));
    let flags = bitmask.flags.iter().zip(&names.members);
    let flags = flags.map(|(flag, name)| {
        let doc = doc_or(&flag.docs, &format!("The flag `{}`.", flag.name));
        let name = ident(name);
        let position = Literal::u8_unsuffixed(flag.position);
        quote!(#doc pub const #name: Self = Self(1 << #position);)
    });
    let width = Literal::u32_unsuffixed(width);
    let bitmask_macro = scope.runtime("bitmask");
    let typed = type_code::typed(scope, id);
    quote! {
        #doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct #name(#holder);
        impl #name {
            #(#flags)*
        }
        #bitmask_macro! { #name: #holder, width: #width }
        #typed
    }
}

/// A bit set: a struct whose members share a number on the wire.
pub(super) fn bitset(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    bitset: &Bitset,
) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let doc = definition_doc("bitset", definition);
    let fields = bits::fields(scope.model, bitset);
    let members = fields.iter().zip(&names.members);
    let members = members.map(|(field, name)| {
        let width = field.bitfield.width;
        let fallback = match width {
            1 => format!("The field `{}`, one bit.", field.name),
            _ => format!("The field `{}`, {width} bits.", field.name),
        };
        let doc = doc_or(&field.bitfield.docs, &fallback);
        let name = ident(name);
        let ty = types::owned(scope, &field.ty);
        quote!(#doc pub #name: #ty)
    });
    let types = fields.iter().map(|field| &field.ty);
    let derives = derives(types::traits(scope.model, types));
    let encoding = bitset_encoding(scope, id, &fields, scope.model.bitset_width(bitset));
    let typed = type_code::typed(scope, id);
    quote! {
        #doc
        #derives
        pub struct #name {
            #(#members),*
        }
        #encoding
        #typed
    }
}

fn bitset_encoding(scope: &Scope<'_>, id: DefinitionId, fields: &[Field<'_>], width: u32) -> Code {
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let ok = scope.prelude("Ok");
    let bits = scope.runtime("bits");
    let holder = Primitive::of_bits(width);
    let holder_type = types::owned(scope, &Type::Primitive(holder));
    let min_size = Literal::u64_unsuffixed(types::min_size(scope.model, &Type::Primitive(holder)));
    let members: Vec<_> = names.members.iter().map(|name| ident(name)).collect();
    let places: Vec<_> = fields
        .iter()
        .map(|field| {
            let offset = Literal::u32_unsuffixed(field.offset);
            let width = Literal::u8_unsuffixed(field.bitfield.width);
            quote!(#offset, #width)
        })
        .collect();
    let is_widest = holder == Primitive::ULongLong;
    let write = if fields.is_empty() {
        quote!(#holder_type::default().encode(out))
    } else {
        let value = match is_widest {
            true => quote!(bits),
            false => quote!((bits as #holder_type)),
        };
        quote! {
            let bits = #(#bits::pack(self.#members, #places, out)?)|*;
            #value.encode(out)
        }
    };
    let read = if fields.is_empty() {
        quote!(#holder_type::decode(input)?;)
    } else if is_widest {
        quote!(let bits = u64::decode(input)?;)
    } else {
        quote!(let bits = u64::from(#holder_type::decode(input)?);)
    };
    let read = quote! {
        #read
        #ok(Self { #(#members: #bits::unpack(bits, #places)),* })
    };
    let encode = encode_impl(scope, &name, &write);
    let decode = decode_impl(scope, &name, &min_size, &read);
    quote!(#encode #decode)
}

fn definition_doc(kind: &str, definition: &Definition) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let fallback = format!(
        "The IDL {kind} `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    doc_or(&definition.docs, &fallback)
}

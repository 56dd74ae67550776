//! The state of value types, and the code that marshals it.

use taut_idl::model::{DefinitionId, ValueKind, ValueType};

use super::data::in_sequence;
use crate::code::{Code, quote};
use crate::names::{BASE_FIELD, ident};
use crate::scope::Scope;
use crate::types::{self, Operand, Site};
use crate::values::{Ancestors, sent_ids};

/// How the state of a type is reached, written and read.
pub(super) struct State {
    pub(super) custom: bool,
    pub(super) base: Option<Code>,
    pub(super) encode: Code,
    pub(super) decode: Code,
}

pub(super) fn state_of(scope: &Scope<'_>, id: DefinitionId, value: &ValueType) -> State {
    let base = value.base.map(|base| scope.definition(base));
    if value.kind == ValueKind::Custom {
        let marshal = scope.runtime("CustomMarshal");
        let (output, input) = (
            scope.runtime("DataOutputStream"),
            scope.runtime("DataInputStream"),
        );
        return State {
            custom: true,
            base,
            encode: quote!(#marshal::marshal(self, &mut #output::new(out))),
            decode: quote!(#marshal::unmarshal(&mut #input::new(input))),
        };
    }
    let ok = scope.prelude("Ok");
    let concrete = scope.runtime("ConcreteValue");
    let base_field = ident(BASE_FIELD);
    let names = &scope.names.of(id).members;
    let (mut written, mut read) = (Vec::new(), Vec::new());
    if base.is_some() {
        written.push(quote!(#concrete::encode_state(&self.#base_field, out)));
        read.push(quote!(#base_field: #concrete::decode_state(input)?));
    }
    for (one, name) in value.state.iter().zip(names) {
        let (ty, field) = (&one.member.ty, ident(name));
        let place = Operand::place(quote!(self.#field));
        written.push(types::encode(
            scope,
            Site::Elsewhere,
            ty,
            &place,
            &quote!(out),
        ));
        let decode = types::decode_fn(scope, Site::Elsewhere, ty);
        read.push(quote!(#field: #decode(input)?));
    }
    if read.is_empty() {
        return State {
            custom: false,
            base,
            encode: quote!({ let _ = out; #ok(()) }),
            decode: quote!({ let _ = input; #ok(Self) }),
        };
    }
    State {
        custom: false,
        base,
        encode: in_sequence(written),
        decode: quote!(#ok(Self { #(#read),* })),
    }
}

/// Emits the implementation of `ConcreteValue` for a type with state.
pub(super) fn concrete(scope: &Scope<'_>, id: DefinitionId, state: &State) -> Code {
    let model = scope.model;
    let name = ident(&scope.names.of(id).ident);
    let concrete = scope.runtime("ConcreteValue");
    let (encoder, decoder) = (scope.runtime("Encoder"), scope.runtime("Decoder"));
    let result = scope.runtime("CdrResult");
    let option = scope.prelude("Option");
    let ancestors = Ancestors::of(model, id);
    let bases = ancestors.values.iter().chain(&ancestors.interfaces);
    let bases = bases.map(|base| model.get(*base).repository_id.to_string());
    let sent = sent_ids(model, id);
    let custom = state.custom.then(|| {
        quote!(
            const CUSTOM: bool = true;
        )
    });
    let (base_type, base) = match &state.base {
        Some(base) => {
            let (some, field) = (scope.prelude("Some"), ident(BASE_FIELD));
            (base.clone(), quote!(#some(&self.#field)))
        }
        None => (scope.runtime("NoBase"), scope.prelude("None")),
    };
    let State { encode, decode, .. } = state;
    quote! {
        impl #concrete for #name {
            const BASES: &'static [&'static str] = &[#(#bases),*];
            const SENT: &'static [&'static str] = &[#(#sent),*];
            #custom
            type Base = #base_type;
            fn base(&self) -> #option<&#base_type> {
                #base
            }
            fn encode_state(&self, out: &mut #encoder) -> #result<()> {
                #encode
            }
            fn decode_state(input: &mut #decoder<'_>) -> #result<Self> {
                #decode
            }
        }
    }
}

pub(super) fn value_type_impl(scope: &Scope<'_>, id: DefinitionId, has_state: bool) -> Code {
    let name = ident(&scope.names.of(id).ident);
    let (value_type, descriptor) = (scope.runtime("ValueType"), scope.runtime("ValueDescriptor"));
    let (object, derives_from) = (scope.runtime("ValueObject"), scope.runtime("DerivesFrom"));
    let repository_id = scope.model.get(id).repository_id.to_string();
    let known = known(scope, id);
    let fits = has_state.then(|| {
        quote! {
            fn fits(object: &dyn #object) -> bool {
                object.has_part(::std::any::TypeId::of::<Self>())
            }
        }
    });
    let bases = Ancestors::of(scope.model, id).values;
    let bases = bases.iter().map(|base| scope.definition(*base));
    quote! {
        impl #value_type for #name {
            const REPOSITORY_ID: &'static str = #repository_id;
            const KNOWN: &'static [&'static #descriptor] = &[#(#known),*];
            #fits
        }
        #(impl #derives_from<#bases> for #name {})*
    }
}

/// The descriptors of the types with state that a value or abstract interface
/// may turn out to be.
pub(super) fn known(scope: &Scope<'_>, id: DefinitionId) -> Vec<Code> {
    let concrete = scope.runtime("ConcreteValue");
    let known = scope.names.known_values(id).iter();
    known
        .map(|known| {
            let ty = scope.definition(*known);
            quote!(<#ty as #concrete>::DESCRIPTOR)
        })
        .collect()
}

//! Value types: the struct with the state, what it says of itself, and the traits
//! of its operations and initialisers.

use taut_idl::model::{Definition, DefinitionId, Type, ValueKind, ValueType, Visibility};

use super::data::{derives, field, in_sequence};
use super::inner::inner_module;
use super::signature::trait_methods;
use super::{lints, operation_error, type_code};
use crate::code::{Code, Ident, quote};
use crate::docs::{doc, doc_or};
use crate::keywords::unraw;
use crate::method::Method;
use crate::names::{
    BASE_FIELD, abstract_type, factory_trait, ident, operations_trait, reference_type,
};
use crate::print::Printed;
use crate::scope::Scope;
use crate::types::{self, Operand, Site, Traits};
use crate::values::{Ancestors, has_operations, sent_ids};

/// Everything of a value type; `members` are the items for the definitions
/// inside it, made in the scope `inner`.
pub(super) fn value_type(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    value: &ValueType,
    inner: &Scope<'_>,
    members: Printed,
) -> Printed {
    let item = match value.kind {
        ValueKind::Abstract => abstract_item(scope, id, definition),
        _ => {
            let item = state_item(scope, id, definition, value);
            let concrete = concrete(scope, id, &state_of(scope, id, value));
            quote!(#item #concrete)
        }
    };
    let value_type = value_type_impl(scope, id, value.kind != ValueKind::Abstract);
    let typed = type_code::typed(scope, id);
    let operations = operations(scope, id, definition, value);
    let factory = factory(scope, id, definition);
    let mut printed = scope.print(quote!(#item #value_type #typed #operations #factory));
    printed.push(&inner_module(scope, id, definition, inner, members));
    printed
}

/// A value box: a struct around what it boxes.
pub(super) fn value_box(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    ty: &Type,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc_or(
        &definition.docs,
        &format!(
            "The IDL value box `{scoped_name}` (`{}`): `{}`.",
            definition.repository_id,
            types::idl_name(scope.model, ty)
        ),
    );
    let name = ident(&scope.names.of(id).ident);
    let derives = derives(Traits {
        copy: false,
        ..types::traits(scope.model, std::iter::once(ty))
    });
    let boxed = types::owned(scope, ty);
    let decode = types::decode_fn(scope, Site::Elsewhere, ty);
    let ok = scope.prelude("Ok");
    let state = State {
        custom: false,
        base: None,
        encode: types::encode(
            scope,
            Site::Elsewhere,
            ty,
            &Operand::place(quote!(self.0)),
            &quote!(out),
        ),
        decode: quote!(#ok(Self(#decode(input)?))),
    };
    let concrete = concrete(scope, id, &state);
    let value_type = value_type_impl(scope, id, true);
    let typed = type_code::typed(scope, id);
    quote! {
        #doc
        #derives
        pub struct #name(pub #boxed);
        #concrete
        #value_type
        #typed
    }
}

/// What is passed for an abstract interface, and what its references say of it.
pub(super) fn abstract_interface(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
) -> Code {
    let name = &scope.names.of(id).ident;
    let doc = doc(&format!(
        "What is passed for a [`{}`]: an object or a value.",
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

/// How the state of a type is reached, written and read.
struct State {
    custom: bool,
    base: Option<Code>,
    encode: Code,
    decode: Code,
}

fn state_of(scope: &Scope<'_>, id: DefinitionId, value: &ValueType) -> State {
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

/// The struct with the state; the base's is its first field.
fn state_item(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    value: &ValueType,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let custom = match value.kind {
        ValueKind::Custom => "custom ",
        _ => "",
    };
    let fallback = format!(
        "The state of the IDL {custom}value type `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    let doc = doc_or(&definition.docs, &fallback);
    let names = scope.names.of(id);
    let name = ident(&names.ident);
    let all = scope.model.all_state(id);
    let derives = derives(Traits {
        copy: false,
        ..types::traits(scope.model, all.iter().map(|one| &one.member.ty))
    });
    let base = value.base.map(|base| {
        let ty = scope.definition(base);
        let field = ident(BASE_FIELD);
        let doc = crate::docs::doc("The state that is the base's.");
        quote!(#doc pub #field: #ty)
    });
    let members = value.state.iter().zip(&names.members).map(|(one, name)| {
        let visibility = match one.visibility {
            Visibility::Public => quote!(pub),
            Visibility::Private => quote!(pub(crate)),
        };
        field(scope, &one.member, name, &visibility)
    });
    let fields: Vec<_> = base.into_iter().chain(members).collect();
    let item = match fields.as_slice() {
        [] => quote!(pub struct #name;),
        fields => quote!(pub struct #name { #(#fields),* }),
    };
    let deref = value.base.map(|base| deref(&name, &scope.definition(base)));
    quote!(#doc #derives #item #deref)
}

/// Gives a derived type the fields of its base.
fn deref(name: &Ident, base: &Code) -> Code {
    let field = ident(BASE_FIELD);
    quote! {
        impl ::std::ops::Deref for #name {
            type Target = #base;
            fn deref(&self) -> &#base {
                &self.#field
            }
        }
        impl ::std::ops::DerefMut for #name {
            fn deref_mut(&mut self) -> &mut #base {
                &mut self.#field
            }
        }
    }
}

/// The name of an abstract value type, of which there are no values.
fn abstract_item(scope: &Scope<'_>, id: DefinitionId, definition: &Definition) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let fallback = format!(
        "The IDL abstract value type `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    let doc = doc_or(&definition.docs, &fallback);
    let name = ident(&scope.names.of(id).ident);
    quote! {
        #doc
        #[derive(Debug)]
        pub enum #name {}
    }
}

/// What values of a type with state say of it.
fn concrete(scope: &Scope<'_>, id: DefinitionId, state: &State) -> Code {
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

fn value_type_impl(scope: &Scope<'_>, id: DefinitionId, has_state: bool) -> Code {
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
fn known(scope: &Scope<'_>, id: DefinitionId) -> Vec<Code> {
    let concrete = scope.runtime("ConcreteValue");
    let known = scope.names.known_values(id).iter();
    known
        .map(|known| {
            let ty = scope.definition(*known);
            quote!(<#ty as #concrete>::DESCRIPTOR)
        })
        .collect()
}

/// The trait with the operations and attributes.
fn operations(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    value: &ValueType,
) -> Option<Code> {
    if !has_operations(scope.model, id) {
        return None;
    }
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc(&format!(
        "The operations and attributes of the value type `{scoped_name}`."
    ));
    let name = ident(&operations_trait(&scope.names.of(id).ident));
    let allow = lints::interface(scope.names.methods(id));
    let bases = value.base.iter().chain(&value.abstract_bases);
    let bases = bases
        .filter(|base| has_operations(scope.model, **base))
        .map(|base| scope.operations(*base));
    let supported = value.supports.iter();
    let supported = supported.map(|interface| scope.definition(*interface));
    let supertraits: Vec<_> = bases.chain(supported).collect();
    let colon = (!supertraits.is_empty()).then(|| quote!(:));
    let methods = trait_methods(scope, id);
    Some(quote! {
        #doc
        #allow
        pub trait #name #colon #(#supertraits)+* {
            #methods
        }
    })
}

/// The trait with the initialisers.
fn factory(scope: &Scope<'_>, id: DefinitionId, definition: &Definition) -> Option<Code> {
    let factories = scope.names.factories(id);
    if factories.is_empty() {
        return None;
    }
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc(&format!(
        "The initialisers of the value type `{scoped_name}`."
    ));
    let name = ident(&factory_trait(&scope.names.of(id).ident));
    let sized = scope.prelude("Sized");
    let methods = factories.iter().map(|method| {
        let doc = doc_or(&method.docs, &method.fallback_doc);
        let allow = lints::method(
            scope.model,
            method,
            operation_error::error_size(scope, method),
        );
        let signature = initialiser(scope, id, method);
        quote!(#doc #allow #signature;)
    });
    Some(quote! {
        #doc
        pub trait #name: #sized {
            #(#methods)*
        }
    })
}

fn initialiser(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
    let name = ident(&method.name);
    let arguments = method.arguments().map(|parameter| {
        let name = ident(&parameter.name);
        let ty = types::in_argument(scope, &parameter.ty);
        quote!(#name: #ty)
    });
    let result = match &method.error_type {
        Some(error) => {
            let (result, error) = (scope.prelude("Result"), scope.belonging(id, error));
            quote!(#result<Self, #error>)
        }
        None => {
            let result = scope.runtime("Result");
            quote!(#result<Self>)
        }
    };
    quote!(fn #name(#(#arguments),*) -> #result)
}

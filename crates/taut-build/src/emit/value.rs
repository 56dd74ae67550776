//! Value types: the struct with the state, what it says of itself, and the traits
//! of its operations and initialisers.

use taut_idl::model::{Definition, DefinitionId, ValueKind, ValueType, Visibility};

use super::data::{derives, field};
use super::inner::inner_module;
use super::signature::{declaration, trait_methods};
use super::value_state::{concrete, state_of, value_type_impl};
use super::{lints, type_code};
use crate::code::{Code, Ident, quote};
use crate::docs::{doc, doc_or};
use crate::method::Method;
use crate::names::{BASE_FIELD, factory_trait, ident, operations_trait};
use crate::print::Printed;
use crate::scope::Scope;
use crate::types::{self, Traits};
use crate::values::has_operations;

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
    let methods = factories
        .iter()
        .map(|method| declaration(scope, method, &initialiser(scope, id, method)));
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

//! Value boxes.

use taut_idl::model::{Definition, DefinitionId, Type};

use super::data::derives;
use super::type_code;
use super::value_state::{State, concrete, value_type_impl};
use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;
use crate::types::{self, Operand, Site, Traits};

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

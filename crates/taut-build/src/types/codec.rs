//! How values of a type are encoded and decoded: the expressions.

use proc_macro2::Literal;
use taut_idl::model::{DefinitionId, DefinitionKind, Model, Type};

use super::rust_type::{owned, owned_path};
use crate::code::{Code, quote};
use crate::names::is_reference;
use crate::scope::Scope;

/// A value to encode.
pub(crate) struct Operand {
    /// The expression of the value, or of a reference to it.
    pub(crate) expression: Code,
    /// Whether the expression is a reference.
    pub(crate) is_reference: bool,
}

impl Operand {
    /// An expression of the value itself.
    pub(crate) fn place(expression: Code) -> Self {
        Self {
            expression,
            is_reference: false,
        }
    }

    /// An expression of a reference to the value.
    pub(crate) fn reference(expression: Code) -> Self {
        Self {
            expression,
            is_reference: true,
        }
    }

    fn borrowed(&self) -> Code {
        let expression = &self.expression;
        if self.is_reference {
            quote!(#expression)
        } else {
            quote!(&#expression)
        }
    }
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site {
    /// In the implementation of the trait itself (`Encode`, `Decode`, `Typed`),
    /// where it is in scope without an import.
    Implementation,
    /// Anywhere else.
    Elsewhere,
}

/// The expression that encodes a value into the encoder `out`.
pub(crate) fn encode(
    scope: &Scope<'_>,
    site: Site,
    ty: &Type,
    value: &Operand,
    out: &Code,
) -> Code {
    let borrowed = value.borrowed();
    match form(scope, ty) {
        None if site == Site::Implementation || scope.has_encode() => {
            let value = &value.expression;
            quote!(#value.encode(#out))
        }
        None => {
            let encode = scope.runtime("Encode");
            quote!(#encode::encode(#borrowed, #out))
        }
        Some(form) if scope.has_encode_as() => {
            let form = form.path();
            quote!(#form::encode(#borrowed, #out))
        }
        Some(form) => {
            let (form, codec) = (form.ty(), scope.runtime("codec"));
            quote!(<#form as #codec::EncodeAs<_>>::encode(#borrowed, #out))
        }
    }
}

/// The path of the function that decodes a value.
pub(crate) fn decode_fn(scope: &Scope<'_>, site: Site, ty: &Type) -> Code {
    match form(scope, ty) {
        None if site == Site::Implementation || scope.has_decode() => {
            let ty = owned_path(scope, ty);
            quote!(#ty::decode)
        }
        None => {
            let (ty, decode) = (owned(scope, ty), scope.runtime("Decode"));
            quote!(<#ty as #decode<'_>>::decode)
        }
        Some(form) if scope.has_decode_as() => {
            let form = form.path();
            quote!(#form::decode)
        }
        Some(form) => {
            let (ty, form, codec) = (owned(scope, ty), form.ty(), scope.runtime("codec"));
            quote!(<#form as #codec::DecodeAs<'_, #ty>>::decode)
        }
    }
}

/// Whether the wire form follows from the Rust type alone.
pub(crate) fn is_plain(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::String { bound } => bound.is_none(),
        Type::WString { .. } | Type::Map { .. } => false,
        Type::Sequence { element, bound } => bound.is_none() && is_plain(model, element),
        Type::Array { element, .. } => is_plain(model, element),
        _ => true,
    }
}

/// A type of the run-time's `codec` module: its path and its parameters.
struct Form {
    path: Code,
    parameters: Option<Code>,
}

impl Form {
    fn ty(&self) -> Code {
        let Self { path, parameters } = self;
        let parameters = parameters.as_ref().map(|parameters| quote!(<#parameters>));
        quote!(#path #parameters)
    }

    fn path(&self) -> Code {
        let Self { path, parameters } = self;
        let parameters = parameters
            .as_ref()
            .map(|parameters| quote!(::<#parameters>));
        quote!(#path #parameters)
    }
}

/// The wire form of a type that is not [plain](is_plain).
fn form(scope: &Scope<'_>, ty: &Type) -> Option<Form> {
    if is_plain(scope.model, ty) {
        return None;
    }
    let codec = scope.runtime("codec");
    match scope.model.resolve_alias(ty) {
        Type::String { bound } => {
            let bound = bound_literal(&codec, *bound);
            Some(Form {
                path: quote!(#codec::BoundedString),
                parameters: Some(bound),
            })
        }
        Type::WString { bound: None } => Some(Form {
            path: scope.runtime("WideString"),
            parameters: None,
        }),
        Type::WString { bound } => {
            let bound = bound_literal(&codec, *bound);
            Some(Form {
                path: quote!(#codec::WideString),
                parameters: Some(bound),
            })
        }
        Type::Sequence { element, bound } => {
            let element = element_form(scope, &codec, element);
            let bound = bound_literal(&codec, *bound);
            Some(Form {
                path: quote!(#codec::Sequence),
                parameters: Some(quote!(#element, #bound)),
            })
        }
        Type::Map { key, value, bound } => {
            let key = element_form(scope, &codec, key);
            let value = element_form(scope, &codec, value);
            let bound = bound_literal(&codec, *bound);
            Some(Form {
                path: quote!(#codec::Map),
                parameters: Some(quote!(#key, #value, #bound)),
            })
        }
        Type::Array { element, .. } => {
            let element = element_form(scope, &codec, element);
            Some(Form {
                path: quote!(#codec::Array),
                parameters: Some(element),
            })
        }
        _ => None,
    }
}

/// The wire form by which a type has a table; none for the form that is the
/// type's own.
pub(crate) fn table_form(scope: &Scope<'_>, ty: &Type) -> Option<Code> {
    match scope.model.resolve_alias(ty) {
        Type::Sequence { element, bound } => {
            let element = table_form(scope, element);
            if element.is_none() && bound.is_none() {
                return None;
            }
            let codec = scope.runtime("codec");
            let element = element.unwrap_or_else(|| quote!(#codec::Plain));
            let bound = bound_literal(&codec, *bound);
            Some(quote!(#codec::Sequence<#element, #bound>))
        }
        Type::Array { element, .. } => {
            let element = table_form(scope, element)?;
            let codec = scope.runtime("codec");
            Some(quote!(#codec::Array<#element>))
        }
        Type::Named(id) if !has_table(scope, *id) => {
            let table = scope.runtime("table");
            Some(quote!(#table::Opaque))
        }
        resolved @ Type::Map { .. } => {
            let table = scope.runtime("table");
            let form = form(scope, resolved)?.ty();
            Some(quote!(#table::Opaque<#form>))
        }
        resolved => form(scope, resolved).map(|form| form.ty()),
    }
}

/// The wire form by which a map, whose keys have no order, has a table when it
/// is passed as a slice; none for what is no map.
pub(crate) fn map_slice_form(scope: &Scope<'_>, ty: &Type) -> Option<Code> {
    let (table, form) = (scope.runtime("table"), form(scope, ty)?.ty());
    Some(quote!(#table::OpaqueSlice<#form>))
}

/// Whether a named type, without aliases, has a table of its own. A type whose values may
/// be nil always has one: references to objects, values.
fn has_table(scope: &Scope<'_>, id: DefinitionId) -> bool {
    match scope.model.get(id).kind {
        DefinitionKind::Struct(_) | DefinitionKind::Exception(_) | DefinitionKind::Enum(_) => {
            let is_here = scope.names.of(id).module.external.is_none();
            is_here && scope.names.strategies().has_table(id)
        }
        _ => is_reference(scope.model, &Type::Named(id)),
    }
}

fn element_form(scope: &Scope<'_>, codec: &Code, element: &Type) -> Code {
    match form(scope, element) {
        Some(form) => form.ty(),
        None => quote!(#codec::Plain),
    }
}

fn bound_literal(codec: &Code, bound: Option<u32>) -> Code {
    match bound {
        Some(bound) => {
            let bound = Literal::u32_unsuffixed(bound);
            quote!(#bound)
        }
        None => quote!({ #codec::UNBOUNDED }),
    }
}

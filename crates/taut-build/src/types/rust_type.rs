//! The Rust type of an IDL type, as a value and as an argument.

use proc_macro2::Literal;
use taut_idl::model::{DefinitionKind, Model, Primitive, Type};

use crate::code::{Code, quote};
use crate::names::is_reference;
use crate::scope::Scope;
use crate::types::uniform::is_plain_struct;
use crate::values::{is_abstract_interface, is_value_definition};

/// The type of a value: of members, results, elements.
pub(crate) fn owned(scope: &Scope<'_>, ty: &Type) -> Code {
    match ty {
        Type::Sequence { element, .. } => {
            let vec = scope.prelude("Vec");
            let element = owned(scope, element);
            quote!(#vec<#element>)
        }
        Type::Map { key, value, .. } => {
            let (k, v) = (owned(scope, key), owned(scope, value));
            if is_ordered(scope.model, key) {
                return quote!(::std::collections::BTreeMap<#k, #v>);
            }
            let vec = scope.prelude("Vec");
            quote!(#vec<(#k, #v)>)
        }
        _ if is_reference(scope.model, ty) => {
            let option = scope.prelude("Option");
            let reference = reference(scope, ty);
            quote!(#option<#reference>)
        }
        _ => named(scope, ty),
    }
}

/// Whether a map is a `BTreeMap`, as its keys have an order; else it is pairs.
pub(crate) fn is_ordered(model: &Model, key: &Type) -> bool {
    match model.resolve_alias(key) {
        Type::Primitive(primitive) => !matches!(
            primitive,
            Primitive::Float | Primitive::Double | Primitive::LongDouble
        ),
        Type::String { .. } | Type::WString { .. } | Type::Fixed { .. } => true,
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_)
        ),
        _ => false,
    }
}

/// The type of a value as the start of a path: `Vec::<i32>`, `<[i32; 3]>`.
pub(crate) fn owned_path(scope: &Scope<'_>, ty: &Type) -> Code {
    match ty {
        Type::Sequence { element, .. } => {
            let vec = scope.prelude("Vec");
            let element = owned(scope, element);
            quote!(#vec::<#element>)
        }
        Type::Array { .. } => {
            let array = named(scope, ty);
            quote!(<#array>)
        }
        Type::Fixed { digits, scale } => {
            let fixed = scope.runtime("Fixed");
            let (digits, scale) = fixed_parameters(*digits, *scale);
            quote!(#fixed::<#digits, #scale>)
        }
        _ if is_reference(scope.model, ty) => {
            let option = scope.prelude("Option");
            let reference = reference(scope, ty);
            quote!(#option::<#reference>)
        }
        _ => named(scope, ty),
    }
}

/// The type of an `in` argument: scalars by value, the rest borrowed.
pub(crate) fn in_argument(scope: &Scope<'_>, ty: &Type) -> Code {
    if is_reference(scope.model, ty) {
        let option = scope.prelude("Option");
        let reference = reference(scope, ty);
        return quote!(#option<&#reference>);
    }
    match scope.model.resolve_alias(ty) {
        Type::String { .. } | Type::WString { .. } => quote!(&str),
        Type::Sequence { element, .. } => {
            let element = owned(scope, element);
            quote!(&[#element])
        }
        Type::Map { key, value, .. } if !is_ordered(scope.model, key) => {
            let (key, value) = (owned(scope, key), owned(scope, value));
            quote!(&[(#key, #value)])
        }
        resolved if is_scalar(scope.model, resolved) => owned(scope, ty),
        _ => {
            let ty = owned(scope, ty);
            quote!(&#ty)
        }
    }
}

/// The type of an object reference that is not nil, or of a value.
pub(crate) fn reference(scope: &Scope<'_>, ty: &Type) -> Code {
    match ty {
        Type::Named(id) => match scope.model.get(*id).kind {
            DefinitionKind::Typedef(_) => scope.definition(*id),
            _ if is_value_definition(scope.model, *id) => {
                let (value, ty) = (scope.runtime("Value"), scope.definition(*id));
                quote!(#value<#ty>)
            }
            _ if is_abstract_interface(scope.model, *id) => scope.abstract_type(*id),
            _ => scope.reference(*id),
        },
        Type::ValueBase => {
            let (value, base) = (scope.runtime("Value"), scope.runtime("ValueBase"));
            quote!(#value<#base>)
        }
        _ => scope.runtime("ObjectRef"),
    }
}

/// Whether an `in` argument is a reference in Rust. References to objects are
/// `Option`s of one, and so are not.
pub(crate) fn is_borrowed(model: &Model, ty: &Type) -> bool {
    !is_reference(model, ty) && !is_scalar(model, model.resolve_alias(ty))
}

/// Whether a type, without aliases, is passed by value.
pub(crate) fn is_scalar(model: &Model, resolved: &Type) -> bool {
    match resolved {
        Type::Primitive(_) | Type::Fixed { .. } => true,
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_)
        ),
        _ => false,
    }
}

/// The elements of a sequence without bound that can be borrowed from a
/// message: primitives whose memory is their wire form.
pub(crate) fn primitive_elements(scope: &Scope<'_>, ty: &Type) -> Option<Code> {
    match scope.model.resolve_alias(ty) {
        Type::Sequence {
            element,
            bound: None,
        } => match scope.model.resolve_alias(element) {
            // The wire form of a `wchar` depends on the version of GIOP.
            Type::Primitive(Primitive::Boolean | Primitive::WChar) => None,
            Type::Primitive(primitive) => Some(primitive_type(scope, *primitive)),
            _ => None,
        },
        _ => None,
    }
}

/// The elements of a sequence without bound that can be received where they stay:
/// primitives, and structs of which any octets are a value.
pub(crate) fn plain_elements(scope: &Scope<'_>, ty: &Type) -> Option<Code> {
    primitive_elements(scope, ty).or_else(|| match scope.model.resolve_alias(ty) {
        Type::Sequence {
            element,
            bound: None,
        } => is_plain_struct(scope, element).then(|| owned(scope, element)),
        _ => None,
    })
}

/// The type as IDL writes it.
pub(crate) fn idl_name(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Primitive(primitive) => primitive.idl_name().to_owned(),
        Type::String { bound: None } => "string".to_owned(),
        Type::String { bound: Some(bound) } => format!("string<{bound}>"),
        Type::WString { bound: None } => "wstring".to_owned(),
        Type::WString { bound: Some(bound) } => format!("wstring<{bound}>"),
        Type::Fixed { digits, scale } => format!("fixed<{digits}, {scale}>"),
        Type::Sequence { element, bound } => {
            let element = idl_name(model, element);
            match bound {
                None => format!("sequence<{element}>"),
                Some(bound) => format!("sequence<{element}, {bound}>"),
            }
        }
        Type::Array { element, length } => match &**element {
            // The first dimension is the outermost one.
            Type::Array { .. } => {
                let inner = idl_name(model, element);
                match inner.split_once('[') {
                    Some((base, dimensions)) => format!("{base}[{length}][{dimensions}"),
                    None => format!("{inner}[{length}]"),
                }
            }
            element => format!("{}[{length}]", idl_name(model, element)),
        },
        Type::Map { key, value, bound } => {
            let (key, value) = (idl_name(model, key), idl_name(model, value));
            match bound {
                None => format!("map<{key}, {value}>"),
                Some(bound) => format!("map<{key}, {value}, {bound}>"),
            }
        }
        Type::Object => "Object".to_owned(),
        Type::ValueBase => "ValueBase".to_owned(),
        Type::Any => "any".to_owned(),
        Type::TypeCode => "CORBA::TypeCode".to_owned(),
        Type::Named(id) => model.get(*id).scoped_name.join("::"),
        _ => "type".to_owned(),
    }
}

fn named(scope: &Scope<'_>, ty: &Type) -> Code {
    match ty {
        Type::Primitive(primitive) => primitive_type(scope, *primitive),
        Type::Array { element, length } => {
            let element = owned(scope, element);
            let length = Literal::u32_unsuffixed(*length);
            quote!([#element; #length])
        }
        Type::Named(id) => scope.definition(*id),
        Type::Any => scope.runtime("Any"),
        Type::TypeCode => scope.runtime("TypeCode"),
        Type::Fixed { digits, scale } => {
            let fixed = scope.runtime("Fixed");
            let (digits, scale) = fixed_parameters(*digits, *scale);
            quote!(#fixed<#digits, #scale>)
        }
        // Strings; sequences and references are handled by the callers.
        _ => scope.prelude("String"),
    }
}

fn fixed_parameters(digits: u8, scale: u8) -> (Literal, Literal) {
    (
        Literal::u8_unsuffixed(digits),
        Literal::u8_unsuffixed(scale),
    )
}

fn primitive_type(scope: &Scope<'_>, primitive: Primitive) -> Code {
    match primitive {
        Primitive::Boolean => quote!(bool),
        Primitive::Char => scope.runtime("Char"),
        Primitive::WChar => scope.runtime("WChar"),
        Primitive::Int8 => quote!(i8),
        Primitive::Short => quote!(i16),
        Primitive::UShort => quote!(u16),
        Primitive::Long => quote!(i32),
        Primitive::ULong => quote!(u32),
        Primitive::LongLong => quote!(i64),
        Primitive::ULongLong => quote!(u64),
        Primitive::Float => quote!(f32),
        Primitive::Double => quote!(f64),
        Primitive::LongDouble => scope.runtime("LongDouble"),
        // `octet`, `uint8`
        _ => quote!(u8),
    }
}

//! Constants.

use std::f64::consts;

use proc_macro2::Literal;
use taut_idl::model::{
    Constant, ConstantValue, Definition, DefinitionId, DefinitionKind, Primitive, Type,
};

use crate::code::{Code, quote};
use crate::docs::doc_or;
use crate::names::ident;
use crate::scope::Scope;
use crate::types::owned;

pub(super) fn constant(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    constant: &Constant,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let doc = doc_or(
        &definition.docs,
        &format!("The IDL constant `{scoped_name}`."),
    );
    let name = ident(&scope.names.of(id).ident);
    let resolved = scope.model.resolve_alias(&constant.ty);
    let ty = match resolved {
        Type::String { .. } | Type::WString { .. } => quote!(&str),
        _ => owned(scope, &constant.ty),
    };
    let value = value(scope, resolved, &constant.value);
    let allow = match constant.value {
        ConstantValue::Floating(value) if resembles_known(value) => {
            Some(quote!(#[allow(clippy::approx_constant)]))
        }
        _ => None,
    };
    quote! {
        #doc
        #allow
        pub const #name: #ty = #value;
    }
}

fn value(scope: &Scope<'_>, resolved: &Type, value: &ConstantValue) -> Code {
    match value {
        ConstantValue::Boolean(value) => quote!(#value),
        ConstantValue::Char(octet) => character(scope, *octet),
        ConstantValue::WChar(unit) => wide_character(scope, *unit),
        ConstantValue::Integer(value) => {
            let magnitude = Literal::u128_unsuffixed(value.unsigned_abs());
            negated(*value < 0, quote!(#magnitude))
        }
        ConstantValue::Floating(value) => floating(resolved, *value),
        ConstantValue::LongDouble(bits) => {
            let ty = scope.runtime("LongDouble");
            let bits = hexadecimal(*bits, 32);
            quote!(#ty::from_bits(#bits))
        }
        ConstantValue::Fixed(unscaled, _) => {
            let fixed = scope.runtime("fixed");
            let magnitude = Literal::u128_unsuffixed(unscaled.unsigned_abs());
            let unscaled = negated(*unscaled < 0, quote!(#magnitude));
            quote!(#fixed(#unscaled))
        }
        ConstantValue::String(text) | ConstantValue::WString(text) => {
            let text = text.as_str();
            quote!(#text)
        }
        ConstantValue::Enumerator(id, ordinal) => {
            let enumeration = scope.definition(*id);
            let variant = scope.names.of(*id).members.get(*ordinal as usize);
            // The front end has checked that the enumerator exists.
            debug_assert!(matches!(scope.model.get(*id).kind, DefinitionKind::Enum(_)));
            let variant = variant.map(|variant| ident(variant));
            quote!(#enumeration::#variant)
        }
        // A value of a kind that came after this code.
        _ => quote!(::std::compile_error!(
            "a constant that taut-build does not know"
        )),
    }
}

/// A `char`, as an expression or a pattern.
pub(super) fn character(scope: &Scope<'_>, octet: u8) -> Code {
    let char = scope.runtime("Char");
    let octet = if octet.is_ascii_graphic() || octet == b' ' {
        Literal::byte_character(octet)
    } else {
        Literal::u8_unsuffixed(octet)
    };
    quote!(#char(#octet))
}

/// A `wchar`, as an expression or a pattern.
pub(super) fn wide_character(scope: &Scope<'_>, unit: u16) -> Code {
    let char = scope.runtime("WChar");
    let unit = hexadecimal(unit.into(), 4);
    quote!(#char(#unit))
}

/// In groups of four digits.
fn hexadecimal(value: u128, digits: usize) -> Code {
    let digits = format!("{value:0digits$x}");
    let groups: Vec<_> = (0..digits.len())
        .step_by(4)
        .filter_map(|at| digits.get(at..at + 4))
        .collect();
    Code::parse(&format!("0x{}", groups.join("_")))
}

fn floating(resolved: &Type, value: f64) -> Code {
    let single = matches!(resolved, Type::Primitive(Primitive::Float));
    if !value.is_finite() {
        let (ty, name) = (
            if single { quote!(f32) } else { quote!(f64) },
            if value.is_nan() {
                quote!(NAN)
            } else {
                quote!(INFINITY)
            },
        );
        return negated(value < 0.0, quote!(#ty::#name));
    }
    let magnitude = if single {
        Literal::f32_unsuffixed(value.abs() as f32)
    } else {
        Literal::f64_unsuffixed(value.abs())
    };
    negated(value.is_sign_negative(), quote!(#magnitude))
}

pub(super) fn negated(negative: bool, magnitude: Code) -> Code {
    if negative {
        quote!(-#magnitude)
    } else {
        magnitude
    }
}

/// Whether clippy would take a value for a misspelt mathematical constant. The
/// value is the IDL's, right or wrong.
fn resembles_known(value: f64) -> bool {
    const KNOWN: &[f64] = &[
        consts::E,
        consts::FRAC_1_PI,
        consts::FRAC_1_SQRT_2,
        consts::FRAC_2_PI,
        consts::FRAC_2_SQRT_PI,
        consts::FRAC_PI_2,
        consts::FRAC_PI_3,
        consts::FRAC_PI_4,
        consts::FRAC_PI_6,
        consts::FRAC_PI_8,
        consts::LN_2,
        consts::LN_10,
        consts::LOG2_10,
        consts::LOG2_E,
        consts::LOG10_2,
        consts::LOG10_E,
        consts::PI,
        consts::SQRT_2,
        consts::TAU,
        // The golden ratio and Euler's constant.
        1.618_033_988_749_895,
        0.577_215_664_901_532_9,
    ];
    KNOWN
        .iter()
        .any(|known| ((value - known) / known).abs() < 0.01)
}

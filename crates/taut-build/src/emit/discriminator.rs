//! The values of discriminators, as expressions, as patterns, and for people.

use proc_macro2::Literal;
use taut_idl::model::DefinitionKind;

use super::constant::{character, negated, wide_character};
use crate::code::{Code, quote};
use crate::names::ident;
use crate::scope::Scope;
use crate::selection::Discriminator;

/// How many integers in a row are written as a range.
const RANGE_MIN: usize = 3;

/// The expression of a value, which is a pattern too.
pub(super) fn value(scope: &Scope<'_>, discriminator: Discriminator, value: i128) -> Code {
    match discriminator {
        Discriminator::Boolean => {
            let value = value != 0;
            quote!(#value)
        }
        // The front end has checked that labels are within their types.
        Discriminator::Char => character(scope, value as u8),
        Discriminator::WChar => wide_character(scope, value as u16),
        Discriminator::Integer(_) => {
            let magnitude = Literal::u128_unsuffixed(value.unsigned_abs());
            negated(value < 0, quote!(#magnitude))
        }
        Discriminator::Enum(id) => {
            let enumeration = scope.definition(id);
            let variant = scope.names.of(id).members.get(value as usize);
            let variant = variant.map(|variant| ident(variant));
            quote!(#enumeration::#variant)
        }
    }
}

/// The pattern for any of some values.
pub(super) fn patterns(scope: &Scope<'_>, discriminator: Discriminator, values: &[i128]) -> Code {
    let one = |of: i128| value(scope, discriminator, of);
    let Discriminator::Integer(_) = discriminator else {
        let values = values.iter().map(|value| one(*value));
        return quote!(#(#values)|*);
    };
    let mut values = values.to_vec();
    values.sort_unstable();
    let runs = values
        .chunk_by(|a, b| a + 1 == *b)
        .flat_map(|run| match run {
            [first, .., last] if run.len() >= RANGE_MIN => {
                let (first, last) = (one(*first), one(*last));
                vec![quote!(#first..=#last)]
            }
            run => run.iter().map(|value| one(*value)).collect(),
        });
    quote!(#(#runs)|*)
}

/// A value as IDL writes it, as code in Markdown.
pub(super) fn described(scope: &Scope<'_>, discriminator: Discriminator, value: i128) -> String {
    match discriminator {
        Discriminator::Boolean if value == 0 => "`FALSE`".to_owned(),
        Discriminator::Boolean => "`TRUE`".to_owned(),
        Discriminator::Char | Discriminator::WChar => {
            let graphic = u8::try_from(value).ok().filter(u8::is_ascii_graphic);
            match graphic.filter(|code| !b"'`\\".contains(code)) {
                Some(code) => format!("`'{}'`", char::from(code)),
                None => format!("character {value}"),
            }
        }
        Discriminator::Integer(_) => format!("`{value}`"),
        Discriminator::Enum(id) => match &scope.model.get(id).kind {
            DefinitionKind::Enum(enumerators) => enumerators
                .get(value as usize)
                .map_or_else(String::new, |enumerator| format!("`{}`", enumerator.name)),
            _ => String::new(),
        },
    }
}

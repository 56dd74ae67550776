//! The facts about a type: which traits it can derive, how large it is.

use taut_idl::model::{DefinitionId, DefinitionKind, Model, Primitive, Type};

use crate::bits;
use crate::values::{is_abstract, is_value};

/// The traits that not every type can derive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) copy: bool,
    /// `Eq` and `Hash`, which floating-point numbers lack.
    pub(crate) eq: bool,
    pub(crate) default: bool,
}

impl Traits {
    const ALL: Self = Self {
        copy: true,
        eq: true,
        default: true,
    };

    fn and(self, other: Self) -> Self {
        Self {
            copy: self.copy && other.copy,
            eq: self.eq && other.eq,
            default: self.default && other.default,
        }
    }
}

/// The largest array for which the standard library implements `Default`.
const DEFAULT_ARRAY_MAX: u32 = 32;

/// The octets that a `String`, a `Vec` or a reference takes in memory, rounded
/// up.
const HANDLE_SIZE: u64 = 24;

/// The octets that a number of 128 bits takes in memory, and its alignment may
/// cost.
const WIDEST_SIZE: u64 = 24;

/// The octets that an `any` takes in memory.
const ANY_SIZE: u64 = 40;

/// The traits that a struct of such members can derive.
pub(crate) fn traits<'t>(model: &Model, types: impl Iterator<Item = &'t Type>) -> Traits {
    types.fold(Traits::ALL, |all, ty| {
        all.and(type_traits(model, ty, &mut Vec::new()))
    })
}

/// The fewest octets that a value takes on the wire, padding not counted.
pub(crate) fn min_size(model: &Model, ty: &Type) -> u64 {
    match model.resolve_alias(ty) {
        Type::Primitive(primitive) => primitive_size(*primitive),
        Type::Fixed { digits, .. } => u64::from(digits / 2 + 1),
        Type::Array { element, length } => {
            min_size(model, element).saturating_mul(u64::from(*length))
        }
        // A type id and a count of profiles.
        Type::Object => 8,
        // A tag; a boolean in front of it.
        Type::Named(_) if is_value(model, ty) => 4,
        Type::Named(_) if is_abstract(model, ty) => 5,
        Type::Named(id) => match &model.get(*id).kind {
            DefinitionKind::Enum(_) => 4,
            DefinitionKind::Bitmask(bitmask) => {
                primitive_size(Primitive::of_bits(u32::from(bitmask.bits)))
            }
            DefinitionKind::Bitset(bitset) => {
                primitive_size(Primitive::of_bits(model.bitset_width(bitset)))
            }
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                members.iter().fold(0, |sum: u64, member| {
                    sum.saturating_add(min_size(model, &member.ty))
                })
            }
            DefinitionKind::Union(union) => {
                let members = union.branches.iter();
                let smallest = members
                    .map(|branch| min_size(model, &branch.member.ty))
                    .min();
                let smallest = smallest.filter(|_| !union.implicit_default).unwrap_or(0);
                min_size(model, &union.discriminator).saturating_add(smallest)
            }
            _ => 8,
        },
        // Strings and sequences: a length. An `any`, a TypeCode: a kind.
        _ => 4,
    }
}

/// About how many octets a value takes in memory; not fewer than it does.
pub(crate) fn rust_size(model: &Model, ty: &Type) -> u64 {
    match model.resolve_alias(ty) {
        Type::Primitive(Primitive::LongDouble) | Type::Fixed { .. } => WIDEST_SIZE,
        Type::Primitive(primitive) => primitive_size(*primitive),
        Type::Array { element, length } => {
            rust_size(model, element).saturating_mul(u64::from(*length))
        }
        Type::Any => ANY_SIZE,
        Type::Named(id) => match &model.get(*id).kind {
            DefinitionKind::Enum(_) => 4,
            DefinitionKind::Bitmask(bitmask) => {
                primitive_size(Primitive::of_bits(u32::from(bitmask.bits)))
            }
            DefinitionKind::Bitset(bitset) => {
                let fields = bits::fields(model, bitset);
                let sizes = fields.iter().map(|field| rust_size(model, &field.ty));
                sizes.sum::<u64>().saturating_add(7) / 8 * 8
            }
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                let sizes = members.iter().map(|member| rust_size(model, &member.ty));
                sizes.fold(0, u64::saturating_add).saturating_add(7) / 8 * 8
            }
            // Room for the discriminator, and for that of the enum.
            DefinitionKind::Union(union) => {
                let members = union.branches.iter();
                let sizes = members.map(|branch| rust_size(model, &branch.member.ty));
                sizes.max().unwrap_or(0).saturating_add(23) / 8 * 8
            }
            _ => HANDLE_SIZE,
        },
        _ => HANDLE_SIZE,
    }
}

fn type_traits(model: &Model, ty: &Type, inside: &mut Vec<DefinitionId>) -> Traits {
    match model.resolve_alias(ty) {
        Type::Primitive(Primitive::Float | Primitive::Double) => Traits {
            eq: false,
            ..Traits::ALL
        },
        // Whose derived types have what is not known.
        _ if is_value(model, ty) || is_abstract(model, ty) => Traits {
            copy: false,
            eq: false,
            default: true,
        },
        Type::Primitive(_) | Type::Fixed { .. } => Traits::ALL,
        Type::Sequence { element, .. } => Traits {
            copy: false,
            default: true,
            ..type_traits(model, element, inside)
        },
        Type::Map { key, value, .. } => Traits {
            copy: false,
            default: true,
            ..type_traits(model, key, inside).and(type_traits(model, value, inside))
        },
        Type::Array { element, length } => {
            let element = type_traits(model, element, inside);
            Traits {
                default: element.default && *length <= DEFAULT_ARRAY_MAX,
                ..element
            }
        }
        Type::Named(id) => match &model.get(*id).kind {
            DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_) | DefinitionKind::Bitset(_) => {
                Traits::ALL
            }
            // A type that contains itself has the traits that its other members allow.
            _ if inside.contains(id) => Traits::ALL,
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                inside.push(*id);
                let all = members
                    .iter()
                    .map(|member| type_traits(model, &member.ty, inside))
                    .fold(Traits::ALL, Traits::and);
                inside.pop();
                all
            }
            DefinitionKind::Union(union) => {
                inside.push(*id);
                let traits: Vec<_> = union
                    .branches
                    .iter()
                    .map(|branch| type_traits(model, &branch.member.ty, inside))
                    .collect();
                inside.pop();
                Traits {
                    // The default is a value of the first branch.
                    default: traits.first().is_none_or(|first| first.default),
                    ..traits.into_iter().fold(Traits::ALL, Traits::and)
                }
            }
            _ => Traits {
                copy: false,
                ..Traits::ALL
            },
        },
        // Strings, references, Anys, TypeCodes.
        _ => Traits {
            copy: false,
            ..Traits::ALL
        },
    }
}

fn primitive_size(primitive: Primitive) -> u64 {
    match primitive {
        Primitive::Short | Primitive::UShort | Primitive::WChar => 2,
        Primitive::Long | Primitive::ULong | Primitive::Float => 4,
        Primitive::LongLong | Primitive::ULongLong | Primitive::Double => 8,
        Primitive::LongDouble => 16,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;

    const IDL: &str = "
        enum Colour { red, green };
        struct Scalars { long a; boolean b; Colour c; };
        struct Floats { double a[4]; };
        struct Text { string a; sequence<Scalars> b; };
        struct Small { octet a[32]; };
        struct Large { octet a[33]; };
        struct Tree { double value; sequence<Tree> children; };
        struct Handle { Object a; };
        typedef Scalars Alias[2];
        struct Nested { Alias a; short b; };
        struct Wide { wchar a; wstring b; long double c; fixed<5, 2> d; };
        struct Decimal { fixed<4, 0> a; long double b[2]; };
        struct Described { any a; CORBA::TypeCode b; };
        union Number switch (short) { case 1: double a; case 2: octet b; };
        union Option switch (boolean) { case TRUE: Text a; default: long b; };
        union Late switch (octet) { case 0: Large a; default: sequence<Late> b; };
    ";

    fn model() -> Model {
        let path = PathBuf::from("test.idl");
        let mut loader = HashMap::from([(path.clone(), IDL.as_bytes().to_vec())]);
        let compilation = taut_idl::compile_with(&[path], &Default::default(), &mut loader);
        assert!(!compilation.has_errors(), "{}", compilation.render(false));
        compilation.model
    }

    #[test]
    fn members_decide_what_a_struct_can_derive_and_how_large_it_is() {
        let model = model();
        for (name, copy, eq, default, wire, memory) in [
            ("Colour", true, true, true, 4, 4),
            ("Scalars", true, true, true, 9, 16),
            ("Floats", true, false, true, 32, 32),
            ("Text", false, true, true, 8, 48),
            ("Small", true, true, true, 32, 32),
            ("Large", true, true, false, 33, 40),
            ("Tree", false, false, true, 12, 32),
            ("Handle", false, true, true, 8, 24),
            ("Alias", true, true, true, 18, 32),
            ("Nested", true, true, true, 20, 40),
            ("Wide", false, true, true, 25, 80),
            ("Decimal", true, true, true, 35, 72),
            ("Described", false, true, true, 8, 64),
            ("Number", true, false, true, 2, 24),
            ("Option", false, true, true, 5, 64),
            ("Late", false, true, false, 5, 56),
        ] {
            let ty = Type::Named(model.find(&[name]).unwrap());
            let expected = Traits { copy, eq, default };
            assert_eq!(traits(&model, std::iter::once(&ty)), expected, "{name}");
            assert_eq!(min_size(&model, &ty), wire, "{name}");
            assert_eq!(rust_size(&model, &ty), memory, "{name}");
        }
    }
}

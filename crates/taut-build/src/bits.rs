//! The integers that bit masks and bit sets are, and the fields of the latter.

use taut_idl::model::{Bitfield, Bitset, DefinitionKind, Model, Primitive, Type};

/// A named field of a bit set.
#[derive(Debug)]
pub(crate) struct Field<'m> {
    /// Its name in the IDL.
    pub(crate) name: &'m str,
    pub(crate) bitfield: &'m Bitfield,
    /// Its lowest bit.
    pub(crate) offset: u32,
    /// The type of its value, whether the IDL says it or not.
    pub(crate) ty: Type,
}

/// The named fields of a bit set, those of its bases first.
pub(crate) fn fields<'m>(model: &'m Model, bitset: &'m Bitset) -> Vec<Field<'m>> {
    let mut offset = 0;
    let mut fields = Vec::new();
    for bitfield in bitfields(model, bitset) {
        if let Some(name) = &bitfield.name {
            let width = u32::from(bitfield.width);
            let smallest = match width {
                1 => Primitive::Boolean,
                _ => holder(width),
            };
            fields.push(Field {
                name,
                bitfield,
                offset,
                ty: bitfield.ty.clone().unwrap_or(Type::Primitive(smallest)),
            });
        }
        offset += u32::from(bitfield.width);
    }
    fields
}

/// How many bits a bit set has, those of its bases included.
pub(crate) fn width(model: &Model, bitset: &Bitset) -> u32 {
    let fields = bitfields(model, bitset);
    fields.iter().map(|field| u32::from(field.width)).sum()
}

/// The smallest unsigned integer of so many bits.
pub(crate) fn holder(width: u32) -> Primitive {
    match width {
        0..=8 => Primitive::Octet,
        9..=16 => Primitive::UShort,
        17..=32 => Primitive::ULong,
        _ => Primitive::ULongLong,
    }
}

fn bitfields<'m>(model: &'m Model, bitset: &'m Bitset) -> Vec<&'m Bitfield> {
    let mut fields = match bitset.base.map(|base| &model.get(base).kind) {
        Some(DefinitionKind::Bitset(base)) => bitfields(model, base),
        _ => Vec::new(),
    };
    fields.extend(&bitset.fields);
    fields
}

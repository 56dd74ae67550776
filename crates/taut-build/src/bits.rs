//! The integers that bit masks and bit sets are, and the fields of the latter.

use taut_idl::model::{Bitfield, Bitset, Model, Primitive, Type};

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
    for bitfield in model.all_bitfields(bitset) {
        if let Some(name) = &bitfield.name {
            let width = u32::from(bitfield.width);
            let smallest = match width {
                1 => Primitive::Boolean,
                _ => Primitive::of_bits(width),
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

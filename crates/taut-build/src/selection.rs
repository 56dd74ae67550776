//! Which values of a union's discriminator select which branch.
//!
//! The values are counted: an integer is itself, an enumerator its ordinal, a
//! character its code, FALSE 0 and TRUE 1.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use taut_idl::model::{
    ConstantValue, DefinitionId, DefinitionKind, Member, Model, Primitive, Type, Union,
};

/// The kind of value that decides which branch a union has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discriminator {
    Boolean,
    Char,
    WChar,
    /// An integer type, or `octet`.
    Integer(Primitive),
    Enum(DefinitionId),
}

/// A form that a union's value may have: a branch, or no member at all.
#[derive(Debug, Clone)]
pub(crate) struct Variant<'m> {
    /// The member; none for discriminators that select no branch.
    pub(crate) member: Option<&'m Member>,
    pub(crate) selection: Selection,
}

/// The discriminators that select a [`Variant`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selection {
    /// This one only.
    One(i128),
    /// Any of these, in the order of the IDL.
    Several(Vec<i128>),
    /// All but those of the other variants.
    Others {
        /// The labels that select the other variants, in ascending order.
        taken: Vec<i128>,
        /// One of the others.
        example: i128,
    },
}

impl Discriminator {
    /// The discriminator of a union.
    pub(crate) fn of(model: &Model, union: &Union) -> Self {
        match model.resolve_alias(&union.discriminator) {
            Type::Primitive(Primitive::Boolean) => Self::Boolean,
            Type::Primitive(Primitive::Char) => Self::Char,
            Type::Primitive(Primitive::WChar) => Self::WChar,
            Type::Primitive(primitive) => Self::Integer(*primitive),
            Type::Named(id) => Self::Enum(*id),
            // The front end lets no other type pass.
            _ => Self::Integer(Primitive::Long),
        }
    }

    fn values(self, model: &Model) -> RangeInclusive<i128> {
        let unsigned = |bits: u32| 0..=(1_i128 << bits) - 1;
        let signed = |bits: u32| -(1_i128 << (bits - 1))..=(1_i128 << (bits - 1)) - 1;
        match self {
            Self::Boolean => 0..=1,
            Self::Char => unsigned(8),
            Self::WChar => unsigned(16),
            Self::Integer(primitive) => match primitive {
                Primitive::Short => signed(16),
                Primitive::UShort => unsigned(16),
                Primitive::ULong => unsigned(32),
                Primitive::LongLong => signed(64),
                Primitive::ULongLong => unsigned(64),
                Primitive::Int8 => signed(8),
                Primitive::Octet | Primitive::UInt8 => unsigned(8),
                // `long`; the others are no integers.
                _ => signed(32),
            },
            Self::Enum(id) => match &model.get(id).kind {
                DefinitionKind::Enum(enumerators) => 0..=enumerators.len() as i128 - 1,
                _ => 0..=0,
            },
        }
    }
}

/// The forms that a union's value may have: the branches in their order, then
/// the one without a member if there is one.
pub(crate) fn variants<'m>(model: &Model, union: &'m Union) -> Vec<Variant<'m>> {
    let values = Discriminator::of(model, union).values(model);
    let taken: BTreeSet<i128> = union
        .branches
        .iter()
        .filter(|branch| !branch.is_default)
        .flat_map(|branch| branch.labels.iter().filter_map(ConstantValue::ordinal))
        .collect();
    let branches = union.branches.iter().map(|branch| {
        let labels: Vec<i128> = branch
            .labels
            .iter()
            .filter_map(ConstantValue::ordinal)
            .collect();
        let selection = match labels.as_slice() {
            _ if branch.is_default => others(&values, &taken, labels.first().copied()),
            [label] => Selection::One(*label),
            // Every discriminator there is.
            [first, ..] if labels.len() as i128 == values.end() - values.start() + 1 => {
                Selection::Others {
                    taken: Vec::new(),
                    example: *first,
                }
            }
            _ => Selection::Several(labels),
        };
        Variant {
            member: Some(&branch.member),
            selection,
        }
    });
    let absent = union.implicit_default.then(|| Variant {
        member: None,
        selection: others(&values, &taken, None),
    });
    branches.chain(absent).collect()
}

fn others(
    values: &RangeInclusive<i128>,
    taken: &BTreeSet<i128>,
    preferred: Option<i128>,
) -> Selection {
    let mut free = (0..=*values.end())
        .chain(*values.start()..0)
        .filter(|value| !taken.contains(value));
    // The front end lets no default pass where the labels leave it nothing.
    let first = free.next().unwrap_or_default();
    if free.next().is_none() {
        return Selection::One(first);
    }
    Selection::Others {
        taken: taken.iter().copied().collect(),
        example: preferred.unwrap_or(first),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;

    const IDL: &str = "
        enum Colour { red, green, blue };
        union Both switch (boolean) { case TRUE: long a; case FALSE: long b; };
        union Half switch (boolean) { case TRUE: long a; };
        union Rest switch (boolean) { case TRUE: long a; default: long b; };
        union Many switch (short) { case 0: long a; case 3: case 2: long b; };
        union Own switch (long) { case 0: case 1: long a; default: case 7: long b; };
        union All switch (Colour) { case red: case blue: long a; case green: long b; };
        union Last switch (Colour) { case red: case blue: long a; default: long b; };
        union Open switch (Colour) { case blue: long a; };
        union Same switch (boolean) { case TRUE: case FALSE: long a; };
        union Minus switch (char) { case '\\0': long a; default: long b; };
    ";

    #[test]
    fn labels_decide_which_discriminators_select_a_variant() {
        let path = PathBuf::from("test.idl");
        let mut loader = HashMap::from([(path.clone(), IDL.as_bytes().to_vec())]);
        let compilation = taut_idl::compile_with(&[path], &Default::default(), &mut loader);
        assert!(!compilation.has_errors(), "{}", compilation.render(false));
        let model = compilation.model;
        let one = Selection::One;
        let several = |labels: &[i128]| Selection::Several(labels.to_vec());
        let others = |taken: &[i128], example| Selection::Others {
            taken: taken.to_vec(),
            example,
        };
        for (name, expected) in [
            ("Both", vec![one(1), one(0)]),
            ("Half", vec![one(1), one(0)]),
            ("Rest", vec![one(1), one(0)]),
            (
                "Many",
                vec![one(0), several(&[3, 2]), others(&[0, 2, 3], 1)],
            ),
            ("Own", vec![several(&[0, 1]), others(&[0, 1], 7)]),
            ("All", vec![several(&[0, 2]), one(1)]),
            ("Last", vec![several(&[0, 2]), one(1)]),
            ("Open", vec![one(2), others(&[2], 0)]),
            ("Same", vec![others(&[], 1)]),
            ("Minus", vec![one(0), others(&[0], 1)]),
        ] {
            let definition = model.get(model.find(&[name]).unwrap());
            let DefinitionKind::Union(union) = &definition.kind else {
                panic!("{name} is not a union");
            };
            let selections = variants(&model, union).into_iter().map(|v| v.selection);
            assert_eq!(selections.collect::<Vec<_>>(), expected, "{name}");
        }
    }
}

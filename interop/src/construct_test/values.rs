//! The values on which the servant and the checks agree, written in
//! `idl/construct_test.idl`; this file follows its order.

use taut::{Any, Char, LongDouble, TypeCode, Typed, WChar};

use super::constructs::construct_test::*;
use super::constructs::{ConstructTestRef, Point};
use crate::tables::tables;

/// The minor code of the BAD_PARAM that refuses a value.
pub(super) const REFUSED_MINOR: u32 = 7;

pub(super) const P: Point = Point { x: 1, y: -2 };
pub(super) const Q: Point = Point { x: 3, y: 4 };

tables! {
    unions_by_long: ByLong = vec![
        ByLong::Real(0.5),
        ByLong::Corner { discriminator: -2, value: P },
        ByLong::Corner { discriminator: 3, value: Q },
        ByLong::Other { discriminator: 7, value: "seven".to_owned() },
        ByLong::Other { discriminator: i32::MIN, value: String::new() },
    ];
    unions_by_short: ByShort = vec![
        ByShort::Low(255),
        ByShort::High(-1),
        ByShort::None { discriminator: 0 },
    ];
    unions_by_ushort: ByUShort = vec![
        ByUShort::Top("top".to_owned()),
        ByUShort::Zero(-5),
        ByUShort::None { discriminator: 1 },
    ];
    unions_by_ulong: ByULong = vec![
        ByULong::Text("text".to_owned()),
        ByULong::Number(1.5),
        ByULong::None { discriminator: 1 },
    ];
    unions_by_longlong: ByLongLong = vec![
        ByLongLong::Minus(9),
        ByLongLong::Other { discriminator: 1_311_768_467_463_790_320, value: -9 },
    ];
    unions_by_ulonglong: ByULongLong = vec![
        ByULongLong::Most(0.25),
        ByULongLong::Other { discriminator: 1 << 63, value: 9 },
    ];
    unions_by_char: ByChar = vec![
        ByChar::Letter(1),
        ByChar::Line(true),
        ByChar::None { discriminator: Char(b'z') },
    ];
    unions_by_boolean: ByBoolean = vec![ByBoolean::Name("name".to_owned()), ByBoolean::None];
    unions_by_enum: ByEnum = vec![
        ByEnum::Warm { discriminator: Color::Red, value: 1 },
        ByEnum::Warm { discriminator: Color::Green, value: 1 },
        ByEnum::Cold(P),
    ];
    sequences_of_unions: ByLongSeq = vec![vec![], unions_by_long().to_vec()];

    wide_characters: WChar = [0x61, 0xE9, 0x20AC].map(WChar).to_vec();
    wide_strings: String = ["", "a", "\u{e9}\u{20ac}\u{1f600}"].map(str::to_owned).to_vec();
    brief_wide_strings: BriefWString = ["five5", ""].map(str::to_owned).to_vec();
    sequences_of_wide_strings: WStringSeq = vec![vec![], wide_strings().to_vec()];

    moneys: Money = ["0", "1234567.89", "-0.01"].map(|text| text.parse().unwrap_or_default()).to_vec();
    counts: Count = ["0", "9999", "-1"].map(|text| text.parse().unwrap_or_default()).to_vec();
    long_doubles: LongDouble = [0.0, 1.5, -(2.0_f64.powi(-40))].map(LongDouble::from_f64).to_vec();

    brief_sequences: BriefSeq = vec![
        vec![],
        ["", "four"].map(str::to_owned).to_vec(),
        ["a", "b", "c"].map(str::to_owned).to_vec(),
    ];
    cubes: PointCube = [0, 1]
        .map(|k| [0, 1].map(|i| [[0, 1, 2].map(|j| Point { x: 10 * i + j, y: k })]))
        .to_vec();
    holders: Holder = [0, 1, 2]
        .map(|k: u8| Holder {
            pair: [P, Q],
            name: "name".to_owned(),
            few: (0..k).collect(),
            grid: [0, 1].map(|i| [0, 1].map(|j| 10 * i + j + u16::from(k))),
            flags: [vec![true; k.into()], vec![true; k.into()]],
        })
        .to_vec();

    trees: Tree = {
        let leaf = tree("leaf", vec![]);
        let node = tree("node", vec![leaf.clone()]);
        vec![leaf.clone(), tree("root", vec![leaf, node])]
    };
    expressions: Expression = vec![
        Expression::Number(5),
        Expression::Sum(vec![Expression::Number(5), Expression::Sum(vec![])]),
    ];

    anys: Any = vec![
        Any::null(),
        any(Any::new(&-1_i16)),
        any(Any::new(&1_u64)),
        any(Any::new(&0.5_f64)),
        any(Any::new(&true)),
        any(Any::new(&Char(b'c'))),
        any(Any::new(&255_u8)),
        any(Any::new("text")),
    ];
    constructed_anys: Any = vec![
        any(Any::new(&P)),
        any(Any::with_type(brief_seq_type_code(), &brief_sequences()[1])),
        any(Any::new(&unions_by_long()[2])),
        any(Any::new(&Color::Blue)),
        any(Any::new(&trees()[1])),
    ];
    nested_anys: Any = {
        let inner = any(Any::new(&any(Any::new(&Q))));
        vec![any(Any::new(&any(Any::new(&1_i32)))), any(Any::new(&inner))]
    };
    sequences_of_anys: AnySeq = vec![
        vec![],
        vec![any(Any::new(&7_i32)), any(Any::new("x")), any(Any::new(&Q))],
    ];
    type_codes: TypeCode = vec![
        i32::type_code(),
        String::type_code(),
        Point::type_code(),
        ByEnum::type_code(),
        brief_seq_type_code(),
        Tree::type_code(),
        Expression::type_code(),
        ConstructTestRef::type_code(),
        Fault::type_code(),
    ];
}

/// The exception that `raise_fault` raises.
pub(super) fn fault() -> Fault {
    Fault {
        what: unions_by_long()[2].clone(),
        r#where: trees()[1].clone(),
        detail: any(Any::new(&P)),
    }
}

fn tree(label: &str, children: Forest) -> Tree {
    Tree {
        label: label.to_owned(),
        children,
    }
}

/// A value that an Any can hold; a null one, which no table has twice, if not.
fn any(made: Result<Any, taut_cdr::Error>) -> Any {
    made.unwrap_or_else(|_| Any::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_each_table_differ() {
        fn differ<T: PartialEq + std::fmt::Debug>(table: &[T]) {
            for (index, value) in table.iter().enumerate() {
                assert!(!table[..index].contains(value), "{value:?}");
            }
        }
        differ(moneys());
        differ(counts());
        differ(anys());
        differ(constructed_anys());
        differ(nested_anys());
        differ(type_codes());
        assert_eq!(moneys()[1].to_string(), "1234567.89");
    }
}

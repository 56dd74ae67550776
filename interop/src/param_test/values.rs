//! The values on which the servant and the checks agree, written in
//! `idl/param_test.idl`; this file follows its order.

use std::fmt::Debug;

use taut::Char;

use super::param_test::*;
use crate::tables::tables;

/// The minor code of the BAD_PARAM that refuses a value.
pub(super) const REFUSED_MINOR: u32 = 7;

/// The value that the attribute `greeting` always has.
pub(super) const GREETING: &str = "Gr\u{fc}\u{df}e";

/// A value of a type that operations pass.
pub trait Value: Clone + Debug {
    /// The form in which it is passed as an `in` parameter.
    type In<'a>: Copy
    where
        Self: 'a;

    /// The value as an `in` parameter.
    fn as_in(&self) -> Self::In<'_>;

    /// A copy of what came as an `in` parameter.
    fn from_in(value: Self::In<'_>) -> Self;

    /// Whether two values have the same octets on the wire.
    fn is_same(&self, other: &Self) -> bool;

    /// Returns the value that a servant puts in its place as the `inout` parameter.
    #[must_use]
    fn turned(&self) -> Self;
}

macro_rules! passed_by_value {
    ($($type:ty: |$value:ident| $octets:expr, $turned:expr;)*) => {$(
        impl Value for $type {
            type In<'a> = Self;

            fn as_in(&self) -> Self {
                *self
            }

            fn from_in(value: Self) -> Self {
                value
            }

            fn is_same(&self, other: &Self) -> bool {
                let octets = |$value: Self| $octets;
                octets(*self) == octets(*other)
            }

            fn turned(&self) -> Self {
                let $value = *self;
                $turned
            }
        }
    )*};
}

passed_by_value! {
    i16: |value| value, value.wrapping_add(1);
    i32: |value| value, value.wrapping_add(1);
    i64: |value| value, value.wrapping_add(1);
    u16: |value| value, value.wrapping_add(1);
    u32: |value| value, value.wrapping_add(1);
    u64: |value| value, value.wrapping_add(1);
    u8: |value| value, value.wrapping_add(1);
    Char: |value| value, Char(value.0.wrapping_add(1));
    f32: |value| value.to_bits(), -value;
    f64: |value| value.to_bits(), -value;
    bool: |value| value, !value;
    Color: |value| value, match value {
        Color::Red => Color::Green,
        Color::Green => Color::Blue,
        Color::Blue => Color::Red,
    };
}

impl Value for String {
    type In<'a> = &'a str;

    fn as_in(&self) -> &str {
        self
    }

    fn from_in(value: &str) -> Self {
        value.to_owned()
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    fn turned(&self) -> Self {
        self.chars().rev().collect()
    }
}

impl<T: Value> Value for Vec<T> {
    type In<'a>
        = &'a [T]
    where
        Self: 'a;

    fn as_in(&self) -> &[T] {
        self
    }

    fn from_in(value: &[T]) -> Self {
        value.to_vec()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.is_same(b))
    }

    fn turned(&self) -> Self {
        self.iter().rev().cloned().collect()
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    type In<'a>
        = &'a Self
    where
        Self: 'a;

    fn as_in(&self) -> &Self {
        self
    }

    fn from_in(value: &Self) -> Self {
        value.clone()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.is_same(b))
    }

    fn turned(&self) -> Self {
        let mut turned = self.clone();
        turned.reverse();
        turned
    }
}

macro_rules! structs {
    ($($type:ident { $($member:ident),* })*) => {$(
        impl Value for $type {
            type In<'a> = &'a Self;

            fn as_in(&self) -> &Self {
                self
            }

            fn from_in(value: &Self) -> Self {
                value.clone()
            }

            fn is_same(&self, other: &Self) -> bool {
                true $(&& self.$member.is_same(&other.$member))*
            }

            fn turned(&self) -> Self {
                Self { $($member: self.$member.turned()),* }
            }
        }
    )*};
}

structs! {
    FixedStruct { l, c, s, o, f, b, d }
    VarStruct { dummy1, dummy2, seq }
    NestedStruct { vs }
}

tables! {
    shorts: i16 = vec![0, 1, -1, 32767, -32768, 0x1234];
    strings: String = vec![
        String::new(),
        "a".to_owned(),
        pattern(128, 0),
        latin1(),
        pattern(1000, 0),
    ];
    fixed_structs: FixedStruct = (0..6)
        .map(|k| FixedStruct {
            l: pick(longs(), k),
            c: pick(chars(), k),
            s: pick(shorts(), k),
            o: pick(octets(), k),
            f: pick(floats(), k),
            b: pick(booleans(), k),
            d: pick(doubles(), k),
        })
        .collect();
    string_sequences: StrSeq = vec![
        vec![],
        vec!["a".to_owned()],
        (0..9).map(|i| pattern(128, i)).collect(),
        strings().to_vec(),
    ];
    var_structs: VarStruct = (0..4)
        .map(|k| VarStruct {
            dummy1: pick(strings(), k),
            dummy2: pick(strings(), k + 1),
            seq: pick(string_sequences(), k),
        })
        .collect();
    nested_structs: NestedStruct = var_structs()
        .iter()
        .map(|vs| NestedStruct { vs: vs.clone() })
        .collect();
    struct_sequences: StructSeq = vec![
        vec![],
        vec![pick(var_structs(), 0)],
        (0..9)
            .map(|i| VarStruct {
                dummy1: pattern(128, i),
                dummy2: pattern(128, i + 1),
                seq: pick(string_sequences(), 2),
            })
            .collect(),
        var_structs().to_vec(),
    ];

    longs: i32 = vec![0, 1, -1, i32::MAX, i32::MIN, 0x1234_5678];
    longlongs: i64 = vec![0, 1, -1, i64::MAX, i64::MIN, 0x1234_5678_9ABC_DEF0];
    ushorts: u16 = vec![0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234];
    ulongs: u32 = vec![0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1234_5678];
    ulonglongs: u64 = vec![
        0,
        1,
        0x7FFF_FFFF_FFFF_FFFF,
        0x8000_0000_0000_0000,
        0xFFFF_FFFF_FFFF_FFFF,
        0x1234_5678_9ABC_DEF0,
    ];
    floats: f32 = vec![
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    doubles: f64 = vec![
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    chars: Char = [0x61, 0x00, 0x7E, 0xE9, 0xFF].map(Char).to_vec();
    booleans: bool = vec![false, true];
    octets: u8 = vec![0, 1, 127, 128, 255];
    colors: Color = vec![Color::Red, Color::Green, Color::Blue];
    long_strings: String = vec![String::new(), pattern(10_000, 0), pattern(70_000, 0)];

    bounded_strings: BoundedString = vec![
        String::new(),
        "a".to_owned(),
        ('\u{e0}'..='\u{ff}').collect(),
        pattern(32, 0),
    ];
    bounded_sequences: BoundedLongSeq = filled(longs(), &[0, 1, 9]);

    octet_sequences: OctetSeq = filled(octets(), &LENGTHS);
    char_sequences: CharSeq = filled(chars(), &LENGTHS);
    boolean_sequences: BooleanSeq = filled(booleans(), &LENGTHS);
    short_sequences: ShortSeq = filled(shorts(), &LENGTHS);
    long_sequences: LongSeq = filled(longs(), &LENGTHS);
    longlong_sequences: LongLongSeq = filled(longlongs(), &LENGTHS);
    float_sequences: FloatSeq = filled(floats(), &LENGTHS);
    double_sequences: DoubleSeq = filled(doubles(), &LENGTHS);
    color_sequences: ColorSeq = filled(colors(), &LENGTHS);
    fixed_struct_sequences: FixedStructSeq = filled(fixed_structs(), &LENGTHS);
    nested_sequences: LongSeqSeq = vec![vec![], vec![vec![]], long_sequences().to_vec()];

    long_arrays: LongArray = (0..3)
        .map(|k| std::array::from_fn(|i| pick(longs(), i + k)))
        .collect();
    short_grids: ShortGrid = (0..3)
        .map(|k| {
            std::array::from_fn(|r| std::array::from_fn(|c| pick(shorts(), 4 * r + c + k)))
        })
        .collect();
    string_arrays: StrArray = (0..3)
        .map(|k| std::array::from_fn(|i| pick(strings(), i + k)))
        .collect();
}

/// How long the sequences without a bound are.
const LENGTHS: [usize; 4] = [0, 1, 9, 10_000];

/// `length` characters that go through the graphic ones of ASCII.
fn pattern(length: usize, start: u8) -> String {
    ('!'..='~')
        .cycle()
        .skip(usize::from(start))
        .take(length)
        .collect()
}

/// All graphic characters of ISO 8859-1.
pub(super) fn latin1() -> String {
    (' '..='~').chain('\u{a0}'..='\u{ff}').collect()
}

/// The value at an index that goes round and round.
fn pick<T: Clone>(table: &[T], index: usize) -> T {
    table[index % table.len()].clone()
}

/// The sequences of these lengths that are filled from a table.
fn filled<T: Clone>(table: &[T], lengths: &[usize]) -> Vec<Vec<T>> {
    lengths
        .iter()
        .map(|&length| table.iter().cycle().take(length).cloned().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_are_those_of_the_idl() {
        assert_eq!(pattern(3, 93), "~!\"");
        assert_eq!(latin1().chars().count(), 191);
        assert_eq!(char_sequences()[2][5], Char(0x61));
        assert_eq!(short_grids()[1][2][3], 0);
        assert_eq!(f32::MIN_POSITIVE, 2.0_f32.powi(-126));
        assert_eq!(f32::from_bits(1), f32::MIN_POSITIVE / 2.0_f32.powi(23));
        assert_eq!(f64::from_bits(1), f64::MIN_POSITIVE / 2.0_f64.powi(52));
    }

    #[test]
    fn values_differ_where_their_octets_do() {
        assert!(!0.0_f64.is_same(&-0.0));
        assert!(!vec![1, 2].is_same(&vec![1]));
        assert!(!pick(fixed_structs(), 0).is_same(&pick(fixed_structs(), 1)));
    }

    #[test]
    fn each_value_turns_as_the_idl_says() {
        assert_eq!(i16::MAX.turned(), i16::MIN);
        assert_eq!(Char(255).turned(), Char(0));
        assert_eq!(Color::Blue.turned(), Color::Red);
        assert_eq!("ab\u{e9}".to_owned().turned(), "\u{e9}ba");
        assert_eq!([[1_i16, 2], [3, 4]].turned(), [[3, 4], [1, 2]]);
        assert_eq!(vec!["ab".to_owned(), "c".to_owned()].turned(), ["c", "ab"]);
    }
}

//! What an element of a sequence of structs costs: instructions, counted by valgrind
//! in an optimized build. Without valgrind, or without optimization, they are not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod instructions;

use std::hint::black_box;

use taut_cdr::{Char, Decode, Decoder, Encode, Encoder};

/// The struct of the TAO papers' benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct BinStruct {
    s: i16,
    c: Char,
    l: i32,
    o: u8,
    d: f64,
}

taut_cdr::uniform_structure! { BinStruct { s: i16, c: Char, l: i32, o: u8, d: f64 } }

/// The same, marshaled by table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct TabledBinStruct {
    s: i16,
    c: Char,
    l: i32,
    o: u8,
    d: f64,
}

taut_types::table_structure! {
    TabledBinStruct { s: i16, c: Char, l: i32, o: u8, d: f64 }
}

/// Has a sequence of these.
#[derive(Debug, PartialEq, Default)]
struct Tabled {
    items: Vec<TabledBinStruct>,
}

taut_types::table_structure! { Tabled { items: Vec<TabledBinStruct> } }

/// So many elements more are counted.
const ELEMENTS: usize = 10_000;

/// The instructions of an element, at most, in native and in foreign byte order.
const CASES: &[(&str, f64, f64)] = &[
    ("encode_by_code", 15.0, 18.0),
    ("decode_by_code", 15.5, 18.5),
    ("encode_by_table", 52.0, 55.0),
    ("decode_by_table", 42.0, 45.0),
];

#[inline(never)]
fn encode_by_code(items: &[BinStruct], out: &mut Encoder) {
    items.encode(out).unwrap();
}

#[inline(never)]
fn decode_by_code(input: &mut Decoder<'_>) -> Vec<BinStruct> {
    Vec::decode(input).unwrap()
}

#[inline(never)]
fn encode_by_table(items: &Tabled, out: &mut Encoder) {
    items.encode(out).unwrap();
}

#[inline(never)]
fn decode_by_table(input: &mut Decoder<'_>) -> Tabled {
    Tabled::decode(input).unwrap()
}

#[test]
#[ignore = "what the other test counts the instructions of"]
fn work() {
    let (order, count) = instructions::work();
    let mut out = Encoder::new(order);
    out.reserve(32 * (count + 1));
    encode_by_code(&vec![BinStruct::default(); count], &mut out);
    black_box(decode_by_code(&mut Decoder::new(out.as_bytes(), order)));
    let items = vec![TabledBinStruct::default(); count];
    out.clear();
    encode_by_table(&Tabled { items }, &mut out);
    black_box(decode_by_table(&mut Decoder::new(out.as_bytes(), order)));
}

#[test]
fn structs_in_a_sequence_cost_a_few_instructions_each() {
    let Some(valgrind) = instructions::valgrind() else {
        return;
    };
    for &(function, native_max, foreign_max) in CASES {
        for (order, max) in [("native", native_max), ("foreign", foreign_max)] {
            let function = format!("element_cost::{function}");
            let count = instructions::count(&valgrind, &function, order, ELEMENTS);
            eprintln!("{function}, {order}: {count:.1} instructions for an element");
            assert!(
                count <= max,
                "{function}, {order}: {count:.1} for an element"
            );
        }
    }
}

//! The cost of an element of a sequence of structs: instructions, counted by valgrind in an
//! optimized build. Without valgrind, or without optimization, they are not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::hint::black_box;

use taut_cdr::{ByteOrder, Char, Decode, Decoder, Encode, Encoder};
use test_tools::{InstructionCounter, ignored_test};

/// The struct of the TAO papers' benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
struct BinStruct {
    s: i16,
    c: Char,
    l: i32,
    o: u8,
    d: f64,
}

taut_cdr::uniform_structure! { plain BinStruct { s: i16, c: Char, l: i32, o: u8, d: f64 } }

/// The same, marshaled by table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
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
    ("encode_by_code", 10.5, 17.0),
    ("decode_by_code", 2.5, 18.0),
    ("encode_by_table", 10.5, 55.0),
    ("decode_by_table", 2.5, 45.0),
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

const WORK: &str = "TAUT_WORK";
const FOREIGN: ByteOrder = match ByteOrder::NATIVE {
    ByteOrder::Big => ByteOrder::Little,
    ByteOrder::Little => ByteOrder::Big,
};

#[test]
#[ignore = "what the other test counts the instructions of"]
fn work() {
    let work = std::env::var(WORK).unwrap();
    let (order, count) = work.split_once(' ').unwrap();
    let order = match order {
        "native" => ByteOrder::NATIVE,
        _ => FOREIGN,
    };
    let count: usize = count.parse().unwrap();
    let mut out = Encoder::new(order);
    out.reserve(32 * (count + 1));
    encode_by_code(&vec![BinStruct::default(); count], &mut out);
    black_box(decode_by_code(&mut Decoder::new(out.as_bytes(), order)));
    let items = vec![TabledBinStruct::default(); count];
    out.clear();
    encode_by_table(&Tabled { items }, &mut out);
    black_box(decode_by_table(&mut Decoder::new(out.as_bytes(), order)));
}

/// The instructions that a function takes for each element.
fn instructions(counter: &InstructionCounter, function: &str, order: &str) -> f64 {
    let function = format!("counting::element_cost::{function}");
    let program = |count| {
        let mut program = ignored_test("element_cost::work");
        program.env(WORK, format!("{order} {count}"));
        // Each octet that an instruction for strings copies counts as one; so copying
        // does without them here.
        program.env(
            "GLIBC_TUNABLES",
            "glibc.cpu.x86_rep_movsb_threshold=0x40000000",
        );
        program
    };
    counter.count_each(&function, ELEMENTS, program).unwrap()
}

#[test]
fn structs_in_a_sequence_cost_a_few_instructions_each() {
    if cfg!(debug_assertions) {
        eprintln!("LEFT OUT: only optimized code is counted; run with `--release`");
        return;
    }
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    for &(function, native_max, foreign_max) in CASES {
        for (order, max) in [("native", native_max), ("foreign", foreign_max)] {
            let count = instructions(&counter, function, order);
            eprintln!("{function}, {order}: {count:.1} instructions for an element");
            assert!(count > 0.0, "{function}, {order}: nothing was counted");
            assert!(
                count <= max,
                "{function}, {order}: {count:.1} for an element"
            );
        }
    }
}

//! What an element of a sequence of structs costs: instructions, counted by valgrind
//! in an optimized build. Without valgrind, or without optimization, they are not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use taut_cdr::{ByteOrder, Char, Decode, Decoder, Encode, Encoder};

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

/// So many elements more are counted.
const ELEMENTS: usize = 10_000;

/// The instructions of an element, at most.
const NATIVE_MAX: f64 = 15.5;
const FOREIGN_MAX: f64 = 18.5;

#[inline(never)]
fn encode(items: &[BinStruct], out: &mut Encoder) {
    items.encode(out).unwrap();
}

#[inline(never)]
fn decode(input: &mut Decoder<'_>) -> Vec<BinStruct> {
    Vec::decode(input).unwrap()
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
    let items = vec![BinStruct::default(); count.parse().unwrap()];
    let mut out = Encoder::new(order);
    out.reserve(32 * (items.len() + 1));
    encode(&items, &mut out);
    let bytes = out.into_buffer();
    black_box(decode(&mut Decoder::new(&bytes, order)));
}

/// The instructions that a function takes for each element.
fn instructions(valgrind: &Path, function: &str, order: &str) -> f64 {
    let [few, many] = [ELEMENTS, 2 * ELEMENTS].map(|count| {
        let output = Command::new(valgrind)
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(format!("--toggle-collect=uniform_cost::{function}"))
            .arg(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "work", "--test-threads=1"])
            .env(WORK, format!("{order} {count}"))
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{report}");
        let collected = report
            .lines()
            .find_map(|line| line.split_once("Collected :"));
        collected.unwrap().1.trim().parse::<usize>().unwrap()
    });
    assert!(many > few, "nothing was counted");
    (many - few) as f64 / ELEMENTS as f64
}

/// Valgrind, where it is installed.
fn valgrind() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join("valgrind"))
        .find(|file| file.is_file());
    if found.is_none() {
        let is_required = std::env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1");
        assert!(!is_required, "valgrind is missing; run `cargo xtask peers`");
        eprintln!("LEFT OUT: valgrind is missing; run `cargo xtask peers`");
    }
    found
}

#[test]
fn structs_in_a_sequence_cost_a_few_instructions_each() {
    if cfg!(debug_assertions) {
        eprintln!("LEFT OUT: only optimized code is counted; run with `--release`");
        return;
    }
    let Some(valgrind) = valgrind() else {
        return;
    };
    for (order, max) in [("native", NATIVE_MAX), ("foreign", FOREIGN_MAX)] {
        for function in ["encode", "decode"] {
            let count = instructions(&valgrind, function, order);
            eprintln!("{function}, {order}: {count:.1} instructions for an element");
            assert!(
                count <= max,
                "{function}, {order}: {count:.1} for an element"
            );
        }
    }
}

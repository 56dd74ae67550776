//! What an Any costs: instructions, counted by valgrind in an optimized build. Without
//! valgrind, or without optimization, they are not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result};
use taut_types::{Any, TypeCode, Typed};

/// A struct as programs have them.
struct Reading {
    sensor: &'static str,
    time: u64,
    value: f64,
    valid: bool,
}

impl Typed for Reading {
    fn type_code() -> TypeCode {
        let members = [
            ("sensor", str::type_code()),
            ("time", u64::type_code()),
            ("value", f64::type_code()),
            ("valid", bool::type_code()),
        ];
        TypeCode::create_struct("IDL:taut.test/table/Reading:1.0", "Reading", &members).unwrap()
    }
}

impl Encode for Reading {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.sensor.encode(out)?;
        self.time.encode(out)?;
        self.value.encode(out)?;
        self.valid.encode(out)
    }
}

/// So many Anys more are counted.
const ANYS: usize = 1_000;

/// The instructions of an Any when this was last written down, in native and in foreign
/// byte order. Lower them where Anys have become cheaper.
const CASES: &[(&str, f64, f64)] = &[("encode", 1e9, 1e9), ("decode", 1e9, 1e9)];

/// So many percent more are no fault: compilers and C libraries differ.
const SLACK_PERCENT: f64 = 5.0;

#[inline(never)]
fn encode(any: &Any, out: &mut Encoder) {
    any.encode(out).unwrap();
}

/// Its end included.
#[inline(never)]
fn decode(octets: &[u8], order: ByteOrder) {
    black_box(Any::decode(&mut Decoder::new(octets, order)).unwrap());
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
    let reading = Reading {
        sensor: "boiler/3/outlet",
        time: 1_700_000_000_000_000_000,
        value: 71.25,
        valid: true,
    };
    let any = Any::new(&reading).unwrap();
    let mut out = Encoder::new(order);
    for _ in 0..count.parse().unwrap() {
        out.clear();
        encode(&any, &mut out);
        decode(out.as_bytes(), order);
    }
    let any_again = Any::decode(&mut Decoder::new(out.as_bytes(), order)).unwrap();
    assert_eq!(any_again, any);
}

/// The instructions that a function takes for each Any.
fn instructions(valgrind: &Path, function: &str, order: &str) -> f64 {
    let [few, many] = [ANYS, 2 * ANYS].map(|count| {
        let output = Command::new(valgrind)
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(format!("--toggle-collect=any_cost::{function}"))
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
    (many - few) as f64 / ANYS as f64
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
fn a_struct_in_an_any_costs_no_more_than_it_did() {
    if cfg!(debug_assertions) {
        eprintln!("LEFT OUT: only optimized code is counted; run with `--release`");
        return;
    }
    let Some(valgrind) = valgrind() else {
        return;
    };
    for &(function, native, foreign) in CASES {
        for (order, committed) in [("native", native), ("foreign", foreign)] {
            let count = instructions(&valgrind, function, order);
            eprintln!("{function}, {order}: {count:.0} instructions for an Any");
            assert!(
                count <= committed * (1.0 + SLACK_PERCENT / 100.0),
                "{function}, {order}: {count:.0} for an Any, {committed} when this was written down"
            );
        }
    }
}

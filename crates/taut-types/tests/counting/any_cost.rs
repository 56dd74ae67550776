//! The cost of an Any: instructions, counted by valgrind in an optimized build. Without
//! valgrind, or without optimization, they are not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::hint::black_box;
use std::sync::LazyLock;

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result};
use taut_types::{Any, TypeCode, Typed};
use test_tools::{InstructionCounter, ignored_test};

/// A struct as programs have them.
struct Reading {
    sensor: String,
    time: u64,
    value: f64,
    valid: bool,
}

static TYPE_CODE: LazyLock<TypeCode> = LazyLock::new(|| {
    let members = [
        ("sensor", String::type_code()),
        ("time", u64::type_code()),
        ("value", f64::type_code()),
        ("valid", bool::type_code()),
    ];
    TypeCode::create_struct("IDL:taut.test/table/Reading:1.0", "Reading", &members).unwrap()
});

impl Typed for Reading {
    fn type_code() -> TypeCode {
        TYPE_CODE.clone()
    }
}

impl<'m> Decode<'m> for Reading {
    const MIN_SIZE: usize = 21;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self {
            sensor: String::decode(input)?,
            time: input.read()?,
            value: input.read()?,
            valid: input.read_bool()?,
        })
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
const CASES: &[(&str, f64, f64)] = &[
    ("encode", 772.0, 3_077.0),
    ("decode", 1_051.0, 1_058.0),
    ("extract", 684.0, 684.0),
];

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

/// Of an Any that has come from elsewhere.
#[inline(never)]
fn extract(any: &Any) {
    black_box(any.extract::<Reading>().unwrap());
}

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
    let reading = Reading {
        sensor: "boiler/3/outlet".to_owned(),
        time: 1_700_000_000_000_000_000,
        value: 71.25,
        valid: true,
    };
    let any = Any::new(&reading).unwrap();
    let mut out = Encoder::new(order);
    any.encode(&mut out).unwrap();
    let received = Any::decode(&mut Decoder::new(out.as_bytes(), order)).unwrap();
    assert_eq!(received, any);
    for _ in 0..count {
        out.clear();
        encode(&any, &mut out);
        decode(out.as_bytes(), order);
        extract(&received);
    }
}

/// The instructions that a function takes for each Any.
fn instructions(counter: &InstructionCounter, function: &str, order: &str) -> f64 {
    let function = format!("counting::any_cost::{function}");
    let program = |count| {
        let mut program = ignored_test("any_cost::work");
        program.env(WORK, format!("{order} {count}"));
        program
    };
    counter.count_each(&function, ANYS, program).unwrap()
}

#[test]
fn a_struct_in_an_any_costs_no_more_than_it_did() {
    if cfg!(debug_assertions) {
        eprintln!("LEFT OUT: only optimized code is counted; run with `--release`");
        return;
    }
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    for &(function, native, foreign) in CASES {
        for (order, committed) in [("native", native), ("foreign", foreign)] {
            let count = instructions(&counter, function, order);
            eprintln!("{function}, {order}: {count:.0} instructions for an Any");
            assert!(count > 100.0, "{function}, {order}: {count:.0} are no Any");
            assert!(
                count <= committed * (1.0 + SLACK_PERCENT / 100.0),
                "{function}, {order}: {count:.0} for an Any, {committed} when this was written down"
            );
        }
    }
}

//! Code and tables agree: every type of the code generator's test data, generated
//! in both marshaling strategies, reads the same values of the same octets, finds
//! the same faults at the same places, and writes the same octets, in both byte
//! orders, cut off anywhere, with hostile lengths, and under every limit of
//! nesting.
//!
//! `cargo xtask asan` runs this under AddressSanitizer.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod values;

use std::fmt::Debug;

use taut::Typed;
use taut_cdr::{
    ByteOrder, CharCodeSet, Decode, Decoder, Encode, Encoder, Error, Realignment, WideForm,
};
use taut_types::TCKind;
use values::Numbers;

use crate::generated::{compiled, for_each_type, interpretive};

/// Rounds of random values for each type.
const ROUNDS: u64 = 32;

/// The outcome of reading octets and of writing the values again.
#[derive(Debug, PartialEq)]
struct Trace {
    /// The value as it shows itself, or the fault.
    value: Result<String, Error>,
    /// Where reading ended.
    position: Option<usize>,
    /// The octets that were written, in both byte orders and at two offsets.
    written: Vec<Result<Vec<u8>, Error>>,
}

fn trace<T: Encode + for<'m> Decode<'m> + Debug>(mut input: Decoder<'_>) -> Trace {
    let value = T::decode(&mut input);
    let position = value.is_ok().then(|| input.position());
    let mut written = Vec::new();
    if let Ok(value) = &value {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for offset in [0, 5] {
                let mut out = Encoder::new(order);
                out.write_bytes(&[0; 5][..offset]);
                let outcome = value.encode(&mut out);
                written.push(outcome.map(|()| out.into_buffer()));
            }
        }
    }
    Trace {
        value: value.map(|value| format!("{value:?}")),
        position,
        written,
    }
}

/// Reads the octets as both types. Whether they are a value.
fn agree<C, I>(name: &str, input: &Decoder<'_>) -> bool
where
    C: Encode + for<'m> Decode<'m> + Debug,
    I: Encode + for<'m> Decode<'m> + Debug,
{
    let (by_code, by_table) = (trace::<C>(input.clone()), trace::<I>(input.clone()));
    assert_eq!(by_code, by_table, "{name}: {:02x?}", input.rest());
    by_code.value.is_ok()
}

fn compare<C, I>(name: &str)
where
    C: Typed + Encode + for<'m> Decode<'m> + Debug,
    I: Typed + Encode + for<'m> Decode<'m> + Debug,
{
    assert_eq!(C::MIN_SIZE, I::MIN_SIZE, "{name}");
    assert_eq!(C::type_code(), I::type_code(), "{name}");
    for round in 0..ROUNDS {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut numbers = Numbers::new(round + 1);
            let mut out = Encoder::new(order);
            let is_value = match C::type_code() {
                // A type that is too large to have a TypeCode.
                unknown if unknown.kind() == TCKind::Null => {
                    (0..40).for_each(|_| out.write(numbers.below(3) as u8));
                    false
                }
                known => {
                    values::write(&known, &mut numbers, 0, &mut out);
                    // Which bits a mask has, and that keys differ, is more than
                    // a TypeCode says.
                    !name.starts_with("maps_and_bits")
                }
            };
            let bytes = out.into_buffer();
            let whole = Decoder::new(&bytes, order);
            let accepted = agree::<C, I>(name, &whole);
            assert!(accepted || !is_value, "{name}: {bytes:02x?}");
            variants::<C, I>(name, &whole, &bytes, &mut numbers);
            for length in 0..bytes.len() {
                agree::<C, I>(name, &Decoder::new(&bytes[..length], order));
            }
            // Lengths, ordinals and booleans that are too large.
            for start in (0..bytes.len().min(160)).step_by(4) {
                for hostile in [&[0xff; 4][..], &[0, 0, 0, 9], &[9, 0, 0, 0], &[0x7f, 0xff]] {
                    let mut bytes = bytes.clone();
                    let end = bytes.len().min(start + hostile.len());
                    bytes[start..end].copy_from_slice(&hostile[..end - start]);
                    agree::<C, I>(name, &Decoder::new(&bytes, order));
                }
            }
        }
    }
}

/// The same octets under other circumstances.
fn variants<C, I>(name: &str, whole: &Decoder<'_>, bytes: &[u8], numbers: &mut Numbers)
where
    C: Encode + for<'m> Decode<'m> + Debug,
    I: Encode + for<'m> Decode<'m> + Debug,
{
    for limit in 0..6 {
        agree::<C, I>(name, &whole.clone().with_nesting_limit(limit));
    }
    for form in [WideForm::Forbidden, WideForm::Units] {
        agree::<C, I>(name, &whole.clone().with_wide_form(form));
    }
    let utf8 = whole.clone().with_char_code_set(CharCodeSet::Utf8);
    agree::<C, I>(name, &utf8);
    for _ in 0..4 {
        let places = [Realignment {
            position: numbers.below(bytes.len() as u64) as usize,
            phase: numbers.below(8) as usize,
        }];
        agree::<C, I>(name, &whole.clone().with_realignments(&places));
    }
}

macro_rules! compare_each {
    ($($($segment:ident)::+)*) => {
        #[test]
        fn code_and_tables_agree_on_every_type() {
            let mut count = 0;
            $(
                compare::<compiled::$($segment)::+, interpretive::$($segment)::+>(
                    stringify!($($segment)::+),
                );
                count += 1;
            )*
            assert!(count > 50, "only {count} types were compared");
        }
    };
}

for_each_type!(compare_each);

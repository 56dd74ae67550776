//! Whatever a message holds, to read it takes at most four times its size and
//! 64 KiB: what would take more is refused. The elements here are the smallest on
//! the wire that there are, for these grow most.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use counting_allocator::peak;
use taut_cdr::{
    ByteOrder, CharCodeSet, Decode, DecodeNil, Decoder, Encode, Encoder, ErrorKind, MemoryLimit,
    Result, WideForm,
};
use taut_types::value::Value;
use taut_types::{Any, TCKind, TypeCode, table_structure};

use crate::values::types::Node;

const SIZES: [usize; 4] = [100, 10_000, 200_000, 4_000_000];

/// The outcome of reading one message.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Outcome {
    /// It was read.
    Read,
    /// It takes too much memory.
    TooMuch,
}

/// A union as generated code has it: an octet on the wire, much in memory.
#[derive(Debug)]
#[allow(dead_code, reason = "it is read")]
#[allow(clippy::large_enum_variant, reason = "which is what is measured")]
enum Choice {
    Nothing,
    Much([f64; 50]),
}

impl<'m> Decode<'m> for Choice {
    const MIN_SIZE: usize = 1;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(match input.read_bool()? {
            false => Self::Nothing,
            true => Self::Much(f64::decode_array(input)?),
        })
    }
}

/// By table.
#[derive(Debug)]
struct Wide {
    first: Vec<String>,
    second: Vec<Wide>,
    third: String,
}
table_structure! { Wide { first: Vec<String>, second: Vec<Wide>, third: String } }

/// A value or null.
#[derive(Debug)]
struct Perhaps(#[allow(dead_code, reason = "it is read")] Option<Value<Node>>);

impl<'m> Decode<'m> for Perhaps {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Value::decode_nil(input).map(Self)
    }
}

/// A sequence of as many elements with these octets as fit into so many.
fn sequence(size: usize, element: &[u8]) -> Vec<u8> {
    let count = size / element.len();
    let mut octets = u32::try_from(count).unwrap().to_be_bytes().to_vec();
    octets.extend(element.repeat(count));
    octets
}

/// Reads messages of several sizes, and fails if one takes too much memory. The outcomes of
/// the smallest and of the largest are as expected.
fn bounded<T>(
    what: &str,
    element: &[u8],
    expected: [Outcome; 2],
    read: impl Fn(&mut Decoder<'_>) -> Result<T>,
) {
    let outcomes = SIZES.map(|size| {
        let octets = sequence(size, element);
        let mut outcome = Outcome::Read;
        let taken = peak(|| {
            let mut input = Decoder::new(&octets, ByteOrder::Big)
                .with_wide_form(WideForm::Octets)
                .with_char_code_set(CharCodeSet::Iso8859_1);
            match read(&mut input) {
                Ok(value) => {
                    assert!(input.remaining() < 8, "{what}");
                    drop(value);
                }
                Err(error) => {
                    assert!(
                        matches!(error.kind(), ErrorKind::TooMuchMemory { .. }),
                        "{what}: {error}"
                    );
                    outcome = Outcome::TooMuch;
                }
            }
        });
        let allowed = 4 * octets.len() + 64 * 1024;
        println!(
            "{what}: {} octets take {taken} ({:.1} times), {outcome:?}",
            octets.len(),
            taken as f64 / octets.len() as f64
        );
        assert!(
            taken <= allowed,
            "{what}: {taken} for {} octets",
            octets.len()
        );
        outcome
    });
    assert_eq!([outcomes[0], outcomes[SIZES.len() - 1]], expected, "{what}");
}

fn of<T: for<'m> Decode<'m>>(input: &mut Decoder<'_>) -> Result<T> {
    T::decode(input)
}

fn written(write: impl FnOnce(&mut Encoder) -> Result<()>) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::Big);
    write(&mut out).unwrap();
    // Elements are to be aligned alike.
    out.align(8);
    out.into_buffer()
}

#[test]
fn no_message_takes_more_than_four_times_its_size() {
    use Outcome::{Read, TooMuch};
    the_limit_is_a_setting();
    // Memory that is claimed once per process does not count.
    let _ = TypeCode::null();
    let fits = [Read, Read];
    let grows = [Read, TooMuch];

    bounded("longs", &[0; 4], fits, of::<Vec<i32>>);
    bounded("strings", b"\0\0\0\x04abc\0", fits, of::<Vec<String>>);
    bounded(
        "Latin text",
        b"\0\0\0\x04\xe4\xf6\xfc\0",
        fits,
        of::<Vec<String>>,
    );
    bounded("empty strings", b"\0\0\0\0", grows, of::<Vec<String>>);
    bounded("sequences of octets", &[0; 4], grows, of::<Vec<Vec<u8>>>);
    bounded("wide strings", &[0; 4], grows, |input| {
        Decoder::read_count(input, 4)
            .and_then(|count| input.read_each(count, 4, |input| input.read_wstring()))
    });
    bounded("unions", &[0], grows, of::<Vec<Choice>>);
    bounded("structs by table", &[0; 12], grows, of::<Vec<Wide>>);
    bounded(
        "sequences of sequences",
        &[0, 0, 0, 1, 0, 0, 0, 0],
        grows,
        of::<Vec<Vec<Vec<u8>>>>,
    );
    bounded("null values", &[0; 4], fits, of::<Vec<Perhaps>>);
    // A tag without a type, and a state: a number and two nulls.
    let value = [&[0x7f, 0xff, 0xff, 0][..], &[0; 12]].concat();
    bounded("values", &value, grows, of::<Vec<Perhaps>>);

    bounded("null Anys", &[0; 4], grows, of::<Vec<Any>>);
    let short = written(|out| Any::new(&7_i32)?.encode(out));
    bounded("Anys of longs", &short, grows, of::<Vec<Any>>);
    let long = written(|out| Any::new("sixteen letters!")?.encode(out));
    bounded("Anys of strings", &long, fits, of::<Vec<Any>>);
    let empty = TypeCode::create_struct("IDL:T:1.0", "T", &[]).unwrap();
    let none = written(|out| empty.encode(out));
    bounded("TypeCodes", &none, grows, of::<Vec<TypeCode>>);
    bounded("Anys of empty structs", &none, grows, of::<Vec<Any>>);

    // As docs/limits.md has it.
    for (element, count) in [(&[0; 4][..], 8_190), (&short, 16_000), (&none, 850)] {
        let octets = sequence(count * element.len(), element);
        let read = |input: &mut Decoder<'_>| match element.len() {
            4 => of::<Vec<String>>(input).map(|all| all.len()),
            _ => of::<Vec<Any>>(input).map(|all| all.len()),
        };
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert_eq!(read(&mut input), Ok(count));
        let twice = sequence(2 * count * element.len(), element);
        assert!(read(&mut Decoder::new(&twice, ByteOrder::Big)).is_err());
    }

    // Inside an Any, all is in one piece.
    let nothing = TypeCode::primitive(TCKind::Any).unwrap();
    let list = TypeCode::create_sequence(&nothing, 0).unwrap();
    bounded("an Any of Anys", &short, fits, |input| {
        Any::read_value(list.clone(), input, &taut_types::TypeCodeLimits::DEFAULT)
    });
}

fn the_limit_is_a_setting() {
    let octets = sequence(400_000, &[0; 4]);
    let read = |limit| {
        let mut input = Decoder::new(&octets, ByteOrder::Big).with_memory_limit(limit);
        Vec::<String>::decode(&mut input).map(|texts| texts.len())
    };
    let default = MemoryLimit::default();
    assert!(read(default).is_err());
    let more = MemoryLimit {
        per_octet: 8,
        ..default
    };
    assert_eq!(read(more), Ok(100_000));
    let extra = MemoryLimit {
        per_octet: 1,
        extra: 2_400_000,
    };
    assert_eq!(read(extra), Ok(100_000));
    let none = MemoryLimit {
        per_octet: 1,
        extra: 0,
    };
    assert!(read(none).is_err());
}

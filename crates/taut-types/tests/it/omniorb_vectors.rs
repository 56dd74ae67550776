//! Anys that omniORB has marshaled, there and back.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder, Encode, Encoder};
use taut_types::{Any, DefaultLabel, TCKind, TypeCode};

const VECTORS: &str = include_str!("../data/omniorb_anys.txt");

struct Vector {
    name: &'static str,
    order: ByteOrder,
    octets: Vec<u8>,
    text: &'static str,
}

fn vectors() -> impl Iterator<Item = Vector> {
    let lines = VECTORS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut fields = line.splitn(4, ' ');
        let mut field = || fields.next().unwrap();
        let (name, order, hex, text) = (field(), field(), field(), field());
        Vector {
            name,
            order: match order {
                "big" => ByteOrder::Big,
                _ => ByteOrder::Little,
            },
            octets: (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
            text,
        }
    })
}

fn decode(octets: &[u8], order: ByteOrder, offset: usize) -> taut_cdr::Result<Any> {
    let mut input = Decoder::new(octets, order).with_char_code_set(CharCodeSet::Utf8);
    input.skip(offset)?;
    let any = Any::decode(&mut input)?;
    assert_eq!(input.remaining(), 0);
    Ok(any)
}

fn encode(any: &Any, order: ByteOrder, offset: usize, label: DefaultLabel) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.set_char_code_set(CharCodeSet::Utf8);
    out.write_bytes(&vec![0xaa; offset]);
    any.encode_as(&mut out, label).unwrap();
    out.into_buffer()
}

#[test]
fn each_any_is_read_and_printed() {
    let mut count = 0;
    for Vector {
        name,
        order,
        octets,
        text,
    } in vectors()
    {
        let any = decode(&octets, order, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = format!("{any:?}");
        assert!(printed.contains(text), "{name}: {printed}, not {text}");
        count += 1;
    }
    assert!(count >= 72, "{count} vectors");
}

#[test]
fn each_any_is_written_as_omniorb_does() {
    for Vector {
        name,
        order,
        octets,
        ..
    } in vectors()
    {
        // omniORB marks the byte order of a wide string and leaves an exception
        // without its id; Taut does not.
        if order == ByteOrder::Big || ["wstring", "wide", "exception"].contains(&name) {
            continue;
        }
        let any = decode(&octets, order, 0).unwrap();
        let written = encode(&any, order, 0, DefaultLabel::Discriminator);
        assert_eq!(written.len(), octets.len(), "{name}");
        // omniORB pads with whatever there is, Taut with zeroes, and never by
        // more than seven octets.
        let mut padding = 0;
        for (at, (ours, theirs)) in written.iter().zip(&octets).enumerate() {
            padding = if ours == theirs { 0 } else { padding + 1 };
            assert!(padding == 0 || *ours == 0 && padding < 8, "{name} at {at}");
        }
    }
}

#[test]
fn both_orders_and_all_alignments_give_equal_anys() {
    let all: Vec<_> = vectors().collect();
    for pair in all.chunks(2) {
        let little = decode(&pair[0].octets, pair[0].order, 0).unwrap();
        let big = decode(&pair[1].octets, pair[1].order, 0).unwrap();
        assert_eq!(little, big, "{}", pair[0].name);
        for offset in 0..9 {
            for order in [ByteOrder::Big, ByteOrder::Little] {
                for label in [DefaultLabel::Discriminator, DefaultLabel::Octet] {
                    let octets = encode(&little, order, offset, label);
                    assert_eq!(decode(&octets, order, offset).unwrap(), little);
                }
            }
        }
    }
}

#[test]
fn what_is_cut_short_is_refused() {
    for Vector {
        name,
        order,
        octets,
        ..
    } in vectors()
    {
        for cut in 0..octets.len() {
            assert!(decode(&octets[..cut], order, 0).is_err(), "{name} {cut}");
        }
    }
}

#[test]
fn no_changed_octet_makes_decoding_panic() {
    for Vector { order, octets, .. } in vectors() {
        for at in 0..octets.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, octets[at] ^ 4] {
                let mut changed = octets.clone();
                changed[at] = value;
                let mut input = Decoder::new(&changed, order).with_char_code_set(CharCodeSet::Utf8);
                if let Ok(any) = Any::decode(&mut input) {
                    let _ = format!("{any:?} {:?}", any.type_code());
                    let mut out = Encoder::new(order);
                    let _ = any.encode(&mut out);
                }
            }
        }
    }
}

#[test]
fn the_parameters_are_those_of_the_idl() {
    let type_code = |wanted: &str| -> TypeCode {
        let vector = vectors().find(|vector| vector.name == wanted).unwrap();
        let any = decode(&vector.octets, vector.order, 0).unwrap();
        any.type_code().clone()
    };
    let cases = [
        ("bounded_string", "string<5>"),
        ("fixed", "fixed<7, 2>"),
        ("enum", "enum Colour { RED, GREEN, BLUE }"),
        ("struct", "struct Point { long x; long y; }"),
        ("recursive", "struct Tree { long value; Trees children; }"),
        (
            "union",
            "union U switch (long) { case 1: long l; case 2: string s; case 3: string s; \
             default: Point p; }",
        ),
        (
            "union_enum",
            "union C switch (Colour) { case RED: double d; case BLUE: boolean b; }",
        ),
        (
            "union_short",
            "union S switch (short) { default: octet o; case 5: wstring w; }",
        ),
        ("alias_sequence", "typedef sequence<string<8>, 4> Names"),
        ("array", "typedef double[2][3] Matrix"),
        (
            "exception",
            "exception Oops { string why; unsigned long code; }",
        ),
    ];
    for (name, text) in cases {
        assert_eq!(type_code(name).to_string(), text, "{name}");
    }
    let tree = type_code("recursive");
    assert_eq!(tree.id(), Ok("IDL:vec/Tree:1.0"));
    let children = tree.member_type(1).unwrap();
    assert_eq!(children.kind(), TCKind::Alias);
    let sequence = children.content_type().unwrap();
    assert_eq!(sequence.content_type().unwrap(), tree);
}

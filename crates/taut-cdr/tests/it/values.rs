//! Every kind of value, there and back, in both byte orders.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use taut_cdr::codec::{Array, BoundedString, DecodeAs, EncodeAs, Plain, Sequence, UNBOUNDED};
use taut_cdr::{
    ByteOrder, Char, CharCodeSet, Decode, Decoder, Encode, Encoder, ErrorKind, MemoryLimit,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Encodes behind `offset` octets, so that every alignment is met, and decodes.
fn round_trip<T>(value: &T, offset: usize) -> [T; 2]
where
    T: Encode + for<'m> Decode<'m>,
{
    ORDERS.map(|order| {
        let mut out = Encoder::new(order);
        out.write_bytes(&vec![0xaa; offset]);
        value.encode(&mut out).unwrap();
        let bytes = out.into_buffer();
        let mut input = Decoder::new(&bytes, order);
        input.skip(offset).unwrap();
        let decoded = T::decode(&mut input).unwrap();
        assert_eq!(input.remaining(), 0);
        for cut in offset..bytes.len() {
            let mut input = Decoder::new(&bytes[..cut], order);
            input.skip(offset).unwrap();
            assert!(T::decode(&mut input).is_err(), "decoded from {cut} octets");
        }
        decoded
    })
}

/// A struct without members.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Nothing;

impl Encode for Nothing {
    fn encode(&self, _: &mut Encoder) -> taut_cdr::Result<()> {
        Ok(())
    }
}

impl<'m> Decode<'m> for Nothing {
    const MIN_SIZE: usize = 0;

    fn decode(_: &mut Decoder<'m>) -> taut_cdr::Result<Self> {
        Ok(Self)
    }
}

/// A sequence of structs without members was refused if it had any elements.
#[test]
fn sequences_of_structs_without_members_have_elements() {
    for count in [0, 1, 7, 5_000] {
        let [big, little] = round_trip(&vec![Nothing; count], 3);
        assert_eq!((big.len(), little.len()), (count, count));
    }
    let nested = vec![vec![[Nothing; 3]; 4], Vec::new(), vec![[Nothing; 3]; 2]];
    assert_eq!(round_trip(&nested, 0), [nested.clone(), nested]);
    assert_eq!(round_trip(&[Nothing; 3], 0), [[Nothing; 3]; 2]);
    type Bounded = Sequence<Plain, 2>;
    let three = [0, 0, 0, 3];
    let mut input = Decoder::new(&three, ByteOrder::Big);
    let error = <Bounded as DecodeAs<Vec<Nothing>>>::decode(&mut input).unwrap_err();
    let kind = ErrorKind::BoundExceeded {
        length: 3,
        bound: 2,
    };
    assert_eq!(error.kind(), kind);
}

/// They take no octets, but time.
#[test]
fn elements_that_take_no_octets_are_charged_one_by_one() {
    let octets = [0_u32, 1_000, 1_000, 1_000].map(u32::to_be_bytes).concat();
    let mut input = Decoder::new(&octets, ByteOrder::Big).with_memory_limit(MemoryLimit {
        per_octet: 0,
        extra: 2_500,
    });
    for count in [0, 1_000, 1_000] {
        assert_eq!(Vec::<Nothing>::decode(&mut input).unwrap().len(), count);
    }
    let error = Vec::<Nothing>::decode(&mut input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooMuchMemory { octets: 1_000 });
    let most = [0xff; 4];
    let error = Vec::<Nothing>::decode(&mut Decoder::new(&most, ByteOrder::Big)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn primitives_survive(
        value in any::<(u8, i16, u32, i64, f32, f64, bool)>(),
        offset in 0_usize..9,
    ) {
        let [big, little] = round_trip(&value.0, offset);
        prop_assert_eq!((big, little), (value.0, value.0));
        let [big, little] = round_trip(&value.1, offset);
        prop_assert_eq!((big, little), (value.1, value.1));
        let [big, little] = round_trip(&value.2, offset);
        prop_assert_eq!((big, little), (value.2, value.2));
        let [big, little] = round_trip(&value.3, offset);
        prop_assert_eq!((big, little), (value.3, value.3));
        let [big, little] = round_trip(&value.4, offset).map(f32::to_bits);
        prop_assert_eq!((big, little), (value.4.to_bits(), value.4.to_bits()));
        let [big, little] = round_trip(&value.5, offset).map(f64::to_bits);
        prop_assert_eq!((big, little), (value.5.to_bits(), value.5.to_bits()));
        let [big, little] = round_trip(&value.6, offset);
        prop_assert_eq!((big, little), (value.6, value.6));
    }

    #[test]
    fn sequences_survive(
        longs in prop::collection::vec(any::<i32>(), 0..20),
        nested in prop::collection::vec(prop::collection::vec(any::<u16>(), 0..5), 0..6),
        flags in prop::collection::vec(any::<bool>(), 0..20),
        array in any::<[i64; 5]>(),
        offset in 0_usize..9,
    ) {
        let [big, little] = round_trip(&longs, offset);
        prop_assert_eq!((&big, &little), (&longs, &longs));
        let [big, little] = round_trip(&nested, offset);
        prop_assert_eq!((&big, &little), (&nested, &nested));
        let [big, little] = round_trip(&flags, offset);
        prop_assert_eq!((&big, &little), (&flags, &flags));
        let [big, little] = round_trip(&array, offset);
        prop_assert_eq!((&big, &little), (&array, &array));
    }

    #[test]
    fn strings_survive_in_utf_8(text in "[^\0]*", offset in 0_usize..5) {
        for order in ORDERS {
            let mut out = Encoder::new(order);
            out.set_char_code_set(CharCodeSet::Utf8);
            out.write_bytes(&vec![1; offset]);
            text.encode(&mut out).unwrap();
            let bytes = out.into_buffer();
            let mut input = Decoder::new(&bytes, order).with_char_code_set(CharCodeSet::Utf8);
            input.skip(offset).unwrap();
            prop_assert_eq!(&input.read_string().unwrap(), &text);
        }
    }

    #[test]
    fn strings_survive_in_iso_8859_1(octets in prop::collection::vec(1_u8..=255, 0..40)) {
        let text: String = octets.iter().copied().map(char::from).collect();
        let [big, little] = round_trip(&text, 0);
        prop_assert_eq!((&big, &little), (&text, &text));
    }

    #[test]
    fn garbage_is_refused_and_never_panics(bytes in any::<Vec<u8>>()) {
        for order in ORDERS {
            let _ = Vec::<Vec<String>>::decode(&mut Decoder::new(&bytes, order));
            let _ = <[bool; 3]>::decode(&mut Decoder::new(&bytes, order));
            let _ = Vec::<f64>::decode(&mut Decoder::new(&bytes, order));
            if let Ok(mut inner) = Decoder::encapsulated(&bytes) {
                let _ = inner.read_encapsulation();
            }
        }
    }
}

#[test]
fn values_stand_where_the_standard_puts_them() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.write(1_u8);
    out.write(2_i32);
    "hi".encode(&mut out).unwrap();
    [3_u16, 4].as_slice().encode(&mut out).unwrap();
    out.write(5.0_f64);
    assert_eq!(
        out.as_bytes(),
        [
            &[1, 0, 0, 0][..],
            &[0, 0, 0, 2],
            &[0, 0, 0, 3, b'h', b'i', 0, 0],
            &[0, 0, 0, 2, 0, 3, 0, 4],
            &[0x40, 0x14, 0, 0, 0, 0, 0, 0],
        ]
        .concat()
    );
}

#[test]
fn an_encapsulation_aligns_from_its_own_start() {
    for order in ORDERS {
        let mut out = Encoder::new(order);
        out.write(7_u8);
        out.write_encapsulation(|inner| {
            inner.write(0x1122_3344_5566_7788_u64);
            inner.write_encapsulation(|innermost| {
                innermost.write(9_u16);
                Ok(())
            })
        })
        .unwrap();
        out.write(8_u64);
        let bytes = out.into_buffer();
        let mut input = Decoder::new(&bytes, order);
        assert_eq!(input.read::<u8>().unwrap(), 7);
        let mut inner = input.read_encapsulation().unwrap();
        assert_eq!(inner.read::<u64>().unwrap(), 0x1122_3344_5566_7788);
        assert_eq!(inner.position(), 16);
        let mut innermost = inner.read_encapsulation().unwrap();
        assert_eq!(innermost.read::<u16>().unwrap(), 9);
        assert_eq!(input.read::<u64>().unwrap(), 8);
    }
}

#[test]
fn a_native_aligned_sequence_is_borrowed_and_a_foreign_one_is_not() {
    let foreign = match ByteOrder::NATIVE {
        ByteOrder::Big => ByteOrder::Little,
        ByteOrder::Little => ByteOrder::Big,
    };
    for (order, borrowed) in [(ByteOrder::NATIVE, true), (foreign, false)] {
        let mut out = Encoder::new(order);
        [1_u32, 2, 3].as_slice().encode(&mut out).unwrap();
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(out.as_bytes());
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let items = Decoder::new(bytes, order).read_sequence::<u32>().unwrap();
        assert_eq!(*items, [1, 2, 3]);
        assert_eq!(matches!(items, std::borrow::Cow::Borrowed(_)), borrowed);
    }
}

#[test]
fn bounds_are_checked_both_ways() {
    type Form = Sequence<Sequence<BoundedString<3>, 2>, UNBOUNDED>;
    let good = vec![vec!["abc".to_owned(), "äöü".to_owned()], vec![]];
    let mut out = Encoder::new(ByteOrder::Big);
    <Form as EncodeAs<Vec<Vec<String>>>>::encode(&good, &mut out).unwrap();
    let decoded: Vec<Vec<String>> =
        Form::decode(&mut Decoder::new(out.as_bytes(), ByteOrder::Big)).unwrap();
    assert_eq!(decoded, good);

    let long_string = vec![vec!["abcd".to_owned()]];
    let long_sequence = vec![vec![String::new(); 3]];
    for (bad, length, bound) in [(long_string, 4, 3), (long_sequence, 3, 2)] {
        let mut out = Encoder::new(ByteOrder::Big);
        let error = <Form as EncodeAs<Vec<Vec<String>>>>::encode(&bad, &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BoundExceeded { length, bound });
        let mut out = Encoder::new(ByteOrder::Big);
        bad.encode(&mut out).unwrap();
        let read: Result<Vec<Vec<String>>, _> =
            Form::decode(&mut Decoder::new(out.as_bytes(), ByteOrder::Big));
        assert_eq!(
            read.unwrap_err().kind(),
            ErrorKind::BoundExceeded { length, bound }
        );
    }

    let grid = [[1_i16, 2], [3, 4]];
    let mut out = Encoder::new(ByteOrder::Little);
    <Array<Array<Plain>> as EncodeAs<[[i16; 2]; 2]>>::encode(&grid, &mut out).unwrap();
    assert_eq!(out.as_bytes(), [1, 0, 2, 0, 3, 0, 4, 0]);
}

#[test]
fn each_fault_is_named_with_its_place() {
    fn fault<T: for<'m> Decode<'m> + std::fmt::Debug>(bytes: &[u8]) -> (ErrorKind, usize) {
        let error = T::decode(&mut Decoder::new(bytes, ByteOrder::Big)).unwrap_err();
        (error.kind(), error.offset())
    }
    assert_eq!(fault::<bool>(&[2]), (ErrorKind::InvalidBoolean(2), 0));
    assert_eq!(
        fault::<u32>(&[1, 2]),
        (
            ErrorKind::Truncated {
                needed: 4,
                remaining: 2
            },
            0
        )
    );
    assert_eq!(
        fault::<String>(&[0, 0, 0, 2, b'h', b'i']),
        (ErrorKind::UnterminatedString, 6)
    );
    assert_eq!(
        fault::<String>(&[0, 0, 0, 2, 0, 0]),
        (ErrorKind::NulInString, 6)
    );
    assert_eq!(
        fault::<Vec<u64>>(&[0xff; 12]),
        (ErrorKind::LengthBeyondMessage { length: u32::MAX }, 0)
    );
    let mut out = Encoder::new(ByteOrder::Big);
    assert_eq!(
        "a\0b".encode(&mut out).unwrap_err().kind(),
        ErrorKind::NulInString
    );
    assert_eq!(
        "€".encode(&mut out).unwrap_err().kind(),
        ErrorKind::Unrepresentable {
            character: '€',
            index: 0,
        }
    );
    let utf_8 = Decoder::new(&[0, 0, 0, 2, 0xff, 0], ByteOrder::Big)
        .with_char_code_set(CharCodeSet::Utf8)
        .read_string()
        .unwrap_err();
    assert_eq!(utf_8.kind(), ErrorKind::MalformedString);
}

#[test]
fn an_empty_string_may_have_length_zero() {
    let read = String::decode(&mut Decoder::new(&[0; 4], ByteOrder::Big)).unwrap();
    assert_eq!(read, "");
}

#[test]
fn nesting_has_a_limit() {
    #[derive(Debug)]
    #[expect(dead_code, reason = "only its nesting matters")]
    struct Node(Vec<Node>);
    impl<'m> Decode<'m> for Node {
        const MIN_SIZE: usize = 4;
        fn decode(input: &mut Decoder<'m>) -> taut_cdr::Result<Self> {
            Vec::decode(input).map(Node)
        }
    }
    let deep: Vec<u8> = [0, 0, 0, 1].repeat(100_000);
    let error = Node::decode(&mut Decoder::new(&deep, ByteOrder::Big)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NestedTooDeeply { limit: 64 });
    let mut shallow = [0, 0, 0, 1].repeat(3);
    shallow.extend([0; 4]);
    let limited = Decoder::new(&shallow, ByteOrder::Big).with_nesting_limit(4);
    assert!(Node::decode(&mut limited.clone()).is_ok());
    assert!(Node::decode(&mut limited.with_nesting_limit(3)).is_err());
}

#[test]
fn chars_are_single_octets() {
    assert_eq!(Char::try_from('é').unwrap(), Char(0xe9));
    assert_eq!(char::from(Char(0xe9)), 'é');
    assert_eq!(
        Char::try_from('€').unwrap_err().to_string(),
        "'€' does not fit in one octet; an IDL char holds U+0000 to U+00FF"
    );
}

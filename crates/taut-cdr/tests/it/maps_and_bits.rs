//! Types that IDL 4 added and for which CORBA has no form: maps, and the fields of bit
//! sets.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;

use taut_cdr::bits::{BitField, pack, unpack};
use taut_cdr::codec::{BoundedString, DecodeAs, EncodeAs, Map, Plain, UNBOUNDED};
use taut_cdr::{ByteOrder, Decoder, Encoder, ErrorKind};

type Numbers = Map<Plain, Plain, 2>;
type Names = Map<BoundedString<3>, Plain, UNBOUNDED>;

fn encoded<C: EncodeAs<T>, T: ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::Big);
    C::encode(value, &mut out).unwrap();
    out.into_buffer()
}

fn decoded<'m, C: DecodeAs<'m, T>, T>(bytes: &'m [u8]) -> taut_cdr::Result<T> {
    C::decode(&mut Decoder::new(bytes, ByteOrder::Big))
}

#[test]
fn a_map_is_a_count_and_its_pairs() {
    let map = BTreeMap::from([(2_u8, 7_u16), (1, 8)]);
    let bytes = [0, 0, 0, 2, 1, 0, 0, 8, 2, 0, 0, 7];
    assert_eq!(encoded::<Numbers, _>(&map), bytes);
    assert_eq!(decoded::<Numbers, _>(&bytes), Ok(map));
    let pairs = vec![(2_u8, 7_u16), (2, 8)];
    let bytes = encoded::<Numbers, _>(&pairs);
    assert_eq!(decoded::<Numbers, Vec<(u8, u16)>>(&bytes), Ok(pairs));
    // The keys of a map differ.
    let twice = decoded::<Numbers, BTreeMap<u8, u16>>(&bytes).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Invalid("a map has a key twice"));
    assert_eq!(twice.offset(), 8);
}

#[test]
fn bounds_and_counts_are_checked() {
    let three = [(1_u8, 1_u16), (2, 2), (3, 3)];
    let bytes = encoded::<Map<Plain, Plain, UNBOUNDED>, [(u8, u16)]>(&three);
    let mut out = Encoder::new(ByteOrder::Big);
    let error = <Numbers as EncodeAs<[_]>>::encode(&three, &mut out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BoundExceeded { .. }));
    let error = decoded::<Numbers, BTreeMap<u8, u16>>(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BoundExceeded { .. }));
    let huge = [0x7f, 0xff, 0xff, 0xff, 0, 0];
    let error = decoded::<Names, BTreeMap<String, u16>>(&huge).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::LengthBeyondMessage { .. }
    ));

    let long = BTreeMap::from([("long".to_owned(), 1_u16)]);
    let error = Names::encode(&long, &mut out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BoundExceeded { .. }));
}

fn travels<T: BitField + PartialEq + std::fmt::Debug>(value: T, offset: u32, width: u32) {
    let bits = pack(value, offset, width, &Encoder::new(ByteOrder::Big)).unwrap();
    let outside = u64::MAX ^ (u64::MAX >> (64 - width) << offset);
    assert_eq!(bits & outside, 0, "{value:?}");
    assert_eq!(unpack::<T>(bits, offset, width), value);
    // The bits beside a field do not matter.
    assert_eq!(unpack::<T>(bits | outside, offset, width), value);
}

#[test]
fn fields_are_kept_in_their_bits() {
    travels(true, 63, 1);
    travels(5_u8, 0, 3);
    travels(-4_i8, 7, 3);
    travels(3_i16, 60, 3);
    travels(-1_i32, 31, 1);
    travels(u64::MAX, 0, 64);
    travels(i64::MIN, 0, 64);
    let out = Encoder::new(ByteOrder::Big);
    assert!(pack(8_u8, 0, 3, &out).is_err());
    assert!(pack(4_i8, 0, 3, &out).is_err());
    assert!(pack(-5_i8, 0, 3, &out).is_err());
    assert!(pack(1_i32, 0, 1, &out).is_err());
}

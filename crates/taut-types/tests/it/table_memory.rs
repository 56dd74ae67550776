//! The cost of a lying count for a type that is marshaled by table: no more memory than the
//! message had octets.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use counting_allocator::peak;
use taut_cdr::{ByteOrder, Decode, Decoder, MemoryLimit};
use taut_types::table_structure;

/// Six times as large in memory as on the wire.
#[derive(Debug)]
struct Wide {
    first: Vec<String>,
    second: Vec<Wide>,
    third: String,
}
table_structure! { Wide { first: Vec<String>, second: Vec<Wide>, third: String } }

const OCTETS: usize = 120_000;

/// A count of as many elements as there is room for, then these octets.
fn message(filler: u8) -> Vec<u8> {
    let count = u32::try_from((OCTETS - 4) / 12).unwrap();
    let mut octets = count.to_be_bytes().to_vec();
    octets.resize(OCTETS, filler);
    octets
}

#[test]
fn memory_grows_with_what_is_read() {
    let lie = message(0xff);
    let most = peak(|| {
        let mut input = Decoder::new(&lie, ByteOrder::Big);
        assert!(Vec::<Wide>::decode(&mut input).is_err());
    });
    assert!(most <= OCTETS, "{most} octets for a count that lies");

    // Elements that are really there take what they take.
    let truth = message(0);
    let most = peak(|| {
        let limit = MemoryLimit {
            per_octet: 7,
            ..MemoryLimit::DEFAULT
        };
        let mut input = Decoder::new(&truth, ByteOrder::Big).with_memory_limit(limit);
        let values = Vec::<Wide>::decode(&mut input).unwrap();
        assert_eq!(values.len(), (OCTETS - 4) / 12);
        assert!(values.iter().all(|value| {
            value.first.is_empty() && value.second.is_empty() && value.third.is_empty()
        }));
    });
    assert!(most >= (OCTETS - 4) / 12 * size_of::<Wide>());
}

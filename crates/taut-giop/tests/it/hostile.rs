//! Bytes that nobody meant well: no panic, and no more memory than four times
//! the input and 64 KiB.

use crate::common::{PROTOCOLS, from_hexadecimal, omniorb_messages, piece};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use taut_cdr::{Decode, Decoder};
use taut_giop::code_set::{CodeSetComponentInfo, CodeSetContext};
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, MessageType, ReplyHeader,
    RequestHeader,
};
use taut_giop::url::ObjectUrl;
use taut_giop::{Ior, SystemException, Version, naming};

/// Runs `read` on the input; fails when it took too much memory.
fn bounded(what: &str, input: &[u8], read: impl FnOnce(&[u8])) -> Result<(), TestCaseError> {
    let taken = counting_allocator::peak(|| read(input));
    let allowed = 4 * input.len() + 64 * 1024;
    prop_assert!(
        taken <= allowed,
        "{what} took {taken} for {} octets",
        input.len()
    );
    Ok(())
}

fn read_everything(input: &[u8]) -> Result<(), TestCaseError> {
    for version in PROTOCOLS {
        for order in crate::common::ORDERS {
            let decoder = Decoder::new(input, order);
            bounded("a message", input, |_| {
                if let Ok(request) = RequestHeader::decode(version, &mut decoder.clone()) {
                    let _ = request.target.object_key();
                }
                let _ = ReplyHeader::decode(version, &mut decoder.clone());
                if let Ok(request) = LocateRequestHeader::decode(version, &mut decoder.clone()) {
                    let _ = request.target.object_key();
                }
                let _ = LocateReplyHeader::decode(version, &mut decoder.clone());
                let _ = CancelRequestHeader::decode(&mut decoder.clone());
            })?;
            bounded("an exception", input, |_| {
                let _ = SystemException::decode(&mut decoder.clone());
            })?;
            bounded("a reference", input, |_| {
                if let Ok(ior) = Ior::decode(&mut decoder.clone()) {
                    ior.iiop_profiles().for_each(drop);
                }
            })?;
        }
    }
    bounded("a profile", input, |input| {
        let _ = IiopProfile::parse(input);
    })?;
    bounded("code sets", input, |input| {
        if let Ok(mut inner) = Decoder::encapsulated(input) {
            let _ = CodeSetComponentInfo::decode(&mut inner);
        }
        let _ = CodeSetContext::from_context_data(input);
    })?;
    read_stream(input)?;
    let text = String::from_utf8_lossy(input);
    let hexadecimal: String = input.iter().map(|octet| format!("{octet:02x}")).collect();
    for text in [
        text.to_string(),
        format!("IOR:{text}"),
        format!("IOR:00{hexadecimal}"),
        format!("IOR:01{hexadecimal}"),
        format!("corbaloc:{text}"),
        format!("corbaloc::{text}"),
        format!("corbaloc::h/{text}"),
        format!("corbaname:rir:#{text}"),
    ] {
        bounded("a URL", text.as_bytes(), |_| {
            let _ = text.parse::<ObjectUrl>();
        })?;
        bounded("a name", text.as_bytes(), |_| {
            let _ = naming::parse_name(&text);
        })?;
    }
    Ok(())
}

/// Reads what there is of messages in a stream, whole or in pieces.
fn read_stream(input: &[u8]) -> Result<(), TestCaseError> {
    framed(Version::HIGHEST, input)?;
    framed(Version::LITE, input)
}

fn framed(protocol: Version, input: &[u8]) -> Result<(), TestCaseError> {
    bounded("a framer", input, |input| {
        let mut framer = Framer::of(protocol, FramingLimits::DEFAULT);
        let mut rest = input;
        while let Ok(step) = framer.next(rest) {
            rest = match step {
                Step::NeedMore { .. } => break,
                Step::Message { consumed, .. } | Step::Absorbed { consumed } => &rest[consumed..],
                Step::Reassembled { message, consumed } => {
                    let version = message.header.version;
                    if let Ok(mut input) = message.decoder() {
                        let _ = RequestHeader::decode(version, &mut input);
                    }
                    &rest[consumed..]
                }
            };
        }
    })
}

/// Octets of which some are the numbers that make trouble.
fn octets() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 1..8),
        2 => Just(vec![0, 0, 0, 0]),
        1 => Just(vec![0, 0, 0, 1]),
        1 => Just(vec![1, 0, 0, 0]),
        1 => Just(vec![0xff, 0xff, 0xff, 0xff]),
        1 => Just(vec![0x7f, 0xff, 0xff, 0xff]),
        1 => (0_u8..32).prop_map(|length| vec![length, 0, 0, 0]),
        1 => (0_u8..32).prop_map(|length| vec![0, 0, 0, length]),
        1 => Just(b"GIOP\x01\x02\x01\x00".to_vec()),
        1 => Just(b"GIOP\x01\x02\x03\x07".to_vec()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Far more of the same than the 64 KiB that anything may take: what grows, shows.
fn much_of_the_same() -> impl Strategy<Value = Vec<u8>> {
    let unit = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..16),
        octets(),
        // Text that becomes names, hosts and addresses.
        "[a./,:%0-9\\\\-]{1,4}".prop_map(String::into_bytes),
        "[\\x80-\\u{7ff}]{1,4}".prop_map(String::into_bytes),
        // Entries of lists without content, in both orders.
        Just(vec![0, 0, 0, 9, 0, 0, 0, 0]),
        Just(vec![9, 0, 0, 0, 0, 0, 0, 0]),
    ];
    let start = prop_oneof![
        Just(vec![]),
        octets(),
        // Counts of lists, behind an encapsulation's byte order and without.
        Just(vec![0, 0, 0, 64]),
        Just(vec![64, 0, 0, 0]),
        Just(vec![0, 0, 0, 0, 0, 1, 0, 0]),
        Just(vec![0, 0, 0, 0, 0, 0, 0, 1, 0]),
    ];
    (start, unit, 0_usize..200_000).prop_map(|(mut octets, unit, size)| {
        while octets.len() < size && !unit.is_empty() {
            octets.extend(&unit);
        }
        octets
    })
}

/// Pieces of messages of which most are small, and whose alignment starts anew.
fn many_pieces() -> impl Strategy<Value = Vec<u8>> {
    let sizes = prop::collection::vec(0_usize..20, 1..8);
    let rounds = prop_oneof![Just(1_usize), 1_usize..6_000];
    (any::<bool>(), sizes, rounds, any::<bool>()).prop_map(|(new, sizes, rounds, ends)| {
        let (version, prefix) = match new {
            true => (Version::V1_2, &[0, 0, 0, 7][..]),
            false => (Version::V1_1, &[][..]),
        };
        let content = |size: usize| [prefix, &vec![0; if new { size * 8 } else { size }]].concat();
        let mut stream = piece(version, MessageType::Request, true, &[0; 20]);
        for _ in 0..rounds {
            for &size in &sizes {
                stream.extend(piece(version, MessageType::Fragment, true, &content(size)));
            }
        }
        stream.extend(piece(version, MessageType::Fragment, !ends, &content(1)));
        stream
    })
}

#[test]
fn hostile_bytes_cost_little_and_break_nothing() {
    let mut runner = TestRunner::new(Config::with_cases(600));
    runner
        .run(&octets(), |input| read_everything(&input))
        .unwrap();

    let mut few = TestRunner::new(Config::with_cases(40));
    few.run(&much_of_the_same(), |input| read_everything(&input))
        .unwrap();
    runner
        .run(&many_pieces(), |stream| read_stream(&stream))
        .unwrap();

    // Good messages with one octet changed reach further into the parsers.
    let good = omniorb_messages();
    let changed = (0..good.len(), any::<prop::sample::Index>(), any::<u8>());
    runner
        .run(&changed, |(which, at, octet)| {
            let mut bytes = good[which].clone();
            let at = at.index(bytes.len());
            bytes[at] = octet;
            read_everything(&bytes)?;
            read_everything(&bytes[12..])
        })
        .unwrap();

    // A length of 4 GiB and a list of 2^32 entries, with little behind them.
    for text in [
        "ffffffff00000000",
        "00000001ffffffff",
        "0000000000ffffff0000000000000000",
    ] {
        read_everything(&from_hexadecimal(text)).unwrap();
    }
}

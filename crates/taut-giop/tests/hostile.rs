//! Bytes that nobody meant well: no panic, and no more memory than four times
//! the input and 64 KiB.
//!
//! One test only, for the count is of the whole process.

mod common;

use common::{VERSIONS, from_hexadecimal, omniorb_messages};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use taut_cdr::{Decode, Decoder};
use taut_giop::code_set::{CodeSetComponentInfo, CodeSetContext};
use taut_giop::framing::{Framer, Step};
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, ReplyHeader, RequestHeader,
};
use taut_giop::url::ObjectUrl;
use taut_giop::{Ior, SystemException, naming};

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
    for version in VERSIONS {
        for order in common::ORDERS {
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
    bounded("a framer", input, |input| {
        let mut framer = Framer::default();
        let mut rest = input;
        while let Ok(
            Step::Message { consumed, .. }
            | Step::Reassembled { consumed, .. }
            | Step::Absorbed { consumed },
        ) = framer.next(rest)
        {
            rest = &rest[consumed..];
        }
    })?;
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
            let _ = naming::parse_name(&text);
        })?;
    }
    Ok(())
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

#[test]
fn hostile_bytes_cost_little_and_break_nothing() {
    let mut runner = TestRunner::new(Config::with_cases(600));
    runner
        .run(&octets(), |input| read_everything(&input))
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

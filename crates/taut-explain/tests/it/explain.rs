//! Messages explained: those that omniORB sent, every cut and every change of an
//! octet; and that the explanation marks whatever the readers refuse.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../../taut-giop/tests/it/common/octets.rs"]
#[allow(unreachable_pub, reason = "tests of the crate below share it")]
mod octets;

use octets::omniorb_messages;
use taut_explain::{Explained, Preamble, Rule, Subject, message};
use taut_giop::Limits;
use taut_giop::message::{
    CancelRequestHeader, HEADER_SIZE, LocateReplyHeader, LocateRequestHeader, MessageHeader,
    MessageType, ReplyHeader, RequestHeader,
};

fn explain(bytes: &[u8]) -> Option<(Preamble, Explained)> {
    let preamble = Preamble::new(bytes.first_chunk()?);
    let explained = message(&preamble, bytes, &[], &Limits::DEFAULT);
    Some((preamble, explained))
}

/// Whether the readers of the ORB refuse the message.
fn is_refused(bytes: &[u8]) -> bool {
    let Ok(header) = MessageHeader::parse(bytes.first_chunk::<HEADER_SIZE>().unwrap()) else {
        return true;
    };
    let mut input = header.decoder(bytes).unwrap();
    let version = header.version;
    match header.message_type {
        MessageType::Request => RequestHeader::decode(version, &mut input).is_err(),
        MessageType::Reply => ReplyHeader::decode(version, &mut input).is_err(),
        MessageType::CancelRequest => CancelRequestHeader::decode(&mut input).is_err(),
        MessageType::LocateRequest => LocateRequestHeader::decode(version, &mut input).is_err(),
        MessageType::LocateReply => LocateReplyHeader::decode(version, &mut input).is_err(),
        _ => false,
    }
}

#[test]
fn what_omniorb_sent_is_explained_without_a_mark_but_for_padding() {
    let mut kinds = Vec::new();
    for bytes in omniorb_messages() {
        let (preamble, explained) = explain(&bytes).unwrap();
        assert!(preamble.marks().is_empty());
        assert!(explained.is_readable);
        let all_padding =
            |mark: &taut_explain::Mark| matches!(mark.rule, Rule::Padding | Rule::Reserved);
        assert!(
            explained.marks.iter().all(all_padding),
            "{:?}",
            explained.marks
        );
        assert_ne!(explained.subject, Subject::Unknown);
        let header = MessageHeader::parse(bytes.first_chunk().unwrap()).unwrap();
        kinds.push(header.message_type);
    }
    for kind in [MessageType::Request, MessageType::Reply] {
        assert!(kinds.contains(&kind));
    }
}

#[test]
fn whatever_the_readers_refuse_is_marked() {
    for bytes in omniorb_messages() {
        for end in HEADER_SIZE..bytes.len() {
            let (_, explained) = explain(&bytes[..end]).unwrap();
            if is_refused(&bytes[..end]) {
                assert!(!explained.marks.is_empty(), "{end} of {bytes:?}");
            }
        }
        for index in 0..bytes.len() {
            for value in [0, 1, 2, 3, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[index] = value;
                let (preamble, explained) = explain(&changed).unwrap();
                let is_marked = !preamble.marks().is_empty() || !explained.marks.is_empty();
                // 1.3 is in the standard, and has the layout of 1.2.
                let is_1_3 = index == 5 && value == 3;
                assert!(
                    is_marked || is_1_3 || !is_refused(&changed),
                    "{value} at {index} of {bytes:?}"
                );
            }
        }
    }
}

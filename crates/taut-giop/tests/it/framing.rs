//! Streams of messages, cut and fragmented in every way.

#![allow(clippy::unwrap_used)]

use crate::common::{ORDERS, fragment, header, message, omniorb_messages};
use taut_cdr::{ByteOrder, Decode, Encoder};
use taut_giop::Version;
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::{
    CancelRequestHeader, FrameError, LocateRequestHeader, MessageType, RequestHeader,
    ResponseFlags, TargetAddress, begin_body, begin_plain_reply, finish_message,
};
use taut_giop::service_context::ServiceContexts;

/// A request with a body of `length` octets.
fn request(version: Version, order: ByteOrder, request_id: u32, length: usize) -> Vec<u8> {
    let body: Vec<u8> = (0..length).map(|octet| octet as u8).collect();
    message(version, order, MessageType::Request, |out| {
        let header = RequestHeader {
            request_id,
            response: ResponseFlags::Expected,
            target: TargetAddress::Key(b"key"),
            operation: b"feed",
            service_contexts: ServiceContexts::EMPTY,
        };
        header.encode(version, out).unwrap();
        let start = begin_body(version, out);
        out.write_bytes(&body);
        start.finish(out);
    })
}

fn cancel(version: Version, order: ByteOrder, request_id: u32) -> Vec<u8> {
    message(version, order, MessageType::CancelRequest, |out| {
        CancelRequestHeader { request_id }.encode(out);
    })
}

/// Every message in a stream, however it comes.
fn drain(framer: &mut Framer, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, FrameError> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let consumed = match framer.next(bytes)? {
            Step::NeedMore { total } => panic!("{total} octets needed of {}", bytes.len()),
            Step::Message {
                header,
                bytes,
                consumed,
            } => {
                assert_eq!((header.total_size(), consumed), (bytes.len(), bytes.len()));
                messages.push(bytes.to_vec());
                consumed
            }
            Step::Reassembled { message, consumed } => {
                assert_eq!(message.header, crate::common::header(&message.bytes));
                assert_eq!(message.header.total_size(), message.bytes.len());
                messages.push(message.bytes);
                consumed
            }
            Step::Absorbed { consumed } => consumed,
        };
        bytes = &bytes[consumed..];
    }
    Ok(messages)
}

fn fault(pieces: &[Vec<u8>]) -> FrameError {
    fault_within(FramingLimits::DEFAULT, pieces)
}

fn fault_within(limits: FramingLimits, pieces: &[Vec<u8>]) -> FrameError {
    let error = drain(&mut Framer::new(limits), &pieces.concat()).unwrap_err();
    let answer = header(&error.answer(Version::V1_0));
    assert_eq!(answer.message_type, MessageType::MessageError);
    error
}

/// Whatever part of a stream has arrived, the messages are the same in the end.
#[test]
fn any_cut_of_a_stream_gives_the_same_messages() {
    let mut stream = omniorb_messages();
    let whole = request(Version::V1_2, ByteOrder::Big, 9, 100);
    stream.extend(fragment(&whole, &[32, 40, 64]));
    let bytes = stream.concat();
    let expected = drain(&mut Framer::default(), &bytes).unwrap();
    assert_eq!(expected.len(), stream.len() - 3);
    assert_eq!(expected.last(), Some(&whole));

    // Octet by octet: each time as many octets are asked for as are missing.
    let mut framer = Framer::default();
    let mut messages = Vec::new();
    let mut start = 0;
    for end in 1..=bytes.len() {
        match framer.next(&bytes[start..end]).unwrap() {
            Step::NeedMore { total } => {
                assert!(total > end - start && start + total <= bytes.len())
            }
            Step::Message {
                bytes, consumed, ..
            } => {
                messages.push(bytes.to_vec());
                start += consumed;
            }
            Step::Reassembled { message, consumed } => {
                messages.push(message.bytes);
                start += consumed;
            }
            Step::Absorbed { consumed } => start += consumed,
        }
        assert!(start <= end);
    }
    assert_eq!(messages, expected);
}

#[test]
fn fragments_make_the_message_they_were_cut_from() {
    for order in ORDERS {
        // First piece and further pieces end where alignment carries over.
        for (version, cuts) in [
            (Version::V1_1, [28, 36, 60]),
            (Version::V1_2, [24, 32, 56]),
            (Version::V1_2, [16, 24, 32]),
        ] {
            let whole = request(version, order, 3, 200);
            for count in 1..=cuts.len() {
                let pieces = fragment(&whole, &cuts[..count]);
                let mut framer = Framer::default();
                let messages = drain(&mut framer, &pieces.concat()).unwrap();
                assert_eq!(
                    messages,
                    std::slice::from_ref(&whole),
                    "{version} {order:?} {count}"
                );
                assert_eq!((framer.partial_messages(), framer.partial_bytes()), (0, 0));
            }
        }
    }
}

#[test]
fn fragments_of_several_requests_and_other_messages_interleave() {
    let order = ByteOrder::Little;
    let (a, b) = (
        request(Version::V1_2, order, 1, 100),
        request(Version::V1_2, order, 2, 150),
    );
    let other = request(Version::V1_2, order, 3, 5);
    let (fa, fb) = (fragment(&a, &[32, 64]), fragment(&b, &[40, 48]));
    let stream = [
        &fa[0], &fb[0], &other, &fb[1], &fa[1], &fb[2], &other, &fa[2],
    ];
    let stream: Vec<u8> = stream.into_iter().flatten().copied().collect();
    let messages = drain(&mut Framer::default(), &stream).unwrap();
    assert_eq!(messages, [other.clone(), b, other, a]);
}

#[test]
fn a_fragment_of_1_1_may_end_with_nothing() {
    let whole = request(Version::V1_1, ByteOrder::Big, 1, 100);
    let mut pieces = [whole.clone(), b"GIOP\x01\x01\0\x07\0\0\0\0".to_vec()];
    pieces[0][6] |= 2;
    assert_eq!(
        drain(&mut Framer::default(), &pieces.concat()),
        Ok(vec![whole])
    );
}

#[test]
fn a_cancelled_request_is_dropped() {
    for (version, cut) in [(Version::V1_1, 28), (Version::V1_2, 32)] {
        let order = ByteOrder::Big;
        let pieces = fragment(&request(version, order, 5, 100), &[cut]);
        let mut framer = Framer::default();
        drain(&mut framer, &pieces[0]).unwrap();
        // Another request is cancelled: nothing happens.
        drain(&mut framer, &cancel(version, order, 6)).unwrap();
        assert_eq!(framer.partial_messages(), 1);
        let stream = cancel(version, order, 5);
        assert_eq!(drain(&mut framer, &stream), Ok(vec![stream.clone()]));
        assert_eq!((framer.partial_messages(), framer.partial_bytes()), (0, 0));
        assert!(matches!(
            drain(&mut framer, &pieces[1]),
            Err(FrameError::FragmentWithoutStart { .. })
        ));
    }
}

/// A message younger than one interval stays; one that is older goes, also when it has
/// grown in the meantime.
#[test]
fn a_partial_message_that_grew_never_grew_old() {
    let pieces = fragment(
        &request(Version::V1_2, ByteOrder::Big, 5, 200),
        &[32, 40, 48],
    );
    let younger = fragment(&request(Version::V1_2, ByteOrder::Big, 6, 200), &[32]);
    let mut framer = Framer::default();
    drain(&mut framer, &pieces[0]).unwrap();
    drain(&mut framer, &pieces[1]).unwrap();
    assert_eq!(framer.drop_stale_partials(), 0);
    drain(&mut framer, &pieces[2]).unwrap();
    drain(&mut framer, &younger[0]).unwrap();
    assert_eq!(framer.drop_stale_partials(), 1);
    assert_eq!(
        (framer.partial_messages(), framer.partial_bytes()),
        (1, younger[0].len())
    );
    let whole = drain(&mut framer, &younger[1]).unwrap();
    assert_eq!(whole.len(), 1);
    assert_eq!(
        drain(&mut framer, &pieces[3]),
        Err(FrameError::FragmentWithoutStart {
            request_id: Some(5)
        })
    );
}

#[test]
fn faults_of_fragments_are_named() {
    let order = ByteOrder::Big;
    let whole = request(Version::V1_2, order, 5, 100);
    let pieces = fragment(&whole, &[32, 40]);
    assert_eq!(
        fault(&[pieces[1].clone()]),
        FrameError::FragmentWithoutStart {
            request_id: Some(5)
        }
    );
    assert_eq!(
        fault(&[pieces[0].clone(), pieces[0].clone()]),
        FrameError::RequestIdInUse { request_id: 5 }
    );
    assert_eq!(
        fault(&fragment(&whole, &[33])),
        FrameError::MisalignedFragment { size: 33 }
    );
    let other_order = fragment(&request(Version::V1_2, ByteOrder::Little, 5, 100), &[32]);
    assert_eq!(
        fault(&[pieces[0].clone(), other_order[1].clone()]),
        FrameError::FragmentMismatch
    );
    let mut short = b"GIOP\x01\x02\x02\x07\0\0\0\x03abc".to_vec();
    assert_eq!(fault(&[short.clone()]), FrameError::MissingRequestId);
    short[7] = 0;
    assert_eq!(fault(&[short]), FrameError::MissingRequestId);

    let old = fragment(&request(Version::V1_1, order, 5, 100), &[28]);
    assert_eq!(
        fault(&[old[0].clone(), old[0].clone()]),
        FrameError::InterleavedFragments
    );
    assert_eq!(
        fault(&[old[1].clone()]),
        FrameError::FragmentWithoutStart { request_id: None }
    );
}

#[test]
fn every_limit_holds_and_is_named() {
    let order = ByteOrder::Big;
    let limits = FramingLimits {
        max_message_size: 64,
        max_reassembled_size: 100,
        max_partial_messages: 2,
        max_partial_bytes: 120,
        max_empty_fragments: 2,
    };
    let whole = request(Version::V1_2, order, 5, 100);
    let error = fault_within(limits, std::slice::from_ref(&whole));
    assert_eq!(
        error,
        FrameError::MessageTooLarge {
            size: whole.len() as u64,
            limit: 64
        }
    );
    let text = error.to_string();
    assert!(
        text.contains("max_message_size") && text.contains("64"),
        "{text}"
    );
    // It is found as soon as the header is there.
    let mut framer = Framer::new(limits);
    assert_eq!(framer.next(&whole[..12]), Err(error));

    assert!(matches!(
        fault_within(limits, &fragment(&whole, &[48, 88, 120])),
        FrameError::ReassembledTooLarge { limit: 100, .. }
    ));
    let starts = |count: u32, cut| -> Vec<Vec<u8>> {
        (0..count)
            .map(|id| fragment(&request(Version::V1_2, order, id, 100), &[cut]).swap_remove(0))
            .collect()
    };
    assert_eq!(
        fault_within(limits, &starts(3, 16)),
        FrameError::TooManyPartials { limit: 2 }
    );
    assert_eq!(
        fault_within(limits, &starts(2, 64)),
        FrameError::PartialsTooLarge { limit: 120 }
    );
    let empty = [48, 48, 48];
    let framed = drain(
        &mut Framer::new(limits),
        &fragment(&whole[..96], &empty).concat(),
    );
    assert!(framed.is_ok(), "{framed:?}");
    let empty = [48, 48, 48, 48];
    assert_eq!(
        fault_within(limits, &fragment(&whole[..96], &empty)),
        FrameError::TooManyEmptyFragments { limit: 2 }
    );
}

#[test]
fn what_is_no_giop_is_refused_with_its_first_octets() {
    let mut framer = Framer::default();
    for start in [&b"G"[..], b"GIO", b"GIOP\x01"] {
        assert_eq!(framer.next(start), Ok(Step::NeedMore { total: 12 }));
    }
    for stranger in [&b"GE"[..], b"GET / HTTP/1.1", b"ZIOP\x01\x02\0\0\0\0\0\x01"] {
        let error = Framer::default().next(stranger).unwrap_err();
        assert!(matches!(error, FrameError::BadMagic { .. }));
    }
}

#[test]
fn a_higher_version_is_answered_with_ours() {
    let mut bytes = request(Version::V1_2, ByteOrder::Big, 1, 1);
    bytes[5] = 3;
    let error = Framer::default().next(&bytes).unwrap_err();
    let answer = header(&error.answer(Version::V1_0));
    assert_eq!(answer.version, Version::V1_2);
}

fn lite() -> Framer {
    Framer::of(Version::LITE, FramingLimits::DEFAULT)
}

#[test]
fn a_peer_that_speaks_giop_is_known_by_one_octet_and_heard_to_the_end() {
    for version in crate::common::VERSIONS {
        let message = request(version, ByteOrder::Big, 7, 30);
        let request = lite().next(&message).unwrap_err();
        assert!(request.is_of_other_protocol(), "{request}");
        assert!(request.to_string().contains("-ORBgioplite"), "{request}");
        let answer = header(&request.answer(Version::LITE));
        assert_eq!(answer.version, Version::V1_0);
        for cut in 1..message.len() {
            let total = match cut {
                ..12 => 12,
                _ => message.len(),
            };
            let step = lite().next(&message[..cut]);
            assert_eq!(step, Ok(Step::NeedMore { total }), "{cut}");
        }
    }
    // Nobody waits for what is too long, or for more of what is no message.
    for octets in [
        &b"GIOP\x01\x02\0\0\x7f\0\0\0"[..],
        b"GIOP\x05\x02\x01\0\0\0\0\x04",
        b"GIOS",
        b"GET / HTTP/1.1",
    ] {
        assert!(lite().next(octets).is_err(), "{octets:?}");
    }
}

#[test]
fn a_client_that_speaks_giop_is_told_so_in_giop() {
    use taut_giop::framing::refusal;
    use taut_giop::message::{LocateReplyHeader, LocateStatus, ReplyHeader, ReplyStatus};
    use taut_giop::{CompletionStatus, Limits, SystemException, SystemExceptionKind, minor};

    let limits = Limits::DEFAULT;
    let told = SystemException::new(
        SystemExceptionKind::InvPolicy,
        minor::OTHER_MESSAGING_PROTOCOL,
        CompletionStatus::No,
    );
    for version in crate::common::VERSIONS {
        for order in ORDERS {
            let asked = request(version, order, 7, 30);
            let reply = refusal(&asked, &limits).unwrap();
            let mut input = header(&reply).decoder(&reply).unwrap();
            let read = ReplyHeader::decode(version, &mut input).unwrap();
            assert_eq!(
                (read.request_id, read.status),
                (7, ReplyStatus::SystemException)
            );
            assert_eq!(SystemException::decode(&mut input), Ok(told.clone()));
            let goodbye = header(input.rest());
            assert_eq!(goodbye.message_type, MessageType::CloseConnection);
            assert_eq!((goodbye.version, goodbye.order), (version, order));
            assert!(refusal(&asked[..asked.len() - 1], &limits).is_none());

            let asked = locate_request(version, order, 8);
            let reply = refusal(&asked, &limits).unwrap();
            let mut input = header(&reply).decoder(&reply).unwrap();
            let read = LocateReplyHeader::decode(version, &mut input).unwrap();
            let status = match version {
                Version::V1_2 => LocateStatus::LocSystemException,
                // It has no exceptions; the request that follows has.
                _ => LocateStatus::ObjectHere,
            };
            assert_eq!((read.request_id, read.status), (8, status));
            if version == Version::V1_2 {
                assert_eq!(SystemException::decode(&mut input), Ok(told.clone()));
            }
            let goodbye = header(input.rest());
            assert_eq!(goodbye.message_type, MessageType::CloseConnection);
            assert_eq!((goodbye.version, goodbye.order), (version, order));
        }
        let cancel = message(version, ByteOrder::Big, MessageType::CancelRequest, |out| {
            CancelRequestHeader { request_id: 1 }.encode(out);
        });
        assert!(refusal(&cancel, &limits).is_none());
    }
    assert!(refusal(b"GIOP", &limits).is_none());
    assert!(refusal(&request(Version::LITE, ByteOrder::Big, 1, 1), &limits).is_none());
}

fn locate_request(version: Version, order: ByteOrder, request_id: u32) -> Vec<u8> {
    message(version, order, MessageType::LocateRequest, |out| {
        let target = TargetAddress::Key(b"key");
        LocateRequestHeader { request_id, target }
            .encode(version, out)
            .unwrap();
    })
}

#[test]
fn a_framer_of_giop_says_that_it_was_sent_gioplite() {
    let message = request(Version::LITE, ByteOrder::Big, 7, 30);
    for octets in [&message[..], &message[..4]] {
        let error = Framer::default().next(octets).unwrap_err();
        assert!(error.is_of_other_protocol(), "{error}");
        assert!(error.to_string().contains("-ORBgioplite"), "{error}");
        let answer = header(&error.answer(Version::V1_0));
        assert_eq!(answer.message_type, MessageType::MessageError);
    }
}

#[test]
fn another_version_of_gioplite_is_refused() {
    let mut message = request(Version::LITE, ByteOrder::Big, 7, 30);
    message[1] += 0x10;
    for octets in [&message[..], &message[..2]] {
        let error = lite().next(octets).unwrap_err();
        assert_eq!(error, FrameError::UnsupportedLite { version: 2 });
        assert_eq!(header(&error.answer(Version::LITE)).version, Version::LITE);
    }
}

/// Octets of a request and of a reply, without a body and with one.
#[test]
fn gioplite_saves_at_least_16_octets_of_a_request_and_8_of_a_reply() {
    let lengths = [Version::V1_2, Version::LITE].map(|version| {
        [0, 8].map(|body| {
            let request = request(version, ByteOrder::NATIVE, 1, body).len();
            let mut reply = Encoder::new(ByteOrder::NATIVE);
            begin_plain_reply(&mut reply, version, 1);
            let start = begin_body(version, &mut reply);
            reply.write_bytes(&[0; 8][..body]);
            start.finish(&mut reply);
            finish_message(&mut reply).unwrap();
            (request, reply.len())
        })
    });
    assert_eq!(lengths, [[(48, 24), (56, 32)], [(29, 16), (40, 24)]]);
}

//! Messages to bytes and back, in every version and byte order, and as another
//! ORB writes them.

#![allow(clippy::unwrap_used)]

use crate::common::{ORDERS, STATUSES, VERSIONS, header, message, omniorb_messages};
use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_giop::ior::{IiopProfile, IorView, TaggedProfile, profile};
use taut_giop::message::{
    AddressingMode, CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, LocateStatus,
    MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress, begin_body,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::{Ior, Limits, Version};

const LOCATE_STATUSES: [LocateStatus; 6] = [
    LocateStatus::UnknownObject,
    LocateStatus::ObjectHere,
    LocateStatus::ObjectForward,
    LocateStatus::ObjectForwardPerm,
    LocateStatus::LocSystemException,
    LocateStatus::LocNeedsAddressingMode,
];

fn request<'m>(key: &'m [u8], contexts: &'m [ServiceContext<'m>]) -> RequestHeader<'m> {
    RequestHeader {
        request_id: 7,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(key),
        operation: b"move_by",
        service_contexts: ServiceContexts::new(contexts),
    }
}

fn encode_request(
    version: Version,
    order: ByteOrder,
    request: &RequestHeader<'_>,
    body: &[u8],
) -> Vec<u8> {
    message(version, order, MessageType::Request, |out| {
        request.encode(version, out).unwrap();
        let start = begin_body(version, out);
        out.write_bytes(body);
        start.finish(out);
    })
}

/// Messages that another ORB wrote are read, and written again octet for octet.
#[test]
fn messages_of_omniorb_are_read_and_written_alike() {
    let mut operations = Vec::new();
    for bytes in omniorb_messages() {
        let header = header(&bytes);
        let version = header.version;
        assert_eq!(header.total_size(), bytes.len());
        let mut input = header.decoder(&bytes).unwrap();
        let again = message(version, header.order, header.message_type, |out| {
            match header.message_type {
                MessageType::Request => {
                    let request = RequestHeader::decode(version, &mut input).unwrap();
                    assert_eq!(request.target.object_key(), Ok(Some(&b"NameService"[..])));
                    operations.push(String::from_utf8_lossy(request.operation).into_owned());
                    request.encode(version, out).unwrap();
                }
                MessageType::Reply => {
                    let reply = ReplyHeader::decode(version, &mut input).unwrap();
                    assert!(reply.service_contexts.is_empty());
                    reply.encode(version, out).unwrap();
                }
                other => {
                    assert_eq!(other, MessageType::CloseConnection);
                    return;
                }
            }
            let body = begin_body(version, out);
            out.write_bytes(input.rest());
            body.finish(out);
        });
        // omniORB leaves what it likes in the reserved octets of a request of
        // GIOP 1.1 and in padding; nothing else may differ.
        assert_eq!(again.len(), bytes.len());
        let differing = again.iter().zip(&bytes).filter(|(a, b)| a != b).count();
        assert!(differing <= 1, "{again:02x?}\n{bytes:02x?}");
    }
    assert_eq!(operations, ["_is_a", "resolve"].repeat(3));
}

#[test]
fn a_body_begins_where_its_version_says_and_only_if_there_is_one() {
    for version in VERSIONS {
        for order in ORDERS {
            for key_length in 0..16 {
                let key = vec![1; key_length];
                let request = request(&key, &[]);
                let empty = encode_request(version, order, &request, &[]);
                let full = encode_request(version, order, &request, &[0xaa]);
                let body = full.len() - 1;
                if version == Version::V1_2 {
                    assert_eq!(body % 8, 0);
                    assert!(body - empty.len() < 8);
                } else {
                    assert_eq!(body, empty.len());
                }
                for (bytes, rest) in [(&empty, &[][..]), (&full, &[0xaa][..])] {
                    let mut input = header(bytes).decoder(bytes).unwrap();
                    let decoded = RequestHeader::decode(version, &mut input).unwrap();
                    assert_eq!((decoded, input.rest()), (request, rest));
                }
            }
        }
    }
}

#[test]
fn a_body_can_be_rewound_for_an_exception() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.write_bytes(&[1; 13]);
    let body = begin_body(Version::V1_2, &mut out);
    assert_eq!(body.offset(), 16);
    out.write(7_u32);
    body.rewind(&mut out);
    assert_eq!(out.len(), 16);
    body.finish(&mut out);
    assert_eq!(out.len(), 13);
}

#[test]
fn what_changes_later_can_be_patched() {
    let contexts = [ServiceContext {
        id: 1,
        data: b"abc",
    }];
    for version in VERSIONS {
        for order in ORDERS {
            let mut out = Encoder::new(order);
            let reply = ReplyHeader {
                request_id: 1,
                status: ReplyStatus::NoException,
                service_contexts: ServiceContexts::new(&contexts),
            };
            let patch = reply.encode(version, &mut out).unwrap();
            patch.set_status(&mut out, ReplyStatus::SystemException);
            patch.set_request_id(&mut out, 0x0102_0304);
            let decoded =
                ReplyHeader::decode(version, &mut Decoder::new(out.as_bytes(), order)).unwrap();
            assert_eq!(decoded.status, ReplyStatus::SystemException);
            assert_eq!(decoded.request_id, 0x0102_0304);
            assert_eq!(decoded.service_contexts, reply.service_contexts);

            let mut out = Encoder::new(order);
            let request = request(b"key", &contexts);
            let patch = request.encode(version, &mut out).unwrap();
            patch.set_request_id(&mut out, 99);
            let decoded =
                RequestHeader::decode(version, &mut Decoder::new(out.as_bytes(), order)).unwrap();
            assert_eq!(decoded.request_id, 99);
        }
    }
}

#[test]
fn statuses_are_those_of_the_version() {
    for version in VERSIONS {
        let known = if version == Version::V1_2 { 6 } else { 4 };
        let known_locate = if version == Version::V1_2 { 6 } else { 3 };
        for order in ORDERS {
            for (number, status) in STATUSES.into_iter().enumerate() {
                let mut out = Encoder::new(order);
                let reply = ReplyHeader {
                    request_id: 5,
                    status,
                    service_contexts: ServiceContexts::EMPTY,
                };
                reply.encode(version, &mut out).unwrap();
                let decoded =
                    ReplyHeader::decode(version, &mut Decoder::new(out.as_bytes(), order));
                assert_eq!(decoded.ok(), (number < known).then_some(reply));
            }
            for (number, status) in LOCATE_STATUSES.into_iter().enumerate() {
                let mut out = Encoder::new(order);
                let reply = LocateReplyHeader {
                    request_id: 5,
                    status,
                };
                reply.encode(&mut out);
                let decoded =
                    LocateReplyHeader::decode(version, &mut Decoder::new(out.as_bytes(), order));
                assert_eq!(decoded.ok(), (number < known_locate).then_some(reply));
            }
        }
    }
}

#[test]
fn response_flags_survive_as_far_as_the_version_can_tell() {
    use ResponseFlags::{Expected, None, SyncWithServer};
    for version in VERSIONS {
        for response in [None, SyncWithServer, Expected] {
            let mut out = Encoder::new(ByteOrder::Little);
            let sent = RequestHeader {
                response,
                ..request(b"k", &[])
            };
            sent.encode(version, &mut out).unwrap();
            let mut input = Decoder::new(out.as_bytes(), ByteOrder::Little);
            let received = RequestHeader::decode(version, &mut input).unwrap().response;
            if version == Version::V1_2 || response != SyncWithServer {
                assert_eq!(received, response);
            } else {
                assert_eq!(received, Expected);
            }
        }
    }
    assert!((0..=255).filter_map(ResponseFlags::from_octet).count() == 3);
}

fn reference() -> Ior {
    let iiop = IiopProfile {
        version: Version::V1_2,
        host: "example.org".into(),
        port: 1,
        object_key: b"the key".to_vec(),
        components: Vec::new(),
    };
    Ior {
        type_id: "IDL:demo/Circle:1.0".into(),
        profiles: vec![
            TaggedProfile {
                tag: 99,
                data: b"opaque".to_vec(),
            },
            iiop.to_profile().unwrap(),
        ],
    }
}

#[test]
fn every_addressing_mode_gives_the_key() {
    let ior = reference();
    let ior = IorView::from(&ior);
    let (tag, data) = ior.profiles().nth(1).unwrap();
    let key = Some(&b"the key"[..]);
    let targets = [
        (TargetAddress::Key(b"the key"), key),
        (TargetAddress::Profile { tag, data }, key),
        (TargetAddress::Profile { tag: 99, data }, None),
        (TargetAddress::Reference { index: 1, ior }, key),
        (TargetAddress::Reference { index: 0, ior }, None),
        (TargetAddress::Reference { index: 2, ior }, None),
    ];
    for order in ORDERS {
        for (target, key) in targets {
            let request = LocateRequestHeader {
                request_id: 3,
                target,
            };
            let mut out = Encoder::new(order);
            request.encode(Version::V1_2, &mut out).unwrap();
            let mut input = Decoder::new(out.as_bytes(), order);
            let decoded = LocateRequestHeader::decode(Version::V1_2, &mut input).unwrap();
            assert_eq!((decoded, input.remaining()), (request, 0));
            assert_eq!(decoded.target.object_key(), Ok(key));

            let mut old = Encoder::new(order);
            let sendable = request.encode(Version::V1_1, &mut old).is_ok();
            assert_eq!(sendable, matches!(target, TargetAddress::Key(_)));
        }
    }
    let broken = TargetAddress::Profile {
        tag: profile::tag::INTERNET_IOP,
        data: b"\0\x01",
    };
    assert!(broken.object_key().is_err());
}

#[test]
fn addressing_modes_and_cancel_requests_survive() {
    for order in ORDERS {
        let mut out = Encoder::new(order);
        let modes = [
            AddressingMode::Key,
            AddressingMode::Profile,
            AddressingMode::Reference,
        ];
        for mode in modes {
            mode.encode(&mut out);
        }
        out.write(3_i16);
        CancelRequestHeader { request_id: 77 }.encode(&mut out);
        let mut input = Decoder::new(out.as_bytes(), order);
        for mode in modes {
            assert_eq!(AddressingMode::decode(&mut input), Ok(mode));
        }
        assert!(AddressingMode::decode(&mut input).is_err());
        let cancel = CancelRequestHeader::decode(&mut input).unwrap();
        assert_eq!(cancel.request_id, 77);
    }
}

#[test]
fn service_contexts_have_a_limit() {
    let contexts = vec![ServiceContext { id: 9, data: b"x" }; 65];
    for (count, allowed) in [(64, true), (65, false)] {
        let mut out = Encoder::new(ByteOrder::Big);
        ServiceContexts::new(&contexts[..count])
            .encode(&mut out)
            .unwrap();
        let bytes = out.as_bytes();
        let decoded = ServiceContexts::decode(&mut Decoder::new(bytes, ByteOrder::Big));
        assert_eq!(decoded.is_ok(), allowed);
        let limits = Limits {
            max_service_contexts: 65,
            ..Limits::DEFAULT
        };
        let mut input = Decoder::new(bytes, ByteOrder::Big);
        let decoded = ServiceContexts::decode_within(&mut input, &limits).unwrap();
        assert_eq!((decoded.len(), decoded.iter().count()), (count, count));
    }
}

#[test]
fn operations_with_nul_are_not_sent() {
    let request = RequestHeader {
        operation: b"a\0b",
        ..request(b"", &[])
    };
    for version in VERSIONS {
        let mut out = Encoder::new(ByteOrder::Big);
        assert!(request.encode(version, &mut out).is_err());
    }
}

/// No cut of a message is read as the message, and none makes a panic.
#[test]
fn cut_messages_are_refused() {
    let contexts = [ServiceContext {
        id: 1,
        data: b"abc",
    }];
    for version in VERSIONS {
        for order in ORDERS {
            let bytes = encode_request(version, order, &request(b"key", &contexts), &[]);
            for cut in 12..bytes.len() {
                let mut input = header(&bytes).decoder(&bytes[..cut]).unwrap();
                let decoded = RequestHeader::decode(version, &mut input);
                assert!(decoded.is_err(), "{version} {order:?} cut at {cut}");
            }
        }
    }
}

//! Every limit of the crate: met exactly, and exceeded by one.

#![allow(clippy::unwrap_used)]

use crate::common::{message, piece};
use taut_cdr::{ByteOrder, Decoder, Encoder, ErrorKind};
use taut_giop::component::{self, TaggedComponent};
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::ior::TaggedProfile;
use taut_giop::message::{FrameError, MessageType};
use taut_giop::naming::{NameErrorKind, parse_name};
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::{Ior, Limits, Version};

const LIMITS: FramingLimits = FramingLimits::DEFAULT;
const MIB: usize = 1 << 20;

/// The first piece of a Request of GIOP 1.2, of so many octets in all.
fn first(request_id: u32, total: usize) -> Vec<u8> {
    first_of(Version::V1_2, request_id, total)
}

fn first_of(version: Version, request_id: u32, total: usize) -> Vec<u8> {
    let mut content = request_id.to_be_bytes().to_vec();
    content.resize(total - 12, 0);
    piece(version, MessageType::Request, true, &content)
}

/// A fragment of GIOP 1.2 that carries so many octets.
fn next(request_id: u32, payload: usize, more: bool) -> Vec<u8> {
    let mut content = request_id.to_be_bytes().to_vec();
    content.resize(4 + payload, 0);
    piece(Version::V1_2, MessageType::Fragment, more, &content)
}

/// Takes in a piece after which the message goes on.
fn keep(framer: &mut Framer, octets: &[u8]) {
    let kept = framer.next(octets);
    let consumed = octets.len();
    assert_eq!(kept, Ok(Step::Absorbed { consumed }));
}

#[test]
fn a_message_of_16_mib() {
    let largest = |size| {
        message(Version::V1_2, ByteOrder::Big, MessageType::Request, |out| {
            out.write_bytes(&vec![0; size - 12])
        })
    };
    let mut framer = Framer::default();
    let whole = largest(16 * MIB);
    assert!(matches!(framer.next(&whole), Ok(Step::Message { .. })));
    assert_eq!(
        framer.next(&largest(16 * MIB + 1)),
        Err(FrameError::MessageTooLarge {
            size: 16 * MIB as u64 + 1,
            limit: 16 * MIB,
        })
    );
}

#[test]
fn fragments_of_16_mib() {
    let reassembled = |last| {
        let mut framer = Framer::default();
        keep(&mut framer, &first(1, 16 * MIB - 8));
        match framer.next(&next(1, last, false)) {
            Ok(Step::Reassembled { message, .. }) => Ok(message.bytes.len()),
            other => Err(other.unwrap_err()),
        }
    };
    assert_eq!(reassembled(8), Ok(16 * MIB));
    assert_eq!(
        reassembled(9),
        Err(FrameError::ReassembledTooLarge {
            size: 16 * MIB as u64 + 1,
            limit: 16 * MIB,
        })
    );
}

#[test]
fn sixteen_messages_that_are_incomplete() {
    let mut framer = Framer::default();
    for request_id in 0..16 {
        keep(&mut framer, &first(request_id, 16));
    }
    assert_eq!(
        framer.next(&first(16, 16)),
        Err(FrameError::TooManyPartials { limit: 16 })
    );
}

/// GIOP 1.1 has one incomplete message beside those of 1.2, which counts too.
#[test]
fn sixteen_messages_of_both_versions_that_are_incomplete() {
    let mut framer = Framer::default();
    keep(&mut framer, &first_of(Version::V1_1, 0, 13));
    for request_id in 1..16 {
        keep(&mut framer, &first(request_id, 16));
    }
    assert_eq!(
        framer.next(&first(16, 16)),
        Err(FrameError::TooManyPartials { limit: 16 })
    );
}

#[test]
fn incomplete_messages_of_32_mib() {
    let mut framer = Framer::default();
    keep(&mut framer, &first(1, 16 * MIB));
    keep(&mut framer, &first(2, 16 * MIB - 32));
    keep(&mut framer, &first(3, 24));
    keep(&mut framer, &next(3, 8, true));
    assert_eq!(framer.partial_bytes(), LIMITS.max_partial_bytes);
    assert_eq!(
        framer.next(&next(3, 1, false)),
        Err(FrameError::PartialsTooLarge { limit: 32 * MIB })
    );
}

#[test]
fn two_empty_fragments_in_a_row() {
    for version in [Version::V1_1, Version::V1_2] {
        let empty = |more| match version {
            Version::V1_2 => next(1, 0, more),
            _ => piece(version, MessageType::Fragment, more, &[]),
        };
        let full = match version {
            Version::V1_2 => next(1, 8, true),
            _ => piece(version, MessageType::Fragment, true, &[0]),
        };
        let mut framer = Framer::default();
        keep(&mut framer, &first_of(version, 1, 16));
        for _ in 0..3 {
            keep(&mut framer, &empty(true));
            keep(&mut framer, &empty(true));
            keep(&mut framer, &full);
        }
        keep(&mut framer, &empty(true));
        keep(&mut framer, &empty(true));
        // The last one may be empty whatever came before it.
        let mut ended = Framer::default();
        keep(&mut ended, &first_of(version, 1, 16));
        keep(&mut ended, &empty(true));
        keep(&mut ended, &empty(true));
        assert!(matches!(
            ended.next(&empty(false)),
            Ok(Step::Reassembled { .. })
        ));
        assert_eq!(
            framer.next(&empty(true)),
            Err(FrameError::TooManyEmptyFragments { limit: 2 }),
            "GIOP {version}"
        );
    }
}

/// The age is counted in intervals: one is met by whatever began just behind its
/// beginning, and exceeded by the next call.
#[test]
fn one_interval_of_age() {
    let mut framer = Framer::default();
    assert_eq!(framer.drop_stale_partials(), 0);
    keep(&mut framer, &first(1, 16));
    assert_eq!(framer.drop_stale_partials(), 0);
    keep(&mut framer, &next(1, 8, true));
    assert_eq!(framer.drop_stale_partials(), 1);
    assert_eq!((framer.partial_messages(), framer.partial_bytes()), (0, 0));
}

#[test]
fn no_age_for_what_somebody_waits_for() {
    let mut framer = Framer::default();
    keep(&mut framer, &first(1, 16));
    keep(&mut framer, &first(2, 16));
    for dropped in [0, 1, 0] {
        assert_eq!(framer.drop_stale_partials_unless(|id| id == 1), dropped);
    }
    assert_eq!(framer.partial_messages(), 1);
    assert_eq!(framer.drop_stale_partials(), 1);
}

/// Returns the fault of a list of one entry more than the limit.
fn one_too_many(limit: usize) -> ErrorKind {
    ErrorKind::BoundExceeded {
        length: limit + 1,
        bound: limit,
    }
}

#[test]
fn sixty_four_service_contexts() {
    let limit = Limits::DEFAULT.max_service_contexts;
    assert_eq!(limit, 64);
    let read = |count| {
        let contexts = vec![ServiceContext { id: 9, data: b"x" }; count];
        let mut out = Encoder::new(ByteOrder::Big);
        ServiceContexts::new(&contexts).encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        ServiceContexts::decode(&mut input).map(|read| read.iter().count())
    };
    assert_eq!(read(limit), Ok(limit));
    assert_eq!(read(limit + 1).unwrap_err().kind(), one_too_many(limit));
}

#[test]
fn sixty_four_kibibytes_of_a_service_context() {
    let limit = Limits::DEFAULT.max_service_context_octets;
    assert_eq!(limit, 65_536);
    let read = |octets| {
        let data = vec![7; octets];
        let contexts = [b"x", &data[..]].map(|data| ServiceContext { id: 9, data });
        let mut out = Encoder::new(ByteOrder::Big);
        ServiceContexts::new(&contexts).encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        ServiceContexts::decode(&mut input).map(|read| read.iter().count())
    };
    assert_eq!(read(limit), Ok(2));
    assert_eq!(read(limit + 1).unwrap_err().kind(), one_too_many(limit));
}

#[test]
fn thirty_two_profiles() {
    let limit = Limits::DEFAULT.max_profiles;
    assert_eq!(limit, 32);
    let read = |count| {
        let profile = TaggedProfile {
            tag: 77,
            data: vec![1, 2, 3],
        };
        let ior = Ior {
            type_id: "IDL:T:1.0".to_owned(),
            profiles: vec![profile; count],
        };
        ior.to_string().parse::<Ior>().map(|read| read == ior)
    };
    assert_eq!(read(limit), Ok(true));
    let message = read(limit + 1).unwrap_err().to_string();
    assert!(message.contains("a length of 33"), "{message}");
    assert!(message.contains("the bound of 32"), "{message}");
}

#[test]
fn a_hundred_and_twenty_eight_components() {
    let limit = Limits::DEFAULT.max_components;
    assert_eq!(limit, 128);
    let read = |count| {
        let component = TaggedComponent {
            tag: 77,
            data: vec![0],
        };
        let mut out = Encoder::new(ByteOrder::Big);
        component::write_list(&vec![component; count], &mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        component::read_list(&mut input, &Limits::DEFAULT).map(|read| read.len())
    };
    assert_eq!(read(limit), Ok(limit));
    assert_eq!(read(limit + 1).unwrap_err().kind(), one_too_many(limit));
}

#[test]
fn a_hundred_and_twenty_eight_components_of_a_name() {
    let limit = Limits::DEFAULT.max_name_components;
    assert_eq!(limit, 128);
    let read = |count| parse_name(&vec!["a"; count].join("/")).map(|name| name.len());
    assert_eq!(read(limit), Ok(limit));
    let error = read(limit + 1).unwrap_err();
    assert_eq!(error.kind, NameErrorKind::TooManyComponents { limit });
    assert_eq!(error.position, 2 * limit - 1);
    assert!(error.to_string().contains("max_name_components"), "{error}");
}

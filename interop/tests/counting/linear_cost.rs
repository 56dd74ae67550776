//! The cost of reading what peers send grows with its length and no faster: ten
//! times the pieces take at most twelve times the instructions, counted by
//! valgrind. Without valgrind this is left out.
//!
//! The limits of the lists are raised for that: with those in force nothing
//! could be compared.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::hint::black_box;

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder};
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::ior::{IiopProfile, TaggedProfile};
use taut_giop::message::{MessageHeader, MessageType, ReplyHeader, RequestHeader};
use taut_giop::naming::parse_name_within;
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::url::ObjectUrl;
use taut_giop::{Ior, Limits, Version, component};
use taut_types::{Any, TCKind, TypeCode, TypeCodeLimits};
use test_tools::{CountError, InstructionCounter, beyond_linear, ignored_test};

/// The work of an endpoint with so many of something.
type Work = fn(usize);

const LIMITS: Limits = Limits {
    max_service_contexts: usize::MAX,
    max_service_context_octets: usize::MAX,
    max_profiles: usize::MAX,
    max_components: usize::MAX,
    max_name_components: usize::MAX,
};

/// Makes far more of it than of what was there before.
const COUNT: usize = 400;

const WORKS: &[(&str, Work)] = &[
    ("fragments of GIOP 1.2", |count| {
        let first = piece(Version::V1_2, MessageType::Request, true, &[0; 4]);
        let next = piece(Version::V1_2, MessageType::Fragment, true, &[0; 12]);
        let last = piece(Version::V1_2, MessageType::Fragment, false, &[0; 12]);
        let stream = [first, next.repeat(count), last].concat();
        black_box(read(&stream, stream.len()));
    }),
    ("fragments of GIOP 1.1, each aligned anew", |count| {
        let head = contexts(1);
        let first = piece(
            Version::V1_1,
            MessageType::Reply,
            true,
            &[&head[..], &[0; 9]].concat(),
        );
        let next = piece(Version::V1_1, MessageType::Fragment, true, &[0; 7]);
        let last = piece(Version::V1_1, MessageType::Fragment, false, &[0; 5]);
        let stream = [first, next.repeat(count), last].concat();
        let message = read(&stream, stream.len());
        // Two octets each, with what is left of a piece between.
        let mut input = message.decoder().unwrap();
        ReplyHeader::decode_within(Version::V1_1, &mut input, &LIMITS).unwrap();
        while input.read::<u16>().is_ok() {}
    }),
    ("fragments of sixteen messages that interleave", |count| {
        let of = |id: u8, message_type, more, size| {
            let mut content = vec![0; size];
            content[3] = id;
            piece(Version::V1_2, message_type, more, &content)
        };
        let each = |message_type, more, size| {
            let ids = 0..16;
            ids.flat_map(|id| of(id, message_type, more, size))
                .collect::<Vec<_>>()
        };
        let firsts = each(MessageType::Request, true, 4);
        let nexts = each(MessageType::Fragment, true, 12).repeat(count / 16);
        let lasts = each(MessageType::Fragment, false, 12);
        let stream = [firsts, nexts, lasts].concat();
        black_box(read(&stream, stream.len()));
    }),
    ("portions of a message", |count| {
        let message = piece(Version::V1_2, MessageType::Request, false, &vec![0; count]);
        black_box(read(&message, 1));
    }),
    ("portions of fragments", |count| {
        let first = piece(Version::V1_2, MessageType::Request, true, &[0; 4]);
        let next = piece(Version::V1_2, MessageType::Fragment, true, &[0; 12]);
        let last = piece(Version::V1_2, MessageType::Fragment, false, &[0; 12]);
        let stream = [first, next.repeat(count / 10), last].concat();
        black_box(read(&stream, 5));
    }),
    ("service contexts", |count| {
        let octets = [&[0; 8][..], &contexts(count)].concat();
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        let reply = ReplyHeader::decode_within(Version::V1_2, &mut input, &LIMITS).unwrap();
        assert!(reply.service_contexts.find(77).is_none());
    }),
    ("octets of a key", |count| {
        let mut out = Encoder::new(ByteOrder::Big);
        out.write_bytes(&[0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0]);
        vec![0_u8; 100 * count].encode(&mut out).unwrap();
        out.write_string("operation").unwrap();
        out.write(0_u32);
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        RequestHeader::decode(Version::V1_2, &mut input).unwrap();
    }),
    ("profiles of a reference", |count| {
        let profile = TaggedProfile {
            tag: 7,
            data: vec![0; 3],
        };
        let ior = Ior {
            type_id: "IDL:T:1.0".to_owned(),
            profiles: vec![profile; count],
        };
        assert_eq!(Ior::parse_within(&ior.to_string(), &LIMITS), Ok(ior));
    }),
    ("components of a profile", |count| {
        let component = component::TaggedComponent {
            tag: 7,
            data: vec![0; 3],
        };
        let profile = IiopProfile {
            version: Version::V1_2,
            host: "host".to_owned(),
            port: 1,
            object_key: vec![],
            components: vec![component; count],
        };
        let data = profile.to_profile().unwrap().data;
        let read = IiopProfile::parse_within(&data, &LIMITS).unwrap();
        assert_eq!(read.alternate_addresses().count(), 0);
        assert!(read.component(component::tag::CODE_SETS).is_none());
    }),
    ("addresses of a URL", |count| {
        let url = format!("corbaloc:{}:h/k", "iiop:1.2@h:1,".repeat(count));
        ObjectUrl::parse_within(&url, &LIMITS).unwrap();
    }),
    ("escapes in a URL", |count| {
        let url = format!("corbaname::h/k#{}", "%41".repeat(count));
        ObjectUrl::parse_within(&url, &LIMITS).unwrap();
    }),
    ("components of a name", |count| {
        let name = format!("{}z", "a.b/".repeat(count));
        parse_name_within(&name, &LIMITS).unwrap();
    }),
    ("members of a TypeCode", |count| {
        decode_type(TCKind::Struct, count, &|_, out| {
            out.write(0_u32);
            out.write(TCKind::String as u32);
            out.write(0_u32);
        });
    }),
    ("indirections in a TypeCode", |count| {
        decode_type(TCKind::Struct, count, &|index, out| {
            out.write(0_u32);
            if index % 2 == 0 {
                out.write(TCKind::String as u32);
                out.write(0_u32);
            } else {
                out.write(u32::MAX);
                // To the member before: its kind, its bound, a name, a mark.
                out.write(-16_i32);
            }
        });
    }),
    ("enumerators", |count| {
        decode_type(TCKind::Enum, count, &|_, out| {
            out.write_string("name").unwrap();
        });
    }),
    ("elements of an Any", |count| {
        let mut out = Encoder::new(ByteOrder::Big);
        out.write(TCKind::Sequence as u32);
        out.write_encapsulation(|out| {
            out.write(TCKind::String as u32);
            out.write(0_u64);
            Ok(())
        })
        .unwrap();
        out.write(count as u32);
        (0..count).for_each(|_| out.write_string("text").unwrap());
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        black_box(Any::decode(&mut input).unwrap());
    }),
];

/// Reads a TypeCode with an id, a name and so many of what `each` writes.
fn decode_type(kind: TCKind, count: usize, each: &dyn Fn(usize, &mut Encoder)) {
    let mut out = Encoder::new(ByteOrder::Big);
    out.write(kind as u32);
    out.write_encapsulation(|out| {
        out.write_string("IDL:T:1.0")?;
        out.write_string("T")?;
        out.write_length(count)?;
        (0..count).for_each(|index| each(index, out));
        Ok(())
    })
    .unwrap();
    let limits = TypeCodeLimits {
        nesting: 64,
        nodes: u32::MAX,
        indirections: u32::MAX,
    };
    let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
    black_box(TypeCode::decode_within(&mut input, &limits).unwrap());
}

/// So many service contexts, and their number before them.
fn contexts(count: usize) -> Vec<u8> {
    let contexts = vec![ServiceContext { id: 9, data: b"x" }; count];
    let mut out = Encoder::new(ByteOrder::Big);
    ServiceContexts::new(&contexts).encode(&mut out).unwrap();
    out.into_buffer()
}

fn piece(version: Version, message_type: MessageType, more: bool, content: &[u8]) -> Vec<u8> {
    let header = MessageHeader {
        version,
        order: ByteOrder::Big,
        more_fragments: more,
        message_type,
        size: content.len() as u32,
    };
    [&header.to_bytes()[..], content].concat()
}

/// The last message of a stream that comes in portions of this size.
fn read(stream: &[u8], portion: usize) -> taut_giop::framing::Reassembled {
    let mut framer = Framer::new(FramingLimits {
        max_message_size: usize::MAX,
        max_reassembled_size: usize::MAX,
        max_partial_bytes: usize::MAX,
        ..FramingLimits::DEFAULT
    });
    let (mut start, mut end) = (0, 0);
    let mut last = None;
    while start < stream.len() {
        end = (end + portion).min(stream.len());
        loop {
            start += match framer.next(&stream[start..end]).unwrap() {
                Step::NeedMore { .. } => break,
                Step::Absorbed { consumed } => consumed,
                Step::Reassembled { message, consumed } => {
                    last = Some(message);
                    consumed
                }
                Step::Message {
                    header,
                    bytes,
                    consumed,
                } => {
                    last = Some(taut_giop::framing::Reassembled {
                        header,
                        bytes: bytes.to_vec(),
                        realignments: vec![],
                    });
                    consumed
                }
            };
        }
    }
    last.unwrap()
}

const WORK: &str = "TAUT_WORK";
const WORK_COUNT: &str = "TAUT_WORK_COUNT";

#[test]
#[ignore = "what the other test counts the instructions of"]
fn work() {
    let work = std::env::var(WORK).unwrap();
    let count = std::env::var(WORK_COUNT).unwrap().parse().unwrap();
    if let Some((_, work)) = WORKS.iter().find(|(name, _)| *name == work) {
        work(count);
    }
}

/// How many instructions the work takes, with those of the test harness.
fn instructions(counter: &InstructionCounter, work: &str, count: usize) -> Result<u64, CountError> {
    let mut command = ignored_test("linear_cost::work");
    command.env(WORK, work);
    command.env(WORK_COUNT, count.to_string());
    counter.count(&command)
}

#[test]
fn reading_is_linear() {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let start = instructions(&counter, "nothing", 0).unwrap();
    let faults: Vec<String> = WORKS
        .iter()
        .filter_map(|(name, _)| {
            // The cost that every run has says nothing of how the cost grows.
            let cost = |count| Ok(instructions(&counter, name, count)?.saturating_sub(start));
            beyond_linear(name, COUNT, cost).unwrap()
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

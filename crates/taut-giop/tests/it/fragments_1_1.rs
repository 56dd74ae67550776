//! GIOP 1.1 aligns what is in a fragment from the fragment's own start.

#![allow(clippy::unwrap_used)]

use crate::common::message;
use proptest::prelude::*;
use taut_cdr::{ByteOrder, Decode, Decoder, Encoder};
use taut_giop::framing::{Framer, Reassembled, Step};
use taut_giop::ior::TaggedProfile;
use taut_giop::message::{MessageType, ReplyHeader, ReplyStatus, begin_message, finish_message};
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::{Ior, Version};

/// Writes values as a sender of GIOP 1.1 does that has room for `room` octets in
/// a piece: aligned from the start of the piece, a value that does not fit in
/// the next one.
fn pieces_of_1_1(order: ByteOrder, room: usize, values: &[Value]) -> Vec<Vec<u8>> {
    let begin = |message_type| {
        let mut out = Encoder::new(order);
        begin_message(&mut out, Version::V1_1, message_type);
        out
    };
    let mut pieces = vec![begin(MessageType::Reply)];
    for value in values {
        match value {
            Value::Short(_) | Value::Long(_) | Value::Double(_) => {
                let size = value.size();
                let last = pieces.last().unwrap().len();
                if last.next_multiple_of(size) + size > room {
                    pieces.push(begin(MessageType::Fragment));
                }
                value.write(pieces.last_mut().unwrap());
            }
            Value::Octets(octets) => {
                for octet in octets {
                    if pieces.last().unwrap().len() == room {
                        pieces.push(begin(MessageType::Fragment));
                    }
                    pieces.last_mut().unwrap().write_bytes(&[*octet]);
                }
            }
        }
    }
    let count = pieces.len();
    let mut pieces: Vec<Vec<u8>> = pieces
        .into_iter()
        .map(|mut out| {
            finish_message(&mut out).unwrap();
            out.into_buffer()
        })
        .collect();
    for piece in &mut pieces[..count - 1] {
        piece[6] |= 2;
    }
    pieces
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Short(i16),
    Long(i32),
    Double(f64),
    Octets(Vec<u8>),
}

impl Value {
    fn size(&self) -> usize {
        match self {
            Self::Short(_) => 2,
            Self::Long(_) => 4,
            Self::Double(_) => 8,
            Self::Octets(_) => 1,
        }
    }

    fn write(&self, out: &mut Encoder) {
        match self {
            Self::Short(value) => out.write(*value),
            Self::Long(value) => out.write(*value),
            Self::Double(value) => out.write(*value),
            Self::Octets(octets) => out.write_bytes(octets),
        }
    }

    fn read(&self, input: &mut Decoder<'_>) -> Self {
        match self {
            Self::Short(_) => Self::Short(input.read().unwrap()),
            Self::Long(_) => Self::Long(input.read().unwrap()),
            Self::Double(_) => Self::Double(input.read().unwrap()),
            Self::Octets(octets) => Self::Octets(input.read_bytes(octets.len()).unwrap().to_vec()),
        }
    }
}

proptest! {
    #[test]
    fn fragments_of_1_1_are_read_with_their_own_alignment(
        room in 24_usize..60,
        little in any::<bool>(),
        values in prop::collection::vec(
            prop_oneof![
                any::<i16>().prop_map(Value::Short),
                any::<i32>().prop_map(Value::Long),
                (-1e9..1e9).prop_map(Value::Double),
                prop::collection::vec(any::<u8>(), 1..30).prop_map(Value::Octets),
            ],
            1..40,
        ),
    ) {
        let order = if little { ByteOrder::Little } else { ByteOrder::Big };
        let pieces = pieces_of_1_1(order, room, &values);
        let mut framer = Framer::default();
        let mut last = None;
        for piece in &pieces {
            last = Some(framer.next(piece).unwrap());
        }
        let read = |mut input: Decoder<'_>| {
            for value in &values {
                assert_eq!(value.read(&mut input), *value);
            }
            assert_eq!(input.remaining(), 0);
        };
        match last {
            Some(Step::Reassembled { message, .. }) => read(message.decoder().unwrap()),
            Some(Step::Message { header, bytes, .. }) => read(header.decoder(bytes).unwrap()),
            other => panic!("{other:?}"),
        }
    }
}

/// A sequence of doubles whose elements are spread over pieces.
#[test]
fn a_sequence_that_is_cut_is_read_element_by_element() {
    let doubles: Vec<f64> = (0..20).map(f64::from).collect();
    let mut values = vec![Value::Long(20)];
    values.extend(doubles.iter().copied().map(Value::Double));
    for room in 24..60 {
        let mut framer = Framer::default();
        let mut last = None;
        let pieces = pieces_of_1_1(ByteOrder::Big, room, &values);
        for piece in &pieces {
            last = Some(framer.next(piece).unwrap());
        }
        let Some(Step::Reassembled { message, .. }) = last else {
            panic!("{last:?}");
        };
        let mut input = message.decoder().unwrap();
        assert_eq!(*input.read_sequence::<f64>().unwrap(), doubles);
        let mut input = message.decoder().unwrap();
        input.skip(4).unwrap();
        let mut array = [0.0; 20];
        input.fill(&mut array).unwrap();
        assert_eq!(array[..], doubles);
    }
}

/// The octets of text with its closing NUL, behind their number.
fn string(text: &str) -> [Value; 2] {
    let octets = [text.as_bytes(), &[0]].concat();
    [Value::Long(octets.len() as i32), Value::Octets(octets)]
}

/// A list of tagged octets, as contexts and profiles are.
fn list(entries: &[(u32, &[u8])]) -> Vec<Value> {
    let mut values = vec![Value::Long(entries.len() as i32)];
    for (tag, data) in entries {
        values.push(Value::Long(*tag as i32));
        values.push(Value::Long(data.len() as i32));
        values.push(Value::Octets(data.to_vec()));
    }
    values
}

/// Returns the result of joining a message's pieces.
fn reassemble(pieces: &[Vec<u8>]) -> Reassembled {
    let mut framer = Framer::default();
    let (last, others) = pieces.split_last().unwrap();
    for piece in others {
        assert!(matches!(framer.next(piece), Ok(Step::Absorbed { .. })));
    }
    match framer.next(last).unwrap() {
        Step::Reassembled { message, .. } => message,
        Step::Message { header, bytes, .. } => Reassembled {
            header,
            bytes: bytes.to_vec(),
            realignments: vec![],
        },
        other => panic!("{other:?}"),
    }
}

const ENTRIES: [(u32, &[u8]); 4] = [
    (1, b"odd"),
    (0x5441_4f00, b""),
    (9, b"a longer one, in several pieces"),
    (10, b"x"),
];

#[test]
fn service_contexts_that_a_fragment_of_1_1_realigned_were_misread() {
    let mut values = list(&ENTRIES);
    values.extend([Value::Long(7), Value::Long(0)]);
    let contexts = ENTRIES.map(|(id, data)| ServiceContext { id, data });
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for room in 20..100 {
            let message = reassemble(&pieces_of_1_1(order, room, &values));
            let mut input = message.decoder().unwrap();
            let reply = ReplyHeader::decode(Version::V1_1, &mut input).unwrap();
            let expected = ReplyHeader {
                request_id: 7,
                status: ReplyStatus::NoException,
                service_contexts: ServiceContexts::new(&contexts),
            };
            assert_eq!(reply, expected, "room for {room}");
            assert_eq!(reply.service_contexts.iter().count(), 4);
            assert_eq!(input.remaining(), 0);
        }
    }
}

#[test]
fn references_that_a_fragment_of_1_1_realigned_were_misread() {
    let mut values = vec![Value::Octets(vec![1])];
    values.extend(string("IDL:Circle:1.0"));
    values.extend(list(&ENTRIES));
    values.push(Value::Double(0.5));
    let expected = Ior {
        type_id: "IDL:Circle:1.0".to_owned(),
        profiles: ENTRIES
            .map(|(tag, data)| TaggedProfile {
                tag,
                data: data.to_vec(),
            })
            .to_vec(),
    };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for room in 24..100 {
            let message = reassemble(&pieces_of_1_1(order, room, &values));
            let mut input = message.decoder().unwrap();
            assert_eq!(input.read(), Ok(1_u8));
            assert_eq!(Ior::decode(&mut input).as_ref(), Ok(&expected), "{room}");
            assert_eq!(input.read(), Ok(0.5_f64));
        }
    }
}

/// The request id stands behind the contexts; a CancelRequest may come as soon as
/// it is there.
#[test]
fn the_cancel_of_a_request_that_a_fragment_of_1_1_realigned_was_missed() {
    let mut values = list(&ENTRIES);
    values.extend([Value::Long(7), Value::Octets(vec![0; 100])]);
    let cancel = message(
        Version::V1_1,
        ByteOrder::Big,
        MessageType::CancelRequest,
        |out| out.write(7_u32),
    );
    for room in 20..90 {
        let mut pieces = pieces_of_1_1(ByteOrder::Big, room, &values);
        pieces[0][7] = MessageType::Request as u8;
        pieces.pop();
        let mut framer = Framer::default();
        for piece in &pieces {
            framer.next(piece).unwrap();
        }
        framer.next(&cancel).unwrap();
        assert_eq!(framer.partial_messages(), 0, "room for {room}");
        assert_eq!(framer.partial_bytes(), 0);
    }
}

/// A value may end its chunk between any two members.
#[test]
fn references_in_several_chunks_were_misread() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.enter_chunks();
    out.write_string("IDL:Circle:1.0").unwrap();
    out.write(ENTRIES.len() as u32);
    for (tag, data) in ENTRIES {
        out.write(tag);
        out.suspend_chunk().unwrap();
        out.resume_chunk();
        out.write(data.len() as u32);
        out.write_bytes(data);
        out.suspend_chunk().unwrap();
        out.resume_chunk();
    }
    out.write(7_u32);
    out.leave_chunks().unwrap();

    let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
    input.enter_chunks();
    let ior = Ior::decode(&mut input).unwrap();
    let profiles = ior.profiles.iter().map(|one| (one.tag, &*one.data));
    assert!(profiles.eq(ENTRIES));
    assert_eq!(input.read(), Ok(7_u32));
}

//! GIOP 1.1 aligns what is in a fragment from the fragment's own start.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_giop::Version;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{MessageType, begin_message, finish_message};

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

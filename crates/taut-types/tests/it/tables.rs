//! Marshal tables by themselves: types whose members drop, runs of primitives,
//! and the frames of stubs and skeletons, which must neither lose nor drop twice
//! what was read before a fault. `cargo xtask asan` runs this under
//! AddressSanitizer.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use taut_cdr::codec::{BoundedString, Map, Plain, Sequence};
use taut_cdr::{ByteOrder, Char, Decode, Decoder, Encode, Encoder, ErrorKind, MIN_TAIL, Result};
use taut_types::table::{
    ArgumentFrame, InOut, Opaque, OpaqueSlice, Operation, Out, ParameterMode, Primitives, Raised,
    Slice, Tabled, Text, Value,
};
use taut_types::{table_enumeration, table_structure};

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u32)]
enum Colour {
    Red,
    Green,
}
table_enumeration! { Colour { Red, Green } }

#[derive(Debug, Clone, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}
table_structure! { Point { x: f64, y: f64 } }

#[derive(Debug, Clone, PartialEq)]
struct Tree {
    name: String,
    colour: Colour,
    flag: bool,
    points: Vec<Point>,
    children: Vec<Tree>,
    nicknames: [String; 2],
    /// Marshaled by code.
    far: Option<Box<Far>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Far(String);

/// The wire form of `Tree::far`: an empty text is none.
struct FarForm;

impl taut_cdr::codec::EncodeAs<Option<Box<Far>>> for FarForm {
    fn encode(value: &Option<Box<Far>>, out: &mut Encoder) -> Result<()> {
        value.as_ref().map_or("", |far| &far.0).encode(out)
    }
}

impl<'m> taut_cdr::codec::DecodeAs<'m, Option<Box<Far>>> for FarForm {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Option<Box<Far>>> {
        let text = String::decode(input)?;
        Ok((!text.is_empty()).then(|| Box::new(Far(text))))
    }
}

table_structure! {
    Tree {
        name: String as BoundedString<8>,
        colour: Colour,
        flag: bool,
        points: Vec<Point>,
        children: Vec<Tree> as Sequence<Plain, 3>,
        nicknames: [String; 2],
        far: Option<Box<Far>> as Opaque<FarForm>,
    }
}

fn tree(depth: usize) -> Tree {
    Tree {
        name: format!("tree {depth}"),
        colour: Colour::Green,
        flag: true,
        points: vec![Point { x: 1.5, y: -2.0 }; depth],
        children: vec![tree_or_none(depth), tree_or_none(depth)]
            .into_iter()
            .flatten()
            .collect(),
        nicknames: ["a".repeat(depth), "b".to_owned()],
        far: (depth > 0).then(|| Box::new(Far("far".to_owned()))),
    }
}

fn tree_or_none(depth: usize) -> Option<Tree> {
    depth.checked_sub(1).map(tree)
}

fn octets(order: ByteOrder, write: impl FnOnce(&mut Encoder) -> Result<()>) -> Vec<u8> {
    let mut out = Encoder::new(order);
    write(&mut out).unwrap();
    out.into_buffer()
}

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

#[test]
fn values_return_as_they_were_and_faults_lose_nothing() {
    for order in ORDERS {
        let bytes = octets(order, |out| tree(3).encode(out));
        let mut input = Decoder::new(&bytes, order);
        assert_eq!(Tree::decode(&mut input), Ok(tree(3)));
        assert_eq!(input.remaining(), 0);
        for length in 0..bytes.len() {
            assert!(Tree::decode(&mut Decoder::new(&bytes[..length], order)).is_err());
        }
    }
}

#[test]
fn members_of_one_width_that_lie_together_move_together() {
    // The table says one run of two, and a sequence moves in bulk.
    let shape = Point::TABLE.shape();
    assert_eq!((shape.size(), shape.min_size()), (16, 16));
    let points = vec![Point { x: 0.5, y: 7.0 }; 5];
    for order in ORDERS {
        let bytes = octets(order, |out| points.encode(out));
        let numbers = octets(order, |out| {
            5_u32.encode(out)?;
            [0.5, 7.0]
                .repeat(5)
                .iter()
                .try_for_each(|number: &f64| number.encode(out))
        });
        assert_eq!(bytes, numbers);
        let read: Vec<Point> = Vec::decode(&mut Decoder::new(&bytes, order)).unwrap();
        assert_eq!(read, points);
        // The fault is that of the member which is missing.
        let error = Point::decode(&mut Decoder::new(&bytes[8..20], order)).unwrap_err();
        let kind = ErrorKind::Truncated {
            needed: 8,
            remaining: 4,
        };
        assert_eq!((error.kind(), error.offset()), (kind, 8));
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Nothing {}
table_structure! { Nothing {} }

#[derive(Debug, Clone, PartialEq)]
struct Nothings {
    before: u8,
    some: Vec<Nothing>,
    grid: [Nothing; 3],
    behind: u32,
}
table_structure! {
    Nothings { before: u8, some: Vec<Nothing>, grid: [Nothing; 3], behind: u32 }
}

/// A sequence of structs without members was refused if it had any elements.
#[test]
fn sequences_of_structs_without_members_have_elements() {
    let nothing = || Nothing {};
    for (order, count) in ORDERS.into_iter().flat_map(|order| {
        let counts = [0, 1, 2, 9, 5_000];
        counts.map(|count| (order, count))
    }) {
        let nothings = Nothings {
            before: 1,
            some: vec![nothing(); count],
            grid: [nothing(), nothing(), nothing()],
            behind: 2,
        };
        let all = vec![nothings.clone(), nothings];
        let bytes = octets(order, |out| all.encode(out));
        assert_eq!(bytes.len(), 28);
        let mut input = Decoder::new(&bytes, order);
        assert_eq!(Vec::decode(&mut input), Ok(all));
        assert_eq!(input.remaining(), 0);
    }
    let most = [0xff; 4];
    let error = Vec::<Nothing>::decode(&mut Decoder::new(&most, ByteOrder::Big)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { .. }));
}

#[test]
fn bounds_and_ordinals_hold() {
    let mut long = tree(0);
    long.name = "nine char".to_owned();
    let mut out = Encoder::new(ByteOrder::NATIVE);
    let error = long.encode(&mut out).unwrap_err();
    let kind = ErrorKind::BoundExceeded {
        length: 9,
        bound: 8,
    };
    assert_eq!(error.kind(), kind);
    let bytes = 2_u32.to_be_bytes();
    let error = Colour::decode(&mut Decoder::new(&bytes, ByteOrder::Big)).unwrap_err();
    let kind = ErrorKind::InvalidEnum {
        ordinal: 2,
        count: 2,
    };
    assert_eq!(error.kind(), kind);
}

type Signature = (
    Out<Tree>,
    (
        Text,
        (
            Value<i16>,
            (
                InOut<Tree>,
                (
                    Primitives<i32>,
                    (Slice<Tree>, (InOut<String>, (Out<u8>, ()))),
                ),
            ),
        ),
    ),
);

static OPERATION: &Operation<Signature> = &Operation::new("grow")
    .returning()
    .raises(&[Raised::new::<Point, Plain>("IDL:Point:1.0")]);

/// The octets of a request, as code writes them.
fn request(order: ByteOrder) -> Vec<u8> {
    octets(order, |out| {
        "text".encode(out)?;
        (-3_i16).encode(out)?;
        tree(2).encode(out)?;
        [1_i32, 2].as_slice().encode(out)?;
        vec![tree(1)].encode(out)?;
        "old".encode(out)
    })
}

/// The octets of a reply.
fn reply(order: ByteOrder) -> Vec<u8> {
    octets(order, |out| {
        tree(1).encode(out)?;
        tree(3).encode(out)?;
        "new".encode(out)?;
        9_u8.encode(out)
    })
}

/// Calls the operation, with these octets as the reply: the result, and what
/// the `inout` parameters are afterwards.
fn call(order: ByteOrder, reply: &[u8]) -> (Result<(Tree, u8)>, Tree, String) {
    let (mut changed, mut text) = (tree(2), "old".to_owned());
    let arguments = (
        "text",
        (
            &-3,
            (
                &mut changed,
                (&[1, 2][..], (&[tree(1)][..], (&mut text, ()))),
            ),
        ),
    );
    let outcome = OPERATION.call(arguments, |frame| {
        assert_eq!(
            octets(order, |out| frame.encode(out).map(drop)),
            request(order)
        );
        frame.decode(&mut Decoder::new(reply, order))
    });
    let outcome = outcome.map(|(result, (last, ()))| (result, last));
    (outcome, changed, text)
}

#[test]
fn a_stub_gets_all_results_or_none() {
    for order in ORDERS {
        let reply = reply(order);
        let (outcome, changed, text) = call(order, &reply);
        assert_eq!(outcome, Ok((tree(1), 9)));
        assert_eq!((changed, text.as_str()), (tree(3), "new"));
        for length in 0..reply.len() {
            let (outcome, changed, text) = call(order, &reply[..length]);
            assert!(outcome.is_err(), "{length}");
            assert_eq!((changed, text.as_str()), (tree(2), "old"));
        }
    }
}

#[test]
fn a_skeleton_gets_all_arguments_or_none_and_answers() {
    for order in ORDERS {
        let request = request(order);
        for length in 0..=request.len() {
            let mut frame = ArgumentFrame::new(OPERATION);
            let mut input = Decoder::new(&request[..length], order);
            let received = frame.receive(|frame| frame.decode(&mut input));
            let Ok((text, (number, (changed, (numbers, (trees, (inout, ()))))))) = received else {
                assert_ne!(length, request.len());
                continue;
            };
            assert_eq!((text, *number, numbers), ("text", -3, &[1, 2][..]));
            assert_eq!((trees, inout.as_str()), (&[tree(1)][..], "old"));
            assert_eq!(*changed, tree(2));
            *changed = tree(3);
            *inout = "new".to_owned();
            let values = (tree(1), (&*changed, (&*inout, (9, ()))));
            let written = OPERATION.answer(values, |frame| octets(order, |out| frame.encode(out)));
            assert_eq!(written, reply(order));
        }
    }
}

type Turn = (Value<u8>, (InOut<Vec<f64>>, ()));
type Get = (Out<Vec<i32>>, (Value<u8>, ()));

#[test]
fn a_table_tells_the_elements_if_nothing_else_comes_back() {
    static PUT: Operation<(Primitives<u8>, ())> = Operation::new("put");
    static TURN: Operation<Turn> = Operation::new("turn");
    static GET: Operation<Get> = Operation::new("get").returning();
    static NAME: Operation<(Out<String>, ())> = Operation::new("name").returning();
    for (operation, size) in [
        (PUT.description(), 0),
        (TURN.description(), 8),
        (GET.description(), 4),
        (NAME.description(), 0),
        (EXCHANGE.description(), 0),
        (OPERATION.description(), 0),
    ] {
        assert_eq!(operation.elements().size(), size, "{}", operation.name());
    }
}

#[test]
fn a_frame_can_be_filled_again_and_dropped_unread() {
    let request = request(ByteOrder::NATIVE);
    let mut frame = ArgumentFrame::new(OPERATION);
    for _ in 0..2 {
        let mut input = Decoder::new(&request, ByteOrder::NATIVE);
        assert!(frame.receive(|frame| frame.decode(&mut input)).is_ok());
    }
    // An answer that nobody writes is dropped as well.
    let (changed, inout) = (tree(0), String::new());
    let values = (tree(1), (&changed, (&inout, (9, ()))));
    OPERATION.answer(values, |frame| drop(frame));
}

type Exchange = (
    Out<Vec<i16>>,
    (Primitives<u8>, (Primitives<f64>, (Out<Vec<u8>>, ()))),
);

/// Sends a sequence of octets and one of doubles; a sequence of shorts and one of octets
/// come back.
static EXCHANGE: &Operation<Exchange> = &Operation::new("exchange").returning();

/// The same, with something behind the last sequence.
static WITH_CONTEXT: &Operation<Exchange> =
    &Operation::new("exchange").returning().context(&["user"]);

/// A sequence that goes both ways follows one that is sent.
type Followed = (Primitives<u8>, (InOut<Vec<u8>>, ()));

static FOLLOWED: &Operation<Followed> = &Operation::new("followed");

#[test]
fn the_last_sequence_of_a_request_is_lent() {
    let (octets, doubles) = (vec![7_u8; MIN_TAIL], vec![1.5; MIN_TAIL]);
    let arguments = || (&octets[..], (&doubles[..], ()));
    let in_full = self::octets(ByteOrder::NATIVE, |out| {
        octets.encode(out)?;
        doubles.encode(out)
    });
    for (operation, is_lent) in [(EXCHANGE, true), (WITH_CONTEXT, false)] {
        let sent = operation.send(arguments(), |frame| {
            let mut out = Encoder::new(ByteOrder::NATIVE);
            out.want_tail();
            let lent = frame.encode(&mut out)?;
            let lent = lent.map_or(&[][..], |lent| out.end_with(lent));
            assert_eq!(!lent.is_empty(), is_lent);
            if is_lent {
                assert_eq!(lent.as_ptr(), doubles.as_ptr().cast());
            }
            assert_eq!(out.tail_len()?, lent.len());
            // The first of both is in the buffer.
            assert_eq!([out.as_bytes(), lent].concat(), in_full);
            // An encoder that wants no tail has all in the buffer.
            let mut out = Encoder::new(ByteOrder::NATIVE);
            assert!(frame.encode(&mut out)?.is_none());
            assert_eq!(out.as_bytes(), in_full);
            Ok::<_, taut_cdr::Error>(())
        });
        sent.unwrap();
    }
    let mut behind = vec![1];
    let followed = FOLLOWED.send((&octets[..], (&mut behind, ())), |frame| {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.want_tail();
        assert!(frame.encode(&mut out)?.is_none());
        assert_eq!(out.tail_len()?, 0);
        Ok::<_, taut_cdr::Error>(())
    });
    followed.unwrap();
}

#[test]
fn the_last_sequence_of_a_reply_is_given_away() {
    let (shorts, octets) = (vec![-2_i16; MIN_TAIL], vec![7_u8; MIN_TAIL]);
    let in_full = self::octets(ByteOrder::NATIVE, |out| {
        shorts.encode(out)?;
        octets.encode(out)
    });
    let place = octets.as_ptr();
    let mut out = Encoder::new(ByteOrder::NATIVE);
    out.want_tail();
    let values = (shorts, (octets, ()));
    EXCHANGE
        .answer(values, |frame| frame.encode(&mut out))
        .unwrap();
    assert_eq!(out.tail().as_ptr(), place, "a copy");
    assert_eq!([out.as_bytes(), out.tail()].concat(), in_full);
}

#[test]
fn an_operation_is_data() {
    let description = OPERATION.description();
    assert_eq!(description.name(), "grow");
    assert!(description.has_result() && !description.is_oneway());
    let modes: Vec<_> = description.parameters().map(|one| one.mode()).collect();
    let expected = [
        ParameterMode::Out,
        ParameterMode::Text,
        ParameterMode::Value,
        ParameterMode::InOut,
        ParameterMode::Primitives,
        ParameterMode::Slice,
        ParameterMode::InOut,
        ParameterMode::Out,
    ];
    assert_eq!(modes, expected);
    let [raised] = description.raises() else {
        panic!("one exception");
    };
    assert_eq!(raised.repository_id(), "IDL:Point:1.0");
    assert_eq!(raised.shape().size(), 16);
}

/// A map whose keys have no order, between others that drop.
type Survey = (
    Text,
    (
        Slice<(f64, String), OpaqueSlice<Map<Plain, Plain, 2>>>,
        (Value<String>, ()),
    ),
);

static SURVEY: &Operation<Survey> = &Operation::new("survey").context(&["user", "screen.*"]);

#[test]
fn a_slice_is_passed_to_the_code_of_its_map() {
    let entries = [(0.5, "half".to_owned()), (1.0, "one".to_owned())];
    let end = "end".to_owned();
    for order in ORDERS {
        let request = octets(order, |out| {
            "text".encode(out)?;
            2_u32.encode(out)?;
            for (key, value) in &entries {
                key.encode(out)?;
                value.encode(out)?;
            }
            end.encode(out)
        });
        let send = |entries| -> Result<()> {
            SURVEY.send(("text", (entries, (&end, ()))), |frame| {
                let mut out = Encoder::new(order);
                frame.encode(&mut out)?;
                assert_eq!(out.into_buffer(), request);
                Ok(())
            })
        };
        assert_eq!(send(&entries), Ok(()));
        let three = [&entries[..], &entries[..1]].concat();
        let error = send(&three).unwrap_err();
        let kind = ErrorKind::BoundExceeded {
            length: 3,
            bound: 2,
        };
        assert_eq!(error.kind(), kind);
        for length in 0..=request.len() {
            let mut frame = ArgumentFrame::new(SURVEY);
            let mut input = Decoder::new(&request[..length], order);
            match frame.receive(|frame| frame.decode(&mut input)) {
                Ok(received) => assert_eq!(received, ("text", (&entries[..], (&end, ())))),
                Err(_) => assert_ne!(length, request.len()),
            }
        }
    }
    assert_eq!(SURVEY.description().context(), ["user", "screen.*"]);
    assert!(OPERATION.description().context().is_empty());
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bin {
    s: i16,
    c: Char,
    l: i32,
    o: u8,
    d: f64,
}
table_structure! { Bin { s: i16, c: Char, l: i32, o: u8, d: f64 } }

#[derive(Debug, Clone, Copy, PartialEq)]
struct Mixed {
    flag: bool,
    colour: Colour,
    flags: [bool; 3],
    bin: Bin,
    longs: [i32; 5],
    last: u8,
}
table_structure! {
    Mixed { flag: bool, colour: Colour, flags: [bool; 3], bin: Bin, longs: [i32; 5], last: u8 }
}

#[derive(Debug, Clone, PartialEq)]
struct Large {
    longs: [i32; 500],
    last: u8,
}
table_structure! { Large { longs: [i32; 500], last: u8 } }

fn bin(number: i32) -> Bin {
    Bin {
        s: number as i16 ^ 0x1234,
        c: Char(number as u8),
        l: number.wrapping_mul(0x0102_0304),
        o: !(number as u8),
        d: f64::from(number) / 3.0,
    }
}

fn mixed(number: i32) -> Mixed {
    Mixed {
        flag: number % 2 == 0,
        colour: [Colour::Red, Colour::Green][number as usize % 2],
        flags: [number % 3 == 0, number % 5 == 0, true],
        bin: bin(number + 1),
        longs: [number, 2, 3, 4, -number],
        last: number as u8,
    }
}

/// In memory as on the wire, with padding of one, two, three and seven octets.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Padded {
    flag: bool,
    s: i16,
    c: Char,
    colour: Colour,
    t: i16,
    l: i32,
    o: u8,
    bin: BinInMemory,
}
table_structure! {
    Padded { flag: bool, s: i16, c: Char, colour: Colour, t: i16, l: i32, o: u8, bin: BinInMemory }
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct BinInMemory {
    d: f64,
    o: u8,
    e: f64,
}
table_structure! { BinInMemory { d: f64, o: u8, e: f64 } }

fn padded(number: i32) -> Padded {
    let Mixed { flag, colour, .. } = mixed(number);
    let Bin { s, c, l, o, d } = bin(number);
    Padded {
        flag,
        s,
        c,
        colour,
        t: !s,
        l,
        o,
        bin: BinInMemory { d, o, e: -d },
    }
}

/// In memory as on the wire, without padding.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Dense {
    d: f64,
    longs: [i32; 2],
}
table_structure! { Dense { d: f64, longs: [i32; 2] } }

fn dense(number: i32) -> Dense {
    Dense {
        d: f64::from(number),
        longs: [number, !number],
    }
}

/// As on the wire it does not lie in memory, where each ends with padding.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Late {
    l: i32,
    o: u8,
}
table_structure! { Late { l: i32, o: u8 } }

fn late(number: i32) -> Late {
    Late {
        l: number,
        o: number as u8,
    }
}

fn large(number: i32) -> Large {
    Large {
        longs: [number; 500],
        last: 1,
    }
}

/// A sequence that is marshaled by table.
struct Items<T>(Vec<T>);

macro_rules! items {
    ($($ty:ident)*) => {$(
        const _: () = {
            struct Table {
                items: Vec<$ty>,
            }
            table_structure! { Table { items: Vec<$ty> } }

            impl Encode for Items<$ty> {
                fn encode(&self, out: &mut Encoder) -> Result<()> {
                    let items = self.0.clone();
                    Table { items }.encode(out)
                }
            }

            impl<'m> Decode<'m> for Items<$ty> {
                const MIN_SIZE: usize = 4;

                fn decode(input: &mut Decoder<'m>) -> Result<Self> {
                    Table::decode(input).map(|table| Self(table.items))
                }
            }
        };
    )*};
}

items! { Bin Mixed Padded BinInMemory Dense Late Large }

/// Sequences by table, and what is wrong with them, are those of elements one after the
/// other.
fn move_alike<T>(make: impl Fn(i32) -> T)
where
    T: Encode + for<'m> Decode<'m> + std::fmt::Debug + PartialEq + Clone,
    Items<T>: Encode + for<'m> Decode<'m>,
{
    for (order, offset, count) in ORDERS
        .into_iter()
        .flat_map(|order| (0..8).map(move |offset| (order, offset)))
        .flat_map(|(order, offset)| [1, 8, 100].map(|count| (order, offset, count)))
    {
        let items: Vec<T> = (0..count).map(&make).collect();
        let write = |value: &dyn Fn(&mut Encoder) -> Result<()>| {
            octets(order, |out| {
                out.write_bytes(&[0xaa; 8][..offset]);
                value(out)
            })
        };
        let bytes = write(&|out| Items(items.clone()).encode(out));
        let one_by_one = write(&|out| {
            out.write_length(items.len())?;
            items.iter().try_for_each(|item| item.encode(out))
        });
        assert_eq!(bytes, one_by_one);
        let compare = |bytes: &[u8]| {
            let mut input = Decoder::new(bytes, order);
            input.skip(offset).unwrap();
            let read_each = |input: &mut Decoder<'_>| {
                let count = input.read_count(<T as Decode<'_>>::MIN_SIZE)?;
                input.read_each(count, <T as Decode<'_>>::MIN_SIZE, |input| T::decode(input))
            };
            let one_by_one = read_each(&mut input.clone());
            let by_table = Items::<T>::decode(&mut input).map(|items| items.0);
            assert_eq!(by_table, one_by_one);
        };
        compare(&bytes);
        let step = (bytes.len() / 41).max(1);
        for place in (offset..bytes.len()).step_by(step) {
            compare(&bytes[..place]);
            // No double becomes one that differs from itself.
            let mut spoilt = bytes.clone();
            spoilt[place] ^= 2;
            compare(&spoilt);
        }
    }
}

/// Elements are copied with what is in their padding, and that is nobody's business.
#[test]
fn padding_that_was_received_is_not_sent() {
    let items: Vec<BinInMemory> = (0..300).map(|number| padded(number).bin).collect();
    let order = ByteOrder::NATIVE;
    let clean = octets(order, |out| Items(items.clone()).encode(out));
    let mut bytes = clean.clone();
    // Behind the count, and padding in front of the first.
    for element in bytes[8..].chunks_exact_mut(24) {
        element[9..16].fill(0xff);
    }
    let mut input = Decoder::new(&bytes, order);
    let received = Items::<BinInMemory>::decode(&mut input).unwrap();
    assert_eq!(received.0, items);
    assert_eq!(octets(order, |out| received.encode(out)), clean);
}

#[test]
fn structs_move_in_columns_as_they_do_one_by_one() {
    move_alike(bin);
    move_alike(mixed);
    move_alike(padded);
    move_alike(dense);
    move_alike(late);
    move_alike(large);
}

//! Sequences of plain structs that are marshaled by table: they are sent from where they lie
//! and received where they stay, as those that are marshaled by code.
//! `cargo xtask asan` runs this under AddressSanitizer.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Debug;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;

use taut_cdr::codec::{Plain, Sequence};
use taut_cdr::{
    ByteOrder, Decoder, ElementForm, Elements, Encode, Encoder, ErrorKind, Landed, Landing,
    MIN_TAIL, MemoryLimit, Result,
};
use taut_types::table::{Operation, Out, Tabled};
use taut_types::{table_enumeration, table_structure};

/// A struct that is marshaled by table, and the same by code.
macro_rules! both {
    ($($table:ident $code:ident { $($member:ident: $ty:ty),* })*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[repr(C)]
        struct $table {
            $($member: $ty),*
        }
        table_structure! { $table { $($member: $ty),* } }

        #[derive(Debug, Clone, Copy, PartialEq)]
        #[repr(C)]
        struct $code {
            $($member: $ty),*
        }
        taut_cdr::uniform_structure! { plain $code { $($member: $ty),* } }

        impl From<$table> for $code {
            fn from(it: $table) -> Self {
                Self { $($member: it.$member),* }
            }
        }
    )*};
}

both! {
    // The first may lie otherwise than those that follow.
    Sample SampleByCode { id: u8, value: f64 }
    // All lie alike.
    Point PointByCode { y: i16, x: f32 }
    // Without padding.
    Pair PairByCode { a: f64, b: f64 }
    Triple TripleByCode { shorts: [i16; 3] }
}

fn sample(number: usize) -> Sample {
    Sample {
        id: number as u8,
        value: number as f64 / 3.0,
    }
}

fn point(number: usize) -> Point {
    Point {
        y: -(number as i16),
        x: number as f32,
    }
}

fn pair(number: usize) -> Pair {
    let Sample { id, value } = sample(number);
    Pair {
        a: f64::from(id),
        b: value,
    }
}

fn triple(number: usize) -> Triple {
    Triple {
        shorts: [number as i16, 7, -1],
    }
}

/// How such elements can be received where they stay.
fn form<T: Tabled>() -> ElementForm {
    let get = const { &Operation::<(Out<Vec<T>>, ())>::new("get").returning() };
    get.description().elements()
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u32)]
enum Colour {
    Red,
}
table_enumeration! { Colour { Red } }

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Painted {
    colour: Colour,
}
table_structure! { Painted { colour: Colour } }

/// The next one follows its octet, not its padding.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Late {
    long: i32,
    octet: u8,
}
table_structure! { Late { long: i32, octet: u8 } }

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Large {
    octets: [u8; 65],
}
table_structure! { Large { octets: [u8; 65] } }

#[test]
fn a_table_tells_the_form_that_code_does() {
    assert_eq!(form::<Sample>(), ElementForm::of::<SampleByCode>());
    assert_eq!(form::<Point>(), ElementForm::of::<PointByCode>());
    assert_eq!(form::<Pair>(), ElementForm::of::<PairByCode>());
    assert_eq!(form::<Triple>(), ElementForm::of::<TripleByCode>());
    assert_eq!(form::<i16>(), ElementForm::of::<i16>());
    // Not all octets are values, or they lie otherwise, or it is not known what is padding.
    for none in [form::<Painted>(), form::<Late>(), form::<Large>()] {
        assert!(none.is_none());
    }
}

fn message<T: Encode>(order: ByteOrder, front: usize, items: &[T]) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.write_bytes(&[0xaa; 16][..front]);
    items.encode(&mut out).unwrap();
    out.into_buffer()
}

fn give<T, C>(make: impl Fn(usize) -> T, padding: Range<usize>)
where
    T: Tabled + Encode + Copy,
    C: From<T> + Encode,
{
    static FOREIGN: ByteOrder = match ByteOrder::NATIVE {
        ByteOrder::Big => ByteOrder::Little,
        ByteOrder::Little => ByteOrder::Big,
    };
    let get = const { &Operation::<(Out<Vec<T>>, ())>::new("get").returning() };
    let enough = MIN_TAIL.div_ceil(size_of::<T>());
    for (order, count, is_given) in [
        (ByteOrder::NATIVE, 0, false),
        (ByteOrder::NATIVE, enough - 1, false),
        (ByteOrder::NATIVE, enough, true),
        (ByteOrder::NATIVE, enough + 1, true),
        (FOREIGN, enough, false),
    ] {
        for front in 0..9 {
            let items: Vec<T> = (0..count).map(&make).collect();
            let by_code: Vec<C> = items.iter().copied().map(C::from).collect();
            let items = soiled(&items, &padding);
            let place = items.as_ptr().cast::<u8>();
            let mut out = Encoder::new(order);
            out.write_bytes(&[0xaa; 16][..front]);
            out.want_tail();
            get.answer((items, ()), |frame| frame.encode(&mut out))
                .unwrap();
            let tail = out.tail();
            assert_eq!(out.tail_len(), Ok(tail.len()));
            let in_full = message(order, front, &by_code);
            assert!([out.as_bytes(), tail].concat() == in_full, "{front}");
            assert_eq!(!tail.is_empty(), is_given, "{front} {count}");
            // The first may be apart.
            let first = [place, place.wrapping_add(size_of::<T>())];
            assert!(!is_given || first.contains(&tail.as_ptr()), "a copy");
        }
    }
}

/// The values, received with something in their padding.
fn soiled<T: Tabled + Encode>(items: &[T], padding: &Range<usize>) -> Vec<T> {
    if items.is_empty() {
        return Vec::new();
    }
    let (head, mut octets) = reply(items);
    for element in octets.chunks_exact_mut(size_of::<T>()) {
        element[padding.clone()].fill(0xff);
    }
    receive(&head, &landed(form::<T>(), &octets), MemoryLimit::DEFAULT).unwrap()
}

#[test]
fn the_structs_of_a_reply_are_given_away() {
    give::<Sample, SampleByCode>(sample, 1..8);
    give::<Point, PointByCode>(point, 2..4);
    give::<Pair, PairByCode>(pair, 0..0);
    give::<Triple, TripleByCode>(triple, 0..0);
}

struct Once(Mutex<Elements>);

impl Landed for Once {
    fn octets(&self) -> usize {
        self.0.lock().unwrap().as_bytes().len()
    }

    fn take(&self) -> Elements {
        mem::take(&mut self.0.lock().unwrap())
    }
}

/// The elements of a message behind its head, as they land.
fn landed(form: ElementForm, octets: &[u8]) -> Once {
    let mut landing = Landing::new(form, octets.len());
    let filled = landing.fill(octets.len(), |room| {
        Ok::<_, ()>(room[..octets.len()].write_copy_of_slice(octets))
    });
    assert_eq!(filled, Ok(octets.len()));
    Once(Mutex::new(landing.into_elements()))
}

/// A reply of structs: its head, and the elements behind.
fn reply<T: Tabled + Encode>(items: &[T]) -> (Vec<u8>, Vec<u8>) {
    let mut head = message(ByteOrder::NATIVE, 8, items);
    let octets = head.split_off(8 + form::<T>().head());
    (head, octets)
}

fn receive<T: Tabled>(head: &[u8], landed: &dyn Landed, limit: MemoryLimit) -> Result<Vec<T>> {
    let get = const { &Operation::<(Out<Vec<T>>, ())>::new("get").returning() };
    let mut input = Decoder::new(head, ByteOrder::NATIVE).with_landed(landed, limit);
    input.skip(8)?;
    let (items, ()) = get.call((), |frame| frame.decode(&mut input))?;
    assert_eq!(input.remaining(), 0);
    Ok(items)
}

fn land<T>(make: impl Fn(usize) -> T)
where
    T: Tabled + Encode + Debug + PartialEq,
{
    for count in [2, 3, 1_000] {
        let items: Vec<T> = (0..count).map(&make).collect();
        let (head, octets) = reply(&items);
        let landed = landed(form::<T>(), &octets);
        let place = landed.0.lock().unwrap().as_bytes().as_ptr();
        let back = receive::<T>(&head, &landed, MemoryLimit::DEFAULT).unwrap();
        assert_eq!(back, items);
        assert_eq!(back.as_ptr().cast(), place, "a copy");
        // There is nothing left for who reads it again.
        assert!(receive::<T>(&head, &landed, MemoryLimit::DEFAULT).is_err());
    }
}

#[test]
fn the_structs_of_a_reply_stay_where_they_landed() {
    land(sample);
    land(point);
    land(pair);
    land(triple);
}

#[test]
fn structs_in_memory_that_cannot_be_theirs_are_copied() {
    let items = [sample(1), sample(2), sample(3)];
    let (head, octets) = reply(&items);
    let mut words = Vec::with_capacity(7);
    words.extend([0; 2]); // the first is apart
    let pieces = octets.chunks_exact(8);
    words.extend(pieces.map(|piece| u64::from_ne_bytes(piece.try_into().unwrap())));
    assert_eq!((words.len(), words.capacity()), (6, 7));
    let elements = Once(Mutex::new(Elements::Eight(words)));
    let back = receive::<Sample>(&head, &elements, MemoryLimit::DEFAULT);
    assert_eq!(back.unwrap(), items);
    // Neither are those of another alignment.
    let elements = Once(Mutex::new(Elements::One([&[0; 16][..], &octets].concat())));
    let back = receive::<Sample>(&head, &elements, MemoryLimit::DEFAULT);
    assert_eq!(back.unwrap(), items);
}

#[test]
fn a_count_that_lies_takes_nothing_that_has_landed() {
    let (mut head, octets) = reply(&[point(1), point(2)]);
    for count in [0_u32, 1, 3, u32::MAX] {
        let landed = landed(form::<Point>(), &octets);
        head[8..12].copy_from_slice(&count.to_ne_bytes());
        let back = receive::<Point>(&head, &landed, MemoryLimit::DEFAULT);
        assert_eq!(back.is_ok(), count == 0, "{count}");
        assert_eq!(landed.octets(), octets.len());
    }
}

#[test]
fn memory_is_charged_for_structs_that_have_landed() {
    let items: Vec<_> = (0..100).map(point).collect();
    let (head, octets) = reply(&items);
    for (extra, is_enough) in [(799, false), (800, true)] {
        let limit = MemoryLimit {
            per_octet: 0,
            extra,
        };
        let back = receive::<Point>(&head, &landed(form::<Point>(), &octets), limit);
        let kind = back.err().map(|error| error.kind());
        let too_much = ErrorKind::TooMuchMemory { octets: 800 };
        assert_eq!(kind, (!is_enough).then_some(too_much));
    }
}

#[test]
fn bounds_hold_for_structs_that_are_given_and_that_land() {
    type Few = Sequence<Plain, 4095>;
    static GET: Operation<(Out<Vec<Point>, Few>, ())> = Operation::new("get").returning();
    let items: Vec<_> = (0..4096).map(point).collect();
    let exceeded = ErrorKind::BoundExceeded {
        length: 4096,
        bound: 4095,
    };
    let mut out = Encoder::new(ByteOrder::NATIVE);
    out.want_tail();
    let given = GET.answer((items.clone(), ()), |frame| frame.encode(&mut out));
    assert_eq!(given.unwrap_err().kind(), exceeded);
    let (head, octets) = reply(&items);
    let landed = landed(form::<Point>(), &octets);
    let mut input =
        Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, MemoryLimit::DEFAULT);
    input.skip(8).unwrap();
    let back = GET.call((), |frame| frame.decode(&mut input));
    assert_eq!(back.unwrap_err().kind(), exceeded);
    assert_eq!(landed.octets(), octets.len());
}

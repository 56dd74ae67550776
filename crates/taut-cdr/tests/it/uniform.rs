//! Structs in bulk: the same octets, values and faults as one after the other.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Debug;
use std::mem;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use taut_cdr::uniform::{PlainData, Uniform};
use taut_cdr::{
    ByteOrder, Char, Decode, Decoder, ElementForm, Elements, Encode, Encoder, ErrorKind, Landed,
    Landing, LongDouble, MIN_TAIL, MemoryLimit, Realignment, Result,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// A value made of numbers that come from somewhere.
trait Sample: Sized {
    fn sample(numbers: &mut dyn FnMut() -> u64) -> Self;
}

macro_rules! samples {
    ($($ty:ty: |$number:ident| $value:expr;)*) => {$(
        impl Sample for $ty {
            fn sample(numbers: &mut dyn FnMut() -> u64) -> Self {
                let $number = numbers();
                $value
            }
        }
    )*};
}

samples! {
    bool: |number| number % 2 == 1;
    u8: |number| number as u8;
    Char: |number| Char(number as u8);
    i16: |number| number as i16;
    u32: |number| number as u32;
    i64: |number| number as i64;
    f32: |number| number as i32 as f32;
    f64: |number| number as f64;
    LongDouble: |number| LongDouble::from_bits(u128::from(number) * u128::from(u64::MAX - 7));
    Colour: |number| [Colour::Red, Colour::Green, Colour::Blue][number as usize % 3];
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(numbers: &mut dyn FnMut() -> u64) -> Self {
        std::array::from_fn(|_| T::sample(numbers))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u32)]
enum Colour {
    Red,
    Green,
    Blue,
}

taut_cdr::uniform_enumeration! { Colour { 0 => Red, 1 => Green, _ => Blue } }

/// Structs, and a function that examines each.
macro_rules! shapes {
    ($($(#[$plain:ident])? $name:ident { $($member:ident: $ty:ty),* })*) => {
        $(
            #[derive(Debug, Clone, Copy, PartialEq)]
            #[repr(C)]
            struct $name {
                $($member: $ty),*
            }

            taut_cdr::uniform_structure! { $($plain)? $name { $($member: $ty),* } }

            impl Sample for $name {
                fn sample(numbers: &mut dyn FnMut() -> u64) -> Self {
                    Self { $($member: Sample::sample(numbers)),* }
                }
            }
        )*

        fn examine_all(case: &mut Case) -> TestCaseResult {
            $(examine::<$name>(case)?;)*
            examine::<bool>(case)?;
            examine::<Colour>(case)?;
            Ok(())
        }

        /// The names of the plain ones that land.
        fn land_all() -> Vec<&'static str> {
            let mut landed = Vec::new();
            $($(land::<$name>(stringify!($plain), stringify!($name), &mut landed);)?)*
            landed
        }

        /// The names of the plain ones that are sent from where they lie.
        fn give_all() -> Vec<&'static str> {
            let mut given = Vec::new();
            $($(give::<$name>(stringify!($plain), stringify!($name), &mut given);)?)*
            given
        }
    };
}

shapes! {
    #[plain]
    Bin { s: i16, c: Char, l: u32, o: u8, d: f64 }
    #[plain]
    One { a: u8 }
    Flag { a: bool }
    #[plain]
    Point { a: f64, b: f64, c: f64 }
    // Of no more than these it is known which octets are padding.
    #[plain]
    Full { a: [f64; 6], b: u8, c: f64 }
    #[plain]
    Beyond { a: [f64; 7], b: u8, c: f64 }
    // After 16 octets padding lies again as it did, after 32, and after 64.
    #[plain]
    Sixteen { a: u8, b: f64 }
    #[plain]
    ThirtyTwo { a: u8, b: [f64; 3] }
    #[plain]
    SixtyFour { a: u8, b: [f64; 7] }
    #[plain]
    Shorts { a: i16, b: i16, c: i16 }
    #[plain]
    Loose { a: u8, b: Bin, c: [Shorts; 2], d: u32 }
    #[plain]
    Wide { a: LongDouble, b: u8 }
    #[plain]
    Word { a: i16, b: u8 }
    #[plain]
    Hole { a: u8, b: u32, c: u8 }
    #[plain]
    Holes { a: u8, b: i16, c: u8, d: u32, e: u8, f: f64, g: u8 }
    #[plain]
    Down { a: f64, b: u32, c: i16, d: u8 }
    #[plain]
    Up { a: u8, b: i16, c: u32, d: f64 }
    Chosen { a: Colour, b: bool, c: Colour }
    Late { a: u8, b: bool, c: u8, d: Colour }
    Octets { a: u8, b: [u8; 5], c: bool }
    #[plain]
    Doubles { a: u8, b: [f64; 3], c: i16 }
    #[plain]
    Empty { a: u8, b: [f64; 0], c: i16 }
    Flags { a: u32, b: [bool; 3], c: [Colour; 2] }
    #[plain]
    Nested { a: u8, b: Hole, c: Word, d: u8 }
    #[plain]
    Twice { a: Hole, b: [Hole; 3], c: u8 }
    Deep { a: Word, b: [Twice; 2], c: [Word; 4], d: Flag }
    #[plain]
    Grid { a: [[i16; 3]; 2], b: u8, c: [[Word; 2]; 3] }
    #[plain]
    Large { a: [i64; 400], b: u8, c: [Bin; 20] }
    Fine { a: f32, b: [Late; 2], c: f32 }
    #[plain]
    Longs { a: [LongDouble; 2], b: [Wide; 2] }
}

/// Values that are encoded and decoded one after the other.
#[derive(Debug, PartialEq)]
struct Single<T>(T);

impl<T: Encode> Encode for Single<T> {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.0.encode(out)
    }
}

impl<'m, T: Decode<'m>> Decode<'m> for Single<T> {
    const MIN_SIZE: usize = T::MIN_SIZE;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        T::decode(input).map(Self)
    }
}

#[derive(Debug)]
struct Case {
    seed: u64,
    count: usize,
    offset: usize,
    /// Where the octets end, and which one of them is another than it was; both
    /// reduced to what there is.
    cut: usize,
    spoilt: usize,
    spoilt_octet: u8,
    memory: usize,
}

impl Case {
    /// Numbers that do not repeat soon (SplitMix64).
    fn number(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }
}

fn encoded(order: ByteOrder, offset: usize, value: &impl Encode) -> Vec<u8> {
    let mut out = Encoder::new(order);
    out.write_bytes(&vec![0xaa; offset]);
    value.encode(&mut out).unwrap();
    out.into_buffer()
}

/// The decoded values, as octets, because these tell one NaN from another; and the state of
/// the decoder afterwards: its place and the memory that it still grants, in steps of 4
/// KiB.
type Outcome = (Result<Vec<u8>>, Option<(usize, usize)>);

fn decoded<T>(mut input: Decoder<'_>, offset: usize) -> Outcome
where
    T: Encode + for<'m> Decode<'m>,
{
    input.skip(offset).unwrap();
    let value = T::decode(&mut input);
    // Nobody reads on after a fault.
    let end = value.is_ok().then(|| {
        let is_spent = |octets: &usize| input.clone().charge(octets << 12).is_err();
        (input.position(), (0..).find(is_spent).unwrap())
    });
    (value.map(|value| encoded(input.order(), 0, &value)), end)
}

fn examine<T>(case: &mut Case) -> TestCaseResult
where
    T: Uniform + Encode + for<'m> Decode<'m> + Sample + Debug + PartialEq,
{
    let items: Vec<T> = (0..case.count)
        .map(|_| T::sample(&mut || case.number()))
        .collect();
    let array: [T; 3] = std::array::from_fn(|_| T::sample(&mut || case.number()));
    let singles = |items: &[T]| items.iter().map(|item| Single(*item)).collect::<Vec<_>>();
    for order in ORDERS {
        let offset = case.offset;
        let bytes = encoded(order, offset, &items);
        prop_assert_eq!(&bytes, &encoded(order, offset, &singles(&items)));
        let array_bytes = encoded(order, offset, &array);
        let single_array = || array.map(Single);
        prop_assert_eq!(&array_bytes, &encoded(order, offset, &single_array()));
        let arrays = encoded(order, offset, &[array, array]);
        let single_arrays = encoded(order, offset, &[single_array(), single_array()]);
        prop_assert_eq!(arrays, single_arrays);
        let mut input = Decoder::new(&bytes, order);
        input.skip(offset).unwrap();
        prop_assert_eq!(&Vec::<T>::decode(&mut input).unwrap(), &items);
        prop_assert_eq!(input.remaining(), 0);

        let mut spoilt = bytes.clone();
        spoilt[offset + case.spoilt % (bytes.len() - offset)] = case.spoilt_octet;
        let cut = offset + case.cut % (bytes.len() - offset);
        let mut spoilt_array = array_bytes.clone();
        spoilt_array[offset + case.spoilt % (array_bytes.len() - offset)] = case.spoilt_octet;
        let array_cut = offset + case.cut % (array_bytes.len() - offset);
        // An octet that is lost shifts what comes behind it.
        let pieces = [Realignment {
            position: cut,
            phase: 3,
        }];
        let limit = MemoryLimit {
            per_octet: 0,
            extra: case.memory,
        };
        for (bytes, array_bytes) in [
            (&bytes[..], &array_bytes[..]),
            (&spoilt, &spoilt_array),
            (&bytes[..cut], &array_bytes[..array_cut]),
            (&spoilt[..cut], &spoilt_array[..array_cut]),
        ] {
            let changes: [for<'m> fn(Decoder<'m>, MemoryLimit) -> Decoder<'m>; 3] = [
                |input, _| input,
                |input, limit| input.with_memory_limit(limit),
                |input, _| input.with_nesting_limit(0),
            ];
            for change in changes {
                let input = change(Decoder::new(bytes, order), limit);
                let singles = decoded::<Vec<Single<T>>>(input.clone(), offset);
                prop_assert_eq!(decoded::<Vec<T>>(input, offset), singles);
                let input = change(Decoder::new(array_bytes, order), limit);
                let singles = decoded::<[Single<T>; 3]>(input.clone(), offset);
                prop_assert_eq!(decoded::<[T; 3]>(input, offset), singles);
            }
        }
        let input = Decoder::new(&bytes, order).with_realignments(&pieces);
        let singles = decoded::<Vec<Single<T>>>(input.clone(), offset);
        prop_assert_eq!(decoded::<Vec<T>>(input, offset), singles);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn bulk_is_one_after_the_other(
        seed: u64,
        count in prop_oneof![0_usize..8, 0_usize..200],
        offset in 0_usize..9,
        cut in 0_usize..20_000,
        spoilt in 0_usize..20_000,
        spoilt_octet: u8,
        memory in 0_usize..5_000,
    ) {
        examine_all(&mut Case { seed, count, offset, cut, spoilt, spoilt_octet, memory })?;
    }
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

/// Receives several values apart from the head of their message, and notes the type's name if
/// they can be.
fn land<T>(kind: &str, name: &'static str, landed: &mut Vec<&'static str>)
where
    T: PlainData + Encode + for<'m> Decode<'m> + Sample + Debug + PartialEq,
{
    let form = ElementForm::of::<T>();
    if form.is_none() {
        return;
    }
    landed.push(name);
    for count in [1, 2, 5] {
        let mut numbers = 1..;
        let items: Vec<T> = (0..count)
            .map(|_| T::sample(&mut || numbers.next().unwrap()))
            .collect();
        let mut head = encoded(ByteOrder::NATIVE, 8, &items);
        let octets = head.split_off(8 + form.head());
        assert_eq!(form.landing(count), Some(octets.len()), "{kind} {name}");
        let mut landing = Landing::new(form, octets.len());
        let filled = landing.fill(octets.len(), |room| {
            Ok::<_, ()>(room[..octets.len()].write_copy_of_slice(&octets))
        });
        assert_eq!(filled, Ok(octets.len()));
        let elements = Once(Mutex::new(landing.into_elements()));
        let mut input =
            Decoder::new(&head, ByteOrder::NATIVE).with_landed(&elements, MemoryLimit::DEFAULT);
        input.skip(8).unwrap();
        assert_eq!(
            Vec::<T>::decode(&mut input).unwrap(),
            items,
            "{kind} {name}"
        );
        assert_eq!(input.remaining(), 0);
        // A single one may be all in the head, and is read there.
        assert!(octets.is_empty() || elements.octets() == 0, "{kind} {name}");
    }
}

#[test]
fn structs_of_all_shapes_are_the_same_when_they_land() {
    let landed = land_all();
    for name in [
        "Bin",
        "One",
        "Point",
        "Sixteen",
        "ThirtyTwo",
        "SixtyFour",
        "Up",
    ] {
        assert!(landed.contains(&name), "{landed:?}");
    }
    // They end in padding, or are large.
    for name in ["Word", "Hole", "Down", "Doubles", "Large"] {
        assert!(!landed.contains(&name), "{landed:?}");
    }
}

/// Values of which all octets are ones, those of padding too where they are copied as they
/// are.
fn ones<T: PlainData + for<'m> Decode<'m>>(count: usize) -> Vec<T> {
    let count_octets = u32::try_from(count).unwrap().to_ne_bytes();
    let mut octets = vec![0xff; 2 * (count + 1) * size_of::<T>() + 16];
    octets[..4].copy_from_slice(&count_octets);
    Vec::decode(&mut Decoder::new(&octets, ByteOrder::NATIVE)).unwrap()
}

/// Gives many values away, which takes the same octets as copying them, and notes the
/// type's name if they are sent from where they lie.
fn give<T>(kind: &str, name: &'static str, given: &mut Vec<&'static str>)
where
    T: PlainData + Encode + for<'m> Decode<'m>,
{
    let few = MIN_TAIL.div_ceil(size_of::<T>()) - 1;
    for (count, offset) in [few, few + 1, few + 6]
        .into_iter()
        .flat_map(|count| (0..9).map(move |offset| (count, offset)))
    {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.write_bytes(&vec![0xaa; offset]);
        out.want_tail();
        out.give(ones::<T>(count)).unwrap();
        let octets = [out.as_bytes(), out.tail()].concat();
        let copied = encoded(ByteOrder::NATIVE, offset, &ones::<T>(count));
        assert!(octets == copied, "{kind} {name}: {count} behind {offset}");
        assert_eq!(out.tail_len(), Ok(out.tail().len()));
        assert!(count > few || !out.has_tail(), "{kind} {name}");
        if count == few + 1 && offset == 0 && out.has_tail() {
            // But for the first, perhaps.
            assert!(out.tail().len() >= few * size_of::<T>(), "{kind} {name}");
            given.push(name);
        }
    }
}

#[test]
fn structs_of_all_shapes_are_the_same_when_they_are_given_away() {
    let given = give_all();
    for name in ["Bin", "One", "Point", "Full", "Sixteen", "SixtyFour", "Up"] {
        assert!(given.contains(&name), "{given:?}");
    }
    // They end in padding, or are large.
    for name in ["Word", "Hole", "Down", "Doubles", "Beyond", "Large"] {
        assert!(!given.contains(&name), "{given:?}");
    }
}

#[test]
fn padding_is_zero_in_a_buffer_that_was_used_before() {
    let items = [Hole { a: 1, b: 2, c: 3 }; 300];
    let mut out = Encoder::with_buffer(vec![0xff; 8192], ByteOrder::Big);
    items[..].encode(&mut out).unwrap();
    let mut expected = vec![0, 0, 1, 44];
    expected.extend([1, 0, 0, 0, 0, 0, 0, 2]);
    for _ in 1..300 {
        expected.extend([3, 1, 0, 0, 0, 0, 0, 2]);
    }
    expected.push(3);
    assert_eq!(out.as_bytes(), expected);
}

/// Values are copied with what is in their padding, and that is nobody's business.
#[test]
fn padding_that_was_received_is_not_sent() {
    let mut numbers = 0..;
    let items: Vec<Bin> = (0..300)
        .map(|_| Bin::sample(&mut || numbers.next().unwrap()))
        .collect();
    let clean = encoded(ByteOrder::NATIVE, 0, &items);
    let mut bytes = clean.clone();
    // The first one begins behind the count, and ends where the next one begins.
    for value in bytes.chunks_exact_mut(24).skip(1) {
        value[3] = 0xff;
        value[9..16].fill(0xff);
    }
    let received = Vec::<Bin>::decode(&mut Decoder::new(&bytes, ByteOrder::NATIVE)).unwrap();
    assert_eq!(received, items);
    assert_eq!(encoded(ByteOrder::NATIVE, 0, &received), clean);
}

#[test]
fn a_bad_boolean_among_structs_is_named_with_its_place() {
    let items = vec![Flag { a: true }; 50];
    let mut bytes = encoded(ByteOrder::Little, 0, &items);
    bytes[4 + 33] = 7;
    let error = Vec::<Flag>::decode(&mut Decoder::new(&bytes, ByteOrder::Little)).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::InvalidBoolean(7), 37)
    );
}

#[test]
fn a_bad_enum_among_structs_is_named_with_its_place() {
    let items = vec![
        Chosen {
            a: Colour::Red,
            b: true,
            c: Colour::Blue
        };
        50
    ];
    let mut bytes = encoded(ByteOrder::Big, 0, &items);
    bytes[4 + 12 * 20 + 3] = 3;
    let error = Vec::<Chosen>::decode(&mut Decoder::new(&bytes, ByteOrder::Big)).unwrap_err();
    let expected = ErrorKind::InvalidEnum {
        ordinal: 3,
        count: 3,
    };
    assert_eq!((error.kind(), error.offset()), (expected, 4 + 12 * 20));
}

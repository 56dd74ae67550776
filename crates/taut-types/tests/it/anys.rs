//! Anys: in and out, between byte orders, alignments and code sets.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;
use taut_cdr::codec::{BoundedString, Sequence, WideString};
use taut_cdr::{
    ByteOrder, Char, CharCodeSet, Decode, Decoder, Encode, EncodeNil, Encoder, ErrorKind, Fixed,
    LongDouble, Result, WChar, WideForm,
};
use taut_types::{Any, ExtractError, TCKind, TypeCode, TypeCodeLimits, Typed, UnionMember, engine};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// A struct as generated code has it, whose members need padding.
#[derive(Debug, Clone, PartialEq)]
struct Sample {
    tag: u8,
    size: f64,
    name: String,
    flags: Vec<bool>,
    mixed: Vec<Mixed>,
    held: Any,
}

#[derive(Debug, Clone, PartialEq)]
struct Mixed(u8, u32, i16);

impl Typed for Mixed {
    fn type_code() -> TypeCode {
        let members = [
            ("a", u8::type_code()),
            ("b", u32::type_code()),
            ("c", i16::type_code()),
        ];
        TypeCode::create_struct("IDL:Mixed:1.0", "Mixed", &members).unwrap()
    }
}

impl Encode for Mixed {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.0.encode(out)?;
        self.1.encode(out)?;
        self.2.encode(out)
    }
}

impl<'m> Decode<'m> for Mixed {
    const MIN_SIZE: usize = 7;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self(input.read()?, input.read()?, input.read()?))
    }
}

impl Typed for Sample {
    fn type_code() -> TypeCode {
        let members = [
            ("tag", u8::type_code()),
            ("size", f64::type_code()),
            ("name", String::type_code()),
            ("flags", Vec::<bool>::type_code()),
            ("mixed", Vec::<Mixed>::type_code()),
            ("held", <Any as Typed>::type_code()),
        ];
        TypeCode::create_struct("IDL:Sample:1.0", "Sample", &members).unwrap()
    }
}

impl Encode for Sample {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.tag.encode(out)?;
        self.size.encode(out)?;
        self.name.encode(out)?;
        self.flags.encode(out)?;
        self.mixed.encode(out)?;
        self.held.encode(out)
    }
}

impl<'m> Decode<'m> for Sample {
    const MIN_SIZE: usize = 25;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self {
            tag: u8::decode(input)?,
            size: f64::decode(input)?,
            name: String::decode(input)?,
            flags: Vec::decode(input)?,
            mixed: Vec::decode(input)?,
            held: Any::decode(input)?,
        })
    }
}

/// Sends an Any in every order, code set and form, and reads it back.
fn travels(any: &Any, code_sets: &[CharCodeSet], offset: usize) {
    for order in ORDERS {
        for &code_set in code_sets {
            for form in [WideForm::Units, WideForm::Octets] {
                let mut out = Encoder::new(order);
                out.set_char_code_set(code_set);
                out.set_wide_form(form);
                out.write_bytes(&vec![0xaa; offset]);
                any.encode(&mut out).unwrap();
                let bytes = out.into_buffer();
                let mut input = Decoder::new(&bytes, order)
                    .with_char_code_set(code_set)
                    .with_wide_form(form);
                input.skip(offset).unwrap();
                let mut skipping = input.clone();
                assert_eq!(&Any::decode(&mut input).unwrap(), any);
                assert_eq!(input.remaining(), 0);
                engine::skip(&<Any as Typed>::type_code(), &mut skipping).unwrap();
                assert_eq!(skipping.remaining(), 0);
            }
        }
    }
}

/// Puts a value in, sends the Any, takes the value out.
fn round_trip<T>(value: &T, offset: usize)
where
    T: Typed + Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug,
{
    let any = Any::new(value).unwrap();
    travels(&any, &[CharCodeSet::Utf8], offset);
    assert_eq!(&any.extract::<T>().unwrap(), value);
    let nested = Any::new(&any).unwrap();
    travels(&nested, &[CharCodeSet::Utf8], offset);
    assert_eq!(nested.extract::<Any>().unwrap(), any);
}

fn mixed() -> impl Strategy<Value = Mixed> {
    any::<(u8, u32, i16)>().prop_map(|(a, b, c)| Mixed(a, b, c))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn values_survive(
        sample in (
            any::<u8>(),
            -1e9_f64..1e9,
            "[^\0]*",
            prop::collection::vec(any::<bool>(), 0..5),
            prop::collection::vec(mixed(), 0..5),
            any::<i16>(),
        ),
        offset in 0_usize..9,
    ) {
        let (tag, size, name, flags, mixed, held) = sample;
        let held = Any::new(&held).unwrap();
        round_trip(&Sample { tag, size, name, flags, mixed, held }, offset);
    }

    #[test]
    fn primitives_survive(
        numbers in any::<(i16, u16, i32, u32, i64, u64)>(),
        longs in prop::collection::vec(any::<i64>(), 0..9),
        bits in any::<u128>(),
        octet in any::<u8>(),
        offset in 0_usize..9,
    ) {
        round_trip(&numbers.0, offset);
        round_trip(&numbers.1, offset);
        round_trip(&numbers.2, offset);
        round_trip(&numbers.3, offset);
        round_trip(&numbers.4, offset);
        round_trip(&numbers.5, offset);
        round_trip(&longs, offset);
        round_trip(&vec![longs; 3], offset);
        round_trip(&LongDouble::from_bits(bits), offset);
        round_trip(&[Char(octet); 5], offset);
        round_trip(&vec![WChar(numbers.1); 3], offset);
        round_trip(&Fixed::<9, 2>::from_unscaled(numbers.2.into()).unwrap_or_default(), offset);
    }

    #[test]
    fn garbage_is_refused_and_never_panics(
        kind in 0_u32..37,
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), 0_u8..40, any::<u8>()], 0..200),
    ) {
        for order in ORDERS {
            let mut out = Encoder::new(order);
            out.write(kind);
            out.write_bytes(&bytes);
            let mut input = Decoder::new(out.as_bytes(), order);
            if let Ok(any) = Any::decode(&mut input) {
                let _ = format!("{any:?}");
                any.encode(&mut Encoder::new(order)).unwrap_or_default();
            }
        }
    }
}

#[test]
fn strings_are_converted_between_code_sets() {
    let any = Any::new("Grüße").unwrap();
    travels(&any, &[CharCodeSet::Utf8, CharCodeSet::Iso8859_1], 0);
    let any = Any::new("€").unwrap();
    let mut out = Encoder::new(ByteOrder::Big);
    let error = any.encode(&mut out).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Unrepresentable {
            character: '€',
            index: 0,
        }
    );
}

#[test]
fn wide_strings_and_bounds_come_with_their_type() {
    let wide = TypeCode::wstring(3);
    let any = Any::with_form::<WideString<3>, _>(wide.clone(), "a€").unwrap();
    travels(&any, &[CharCodeSet::Utf8], 3);
    let text: String = any.extract_form::<WideString<3>, _>(&wide, None).unwrap();
    assert_eq!(text, "a€");
    assert!(matches!(
        any.extract::<String>(),
        Err(ExtractError::TypeMismatch { .. })
    ));
    let mut out = Encoder::new(ByteOrder::Big);
    out.set_wide_form(WideForm::Forbidden);
    let error = any.encode(&mut out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WideForbidden);

    type Names = Sequence<BoundedString<4>, 2>;
    let names = TypeCode::create_sequence(&TypeCode::string(4), 2).unwrap();
    let any = Any::with_form::<Names, _>(names.clone(), &vec!["ab".to_owned(), "äöüß".to_owned()]);
    travels(&any.unwrap(), &[CharCodeSet::Utf8], 0);
    // A value that exceeds the type's bounds is not let in.
    for wrong in [vec!["abcde"], vec!["", "", ""]] {
        let mut out = Encoder::new(ByteOrder::Big);
        wrong.encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        let limits = TypeCodeLimits::DEFAULT;
        let error = Any::read_value(names.clone(), &mut input, &limits).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BoundExceeded { .. }));
    }
}

#[test]
fn only_equivalent_types_come_out() {
    let any = Any::new(&7_i32).unwrap();
    assert_eq!(any.extract::<i32>(), Ok(7));
    let error = any.extract::<u32>().unwrap_err();
    assert_eq!(error.to_string(), "the any holds long, not unsigned long");
    let alias = TypeCode::create_alias("IDL:Id:1.0", "Id", &i32::type_code()).unwrap();
    let any = Any::with_type(alias, &7_i32).unwrap();
    assert_eq!(any.extract::<i32>(), Ok(7));
    // A value that is none of its type is found out when it is read.
    let any = Any::with_type(bool::type_code(), &2_u8).unwrap();
    assert!(matches!(
        any.extract::<bool>(),
        Err(ExtractError::Malformed(_))
    ));
}

#[test]
fn an_exception_has_its_id_in_front() {
    let id = "IDL:Oops:1.0";
    let oops = TypeCode::create_exception(id, "Oops", &[("code", u32::type_code())]).unwrap();
    let any = Any::with_type(oops.clone(), &42_u32).unwrap();
    let mut value = Encoder::new(ByteOrder::Big);
    any.write_value(&mut value).unwrap();
    let mut input = Decoder::new(value.as_bytes(), ByteOrder::Big);
    assert_eq!(input.read_string().unwrap(), id);
    assert_eq!(input.read::<u32>().unwrap(), 42);
    // From omniORB it comes without.
    let mut input = Decoder::new(&[0, 0, 0, 42], ByteOrder::Big);
    let read = Any::read_value(oops, &mut input, &TypeCodeLimits::DEFAULT).unwrap();
    assert_eq!(read, any);
    assert_eq!(format!("{read:?}"), "Any(Oops { code: 42 })");
}

#[test]
fn references_and_null_values_are_copied() {
    struct Reference;
    impl Typed for Reference {
        fn type_code() -> TypeCode {
            TypeCode::create_interface("IDL:I:1.0", "I").unwrap()
        }
    }
    impl Encode for Reference {
        fn encode(&self, out: &mut Encoder) -> Result<()> {
            "IDL:I:1.0".encode(out)?;
            out.write(1_u32);
            out.write(0_u32);
            [1_u8, 2, 3].as_slice().encode(out)
        }
    }
    impl EncodeNil for Reference {
        fn encode_nil(out: &mut Encoder) -> Result<()> {
            "".encode(out)?;
            out.write(0_u32);
            Ok(())
        }
    }
    for any in [Any::new(&Reference), Any::new(&None::<Reference>)] {
        travels(&any.unwrap(), &[CharCodeSet::Utf8], 1);
    }
    let boxed = TypeCode::create_value_box("IDL:B:1.0", "B", &u8::type_code()).unwrap();
    let null = Any::with_type(boxed.clone(), &0_u32).unwrap();
    travels(&null, &[CharCodeSet::Utf8], 0);
    let held = Any::with_type(boxed, &0x7fff_ff00_u32).unwrap();
    assert!(held.encode(&mut Encoder::new(ByteOrder::Big)).is_err());
}

#[derive(Debug, Clone, PartialEq)]
struct Nothing;

impl Typed for Nothing {
    fn type_code() -> TypeCode {
        TypeCode::create_struct("IDL:Nothing:1.0", "Nothing", &[]).unwrap()
    }
}

impl Encode for Nothing {
    fn encode(&self, _: &mut Encoder) -> Result<()> {
        Ok(())
    }
}

impl<'m> Decode<'m> for Nothing {
    const MIN_SIZE: usize = 0;

    fn decode(_: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self)
    }
}

/// Elements without octets may be any number in an Any; extracting them is charged.
#[test]
fn an_any_holds_sequences_and_arrays_of_structs_without_members() {
    for count in [0, 1, 3_000] {
        let nothings = vec![Nothing; count];
        let any = Any::new(&nothings).unwrap();
        travels(&any, &[CharCodeSet::Utf8], 1);
        assert_eq!(any.extract::<Vec<Nothing>>(), Ok(nothings));
    }
    let grid = TypeCode::create_array(&Nothing::type_code(), u32::MAX).unwrap();
    let held = Any::with_type(grid, &Nothing).unwrap();
    travels(&held, &[CharCodeSet::Utf8], 1);
    assert!(!format!("{held:?}").is_empty());
    let most = Any::with_type(Vec::<Nothing>::type_code(), &u32::MAX).unwrap();
    travels(&most, &[CharCodeSet::Utf8], 1);
    assert!(matches!(
        most.extract::<Vec<Nothing>>(),
        Err(ExtractError::Malformed(_))
    ));
    assert!(!format!("{most:?}").is_empty());
}

fn hash(any: &Any) -> u64 {
    let mut hasher = DefaultHasher::new();
    any.hash(&mut hasher);
    hasher.finish()
}

/// Makes sure that all of these octets are equal Anys.
fn check_equal(octets: &[Vec<u8>], order: ByteOrder) {
    let anys = octets
        .iter()
        .map(|octets| Any::decode(&mut Decoder::new(octets, order)).unwrap());
    let anys: Vec<_> = anys.collect();
    for any in &anys {
        assert_eq!(*any, anys[0]);
        assert_eq!(hash(any), hash(&anys[0]));
        for order in ORDERS {
            let mut out = Encoder::new(order);
            any.encode(&mut out).unwrap();
            let again = Any::decode(&mut Decoder::new(out.as_bytes(), order)).unwrap();
            assert_eq!((&again, hash(&again)), (any, hash(any)));
        }
    }
}

/// omniORB leads back to a TypeCode that comes again, TAO writes it again.
#[test]
fn an_any_in_an_any_is_equal_however_its_type_is_written() {
    let write = |leads_back: bool, octet: u8| {
        let mut out = Encoder::new(ByteOrder::Big);
        out.write(TCKind::Any as u32);
        out.write(TCKind::Struct as u32);
        out.write_encapsulation(|out| {
            "IDL:S:1.0".encode(out)?;
            "S".encode(out)?;
            out.write(2_u32);
            "a".encode(out)?;
            out.align(4);
            let sequence = out.len();
            for name in [None, Some("b")] {
                if let Some(name) = name {
                    name.encode(out)?;
                }
                if name.is_some() && leads_back {
                    out.write(u32::MAX);
                    out.write(-((out.len() - sequence) as i32));
                    continue;
                }
                out.write(TCKind::Sequence as u32);
                out.write_encapsulation(|out| {
                    out.write(TCKind::Octet as u32);
                    out.write(0_u32);
                    Ok(())
                })?;
            }
            Ok(())
        })
        .unwrap();
        vec![1_u8, 2].encode(&mut out).unwrap();
        vec![octet].encode(&mut out).unwrap();
        out.into_buffer()
    };
    check_equal(&[write(true, 3), write(false, 3)], ByteOrder::Big);
    let read = |octets: Vec<u8>| Any::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap();
    assert_ne!(read(write(true, 3)), read(write(false, 4)));
}

/// TAO leaves in a profile's padding what was in memory.
#[test]
fn a_reference_in_an_any_is_equal_whatever_its_padding() {
    let write = |padding: u8, port: u16| {
        let mut out = Encoder::new(ByteOrder::Big);
        TypeCode::create_interface("IDL:I:1.0", "I")
            .unwrap()
            .encode(&mut out)
            .unwrap();
        "IDL:I:1.0".encode(&mut out).unwrap();
        out.write(1_u32);
        out.write(0_u32);
        out.write_encapsulation(|out| {
            out.write_bytes(&[1, 0, padding]);
            "host".encode(out)?;
            out.write_bytes(&[padding]);
            out.write(port);
            b"key".as_slice().encode(out)
        })
        .unwrap();
        out.into_buffer()
    };
    check_equal(&[write(0, 2809), write(0x5a, 2809)], ByteOrder::Big);
    let read = |octets: Vec<u8>| Any::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap();
    assert_ne!(read(write(0, 2809)), read(write(0, 2810)));
}

#[test]
fn a_union_is_copied_by_its_label() {
    let member = |label, name, type_code| UnionMember {
        label,
        name,
        type_code,
    };
    let members = [
        member(Some(-1), "text", String::type_code()),
        member(Some(9), "number", f64::type_code()),
        member(None, "rest", u8::type_code()),
    ];
    let short = i16::type_code();
    let union = TypeCode::create_union("IDL:U:1.0", "U", &short, &members).unwrap();
    struct Body(i16, &'static dyn Fn(&mut Encoder) -> Result<()>);
    impl Encode for Body {
        fn encode(&self, out: &mut Encoder) -> Result<()> {
            self.0.encode(out)?;
            (self.1)(out)
        }
    }
    for (body, text) in [
        (Body(-1, &|out| "x".encode(out)), "{ -1: text: \"x\" }"),
        (Body(9, &|out| 0.5.encode(out)), "{ 9: number: 0.5 }"),
        (Body(10, &|out| 7_u8.encode(out)), "{ 10: rest: 7 }"),
    ] {
        let any = Any::with_type(union.clone(), &body).unwrap();
        travels(&any, &[CharCodeSet::Utf8], 5);
        assert_eq!(format!("{any:?}"), format!("Any(U {text})"));
    }
}

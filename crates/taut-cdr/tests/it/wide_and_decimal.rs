//! Wide characters, `fixed` and `long double`, there and back.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use taut_cdr::codec::{DecodeAs, EncodeAs, UNBOUNDED, WideString};
use taut_cdr::fixed::FixedError;
use taut_cdr::{
    ByteOrder, Decode, Decoder, Encode, Encoder, ErrorKind, Fixed, LongDouble, WChar, WideForm,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
const FORMS: [WideForm; 2] = [WideForm::Units, WideForm::Octets];

/// Encodes behind `offset` octets, decodes, and tries every shorter cut.
fn round_trip<T>(
    value: &T,
    offset: usize,
    form: WideForm,
    decode: impl for<'m> Fn(&mut Decoder<'m>) -> taut_cdr::Result<T>,
    encode: impl Fn(&T, &mut Encoder) -> taut_cdr::Result<()>,
) where
    T: PartialEq + std::fmt::Debug,
{
    for order in ORDERS {
        let mut out = Encoder::new(order);
        out.set_wide_form(form);
        out.write_bytes(&vec![0xaa; offset]);
        encode(value, &mut out).unwrap();
        let bytes = out.into_buffer();
        let read = |bytes: &[u8]| {
            let mut input = Decoder::new(bytes, order).with_wide_form(form);
            input.skip(offset).unwrap();
            let read = decode(&mut input)?;
            assert_eq!(input.remaining(), 0);
            Ok::<_, taut_cdr::Error>(read)
        };
        assert_eq!(read(&bytes).as_ref(), Ok(value));
        for cut in offset..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "decoded from {cut} octets");
        }
    }
}

fn plain<T>(value: &T, offset: usize, form: WideForm)
where
    T: Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug,
{
    round_trip(value, offset, form, |input| T::decode(input), T::encode);
}

fn read_wide(input: &mut Decoder<'_>) -> taut_cdr::Result<String> {
    WideString::<UNBOUNDED>::decode(input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn wide_strings_survive(text in "[^\0]*", offset in 0_usize..9) {
        for form in FORMS {
            round_trip(
                &text,
                offset,
                form,
                read_wide,
                <WideString<UNBOUNDED> as EncodeAs<String>>::encode,
            );
        }
    }

    #[test]
    fn wide_characters_survive(
        units in prop::collection::vec(any::<u16>().prop_map(WChar), 1..9),
        offset in 0_usize..9,
    ) {
        for form in FORMS {
            plain(&units[0], offset, form);
            plain(&units, offset, form);
        }
    }

    #[test]
    fn fixed_decimals_survive(unscaled in -99_999_i128..=99_999, offset in 0_usize..3) {
        let odd = Fixed::<5, 2>::from_unscaled(unscaled).unwrap();
        plain(&odd, offset, WideForm::Octets);
        prop_assert_eq!(odd.to_string().parse(), Ok(odd));
        plain(&odd.convert::<12, 4>().unwrap(), offset, WideForm::Octets);
        let even = Fixed::<6, 0>::from_unscaled(unscaled).unwrap();
        plain(&even, offset, WideForm::Octets);
        prop_assert_eq!(even.to_string(), unscaled.to_string());
    }

    #[test]
    fn long_doubles_survive(
        bits in prop::collection::vec(any::<u128>(), 1..5),
        double in any::<f64>(),
        offset in 0_usize..17,
    ) {
        let values: Vec<_> = bits.into_iter().map(LongDouble::from_bits).collect();
        plain(&values[0], offset, WideForm::Octets);
        plain(&values, offset, WideForm::Octets);
        prop_assert_eq!(LongDouble::from(double).to_f64().to_bits(), double.to_bits());
    }

    #[test]
    fn garbage_is_refused_and_never_panics(bytes in any::<Vec<u8>>()) {
        for order in ORDERS {
            for form in FORMS {
                let input = Decoder::new(&bytes, order).with_wide_form(form);
                let _ = input.clone().read_wstring();
                let _ = Vec::<WChar>::decode(&mut input.clone());
                let _ = Vec::<Fixed<31, 4>>::decode(&mut input.clone());
                let _ = Vec::<LongDouble>::decode(&mut input.clone());
            }
        }
    }
}

/// Form, byte order, octets, what they are read as.
type WideCase = (
    WideForm,
    ByteOrder,
    &'static [u8],
    Result<&'static str, ErrorKind>,
);

const WIDE_STRINGS: &[WideCase] = {
    use ByteOrder::{Big, Little};
    use WideForm::{Forbidden, Octets, Units};
    &[
        (Units, Big, &[0, 0, 0, 3, 0, 72, 0x20, 0xac, 0, 0], Ok("H€")),
        (Units, Little, &[2, 0, 0, 0, 0xac, 0x20, 0, 0], Ok("€")),
        (Units, Big, &[0, 0, 0, 1, 0, 0], Ok("")),
        (Units, Big, &[0, 0, 0, 0], Ok("")),
        (Octets, Big, &[0, 0, 0, 0], Ok("")),
        // Big-endian whatever the stream's order is, unless marked.
        (Octets, Little, &[2, 0, 0, 0, 0x20, 0xac], Ok("€")),
        (
            Octets,
            Little,
            &[4, 0, 0, 0, 0xff, 0xfe, 0xac, 0x20],
            Ok("€"),
        ),
        (Octets, Big, &[0, 0, 0, 4, 0xfe, 0xff, 0x20, 0xac], Ok("€")),
        (Octets, Big, &[0, 0, 0, 2, 0xfe, 0xff], Ok("")),
        (Octets, Big, &[0, 0, 0, 4, 0xd8, 0x3d, 0xde, 0x00], Ok("😀")),
        (
            Octets,
            Big,
            &[0, 0, 0, 2, 0xd8, 0x3d],
            Err(ErrorKind::MalformedString),
        ),
        (
            Octets,
            Big,
            &[0, 0, 0, 3, 0, 72, 0],
            Err(ErrorKind::MalformedString),
        ),
        (
            Octets,
            Big,
            &[0, 0, 0, 2, 0, 0],
            Err(ErrorKind::NulInString),
        ),
        (
            Units,
            Big,
            &[0, 0, 0, 1, 0, 72],
            Err(ErrorKind::UnterminatedString),
        ),
        (
            Units,
            Big,
            &[0, 0, 0, 9, 0, 72],
            Err(ErrorKind::LengthBeyondMessage { length: 9 }),
        ),
        (Forbidden, Big, &[0, 0, 0, 0], Err(ErrorKind::WideForbidden)),
        // A mark rules both halves of a pair.
        (
            Octets,
            Big,
            &[0, 0, 0, 6, 0xff, 0xfe, 0x3d, 0xd8, 0x00, 0xde],
            Ok("😀"),
        ),
        // Behind the first place it is a character.
        (
            Octets,
            Big,
            &[0, 0, 0, 6, 0xfe, 0xff, 0xfe, 0xff, 0, 72],
            Ok("\u{feff}H"),
        ),
        // Halves in the wrong order, and one whose other half is no half.
        (
            Octets,
            Big,
            &[0, 0, 0, 4, 0xde, 0x00, 0xd8, 0x3d],
            Err(ErrorKind::MalformedString),
        ),
        (
            Octets,
            Big,
            &[0, 0, 0, 4, 0xd8, 0x3d, 0, 72],
            Err(ErrorKind::MalformedString),
        ),
        // One octet of a byte order mark.
        (
            Octets,
            Big,
            &[0, 0, 0, 1, 0xfe],
            Err(ErrorKind::MalformedString),
        ),
        (
            Octets,
            Big,
            &[0, 0, 0, 5, 0xff, 0xfe, 72, 0, 73],
            Err(ErrorKind::MalformedString),
        ),
        // GIOP 1.1 has no use for marks; some senders write them.
        (Units, Big, &[0, 0, 0, 3, 0xfe, 0xff, 0, 72, 0, 0], Ok("H")),
        (
            Units,
            Little,
            &[3, 0, 0, 0, 0xfe, 0xff, 0, 72, 0, 0],
            Ok("H"),
        ),
        (
            Units,
            Little,
            &[3, 0, 0, 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0],
            Ok("😀"),
        ),
        (
            Units,
            Big,
            &[0, 0, 0, 2, 0xd8, 0x3d, 0, 0],
            Err(ErrorKind::MalformedString),
        ),
    ]
};

#[test]
fn each_sender_s_wide_strings_are_read() {
    for &(form, order, octets, expected) in WIDE_STRINGS {
        let read = Decoder::new(octets, order)
            .with_wide_form(form)
            .read_wstring();
        let read = read.as_deref().map_err(taut_cdr::Error::kind);
        assert_eq!(read, expected, "{form:?} {order:?} {octets:?}");
    }
}

#[test]
fn each_sender_s_wide_characters_are_read() {
    let cases: [(&[u8], _); 10] = [
        (&[2, 0x20, 0xac], Ok(WChar(0x20ac))),
        (&[4, 0xfe, 0xff, 0x20, 0xac], Ok(WChar(0x20ac))),
        (&[4, 0xff, 0xfe, 0xac, 0x20], Ok(WChar(0x20ac))),
        (
            &[4, 0xd8, 0x3d, 0xde, 0x00],
            Err(ErrorKind::MalformedString),
        ),
        (&[0], Err(ErrorKind::MalformedString)),
        (&[1, 0x41], Err(ErrorKind::MalformedString)),
        (&[3, 0xfe, 0xff, 0x20], Err(ErrorKind::MalformedString)),
        (&[4, 0, 0, 0x20, 0xac], Err(ErrorKind::MalformedString)),
        // Half a pair can be held, a mark alone is a character.
        (&[2, 0xd8, 0x3d], Ok(WChar(0xd83d))),
        (&[2, 0xfe, 0xff], Ok(WChar(0xfeff))),
    ];
    for (octets, expected) in cases {
        let read = Decoder::new(octets, ByteOrder::Little).read_wchar();
        assert_eq!(read.map_err(|error| error.kind()), expected, "{octets:?}");
    }
}

#[test]
fn wide_characters_are_sent_as_the_version_of_giop_demands() {
    let sent = |form, order| {
        let mut out = Encoder::new(order);
        out.set_wide_form(form);
        WChar(0x20ac).encode(&mut out).and_then(|()| {
            WideString::<3>::encode("A€", &mut out)?;
            Ok(out.into_buffer())
        })
    };
    assert_eq!(
        sent(WideForm::Octets, ByteOrder::Little).unwrap(),
        [2, 0x20, 0xac, 0, 4, 0, 0, 0, 0, 65, 0x20, 0xac]
    );
    assert_eq!(
        sent(WideForm::Units, ByteOrder::Little).unwrap(),
        [0xac, 0x20, 0, 0, 3, 0, 0, 0, 65, 0, 0xac, 0x20, 0, 0]
    );
    let refused = sent(WideForm::Forbidden, ByteOrder::Little).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WideForbidden);
}

#[test]
fn a_wide_string_s_bound_counts_units() {
    let mut out = Encoder::new(ByteOrder::Big);
    WideString::<2>::encode("😀", &mut out).unwrap();
    let refused = WideString::<1>::encode("😀", &mut out).unwrap_err();
    let (length, bound) = (2, 1);
    assert_eq!(refused.kind(), ErrorKind::BoundExceeded { length, bound });
    let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
    let refused = <WideString<1> as DecodeAs<String>>::decode(&mut input).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BoundExceeded { length, bound });
}

#[test]
fn a_wchar_is_one_unit() {
    assert_eq!(WChar::try_from('€').unwrap(), WChar(0x20ac));
    assert_eq!(char::try_from(WChar(0x20ac)).unwrap(), '€');
    assert!(WChar::try_from('😀').is_err());
    assert!(char::try_from(WChar(0xd83d)).is_err());
}

#[test]
fn a_fixed_stands_as_the_standard_has_it() {
    let encoded = |value: &dyn Fn(&mut Encoder)| {
        let mut out = Encoder::new(ByteOrder::Little);
        value(&mut out);
        out.into_buffer()
    };
    let five: Fixed<5, 2> = "-123.45".parse().unwrap();
    let four: Fixed<4, 2> = "12.5".parse().unwrap();
    assert_eq!(
        encoded(&|out| five.encode(out).unwrap()),
        [0x12, 0x34, 0x5d]
    );
    assert_eq!(
        encoded(&|out| four.encode(out).unwrap()),
        [0x01, 0x25, 0x0c]
    );
    for (octets, right) in [
        ([0x12, 0x34, 0x5d], true),
        ([0x00, 0x00, 0x0d], true),
        ([0x1a, 0x34, 0x5d], false),
        ([0x12, 0x34, 0xad], false),
        ([0x12, 0x34, 0x5f], false),
        ([0x12, 0x34, 0x55], false),
    ] {
        let read = Fixed::<5, 2>::decode(&mut Decoder::new(&octets, ByteOrder::Big));
        assert_eq!(read.is_ok(), right, "{octets:?}");
        // Four digits leave the first half-octet empty.
        let read = Fixed::<4, 2>::decode(&mut Decoder::new(&octets, ByteOrder::Big));
        assert_eq!(read.is_ok(), right && octets[0] == 0, "{octets:?}");
    }
}

#[test]
fn a_fixed_refuses_what_it_cannot_hold() {
    type Price = Fixed<4, 2>;
    for (text, expected) in [
        ("12.34", Ok(1234)),
        ("+.5d", Ok(50)),
        ("7.", Ok(700)),
        ("0001.5000D", Ok(150)),
        ("-99.99", Ok(-9999)),
        ("100", Err(FixedError::TooManyDigits)),
        (
            "99999999999999999999999999999999999999999",
            Err(FixedError::TooManyDigits),
        ),
        ("1.234", Err(FixedError::Inexact)),
        ("", Err(FixedError::NotANumber)),
        (".", Err(FixedError::NotANumber)),
        ("-", Err(FixedError::NotANumber)),
        ("1e5", Err(FixedError::NotANumber)),
        ("--1", Err(FixedError::NotANumber)),
    ] {
        assert_eq!(text.parse().map(Price::unscaled), expected, "{text}");
    }
    let max = Price::MAX;
    assert_eq!(max.checked_add(Price::ZERO), Ok(max));
    assert_eq!(
        max.checked_add("0.01".parse().unwrap()),
        Err(FixedError::TooManyDigits)
    );
    assert_eq!(max.checked_sub(max), Ok(Price::ZERO));
    assert_eq!(
        Price::from_integer(-3).map(|three| (-three).to_string()),
        Ok("3.00".into())
    );
    assert_eq!(max.convert::<3, 1>(), Err(FixedError::Inexact));
    assert_eq!(
        Fixed::<31, 31>::MAX.convert::<31, 0>(),
        Err(FixedError::Inexact)
    );
    assert_eq!(
        Fixed::<31, 0>::MAX.convert::<31, 31>(),
        Err(FixedError::TooManyDigits)
    );
    assert_eq!(Price::from_unscaled(-5).unwrap().to_string(), "-0.05");
}

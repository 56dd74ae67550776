//! Strings in the code sets that tables convert.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use taut_cdr::{ByteOrder, CharCodeSet, ConvertedCodeSet, Decoder, Encoder, Error, ErrorKind};

/// The octets of a string's characters.
fn written(code_set: ConvertedCodeSet, text: &str) -> Result<Vec<u8>, Error> {
    let mut out = Encoder::new(ByteOrder::Big);
    out.set_char_code_set(CharCodeSet::Converted(code_set));
    out.write_string(text)?;
    let octets = out.into_buffer();
    let length = u32::from_be_bytes(octets[..4].try_into().unwrap());
    assert_eq!(length as usize, octets.len() - 4);
    assert_eq!(octets.last(), Some(&0));
    Ok(octets[4..octets.len() - 1].to_vec())
}

fn read(code_set: ConvertedCodeSet, octets: &[u8]) -> Result<String, Error> {
    let mut out = Encoder::new(ByteOrder::Big);
    out.write_length(octets.len() + 1)?;
    out.write_bytes(octets);
    out.write_bytes(&[0]);
    Decoder::new(out.as_bytes(), ByteOrder::Big)
        .with_char_code_set(CharCodeSet::Converted(code_set))
        .read_string()
        .map(|text| text.into_owned())
}

#[test]
fn text_of_each_language_has_the_octets_of_its_code_set() {
    use ConvertedCodeSet as Set;
    let cases: &[(Set, &str, &[u8])] = &[
        (Set::Ascii, "plain", b"plain"),
        (Set::Iso8859_2, "Łódź", b"\xa3\xf3d\xbc"),
        (Set::Iso8859_3, "Ĝu", b"\xd8u"),
        (Set::Iso8859_4, "ķ", b"\xf3"),
        (Set::Iso8859_5, "Да", b"\xb4\xd0"),
        (Set::Iso8859_6, "سلام", b"\xd3\xe4\xc7\xe5"),
        (Set::Iso8859_7, "Αθήνα", b"\xc1\xe8\xde\xed\xe1"),
        (Set::Iso8859_8, "שלום", b"\xf9\xec\xe5\xed"),
        (Set::Iso8859_9, "Şığ é", b"\xde\xfd\xf0 \xe9"),
        (Set::Iso8859_10, "Þō", b"\xde\xf2"),
        (Set::Iso8859_15, "10 €", b"10 \xa4"),
        (Set::Tis620, "ไทย", b"\xe4\xb7\xc2"),
        (Set::Windows1250, "Łódź", b"\xa3\xf3d\x9f"),
        (Set::Windows1251, "Да", b"\xc4\xe0"),
        (Set::Windows1252, "10 €", b"10 \x80"),
        (Set::Windows1253, "Ά", b"\xa2"),
        (Set::Windows1254, "Ş", b"\xde"),
        (Set::Windows1255, "ש", b"\xf9"),
        (Set::Windows1256, "پ", b"\x81"),
        (Set::Windows1257, "ž", b"\xfe"),
        (Set::Ibm866, "Да", b"\x84\xa0"),
        (Set::EucJp, "東京", b"\xc5\xec\xb5\xfe"),
        (Set::ShiftJis, "東京", b"\x93\x8c\x8b\x9e"),
        (Set::EucKr, "서울", b"\xbc\xad\xbf\xef"),
        (Set::Big5, "台北", b"\xa5\x78\xa5\x5f"),
        (Set::Gbk, "北京", b"\xb1\xb1\xbe\xa9"),
    ];
    for set in Set::ALL {
        assert!(cases.iter().any(|(other, _, _)| other == set), "{set:?}");
    }
    for (set, text, octets) in cases {
        assert_eq!(written(*set, text).as_deref(), Ok(*octets), "{set:?}");
        assert_eq!(read(*set, octets).as_deref(), Ok(*text), "{set:?}");
    }
}

#[test]
fn a_character_that_does_not_exist_is_named_with_its_place() {
    for set in ConvertedCodeSet::ALL {
        let error = written(*set, "so: \u{1f388}!").unwrap_err();
        let expected = ErrorKind::Unrepresentable {
            character: '\u{1f388}',
            index: 4,
        };
        assert_eq!(error.kind(), expected, "{set:?}");
    }
    let error = written(ConvertedCodeSet::Iso8859_2, "Łódź 東京").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("'東', character 5"), "{text}");
}

/// The Encoding Standard writes a yen as a backslash, which is read as one.
#[test]
fn a_yen_was_written_as_a_backslash() {
    for set in [ConvertedCodeSet::ShiftJis, ConvertedCodeSet::EucJp] {
        for character in ['¥', '‾', '−'] {
            let error = written(set, &format!("東{character}")).unwrap_err();
            let index = 1;
            let expected = ErrorKind::Unrepresentable { character, index };
            assert_eq!(error.kind(), expected, "{set:?}");
        }
    }
}

#[test]
fn octets_that_are_no_text_are_refused() {
    use ConvertedCodeSet as Set;
    for (set, octets) in [
        (Set::Ascii, &b"\x80"[..]),
        (Set::Iso8859_7, b"\xff"),
        (Set::Tis620, b"\xdb"),
        (Set::EucJp, b"\xc5"),
        (Set::ShiftJis, b"\x93"),
        (Set::ShiftJis, b"\xff\xff"),
        (Set::EucKr, b"\xbc\x20"),
        (Set::Big5, b"\xa5"),
    ] {
        let error = read(set, octets).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MalformedString, "{set:?}");
    }
}

proptest! {
    #[test]
    fn what_can_be_written_is_read_alike(
        set in prop::sample::select(ConvertedCodeSet::ALL),
        text in "[ -~\u{80}-\u{17f}Ά-џא-ת一-丏ぁ-ヶ가-갠]{0,12}",
        octets in prop::collection::vec(1_u8.., 0..12),
    ) {
        if let Ok(written) = written(set, &text) {
            prop_assert_eq!(read(set, &written), Ok(text.clone()));
        }
        if let Ok(text) = read(set, &octets)
            && let Ok(written) = written(set, &text)
        {
            prop_assert_eq!(read(set, &written), Ok(text.clone()));
        }
    }
}

//! The octets of the service context.

use opentelemetry::propagation::{Extractor, Injector};
use proptest::collection::vec;
use proptest::prelude::*;
use taut_cdr::ByteOrder;
use taut_otel::{FieldLimits, Fields, FieldsError, TRACE_CONTEXT};

const LIMITS: FieldLimits = FieldLimits {
    max_fields: 16,
    max_octets: 8192,
};

fn arbitrary() -> impl Strategy<Value = Fields> {
    let field = ("[a-z0-9_-]{1,12}", "[ -~\t]{1,60}");
    vec(field, 0..16).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #[test]
    fn fields_come_back_as_they_were(fields in arbitrary(), is_little: bool) {
        let order = ByteOrder::from_flag(u8::from(is_little));
        let octets = fields.encode_in(order, &LIMITS).unwrap();
        prop_assert_eq!(Fields::decode(&octets, &LIMITS), Ok(fields));
    }

    #[test]
    fn octets_behind_the_fields_are_passed_over(fields in arbitrary(), more in vec(any::<u8>(), 0..20)) {
        let mut octets = fields.encode(&LIMITS).unwrap();
        octets.extend(more);
        prop_assert_eq!(Fields::decode(&octets, &LIMITS), Ok(fields));
    }

    #[test]
    fn any_octets_are_fields_or_an_error(octets in vec(any::<u8>(), 0..200)) {
        if let Ok(fields) = Fields::decode(&octets, &LIMITS) {
            let again = fields.encode(&LIMITS).unwrap();
            prop_assert_eq!(Fields::decode(&again, &LIMITS), Ok(fields));
        }
    }

    #[test]
    fn a_changed_or_shortened_context_never_panics(
        fields in arbitrary(),
        at: prop::sample::Index,
        value: u8,
        end: prop::sample::Index,
    ) {
        let mut octets = fields.encode(&LIMITS).unwrap();
        let at = at.index(octets.len());
        octets[at] = value;
        let end = end.index(octets.len() + 1);
        if let Ok(read) = Fields::decode(&octets[..end], &LIMITS) {
            prop_assert!(read.iter().all(|(name, value)| (name.to_owned() + value).is_ascii()));
        }
    }
}

#[test]
fn the_octets_are_those_of_the_documentation() {
    assert_eq!(TRACE_CONTEXT, 0x5455_0001);
    let mut fields = Fields::new();
    fields.set("A", "xyz".to_owned());
    let big = [
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, b'a', 0, 0, 0, 0, 0, 0, 4, b'x', b'y', b'z', 0,
    ];
    assert_eq!(fields.encode_in(ByteOrder::Big, &LIMITS).unwrap(), big);
    assert_eq!(Fields::decode(&big, &LIMITS).unwrap().get("a"), Some("xyz"));
    let none = Fields::new().encode_in(ByteOrder::Little, &LIMITS).unwrap();
    assert_eq!(none, [1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_field_that_is_set_again_replaces_the_first_and_one_without_value_is_none() {
    let mut fields = Fields::new();
    fields.set("tracestate", "a=1".to_owned());
    fields.set("traceparent", "00".to_owned());
    fields.set("TraceState", "b=2".to_owned());
    assert_eq!(fields.keys(), ["traceparent", "tracestate"]);
    assert_eq!(fields.get("TRACESTATE"), Some("b=2"));
    fields.set("tracestate", String::new());
    assert_eq!(fields.get("tracestate"), None);
}

/// The octets of one field in big-endian order, with these lengths.
fn field(name_length: u32, name: &[u8], value_length: u32, value: &[u8]) -> Vec<u8> {
    let mut octets = vec![0, 0, 0, 0, 0, 0, 0, 1];
    octets.extend(name_length.to_be_bytes());
    octets.extend(name);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets.extend(value_length.to_be_bytes());
    octets.extend(value);
    octets
}

#[test]
fn octets_that_are_no_fields_are_refused_with_the_reason() {
    let malformed: &[(&str, Vec<u8>)] = &[
        ("nothing at all", vec![]),
        ("no byte order", vec![2, 0, 0, 0, 0, 0, 0, 0]),
        ("no count", vec![0]),
        ("half a count", vec![0, 0, 0, 0, 0, 0]),
        ("a count without fields", vec![0, 0, 0, 0, 0, 0, 0, 1]),
        (
            "a count beyond all octets",
            vec![0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        ),
        ("a name beyond the end", field(200, b"a\0", 2, b"b\0")),
        (
            "a value beyond the end",
            field(2, b"a\0", 0x8000_0000, b"b\0"),
        ),
        ("a name without its zero", field(2, b"ab", 2, b"b\0")),
        ("a value without its zero", field(2, b"a\0", 2, b"bc")),
        ("a zero in a name", field(4, b"a\0c\0", 2, b"b\0")),
    ];
    for (case, octets) in malformed {
        let outcome = Fields::decode(octets, &LIMITS);
        assert!(
            matches!(outcome, Err(FieldsError::Malformed(_))),
            "{case}: {outcome:?}"
        );
    }
    // As some ORBs send an empty string.
    let nameless = Fields::decode(&field(0, b"", 2, b"b\0"), &LIMITS).unwrap();
    assert_eq!(nameless.iter().collect::<Vec<_>>(), [("", "b")]);
    for (case, octets) in [
        ("a line break", field(2, b"a\0", 3, b"\r\n\0")),
        ("UTF-8", field(2, b"a\0", 3, "é\0".as_bytes())),
        ("no UTF-8", field(3, b"\xff\xfe\0", 2, b"b\0")),
    ] {
        let outcome = Fields::decode(&octets, &LIMITS);
        assert_eq!(outcome, Err(FieldsError::NotAscii { index: 0 }), "{case}");
    }
}

#[test]
fn limits_hold_for_what_comes_and_what_is_sent() {
    let narrow = FieldLimits {
        max_fields: 1,
        max_octets: 60,
    };
    let two: Fields = [("a", "1"), ("b", "2")].into_iter().collect();
    let octets = two.encode(&LIMITS).unwrap();
    let too_many = FieldsError::TooMany {
        fields: 2,
        limit: 1,
    };
    assert_eq!(Fields::decode(&octets, &narrow), Err(too_many.clone()));
    assert_eq!(two.encode(&narrow), Err(too_many.clone()));
    let long: Fields = [("a", "1".repeat(60))].into_iter().collect();
    let octets = long.encode(&LIMITS).unwrap();
    let too_long = FieldsError::TooLong {
        octets: octets.len(),
        limit: 60,
    };
    assert_eq!(Fields::decode(&octets, &narrow), Err(too_long.clone()));
    assert_eq!(long.encode(&narrow), Err(too_long.clone()));
    for (error, text) in [(too_many, "max_fields"), (too_long, "max_octets")] {
        assert!(error.to_string().contains(text), "{error}");
    }
    let line: Fields = [("a", "1\n2")].into_iter().collect();
    assert_eq!(
        line.encode(&LIMITS),
        Err(FieldsError::NotAscii { index: 0 })
    );
}

//! The octets themselves, and forms that other ORBs write.

use std::cell::RefCell;

use taut_cdr::ByteOrder::Big;
use taut_cdr::Decode;
use taut_types::value::{self, Deviation, Value};
use taut_types::{Any, TypeCodeLimits, Typed};

use super::types::{Labelled, Node, Stranger, Strict};
use super::{decode, encode, node};

/// Longs from text: numbers are big-endian, quoted text is a string with its
/// length, padded to four.
///
/// Brackets stand around chunks, for whose size there is room at the beginning.
pub(super) fn octets(text: &str) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut chunks = Vec::new();
    for word in text.split_whitespace() {
        if word == "[" {
            chunks.push(octets.len());
            octets.extend([0; 4]);
        } else if word == "]" {
            let start = chunks.pop().unwrap();
            let size = (octets.len() - start - 4) as u32;
            octets[start..start + 4].copy_from_slice(&size.to_be_bytes());
        } else if let Some(text) = word.strip_prefix('"') {
            let text = text.trim_end_matches('"');
            octets.extend((text.len() as u32 + 1).to_be_bytes());
            octets.extend(text.as_bytes());
            octets.push(0);
            octets.resize(octets.len().next_multiple_of(4), 0);
        } else if let Some(hex) = word.strip_prefix("0x") {
            octets.extend(u32::from_str_radix(hex, 16).unwrap().to_be_bytes());
        } else {
            octets.extend(word.parse::<i32>().unwrap().to_be_bytes());
        }
    }
    octets
}

fn reads(text: &str) -> taut_cdr::Result<Option<Value<Node>>> {
    decode(&octets(text), Big, 0)
}

#[test]
fn a_plain_value_has_one_id() {
    let value = Some(node(7, None, Some(node(8, None, None))));
    // The second id is the first, 32 octets before the offset.
    let expected = r#"0x7fffff02 "IDL:t/Node:1.0" 7 0 0x7fffff02 -1 -36 8 0 0"#;
    assert_eq!(encode(&value, Big, 0), octets(expected));
    assert_eq!(reads(expected), Ok(value));
}

#[test]
fn a_truncatable_value_has_its_bases_and_chunks() {
    let inner = node(8, None, None);
    let value = Value::new(Labelled {
        base: Node {
            id: 7,
            left: Some(inner.clone()),
            right: Some(inner),
        },
        label: "abc".to_owned(),
        extra: None,
    });
    let expected = r#"
        0x7fffff0e 2 "IDL:t/Labelled:1.0" "IDL:t/Node:1.0"
        4 7
        0x7fffff0a -1 -36 12 8 0 0 -2
        20 -1 -40 "abc" 0 -1"#;
    assert_eq!(encode(&Some(value.clone()), Big, 0), octets(expected));
    assert_eq!(reads(expected), Ok(Some(value.upcast())));
}

#[test]
fn every_legal_form_is_read() {
    let inner = node(8, None, None);
    let value = Some(node(7, Some(inner), None));
    for form in [
        // No ids: the type is the expected one.
        r#"0x7fffff00 7 0x7fffff00 8 0 0 0"#,
        // A codebase, and one that leads back to it.
        r#"0x7fffff01 "http://a" 7 0x7fffff01 -1 -28 8 0 0 0"#,
        r#"0x7fffff03 "http://a" "IDL:t/Node:1.0" 7 0x7fffff00 8 0 0 0"#,
        // A list of ids, of one, and one that leads back to it.
        r#"0x7fffff06 1 "IDL:t/Node:1.0" 7 0x7fffff06 -1 -36 8 0 0 0"#,
        // Ids that nobody knows in front of one that is known.
        r#"0x7fffff0e 2 "IDL:x/Derived:1.0" "IDL:t/Node:1.0"
           4 7 0x7fffff0a -1 -36 12 8 0 0 -2 4 0 -1"#,
        // Chunks that are small.
        r#"0x7fffff08 4 7 0x7fffff08 4 8 4 0 4 0 -2 4 0 -1"#,
        // An end tag that ends two levels.
        r#"0x7fffff0e 2 "IDL:x/Derived:1.0" "IDL:t/Node:1.0"
           4 7 0x7fffff0a -1 -36 12 8 0 0 -2 8 0 99 0x7fffff08 4 1 -1"#,
        // Null between chunks.
        r#"0x7fffff08 4 7 0x7fffff08 4 8 0 0 -2 0 -1"#,
    ] {
        let octets = octets(form);
        assert_eq!(decode(&octets, Big, 0).as_ref(), Ok(&value), "{form}");
    }
}

#[test]
fn nested_values_may_end_with_the_one_around_them() {
    let value = Some(node(7, None, Some(node(8, None, None))));
    let form = r#"0x7fffff08 8 7 0 0x7fffff08 12 8 0 0 -1"#;
    assert_eq!(reads(form), Ok(value));
}

#[test]
fn data_are_aligned_across_chunks() {
    // A `Strict` whose double begins a chunk of its own, with padding in it or
    // in front of it.
    for form in [
        r#"0x7fffff0a "IDL:t/Strict:1.0" 20 7 0 0 1 0 4 0 8 0x40040000 0 -1"#,
        r#"0x7fffff0a "IDL:t/Strict:1.0" 24 7 0 0 1 0 0 12 0 0x40040000 0 -1"#,
    ] {
        let octets = octets(form);
        let received: Option<Value<Strict>> = decode(&octets, Big, 0).unwrap();
        assert_eq!(received.unwrap().weight, 2.5, "{form}");
    }
}

#[test]
fn padding_may_belong_to_the_chunk_that_it_ends() {
    // As omniORB writes it: the text takes 8 octets with its NUL and padding.
    let value = Value::new(Labelled {
        base: Node {
            id: 7,
            left: None,
            right: None,
        },
        label: "abc12".to_owned(),
        extra: Some(node(8, None, None)),
    });
    let form = r#"0x7fffff0e 1 "IDL:t/Labelled:1.0" 24 7 0 0 "abc12" 0x7fffff08 12 8 0 0 -1"#;
    assert_eq!(reads(form), Ok(Some(value.upcast())));
}

#[test]
fn one_end_tag_serves_two_levels() {
    let value = Value::new(Labelled {
        base: Node::default(),
        label: "abc".to_owned(),
        extra: Some(node(8, None, None)),
    });
    let octets = encode(&Some(value), Big, 0);
    assert_eq!(octets[octets.len() - 8..], [0, 0, 0, 0, 255, 255, 255, 255]);
}

thread_local! {
    static DEVIATIONS: RefCell<Vec<Deviation>> = const { RefCell::new(Vec::new()) };
}

/// The deviations that were told of since this was last asked, on this thread.
fn deviations() -> Vec<Deviation> {
    value::observe_deviations(|_, deviation| {
        DEVIATIONS.with_borrow_mut(|deviations| deviations.push(deviation));
    });
    DEVIATIONS.take()
}

/// A value as TAO writes it, with the deviation, and as the standard says.
fn tao_values() -> Vec<(&'static str, Deviation, Value<Node>)> {
    let base = |id| Node {
        id,
        left: None,
        right: None,
    };
    let labelled = |id, extra| Labelled {
        base: base(id),
        label: "abc".to_owned(),
        extra,
    };
    let strict = Strict {
        base: labelled(7, None),
        weight: 2.5,
    };
    let stranger = Stranger {
        base: base(7),
        inner: Some(Value::new(labelled(8, None))),
    };
    value::register::<Stranger>();
    vec![
        (
            r#"0x7fffff0e 2 "IDL:t/Labelled:1.0" "IDL:t/Node:1.0"
               [ 7 0 0 ] -2 [ "abc" 0 ] -2 -1"#,
            Deviation::ExtraEndTag,
            Value::new(labelled(7, None)).upcast(),
        ),
        (
            r#"0x7fffff0a "IDL:t/Strict:1.0"
               [ 7 0 0 ] -3 [ "abc" 0 ] -3 -2 [ 0 0x40040000 0 ] -2 -1"#,
            Deviation::ExtraEndTag,
            Value::new(strict).upcast(),
        ),
        // Truncated to the base, and to the base of the base.
        (
            r#"0x7fffff0e 2 "IDL:x/Derived:1.0" "IDL:t/Node:1.0"
               [ 7 0 0 ] -2 [ "abc" 0 ] -2 -1"#,
            Deviation::ExtraEndTag,
            node(7, None, None),
        ),
        (
            r#"0x7fffff0e 3 "IDL:x/A:1.0" "IDL:x/B:1.0" "IDL:t/Node:1.0"
               [ 7 0 0 ] -3 [ "abc" 0 ] -3 -2 [ 5 ] -2 -1"#,
            Deviation::ExtraEndTag,
            node(7, None, None),
        ),
        // A base without members of its own derived from it.
        (
            r#"0x7fffff0e 2 "IDL:x/Derived:1.0" "IDL:t/Node:1.0" [ 7 0 0 ] -2 -1"#,
            Deviation::ExtraEndTag,
            node(7, None, None),
        ),
        // Values without chunks in a chunk: at its end, at its beginning, nested.
        (
            r#"0x7fffff0e 2 "IDL:t/Labelled:1.0" "IDL:t/Node:1.0"
               [ 7 0 0 "abc" 0x7fffff02 "IDL:t/Node:1.0" 8 0 0 ] -1"#,
            Deviation::ValueInChunk,
            Value::new(labelled(7, Some(node(8, None, None)))).upcast(),
        ),
        (
            r#"0x7fffff08
               [ 7 ] [ 0x7fffff02 "IDL:t/Node:1.0" 8 0x7fffff00 9 0 0 0 0 ] -1"#,
            Deviation::ValueInChunk,
            node(7, Some(node(8, Some(node(9, None, None)), None)), None),
        ),
        // One with chunks and levels of its own.
        (
            r#"0x7fffff0e 2 "IDL:t/Stranger:1.0" "IDL:t/Node:1.0"
               [ 7 0 0 ] -2
               [ 0x7fffff0e 2 "IDL:t/Labelled:1.0" "IDL:t/Node:1.0"
                 [ 8 0 0 ] -2 [ "abc" 0 ] -2 -1 ] -2 -1"#,
            Deviation::ValueInChunk,
            Value::new(stranger).upcast(),
        ),
    ]
}

/// No truncatable value of TAO's arrived.
#[test]
fn values_as_tao_writes_them_are_read_and_told_of() {
    for (form, deviation, value) in tao_values() {
        deviations();
        assert_eq!(reads(form).as_ref(), Ok(&Some(value.clone())), "{form}");
        assert!(deviations().contains(&deviation), "{form}");
        // A second value and a long behind it are read from their start.
        let several = octets(&format!("2 {form}"));
        let several = [several, octets(form), octets("-1")].concat();
        let mut input = super::decoder(&several, Big);
        // The double of `Strict` would be aligned otherwise.
        if !form.contains("Strict") {
            let read = Vec::<Option<Value<Node>>>::decode(&mut input);
            let value = Some(value.clone());
            assert_eq!(read, Ok(vec![value.clone(), value]), "{form}");
            assert_eq!(input.read(), Ok(-1_i32));
        }
        for cut in 0..octets(form).len() {
            let cut = &octets(form)[..cut];
            assert!(
                decode::<Option<Value<Node>>>(cut, Big, 0).is_err(),
                "{form}"
            );
        }
    }
}

#[test]
fn what_the_standard_says_is_not_told_of() {
    for (form, _, value) in tao_values() {
        let written = encode(&Some(value.clone()), Big, 0);
        deviations();
        assert_eq!(decode(&written, Big, 0), Ok(Some(value)), "{form}");
        assert_eq!(deviations(), []);
    }
}

#[test]
fn anys_with_values_as_tao_writes_them_hold_them_as_the_standard_says() {
    for (form, deviation, value) in tao_values() {
        let expected = Any::new(&value).unwrap();
        let octets = octets(form);
        deviations();
        let read = Any::read_value(
            value.type_code_of(),
            &mut super::decoder(&octets, Big),
            &TypeCodeLimits::DEFAULT,
        )
        .unwrap();
        assert!(deviations().contains(&deviation), "{form}");
        assert_eq!(read, expected, "{form}");
        let again = encode(&read, Big, 0);
        deviations();
        assert_eq!(decode(&again, Big, 0), Ok(expected), "{form}");
        assert_eq!(deviations(), []);
    }
}

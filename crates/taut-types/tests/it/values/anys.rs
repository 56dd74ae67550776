//! Values in Anys.

use taut_cdr::{CharCodeSet, Encode, Encoder};
use taut_types::value::{Value, register};
use taut_types::{Any, Typed};

use super::types::{Blob, Labelled, Node, Stranger, Strict, Text};
use super::{ORDERS, decode, encode, node};

type MaybeNode = Option<Value<Node>>;

fn travels(any: &Any) {
    for order in ORDERS {
        for offset in 0..9 {
            let octets = encode(any, order, offset);
            assert_eq!(decode::<Any>(&octets, order, offset).as_ref(), Ok(any));
            for cut in offset..octets.len() {
                assert!(decode::<Any>(&octets[..cut], order, offset).is_err());
            }
        }
    }
}

pub(crate) fn graph() -> Value<Node> {
    let shared = node(3, None, None);
    let labelled = Value::new(Labelled {
        base: Node {
            id: 2,
            left: Some(shared.clone()),
            right: None,
        },
        label: "Ω".to_owned(),
        extra: Some(shared.clone()),
    });
    node(1, Some(labelled.upcast()), Some(shared))
}

#[test]
fn values_boxes_and_null_travel_in_anys() {
    register::<Labelled>();
    for value in [None, Some(node(1, None, None)), Some(graph())] {
        let any = Any::new(&value).unwrap();
        assert_eq!(*any.type_code(), Node::type_code());
        travels(&any);
        assert_eq!(any.extract::<MaybeNode>().unwrap(), value);
    }
    let text = Value::new(Text("text".to_owned()));
    let any = Any::new(&text).unwrap();
    travels(&any);
    assert_eq!(any.extract::<Option<Value<Text>>>(), Ok(Some(text)));
}

#[test]
fn an_any_has_the_type_of_the_value_that_it_holds() {
    let value = Value::new(Strict::default()).upcast::<Node>();
    let any = Any::new(&Some(value.clone())).unwrap();
    assert_eq!(*any.type_code(), Strict::type_code());
    travels(&any);
    assert_eq!(
        any.extract::<Option<Value<Strict>>>().unwrap(),
        value.downcast()
    );
    assert!(any.extract::<MaybeNode>().is_err());
}

#[test]
fn values_share_within_an_any_and_not_beyond_it() {
    register::<Labelled>();
    let any = Any::new(&vec![Some(graph()), None, Some(graph())]).unwrap();
    let twice = Any::with_type(
        Vec::<MaybeNode>::type_code(),
        &vec![Some(graph()), None, Some(graph())],
    );
    assert_eq!(twice.as_ref(), Ok(&any));
    travels(&any);
    travels(&Any::new(&any).unwrap());
    let values = any.extract::<Vec<MaybeNode>>().unwrap();
    assert_eq!(values[0], values[2]);
    // The same value before the Any and in it is two for the receiver.
    let value = graph();
    let mut out = Encoder::new(ORDERS[1]);
    out.set_char_code_set(CharCodeSet::Utf8);
    value.encode(&mut out).unwrap();
    let start = out.len();
    Any::new(&value).unwrap().encode(&mut out).unwrap();
    let received: Any = decode(out.as_bytes(), ORDERS[1], start).unwrap();
    assert_eq!(received.extract::<Value<Node>>().unwrap(), value);
}

#[test]
fn what_a_type_code_does_not_tell_is_truncated_or_refused() {
    let stranger = Value::new(Stranger {
        base: Node {
            id: 1,
            left: Some(node(2, None, None)),
            right: None,
        },
        inner: Some(Value::new(Labelled::default())),
    });
    let sent = Any::with_type(
        Vec::<MaybeNode>::type_code(),
        &vec![Some(stranger.upcast::<Node>()), Some(node(3, None, None))],
    );
    let octets = encode(&sent.unwrap(), ORDERS[0], 0);
    let received: Any = decode(&octets, ORDERS[0], 0).unwrap();
    let values = received.extract::<Vec<MaybeNode>>().unwrap();
    assert_eq!(**values[0].as_ref().unwrap(), stranger.base);
    assert_eq!(values[1].as_ref().unwrap().id, 3);
}

#[test]
fn custom_values_are_marshaled_by_their_registered_type() {
    let blob = Value::new(Blob {
        octets: vec![1, 2, 3],
        node: Some(node(4, None, None)),
    });
    let any = Any::new(&Some(blob.clone())).unwrap();
    register::<Blob>();
    travels(&any);
    assert_eq!(any.extract::<Option<Value<Blob>>>(), Ok(Some(blob)));
}

#[test]
fn anys_in_values_are_part_of_their_chunks() {
    let mut out = Encoder::new(ORDERS[0]);
    out.set_char_code_set(CharCodeSet::Utf8);
    let any = Any::new(&graph()).unwrap();
    out.write_bytes(&[0xaa; 4]);
    out.enter_chunks();
    any.encode(&mut out).unwrap();
    out.leave_chunks().unwrap();
    let octets = out.into_buffer();
    let mut input = super::decoder(&octets, ORDERS[0]);
    input.skip(4).unwrap();
    input.enter_chunks();
    register::<Labelled>();
    let received = <Any as taut_cdr::Decode>::decode(&mut input).unwrap();
    input.leave_chunks(1).unwrap();
    assert_eq!(input.remaining(), 0);
    assert_eq!(
        received.extract::<Value<Node>>().unwrap(),
        any.extract::<Value<Node>>().unwrap()
    );
}

#[test]
fn anys_are_shown_with_what_they_hold() {
    let any = Any::new(&vec![Some(graph()), None]).unwrap();
    register::<Labelled>();
    assert_eq!(
        format!("{any:?}"),
        "Any(sequence<Node> [<a value of Node>, null])"
    );
}

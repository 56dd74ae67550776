//! Values that omniORB has marshaled, there and back.

use taut_cdr::{ByteOrder, Encode};
use taut_types::value::{Value, register};
use taut_types::{Any, Typed};

use super::types::{Labelled, Node, Strict, Text};
use super::{decode, encode, node};

const VECTORS: &str = include_str!("../../data/omniorb_values.txt");

type MaybeNode = Option<Value<Node>>;

/// The octets of a vector, in the orders that there are.
pub(super) fn octets(name: &str) -> impl Iterator<Item = (ByteOrder, Vec<u8>)> {
    let of_name = VECTORS.lines().filter_map(move |line| {
        let mut fields = line.split(' ');
        (fields.next() == Some(name)).then(|| (fields.next().unwrap(), fields.next().unwrap()))
    });
    let found: Vec<_> = of_name
        .map(|(order, hex)| {
            let octets = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap());
            let order = match order {
                "big" => ByteOrder::Big,
                _ => ByteOrder::Little,
            };
            (order, octets.collect())
        })
        .collect();
    assert!(!found.is_empty(), "{name}");
    found.into_iter()
}

fn labelled(base: Node, label: &str, extra: MaybeNode) -> Labelled {
    let label = label.to_owned();
    Labelled { base, label, extra }
}

/// The values of the vectors, by their names.
fn values() -> Vec<(&'static str, MaybeNode)> {
    let one = Some(node(1, None, None));
    let two = Some(node(2, one.clone(), one.clone()));
    let base = |id, left: &MaybeNode, right: &MaybeNode| Node {
        id,
        left: left.clone(),
        right: right.clone(),
    };
    let three = Value::new(labelled(base(3, &one, &None), "label", two.clone()));
    let three = Some(three.upcast::<Node>());
    let four = Value::new(labelled(base(4, &three, &three), "", None));
    let four = Some(four.upcast::<Node>());
    let five = Value::new(Strict {
        base: labelled(base(5, &four, &None), "x", one.clone()),
        weight: 2.5,
    });
    vec![
        ("null", None),
        ("one", one),
        ("shared", two),
        ("labelled", three),
        ("nested", four),
        ("strict", Some(five.upcast())),
    ]
}

#[test]
fn each_value_is_read() {
    for (name, value) in values() {
        for (order, octets) in octets(name) {
            let read: taut_cdr::Result<MaybeNode> = decode(&octets, order, 0);
            assert_eq!(read, Ok(value.clone()), "{name}");
            let again = encode(&read.unwrap(), order, 0);
            assert_eq!(decode(&again, order, 0), Ok(value.clone()), "{name}");
            for cut in 0..octets.len() {
                assert!(decode::<MaybeNode>(&octets[..cut], order, 0).is_err());
            }
        }
    }
    for (order, octets) in octets("text") {
        let read: Option<Value<Text>> = decode(&octets, order, 0).unwrap();
        assert_eq!(read.unwrap().0, "a text");
    }
}

#[test]
fn each_any_is_read() {
    register::<Labelled>();
    for (name, value) in values().into_iter().skip(1).take(3) {
        let value = value.unwrap();
        let own = Any::new(&value).unwrap();
        for (order, octets) in octets(&format!("any_{name}")) {
            let any: Any = decode(&octets, order, 0).unwrap();
            assert!(any.type_code().equivalent(own.type_code()), "{name}");
            assert_eq!(extracted(&any), value, "{name}");
            let again: Any = decode(&encode(&any, order, 0), order, 0).unwrap();
            assert_eq!(again, any, "{name}");
        }
    }
    for (order, octets) in octets("any_text") {
        let any: Any = decode(&octets, order, 0).unwrap();
        assert!(any.type_code().equivalent(&Text::type_code()));
        let text = any.extract::<Value<Text>>().unwrap();
        assert_eq!(*text, Text("a text".to_owned()));
    }
}

/// The value in an Any that holds a `Node` or what derives from it.
fn extracted(any: &Any) -> Value<Node> {
    let labelled = || any.extract::<Value<Labelled>>().map(|it| it.upcast());
    any.extract::<Value<Node>>()
        .or_else(|_| labelled())
        .unwrap()
}

#[test]
fn values_are_written_as_long_as_omniorb_does() {
    // omniORB leaves out the id where the type is the declared one, and Taut
    // does not; chunks, tags and indirections are alike.
    let value = values().remove(4).1;
    let with_ids = encode(&value, ByteOrder::Little, 0);
    let (_, theirs) = octets("nested").next().unwrap();
    let tags = |octets: &[u8]| {
        let longs = octets.chunks_exact(4);
        let longs = longs.map(|long| u32::from_le_bytes(long.try_into().unwrap()));
        longs
            .filter(|long| long >> 8 == 0x7f_ffff)
            .map(|long| long & 8)
            .collect::<Vec<_>>()
    };
    assert_eq!(tags(&with_ids), tags(&theirs));
    let mut out = taut_cdr::Encoder::new(ByteOrder::Little);
    value.encode(&mut out).unwrap();
    assert_eq!(out.into_buffer(), with_ids);
}

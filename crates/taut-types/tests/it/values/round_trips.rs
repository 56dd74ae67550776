//! Values come out as they went in, identities included.

use proptest::prelude::*;
use taut_cdr::{DecodeNil, Decoder, Encode, Encoder, ErrorKind, MAX_WRITTEN_LEVELS};
use taut_types::value::{
    Abstract, AbstractInterface, Value, ValueBase, ValueDescriptor, ValueType, register,
};
use taut_types::{TCKind, TypeCode};

use super::types::{Blob, Labelled, Node, Stranger, Strict, Text};
use super::{ORDERS, decode, encode, node, round_trip};

type MaybeNode = Option<Value<Node>>;

#[test]
fn null_is_four_octets() {
    assert_eq!(round_trip(&None::<Value<Node>>), None);
    assert_eq!(encode(&None::<Value<Node>>, ORDERS[0], 0), [0; 4]);
}

#[test]
fn a_value_that_is_shared_stays_one() {
    let shared = node(3, None, None);
    let root = node(
        1,
        Some(shared.clone()),
        Some(node(2, Some(shared.clone()), None)),
    );
    let received = round_trip(&Some(root)).unwrap();
    let left = received.left.as_ref().unwrap();
    let lower = received.right.as_ref().unwrap().left.as_ref().unwrap();
    assert!(left.ptr_eq(lower));
    assert!(!left.ptr_eq(&shared));
    let twice = round_trip(&vec![Some(shared.clone()), None, Some(shared)]);
    assert!(
        twice[0]
            .as_ref()
            .unwrap()
            .ptr_eq(twice[2].as_ref().unwrap())
    );
}

#[test]
fn equal_values_that_are_not_one_stay_two() {
    let pair = vec![Some(node(3, None, None)), Some(node(3, None, None))];
    let received = round_trip(&pair);
    assert!(
        !received[0]
            .as_ref()
            .unwrap()
            .ptr_eq(received[1].as_ref().unwrap())
    );
}

fn labelled(id: i32, label: &str, extra: MaybeNode) -> Value<Labelled> {
    let base = Node {
        id,
        left: extra.clone(),
        right: None,
    };
    Value::new(Labelled {
        base,
        label: label.to_owned(),
        extra,
    })
}

#[test]
fn derived_values_are_received_as_what_they_are() {
    let inner = labelled(7, "inner", Some(node(8, None, None)));
    let strict = Value::new(Strict {
        base: Labelled {
            base: Node {
                id: 1,
                left: Some(inner.upcast()),
                right: None,
            },
            label: "strict".to_owned(),
            extra: Some(inner.upcast()),
        },
        weight: 2.5,
    });
    let received = round_trip(&Some(strict.upcast::<Node>())).unwrap();
    assert_eq!(received.id, 1);
    assert_eq!(received.repository_id(), Strict::REPOSITORY_ID);
    let received = received.downcast::<Strict>().unwrap();
    assert_eq!(received.weight, 2.5);
    let left = received.base.base.left.as_ref().unwrap();
    assert!(left.ptr_eq(received.base.extra.as_ref().unwrap()));
    assert_eq!(left.downcast::<Labelled>().unwrap().label, "inner");
    assert!(left.downcast::<Strict>().is_none());
    assert!(left.downcast::<Text>().is_none());
}

#[test]
fn boxes_and_custom_values_travel() {
    let text = Value::new(Text("Ωmega".to_owned()));
    assert_eq!(
        round_trip(&vec![Some(text.clone()), None, Some(text)]).len(),
        3
    );
    let shared = node(5, None, None);
    let blob = Value::new(Blob {
        octets: vec![1, 2, 3],
        node: Some(shared),
    });
    round_trip(&Some(blob.clone()));
    round_trip(&vec![Some(blob.clone()), None, Some(blob)]);
}

#[test]
fn what_is_not_known_is_truncated_if_it_may_be() {
    let shared = node(9, None, None);
    let stranger = Value::new(Stranger {
        base: Node {
            id: 1,
            left: Some(labelled(2, "left", Some(shared.clone())).upcast()),
            right: None,
        },
        inner: Some(labelled(3, "hidden", Some(shared.clone()))),
    });
    let hidden = stranger.inner.as_ref().unwrap().upcast::<Node>();
    // The value behind the truncated one refers to a part that was truncated.
    let sent = vec![Some(stranger.upcast()), Some(hidden), Some(shared)];
    for order in ORDERS {
        for offset in 0..9 {
            let octets = encode(&sent, order, offset);
            let received: Vec<MaybeNode> = decode(&octets, order, offset).unwrap();
            let first = received[0].as_ref().unwrap();
            assert_eq!(first.repository_id(), Node::REPOSITORY_ID);
            assert_eq!(**first, stranger.base);
            assert_eq!(received[1..], sent[1..]);
            let left = first.left.as_ref().unwrap();
            assert!(
                left.left
                    .as_ref()
                    .unwrap()
                    .ptr_eq(received[2].as_ref().unwrap())
            );
        }
    }
}

#[test]
fn value_base_is_any_registered_type() {
    let text = Value::new(Text("text".to_owned()));
    let octets = encode(&Some(text.upcast::<ValueBase>()), ORDERS[0], 0);
    let refused = decode::<Option<Value<ValueBase>>>(&octets, ORDERS[0], 0).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.offset()),
        (ErrorKind::UnknownValueType, 4)
    );
    register::<Text>();
    let received = round_trip(&Some(text.upcast::<ValueBase>())).unwrap();
    assert_eq!(received.downcast::<Text>().unwrap().0, "text");
}

/// A reference to objects of an abstract interface, of which none are sent here.
#[derive(Debug, Clone, PartialEq)]
struct NoObject<const IS_BASE: bool>;

impl<const IS_BASE: bool> AbstractInterface for NoObject<IS_BASE> {
    const REPOSITORY_ID: &'static str = match IS_BASE {
        true => "IDL:omg.org/CORBA/AbstractBase:1.0",
        false => "IDL:t/Printable:1.0",
    };
    const KNOWN: &'static [&'static ValueDescriptor] = &[];

    fn type_code() -> TypeCode {
        let kind = TCKind::AbstractInterface;
        TypeCode::create_named(kind, Self::REPOSITORY_ID, "").unwrap()
    }
}

impl<const IS_BASE: bool> Encode for NoObject<IS_BASE> {
    fn encode(&self, _: &mut Encoder) -> taut_cdr::Result<()> {
        Ok(())
    }
}

impl<'m, const IS_BASE: bool> DecodeNil<'m> for NoObject<IS_BASE> {
    const MIN_SIZE: usize = 0;

    fn decode_nil(_: &mut Decoder<'m>) -> taut_cdr::Result<Option<Self>> {
        Ok(None)
    }
}

#[test]
fn any_value_may_be_passed_for_the_base_of_abstract_interfaces() {
    register::<Strict>();
    let value = Value::new(Strict::default());
    let passed = Abstract::<NoObject<true>>::Value(value.clone().upcast());
    let Some(Abstract::Value(received)) = round_trip(&Some(passed)) else {
        panic!()
    };
    assert_eq!(received.downcast::<Strict>(), Some(value.clone()));
    // It supports no other abstract interface.
    let passed = Abstract::<NoObject<false>>::Value(value.upcast());
    let bytes = encode(&Some(passed), ORDERS[0], 0);
    assert!(decode::<Option<Abstract<NoObject<false>>>>(&bytes, ORDERS[0], 0).is_err());
}

#[test]
fn a_list_is_as_long_as_levels_go() {
    let list = |length: i32| (0..length).fold(None, |next, id| Some(node(id, next, None)));
    let octets = encode(&list(60), ORDERS[0], 0);
    assert_eq!(decode::<MaybeNode>(&octets, ORDERS[0], 0), Ok(list(60)));
    let octets = encode(&list(65), ORDERS[0], 0);
    let refused = decode::<MaybeNode>(&octets, ORDERS[0], 0).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NestedTooDeeply { limit: 64 });
    let mut out = taut_cdr::Encoder::new(ORDERS[0]);
    let too_long = list(i32::from(MAX_WRITTEN_LEVELS) + 1);
    let refused = taut_cdr::Encode::encode(&too_long, &mut out).unwrap_err();
    let limit = MAX_WRITTEN_LEVELS;
    assert_eq!(refused.kind(), ErrorKind::NestedTooDeeply { limit });
}

/// A value for each number: earlier ones are what later ones lead to, so that
/// every shape of sharing without circles comes about.
fn graph(plan: &[(u8, u8, u8, bool)]) -> Vec<MaybeNode> {
    let mut made: Vec<MaybeNode> = vec![None];
    for (index, &(kind, left, right, keep)) in plan.iter().enumerate() {
        let at = |place: u8| made[usize::from(place) % made.len()].clone();
        let state = Node {
            id: index as i32,
            left: at(left),
            right: at(right),
        };
        let value = match kind % 4 {
            0 => Value::new(state),
            1 => labelled(index as i32, &"x".repeat(usize::from(left)), at(right)).upcast(),
            2 => Value::new(Strict {
                weight: f64::from(left),
                base: Labelled {
                    base: state,
                    label: String::new(),
                    extra: at(right),
                },
            })
            .upcast(),
            _ => Value::new(Labelled {
                base: state,
                label: "y".repeat(usize::from(right)),
                extra: at(left),
            })
            .upcast(),
        };
        made.push(Some(value));
        if keep {
            made.push(None);
        }
    }
    made
}

/// Which of the values that one reaches, in order, are the same.
fn identities(values: &[MaybeNode]) -> Vec<usize> {
    fn visit(value: &MaybeNode, seen: &mut Vec<Value<Node>>, found: &mut Vec<usize>) {
        let Some(value) = value else {
            found.push(usize::MAX);
            return;
        };
        if let Some(place) = seen.iter().position(|other| other.ptr_eq(value)) {
            found.push(place);
            return;
        }
        found.push(seen.len());
        seen.push(value.clone());
        visit(&value.left, seen, found);
        visit(&value.right, seen, found);
        if let Some(labelled) = value.downcast::<Labelled>() {
            visit(&labelled.extra, seen, found);
        }
    }
    let (mut seen, mut found) = (Vec::new(), Vec::new());
    values
        .iter()
        .for_each(|value| visit(value, &mut seen, &mut found));
    found
}

proptest! {
    #[test]
    fn every_graph_comes_out_as_it_went_in(
        plan in prop::collection::vec((0_u8..4, any::<u8>(), any::<u8>(), any::<bool>()), 0..24),
        offset in 0_usize..9,
        little in any::<bool>(),
    ) {
        let mut values = graph(&plan);
        values.reverse();
        let order = ORDERS[usize::from(little)];
        let octets = encode(&values, order, offset);
        let received: Vec<MaybeNode> = decode(&octets, order, offset).unwrap();
        prop_assert_eq!(identities(&values), identities(&received));
        prop_assert!(values == received);
    }
}

//! Any and TypeCode: in every mode, and what generated types say of themselves.

use std::sync::Mutex;

use taut::codegen::TypeCode;
use taut::{Any, ObjectRef, Typed, WChar};

use super::anys::anys::peer::RefuseError;
use super::anys::anys::tree::Branch;
use super::anys::anys::*;
use super::demo::demo::{CircleRef, Colour, DivByZero};
use super::unions::unions as choices;
use super::{check, serve};

/// Returns `a` and the old `b`; the new `b` is `a`.
#[derive(Default)]
struct Echo {
    current: Mutex<Any>,
}

impl Peer for Echo {
    echo! {
        f_any(&Any, Any) = Clone::clone;
        f_type_code(&TypeCode, TypeCode) = Clone::clone;
        f_values(&[Any], Vec<Any>) = <[Any]>::to_vec;
        f_described(&Described, Described) = Clone::clone;
        f_maybe(&Maybe, Maybe) = Clone::clone;
    }

    fn current(&self) -> taut::Result<Any> {
        Ok(self.current.lock().unwrap().clone())
    }

    fn set_current(&self, value: &Any) -> taut::Result<()> {
        *self.current.lock().unwrap() = value.clone();
        Ok(())
    }

    fn refuse(&self, a: &Any) -> Result<(), RefuseError> {
        Err(Mismatch {
            found: a.clone(),
            expected: Node::type_code(),
        }
        .into())
    }
}

fn leaf() -> Leaf {
    Leaf {
        name: "leaf".to_owned(),
        weight: "1.25".parse().unwrap(),
    }
}

fn node() -> Node {
    let child = Node {
        first: leaf(),
        ..Node::default()
    };
    Node {
        first: leaf(),
        children: vec![child; 2],
        others: vec![leaf()],
    }
}

fn tree() -> Tree {
    Tree::Many(Branch {
        parts: vec![
            Tree::new_one_with(b'L'.into(), leaf()).unwrap(),
            Tree::new_none([1, 2, 3]),
        ],
        label: "Ω".to_owned(),
    })
}

#[test]
fn every_type_passes_in_every_mode() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo::default()));
    let of_node = Any::new(&node()).unwrap();
    let of_tree = Any::new(&tree()).unwrap();
    let within = Any::new(&of_tree).unwrap();
    check(of_node.clone(), of_tree.clone(), |a, b| peer.f_any(a, b));
    check(within.clone(), Any::null(), |a, b| peer.f_any(a, b));
    peer.set_current(&of_tree).unwrap();
    assert_eq!(peer.current().unwrap().extract::<Tree>(), Ok(tree()));
    check(Tree::type_code(), leaves_type_code(), |a, b| {
        peer.f_type_code(a, b)
    });
    let values = vec![of_node.clone(), within];
    check(values.clone(), vec![], |a, b| peer.f_values(a, b));
    let described = |value: &Any| Described {
        value: value.clone(),
        r#type: value.type_code().clone(),
        others: values.clone(),
    };
    check(described(&of_node), described(&of_tree), |a, b| {
        peer.f_described(a, b)
    });
    check(Maybe::Value(of_node.clone()), Maybe::None, |a, b| {
        peer.f_maybe(a, b)
    });
    let refused = Mismatch {
        found: of_node.clone(),
        expected: Node::type_code(),
    };
    assert_eq!(peer.refuse(&of_node), Err(refused.into()));
    server.shutdown(true).unwrap();
}

#[test]
fn type_codes_say_what_the_idl_says() {
    let one = Leaf::type_code();
    assert_eq!(one.id(), Ok("IDL:anys/Leaf:1.0"));
    assert_eq!(one.name(), Ok("Leaf"));
    assert_eq!(one.member_name(1), Ok("weight"));
    assert_eq!(one.member_type(0), Ok(TypeCode::string(8)));
    let leaves = Node::type_code().member_type(2).unwrap();
    assert_eq!(leaves, leaves_type_code());
    assert_eq!(leaves.id(), Ok("IDL:anys/Leaves:1.0"));
    assert_ne!(leaves, Vec::<Leaf>::type_code());
    assert!(leaves.equivalent(&Vec::<Leaf>::type_code()));

    let shape = choices::Shape::type_code();
    let labels: Vec<_> = (0..5).map(|index| shape.member_label(index)).collect();
    let expected = [Some(1), Some(2), Some(3), Some(-1), None];
    assert_eq!(labels, expected.map(Ok));
    assert_eq!(shape.member_name(2), Ok("corner"));
    let of_enum = choices::ByEnum::type_code().discriminator_type().unwrap();
    assert_eq!(of_enum, choices::paint_type_code());

    assert_eq!(Colour::type_code().member_name(1), Ok("light_green"));
    assert_eq!(
        CircleRef::type_code().id(),
        Ok("IDL:example.org/demo/Circle:1.0")
    );
    assert_eq!(Option::<ObjectRef>::type_code().name(), Ok("Object"));
    let by_zero = DivByZero::type_code();
    assert_eq!(by_zero.id(), Ok("IDL:example.org/demo/DivByZero:1.0"));
    assert_eq!(by_zero.member_count(), Ok(1));
}

#[test]
fn recursive_type_codes_return_to_themselves() {
    let node = Node::type_code();
    let children = node.member_type(1).unwrap();
    assert_eq!(
        (children.length(), children.content_type()),
        (Ok(2), Ok(node))
    );
    let tree = Tree::type_code();
    assert!(tree.is_complete());
    let branch = tree.member_type(2).unwrap();
    assert_eq!(branch, Branch::type_code());
    let parts = branch.member_type(0).unwrap();
    assert_eq!(parts, trees_type_code());
    assert_eq!(parts.content_type().unwrap().content_type(), Ok(tree));
}

#[test]
fn references_come_out_of_anys_by_way_of_the_orb() {
    let (server, client, peer) = serve(PeerSkeleton::new(Echo::default()));
    peer.set_current(&Any::new(&Some(peer.clone())).unwrap())
        .unwrap();
    let current = peer.current().unwrap();
    assert!(current.extract::<Option<PeerRef>>().is_err());
    let extracted = client.extract::<Option<PeerRef>>(&current);
    assert_eq!(extracted, Ok(Some(peer)));
    server.shutdown(true).unwrap();
}

#[test]
fn values_come_out_of_anys_as_what_they_are_only() {
    let value = Any::new(&tree()).unwrap();
    assert_eq!(value.extract::<Tree>(), Ok(tree()));
    assert!(value.extract::<Node>().is_err());
    let refused = DivByZero {
        why: "zero".to_owned(),
    };
    let value = Any::new(&refused).unwrap();
    assert_eq!(value.extract::<DivByZero>(), Ok(refused));
    let value = Any::new(&WChar(0x20ac)).unwrap();
    assert_eq!(value.extract::<WChar>(), Ok(WChar(0x20ac)));
}

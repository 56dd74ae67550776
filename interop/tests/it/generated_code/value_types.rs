//! Value types, boxes and abstract interfaces, over a connection.

use std::sync::Mutex;

use taut::codegen::{CdrResult, CustomMarshal, DataInputStream, DataOutputStream};
use taut::value::{self, Value, ValueBase};
use taut::{Any, Reference as _, SystemExceptionKind, Typed, Version};
use test_tools::in_own_process;

use super::values::values::garden::LoseError;
use super::values::values::node::{FindError, Lost, WeightError};
use super::values::values::*;
use super::{check, serve, serve_in};

impl CustomMarshal for Picture {
    fn marshal(&self, out: &mut DataOutputStream<'_>) -> CdrResult<()> {
        out.write(&self.pixels)?;
        out.write(&self.width)
    }

    fn unmarshal(input: &mut DataInputStream<'_, '_>) -> CdrResult<Self> {
        let pixels = input.read()?;
        let width = input.read()?;
        Ok(Self { width, pixels })
    }
}

/// Returns `a` and the old `b`; the new `b` is `a`.
#[derive(Default)]
struct Echo {
    root: Mutex<Option<Value<Node>>>,
}

macro_rules! echo_values {
    ($($name:ident($ty:ty);)*) => {
        echo! {$(
            $name(Option<&$ty>, Option<$ty>) = |value| value.cloned();
        )*}
    };
}

impl Garden for Echo {
    echo_values! {
        f_node(Value<Node>);
        f_leaf(Value<Leaf>);
        f_text(Value<Text>);
        f_picture(Value<Picture>);
        f_pair(Value<PairBox>);
        f_named(Value<Named>);
        f_base(Value<ValueBase>);
        f_printable(PrintableAbstract);
        f_empty(Value<Empty>);
    }
    echo! {
        f_leaves(&[Option<Value<Leaf>>], Leaves) = <[_]>::to_vec;
        f_forest(&Forest, Forest) = Clone::clone;
        f_choice(&Choice, Choice) = Clone::clone;
        f_any(&Any, Any) = Clone::clone;
    }

    fn root(&self) -> taut::Result<Option<Value<Node>>> {
        Ok(self.root.lock().unwrap().clone())
    }

    fn set_root(&self, value: Option<&Value<Node>>) -> taut::Result<()> {
        *self.root.lock().unwrap() = value.cloned();
        Ok(())
    }

    fn same(&self, a: Option<&Value<Node>>, b: Option<&Value<Node>>) -> taut::Result<bool> {
        Ok(a.is_some_and(|a| b.is_some_and(|b| a.ptr_eq(b))))
    }

    fn lose(&self, what: Option<&Value<Node>>) -> Result<(), LoseError> {
        Err(Lost {
            r#where: what.cloned(),
        }
        .into())
    }
}

/// The operations that a value's user may want.
impl NodeOperations for Node {
    fn weight(&self, factor: f64) -> Result<f64, WeightError> {
        match self.id {
            0 => Err(Lost::default().into()),
            id => Ok(f64::from(id) * factor),
        }
    }

    fn paint(&self) -> taut::Result<Colour> {
        Ok(Colour::Green)
    }

    fn set_paint(&self, _: Colour) -> taut::Result<()> {
        Ok(())
    }
}

impl NodeFactory for Node {
    fn init(id: i32) -> taut::Result<Self> {
        Ok(Self {
            id,
            secret: format!("secret {id}"),
            ..Self::default()
        })
    }

    fn find(name: &str, near: Option<&Value<Self>>) -> Result<Self, FindError> {
        match near {
            Some(near) if near.secret == name => Ok((**near).clone()),
            _ => Err(Lost {
                r#where: near.cloned(),
            }
            .into()),
        }
    }
}

fn leaf(id: i32) -> Value<Leaf> {
    Value::new(Leaf {
        base: Node::init(id).unwrap(),
        size: 0.5,
    })
}

fn fruit(id: i32, next: Option<Value<Node>>) -> Value<Fruit> {
    let mut fruit = Fruit {
        label: "Ωlabel".to_owned(),
        extra: Any::new(&leaf(99)).unwrap(),
        seeds: vec![1, 2, 3],
        ..Fruit::default()
    };
    // Two levels down: a derived type has the fields of its bases.
    fruit.id = id;
    fruit.next = next;
    fruit.parts = vec![Some(leaf(id + 1)), None, Some(leaf(id + 2))];
    Value::new(fruit)
}

fn node(id: i32) -> Value<Node> {
    let shared = fruit(id + 10, None);
    Value::new(Node {
        next: Some(shared.upcast()),
        parts: vec![Some(shared.upcast()), Some(leaf(3)), Some(shared.upcast())],
        ..Node::init(id).unwrap()
    })
}

fn check_value<T: value::ValueType>(
    a: Value<T>,
    b: Value<T>,
    call: impl Fn(
        Option<&Value<T>>,
        &mut Option<Value<T>>,
    ) -> taut::Result<(Option<Value<T>>, Option<Value<T>>)>,
) {
    check(Some(a), Some(b.clone()), |a, b| call(a.as_ref(), b));
    check(None, Some(b), |a, b| call(a.as_ref(), b));
}

fn every_type(version: Version) {
    let (server, _client, peer) = serve_in(version, GardenSkeleton::new(Echo::default()));
    check_value(node(1), leaf(2).upcast(), |a, b| peer.f_node(a, b));
    check_value(leaf(1), fruit(2, Some(node(3))).upcast(), |a, b| {
        peer.f_leaf(a, b)
    });
    let text = |text: &str| Value::new(Text(text.to_owned()));
    check_value(text("one"), text("two"), |a, b| peer.f_text(a, b));
    let picture = |width, pixels: &[u8]| {
        Value::new(Picture {
            width,
            pixels: pixels.to_vec(),
        })
    };
    check_value(picture(1, b"abc"), picture(2, b""), |a, b| {
        peer.f_picture(a, b)
    });
    let pair = |first, second| Value::new(PairBox(Pair { first, second }));
    check_value(pair(1, Some(text("boxed"))), pair(2, None), |a, b| {
        peer.f_pair(a, b)
    });
    let note = |text: &str| {
        Value::new(Note {
            base: Node::init(5).unwrap(),
            text: text.to_owned(),
        })
    };
    check_value(note("a").upcast(), note("b").upcast(), |a, b| {
        peer.f_named(a, b)
    });
    check_value(Value::new(Empty), Value::new(Empty), |a, b| {
        peer.f_empty(a, b)
    });
    let printable = |text: &str| PrintableAbstract::Value(note(text).upcast());
    check(Some(printable("a")), None, |a, b| {
        peer.f_printable(a.as_ref(), b)
    });
    value::register::<Note>();
    check_value(note("a").upcast(), note("b").upcast(), |a, b| {
        peer.f_base(a, b)
    });
    let leaves = vec![Some(leaf(1)), None, Some(fruit(2, None).upcast())];
    check(leaves, vec![], |a, b| peer.f_leaves(a, b));
    let forest = Forest {
        first: Some(node(1)),
        rest: vec![None, Some(leaf(2).upcast())],
        anything: Some(note("anything").upcast()),
        paper: Some(printable("paper")),
    };
    check(forest, Forest::default(), |a, b| peer.f_forest(a, b));
    let other = Choice::new_other(Some(printable("other")));
    check(Choice::One(Some(node(1))), other, |a, b| {
        peer.f_choice(a, b)
    });
    check(
        Choice::Words(Some(text("words"))),
        Choice::Words(None),
        |a, b| peer.f_choice(a, b),
    );
    server.shutdown(true).unwrap();
}

#[test]
fn every_type_passes_in_every_mode() {
    in_own_process(every_type_passes_in_every_mode, || {
        every_type(Version::V1_2)
    });
}

#[test]
fn every_type_passes_in_giop_1_1() {
    in_own_process(every_type_passes_in_giop_1_1, || every_type(Version::V1_1));
}

#[test]
fn what_is_one_value_stays_one_in_all_arguments() {
    let (server, _client, peer) = serve(GardenSkeleton::new(Echo::default()));
    let (one, other) = (node(1), node(1));
    assert_eq!(peer.same(Some(&one), Some(&one)), Ok(true));
    assert_eq!(peer.same(Some(&one), Some(&other)), Ok(false));
    let mut inout = Some(other);
    let (result, out) = peer.f_node(Some(&one), &mut inout).unwrap();
    assert!(result.unwrap().ptr_eq(&inout.unwrap()));
    let parts = &out.unwrap().parts;
    let (first, last) = (parts[0].as_ref().unwrap(), parts[2].as_ref().unwrap());
    assert!(first.ptr_eq(last));
    assert!(first.downcast::<Fruit>().is_some());
    // A second call begins anew.
    assert_eq!(peer.same(Some(&one), Some(&one)), Ok(true));
    server.shutdown(true).unwrap();
}

#[test]
fn exceptions_and_attributes_carry_values() {
    let (server, _client, peer) = serve(GardenSkeleton::new(Echo::default()));
    let what = node(7);
    let lost = Lost {
        r#where: Some(what.clone()),
    };
    assert_eq!(peer.lose(Some(&what)), Err(lost.into()));
    assert_eq!(peer.root(), Ok(None));
    peer.set_root(Some(&what)).unwrap();
    assert_eq!(peer.root(), Ok(Some(what)));
    server.shutdown(true).unwrap();
}

/// A document, to be passed for what it can do.
struct Paper;

impl Printable for Paper {
    fn print(&self, width: i32) -> taut::Result<String> {
        Ok("x".repeat(width as usize))
    }
}

impl Document for Paper {
    fn save(&self, _: Option<&Value<Leaf>>) -> taut::Result<()> {
        Ok(())
    }
}

#[test]
fn an_object_is_passed_for_an_abstract_interface() {
    let (papers, _other, paper) = serve(DocumentSkeleton::new(Paper));
    let (server, _client, peer) = serve(GardenSkeleton::new(Echo::default()));
    let printable = PrintableAbstract::Object(paper.into());
    let (result, old) = peer
        .f_printable(Some(&printable), &mut Some(printable.clone()))
        .unwrap();
    assert_eq!(
        (result.as_ref(), old.as_ref()),
        (Some(&printable), Some(&printable))
    );
    let PrintableAbstract::Object(object) = result.unwrap() else {
        panic!("a value came back for an object");
    };
    assert_eq!(object.print(3), Ok("xxx".to_owned()));
    server.shutdown(true).unwrap();
    papers.shutdown(true).unwrap();
}

#[test]
fn values_travel_in_anys() {
    in_own_process(values_travel_in_anys, travel_in_anys);
}

fn travel_in_anys() {
    value::register::<Fruit>();
    value::register::<Leaf>();
    value::register::<Picture>();
    let (server, client, peer) = serve(GardenSkeleton::new(Echo::default()));
    let fruit = fruit(1, Some(node(2)));
    let of_node = Any::new(&Some(fruit.upcast::<Node>())).unwrap();
    assert_eq!(*of_node.type_code(), Fruit::type_code());
    let picture = Value::new(Picture {
        width: 3,
        pixels: vec![1, 2, 3],
    });
    let of_picture = Any::new(&picture).unwrap();
    check(of_node.clone(), of_picture.clone(), |a, b| peer.f_any(a, b));
    let forest = Forest {
        first: Some(fruit.upcast()),
        rest: vec![Some(fruit.upcast()), None],
        ..Forest::default()
    };
    let of_forest = Any::new(&forest).unwrap();
    check(of_forest.clone(), Any::new(&of_node).unwrap(), |a, b| {
        peer.f_any(a, b)
    });
    let received = of_node.extract::<Option<Value<Fruit>>>().unwrap();
    assert_eq!(received, Some(fruit));
    assert_eq!(client.extract::<Forest>(&of_forest), Ok(forest));
    assert_eq!(of_picture.extract::<Value<Picture>>(), Ok(picture));
    server.shutdown(true).unwrap();
}

#[test]
fn type_codes_say_what_the_idl_says() {
    use taut::codegen::{MemberVisibility, TCKind, ValueModifier};
    let fruit = Fruit::type_code();
    assert_eq!(fruit.kind(), TCKind::Value);
    assert_eq!(fruit.id(), Ok("IDL:example.org/values/Fruit:1.0"));
    assert_eq!(fruit.type_modifier(), Ok(ValueModifier::Truncatable));
    assert_eq!(fruit.member_count(), Ok(3));
    assert_eq!(fruit.member_visibility(1), Ok(MemberVisibility::Private));
    let leaf = fruit.concrete_base_type().unwrap().unwrap();
    assert_eq!(leaf, Leaf::type_code());
    assert_eq!(leaf.concrete_base_type(), Ok(Some(Node::type_code())));
    let node = Node::type_code();
    assert_eq!(node.member_type(2), Ok(node.clone()));
    assert_eq!(node.member_type(3), Ok(leaves_type_code()));
    assert_eq!(
        Picture::type_code().type_modifier(),
        Ok(ValueModifier::Custom)
    );
    assert_eq!(
        Named::type_code().type_modifier(),
        Ok(ValueModifier::Abstract)
    );
    assert_eq!(Text::type_code().kind(), TCKind::ValueBox);
    let forest = Forest::type_code();
    let kind = |member| forest.member_type(member).unwrap().kind();
    assert_eq!(forest.member_type(0), Ok(alias_type_code()));
    assert_eq!(kind(3), TCKind::AbstractInterface);
}

#[test]
fn operations_and_factories_are_the_users() {
    let near = Value::new(Node::init(3).unwrap());
    assert_eq!(near.weight(2.0), Ok(6.0));
    assert_eq!(Node::find("secret 3", Some(&near)), Ok((*near).clone()));
    let lost = Lost {
        r#where: Some(near.clone()),
    };
    assert_eq!(Node::find("other", Some(&near)), Err(lost.into()));
    assert_eq!(fruit(4, None).weight(0.5), Ok(2.0));
}

#[test]
fn a_type_that_nobody_knows_is_marshal_1() {
    let (server, _client, peer) = serve(GardenSkeleton::new(Echo::default()));
    let stone = Value::new(Stone::default());
    let error = peer.f_base(Some(&stone.upcast()), &mut None).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.minor & 0xfff, 1);
    assert!(error.to_string().contains("value"), "{error}");
    server.shutdown(true).unwrap();
}

#[test]
fn circles_are_the_servers_choice() {
    for allowed in [false, true] {
        let server = taut_interop::over_the_wire()
            .listen("127.0.0.1:0")
            .unwrap()
            .settings(|settings| settings.limits.cyclic_values = allowed)
            .build()
            .unwrap();
        let poa = server.root_poa().unwrap();
        let garden = poa.activate(GardenSkeleton::new(Echo::default())).unwrap();
        poa.manager().activate().unwrap();
        let client = taut_interop::over_the_wire().build().unwrap();
        let ior = server.object_to_string(garden.as_object());
        let object = client.string_to_object(&ior).unwrap();
        // A `Node` whose `next` is itself.
        let outcome = object.invoke("same", |out| {
            let octets = [0x7fff_ff02_u32, 32];
            out.align(8);
            let start = out.len();
            octets.iter().for_each(|long| out.write(*long));
            out.write_bytes(b"IDL:example.org/values/Node:1.0\0");
            out.write(7_i32);
            out.write(1_u32);
            out.write_bytes(&[0]);
            out.write_indirection(start)?;
            out.write(0_u32);
            out.write_indirection(start)
        });
        let same = outcome.and_then(|reply| reply.results(|input| input.read_bool()));
        match allowed {
            true => assert_eq!(same, Ok(true)),
            false => assert_eq!(same.unwrap_err().kind, SystemExceptionKind::Marshal),
        }
        server.shutdown(true).unwrap();
    }
}

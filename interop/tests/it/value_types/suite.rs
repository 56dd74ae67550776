//! The tests, for whichever Rust [`generated`] includes.

use std::process::Command;
use std::time::Duration;

use taut::value::{Value, ValueBase, register};
use taut::{Any, ByteOrder, Orb, Reference as _, Version};
use taut_interop::{Process, loopback_orb, peers, within};
use test_tools::in_own_process;

mod generated {
    generated!();
}

use generated::interop::graphs::{
    Gardener, GardenerRef, GardenerSkeleton, Labelled, Node, Note, Numbers, Printable,
    PrintableAbstract, Sealed, Text,
};
use generated::strangers::Stranger;

const TIME_OUT: Duration = Duration::from_secs(60);

type MaybeNode = Option<Value<Node>>;

fn node(id: i32, left: MaybeNode, right: MaybeNode) -> Node {
    Node { id, left, right }
}

fn labelled(base: Node, label: &str, extra: MaybeNode) -> Labelled {
    let label = label.to_owned();
    Labelled { base, label, extra }
}

/// The same graphs as in `interop/peers/omniorb/graphs.h`, in its order.
fn table() -> Vec<MaybeNode> {
    let shared = Some(Value::new(node(2, None, None)));
    let four = Some(Value::new(node(4, None, None)));
    let three = Value::new(labelled(node(3, None, None), "label", four));
    let seven = Some(Value::new(node(7, None, None)));
    let six = Value::new(labelled(node(6, seven.clone(), None), "", seven.clone()));
    let six = Some(six.upcast::<Node>());
    let sealed = Value::new(Sealed {
        base: labelled(node(8, six.clone(), None), "sealed", six.clone()),
        weight: 2.5,
    });
    let mut chain = None;
    for id in (1..=20).rev() {
        let base = node(id, chain.clone(), shared.clone());
        chain = Some(match id % 3 {
            0 => Value::new(labelled(base, "link", chain)).upcast(),
            _ => Value::new(base),
        });
    }
    vec![
        None,
        Some(Value::new(node(1, None, None))),
        Some(Value::new(node(1, shared.clone(), shared))),
        Some(three.upcast()),
        Some(Value::new(node(5, six, seven))),
        Some(sealed.upcast()),
        chain,
    ]
}

/// A value as text: its type, and a number where it was met before.
fn describe(value: Option<&Value<Node>>) -> String {
    fn visit(value: Option<&Value<Node>>, met: &mut Vec<Value<Node>>, text: &mut String) {
        let Some(value) = value else {
            text.push('-');
            return;
        };
        if let Some(place) = met.iter().position(|other| other.ptr_eq(value)) {
            text.push_str(&format!("#{place}"));
            return;
        }
        met.push(value.clone());
        let labelled = value.downcast::<Labelled>();
        let sealed = value.downcast::<Sealed>();
        let name = match (&labelled, &sealed) {
            (_, Some(_)) => "Sealed",
            (Some(_), None) => "Labelled",
            (None, None) => "Node",
        };
        text.push_str(&format!("{name}({},", value.id));
        visit(value.left.as_ref(), met, text);
        text.push(',');
        visit(value.right.as_ref(), met, text);
        if let Some(labelled) = labelled {
            text.push_str(&format!(",'{}',", labelled.label));
            visit(labelled.extra.as_ref(), met, text);
        }
        if let Some(sealed) = sealed {
            text.push_str(&format!(",{}", sealed.weight));
        }
        text.push(')');
    }
    let mut text = String::new();
    visit(value, &mut Vec::new(), &mut text);
    text
}

impl Printable for Note {
    fn print(&self) -> taut::Result<String> {
        Ok(self.words.clone())
    }
}

struct Servant(Orb);

impl Printable for Servant {
    fn print(&self) -> taut::Result<String> {
        Ok("Taut".to_owned())
    }
}

impl Gardener for Servant {
    fn describe(&self, a: Option<&Value<Node>>) -> taut::Result<String> {
        Ok(describe(a))
    }

    fn echo(&self, a: Option<&Value<Node>>) -> taut::Result<MaybeNode> {
        Ok(a.cloned())
    }

    fn turn(
        &self,
        a: Option<&Value<Node>>,
        b: &mut MaybeNode,
    ) -> taut::Result<(MaybeNode, MaybeNode)> {
        Ok((a.cloned(), std::mem::replace(b, a.cloned())))
    }

    fn same(&self, a: Option<&Value<Node>>, b: Option<&Value<Node>>) -> taut::Result<bool> {
        Ok(a.is_some_and(|a| b.is_some_and(|b| a.ptr_eq(b))))
    }

    fn echo_text(&self, a: Option<&Value<Text>>) -> taut::Result<Option<Value<Text>>> {
        Ok(a.cloned())
    }

    fn echo_numbers(&self, a: Option<&Value<Numbers>>) -> taut::Result<Option<Value<Numbers>>> {
        Ok(a.cloned())
    }

    fn echo_base(&self, a: Option<&Value<ValueBase>>) -> taut::Result<Option<Value<ValueBase>>> {
        Ok(a.cloned())
    }

    fn echo_printable(
        &self,
        a: Option<&PrintableAbstract>,
    ) -> taut::Result<Option<PrintableAbstract>> {
        Ok(a.cloned())
    }

    fn echo_any(&self, a: &Any) -> taut::Result<Any> {
        Ok(a.clone())
    }

    fn shutdown(&self) -> taut::Result<()> {
        let _ = self.0.shutdown(false);
        Ok(())
    }
}

/// An ORB that listens on the loopback, speaks up to this version of GIOP, and
/// in this byte order.
fn orb(version: Version, order: ByteOrder) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        settings.wire.byte_order = order;
    });
    orb.unwrap()
}

/// Runs a test in every version of GIOP, with Taut speaking in either byte order.
fn in_every_way(test: impl Fn(Version, ByteOrder)) {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            test(version, order);
        }
    }
}

/// A program of omniORB that speaks up to this version of GIOP.
fn omniorb(program: &str, version: Version) -> Option<Command> {
    let mut command = Command::new(peers::omniorb(program)?);
    command.args(["-ORBtraceLevel", "0", "-ORBmaxGIOPVersion"]);
    command.arg(version.to_string());
    Some(command)
}

fn serve(orb: &Orb) -> String {
    let poa = orb.root_poa().unwrap();
    let gardener = poa
        .activate(GardenerSkeleton::new(Servant(orb.clone())))
        .unwrap();
    poa.manager().activate().unwrap();
    orb.object_to_string(gardener.as_object())
}

fn register_all() {
    register::<Node>();
    register::<Labelled>();
    register::<Sealed>();
    register::<Note>();
}

/// Everything, with a peer that knows all types but `Stranger`.
fn call(gardener: &GardenerRef) {
    let table = table();
    for (index, a) in table.iter().enumerate() {
        let text = describe(a.as_ref());
        let next = &table[(index + 1) % table.len()];
        assert_eq!(gardener.describe(a.as_ref()), Ok(text.clone()));
        assert_eq!(describe(gardener.echo(a.as_ref()).unwrap().as_ref()), text);
        let mut b = next.clone();
        let (result, c) = gardener.turn(a.as_ref(), &mut b).unwrap();
        assert_eq!(describe(result.as_ref()), text);
        assert_eq!(describe(b.as_ref()), text);
        assert_eq!(describe(c.as_ref()), describe(next.as_ref()));
        assert_eq!((&result, &c), (a, next));
        if let (Some(result), Some(b)) = (result, b) {
            assert!(result.ptr_eq(&b));
            assert_eq!(gardener.same(a.as_ref(), a.as_ref()), Ok(true));
            assert_eq!(gardener.same(a.as_ref(), Some(&b)), Ok(false));
        }
        let any = Any::new(a).unwrap();
        let back = gardener.echo_any(&any).unwrap();
        assert!(back.type_code().equivalent(any.type_code()));
        let in_any = match a.as_ref().and_then(Value::downcast::<Labelled>) {
            Some(labelled) if labelled.downcast::<Sealed>().is_none() => {
                let back = back.extract::<Option<Value<Labelled>>>().unwrap();
                back.map(|back| back.upcast())
            }
            Some(_) => {
                let back = back.extract::<Option<Value<Sealed>>>().unwrap();
                back.map(|back| back.upcast())
            }
            None => back.extract::<MaybeNode>().unwrap(),
        };
        assert_eq!(describe(in_any.as_ref()), text);
    }
    let text = Value::new(Text("a text".to_owned()));
    assert_eq!(gardener.echo_text(Some(&text)), Ok(Some(text)));
    assert_eq!(gardener.echo_text(None), Ok(None));
    let numbers = Value::new(Numbers(vec![1, -2, 3]));
    assert_eq!(gardener.echo_numbers(Some(&numbers)), Ok(Some(numbers)));

    let note = Value::new(Note {
        words: "words".to_owned(),
    });
    let base = note.upcast::<ValueBase>();
    assert_eq!(gardener.echo_base(Some(&base)), Ok(Some(base.clone())));
    let passed = PrintableAbstract::Value(base);
    let back = gardener.echo_printable(Some(&passed)).unwrap();
    assert_eq!(back, Some(passed));
    let passed = PrintableAbstract::Object(gardener.clone().into());
    let back = gardener.echo_printable(Some(&passed)).unwrap().unwrap();
    let object = back.as_object().unwrap();
    assert_eq!(object.print(), gardener.print());
    assert_eq!(gardener.echo_printable(None), Ok(None));
}

/// A receiver that does not know a type keeps what it may.
fn call_with_a_stranger(gardener: &GardenerRef) {
    let known = Some(Value::new(node(4, None, None)));
    let hidden = Some(Value::new(labelled(node(5, None, None), "hidden", known.clone())).upcast());
    let base = labelled(node(3, known.clone(), None), "kept", known);
    let stranger = Value::new(Stranger {
        base,
        hidden,
        secret: "secret".to_owned(),
    });
    let parent = Value::new(node(1, Some(stranger.upcast()), Some(stranger.upcast())));
    let described = gardener.describe(Some(&parent)).unwrap();
    assert_eq!(described, "Node(1,Labelled(3,Node(4,-,-),-,'kept',#2),#1)");
}

fn run_client(version: Version, order: ByteOrder, reference: String, is_foreign: bool) {
    register_all();
    let orb = orb(version, order);
    within(TIME_OUT, move || {
        let object = orb.string_to_object(&reference).unwrap();
        let gardener: GardenerRef = object.narrow().unwrap();
        call(&gardener);
        if is_foreign {
            call_with_a_stranger(&gardener);
        }
        gardener.shutdown().unwrap();
        orb.shutdown(true).unwrap();
    })
    .unwrap();
}

#[test]
fn taut_calls_taut() {
    in_own_process(taut_calls_taut, taut_calls_taut_in_every_way);
}

fn taut_calls_taut_in_every_way() {
    in_every_way(|version, order| {
        let server = orb(version, order);
        let reference = serve(&server);
        run_client(version, order, reference, false);
        server.run();
    });
}

#[test]
fn taut_calls_omniorb() {
    in_own_process(taut_calls_omniorb, taut_calls_omniorb_in_every_way);
}

fn taut_calls_omniorb_in_every_way() {
    in_every_way(|version, order| {
        let Some(mut command) = omniorb("value_server", version) else {
            return;
        };
        let mut server = Process::start(&mut command).unwrap();
        let reference = server.read_line(TIME_OUT).unwrap();
        run_client(version, order, reference, true);
        assert!(server.wait(TIME_OUT).unwrap().success());
    });
}

#[test]
fn omniorb_calls_taut() {
    in_own_process(omniorb_calls_taut, omniorb_calls_taut_in_every_way);
}

fn omniorb_calls_taut_in_every_way() {
    register_all();
    in_every_way(|version, order| {
        let Some(mut command) = omniorb("value_client", version) else {
            return;
        };
        let server = orb(version, order);
        let reference = serve(&server);
        let mut client = Process::start(command.arg(&reference)).unwrap();
        let (lines, status) = client.finish(TIME_OUT).unwrap();
        let failed: Vec<_> = lines
            .iter()
            .filter(|line| !line.starts_with("ok "))
            .collect();
        assert!(failed.is_empty(), "GIOP {version}: {failed:#?}");
        assert!(lines.len() >= 60, "{} checks", lines.len());
        assert!(status.success());
        server.shutdown(true).unwrap();
    });
}

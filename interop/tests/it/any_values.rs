//! Anys of every kind but exceptions and value types with omniORB and JacORB, both ways and in both
//! byte orders: as they are, and taken apart and made again by DynAnys of either side.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use taut::{
    Any, ByteOrder, CompletionStatus, Orb, Reference as _, SystemException, SystemExceptionKind,
    Version,
};
use taut_cdr::LongDouble;
use taut_giop::Ior;
use taut_interop::{JacorbServer, Process, loopback_orb, peers, within};
use taut_types::dyn_any::{DynAny, DynAnyError, DynAnyFactory};
use taut_types::dynamic::{Elements, UnionValue, Value};
use taut_types::{TCKind, TypeCode, UnionMember};

mod generated {
    taut::include_idl!("any_test");
}

use generated::remade::{Remaker, RemakerRef, RemakerSkeleton};

const TIME_OUT: Duration = Duration::from_secs(60);

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

fn case(label: Option<i128>, name: &'static str, type_code: &TypeCode) -> UnionMember<'static> {
    UnionMember {
        label,
        name,
        type_code: type_code.clone(),
    }
}

fn chosen(label: i64, member: Option<Value>) -> Value {
    Value::Union(Box::new(UnionValue { label, member }))
}

/// A value of each basic type.
fn basic() -> Vec<(TypeCode, Value)> {
    let of = |kind, value| (primitive(kind), value);
    vec![
        of(TCKind::Boolean, Value::Boolean(true)),
        of(TCKind::Octet, Value::Octet(200)),
        of(TCKind::Char, Value::Char(b'x')),
        of(TCKind::Short, Value::Short(i16::MIN)),
        of(TCKind::UShort, Value::UShort(u16::MAX)),
        of(TCKind::Long, Value::Long(i32::MIN)),
        of(TCKind::ULong, Value::ULong(u32::MAX)),
        of(TCKind::LongLong, Value::LongLong(i64::MIN)),
        of(TCKind::ULongLong, Value::ULongLong(u64::MAX)),
        of(TCKind::Float, Value::Float(1.5)),
        of(TCKind::Double, Value::Double(-0.1)),
        of(TCKind::TypeCode, Value::TypeCode(TypeCode::string(7))),
        (TypeCode::string(0), Value::String("a text".to_owned())),
        (TypeCode::string(9), Value::String("bounded".to_owned())),
    ]
}

/// A value of each kind of constructed types.
fn constructed() -> Vec<(TypeCode, Value)> {
    let long = primitive(TCKind::Long);
    let longs = TypeCode::create_sequence(&long, 0).unwrap();
    let texts = TypeCode::create_sequence(&TypeCode::string(0), 4).unwrap();
    let octets = TypeCode::create_sequence(&primitive(TCKind::Octet), 0).unwrap();
    let color = TypeCode::create_enum("IDL:t/C:1.0", "C", &["RED", "BLUE"]).unwrap();
    let price = TypeCode::create_fixed(5, 2).unwrap();
    let grid = TypeCode::create_array(&TypeCode::create_array(&long, 2).unwrap(), 2).unwrap();
    let members = [("x", long.clone()), ("name", TypeCode::string(0))];
    let point = TypeCode::create_struct("IDL:t/P:1.0", "P", &members).unwrap();
    let alias = TypeCode::create_alias("IDL:t/A:1.0", "A", &point).unwrap();
    let object = TypeCode::create_interface("IDL:t/I:1.0", "I").unwrap();
    let cases = [
        case(Some(0), "red", &long),
        case(Some(1), "blue", &TypeCode::string(0)),
    ];
    let union = TypeCode::create_union("IDL:t/U:1.0", "U", &color, &cases).unwrap();
    let cases = [case(Some(1), "one", &long), case(None, "other", &point)];
    let defaulted = TypeCode::create_union("IDL:t/D:1.0", "D", &long, &cases).unwrap();
    let some = [case(Some(1), "value", &long)];
    let maybe = TypeCode::create_union("IDL:t/M:1.0", "M", &primitive(TCKind::Boolean), &some);
    let of_point = || Value::Members(vec![Value::Long(7), Value::String("p".to_owned())]);
    let held = (alias.clone(), of_point());
    let any = || Value::Any(Box::new((point.clone(), of_point())));
    let row = |a, b| Value::Elements(Elements::Longs(vec![a, b]));
    let list = |texts: &[&str]| {
        let texts = texts.iter().map(|text| Value::String((*text).to_owned()));
        Value::List(texts.collect())
    };
    vec![
        (
            longs.clone(),
            Value::Elements(Elements::Longs(vec![1, -2, 3])),
        ),
        (longs, Value::Elements(Elements::Longs(Vec::new()))),
        (texts, list(&["a", "", "ccc"])),
        (
            octets,
            Value::Elements(Elements::Octets((0..=255).collect())),
        ),
        (color, Value::Enum(1)),
        (price, Value::Fixed(-12_345)),
        (grid, Value::List(vec![row(1, 2), row(3, 4)])),
        (point.clone(), of_point()),
        held,
        (object, Value::Reference(Ior::default())),
        (union.clone(), chosen(0, Some(Value::Long(5)))),
        (union, chosen(1, Some(Value::String("b".to_owned())))),
        (defaulted.clone(), chosen(1, Some(Value::Long(5)))),
        (defaulted, chosen(99, Some(of_point()))),
        (maybe.unwrap(), chosen(0, None)),
        (primitive(TCKind::Any), any()),
    ]
}

/// A struct that has a sequence of itself, and a union that does.
fn recursive() -> Vec<(TypeCode, Value)> {
    let own = TypeCode::create_recursive("IDL:t/Tree:1.0").unwrap();
    let children = TypeCode::create_sequence(&own, 0).unwrap();
    let members = [("id", primitive(TCKind::Long)), ("children", children)];
    let tree = TypeCode::create_struct("IDL:t/Tree:1.0", "Tree", &members).unwrap();
    let of = |id, children| Value::Members(vec![Value::Long(id), Value::List(children)]);
    let value = of(1, vec![of(2, vec![of(3, vec![])]), of(4, vec![])]);
    let own = TypeCode::create_recursive("IDL:t/List:1.0").unwrap();
    let rest = TypeCode::create_sequence(&own, 0).unwrap();
    let cases = [
        case(Some(1), "leaf", &TypeCode::string(0)),
        case(Some(2), "many", &rest),
    ];
    let label = primitive(TCKind::Short);
    let list = TypeCode::create_union("IDL:t/List:1.0", "List", &label, &cases).unwrap();
    let leaf = |text: &str| chosen(1, Some(Value::String(text.to_owned())));
    let many = |items| chosen(2, Some(Value::List(items)));
    let nested = many(vec![leaf("a"), many(vec![leaf("b")]), many(Vec::new())]);
    vec![(tree, value), (list, nested)]
}

/// Values that GIOP 1.0 has no form for.
fn wide() -> Vec<(TypeCode, Value)> {
    let unit = (primitive(TCKind::WChar), Value::WChar(0x20ac));
    let text = "a\u{20ac}".to_owned();
    vec![unit, (TypeCode::wstring(0), Value::WString(text))]
}

fn values(version: Version) -> Vec<Any> {
    let mut values = basic();
    values.extend(constructed());
    values.extend(recursive());
    if version == Version::V1_2 {
        values.extend(wide());
    }
    let to_any = |(of, value): (TypeCode, Value)| value.to_any(&of).unwrap();
    values.into_iter().map(to_any).collect()
}

struct Servant;

impl Remaker for Servant {
    fn echo(&self, value: &Any) -> taut::Result<Any> {
        Ok(value.clone())
    }

    fn remake(&self, value: &Any) -> taut::Result<Any> {
        remake(value).map_err(|_| refused(1))
    }

    fn ask(&self, other: Option<&RemakerRef>, value: &Any) -> taut::Result<Any> {
        match other {
            Some(other) => other.remake(value),
            None => Err(refused(2)),
        }
    }
}

fn refused(minor: u32) -> SystemException {
    SystemException::omg(SystemExceptionKind::BadParam, minor, CompletionStatus::No)
}

/// Makes a value again of its TypeCode and its parts.
fn remake(value: &Any) -> Result<Any, DynAnyError> {
    let factory = DynAnyFactory::new();
    let mut from = factory.create_dyn_any(value).unwrap();
    let mut to = made_like(&mut from)?;
    assert!(to.equal(&from));
    to.copy().to_any().inspect(|_| to.rewind())
}

fn made_like(from: &mut DynAny<'_>) -> Result<DynAny<'static>, DynAnyError> {
    let factory = DynAnyFactory::new();
    let mut to = factory
        .create_dyn_any_from_type_code(from.type_code())
        .unwrap();
    copy(from, &mut to)?;
    Ok(to)
}

fn copy(from: &mut DynAny<'_>, to: &mut DynAny<'_>) -> Result<(), DynAnyError> {
    match from.type_code().without_aliases().kind() {
        TCKind::Null | TCKind::Void => Ok(()),
        TCKind::Boolean => to.insert_boolean(from.get_boolean()?),
        TCKind::Octet => to.insert_octet(from.get_octet()?),
        TCKind::Char => to.insert_char(from.get_char()?),
        TCKind::WChar => to.insert_wchar(from.get_wchar()?),
        TCKind::Short => to.insert_short(from.get_short()?),
        TCKind::UShort => to.insert_ushort(from.get_ushort()?),
        TCKind::Long => to.insert_long(from.get_long()?),
        TCKind::ULong => to.insert_ulong(from.get_ulong()?),
        TCKind::LongLong => to.insert_longlong(from.get_longlong()?),
        TCKind::ULongLong => to.insert_ulonglong(from.get_ulonglong()?),
        TCKind::Float => to.insert_float(from.get_float()?),
        TCKind::Double => to.insert_double(from.get_double()?),
        TCKind::LongDouble => to.insert_longdouble(from.get_longdouble()?),
        TCKind::TypeCode => to.insert_typecode(from.get_typecode()?),
        TCKind::String => to.insert_string(&from.get_string()?),
        TCKind::WString => to.insert_wstring(&from.get_wstring()?),
        TCKind::ObjectReference => to.insert_reference(from.get_reference()?),
        TCKind::Any => {
            let again = made_like(&mut from.get_dyn_any()?)?;
            to.insert_dyn_any(&again)
        }
        TCKind::Enum => {
            let ordinal = from.as_enum().unwrap().get_as_ulong();
            to.as_enum().unwrap().set_as_ulong(ordinal)
        }
        TCKind::Fixed => {
            let text = from.as_fixed().unwrap().get_value();
            to.as_fixed().unwrap().set_value(&text).map(drop)
        }
        TCKind::Union => {
            let (mut from, mut to) = (from.as_union().unwrap(), to.as_union().unwrap());
            to.set_discriminator(&from.get_discriminator())?;
            match from.has_no_active_member() {
                true => Ok(()),
                false => copy(&mut from.member()?, &mut to.member()?),
            }
        }
        TCKind::Sequence => {
            to.as_sequence()
                .unwrap()
                .set_length(from.component_count())?;
            components(from, to)
        }
        _ => components(from, to),
    }
}

fn components(from: &mut DynAny<'_>, to: &mut DynAny<'_>) -> Result<(), DynAnyError> {
    assert_eq!(from.component_count(), to.component_count());
    for index in 0..from.component_count() as i32 {
        assert!(from.seek(index) && to.seek(index));
        let (mut part, mut place) = (
            from.current_component()?.unwrap(),
            to.current_component()?.unwrap(),
        );
        copy(&mut part, &mut place)?;
    }
    Ok(())
}

fn orb(version: Version, order: ByteOrder) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        settings.wire.byte_order = order;
    });
    orb.unwrap()
}

fn serve(orb: &Orb) -> RemakerRef {
    let poa = orb.root_poa().unwrap();
    let own = poa.activate(RemakerSkeleton::new(Servant)).unwrap();
    poa.manager().activate().unwrap();
    own
}

/// Each value as it is, made again by the peer, and by this side when the peer asks: the faults.
fn exchange(version: Version, order: ByteOrder, reference: String) -> BTreeSet<String> {
    let orb = orb(version, order);
    let client = orb.clone();
    let faults = within(TIME_OUT, move || {
        let own = serve(&client);
        let object = client.string_to_object(&reference).unwrap();
        let peer: RemakerRef = object.unchecked_narrow();
        let mut faults = BTreeSet::new();
        for value in values(version) {
            let outcomes = [
                ("echo", peer.echo(&value)),
                ("remake", peer.remake(&value)),
                ("ask", peer.ask(Some(&own), &value)),
            ];
            for (operation, outcome) in outcomes {
                if outcome.as_ref() != Ok(&value) {
                    eprintln!("GIOP {version}, {order:?}: {operation} {value:?}: {outcome:?}");
                    faults.insert(format!("{operation} {}", value.type_code().declared()));
                }
            }
        }
        faults
    });
    orb.shutdown(true).unwrap();
    faults.unwrap()
}

/// The faults of a peer that are known, with the reason behind `#`: no others may be there, nor
/// one of these be gone.
fn known_gaps(peer: &str) -> BTreeSet<String> {
    let file = test_tools::workspace_root().join("interop/tests/it/any_values.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix(peer));
    let gap = |line: &str| line.split('#').next().unwrap().trim().to_owned();
    lines.map(gap).collect()
}

const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

#[test]
fn values_are_the_same_from_taut() {
    for order in ORDERS {
        let server = orb(Version::V1_2, order);
        let reference = server.object_to_string(serve(&server).as_object());
        let faults = exchange(Version::V1_2, order, reference);
        assert_eq!(faults, BTreeSet::new());
        server.shutdown(true).unwrap();
    }
    // No peer has long doubles of sixteen octets on each machine.
    let long = LongDouble::from_f64(0.1);
    let value = Any::new(&long).unwrap();
    assert_eq!(remake(&value), Ok(value));
}

#[test]
fn values_are_the_same_from_omniorb() {
    let Some(program) = peers::omniorb("any_server") else {
        return;
    };
    for version in [Version::V1_0, Version::V1_2] {
        let mut command = Command::new(&program);
        command.args(["-ORBtraceLevel", "0", "-ORBmaxGIOPVersion"]);
        let mut server = Process::start(command.arg(version.to_string())).unwrap();
        let reference = server.read_line(TIME_OUT).unwrap();
        for order in ORDERS {
            let faults = exchange(version, order, reference.clone());
            assert_eq!(faults, known_gaps("omniorb"), "GIOP {version}");
        }
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success());
    }
}

#[test]
fn values_are_the_same_from_jacorb() {
    let Some(server) = JacorbServer::start("AnyServer", &[], &[Version::V1_2]).unwrap() else {
        return;
    };
    for order in ORDERS {
        let faults = exchange(Version::V1_2, order, server.references[0].clone());
        assert_eq!(faults, known_gaps("jacorb"));
    }
    assert!(server.end().unwrap().success());
}

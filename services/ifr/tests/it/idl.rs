//! The definitions that a repository has of IDL.

use taut::{Any, Reference, TypeCode, Typed};
use taut_ifr::{
    AttributeMode, ConstantDef, ConstantDefRef, Contained, Container, DefinitionKind,
    ExtInterfaceDefRef, ExtValueDef, ExtValueDefRef, IdlType, InterfaceAttrExtension, InterfaceDef,
    InterfaceDefRef, InterfaceDescription, IrObject, OperationMode, ParameterMode, PrimitiveDef,
    PrimitiveKind, Repository, TypedefDefRef, UnionDef, UnionDefRef, ValueDef, ValueDefRef,
};

use super::bank;
use super::fixture::Fixture;

const ACCOUNT: &str = "IDL:example.org/Bank/Account:1.0";

#[test]
fn type_codes_are_those_of_generated_code() {
    let fixture = Fixture::bank();
    let expected: Vec<(&str, TypeCode)> = vec![
        ("Colour", bank::Colour::type_code()),
        ("Few", bank::few_type_code()),
        ("Brief", bank::brief_type_code()),
        ("Money", bank::money_type_code()),
        ("Matrix", bank::matrix_type_code()),
        ("Node", bank::Node::type_code()),
        ("Shape", bank::Shape::type_code()),
        ("Numbered", bank::Numbered::type_code()),
        ("Account", bank::AccountRef::type_code()),
        ("Account/Number", bank::account::number_type_code()),
    ];
    for (name, type_code) in expected {
        let id = format!("IDL:example.org/Bank/{name}:1.0");
        let found: taut_ifr::IdlTypeRef = fixture.find(&id);
        assert_eq!(found.r#type().unwrap(), type_code, "{name}");
        let canonical = fixture
            .repository
            .get_canonical_typecode(&type_code)
            .unwrap();
        assert_eq!(canonical, type_code);
    }
    let refused: taut_ifr::ExceptionDefRef = fixture.find("IDL:example.org/Bank/Refused:1.0");
    let type_code = taut_ifr::ExceptionDef::r#type(&refused).unwrap();
    assert_eq!(type_code, bank::Refused::type_code());
    let date: ValueDefRef = fixture.find("IDL:example.org/Bank/Time:1.0");
    let type_code = date.r#type().unwrap();
    assert_eq!(
        type_code
            .concrete_base_type()
            .unwrap()
            .unwrap()
            .member_count(),
        Ok(2)
    );
}

#[test]
fn constants_have_their_values() {
    let fixture = Fixture::bank();
    let value = |name: &str| -> Any {
        let constant: ConstantDefRef = fixture.find(&format!("IDL:example.org/Bank/{name}:1.0"));
        let any = constant.value().unwrap();
        assert_eq!(*any.type_code(), constant.r#type().unwrap());
        any
    };
    assert_eq!(value("LIMIT").extract::<i32>(), Ok(5));
    assert_eq!(value("NAME").extract::<String>().unwrap(), "taut");
    assert_eq!(value("RATE").extract::<f32>(), Ok(1.5));
    assert_eq!(
        value("BEST").extract::<bank::Colour>(),
        Ok(bank::Colour::Green)
    );
    for name in ["WIDE", "PRICE"] {
        assert_ne!(value(name), Any::null());
    }
}

#[test]
fn interfaces_are_described_with_all_that_they_inherit() {
    let fixture = Fixture::bank();
    let savings: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Savings:1.0");
    let full = savings.describe_interface().unwrap();
    assert_eq!((&*full.name, &*full.version), ("Savings", "1.0"));
    assert_eq!(full.defined_in, "IDL:example.org/Bank:1.0");
    assert_eq!(full.base_interfaces, [ACCOUNT]);
    let operations: Vec<_> = full.operations.iter().map(|one| &*one.name).collect();
    assert_eq!(operations, ["to_account", "deposit", "log", "look"]);
    let attributes: Vec<_> = full
        .attributes
        .iter()
        .map(|one| (&*one.name, one.mode))
        .collect();
    assert_eq!(
        attributes,
        [
            ("balance", AttributeMode::AttrNormal),
            ("id", AttributeMode::AttrReadonly),
            ("some", AttributeMode::AttrNormal),
            ("name", AttributeMode::AttrReadonly),
        ]
    );
    let deposit = &full.operations[1];
    assert_eq!(deposit.id, "IDL:example.org/Bank/Account/deposit:1.0");
    assert_eq!(deposit.defined_in, ACCOUNT);
    let parameters: Vec<_> = deposit
        .parameters
        .iter()
        .map(|one| (&*one.name, one.mode))
        .collect();
    assert_eq!(
        parameters,
        [
            ("amount", ParameterMode::ParamIn),
            ("m", ParameterMode::ParamInout),
            ("form", ParameterMode::ParamOut),
        ]
    );
    assert_eq!(deposit.parameters[2].r#type, bank::Shape::type_code());
    let shape = deposit.parameters[2].type_def.as_ref().unwrap();
    assert_eq!(shape.def_kind(), Ok(DefinitionKind::DkUnion));
    let raises: Vec<_> = deposit.exceptions.iter().map(|one| &*one.name).collect();
    assert_eq!(raises, ["Refused", "Closed"]);
    assert_eq!(full.operations[2].mode, OperationMode::OpOneway);
    assert_eq!(full.operations[3].contexts, ["USER", "HOME*"]);

    let ext: ExtInterfaceDefRef = savings.as_object().narrow().unwrap();
    let ext = ext.describe_ext_interface().unwrap();
    let raised: Vec<_> = ext.attributes[2]
        .put_exceptions
        .iter()
        .map(|one| &*one.name)
        .collect();
    assert_eq!(raised, ["Refused", "Closed"]);

    for (id, is_it) in [
        (ACCOUNT, true),
        ("IDL:example.org/Bank/Named:1.0", true),
        ("IDL:omg.org/CORBA/Object:1.0", true),
        ("IDL:example.org/Bank/Hidden:1.0", false),
    ] {
        assert_eq!(savings.is_a(id), Ok(is_it), "{id}");
    }
}

#[test]
fn names_are_looked_up_by_the_rules_of_idl() {
    let fixture = Fixture::bank();
    let account: InterfaceDefRef = fixture.find(ACCOUNT);
    let savings: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Savings:1.0");
    let absolute =
        |found: Option<taut_ifr::ContainedRef>| found.map(|one| one.absolute_name().unwrap());
    let cases = [
        ("Closed", Some("::Bank::Account::Closed")),
        ("Colour", Some("::Bank::Colour")),
        ("Bank::Node", Some("::Bank::Node")),
        ("::Bank::Account::balance", Some("::Bank::Account::balance")),
        ("name", Some("::Bank::Named::name")),
        ("colour", None),
        ("Bank::Missing", None),
        ("", None),
        ("::", None),
    ];
    for (name, expected) in cases {
        let found = absolute(savings.lookup(name).unwrap());
        assert_eq!(found.as_deref(), expected, "{name}");
    }
    assert_eq!(absolute(fixture.repository.lookup("Colour").unwrap()), None);
    assert_eq!(account.absolute_name().unwrap(), "::Bank::Account");

    let named = |levels| {
        let kind = DefinitionKind::DkAll;
        fixture
            .repository
            .lookup_name("name", levels, kind, true)
            .unwrap()
            .len()
    };
    assert_eq!((named(1), named(2), named(3), named(-1)), (0, 0, 1, 1));
    let typedefs = fixture.repository.lookup("Bank").unwrap().unwrap();
    let bank: taut_ifr::ModuleDefRef = typedefs.as_object().narrow().unwrap();
    let typedefs = bank.contents(DefinitionKind::DkTypedef, true).unwrap();
    assert_eq!(typedefs.len(), 10);
    let some = bank
        .describe_contents(DefinitionKind::DkAll, true, 3)
        .unwrap();
    assert_eq!(some.len(), 3);
    let interfaces = bank
        .describe_contents(DefinitionKind::DkInterface, true, -1)
        .unwrap();
    let described: InterfaceDescription = interfaces[0].value.extract().unwrap();
    assert_eq!(
        (&*described.name, described.base_interfaces.len()),
        ("Account", 1)
    );
}

#[test]
fn every_definition_describes_itself() {
    let fixture = Fixture::bank();
    let all = fixture
        .repository
        .contents(DefinitionKind::DkAll, true)
        .unwrap();
    let mut next: Vec<_> = all.into_iter().flatten().collect();
    let mut kinds = std::collections::BTreeSet::new();
    while let Some(one) = next.pop() {
        let description = one.describe().unwrap();
        assert_eq!(description.kind, one.def_kind().unwrap());
        assert_ne!(description.value, Any::null());
        kinds.insert(description.kind as u32);
        let home = one.containing_repository().unwrap().unwrap();
        assert!(
            home.as_object()
                .is_equivalent(fixture.repository.as_object())
        );
        if let Ok(container) = one.as_object().narrow::<taut_ifr::ContainerRef>() {
            next.extend(
                container
                    .contents(DefinitionKind::DkAll, true)
                    .unwrap()
                    .into_iter()
                    .flatten(),
            );
        }
        if let Ok(typedef) = one.as_object().narrow::<TypedefDefRef>() {
            assert_eq!(typedef.r#type().unwrap().id().unwrap(), one.id().unwrap());
        }
    }
    // Constant, exception, interface, module, operation, alias, struct, union, enum, value, box,
    // member, native, abstract and local interface, attribute.
    assert_eq!(kinds.len(), 16, "{kinds:?}");
}

#[test]
fn values_and_unions_are_described() {
    let fixture = Fixture::bank();
    let time: ExtValueDefRef = fixture.find("IDL:example.org/Bank/Time:1.0");
    let full = time.describe_ext_value().unwrap();
    assert_eq!(full.base_value, "IDL:example.org/Bank/Date:1.0");
    assert_eq!(
        full.abstract_base_values,
        ["IDL:example.org/Bank/Printable:1.0"]
    );
    assert!(full.is_truncatable && !full.is_custom && !full.is_abstract);
    assert_eq!(full.members.len(), 1);
    let operations: Vec<_> = full.operations.iter().map(|one| &*one.name).collect();
    assert_eq!(operations, ["weekday", "print"]);
    let date: ValueDefRef = fixture.find("IDL:example.org/Bank/Date:1.0");
    let full = date.describe_value().unwrap();
    let members: Vec<_> = full
        .members
        .iter()
        .map(|one| (&*one.name, one.access))
        .collect();
    assert_eq!(members, [("day", 0), ("tone", 1)]);
    assert_eq!(full.initializers[0].members[0].name, "day");
    assert_eq!(date.is_a("IDL:example.org/Bank/Named:1.0"), Ok(true));

    let numbered: UnionDefRef = fixture.find("IDL:example.org/Bank/Numbered:1.0");
    let members = numbered.members().unwrap();
    let labels: Vec<i32> = members
        .iter()
        .map(|one| one.label.extract().unwrap())
        .collect();
    assert_eq!(labels, [-1, 7, 2]);
    let shape: UnionDefRef = fixture.find("IDL:example.org/Bank/Shape:1.0");
    let default = &shape.members().unwrap()[1].label;
    assert_eq!(default.extract::<u8>(), Ok(0));
}

#[test]
fn primitive_types_are_there_without_any_idl() {
    let fixture = Fixture::in_memory();
    let primitive = |kind| fixture.repository.get_primitive(kind).unwrap();
    assert!(primitive(PrimitiveKind::PkNull).is_none());
    let long = primitive(PrimitiveKind::PkLong).unwrap();
    assert_eq!(long.kind(), Ok(PrimitiveKind::PkLong));
    assert_eq!(long.r#type().unwrap(), i32::type_code());
    let base = primitive(PrimitiveKind::PkValueBase).unwrap();
    assert_eq!(base.r#type().unwrap(), taut::ValueBase::type_code());
}

#[test]
fn idl_that_is_loaded_again_replaces_what_it_says() {
    let fixture = Fixture::in_memory();
    fixture.load("interface A { void f(); void g(); attribute long x; }; struct Old { long a; };");
    let a: InterfaceDefRef = fixture.find("IDL:A:1.0");
    fixture.load("interface A { void g(in string s); sequence<long> h(); };");
    let full = a.describe_interface().unwrap();
    let names: Vec<_> = full.operations.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["g", "h"]);
    assert_eq!(full.operations[0].parameters.len(), 1);
    assert!(full.attributes.is_empty());
    assert!(
        fixture
            .repository
            .lookup_id("IDL:Old:1.0")
            .unwrap()
            .is_some()
    );

    let error = fixture
        .service
        .load(&super::fixture::model("struct A { long a; };"))
        .unwrap_err();
    assert!(
        error.to_string().contains("another kind under IDL:A:1.0"),
        "{error}"
    );
    let error = fixture.service.load(&super::fixture::model(
        "struct B { map<long, long> m; }; struct C { long c; };",
    ));
    assert!(error.unwrap_err().to_string().contains("`B`"));
    assert!(fixture.repository.lookup_id("IDL:C:1.0").unwrap().is_none());
    assert_eq!(a.describe_interface().unwrap(), full);
}

//! Definitions that clients make, change, move and destroy.

use taut::{Any, Reference, SystemException, SystemExceptionKind as Kind, Typed, minor};
use taut_ifr::service::{RepositorySettings, RepositoryStore};
use taut_ifr::{
    AliasDef, AttributeMode, Contained, Container, ContainerRef, ExtInitializer, IdlType,
    IdlTypeRef, InterfaceDef, InterfaceDefRef, IrObject, OperationDef, OperationMode,
    ParameterDescription, ParameterMode, PrimitiveKind, Repository, SequenceDef, StringDef,
    StructDef, StructMember, UnionMember, ValueDef,
};

use super::fixture::Fixture;

/// An exception by its kind and minor code.
fn code<T: std::fmt::Debug>(result: Result<T, SystemException>) -> (Kind, u32) {
    let exception = result.expect_err("an exception");
    (exception.kind, exception.minor)
}

fn bad_param(minor: u32) -> (Kind, u32) {
    (Kind::BadParam, minor::omg(minor))
}

fn as_type(reference: &impl Reference) -> Option<IdlTypeRef> {
    Some(reference.as_object().unchecked_narrow())
}

impl Fixture {
    fn primitive(&self, kind: PrimitiveKind) -> Option<IdlTypeRef> {
        as_type(&self.repository.get_primitive(kind).unwrap().unwrap())
    }

    fn member(&self, name: &str, type_def: Option<IdlTypeRef>) -> StructMember {
        let (name, r#type) = (name.to_owned(), taut::TypeCode::null());
        StructMember {
            name,
            r#type,
            type_def,
        }
    }

    fn interface(&self, name: &str, bases: &[Option<InterfaceDefRef>]) -> InterfaceDefRef {
        let id = format!("IDL:{name}:1.0");
        self.repository
            .create_interface(&id, name, "1.0", bases)
            .unwrap()
            .unwrap()
    }
}

#[test]
fn definitions_are_made_and_have_their_type_codes() {
    let fixture = Fixture::in_memory();
    let repository = &fixture.repository;
    let module = repository
        .create_module("IDL:M:1.0", "M", "1.0")
        .unwrap()
        .unwrap();
    let long = fixture.primitive(PrimitiveKind::PkLong);
    let members = [fixture.member("x", long.clone())];
    let point = module
        .create_struct("IDL:M/P:1.0", "P", "1.0", &members)
        .unwrap()
        .unwrap();
    let points = repository
        .create_sequence(8, as_type(&point).as_ref())
        .unwrap()
        .unwrap();
    let alias = module.create_alias("IDL:M/Ps:1.0", "Ps", "1.0", as_type(&points).as_ref());
    let alias = alias.unwrap().unwrap();
    let expected = taut::TypeCode::create_struct("IDL:M/P:1.0", "P", &[("x", i32::type_code())]);
    let expected = expected.unwrap();
    assert_eq!(point.r#type().unwrap(), expected);
    let sequence = taut::TypeCode::create_sequence(&expected, 8).unwrap();
    assert_eq!(points.r#type().unwrap(), sequence);
    let expected = taut::TypeCode::create_alias("IDL:M/Ps:1.0", "Ps", &sequence).unwrap();
    assert_eq!(alias.r#type().unwrap(), expected);

    // A change is seen in all that refers to it.
    points.set_bound(9).unwrap();
    point
        .set_members(&[fixture.member("y", long.clone())])
        .unwrap();
    let original = alias.r#type().unwrap().content_type().unwrap();
    assert_eq!(original.length(), Ok(9));
    assert_eq!(original.content_type().unwrap().member_name(0), Ok("y"));

    // A struct that contains itself through a sequence.
    let recursive = [fixture.member("all", as_type(&points))];
    point.set_members(&recursive).unwrap();
    let inner = point
        .r#type()
        .unwrap()
        .member_type(0)
        .unwrap()
        .content_type()
        .unwrap();
    assert_eq!(inner.id(), Ok("IDL:M/P:1.0"));
    // Directly it cannot, and what was before remains.
    let direct = [fixture.member("me", as_type(&point))];
    let refused = code(point.set_members(&direct));
    assert_eq!(refused, (Kind::BadTypecode, minor::omg(3)));
    assert_eq!(
        code(alias.set_original_type_def(as_type(&alias).as_ref())).0,
        Kind::BadTypecode
    );
    assert_eq!(point.members().unwrap()[0].name, "all");
}

#[test]
fn a_wrong_definition_is_refused_with_the_standards_minor_codes() {
    let fixture = Fixture::in_memory();
    let repository = &fixture.repository;
    repository.create_module("IDL:M:1.0", "M", "1.0").unwrap();
    let module = |id: &str, name: &str| code(repository.create_module(id, name, "1.0"));
    assert_eq!(module("IDL:M:1.0", "N"), bad_param(2));
    assert_eq!(module("IDL:N:1.0", "m"), bad_param(3));
    assert_eq!(module("IDL:N:1.0", "1x"), bad_param(15));
    assert_eq!(module("no id", "N"), bad_param(16));

    let base = fixture.interface("Base", &[]);
    let long = fixture.primitive(PrimitiveKind::PkLong);
    let void = fixture.primitive(PrimitiveKind::PkVoid);
    let mode = AttributeMode::AttrNormal;
    base.create_attribute("IDL:Base/a:1.0", "a", "1.0", long.as_ref(), mode)
        .unwrap();
    let derived = fixture.interface("Derived", &[Some(base.clone())]);
    let clash = derived.create_attribute("IDL:D/a:1.0", "A", "1.0", long.as_ref(), mode);
    assert_eq!(code(clash), bad_param(5));
    assert_eq!(
        code(derived.create_module("IDL:D/m:1.0", "m", "1.0")),
        bad_param(4)
    );
    let looped = code(base.set_base_interfaces(&[Some(derived.clone())]));
    assert_eq!(looped, (Kind::BadParam, minor::INCOHERENT_DEFINITION));
    let looped = code(base.set_base_interfaces(&[Some(base.clone())]));
    assert_eq!(looped, (Kind::BadParam, minor::INCOHERENT_DEFINITION));
    let of_void = base.create_attribute("IDL:v:1.0", "v", "1.0", void.as_ref(), mode);
    assert!(of_void.is_err());
    let nil = base.create_attribute("IDL:n:1.0", "n", "1.0", None, mode);
    assert_eq!(code(nil), (Kind::BadParam, minor::INCOHERENT_DEFINITION));

    let oneway = OperationMode::OpOneway;
    let none =
        derived.create_operation("IDL:o:1.0", "o", "1", long.as_ref(), oneway, &[], &[], &[]);
    assert_eq!(code(none), bad_param(31));
    let parameter = |mode| ParameterDescription {
        name: "p".to_owned(),
        r#type: taut::TypeCode::null(),
        type_def: long.clone(),
        mode,
    };
    let params = [parameter(ParameterMode::ParamIn)];
    let made = derived.create_operation(
        "IDL:o:1.0",
        "o",
        "1",
        void.as_ref(),
        oneway,
        &params,
        &[],
        &[],
    );
    let made = made.unwrap().unwrap();
    assert_eq!(
        code(made.set_params(&[parameter(ParameterMode::ParamOut)])),
        bad_param(31)
    );
    assert_eq!(code(made.set_result_def(long.as_ref())), bad_param(31));
    made.set_mode(OperationMode::OpNormal).unwrap();
    made.set_result_def(long.as_ref()).unwrap();
}

#[test]
fn wrong_labels_and_references_of_others_are_refused() {
    let fixture = Fixture::in_memory();
    let repository = &fixture.repository;
    let long = fixture.primitive(PrimitiveKind::PkLong);
    let label = |value: &Any, name: &str| UnionMember {
        name: name.to_owned(),
        label: value.clone(),
        r#type: taut::TypeCode::null(),
        type_def: long.clone(),
    };
    let (one, text) = (Any::new(&1i32).unwrap(), Any::new("x").unwrap());
    let union = |members: &[UnionMember]| {
        code(repository.create_union("IDL:U:1.0", "U", "1.0", long.as_ref(), members))
    };
    assert_eq!(union(&[label(&text, "a")]), bad_param(19));
    assert_eq!(union(&[label(&one, "a"), label(&one, "b")]), bad_param(18));
    assert_eq!(
        code(repository.create_string(0)),
        (Kind::BadParam, minor::INCOHERENT_DEFINITION)
    );
    assert_eq!(
        repository
            .contents(taut_ifr::DefinitionKind::DkUnion, true)
            .unwrap(),
        []
    );

    // A reference of another repository.
    let other = Fixture::in_memory();
    let foreign = other.interface("Foreign", &[]);
    let foreign = code(repository.create_interface("IDL:F:1.0", "F", "1.0", &[Some(foreign)]));
    assert_eq!(foreign, (Kind::BadParam, minor::INCOHERENT_DEFINITION));
}

#[test]
fn definitions_are_renamed_and_moved_with_all_that_is_in_them() {
    let fixture = Fixture::bank();
    let repository = &fixture.repository;
    let account: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Account:1.0");
    let target = repository
        .create_module("IDL:T:1.0", "Target", "1.0")
        .unwrap()
        .unwrap();
    let container: ContainerRef = target.clone().into();
    account.r#move(Some(&container), "Konto", "2.0").unwrap();
    assert_eq!(account.absolute_name().unwrap(), "::Target::Konto");
    assert_eq!(account.version().unwrap(), "2.0");
    let found = repository
        .lookup("::Target::Konto::balance")
        .unwrap()
        .unwrap();
    assert_eq!(found.name().unwrap(), "balance");
    assert!(repository.lookup("::Bank::Account").unwrap().is_none());
    account.set_id("IDL:New:1.0").unwrap();
    assert!(
        repository
            .lookup_id("IDL:example.org/Bank/Account:1.0")
            .unwrap()
            .is_none()
    );
    account.set_name("Other").unwrap();
    assert_eq!(account.r#type().unwrap().name(), Ok("Other"));
    assert_eq!(account.r#type().unwrap().id(), Ok("IDL:New:1.0"));

    let bank: taut_ifr::ModuleDefRef = fixture.find("IDL:example.org/Bank:1.0");
    let inner = bank
        .create_module("IDL:I:1.0", "Inner", "1.0")
        .unwrap()
        .unwrap();
    let inner: ContainerRef = inner.into();
    assert_eq!(code(bank.r#move(Some(&inner), "Bank", "1.0")), bad_param(4));
    assert_eq!(code(bank.r#move(None, "Bank", "1.0")), bad_param(4));
    let of_struct: ContainerRef = fixture.find("IDL:example.org/Bank/Node:1.0");
    assert_eq!(
        code(bank.r#move(Some(&of_struct), "Bank", "1.0")),
        bad_param(4)
    );
}

#[test]
fn only_what_nobody_refers_to_can_be_destroyed() {
    let fixture = Fixture::bank();
    let repository = &fixture.repository;
    let dependent = (Kind::BadInvOrder, minor::omg(1));
    let indestructible = (Kind::BadInvOrder, minor::omg(2));
    let colour: taut_ifr::EnumDefRef = fixture.find("IDL:example.org/Bank/Colour:1.0");
    assert_eq!(code(colour.destroy()), dependent);
    assert_eq!(code(repository.destroy()), indestructible);
    let long = fixture.primitive(PrimitiveKind::PkLong).unwrap();
    assert_eq!(code(long.destroy()), indestructible);

    let savings: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Savings:1.0");
    let operation = savings.lookup("to_account").unwrap().unwrap();
    savings.destroy().unwrap();
    assert_eq!(savings.non_existent_by_call(), Kind::ObjectNotExist);
    assert_eq!(operation.as_object().non_existent(), Ok(true));
    // The whole module refers to itself alone.
    let bank: taut_ifr::ModuleDefRef = fixture.find("IDL:example.org/Bank:1.0");
    bank.destroy().unwrap();
    assert_eq!(colour.as_object().non_existent(), Ok(true));
    assert_eq!(
        repository
            .contents(taut_ifr::DefinitionKind::DkAll, true)
            .unwrap(),
        []
    );
    assert!(repository.as_object().non_existent() == Ok(false));

    // A type without a name ends with the one that used it.
    let text = repository.create_string(5).unwrap().unwrap();
    assert_eq!(text.bound(), Ok(5));
    let alias = repository.create_alias("IDL:A:1.0", "A", "1.0", as_type(&text).as_ref());
    let alias = alias.unwrap().unwrap();
    assert_eq!(code(text.destroy()), dependent);
    alias.set_original_type_def(Some(&long)).unwrap();
    assert_eq!(text.as_object().non_existent(), Ok(true));
}

trait Gone {
    fn non_existent_by_call(&self) -> Kind;
}

impl Gone for InterfaceDefRef {
    fn non_existent_by_call(&self) -> Kind {
        self.describe_interface().unwrap_err().kind
    }
}

#[test]
fn value_types_are_made_with_their_members() {
    let fixture = Fixture::bank();
    let repository = &fixture.repository;
    let long = fixture.primitive(PrimitiveKind::PkLong);
    let refused: taut_ifr::ExceptionDefRef = fixture.find("IDL:example.org/Bank/Refused:1.0");
    let described = refused.describe().unwrap().value.extract().unwrap();
    let initializer = ExtInitializer {
        members: vec![fixture.member("a", long.clone())],
        exceptions: vec![described],
        name: "make".to_owned(),
    };
    let value = repository
        .create_ext_value(
            "IDL:V:1.0",
            "V",
            "1.0",
            false,
            false,
            None,
            false,
            &[],
            &[],
            &[initializer],
        )
        .unwrap()
        .unwrap();
    value
        .create_value_member("IDL:V/m:1.0", "m", "1.0", long.as_ref(), 1)
        .unwrap();
    let wrong = value.create_value_member("IDL:V/n:1.0", "n", "1.0", long.as_ref(), 2);
    assert_eq!(code(wrong), (Kind::BadParam, minor::INCOHERENT_DEFINITION));
    let full = value.describe_value().unwrap();
    assert_eq!((full.members.len(), full.initializers.len()), (1, 1));
    assert_eq!(full.r#type.member_name(0), Ok("m"));
    value.set_is_custom(true).unwrap();
    assert_eq!(
        value.r#type().unwrap().type_modifier(),
        Ok(taut_types::ValueModifier::Custom)
    );
    let concrete = fixture.interface("C1", &[]);
    let other = fixture.interface("C2", &[]);
    let two = code(value.set_supported_interfaces(&[Some(concrete), Some(other)]));
    assert_eq!(two, bad_param(12));
    assert_eq!(value.supported_interfaces().unwrap(), []);
}

#[test]
fn limits_and_read_only_repositories_refuse() {
    let mut settings = RepositorySettings::default();
    settings.max_definitions = 3;
    settings.max_nesting = 2;
    settings.max_name_octets = 16;
    let fixture = Fixture::new(RepositoryStore::memory(), settings);
    let limit = (Kind::ImpLimit, minor::REPOSITORY_LIMIT);
    let outer = fixture
        .repository
        .create_module("IDL:A:1.0", "A", "1.0")
        .unwrap()
        .unwrap();
    let long = "x".repeat(17);
    assert_eq!(code(outer.create_module("IDL:x:1.0", &long, "1.0")), limit);
    assert_eq!(code(outer.create_module("IDL:x:1.0", "x", &long)), limit);
    let inner = outer
        .create_module("IDL:B:1.0", "B", "1.0")
        .unwrap()
        .unwrap();
    assert_eq!(code(inner.create_module("IDL:C:1.0", "C", "1.0")), limit);
    outer.create_module("IDL:D:1.0", "D", "1.0").unwrap();
    assert_eq!(code(outer.create_module("IDL:E:1.0", "E", "1.0")), limit);

    let mut settings = RepositorySettings::default();
    settings.is_read_only = true;
    let fixture = Fixture::new(RepositoryStore::memory(), settings);
    fixture.load("interface A {};");
    let refused = (Kind::NoPermission, minor::REPOSITORY_READ_ONLY);
    assert_eq!(
        code(fixture.repository.create_module("IDL:M:1.0", "M", "1.0")),
        refused
    );
    let a: InterfaceDefRef = fixture.find("IDL:A:1.0");
    assert_eq!(code(a.destroy()), refused);
    assert_eq!(code(a.set_name("B")), refused);
}

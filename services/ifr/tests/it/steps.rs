//! Octets as steps of a client that makes, changes, moves and destroys definitions, whatever comes
//! of it: for a test, and for the fuzz target `interfaces`.

use std::collections::HashMap;
use std::path::PathBuf;

use taut::{Any, Orb, Reference, SystemException, SystemExceptionKind, TypeCode};
use taut_ifr::service::{InterfaceRepository, RepositorySettings, RepositoryStore};
use taut_ifr::{
    AliasDef, AliasDefRef, AttributeMode, Contained, ContainedRef, Container, ContainerRef,
    DefinitionKind, ExceptionDefRef, IdlTypeRef, Initializer, InterfaceDef, InterfaceDefRef,
    IrObject, OperationMode, ParameterDescription, ParameterMode, PrimitiveKind, Repository,
    SequenceDef, SequenceDefRef, StructDef, StructDefRef, StructMember, UnionMember, ValueDef,
    ValueDefRef,
};

/// The most steps of one input.
const STEPS_MAX: usize = 100;

/// Carries the steps out, and checks that what there is afterwards is coherent.
///
/// # Panics
///
/// When it is not.
pub(crate) fn run(octets: &[u8]) {
    let builder = Orb::builder().listen("127.0.0.1:0").expect("an endpoint");
    let orb = builder.build().expect("an ORB");
    let mut settings = RepositorySettings::default();
    settings.max_definitions = 200;
    settings.max_nesting = 6;
    settings.max_name_octets = 64;
    let store = RepositoryStore::memory();
    let service = InterfaceRepository::start(&orb, store, settings).expect("a repository");
    let mut client = Client::new(service, octets);
    for _ in 0..STEPS_MAX {
        if client.octets.is_empty() {
            break;
        }
        client.step();
    }
    client.check();
    orb.shutdown(true).expect("an end");
}

/// A client, and all that it has been given.
struct Client<'o> {
    octets: &'o [u8],
    service: InterfaceRepository,
    containers: Vec<ContainerRef>,
    all: Vec<ContainedRef>,
    types: Vec<IdlTypeRef>,
    exceptions: Vec<ExceptionDefRef>,
    interfaces: Vec<InterfaceDefRef>,
    values: Vec<ValueDefRef>,
    structs: Vec<StructDefRef>,
    aliases: Vec<AliasDefRef>,
    sequences: Vec<SequenceDefRef>,
}

impl<'o> Client<'o> {
    fn new(service: InterfaceRepository, octets: &'o [u8]) -> Self {
        let repository = service.reference().clone();
        let primitive = |kind| repository.get_primitive(kind).ok().flatten();
        let kinds = [
            PrimitiveKind::PkLong,
            PrimitiveKind::PkVoid,
            PrimitiveKind::PkString,
        ];
        let primitives = kinds.into_iter().filter_map(primitive);
        Self {
            octets,
            containers: vec![repository.clone().into()],
            types: primitives
                .map(|one| one.as_object().unchecked_narrow())
                .collect(),
            service,
            all: Vec::new(),
            exceptions: Vec::new(),
            interfaces: Vec::new(),
            values: Vec::new(),
            structs: Vec::new(),
            aliases: Vec::new(),
            sequences: Vec::new(),
        }
    }

    fn octet(&mut self) -> usize {
        let Some((first, rest)) = self.octets.split_first() else {
            return 0;
        };
        self.octets = rest;
        usize::from(*first)
    }

    fn is(&mut self) -> bool {
        self.octet() % 2 == 1
    }

    fn name(&mut self) -> String {
        const NAMES: [&str; 8] = ["A", "a", "B", "Member", "x", "y_1", "", "9"];
        NAMES[self.octet() % NAMES.len()].to_owned()
    }

    fn id(&mut self) -> String {
        match self.octet() % 40 {
            39 => "none".to_owned(),
            number => format!("IDL:{number}:1.0"),
        }
    }

    fn ty(&mut self) -> Option<IdlTypeRef> {
        let place = self.octet() % (self.types.len() + 1);
        self.types.get(place).cloned()
    }

    fn container(&mut self) -> ContainerRef {
        let place = self.octet() % self.containers.len();
        self.containers[place].clone()
    }

    /// None, one or two of a list.
    fn some<R: Clone>(&mut self, of: impl Fn(&Self) -> &[R]) -> Vec<Option<R>> {
        let count = self.octet() % 3;
        let mut chosen = Vec::new();
        for _ in 0..count {
            let place = self.octet();
            let all = of(self);
            if !all.is_empty() {
                chosen.push(Some(all[place % all.len()].clone()));
            }
        }
        chosen
    }

    fn members(&mut self) -> Vec<StructMember> {
        let count = self.octet() % 3;
        let member = |client: &mut Self| StructMember {
            name: client.name(),
            r#type: TypeCode::null(),
            type_def: client.ty(),
        };
        (0..count).map(|_| member(self)).collect()
    }

    fn step(&mut self) {
        match self.octet() % 12 {
            0..=3 => self.make(),
            4..=5 => self.make_feature(),
            6 => self.make_anonymous(),
            7..=8 => self.alter(),
            9 => self.rename(),
            10 => self.destroy(),
            _ => self.load(),
        }
    }

    /// Makes a definition with a name.
    fn make(&mut self) {
        let (container, id, name) = (self.container(), self.id(), self.name());
        match self.octet() % 9 {
            0 => drop(self.keep(container.create_module(&id, &name, "1.0"))),
            1 => {
                let made = container.create_struct(&id, &name, "1.0", &self.members());
                let made = self.keep(made);
                self.structs.extend(made);
            }
            2 => {
                let made = container.create_exception(&id, &name, "1.0", &self.members());
                let made = self.keep(made);
                self.exceptions.extend(made);
            }
            3 => {
                let made = container.create_alias(&id, &name, "1.0", self.ty().as_ref());
                let made = self.keep(made);
                self.aliases.extend(made);
            }
            4 => {
                let names = [self.name(), self.name()];
                drop(self.keep(container.create_enum(&id, &name, "1.0", &names)));
            }
            5 => {
                let bases = self.some(|client| &client.interfaces);
                let made = container.create_interface(&id, &name, "1.0", &bases);
                let made = self.keep(made);
                self.interfaces.extend(made);
            }
            6 => self.make_value(&container, &id, &name),
            7 => self.make_union(&container, &id, &name),
            _ => {
                let value = Any::new(&7i32).expect("an Any");
                let ty = self.ty();
                drop(self.keep(container.create_constant(&id, &name, "1.0", ty.as_ref(), &value)));
            }
        }
    }

    fn make_value(&mut self, container: &ContainerRef, id: &str, name: &str) {
        let base = self.some(|client| &client.values).pop().flatten();
        let abstract_bases = self.some(|client| &client.values);
        let supported = self.some(|client| &client.interfaces);
        let initializer = Initializer {
            members: self.members(),
            name: self.name(),
        };
        let made = container.create_value(
            id,
            name,
            "1.0",
            self.is(),
            self.is(),
            base.as_ref(),
            self.is(),
            &abstract_bases,
            &supported,
            &[initializer],
        );
        let made = self.keep(made);
        self.values.extend(made);
    }

    fn make_union(&mut self, container: &ContainerRef, id: &str, name: &str) {
        let discriminator = self.ty();
        let labels = [Any::new(&1i32), Any::new(&0u8), Any::new(&2i32)];
        let members: Vec<_> = labels
            .into_iter()
            .take(self.octet() % 4)
            .map(|label| UnionMember {
                name: self.name(),
                label: label.expect("an Any"),
                r#type: TypeCode::null(),
                type_def: self.ty(),
            })
            .collect();
        drop(self.keep(container.create_union(id, name, "1.0", discriminator.as_ref(), &members)));
    }

    /// Makes an operation, an attribute or a member of a value type.
    fn make_feature(&mut self) {
        let (container, id, name) = (self.container(), self.id(), self.name());
        let interface: InterfaceDefRef = container.as_object().unchecked_narrow();
        let value: ValueDefRef = container.as_object().unchecked_narrow();
        let ty = self.ty();
        match self.octet() % 3 {
            0 => {
                let mode = match self.is() {
                    true => OperationMode::OpOneway,
                    false => OperationMode::OpNormal,
                };
                let parameter = ParameterDescription {
                    name: self.name(),
                    r#type: TypeCode::null(),
                    type_def: self.ty(),
                    mode: match self.is() {
                        true => ParameterMode::ParamOut,
                        false => ParameterMode::ParamIn,
                    },
                };
                let raises = self.some(|client| &client.exceptions);
                let made = interface.create_operation(
                    &id,
                    &name,
                    "1.0",
                    ty.as_ref(),
                    mode,
                    &[parameter],
                    &raises,
                    &[],
                );
                drop(self.keep(made));
            }
            1 => {
                let mode = AttributeMode::AttrNormal;
                let made = interface.create_attribute(&id, &name, "1.0", ty.as_ref(), mode);
                drop(self.keep(made));
            }
            _ => {
                let made = value.create_value_member(&id, &name, "1.0", ty.as_ref(), 1);
                drop(self.keep(made));
            }
        }
    }

    fn make_anonymous(&mut self) {
        let repository = self.service.reference().clone();
        let length = self.octet() as u32 % 3;
        let made: Option<IdlTypeRef> = match self.octet() % 3 {
            0 => succeeded(repository.create_string(length)).map(narrowed),
            1 => succeeded(repository.create_array(length, self.ty().as_ref())).map(narrowed),
            _ => {
                let made = succeeded(repository.create_sequence(length, self.ty().as_ref()));
                self.sequences.extend(made.clone());
                made.map(narrowed)
            }
        };
        self.types.extend(made);
    }

    /// Gives a definition other types or bases, also such as lead back to it.
    fn alter(&mut self) {
        let place = self.octet();
        match self.octet() % 5 {
            0 => {
                if let Some(one) = nth(&self.structs, place) {
                    let members = self.members();
                    let _ = allowed(one.set_members(&members));
                }
            }
            1 => {
                if let Some(one) = nth(&self.aliases, place) {
                    let ty = self.ty();
                    let _ = allowed(one.set_original_type_def(ty.as_ref()));
                }
            }
            2 => {
                if let Some(one) = nth(&self.sequences, place) {
                    let ty = self.ty();
                    let _ = allowed(one.set_element_type_def(ty.as_ref()));
                }
            }
            3 => {
                if let Some(one) = nth(&self.interfaces, place) {
                    let bases = self.some(|client| &client.interfaces);
                    let _ = allowed(one.set_base_interfaces(&bases));
                }
            }
            _ => {
                if let Some(one) = nth(&self.values, place) {
                    let bases = self.some(|client| &client.values);
                    let _ = allowed(one.set_abstract_base_values(&bases));
                    let is_abstract = self.is();
                    let _ = allowed(one.set_is_abstract(is_abstract));
                }
            }
        }
    }

    fn rename(&mut self) {
        let place = self.octet();
        let Some(one) = nth(&self.all, place) else {
            return;
        };
        let (id, name, container) = (self.id(), self.name(), self.container());
        let _ = match self.octet() % 3 {
            0 => allowed(one.set_id(&id)),
            1 => allowed(one.set_name(&name)),
            _ => allowed(one.r#move(Some(&container), &name, "2.0")),
        };
    }

    fn destroy(&mut self) {
        let place = self.octet();
        if let Some(one) = nth(&self.all, place) {
            let _ = allowed(one.destroy());
        }
    }

    /// Loads IDL of which the steps choose the text.
    fn load(&mut self) {
        const TEXTS: [&str; 4] = [
            "module A { struct Member { sequence<Member> x; }; interface B { Member y_1(); }; };",
            "interface A { void x(); }; interface B : A { attribute long a; };",
            "typedef sequence<string<4> > A; const long B = 3; enum x { y_1 };",
            "#pragma prefix \"p\"\nvaluetype A { public A x; factory y_1(in long a); };",
        ];
        let text = TEXTS[self.octet() % TEXTS.len()];
        let path = PathBuf::from("text.idl");
        let mut files = HashMap::from([(path.clone(), text.as_bytes().to_vec())]);
        let options = taut_idl::Options::default();
        let compilation = taut_idl::compile_with(&[path], &options, &mut files);
        let _ = self.service.load(&compilation.model);
    }

    /// Notes what has been made, if it has.
    fn keep<R: Reference>(&mut self, made: Result<Option<R>, SystemException>) -> Option<R> {
        let made = succeeded(made)?;
        let object = made.as_object();
        let contained: ContainedRef = object.unchecked_narrow();
        self.all.push(contained);
        if object.narrow::<ContainerRef>().is_ok() {
            self.containers.push(object.unchecked_narrow());
        }
        if object.narrow::<IdlTypeRef>().is_ok() {
            self.types.push(object.unchecked_narrow());
        }
        Some(made)
    }

    /// Checks that all that there is can be found, and describes itself.
    fn check(&self) {
        let repository = self.service.reference();
        let mut scopes: Vec<ContainerRef> = vec![repository.clone().into()];
        while let Some(scope) = scopes.pop() {
            let contents = scope
                .contents(DefinitionKind::DkAll, true)
                .expect("contents");
            for one in contents.into_iter().flatten() {
                let (id, name) = (
                    one.id().expect("an id"),
                    one.absolute_name().expect("a name"),
                );
                let description = one.describe();
                assert!(description.is_ok(), "{name} {id}: {description:?}");
                for found in [repository.lookup(&name), repository.lookup_id(&id)] {
                    let found = found.expect("an answer").expect("a definition");
                    assert!(
                        found.as_object().is_equivalent(one.as_object()),
                        "{name} {id}"
                    );
                }
                let object = one.as_object();
                if let Ok(interface) = object.narrow::<InterfaceDefRef>() {
                    interface.describe_interface().expect("a description");
                }
                if let Ok(value) = object.narrow::<ValueDefRef>() {
                    value.describe_value().expect("a description");
                }
                scopes.extend(object.narrow::<ContainerRef>());
            }
        }
    }
}

fn narrowed<R: Reference>(reference: R) -> IdlTypeRef {
    reference.as_object().unchecked_narrow()
}

fn nth<R: Clone>(all: &[R], place: usize) -> Option<R> {
    all.get(place.checked_rem(all.len())?).cloned()
}

/// The definition that a repository made, unless it refused.
fn succeeded<R>(made: Result<Option<R>, SystemException>) -> Option<R> {
    allowed(made).ok().flatten()
}

/// A result that is a success or a refusal, and no fault of the repository.
fn allowed<T>(result: Result<T, SystemException>) -> Result<T, SystemException> {
    if let Err(exception) = &result {
        let is_refusal = matches!(
            exception.kind,
            SystemExceptionKind::BadParam
                | SystemExceptionKind::BadTypecode
                | SystemExceptionKind::BadInvOrder
                | SystemExceptionKind::BadOperation
                | SystemExceptionKind::ImpLimit
                | SystemExceptionKind::ObjectNotExist
        );
        assert!(is_refusal, "{exception}");
    }
    result
}

//! The implied IDL of Asynchronous Method Invocation: the reply handlers of interfaces
//! (CORBA 3.3 part 1, chapter 17).
//!
//! Operations that can be called asynchronously imply further IDL, which nobody writes: of an
//! interface `Clerk` with an operation `file`, an interface `AMI_ClerkHandler` with
//! operations `file`, which takes results, and `file_excep`, which takes an exception.
//! [`with_reply_handlers`] adds these interfaces to a model; what refers to the model then
//! finds them as if they had been written.
//!
//! The methods `sendc_file` and `sendp_file` and the poller are implied, too, but never
//! called over a wire. They are left to the language mapping.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::model::{
    Attribute, Definition, DefinitionId, DefinitionKind, Feature, Interface, InterfaceKind, List,
    Member, Model, Operation, Parameter, ParameterMode, Path, Primitive, RepositoryId, ScopedName,
    StateMember, Type, ValueType, Visibility,
};
use crate::source::Span;

/// The interfaces of reply handlers that a model implies.
#[derive(Debug, Clone, Default)]
pub struct ReplyHandlers {
    interfaces: HashMap<DefinitionId, DefinitionId>,
    operations: HashMap<DefinitionId, HashMap<String, HandlerOperations>>,
}

/// The operations of a reply handler that stand for an operation of the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerOperations {
    /// The one that takes the results.
    pub reply: ArcStr,
    /// The one that takes an exception.
    pub exception: ArcStr,
}

impl ReplyHandlers {
    /// The reply handler of an interface, if it has one.
    pub fn of(&self, interface: DefinitionId) -> Option<DefinitionId> {
        self.interfaces.get(&interface).copied()
    }

    /// Whether an interface is one of them.
    pub fn contains(&self, handler: DefinitionId) -> bool {
        self.interfaces.values().any(|id| *id == handler)
    }

    /// The operations of the reply handler that stand for an operation of the interface
    /// itself, by its name on the wire (`file`, `_get_balance`); none if that cannot be
    /// called asynchronously.
    pub fn operations(
        &self,
        interface: DefinitionId,
        wire_name: &str,
    ) -> Option<&HandlerOperations> {
        self.operations.get(&interface)?.get(wire_name)
    }
}

/// Adds to a model the reply handlers of the operations and attributes that are `wanted`, each
/// an interface and the place of one of its features. Oneways have none, nor have local and
/// abstract interfaces.
///
/// A reply handler derives from those of the bases, or from `Messaging::ReplyHandler`, which
/// is added together with `Messaging::ExceptionHolder` unless the model has it. Where a
/// name is taken, `AMI_` or `ami_` is put in once more.
pub fn with_reply_handlers(
    model: &Model,
    wanted: impl Fn(DefinitionId, usize) -> bool,
) -> (Model, ReplyHandlers) {
    let wanted_of = |id: DefinitionId| {
        let interface = model.interface(id)?;
        if interface.kind != InterfaceKind::Unconstrained {
            return None;
        }
        let features = interface.features.iter().enumerate();
        let wanted = features.filter(|(place, feature)| {
            let oneway = matches!(feature, Feature::Operation(operation) if operation.oneway);
            !oneway && wanted(id, *place)
        });
        let wanted: Vec<_> = wanted.map(|(place, _)| place).collect();
        (!wanted.is_empty()).then_some(wanted)
    };
    // An interface that is declared early may stand before its bases.
    let mut interfaces: Vec<(DefinitionId, Vec<usize>)> = Vec::new();
    let mut seen = HashSet::new();
    for (id, _) in model.definitions() {
        let bases_first = model.all_bases(id).into_iter().chain([id]);
        for id in bases_first.filter(|id| seen.insert(*id)) {
            interfaces.extend(wanted_of(id).map(|wanted| (id, wanted)));
        }
    }
    let mut adding = Adding {
        model: model.clone(),
        handlers: ReplyHandlers::default(),
    };
    if let Some((first, _)) = interfaces.first() {
        let span = model.get(*first).span;
        let (handler, holder) = adding.messaging(span);
        for (id, features) in interfaces {
            adding.handler(id, &features, handler, holder);
        }
    }
    (adding.model, adding.handlers)
}

/// A model to which reply handlers are being added.
struct Adding {
    model: Model,
    handlers: ReplyHandlers,
}

impl Adding {
    /// `Messaging::ReplyHandler` and `Messaging::ExceptionHolder`.
    fn messaging(&mut self, span: Span) -> (DefinitionId, DefinitionId) {
        let module = self.model.find(&["Messaging"]).unwrap_or_else(|| {
            let module = DefinitionKind::Module(Vec::new());
            self.add(None, "Messaging".into(), module, span)
        });
        let holder = self.model.find(&["Messaging", "ExceptionHolder"]);
        let holder = holder.unwrap_or_else(|| {
            let octets = Type::Sequence {
                element: Arc::new(Type::Primitive(Primitive::Octet)),
                bound: None,
            };
            let flag = Type::Primitive(Primitive::Boolean);
            let state = [
                ("is_system_exception", flag.clone()),
                ("byte_order", flag),
                ("marshaled_exception", octets),
            ];
            let state = state.map(|(name, ty)| StateMember {
                visibility: Visibility::Private,
                member: Member {
                    name: name.into(),
                    span,
                    docs: List::default(),
                    annotations: List::default(),
                    ty,
                },
            });
            let value = DefinitionKind::ValueType(Box::new(ValueType {
                state: state.into(),
                ..ValueType::default()
            }));
            self.add(Some(module), "ExceptionHolder".into(), value, span)
        });
        let handler = self.model.find(&["Messaging", "ReplyHandler"]);
        let handler = handler.unwrap_or_else(|| {
            let interface = DefinitionKind::Interface(Box::default());
            self.add(Some(module), "ReplyHandler".into(), interface, span)
        });
        (handler, holder)
    }

    /// The reply handler of an interface, and before it those of its bases.
    fn handler(
        &mut self,
        id: DefinitionId,
        features: &[usize],
        reply_handler: DefinitionId,
        holder: DefinitionId,
    ) {
        let Some(interface) = self.model.interface(id).cloned() else {
            return;
        };
        let of_bases = interface
            .bases
            .iter()
            .filter_map(|base| self.handlers.of(*base));
        let mut bases: Vec<_> = of_bases.collect();
        if bases.is_empty() {
            bases.push(reply_handler);
        }
        let mut taken: Vec<String> = self
            .model
            .all_bases(id)
            .into_iter()
            .filter_map(|base| self.handlers.of(base))
            .flat_map(|handler| self.operation_names(handler))
            .collect();
        // No name that is made may be that of an operation which takes results.
        let wanted: Vec<&Feature> = features
            .iter()
            .map(|place| &interface.features[*place])
            .collect();
        taken.extend(wanted.iter().filter_map(|feature| match feature {
            Feature::Operation(operation) => Some(operation.name.to_ascii_lowercase()),
            Feature::Attribute(_) => None,
        }));
        let mut made = Made {
            taken,
            holder,
            features: Vec::new(),
            operations: HashMap::new(),
        };
        for feature in wanted {
            made.feature(feature);
        }
        let definition = self.model.get(id);
        let (parent, span) = (definition.parent, definition.span);
        let docs = format!(
            "Takes the replies to asynchronous calls of `{}`.",
            definition.scoped_name.join("::")
        );
        let name = self.free_name(parent, &format!("AMI_{}Handler", definition.name));
        let kind = DefinitionKind::Interface(Box::new(Interface {
            bases,
            features: made.features,
            ..Interface::default()
        }));
        let (in_main_file, path) = (
            definition.in_main_file,
            definition.repository_id.path.clone(),
        );
        let handler = self.add(parent, name.into(), kind, span);
        let added = &mut self.model.definitions[handler.0 as usize];
        added.in_main_file = in_main_file;
        added.docs = vec![docs].into();
        added.repository_id.path = path;
        self.put_behind(parent, id);
        self.handlers.interfaces.insert(id, handler);
        self.handlers.operations.insert(id, made.operations);
    }

    fn operation_names(&self, interface: DefinitionId) -> Vec<String> {
        let interface = self.model.interface(interface);
        let features = interface.map_or(&[][..], |interface| &interface.features);
        let names = features.iter().map(|feature| match feature {
            Feature::Operation(operation) => &operation.name,
            Feature::Attribute(attribute) => &attribute.name,
        });
        names.map(|name| name.to_ascii_lowercase()).collect()
    }

    /// A name that nothing in the scope has, with as many `AMI_` in front as it takes.
    fn free_name(&self, parent: Option<DefinitionId>, wish: &str) -> String {
        let members = members(&self.model, parent);
        let is_taken = |name: &str| {
            let mut names = members.iter().map(|id| &self.model.get(*id).name);
            names.any(|taken| taken.eq_ignore_ascii_case(name))
        };
        let mut name = wish.to_owned();
        while is_taken(&name) {
            name.insert_str(0, "AMI_");
        }
        name
    }

    /// Appends a definition to a scope.
    fn add(
        &mut self,
        parent: Option<DefinitionId>,
        name: ArcStr,
        kind: DefinitionKind,
        span: Span,
    ) -> DefinitionId {
        let scope = parent.map(|parent| self.model.get(parent).scoped_name.to_path());
        let names = scope.iter().flat_map(|path| path.names());
        let path = match names.clone().next().as_deref() {
            Some("Messaging") => Path::prefixed("omg.org", names),
            None if name == "Messaging" => Path::prefixed("omg.org", []),
            _ => Path::prefixed("", names),
        };
        let id = DefinitionId(self.model.definitions.len() as u32);
        self.model.definitions.push(Definition {
            name: name.clone(),
            scoped_name: ScopedName {
                scope,
                name: name.clone(),
            },
            repository_id: RepositoryId {
                path,
                name,
                given: None,
            },
            parent,
            span,
            docs: List::default(),
            annotations: List::default(),
            in_main_file: false,
            kind,
        });
        members_mut(&mut self.model, parent).push(id);
        id
    }

    /// Moves the last member of a scope behind another.
    fn put_behind(&mut self, parent: Option<DefinitionId>, other: DefinitionId) {
        let members = members_mut(&mut self.model, parent);
        if let Some(place) = members.iter().position(|id| *id == other)
            && let Some(last) = members.pop()
        {
            members.insert(place + 1, last);
        }
    }
}

fn members(model: &Model, parent: Option<DefinitionId>) -> &[DefinitionId] {
    match parent.map(|parent| &model.get(parent).kind) {
        Some(DefinitionKind::Module(members)) => members,
        Some(_) => &[],
        None => &model.roots,
    }
}

/// The list of a scope's members. Interfaces stand in modules or at file scope.
fn members_mut(model: &mut Model, parent: Option<DefinitionId>) -> &mut Vec<DefinitionId> {
    let Model {
        definitions, roots, ..
    } = model;
    match parent.map(|parent| &mut definitions[parent.0 as usize].kind) {
        Some(DefinitionKind::Module(members)) => members,
        _ => roots,
    }
}

/// The operations of a reply handler.
struct Made {
    /// The names that are taken, in small letters.
    taken: Vec<String>,
    holder: DefinitionId,
    features: Vec<Feature>,
    operations: HashMap<String, HandlerOperations>,
}

impl Made {
    fn feature(&mut self, feature: &Feature) {
        match feature {
            Feature::Operation(operation) => {
                let results = operation.parameters.iter().filter_map(|parameter| {
                    let goes_back = parameter.mode != ParameterMode::In;
                    goes_back.then(|| (parameter.name.clone(), parameter.ty.clone()))
                });
                let results = result(operation.result.as_ref(), results.collect());
                let (name, span) = (operation.name.clone(), operation.span);
                let of = format!("the operation `{name}`");
                let wire_name = name.to_string();
                self.pair((name, &wire_name), results, &of, span);
            }
            Feature::Attribute(attribute) => self.attribute(attribute),
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let (name, span) = (&attribute.name, attribute.span);
        let of = format!("reading the attribute `{name}`");
        let results = result(Some(&attribute.ty), Vec::new());
        let wire_name = format!("_get_{name}");
        let getter = self.free("get_", name);
        self.pair((getter, &wire_name), results, &of, span);
        if !attribute.readonly {
            let of = format!("writing the attribute `{name}`");
            let wire_name = format!("_set_{name}");
            let setter = self.free("set_", name);
            self.pair((setter, &wire_name), Vec::new(), &of, span);
        }
    }

    /// The operations for results and for an exception.
    fn pair(
        &mut self,
        (name, wire_name): (ArcStr, &str),
        results: Vec<(ArcStr, Type)>,
        of: &str,
        span: Span,
    ) {
        let exception = self.free(&format!("{name}_"), "excep");
        let docs = format!("Takes what {of} has returned.");
        self.push(name.clone(), results, docs, span);
        let holder = vec![("excep_holder".into(), Type::Named(self.holder))];
        let docs = format!("Takes the exception that {of} has raised.");
        self.push(exception.clone(), holder, docs, span);
        let operations = HandlerOperations {
            reply: name,
            exception,
        };
        self.operations.insert(wire_name.to_owned(), operations);
    }

    /// A name of two parts that is not taken, with as many `ami_` between them as it takes.
    fn free(&mut self, first: &str, last: &str) -> ArcStr {
        let mut name = format!("{first}{last}");
        while self.taken.contains(&name.to_ascii_lowercase()) {
            name.insert_str(first.len(), "ami_");
        }
        self.taken.push(name.to_ascii_lowercase());
        name.into()
    }

    fn push(&mut self, name: ArcStr, results: Vec<(ArcStr, Type)>, docs: String, span: Span) {
        let parameters = results.into_iter().map(|(name, ty)| Parameter {
            name,
            span,
            annotations: List::default(),
            mode: ParameterMode::In,
            ty,
        });
        self.features.push(Feature::Operation(Operation {
            name,
            span,
            docs: vec![docs].into(),
            annotations: List::default(),
            oneway: false,
            result: None,
            parameters: parameters.collect(),
            raises: List::default(),
            context: List::default(),
        }));
    }
}

/// The results in the order of the reply, the operation's own first.
fn result(own: Option<&Type>, mut others: Vec<(ArcStr, Type)>) -> Vec<(ArcStr, Type)> {
    let Some(own) = own else {
        return others;
    };
    let mut name = "ami_return_val".to_owned();
    let is_taken = |name: &str| {
        others
            .iter()
            .any(|(taken, _)| taken.eq_ignore_ascii_case(name))
    };
    while is_taken(&name) {
        name.insert_str(0, "ami_");
    }
    others.insert(0, (name.into(), own.clone()));
    others
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;

    fn implied(source: &str) -> (Model, ReplyHandlers) {
        let mut files = HashMap::from([(PathBuf::from("a.idl"), source.as_bytes().to_vec())]);
        let compilation = crate::compile_with(&["a.idl"], &Default::default(), &mut files);
        assert!(!compilation.has_errors(), "{}", compilation.render(false));
        with_reply_handlers(&compilation.model, |_, _| true)
    }

    /// The operations of an interface as text.
    fn operations(model: &Model, name: &[&str]) -> Vec<String> {
        let id = model.find(name).expect("no such interface");
        let features = &model.interface(id).expect("no interface").features;
        let operation = |feature: &Feature| match feature {
            Feature::Operation(operation) => {
                let names = operation.parameters.iter().map(|one| one.name.to_string());
                format!(
                    "{}({})",
                    operation.name,
                    names.collect::<Vec<_>>().join(", ")
                )
            }
            Feature::Attribute(attribute) => format!("attribute {}", attribute.name),
        };
        features.iter().map(operation).collect()
    }

    #[test]
    fn a_handler_takes_results_and_exceptions() {
        let (model, handlers) = implied(
            "#pragma prefix \"acme\"\nmodule m { interface C { \
             long file(in string a, inout long b, out long c); oneway void log(); \
             void quiet(); attribute long balance; readonly attribute long age; }; };",
        );
        let made = operations(&model, &["m", "AMI_CHandler"]);
        let expected = [
            "file(ami_return_val, b, c)",
            "file_excep(excep_holder)",
            "quiet()",
            "quiet_excep(excep_holder)",
            "get_balance(ami_return_val)",
            "get_balance_excep(excep_holder)",
            "set_balance()",
            "set_balance_excep(excep_holder)",
            "get_age(ami_return_val)",
            "get_age_excep(excep_holder)",
        ];
        assert_eq!(made, expected);
        let id = model.find(&["m", "AMI_CHandler"]).expect("a handler");
        assert_eq!(model.get(id).repository_id, "IDL:acme/m/AMI_CHandler:1.0");
        let base = model.interface(id).expect("an interface").bases[0];
        let base = &model.get(base).repository_id;
        assert_eq!(*base, "IDL:omg.org/Messaging/ReplyHandler:1.0");
        let c = model.find(&["m", "C"]).expect("C");
        assert_eq!(handlers.of(c), Some(id));
        assert!(handlers.contains(id));
        let of_setter = handlers.operations(c, "_set_balance").expect("a pair");
        assert_eq!(of_setter.exception, "set_balance_excep");
        assert_eq!(handlers.operations(c, "log"), None);
    }

    #[test]
    fn names_that_are_taken_get_ami_once_more() {
        let (model, _) = implied(
            "interface AMI_XHandler {}; interface X { void op(in long ami_return_val); \
             long op_excep(out long ami_return_val); void get_a(); attribute long a; };",
        );
        let made = operations(&model, &["AMI_AMI_XHandler"]);
        let expected = [
            "op()",
            "op_ami_excep(excep_holder)",
            "op_excep(ami_ami_return_val, ami_return_val)",
            "op_excep_excep(excep_holder)",
            "get_a()",
            "get_a_excep(excep_holder)",
            "get_ami_a(ami_return_val)",
            "get_ami_a_excep(excep_holder)",
            "set_a()",
            "set_a_excep(excep_holder)",
        ];
        assert_eq!(made, expected);
    }

    #[test]
    fn handlers_derive_as_their_interfaces_do() {
        let (model, handlers) = implied(
            "interface C; interface A { void x(); }; interface B { void y(); }; \
             interface C : A, B { void z(); };",
        );
        let find = |name: &str| model.find(&[name]).expect("an interface");
        let of = |name: &str| handlers.of(find(name)).expect("a handler");
        let bases = &model.interface(of("C")).expect("an interface").bases;
        assert_eq!(*bases, [of("A"), of("B")]);
    }

    #[test]
    fn a_model_of_which_nothing_is_wanted_stays_as_it_is() {
        let (model, _) = implied("interface Empty {};");
        assert!(model.find(&["Messaging"]).is_none());
    }
}

//! The Rust name of everything, and its place.

mod assign;
mod case;
mod claims;
mod given;
mod path;

use std::collections::{BTreeSet, HashMap};

use taut_idl::implied::ReplyHandlers;
use taut_idl::model::{DefinitionId, DefinitionKind, Model, Type};

use crate::keywords::unraw;
use crate::method::Method;
use crate::strategies::Strategies;
use crate::support::Omitted;

pub(crate) use case::Case;
pub(crate) use given::GivenName;
pub(crate) use path::{ModulePath, ident};

/// The Rust names of a model's definitions.
#[derive(Debug)]
pub(crate) struct Names {
    definitions: HashMap<DefinitionId, DefinitionName>,
    methods: HashMap<DefinitionId, Vec<Method>>,
    factories: HashMap<DefinitionId, Vec<Method>>,
    /// The value types with state that derive from a value type or support an
    /// interface, by that.
    known_values: HashMap<DefinitionId, Vec<DefinitionId>>,
    /// Every name of the generated file's modules.
    taken: BTreeSet<String>,
    /// The definitions that have no name.
    omitted: Omitted,
    /// How what has a name is marshaled and dispatched.
    strategies: Strategies,
    /// The interfaces that take replies.
    reply_handlers: ReplyHandlers,
    /// Whether there are methods whose results stay in messages.
    views: bool,
    /// Whether references have methods that return futures.
    futures: bool,
    /// Whether references tell the types of their operations.
    signatures: bool,
    /// The Rust types that native types are.
    natives: HashMap<DefinitionId, String>,
    /// The names that are given where two would be the same.
    given: Vec<GivenName>,
}

/// The Rust name of a definition.
#[derive(Debug, Clone)]
pub(crate) struct DefinitionName {
    /// The module that it is in.
    pub(crate) module: ModulePath,
    /// The name in that module.
    pub(crate) ident: String,
    /// The module for what is defined inside.
    pub(crate) scope: ModulePath,
    /// Its members, enumerators or variants.
    pub(crate) members: Vec<String>,
    /// The types that its members define, of a struct, union or exception.
    pub(crate) nested: Vec<DefinitionId>,
}

impl Names {
    /// The name of a definition.
    pub(crate) fn of(&self, id: DefinitionId) -> &DefinitionName {
        &self.definitions[&id]
    }

    /// Whether nothing is generated for a definition, which then has no name.
    pub(crate) fn is_omitted(&self, id: DefinitionId) -> bool {
        self.omitted.contains(id)
    }

    /// How definitions are marshaled and dispatched.
    pub(crate) fn strategies(&self) -> &Strategies {
        &self.strategies
    }

    /// The interfaces that take the replies to asynchronous calls.
    pub(crate) fn reply_handlers(&self) -> &ReplyHandlers {
        &self.reply_handlers
    }

    /// The names that are not what the IDL's names become, because something else
    /// has those.
    pub(crate) fn given(&self) -> &[GivenName] {
        &self.given
    }

    /// Whether there are methods whose results stay in messages.
    pub(crate) fn has_views(&self) -> bool {
        self.views
    }

    /// Whether there are methods that return futures.
    pub(crate) fn has_futures(&self) -> bool {
        self.futures
    }

    /// Whether references tell the types of their operations.
    pub(crate) fn has_signatures(&self) -> bool {
        self.signatures
    }

    /// The path of the Rust type that a native type is.
    pub(crate) fn native(&self, id: DefinitionId) -> &str {
        self.natives.get(&id).map_or("", String::as_str)
    }

    /// The methods of an interface or a value type, without inherited ones.
    pub(crate) fn methods(&self, id: DefinitionId) -> &[Method] {
        self.methods.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The initialisers of a value type.
    pub(crate) fn factories(&self, id: DefinitionId) -> &[Method] {
        self.factories.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The value types with state that are of a value type, or support an
    /// abstract interface.
    pub(crate) fn known_values(&self, id: DefinitionId) -> &[DefinitionId] {
        self.known_values.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Whether some definition of the generated file has this name, so that
    /// code cannot rely on the name's usual meaning.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// The type parameter that stands for a servant's type.
    pub(crate) fn servant_parameter(&self) -> String {
        let mut name = "T".to_owned();
        while self.is_taken(&name) {
            name = format!("Servant{name}");
        }
        name
    }
}

/// Whether a type is, behind its aliases, one that can be nil or null: an object
/// reference or a value.
pub(crate) fn is_reference(model: &Model, ty: &Type) -> bool {
    is_object_reference(model, ty) || crate::values::is_value(model, ty)
}

/// Whether a type is, behind its aliases, an object reference.
pub(crate) fn is_object_reference(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::Object => true,
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DefinitionKind::Interface(_) | DefinitionKind::InterfaceDeclaration
        ),
        _ => false,
    }
}

/// The type of references to an interface of this name.
pub(crate) fn reference_type(interface: &str) -> String {
    format!("{}Ref", stem(interface))
}

/// Returns the name of the type of arguments for the abstract interface of this name: an
/// object or a value.
pub(crate) fn abstract_type(interface: &str) -> String {
    format!("{}Abstract", stem(interface))
}

/// The trait with the operations of a value type of this name.
pub(crate) fn operations_trait(value: &str) -> String {
    format!("{}Operations", stem(value))
}

/// The trait with the initialisers of a value type of this name.
pub(crate) fn factory_trait(value: &str) -> String {
    format!("{}Factory", stem(value))
}

/// The field of a value type's struct that is its base.
pub(crate) const BASE_FIELD: &str = "base";

/// The type of skeletons for an interface of this name.
pub(crate) fn skeleton_type(interface: &str) -> String {
    format!("{}Skeleton", stem(interface))
}

/// The trait of servants that answer later, for an interface of this name.
pub(crate) fn async_trait(interface: &str) -> String {
    format!("Async{}", stem(interface))
}

/// The type of skeletons for servants that answer later.
pub(crate) fn async_skeleton_type(interface: &str) -> String {
    format!("Async{}Skeleton", stem(interface))
}

/// The type of pollers of calls to an interface of this name.
pub(crate) fn poller_type(interface: &str) -> String {
    format!("Ami{}Poller", stem(interface))
}

/// The function that returns the TypeCode of a typedef of this name.
pub(crate) fn alias_type_code(typedef: &str) -> String {
    format!("{}_type_code", Case::Snake.apply(unraw(typedef)))
}

/// The variant of a union that has no member.
pub(crate) const NO_MEMBER: &str = "None";

/// The functions that make a variant of a union that several discriminators
/// select: with one of them, and with one to be given.
pub(crate) fn constructors(variant: &str) -> [String; 2] {
    let stem = Case::Snake.apply(unraw(variant));
    [format!("new_{stem}"), format!("new_{stem}_with")]
}

/// A name without what keeps it apart from keywords.
fn stem(identifier: &str) -> &str {
    unraw(identifier).trim_end_matches('_')
}

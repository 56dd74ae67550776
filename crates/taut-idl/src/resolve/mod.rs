//! A syntax tree to a checked model.
//!
//! Names are resolved in one pass in source order, as IDL demands that they be
//! defined before they are used.

mod abstract_base;
mod annotations;
mod beyond_corba;
mod bits;
mod components;
mod constants;
mod declarations;
mod entity;
mod features;
mod fixed;
mod floating;
mod homes;
mod identity;
mod instances;
mod interfaces;
mod local;
mod lookup;
mod module_ids;
mod name_table;
mod repository_id;
mod scope;
mod structs;
mod templates;
mod types;
mod union;
mod values;

use std::rc::Rc;
use std::sync::Arc;

use arcstr::ArcStr;
use hashbrown::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::lean;
use crate::model::{
    Definition, DefinitionId, DefinitionKind, Model, Path, RepositoryId, ScopedName,
};
use crate::options::Options;
use crate::source::{SourceMap, Span};
use crate::syntax::{Item, Name, Preface};
use entity::{Bound, Entity, ScopeId};
use name_table::Inheritable;
use repository_id::Prefixes;
use scope::{Scope, ScopeKind};

/// Builds the model of what was parsed.
pub(crate) fn resolve(
    items: Vec<Item>,
    options: &Options,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Model {
    let mut resolver = Resolver {
        options,
        sources,
        diagnostics,
        model: Model::default(),
        scopes: vec![Scope::new(ScopeKind::File, ArcStr::new(), None, None)],
        current: ScopeId(0),
        inheritable: Inheritable::default(),
        scope_of: HashMap::new(),
        prefixes: Prefixes::default(),
        incomplete: HashMap::new(),
        aliases: HashMap::new(),
        awaiting: HashMap::new(),
        abstract_values: HashSet::new(),
        declared_events: HashSet::new(),
        being_ported: HashSet::new(),
        local_types: HashMap::new(),
        type_prefixes: HashMap::new(),
        templates: HashMap::new(),
        said_of_templates: HashSet::new(),
        bound: Vec::new(),
        instance_in_main_file: None,
        unknown: Vec::new(),
        markers: 0,
        has_other_prefix: false,
        expanded: 0,
    };
    resolver.items(items);
    resolver.report_defined_later();
    let mark = resolver.diagnostics.mark();
    resolver.report_incomplete(0);
    for diagnostic in resolver.diagnostics.take_since(mark) {
        let identity = templates::identity(&diagnostic);
        if resolver.said_of_templates.insert(identity) {
            resolver.diagnostics.push(diagnostic);
        }
    }
    resolver.apply_module_ids();
    resolver.report_beyond_corba();
    resolver.model
}

struct Resolver<'a> {
    options: &'a Options,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    model: Model,
    scopes: Vec<Scope>,
    current: ScopeId,
    inheritable: Inheritable,
    /// The scopes of modules, interfaces, value types, structs, unions and exceptions.
    scope_of: HashMap<DefinitionId, ScopeId>,
    prefixes: Prefixes,
    /// Structs and unions that are declared or whose members are being read.
    incomplete: HashMap<DefinitionId, Incomplete>,
    /// Of typedefs of typedefs, the last that they lead to.
    aliases: HashMap<DefinitionId, DefinitionId>,
    /// Typedefs of sequences of a struct or union that was incomplete at that time.
    awaiting: HashMap<DefinitionId, DefinitionId>,
    /// Value types that are declared or defined as abstract.
    abstract_values: HashSet<DefinitionId>,
    /// Event types that are declared.
    declared_events: HashSet<DefinitionId>,
    /// Components, port types and connectors whose ports are being read.
    being_ported: HashSet<DefinitionId>,
    /// Types that hold a local interface or a native type, and which.
    local_types: HashMap<DefinitionId, DefinitionId>,
    /// The prefixes that `typeprefix` gave, and where.
    type_prefixes: HashMap<DefinitionId, (String, Span)>,
    /// The template modules that are complete.
    templates: HashMap<DefinitionId, Rc<templates::Known>>,
    /// The diagnostics of template modules, so that they are not repeated for each
    /// instance.
    said_of_templates: HashSet<(String, Span)>,
    /// The arguments for parameters of instances that are no definitions.
    bound: Vec<Bound>,
    /// Within an instance: whether that stands in a main file.
    instance_in_main_file: Option<bool>,
    /// Names that were looked up in vain, and the scopes where that began.
    unknown: Vec<(Span, ScopeId, ArcStr)>,
    /// How many files line markers say the text is included from.
    markers: usize,
    /// Whether a module around the current place is opened again under another
    /// prefix, of which a warning tells.
    has_other_prefix: bool,
    /// How much of [`Limits::expansion`](crate::Limits::expansion) is used up.
    expanded: usize,
}

/// Why a struct or union is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Incomplete {
    Declared,
    BeingDefined,
}

impl Resolver<'_> {
    fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.index()]
    }

    /// Runs something inside a new scope.
    fn within<T>(&mut self, mut scope: Scope, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.note_bases(&mut scope);
        lean::push(&mut self.scopes, scope);
        let id = ScopeId(self.scopes.len() as u32 - 1);
        if let Some(definition) = self.scope(id).definition {
            self.scope_of.insert(definition, id);
        }
        self.within_existing(id, inner)
    }

    /// Makes what a scope inherits known.
    fn note_bases(&mut self, scope: &mut Scope) {
        for &base in &scope.bases {
            let found = &mut self.scopes[base.index()];
            scope.opaque |= found.opaque;
            scope.ancestors = scope.ancestors.saturating_add(found.ancestors + 1);
            if !std::mem::replace(&mut found.is_base, true) {
                self.inheritable.add(&found.names);
            }
        }
    }

    fn within_existing<T>(&mut self, id: ScopeId, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.current, id);
        let name = self.scope(id).name.clone();
        let frames = self.prefixes.enter_scope(name);
        let result = inner(self);
        self.prefixes.leave_scope(frames);
        self.current = outer;
        result
    }

    /// Adds a definition to the model and to the module or interface around it.
    fn add(&mut self, name: &Name, preface: &Preface, kind: DefinitionKind) -> DefinitionId {
        let id = DefinitionId(self.model.definitions.len() as u32);
        let parent = self.scope(self.current).definition;
        let definition = Definition {
            name: name.text.clone(),
            scoped_name: ScopedName {
                scope: self.scope_path(),
                name: name.text.clone(),
            },
            repository_id: self.id_of(name),
            parent,
            span: name.span,
            docs: preface.docs.clone(),
            annotations: self.annotations(&preface.annotations),
            in_main_file: self.in_main_file(name.span),
            kind,
        };
        lean::push(&mut self.model.definitions, definition);
        match parent {
            None => self.model.roots.push(id),
            Some(parent) => match &mut self.model.definitions[parent.0 as usize].kind {
                DefinitionKind::Module(members) => members.push(id),
                DefinitionKind::Interface(interface) => interface.members.push(id),
                DefinitionKind::ValueType(value) => value.members.push(id),
                DefinitionKind::Home(home) => home.members.push(id),
                // Definitions within the members of a struct are found by their parent.
                _ => {}
            },
        }
        id
    }

    /// The names of the scopes around what the current scope defines.
    fn scope_path(&mut self) -> Option<Arc<Path>> {
        let definition = self.scope(self.current).definition?;
        if self.scope(self.current).path.is_none() {
            let path = self.model.get(definition).scoped_name.to_path();
            self.scopes[self.current.index()].path = Some(path);
        }
        self.scope(self.current).path.clone()
    }

    /// The repository id of a name in the current scope.
    fn id_of(&self, name: &Name) -> RepositoryId {
        let definition = self.scope(self.current).definition;
        let path = definition.and_then(|id| self.prefixed_path(id));
        RepositoryId {
            path: path.or_else(|| self.prefixes.path()),
            name: name.text.clone(),
            given: None,
        }
    }

    fn kind_mut(&mut self, id: DefinitionId) -> &mut DefinitionKind {
        &mut self.model.definitions[id.0 as usize].kind
    }

    /// Draws on what may be made of the source. False, and reported, when that
    /// is used up.
    fn expand(&mut self, size: usize, what: &str, span: Span) -> bool {
        let most = self.options.limits.expansion;
        let before = self.expanded;
        self.expanded = before.saturating_add(size);
        if self.expanded <= most {
            return true;
        }
        if before <= most {
            let message = format!("{what} make more of the source than the limit of {most} allows");
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::LimitExceeded,
                message,
                span,
            ));
        }
        false
    }

    fn in_main_file(&self, span: Span) -> bool {
        self.instance_in_main_file
            .unwrap_or_else(|| self.markers == 0 && self.sources.file(span.file).is_main())
    }

    /// Adds a definition and registers its name in the current scope.
    fn define(&mut self, name: &Name, preface: &Preface, kind: DefinitionKind) -> DefinitionId {
        let id = self.add(name, preface, kind);
        self.register(name, Entity::Definition(id));
        id
    }
}

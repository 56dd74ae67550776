//! Modules, exceptions, enums, typedefs and constants.

use super::entity::{Entity, ScopeId};
use super::scope::{Scope, ScopeKind};
use super::{Incomplete, Resolver};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::model::{
    Constant, Definition, DefinitionId, DefinitionKind, Enumerator, List, Member, Type, Typedef,
};
use crate::source::Span;
use crate::syntax::{self, Declarator, Expression, Item, Members, Name, Preface, TypeSpec};

impl Resolver<'_> {
    pub(super) fn items(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Directive(directive) => self.directive(directive),
                Item::Definition(definition) => self.definition(definition),
            }
        }
    }

    fn definition(&mut self, definition: syntax::Definition) {
        let preface = &definition.preface;
        match definition.kind {
            syntax::DefinitionKind::Module { name, items } => self.module(&name, preface, items),
            syntax::DefinitionKind::Interface {
                kind,
                name,
                bases,
                items,
            } => self.interface(kind, &name, preface, &bases, items),
            syntax::DefinitionKind::Value(value) => self.value(preface, *value),
            syntax::DefinitionKind::Ported(ported) => self.ported(preface, *ported),
            syntax::DefinitionKind::Home(home) => self.home(preface, *home),
            syntax::DefinitionKind::Template(template) => self.template(preface, *template),
            syntax::DefinitionKind::Instance(instance) => self.instance(preface, *instance),
            kind => self.simple_definition(preface, kind),
        }
    }

    /// Defines what holds no other definitions.
    fn simple_definition(&mut self, preface: &Preface, kind: syntax::DefinitionKind) {
        match kind {
            // These hold others.
            syntax::DefinitionKind::Module { .. }
            | syntax::DefinitionKind::Interface { .. }
            | syntax::DefinitionKind::Value(_)
            | syntax::DefinitionKind::Ported(_)
            | syntax::DefinitionKind::Home(_)
            | syntax::DefinitionKind::Template(_)
            | syntax::DefinitionKind::Instance(_) => {}
            syntax::DefinitionKind::PortedDeclaration { kind, name } => {
                self.declare_ported(kind, &name, preface);
            }
            syntax::DefinitionKind::Port(port) => self.port(preface, port),
            syntax::DefinitionKind::Finder(finder) => self.finder(preface, finder),
            syntax::DefinitionKind::InterfaceDeclaration { kind, name } => {
                self.declare_interface(kind, &name, preface);
            }
            syntax::DefinitionKind::ValueDeclaration {
                name,
                is_abstract,
                is_event,
            } => self.declare_value(&name, preface, is_abstract, is_event),
            syntax::DefinitionKind::ValueBox { name, ty } => self.value_box(&name, preface, ty),
            syntax::DefinitionKind::State {
                visibility,
                span,
                members,
            } => self.state(visibility, span, *members),
            syntax::DefinitionKind::Bitset(bitset) => self.bitset(*bitset),
            syntax::DefinitionKind::Bitmask(bitmask) => self.bitmask(bitmask),
            syntax::DefinitionKind::Factory(factory) => self.factory(preface, factory),
            syntax::DefinitionKind::Native(name) => {
                self.define(&name, preface, DefinitionKind::Native);
            }
            syntax::DefinitionKind::TypeId { name, id, span } => {
                if let Some(definition) = self.named_definition(&name) {
                    self.set_id(definition, id, span);
                }
            }
            syntax::DefinitionKind::TypePrefix { name, prefix, span } => {
                self.type_prefix(&name, prefix, span);
            }
            syntax::DefinitionKind::Import { imported, span } => self.import(&imported, span),
            syntax::DefinitionKind::StructDeclaration(name) => {
                self.declare(&name, preface, DefinitionKind::Struct(List::default()));
            }
            syntax::DefinitionKind::UnionDeclaration(name) => {
                self.declare(&name, preface, super::union::undefined());
            }
            syntax::DefinitionKind::Union(definition) => {
                self.union(*definition);
            }
            syntax::DefinitionKind::Struct(definition) => {
                self.structure(*definition);
            }
            syntax::DefinitionKind::Exception(definition) => self.exception(*definition),
            syntax::DefinitionKind::Enum(definition) => {
                self.enumeration(definition);
            }
            syntax::DefinitionKind::Typedef { ty, declarators } => {
                self.typedef(ty, preface, declarators);
            }
            syntax::DefinitionKind::Constant { ty, name, value } => {
                self.constant(ty, preface, &name, &value);
            }
            syntax::DefinitionKind::Operation(operation) => self.operation(preface, *operation),
            syntax::DefinitionKind::Attribute(attribute) => self.attribute(preface, *attribute),
            syntax::DefinitionKind::Poisoned(names) => {
                for name in names {
                    self.register(&name, Entity::Poisoned);
                }
            }
        }
    }

    fn module(&mut self, name: &Name, preface: &Preface, items: Vec<Item>) {
        let open = self.own(name).cloned();
        if let Some(entry) = &open
            && entry.spelling == name.text
            && let Entity::Definition(id) = entry.entity
            && let Some(&scope) = self.scope_of.get(&id)
            && matches!(self.model.get(id).kind, DefinitionKind::Module(_))
            && self.model.instance(id).is_none()
        {
            let annotations = self.annotations(&preface.annotations);
            let in_main_file = self.in_main_file(name.span);
            let definition = &mut self.model.definitions[id.0 as usize];
            definition.annotations.append(annotations);
            if definition.docs.is_empty() {
                definition.docs = preface.docs.clone();
            }
            definition.in_main_file |= in_main_file;
            let was_warned = self.warn_of_other_prefix(id, name);
            let outer = std::mem::replace(&mut self.has_other_prefix, was_warned);
            self.within_existing(scope, |resolver| resolver.items(items));
            self.has_other_prefix = outer;
            return;
        }
        let id = self.define(name, preface, DefinitionKind::Module(Vec::new()));
        let scope = self.inner(ScopeKind::Module, name, Some(id));
        self.within(scope, |resolver| resolver.items(items));
    }

    pub(super) fn inner(
        &self,
        kind: ScopeKind,
        name: &Name,
        definition: Option<DefinitionId>,
    ) -> Scope {
        Scope::new(kind, name.text.clone(), Some(self.current), definition)
    }

    /// Declares a struct or union that is to be defined later.
    fn declare(&mut self, name: &Name, preface: &Preface, kind: DefinitionKind) {
        if self.own_of_kind(name, &kind).is_none() {
            let id = self.define(name, preface, kind);
            self.incomplete.insert(id, Incomplete::Declared);
        }
    }

    /// The definition of this name and kind in the current scope.
    fn own_of_kind(&self, name: &Name, kind: &DefinitionKind) -> Option<DefinitionId> {
        let entry = self.own(name).filter(|entry| entry.spelling == name.text)?;
        match entry.entity {
            Entity::Definition(id)
                if std::mem::discriminant(&self.model.get(id).kind)
                    == std::mem::discriminant(kind) =>
            {
                Some(id)
            }
            _ => None,
        }
    }

    /// Starts the definition of a struct or union, which may be declared.
    pub(super) fn start(
        &mut self,
        name: &Name,
        preface: &Preface,
        kind: DefinitionKind,
    ) -> DefinitionId {
        let declared = self
            .own_of_kind(name, &kind)
            .filter(|id| self.incomplete.get(id) == Some(&Incomplete::Declared));
        let id = match declared {
            Some(id) => {
                self.complete(id, name, preface);
                id
            }
            None => self.define(name, preface, kind),
        };
        self.incomplete.insert(id, Incomplete::BeingDefined);
        id
    }

    /// Turns a forward declaration into a definition, whose id must be the same.
    pub(super) fn complete(&mut self, id: DefinitionId, name: &Name, preface: &Preface) {
        let index = id.0 as usize;
        let now = self.id_of(name);
        let declared = &self.model.definitions[index].repository_id;
        if !declared.has_path_of(&now) && declared.explicit().is_none() {
            let (before, now) = (declared.path(), now.path());
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::RepositoryId,
                    format!(
                        "the prefix of `{}` is not that of its declaration",
                        name.text
                    ),
                    name.span,
                )
                .label(format!("would be `IDL:{now}:1.0`"))
                .also(
                    self.model.definitions[index].span,
                    format!("is `IDL:{before}:1.0`"),
                )
                .help("let the same `#pragma prefix` be in force at both"),
            );
        }
        let in_main_file = self.in_main_file(name.span);
        let annotations = self.annotations(&preface.annotations);
        let definition = &mut self.model.definitions[index];
        definition.annotations.append(annotations);
        definition.span = name.span;
        definition.in_main_file = in_main_file;
        if !preface.docs.is_empty() {
            definition.docs = preface.docs.clone();
        }
        // Later complaints should point to the definition.
        self.scopes[self.current.index()]
            .names
            .move_to(&name.text, name.span);
    }

    fn exception(&mut self, definition: syntax::Struct) {
        let name = &definition.name;
        let kind = DefinitionKind::Exception(List::default());
        let id = self.define(name, &definition.preface, kind);
        let scope = self.inner(ScopeKind::Members, name, Some(id));
        let members = self.within(scope, |resolver| resolver.members(definition.members));
        let culprit = members.iter().find_map(|member| self.culprit(&member.ty));
        self.note_culprit(id, culprit);
        *self.kind_mut(id) = DefinitionKind::Exception(members.into());
    }

    pub(super) fn members(&mut self, declarations: Vec<Members>) -> Vec<Member> {
        let mut members = Vec::new();
        for Members {
            preface,
            ty,
            declarators,
        } in declarations
        {
            let ty = self.member_type(ty);
            let annotations = self.annotations(&preface.annotations);
            for declarator in declarators {
                let name = &declarator.name;
                // An array's length is known before the name is.
                let ty = ty.clone().and_then(|ty| self.array(ty, &declarator));
                self.register(name, Entity::Member);
                if let Some(ty) = ty {
                    lean::push(
                        &mut members,
                        Member {
                            name: name.text.clone(),
                            span: name.span,
                            docs: preface.docs.clone(),
                            annotations: annotations.clone(),
                            ty,
                        },
                    );
                }
            }
        }
        members
    }

    /// Defines an enum.
    pub(super) fn enumeration(&mut self, definition: syntax::Enum) -> DefinitionId {
        let preface = &definition.preface;
        let id = self.define(
            &definition.name,
            preface,
            DefinitionKind::Enum(List::default()),
        );
        self.check_bit_bound(id, definition.enumerators.len());
        let mut enumerators = Vec::new();
        for (name, preface) in definition.enumerators {
            self.register(&name, Entity::Enumerator(id, enumerators.len() as u32));
            lean::push(
                &mut enumerators,
                Enumerator {
                    name: name.text.clone(),
                    span: name.span,
                    docs: preface.docs.clone(),
                    annotations: self.annotations(&preface.annotations),
                },
            );
        }
        *self.kind_mut(id) = DefinitionKind::Enum(enumerators.into());
        id
    }

    fn typedef(&mut self, ty: TypeSpec, preface: &Preface, declarators: Vec<Declarator>) {
        let ty = self.complete_type(ty);
        for declarator in declarators {
            let ty = ty.clone().and_then(|ty| self.array(ty, &declarator));
            let Some(ty) = ty else {
                self.register(&declarator.name, Entity::Poisoned);
                continue;
            };
            let alias = match ty {
                Type::Named(id) => Some(self.last_alias(id)),
                _ => None,
            };
            let awaited = self.awaited(&ty);
            let culprit = self.culprit(&ty);
            let kind = DefinitionKind::Typedef(Typedef { ty });
            let id = self.define(&declarator.name, preface, kind);
            self.note_culprit(id, culprit);
            if let Some(alias) = alias
                && matches!(self.model.get(alias).kind, DefinitionKind::Typedef(_))
            {
                self.aliases.insert(id, alias);
            }
            if let Some(awaited) = awaited {
                self.awaiting.insert(id, awaited);
            }
        }
    }

    fn constant(&mut self, ty: TypeSpec, preface: &Preface, name: &Name, value: &Expression) {
        let span = ty.span;
        if matches!(ty.kind, syntax::TypeKind::Fixed(None)) {
            match self.fixed_by_value(value) {
                Some((ty, value)) => {
                    self.define(
                        name,
                        preface,
                        DefinitionKind::Constant(Box::new(Constant { ty, value })),
                    );
                }
                None => self.register(name, Entity::Poisoned),
            }
            return;
        }
        if matches!(ty.kind, syntax::TypeKind::Fixed(Some(_))) {
            let message = "the type of a fixed-point constant takes neither digits nor a scale";
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::Syntax, message, span)
                    .help("write `const fixed`: the value tells both"),
            );
        }
        let ty: Option<Type> = self.complete_type(ty);
        let value = ty.as_ref().and_then(|ty| self.evaluate(ty, span, value));
        match (ty, value) {
            (Some(ty), Some(value)) => {
                self.define(
                    name,
                    preface,
                    DefinitionKind::Constant(Box::new(Constant { ty, value })),
                );
            }
            _ => self.register(name, Entity::Poisoned),
        }
    }

    /// Reports what was declared and never defined, from a definition on.
    pub(super) fn report_incomplete(&mut self, first: usize) {
        for index in first..self.model.definitions.len() {
            let id = DefinitionId(index as u32);
            let definition = &self.model.definitions[index];
            let (name, span) = (&definition.name, definition.span);
            if self.incomplete.contains_key(&id) {
                let what = self.describe(Entity::Definition(id));
                let message = format!("the {what} `{name}` is declared but never defined");
                let mut diagnostic = Diagnostic::error(DiagnosticCode::Incomplete, message, span);
                if !self.diagnostics.is_full()
                    && let Some(other) = self.namesake(id)
                {
                    diagnostic = diagnostic
                        .also(other, "this one is another, as it stands in another scope")
                        .help("declare it in the module that defines it");
                }
                self.diagnostics.push(diagnostic);
            } else if !self.sources.file(span.file).is_built_in() {
                let is_interface = self.interface_kind(id).is_some();
                let declared = match definition.kind {
                    DefinitionKind::Interface(_) => false,
                    DefinitionKind::ValueTypeDeclaration
                    | DefinitionKind::ComponentDeclaration
                    | DefinitionKind::PortTypeDeclaration => true,
                    _ => is_interface,
                };
                if !declared {
                    continue;
                }
                let what = self.describe(Entity::Definition(id));
                let help = match definition.kind {
                    DefinitionKind::ValueTypeDeclaration => {
                        "no value of it can be made or received"
                    }
                    DefinitionKind::PortTypeDeclaration => "nothing can have a port of this type",
                    _ => "references to it can be passed on, but nothing can be asked of them",
                };
                let message = format!("the {what} `{name}` is declared but never defined");
                self.diagnostics.push(
                    Diagnostic::warning(DiagnosticCode::Incomplete, message, span).help(help),
                );
            }
        }
    }

    /// Where a struct or union of the same name stands in another scope.
    fn namesake(&self, id: DefinitionId) -> Option<Span> {
        let declared = self.model.get(id);
        let is_one = |(other, definition): &(DefinitionId, &Definition)| {
            *other != id
                && definition.name == declared.name
                && std::mem::discriminant(&definition.kind)
                    == std::mem::discriminant(&declared.kind)
        };
        let found = self.model.definitions().find(is_one);
        found.map(|(_, definition)| definition.span)
    }

    pub(super) fn scope_of_definition(&self, id: DefinitionId) -> Option<ScopeId> {
        self.scope_of.get(&id).copied()
    }
}

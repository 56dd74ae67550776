//! Repository ids and the pragmas that shape them; CORBA 3.3 part 1, 14.7.

use std::sync::Arc;

use arcstr::ArcStr;

use super::Resolver;
use super::entity::Entity;
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Given, Path};
use crate::options::PrefixInModule;
use crate::source::Span;
use crate::syntax::{Directive, Name, ScopedName};

/// The prefixes in force, the innermost last.
#[derive(Debug)]
pub(super) struct Prefixes {
    frames: Vec<Frame>,
    /// The scopes around the current place.
    scopes: Option<Arc<Path>>,
    depth: usize,
}

#[derive(Debug, Clone, Default)]
struct Frame {
    /// The text before the name in the ids: the prefix, if there is one, and the scopes
    /// that count.
    path: Option<Arc<Path>>,
    /// The inclusion that it is for, if it is for one, and whether that ended.
    inclusion: Option<(usize, bool)>,
}

impl Default for Prefixes {
    fn default() -> Self {
        Self {
            frames: vec![Frame::default()],
            scopes: None,
            depth: 0,
        }
    }
}

impl Prefixes {
    /// Returns the text that precedes a name, if it is defined now, in its id.
    pub(super) fn path(&self) -> Option<Arc<Path>> {
        self.frames.last().and_then(|frame| frame.path.clone())
    }

    /// How many scopes are around the current place.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Enters a scope; answers what leaving it needs.
    pub(super) fn enter_scope(&mut self, name: ArcStr) -> usize {
        let frames = self.frames.len();
        self.frames.push(Frame {
            path: Some(Path::within(self.path(), name.clone())),
            inclusion: None,
        });
        self.scopes = Some(Path::within(self.scopes.take(), name));
        self.depth += 1;
        frames
    }

    pub(super) fn leave_scope(&mut self, frames: usize) {
        self.scopes = self.scopes.take().and_then(|scopes| scopes.outer.clone());
        self.depth = self.depth.saturating_sub(1);
        self.frames.truncate(frames.max(1));
        // Files that ended inside the scope but started outside of it.
        while self
            .frames
            .last()
            .is_some_and(|frame| matches!(frame.inclusion, Some((_, true))))
        {
            self.frames.pop();
        }
    }

    fn enter_file(&mut self, inclusion: usize) {
        self.frames.push(Frame {
            path: self.scopes.clone(),
            inclusion: Some((inclusion, false)),
        });
    }

    fn leave_file(&mut self, inclusion: usize) {
        let is_it = |frame: &&mut Frame| frame.inclusion == Some((inclusion, false));
        if self.frames.last_mut().as_ref().is_some_and(is_it) {
            self.frames.pop();
        } else if let Some(frame) = self.frames.iter_mut().rev().find(is_it) {
            frame.inclusion = Some((inclusion, true));
        }
    }

    /// Sets the prefix, before which the scopes around the current place count
    /// or not.
    fn set(&mut self, prefix: &str, restart: bool) {
        let scopes = self.scopes.as_deref().filter(|_| !restart);
        let scopes = scopes.map_or_else(Vec::new, Path::names);
        let path = Path::prefixed(prefix, scopes);
        if let Some(top) = self.frames.last_mut() {
            top.path = path;
        }
    }
}

impl Resolver<'_> {
    pub(super) fn directive(&mut self, directive: Directive) {
        match directive {
            Directive::EnterFile {
                inclusion,
                by_marker,
            } => {
                self.markers += usize::from(by_marker);
                self.prefixes.enter_file(inclusion);
            }
            Directive::LeaveFile {
                inclusion,
                by_marker,
            } => {
                self.markers = self.markers.saturating_sub(usize::from(by_marker));
                self.prefixes.leave_file(inclusion);
            }
            Directive::Prefix { prefix, span } => self.prefix(prefix, span),
            Directive::Id { name, id, span } => {
                if let Some(definition) = self.named_definition(&name) {
                    self.set_id(definition, id, span);
                }
            }
            Directive::Version {
                name,
                version,
                span,
            } => {
                if let Some(definition) = self.named_definition(&name) {
                    self.set_version(definition, version, span);
                }
            }
        }
    }

    fn prefix(&mut self, prefix: String, span: Span) {
        let in_module = self.scope(self.current).kind != ScopeKind::File;
        if in_module {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::Pragma,
                    "compilers disagree on a prefix inside of a scope",
                    span,
                )
                .help(match self.options.prefix_in_module {
                    PrefixInModule::Restart => {
                        "as omniORB and JacORB do, the scopes around it are dropped from the ids"
                    }
                    PrefixInModule::Keep => "as TAO does, the scopes around it stay in the ids",
                }),
            );
        }
        let restart = self.options.prefix_in_module == PrefixInModule::Restart;
        self.prefixes.set(&prefix, restart);
    }

    /// Warns of a module that is opened again where another prefix is in force:
    /// compilers differ on the module's id, and the ids of what it holds differ in
    /// their prefix (CORBA 3.3 part 1, 14.7.5). Returns whether such a warning has
    /// been given for this module or one around it.
    pub(super) fn warn_of_other_prefix(&mut self, module: DefinitionId, name: &Name) -> bool {
        let now = self.id_of(name);
        let definition = self.model.get(module);
        let first = &definition.repository_id;
        // Nor does a prefix count where `typeprefix` gives one.
        let is_given = first.explicit().is_some() || self.prefixed_path(module).is_some();
        if self.has_other_prefix || is_given || first.has_path_of(&now) {
            return self.has_other_prefix;
        }
        let (before, now) = (first.path(), now.path());
        self.diagnostics.push(
            Diagnostic::warning(
                DiagnosticCode::Pragma,
                format!(
                    "the module `{}` is opened again with another prefix",
                    name.text
                ),
                name.span,
            )
            .label(format!("ids begin with `IDL:{now}/` here"))
            .also(
                definition.span,
                format!("and with `IDL:{before}/` here, as the module's own id does"),
            )
            .help("let the same `#pragma prefix` be in force wherever the module is opened"),
        );
        true
    }

    pub(super) fn named_definition(&mut self, name: &ScopedName) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        if let Entity::Definition(id) = entity {
            return Some(id);
        }
        let what = super::scope::with_article(self.describe(entity));
        self.diagnostics.push(Diagnostic::error(
            DiagnosticCode::RepositoryId,
            format!("`{}` is {what}, which has no repository id", name.to_text()),
            name.span,
        ));
        None
    }

    pub(super) fn set_id(&mut self, definition: DefinitionId, id: String, span: Span) {
        let index = definition.0 as usize;
        let name = &self.model.definitions[index].name;
        if let Some((old, before)) = self.model.definitions[index].repository_id.explicit()
            && *old != id
        {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::RepositoryId,
                    format!("`{name}` already has another repository id"),
                    span,
                )
                .also(*before, "set here"),
            );
            return;
        }
        self.given(index).explicit = Some((id, span));
    }

    fn set_version(&mut self, definition: DefinitionId, version: String, span: Span) {
        let index = definition.0 as usize;
        let name = &self.model.definitions[index].name;
        let id = &self.model.definitions[index].repository_id;
        let agrees = match (id.explicit(), id.version()) {
            (Some((id, _)), _) => id.rsplit(':').next() == Some(&version),
            (None, Some((old, _))) => *old == version,
            (None, None) => true,
        };
        if !agrees {
            let mut diagnostic = Diagnostic::error(
                DiagnosticCode::RepositoryId,
                format!("`{name}` already has another version"),
                span,
            );
            if let Some((_, before)) = id.explicit().or(id.version()) {
                diagnostic = diagnostic.also(*before, "set here");
            }
            self.diagnostics.push(diagnostic);
            return;
        }
        let has_members = match &self.model.definitions[index].kind {
            DefinitionKind::Module(members) => !members.is_empty(),
            DefinitionKind::Interface(interface) => !interface.members.is_empty(),
            _ => false,
        };
        if has_members {
            let message = format!("compilers disagree on the version of what is in `{name}`");
            self.diagnostics.push(
                Diagnostic::warning(DiagnosticCode::Pragma, message, span)
                    .label("as the standard has it, this is the version of the scope alone")
                    .help("TAO's compiler gives it to what is inside too"),
            );
        }
        self.given(index).version = Some((version, span));
    }

    /// Returns the parts of a definition's id that the source gives.
    fn given(&mut self, index: usize) -> &mut Given {
        let id = &mut self.model.definitions[index].repository_id;
        id.given.get_or_insert_default()
    }
}

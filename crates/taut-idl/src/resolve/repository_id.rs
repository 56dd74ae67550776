//! Repository ids and the pragmas that shape them; CORBA 3.3 part 1, 14.7.

use std::fmt;

use super::Resolver;
use super::scope::{Entity, ScopeKind};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind};
use crate::options::PrefixInModule;
use crate::source::Span;
use crate::syntax::{Directive, ScopedName};

/// What a repository id is made of.
#[derive(Debug, Clone)]
pub(super) struct RepositoryId {
    /// The prefix and the names, with `/` between.
    pub(super) path: String,
    version: Option<Box<Given>>,
    explicit: Option<Box<Given>>,
}

/// What the source says of an id, and where.
#[derive(Debug, Clone)]
struct Given {
    text: String,
    span: Span,
}

impl RepositoryId {
    pub(super) fn new(path: String) -> Self {
        Self {
            path,
            version: None,
            explicit: None,
        }
    }

    pub(super) fn is_explicit(&self) -> bool {
        self.explicit.is_some()
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.explicit, &self.version) {
            (Some(id), _) => formatter.write_str(&id.text),
            (None, Some(version)) => write!(formatter, "IDL:{}:{}", self.path, version.text),
            (None, None) => write!(formatter, "IDL:{}:1.0", self.path),
        }
    }
}

/// The prefixes in force, the innermost last.
#[derive(Debug)]
pub(super) struct Prefixes {
    frames: Vec<Frame>,
    /// The names of the scopes around the current place.
    scopes: Vec<String>,
}

#[derive(Debug, Clone)]
struct Frame {
    prefix: String,
    /// How many of the outer scopes are no part of the path.
    skipped: usize,
    /// The inclusion that it is for, if it is for one, and whether that ended.
    inclusion: Option<(usize, bool)>,
}

impl Default for Prefixes {
    fn default() -> Self {
        let frame = Frame {
            prefix: String::new(),
            skipped: 0,
            inclusion: None,
        };
        Self {
            frames: vec![frame],
            scopes: Vec::new(),
        }
    }
}

impl Prefixes {
    pub(super) fn path_of(&self, name: &str) -> String {
        let (prefix, skipped) = self.top();
        let mut path = prefix.to_owned();
        let scopes = self.scopes.iter().skip(skipped).map(String::as_str);
        for part in scopes.chain([name]) {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
        }
        path
    }

    /// How many scopes are around the current place.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Enters a scope; answers what leaving it needs.
    pub(super) fn enter_scope(&mut self, name: &str) -> usize {
        let frames = self.frames.len();
        let (prefix, skipped) = self.top();
        let frame = Frame {
            prefix: prefix.to_owned(),
            skipped,
            inclusion: None,
        };
        self.frames.push(frame);
        self.scopes.push(name.to_owned());
        frames
    }

    pub(super) fn leave_scope(&mut self, frames: usize) {
        self.scopes.pop();
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

    fn top(&self) -> (&str, usize) {
        self.frames
            .last()
            .map_or(("", 0), |frame| (&frame.prefix, frame.skipped))
    }

    fn enter_file(&mut self, inclusion: usize) {
        let inclusion = Some((inclusion, false));
        self.frames.push(Frame {
            prefix: String::new(),
            skipped: 0,
            inclusion,
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

    fn set(&mut self, prefix: String, restart: bool) {
        let depth = self.scopes.len();
        if let Some(top) = self.frames.last_mut() {
            top.prefix = prefix;
            top.skipped = if restart { depth } else { 0 };
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
        self.prefixes.set(prefix, restart);
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
        if let Some(old) = &self.repository_ids[index].explicit
            && old.text != id
        {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::RepositoryId,
                    format!("`{name}` already has another repository id"),
                    span,
                )
                .also(old.span, "set here"),
            );
            return;
        }
        self.repository_ids[index].explicit = Some(Box::new(Given { text: id, span }));
        self.update_id(index);
    }

    fn set_version(&mut self, definition: DefinitionId, version: String, span: Span) {
        let index = definition.0 as usize;
        let name = &self.model.definitions[index].name;
        let id = &self.repository_ids[index];
        let agrees = match (&id.explicit, &id.version) {
            (Some(id), _) => id.text.rsplit(':').next() == Some(&version),
            (None, Some(old)) => old.text == version,
            (None, None) => true,
        };
        if !agrees {
            let mut diagnostic = Diagnostic::error(
                DiagnosticCode::RepositoryId,
                format!("`{name}` already has another version"),
                span,
            );
            if let Some(old) = id.explicit.as_ref().or(id.version.as_ref()) {
                diagnostic = diagnostic.also(old.span, "set here");
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
        let version = Given {
            text: version,
            span,
        };
        self.repository_ids[index].version = Some(Box::new(version));
        self.update_id(index);
    }

    pub(super) fn update_id(&mut self, index: usize) {
        self.model.definitions[index].repository_id = self.repository_ids[index].to_string();
    }
}

//! `typeid`, `typeprefix` and `import`; CORBA 3.3 part 1, 7.6 and 14.7.5.

use std::sync::Arc;

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Path};
use crate::source::Span;
use crate::syntax::{Imported, ScopedName};

/// The macro that the IDL files of the OMG ask for: where it is defined they include
/// files, and else import modules.
const OLD_COMPILERS: &str = "_PRE_3_0_COMPILER_";

impl Resolver<'_> {
    pub(super) fn type_prefix(&mut self, name: &ScopedName, prefix: String, span: Span) {
        let Some(id) = self.named_definition(name) else {
            return;
        };
        let definition = self.model.get(id);
        if matches!(
            definition.kind,
            DefinitionKind::Constant(_) | DefinitionKind::Typedef(_) | DefinitionKind::Native
        ) {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::RepositoryId,
                format!(
                    "`{}` is no scope that a prefix could be for",
                    definition.name
                ),
                name.span,
            ));
            return;
        }
        if let Some((old, before)) = self.type_prefixes.get(&id) {
            if *old != prefix {
                let message = format!("`{}` already has another prefix", definition.name);
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::RepositoryId, message, span)
                        .also(*before, "set here"),
                );
            }
            return;
        }
        let path = self.path_with(&prefix, self.model.get(id).parent);
        self.model.definitions[id.0 as usize].repository_id.path = path;
        self.type_prefixes.insert(id, (prefix, span));
        let mut pending = self.held_by(id);
        while let Some(inner) = pending.pop() {
            let definition = self.model.get(inner);
            let path = match self.type_prefixes.get(&inner) {
                Some((prefix, _)) => self.path_with(prefix, definition.parent),
                None => definition.parent.and_then(|id| self.prefixed_path(id)),
            };
            self.model.definitions[inner.0 as usize].repository_id.path = path;
            pending.extend(self.held_by(inner));
        }
    }

    /// The definitions in the scope of one.
    fn held_by(&self, id: DefinitionId) -> Vec<DefinitionId> {
        match &self.model.get(id).kind {
            DefinitionKind::Module(members) => members.clone(),
            DefinitionKind::Interface(interface) => interface.members.clone(),
            DefinitionKind::ValueType(value) => value.members.clone(),
            DefinitionKind::Home(home) => home.members.clone(),
            // Definitions within the members follow the definition itself.
            _ => {
                let parent = |inner: &DefinitionId| self.model.get(*inner).parent;
                let count = self.model.definitions.len() as u32;
                let following = (id.0 + 1..count).map(DefinitionId);
                let inside = following.take_while(|inner| {
                    let mut around = std::iter::successors(parent(inner), parent);
                    around.any(|outer| outer == id)
                });
                inside.filter(|inner| parent(inner) == Some(id)).collect()
            }
        }
    }

    /// The path of what stands in a definition, that `typeprefix` gives it.
    /// None if there is none for anything around it.
    pub(super) fn prefixed_path(&self, definition: DefinitionId) -> Option<Arc<Path>> {
        if self.type_prefixes.is_empty() {
            return None;
        }
        let mut around = std::iter::successors(Some(definition), |id| self.model.get(*id).parent);
        around.find(|id| self.type_prefixes.contains_key(id))?;
        let definition = self.model.get(definition);
        let outer = definition.repository_id.path.clone();
        Some(Path::within(outer, definition.name.clone()))
    }

    fn path_with(&self, prefix: &str, scope: Option<DefinitionId>) -> Option<Arc<Path>> {
        let scope = scope.map(|id| self.model.get(id).scoped_name.to_path());
        Path::prefixed(prefix, scope.map_or_else(Vec::new, |scope| scope.names()))
    }

    /// Checks that what is imported is there already: nothing is read for it. The
    /// module `CORBA` always is, as `CORBA::TypeCode` is.
    pub(super) fn import(&mut self, imported: &Imported, span: Span) {
        let (known, what) = match imported {
            Imported::RepositoryId(id) => {
                let mut definitions = self.model.definitions.iter();
                (
                    definitions.any(|definition| definition.repository_id == id.as_str()),
                    id.clone(),
                )
            }
            Imported::Name(name) => {
                let path: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
                let is_built_in = matches!(path.as_slice(), ["CORBA"] | ["CORBA", "TypeCode"]);
                (
                    is_built_in || self.model.find(&path).is_some(),
                    name.to_text(),
                )
            }
        };
        if !known {
            let message = format!("nothing is known of `{what}`, and nothing is read to import it");
            let help = match self.has_branch_without_imports(span) {
                true => format!(
                    "define `{OLD_COMPILERS}` (`-D{OLD_COMPILERS}`), for which this file has \
                     `#include` instead"
                ),
                false => "use `#include` with the file that defines it, before this".to_owned(),
            };
            self.diagnostics
                .push(Diagnostic::error(DiagnosticCode::NotSupported, message, span).help(help));
        }
    }

    /// Whether a file speaks of [`OLD_COMPILERS`].
    fn has_branch_without_imports(&self, span: Span) -> bool {
        let bytes = self.sources.file(span.file).bytes();
        bytes
            .windows(OLD_COMPILERS.len())
            .any(|text| text == OLD_COMPILERS.as_bytes())
    }
}

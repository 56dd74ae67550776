//! `typeid`, `typeprefix` and `import`; CORBA 3.3 part 1, 7.6 and 14.7.5.

use std::sync::Arc;

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Path};
use crate::source::Span;
use crate::syntax::{Imported, ScopedName};

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
        self.type_prefixes.insert(id, (prefix, span));
        // What it holds comes after it.
        for index in id.0 as usize..self.model.definitions.len() {
            let parent = self.model.definitions[index].parent;
            let path = match self.type_prefixes.get(&DefinitionId(index as u32)) {
                Some((prefix, _)) => Some(self.path_with(prefix, parent)),
                None => parent.and_then(|id| self.prefixed_path(id)).map(Some),
            };
            if let Some(path) = path {
                self.model.definitions[index].repository_id.path = path;
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

    /// What is imported must be there already: nothing else is read for it.
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
                let path = name.parts.iter().map(|part| &*part.text);
                (
                    self.model.find(&path.collect::<Vec<_>>()).is_some(),
                    name.to_text(),
                )
            }
        };
        if !known {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::NotSupported,
                    format!("nothing is known of `{what}`, and nothing is read to import it"),
                    span,
                )
                .help("use `#include` with the file that defines it"),
            );
        }
    }
}

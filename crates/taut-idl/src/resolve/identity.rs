//! `typeid`, `typeprefix` and `import`; CORBA 3.3 part 1, 7.6 and 14.7.5.

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind};
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
        for index in 0..self.model.definitions.len() {
            let inner = DefinitionId(index as u32);
            if let Some(path) = self.prefixed_path(Some(inner), None) {
                self.repository_ids[index].path = path;
                self.update_id(index);
            }
        }
    }

    /// The path of a definition, or of a name in its scope, that `typeprefix`
    /// gives it. None if there is none for anything around it.
    pub(super) fn prefixed_path(
        &self,
        definition: Option<DefinitionId>,
        name: Option<&str>,
    ) -> Option<String> {
        if self.type_prefixes.is_empty() {
            return None;
        }
        let mut next = definition;
        while let Some(id) = next {
            if let Some((prefix, _)) = self.type_prefixes.get(&id) {
                let names = definition.map_or(&[][..], |id| &self.model.get(id).scoped_name);
                let parts = std::iter::once(prefix.as_str())
                    .filter(|prefix| !prefix.is_empty())
                    .chain(names.iter().map(String::as_str))
                    .chain(name);
                return Some(parts.collect::<Vec<_>>().join("/"));
            }
            next = self.model.get(id).parent;
        }
        None
    }

    /// What is imported must be there already: nothing else is read for it.
    pub(super) fn import(&mut self, imported: &Imported, span: Span) {
        let (known, what) = match imported {
            Imported::RepositoryId(id) => {
                let mut definitions = self.model.definitions.iter();
                (
                    definitions.any(|definition| definition.repository_id == *id),
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

//! Repository ids as other compilers make them of the same source.

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Path};
use crate::options::ModuleIds;
use crate::source::{FileId, Span};

impl Resolver<'_> {
    /// Gives the ids of modules, and of what they hold, the prefixes and versions
    /// that the options say. The prefix and the version given to the innermost module
    /// count.
    pub(super) fn apply_module_ids(&mut self) {
        let mut settings: Vec<&ModuleIds> = self.options.module_ids.iter().collect();
        settings.sort_by_key(|ids| ids.module.split("::").count());
        for ids in settings {
            let name: Vec<&str> = ids.module.trim_start_matches("::").split("::").collect();
            let module = self.model.find(&name);
            match module.filter(|id| matches!(self.model.get(*id).kind, DefinitionKind::Module(_)))
            {
                Some(module) => self.apply_to(module, ids),
                None => self.report_no_module(&ids.module),
            }
        }
    }

    fn apply_to(&mut self, module: DefinitionId, ids: &ModuleIds) {
        let parent = |resolver: &Self, id: DefinitionId| resolver.model.get(id).parent;
        // Each definition stands behind the one that holds it.
        let count = self.model.definitions.len() as u32;
        for id in (module.0..count).map(DefinitionId) {
            let mut around = std::iter::successors(Some(id), |id| parent(self, *id));
            if !around.any(|outer| outer == module) {
                continue;
            }
            if let Some(prefix) = &ids.prefix {
                let scopes = match parent(self, id) {
                    Some(parent) => self.model.get(parent).scoped_name.to_path().names(),
                    None => Vec::new(),
                };
                let path = Path::prefixed(prefix, scopes);
                self.model.definitions[id.0 as usize].repository_id.path = path;
            }
            let repository_id = &mut self.model.definitions[id.0 as usize].repository_id;
            let is_given = repository_id
                .version()
                .is_some_and(|(_, span)| *span != NOWHERE);
            if let Some(version) = ids.version.as_ref().filter(|_| !is_given) {
                let given = repository_id.given.get_or_insert_default();
                given.version = Some((version.clone(), NOWHERE));
            }
        }
    }

    fn report_no_module(&mut self, module: &str) {
        let message = format!("there is no module `{module}` that ids could be set for");
        self.diagnostics.push(Diagnostic::error(
            DiagnosticCode::UnknownName,
            message,
            NOWHERE,
        ));
    }
}

/// The place of what the options say: the start of the first file, which holds the
/// macros that they define.
const NOWHERE: Span = Span {
    file: FileId(0),
    start: 0,
    end: 0,
};

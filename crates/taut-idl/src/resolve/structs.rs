//! Structs, and their inheritance as IDL 4.2 has it (7.4.13).

use super::entity::{Entity, ScopeId};
use super::scope::ScopeKind;
use super::{Incomplete, Resolver};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, List, Member};
use crate::syntax::{self, Name, ScopedName};

impl Resolver<'_> {
    /// Defines a struct.
    pub(super) fn structure(&mut self, definition: syntax::Struct) -> DefinitionId {
        let name = &definition.name;
        let kind = DefinitionKind::Struct(List::default());
        let id = self.start(name, &definition.preface, kind);
        let mut scope = self.inner(ScopeKind::Members, name, Some(id));
        let mut members = Vec::new();
        if let Some(base) = &definition.base {
            match self.struct_base(base, id) {
                Some((base, base_scope)) => {
                    scope.bases.push(base_scope);
                    members = self.inherited_members(base, name);
                    self.model.base_structs.insert(id, base);
                }
                None => scope.opaque = true,
            }
        }
        let own = self.within(scope, |resolver| resolver.members(definition.members));
        members.extend(own);
        self.incomplete.remove(&id);
        let culprit = members.iter().find_map(|member| self.culprit(&member.ty));
        self.note_culprit(id, culprit);
        *self.kind_mut(id) = DefinitionKind::Struct(members.into());
        id
    }

    fn inherited_members(&mut self, base: DefinitionId, derived: &Name) -> Vec<Member> {
        let count = match &self.model.get(base).kind {
            DefinitionKind::Struct(members) => members.len(),
            _ => 0,
        };
        if !self.expand(count, "the inherited members of structs", derived.span) {
            return Vec::new();
        }
        match &self.model.get(base).kind {
            DefinitionKind::Struct(members) => members.to_vec(),
            _ => Vec::new(),
        }
    }

    fn struct_base(
        &mut self,
        name: &ScopedName,
        derived: DefinitionId,
    ) -> Option<(DefinitionId, ScopeId)> {
        let entity = self.lookup(name)?;
        let id = match entity {
            Entity::Definition(id) => self.unaliased_definition(id),
            _ => return self.reject_kind(name, entity, "a struct"),
        };
        if !matches!(self.model.get(id).kind, DefinitionKind::Struct(_)) {
            return self.reject_kind(name, entity, "a struct");
        }
        let text = name.to_text();
        if id == derived {
            return self.reject(
                DiagnosticCode::Recursion,
                format!("the struct `{text}` inherits from itself"),
                name.span,
            );
        }
        if let Some(why) = self.incomplete.get(&id) {
            let here = match why {
                Incomplete::Declared => "only declared here",
                Incomplete::BeingDefined => "its members are not all known yet",
            };
            let message = format!("the base `{text}` is not defined yet");
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::Incomplete, message, name.span)
                    .also(self.model.get(id).span, here)
                    .help("a struct can only inherit from one that is defined before it"),
            );
            return None;
        }
        let most = self.options.limits.bases.min(1000);
        let bases = std::iter::successors(Some(id), |id| self.model.base_struct(*id));
        if bases.take(most + 1).count() > most {
            return self.reject(
                DiagnosticCode::LimitExceeded,
                format!("the struct inherits from more than {most} others"),
                name.span,
            );
        }
        Some((id, self.scope_of_definition(id)?))
    }
}

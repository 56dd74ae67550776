//! Local and native types, which never leave their process; CORBA 3.3 part 1,
//! 7.8.7 and 7.11.5.

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Feature, InterfaceKind, Type};
use crate::source::Span;

impl Resolver<'_> {
    /// The kind of an interface that is declared or defined.
    pub(super) fn interface_kind(&self, id: DefinitionId) -> Option<InterfaceKind> {
        Some(match &self.model.get(id).kind {
            DefinitionKind::Interface(interface) => interface.kind,
            DefinitionKind::InterfaceDeclaration => InterfaceKind::Unconstrained,
            DefinitionKind::AbstractInterfaceDeclaration => InterfaceKind::Abstract,
            DefinitionKind::LocalInterfaceDeclaration => InterfaceKind::Local,
            _ => return None,
        })
    }

    /// The local interface or native type that makes a type local.
    pub(super) fn culprit(&self, ty: &Type) -> Option<DefinitionId> {
        match ty {
            Type::Named(id) => self.culprit_of(*id),
            Type::Sequence { element, .. } | Type::Array { element, .. } => self.culprit(element),
            Type::Map { key, value, .. } => self.culprit(key).or_else(|| self.culprit(value)),
            _ => None,
        }
    }

    fn culprit_of(&self, id: DefinitionId) -> Option<DefinitionId> {
        let is_one = matches!(self.model.get(id).kind, DefinitionKind::Native)
            || self.interface_kind(id) == Some(InterfaceKind::Local);
        if is_one {
            return Some(id);
        }
        self.local_types.get(&id).copied()
    }

    /// Notes what makes a definition local.
    pub(super) fn note_culprit(&mut self, id: DefinitionId, culprit: Option<DefinitionId>) {
        if let Some(culprit) = culprit {
            self.local_types.insert(id, culprit);
        }
    }

    /// Checks that an interface which is not local has no use for local types.
    pub(super) fn check_remote(&mut self, feature: &Feature, places: &[Span], raises: &[Span]) {
        let remote = self.scope(self.current).definition.is_some_and(|id| {
            self.interface_kind(id)
                .is_some_and(|kind| kind != InterfaceKind::Local)
        });
        if !remote {
            return;
        }
        let (types, exceptions): (Vec<&Type>, Vec<DefinitionId>) = match feature {
            Feature::Operation(operation) => {
                let parameters = operation.parameters.iter().map(|parameter| &parameter.ty);
                (
                    operation.result.iter().chain(parameters).collect(),
                    operation.raises.to_vec(),
                )
            }
            Feature::Attribute(attribute) => (
                vec![&attribute.ty],
                [&attribute.get_raises[..], &attribute.set_raises].concat(),
            ),
        };
        let types = types.into_iter().zip(places);
        let types = types.filter_map(|(ty, span)| Some((self.culprit(ty)?, *span)));
        let exceptions = exceptions.into_iter().zip(raises);
        let exceptions = exceptions.filter_map(|(id, span)| Some((self.culprit_of(id)?, *span)));
        let found: Vec<(DefinitionId, Span)> = types.chain(exceptions).collect();
        for (culprit, span) in found {
            let definition = self.model.get(culprit);
            let name = &definition.name;
            let code = DiagnosticCode::LocalType;
            // The standard's own interfaces use native types freely, for they
            // became local only later.
            let diagnostic = if matches!(definition.kind, DefinitionKind::Native) {
                let message = format!("the native type `{name}` in an interface that is not local");
                Diagnostic::warning(code, message, span)
                    .help("this can never be asked of an object in another process")
            } else {
                let message = format!("the local type `{name}` in an interface that is not local");
                Diagnostic::error(code, message, span)
                    .help("make the interface `local`, or pass an `Object`")
            };
            let diagnostic = diagnostic.also(definition.span, "defined here");
            self.diagnostics.push(diagnostic);
        }
    }
}

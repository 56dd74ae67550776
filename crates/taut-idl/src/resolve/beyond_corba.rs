//! Types of IDL 4 that messages of CORBA have no form for. ORBs may agree on
//! one, but not all ORBs do.

use hashbrown::{HashMap, HashSet};

use super::Resolver;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{
    Definition, DefinitionId, DefinitionKind, Feature, Interface, InterfaceKind, Type,
};
use crate::source::Span;

/// A type that has no form: where it is, and what.
type Culprit = (Span, &'static str);

impl Resolver<'_> {
    /// Warns of such types in interfaces that are not local, each once for an
    /// interface.
    pub(super) fn report_beyond_corba(&mut self) {
        let culprits = self.culprits();
        let mut warnings = Vec::new();
        for (_, definition) in self.model.definitions() {
            let DefinitionKind::Interface(interface) = &definition.kind else {
                continue;
            };
            if interface.kind == InterfaceKind::Local {
                continue;
            }
            let mut told: HashSet<Culprit> = HashSet::new();
            for (span, culprit) in uses(&culprits, interface) {
                if told.insert(culprit) {
                    warnings.push(warning(span, culprit));
                }
            }
        }
        for warning in warnings {
            self.diagnostics.push(warning);
        }
    }

    /// The definitions that are such types or hold one. A type that holds itself is used
    /// before it is defined, so this goes round until nothing is new.
    fn culprits(&self) -> HashMap<DefinitionId, Culprit> {
        let mut culprits = HashMap::new();
        loop {
            let found: Vec<_> = self
                .model
                .definitions()
                .filter(|(id, _)| !culprits.contains_key(id))
                .filter_map(|(id, definition)| Some((id, culprit(&culprits, definition)?)))
                .collect();
            if found.is_empty() {
                return culprits;
            }
            culprits.extend(found);
        }
    }
}

fn culprit(culprits: &HashMap<DefinitionId, Culprit>, definition: &Definition) -> Option<Culprit> {
    let find = |ty, span| find(culprits, ty, span);
    match &definition.kind {
        DefinitionKind::Bitset(_) => Some((definition.span, "a bitset")),
        DefinitionKind::Bitmask(_) => Some((definition.span, "a bitmask")),
        DefinitionKind::Typedef(typedef) => find(&typedef.ty, definition.span),
        DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => members
            .iter()
            .find_map(|member| find(&member.ty, member.span)),
        DefinitionKind::Union(union) => {
            let mut members = union.branches.iter().map(|branch| &branch.member);
            members.find_map(|member| find(&member.ty, member.span))
        }
        _ => None,
    }
}

/// Finds the reason for which a type at this place is one.
fn find(culprits: &HashMap<DefinitionId, Culprit>, ty: &Type, span: Span) -> Option<Culprit> {
    match ty {
        Type::Map { .. } => Some((span, "a map")),
        Type::Sequence { element, .. } | Type::Array { element, .. } => {
            find(culprits, element, span)
        }
        Type::Named(id) => culprits.get(id).copied(),
        _ => None,
    }
}

/// Where an interface's operations and attributes use such types.
fn uses(culprits: &HashMap<DefinitionId, Culprit>, interface: &Interface) -> Vec<(Span, Culprit)> {
    let mut uses = Vec::new();
    let mut note = |span, culprit: Option<Culprit>| {
        uses.extend(culprit.map(|culprit| (span, culprit)));
    };
    for feature in &interface.features {
        match feature {
            Feature::Operation(operation) => {
                let span = operation.span;
                if let Some(ty) = &operation.result {
                    note(span, find(culprits, ty, span));
                }
                for parameter in &operation.parameters {
                    note(
                        parameter.span,
                        find(culprits, &parameter.ty, parameter.span),
                    );
                }
                for exception in &operation.raises {
                    note(span, culprits.get(exception).copied());
                }
            }
            Feature::Attribute(attribute) => {
                let span = attribute.span;
                note(span, find(culprits, &attribute.ty, span));
                for exception in attribute.get_raises.iter().chain(&attribute.set_raises) {
                    note(span, culprits.get(exception).copied());
                }
            }
        }
    }
    uses
}

fn warning(span: Span, (place, what): Culprit) -> Diagnostic {
    let message = format!("{what} in an interface that is not local");
    let diagnostic = Diagnostic::warning(DiagnosticCode::BeyondCorba, message, span);
    let diagnostic = match place == span {
        true => diagnostic,
        false => diagnostic.also(place, format!("here is {what}")),
    };
    diagnostic
        .help("CORBA's messages have no form for it; other ORBs do not know the one that Taut has")
}

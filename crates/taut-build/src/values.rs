//! The facts about value types: their bases, and what they become.

use std::collections::HashMap;

use taut_idl::model::{
    DefinitionId, DefinitionKind, InterfaceKind, Model, Type, ValueKind, ValueType,
};

/// Whether a type is, behind its aliases, a value type, a box or `ValueBase`.
pub(crate) fn is_value(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::ValueBase => true,
        Type::Named(id) => is_value_definition(model, *id),
        _ => false,
    }
}

/// Whether a definition is a value type or a box.
pub(crate) fn is_value_definition(model: &Model, id: DefinitionId) -> bool {
    matches!(
        model.get(id).kind,
        DefinitionKind::ValueType(_) | DefinitionKind::ValueBox(_)
    )
}

/// Whether a definition is an abstract interface.
pub(crate) fn is_abstract_interface(model: &Model, id: DefinitionId) -> bool {
    let interface = model.interface(id);
    interface.is_some_and(|interface| interface.kind == InterfaceKind::Abstract)
}

/// Whether a type is, behind its aliases, an abstract interface.
pub(crate) fn is_abstract(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::Named(id) => is_abstract_interface(model, *id),
        _ => false,
    }
}

/// The value types that one derives from, and the interfaces that it supports,
/// by way of others too; each once.
pub(crate) struct Ancestors {
    /// The nearest first.
    pub(crate) values: Vec<DefinitionId>,
    pub(crate) interfaces: Vec<DefinitionId>,
}

impl Ancestors {
    pub(crate) fn of(model: &Model, id: DefinitionId) -> Self {
        let mut ancestors = Self {
            values: Vec::new(),
            interfaces: Vec::new(),
        };
        let mut waiting = vec![id];
        while let Some(next) = waiting.pop() {
            let Some(value) = model.value_type(next) else {
                continue;
            };
            for &interface in &value.supports {
                ancestors.add_interface(interface);
                for base in model.all_bases(interface) {
                    ancestors.add_interface(base);
                }
            }
            for base in value.base.iter().chain(&value.abstract_bases) {
                if !ancestors.values.contains(base) {
                    ancestors.values.push(*base);
                    waiting.push(*base);
                }
            }
        }
        ancestors
    }

    fn add_interface(&mut self, interface: DefinitionId) {
        if !self.interfaces.contains(&interface) {
            self.interfaces.push(interface);
        }
    }
}

/// The repository ids that values of a type are sent with: its own, and those
/// of the bases that a receiver may truncate it to.
pub(crate) fn sent_ids(model: &Model, id: DefinitionId) -> Vec<String> {
    let mut ids = vec![model.get(id).repository_id.to_string()];
    let mut next = model.value_type(id);
    while let Some(value) = next.filter(|value| value.truncatable)
        && let Some(base) = value.base
    {
        ids.push(model.get(base).repository_id.to_string());
        next = model.value_type(base);
    }
    ids
}

/// Whether a value type has operations or attributes, perhaps inherited or by
/// way of an interface that it supports.
pub(crate) fn has_operations(model: &Model, id: DefinitionId) -> bool {
    let own = |value: &ValueType| !value.features.is_empty() || !value.supports.is_empty();
    let has = |id: &DefinitionId| model.value_type(*id).is_some_and(own);
    has(&id) || Ancestors::of(model, id).values.iter().any(has)
}

/// By value types and interfaces, the value types with state that are theirs;
/// itself the first of its own.
pub(crate) fn known_values(
    model: &Model,
    is_omitted: impl Fn(DefinitionId) -> bool,
) -> HashMap<DefinitionId, Vec<DefinitionId>> {
    let mut known: HashMap<DefinitionId, Vec<DefinitionId>> = HashMap::new();
    for (id, definition) in model.definitions() {
        let has_state = match &definition.kind {
            DefinitionKind::ValueType(value) => value.kind != ValueKind::Abstract,
            kind => matches!(kind, DefinitionKind::ValueBox(_)),
        };
        if !has_state || is_omitted(id) {
            continue;
        }
        let ancestors = Ancestors::of(model, id);
        let all = ancestors.values.into_iter().chain(ancestors.interfaces);
        known.entry(id).or_default().insert(0, id);
        for ancestor in all {
            known.entry(ancestor).or_default().push(id);
        }
    }
    known
}

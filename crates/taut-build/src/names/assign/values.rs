//! The names of a value type, and of what comes with it.

use taut_idl::model::{
    DefinitionId, Factory, Operation, Parameter, ParameterMode, ValueKind, ValueType,
};

use super::super::claims::{Claimant, Namespace};
use super::super::{BASE_FIELD, Case, DefinitionName, factory_trait, operations_trait};
use super::Assignment;
use crate::method::Method;
use crate::values::has_operations;

impl Assignment<'_> {
    pub(super) fn value_type(
        &mut self,
        id: DefinitionId,
        value: &ValueType,
        name: &mut DefinitionName,
        claimant: &Claimant,
    ) {
        let module = name.module.clone();
        self.claim(&module, Namespace::Type, &name.ident, claimant);
        let has_state = value.base.is_some() || !value.state.is_empty();
        if !has_state && value.kind != ValueKind::Abstract {
            self.claim(&module, Namespace::Value, &name.ident, claimant);
        }
        let mut fields = self.local_claims(&claimant.scoped_name);
        if value.base.is_some() {
            fields.claim(BASE_FIELD, claimant.part("base"), &mut self.collisions);
        }
        let state = value.state.iter().map(|one| &one.member);
        let state = state.map(|member| (member.name.as_str(), member.span));
        let scope = &claimant.scoped_name;
        name.members = self.claiming_members(fields, scope, state, "member", Case::Snake);
        if has_operations(self.model, id) {
            let operations = operations_trait(&name.ident);
            let of_operations = claimant.part("trait");
            self.claim(&module, Namespace::Type, &operations, &of_operations);
        }
        if !value.factories.is_empty() {
            let factory = factory_trait(&name.ident);
            let of_factory = claimant.part("factory");
            self.claim(&module, Namespace::Type, &factory, &of_factory);
        }
        let methods = self.features(claimant, &value.features);
        let factories: Vec<Method> = value
            .factories
            .iter()
            .map(|factory| {
                let mut method = self.operation(claimant, &as_operation(factory));
                method.description = format!("factory `{}`", method.scoped_name);
                method.fallback_doc = format!("Makes a value, as the factory `{}`.", factory.name);
                method
            })
            .collect();
        self.inner(&methods, &factories, &value.members, name, claimant);
        self.methods.insert(id, methods);
        self.factories.insert(id, factories);
    }
}

/// An initialiser, as an operation with the same parameters.
fn as_operation(factory: &Factory) -> Operation {
    Operation {
        name: factory.name.clone(),
        span: factory.span,
        docs: factory.docs.clone(),
        annotations: factory.annotations.clone(),
        oneway: false,
        result: None,
        parameters: factory
            .parameters
            .iter()
            .map(|parameter| Parameter {
                mode: ParameterMode::In,
                ..parameter.clone()
            })
            .collect(),
        raises: factory.raises.clone(),
        context: Default::default(),
    }
}

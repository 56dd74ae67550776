//! The names of an interface, and of what its operations and attributes become.

use taut_idl::model::{Attribute, DefinitionId, Feature, InterfaceKind, Operation, ParameterMode};

use super::super::claims::{Claimant, Namespace};
use super::super::{
    Case, DefinitionName, abstract_type, async_skeleton_type, async_trait, poller_type,
    reference_type, skeleton_type,
};
use super::Assignment;
use crate::keywords::unraw;
use crate::method::{Method, MethodParameter};
use crate::support::is_local;

impl Assignment<'_> {
    pub(super) fn interface(
        &mut self,
        id: DefinitionId,
        name: &DefinitionName,
        claimant: &Claimant,
    ) {
        let module = &name.module;
        let reference = reference_type(&name.ident);
        let of_reference = claimant.part("reference type");
        self.claim(module, Namespace::Type, &reference, &of_reference);
        // That of a local interface is an alias.
        let is_local = is_local(self.model, id);
        if !is_local {
            self.claim(module, Namespace::Value, &reference, &of_reference);
        }
        let Some(interface) = self.model.interface(id) else {
            return;
        };
        self.claim(module, Namespace::Type, &name.ident, claimant);
        if interface.kind == InterfaceKind::Abstract {
            let passed = abstract_type(&name.ident);
            let of_passed = claimant.part("parameter type");
            self.claim(module, Namespace::Type, &passed, &of_passed);
        }
        if !is_local {
            let skeleton = skeleton_type(&name.ident);
            let of_skeleton = claimant.part("skeleton");
            self.claim(module, Namespace::Type, &skeleton, &of_skeleton);
            self.claim(module, Namespace::Value, &skeleton, &of_skeleton);
        }
        if self.strategies.answers_later(id) {
            let servant = async_trait(&name.ident);
            self.claim(
                module,
                Namespace::Type,
                &servant,
                &claimant.part("asynchronous trait"),
            );
            let skeleton = async_skeleton_type(&name.ident);
            let of_skeleton = claimant.part("asynchronous skeleton");
            self.claim(module, Namespace::Type, &skeleton, &of_skeleton);
            self.claim(module, Namespace::Value, &skeleton, &of_skeleton);
        }

        if self.reply_handlers.of(id).is_some() {
            let poller = poller_type(&name.ident);
            let of_poller = claimant.part("poller");
            self.claim(module, Namespace::Type, &poller, &of_poller);
            self.claim(module, Namespace::Value, &poller, &of_poller);
        }

        let methods = self.features(claimant, &interface.features);
        self.inner(&methods, &[], &interface.members, name, claimant);
        self.methods.insert(id, methods);
    }

    /// The methods of operations and attributes.
    pub(super) fn features(&mut self, claimant: &Claimant, features: &[Feature]) -> Vec<Method> {
        let methods = features.iter().flat_map(|feature| match feature {
            Feature::Operation(operation) => vec![self.operation(claimant, operation)],
            Feature::Attribute(attribute) => self.attribute(claimant, attribute),
        });
        methods.collect()
    }

    /// Names what is in the module of an interface or a value type: what it
    /// defines, and the types that its methods bring along.
    pub(super) fn inner(
        &mut self,
        methods: &[Method],
        factories: &[Method],
        members: &[DefinitionId],
        name: &DefinitionName,
        claimant: &Claimant,
    ) {
        let extras: Vec<(String, Claimant)> = methods
            .iter()
            .chain(factories)
            .flat_map(|method| {
                let claimant = claimant_of(method);
                let error = method
                    .error_type
                    .clone()
                    .map(|ty| (ty, claimant.part("error type")));
                let reply = method
                    .reply_type
                    .clone()
                    .map(|ty| (ty, claimant.part("reply type")));
                error.into_iter().chain(reply)
            })
            .collect();
        let has_module = !members.is_empty() || !extras.is_empty();
        if has_module && let Some(inner) = name.scope.segments.last() {
            let module = claimant.part("module");
            self.claim(&name.module, Namespace::Type, inner, &module);
        }
        for &member in members {
            self.definition(member, &name.scope);
        }
        for (extra, claimant) in &extras {
            self.claim(&name.scope, Namespace::Type, extra, claimant);
        }
    }

    pub(super) fn operation(&mut self, interface: &Claimant, operation: &Operation) -> Method {
        let scoped_name = format!("{}::{}", interface.scoped_name, operation.name);
        let description = format!("operation `{scoped_name}`");
        let name = self.identifier(
            &scoped_name,
            (&Case::Snake.apply(&operation.name), Case::Snake),
            &description,
            operation.span,
        );
        let parameters = operation.parameters.iter();
        let parameter_names = self.members(
            &scoped_name,
            parameters.map(|parameter| (parameter.name.as_str(), parameter.span)),
            "parameter",
            Case::Snake,
        );
        let parameters: Vec<_> = operation
            .parameters
            .iter()
            .zip(parameter_names)
            .map(|(parameter, name)| MethodParameter {
                idl_name: parameter.name.to_string(),
                name,
                mode: parameter.mode,
                ty: parameter.ty.clone(),
            })
            .collect();
        finish(Method {
            description,
            scoped_name,
            wire_name: operation.name.to_string(),
            name,
            span: operation.span,
            docs: operation.docs.to_vec(),
            fallback_doc: format!("Performs the operation `{}`.", operation.name),
            oneway: operation.oneway,
            result: operation.result.clone(),
            parameters,
            raises: operation.raises.to_vec(),
            context: operation.context.iter().map(ToString::to_string).collect(),
            error_type: None,
            reply_type: None,
        })
    }

    pub(super) fn attribute(&mut self, interface: &Claimant, attribute: &Attribute) -> Vec<Method> {
        let scoped_name = format!("{}::{}", interface.scoped_name, attribute.name);
        let description = format!("attribute `{scoped_name}`");
        let name = self.identifier(
            &scoped_name,
            (&Case::Snake.apply(&attribute.name), Case::Snake),
            &description,
            attribute.span,
        );
        let getter = finish(Method {
            description: description.clone(),
            scoped_name: scoped_name.clone(),
            wire_name: format!("_get_{}", attribute.name),
            name: name.clone(),
            span: attribute.span,
            docs: attribute.docs.to_vec(),
            fallback_doc: format!("Reads the attribute `{}`.", attribute.name),
            oneway: false,
            result: Some(attribute.ty.clone()),
            parameters: Vec::new(),
            raises: attribute.get_raises.to_vec(),
            context: Vec::new(),
            error_type: None,
            reply_type: None,
        });
        if attribute.readonly {
            return vec![getter];
        }
        let setter = finish(Method {
            description: format!("setter of the {description}"),
            scoped_name,
            wire_name: format!("_set_{}", attribute.name),
            name: format!("set_{}", unraw(&name).trim_end_matches('_')),
            span: attribute.span,
            docs: Vec::new(),
            fallback_doc: format!("Writes the attribute `{}`.", attribute.name),
            oneway: false,
            result: None,
            parameters: vec![MethodParameter {
                idl_name: "value".to_owned(),
                name: "value".to_owned(),
                mode: ParameterMode::In,
                ty: attribute.ty.clone(),
            }],
            raises: attribute.set_raises.to_vec(),
            context: Vec::new(),
            error_type: None,
            reply_type: None,
        });
        vec![getter, setter]
    }
}

/// Adds the names of the types that a method brings along.
fn finish(mut method: Method) -> Method {
    let stem = Case::UpperCamel.apply(unraw(&method.name));
    method.error_type = (!method.raises.is_empty()).then(|| format!("{stem}Error"));
    method.reply_type = (method.values().len() > 2).then(|| format!("{stem}Reply"));
    method
}

/// A method as the claimant of its name.
pub(super) fn claimant_of(method: &Method) -> Claimant {
    Claimant {
        description: method.description.clone(),
        scoped_name: method.scoped_name.clone(),
        span: method.span,
    }
}

//! Giving names to everything that a model defines.

use std::collections::{BTreeSet, HashMap};

use taut_idl::model::{
    Attribute, Definition, DefinitionId, DefinitionKind, Feature, Model, Operation, ParameterMode,
};
use taut_idl::source::Span;

use super::claims::{Claimant, Claims, LocalClaims, Namespace};
use super::keywords::{escape, escape_module, unraw};
use super::path::ModulePath;
use super::{Case, DefinitionName, Names, is_reference, reference_type, skeleton_type};
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::method::{Method, MethodParameter};
use crate::options::GenerateOptions;

pub(super) fn assign(
    model: &Model,
    options: &GenerateOptions,
) -> Result<Names, Vec<GenerateError>> {
    let mut assignment = Assignment {
        model,
        options,
        used: BTreeSet::new(),
        claims: Claims::default(),
        definitions: HashMap::new(),
        methods: HashMap::new(),
        errors: Vec::new(),
    };
    assignment.check_extern_modules();
    for &root in model.roots() {
        assignment.definition(root, &ModulePath::file());
    }
    assignment.check_inherited_methods();
    assignment.check_options_used();
    if assignment.errors.is_empty() {
        Ok(Names {
            definitions: assignment.definitions,
            methods: assignment.methods,
            taken: assignment.claims.taken,
        })
    } else {
        Err(assignment.errors)
    }
}

struct Assignment<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    /// The names of the options that meant something.
    used: BTreeSet<&'a str>,
    claims: Claims,
    definitions: HashMap<DefinitionId, DefinitionName>,
    methods: HashMap<DefinitionId, Vec<Method>>,
    errors: Vec<GenerateError>,
}

impl Assignment<'_> {
    fn definition(&mut self, id: DefinitionId, module: &ModulePath) {
        let model = self.model;
        let definition = model.get(id);
        let scoped_name = definition.scoped_name.join("::");
        let claimant = Claimant {
            description: format!("{} `{scoped_name}`", kind_name(&definition.kind)),
            scoped_name: scoped_name.clone(),
            span: definition.span,
        };
        let mut name = DefinitionName {
            module: module.clone(),
            ident: String::new(),
            scope: module.clone(),
            members: Vec::new(),
        };
        match &definition.kind {
            DefinitionKind::Module(members) => {
                name.ident = self.name(&scoped_name, definition, Case::Snake);
                name.scope = match self.external(&scoped_name) {
                    Some(external) => external,
                    None => {
                        self.claim(module, Namespace::Type, &name.ident, &claimant);
                        module.child(&name.ident)
                    }
                };
                for &member in members {
                    self.definition(member, &name.scope);
                }
            }
            DefinitionKind::Interface(_) | DefinitionKind::InterfaceDeclaration => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                name.scope = module.child(&escape_module(&Case::Snake.apply(unraw(&name.ident))));
                self.interface(id, &name, &claimant);
            }
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                if members.is_empty() {
                    self.claim(module, Namespace::Value, &name.ident, &claimant);
                }
                let members = members
                    .iter()
                    .map(|member| (member.name.as_str(), member.span));
                name.members = self.members(&scoped_name, members, "member", Case::Snake);
            }
            DefinitionKind::Enum(enumerators) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                let members = enumerators
                    .iter()
                    .map(|member| (member.name.as_str(), member.span));
                name.members = self.members(&scoped_name, members, "enumerator", Case::UpperCamel);
            }
            DefinitionKind::Typedef(typedef) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                if is_reference(model, &typedef.ty) {
                    name.ident = reference_type(&name.ident);
                }
                self.claim(module, Namespace::Type, &name.ident, &claimant);
            }
            DefinitionKind::Constant(_) => {
                name.ident = self.name(&scoped_name, definition, Case::Screaming);
                self.claim(module, Namespace::Value, &name.ident, &claimant);
            }
            _ => self.errors.push(
                GenerateError::new(
                    GenerateErrorKind::NotSupported,
                    format!("`{scoped_name}` is of a kind that has no mapping to Rust yet"),
                )
                .at(definition.span, "defined here"),
            ),
        }
        self.definitions.insert(id, name);
    }

    fn interface(&mut self, id: DefinitionId, name: &DefinitionName, claimant: &Claimant) {
        let module = &name.module;
        let reference = reference_type(&name.ident);
        let of_reference = claimant.part("reference type");
        self.claim(module, Namespace::Type, &reference, &of_reference);
        self.claim(module, Namespace::Value, &reference, &of_reference);
        let Some(interface) = self.model.interface(id) else {
            return;
        };
        self.claim(module, Namespace::Type, &name.ident, claimant);
        let skeleton = skeleton_type(&name.ident);
        let of_skeleton = claimant.part("skeleton");
        self.claim(module, Namespace::Type, &skeleton, &of_skeleton);
        self.claim(module, Namespace::Value, &skeleton, &of_skeleton);

        let methods: Vec<Method> = interface
            .features
            .iter()
            .flat_map(|feature| match feature {
                Feature::Operation(operation) => vec![self.operation(claimant, operation)],
                Feature::Attribute(attribute) => self.attribute(claimant, attribute),
            })
            .collect();
        let extras: Vec<(String, Claimant)> = methods
            .iter()
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
        let has_module = !interface.members.is_empty() || !extras.is_empty();
        if has_module && let Some(inner) = name.scope.segments.last() {
            self.claim(module, Namespace::Type, inner, &claimant.part("module"));
        }
        for &member in &interface.members {
            self.definition(member, &name.scope);
        }
        for (extra, claimant) in &extras {
            self.claim(&name.scope, Namespace::Type, extra, claimant);
        }
        self.methods.insert(id, methods);
    }

    fn operation(&mut self, interface: &Claimant, operation: &Operation) -> Method {
        let scoped_name = format!("{}::{}", interface.scoped_name, operation.name);
        let description = format!("operation `{scoped_name}`");
        let name = self.identifier(
            &scoped_name,
            &Case::Snake.apply(&operation.name),
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
                idl_name: parameter.name.clone(),
                name,
                mode: parameter.mode,
                ty: parameter.ty.clone(),
            })
            .collect();
        finish(Method {
            description,
            scoped_name,
            wire_name: operation.name.clone(),
            name,
            span: operation.span,
            docs: operation.docs.clone(),
            fallback_doc: format!("Performs the operation `{}`.", operation.name),
            oneway: operation.oneway,
            result: operation.result.clone(),
            parameters,
            raises: operation.raises.clone(),
            error_type: None,
            reply_type: None,
        })
    }

    fn attribute(&mut self, interface: &Claimant, attribute: &Attribute) -> Vec<Method> {
        let scoped_name = format!("{}::{}", interface.scoped_name, attribute.name);
        let description = format!("attribute `{scoped_name}`");
        let name = self.identifier(
            &scoped_name,
            &Case::Snake.apply(&attribute.name),
            &description,
            attribute.span,
        );
        let getter = finish(Method {
            description: description.clone(),
            scoped_name: scoped_name.clone(),
            wire_name: format!("_get_{}", attribute.name),
            name: name.clone(),
            span: attribute.span,
            docs: attribute.docs.clone(),
            fallback_doc: format!("Reads the attribute `{}`.", attribute.name),
            oneway: false,
            result: Some(attribute.ty.clone()),
            parameters: Vec::new(),
            raises: attribute.get_raises.clone(),
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
            raises: attribute.set_raises.clone(),
            error_type: None,
            reply_type: None,
        });
        vec![getter, setter]
    }

    /// Names the parts of a definition, which must differ from each other.
    fn members<'m>(
        &mut self,
        scope: &str,
        members: impl Iterator<Item = (&'m str, Span)>,
        kind: &str,
        case: Case,
    ) -> Vec<String> {
        let mut claims = LocalClaims::default();
        members
            .map(|(idl_name, span)| {
                let scoped_name = format!("{scope}::{idl_name}");
                let description = format!("{kind} `{scoped_name}`");
                let made = case.apply(idl_name);
                let name = self.identifier(&scoped_name, &made, &description, span);
                let claimant = Claimant {
                    description,
                    scoped_name,
                    span,
                };
                claims.claim(&name, claimant, &mut self.errors);
                name
            })
            .collect()
    }

    fn name(&mut self, scoped_name: &str, definition: &Definition, case: Case) -> String {
        let kind = kind_name(&definition.kind);
        let description = format!("{kind} `{scoped_name}`");
        let made = case.apply(&definition.name);
        let name = self.identifier(scoped_name, &made, &description, definition.span);
        if matches!(definition.kind, DefinitionKind::Module(_)) {
            escape_module(unraw(&name))
        } else {
            name
        }
    }

    /// The identifier for something: what the options say, or what was made of
    /// its IDL name.
    fn identifier(
        &mut self,
        scoped_name: &str,
        made: &str,
        description: &str,
        span: Span,
    ) -> String {
        let wish = match self.options.renames.get_key_value(scoped_name) {
            Some((key, wish)) => {
                self.used.insert(key);
                unraw(wish)
            }
            None => made,
        };
        let identifier = escape(wish);
        if syn::parse_str::<syn::Ident>(&identifier).is_ok() {
            return identifier;
        }
        let message = format!("the {description} cannot be `{wish}` in Rust");
        self.errors.push(
            GenerateError::new(GenerateErrorKind::InvalidName, message)
                .at(span, "defined here")
                .help("a Rust identifier starts with a letter and goes on with letters, digits and underscores"),
        );
        // No code is generated once there is an error.
        "invalid".to_owned()
    }

    fn external(&mut self, scoped_name: &str) -> Option<ModulePath> {
        let (key, path) = self.options.extern_modules.get_key_value(scoped_name)?;
        self.used.insert(key);
        Some(ModulePath::external(path))
    }

    fn claim(
        &mut self,
        module: &ModulePath,
        namespace: Namespace,
        name: &str,
        claimant: &Claimant,
    ) {
        self.claims
            .claim(module, namespace, name, claimant, &mut self.errors);
    }

    /// A trait and its supertraits may not have methods of the same name: a
    /// call would be ambiguous.
    fn check_inherited_methods(&mut self) {
        let model = self.model;
        for (id, _) in model.definitions() {
            if model.interface(id).is_none() {
                continue;
            }
            let mut claims = LocalClaims::default();
            for interface in model.all_bases(id).into_iter().chain([id]) {
                for method in self.methods.get(&interface).into_iter().flatten() {
                    claims.claim(&method.name, claimant_of(method), &mut self.errors);
                }
            }
        }
    }

    fn check_extern_modules(&mut self) {
        for (name, path) in &self.options.extern_modules {
            let absolute = path.starts_with("::") || path.starts_with("crate::");
            if absolute && syn::parse_str::<syn::Path>(path).is_ok() {
                continue;
            }
            self.errors.push(
                GenerateError::new(
                    GenerateErrorKind::InvalidPath,
                    format!(
                        "`{path}`, given for the IDL module `{name}`, is no absolute Rust path"
                    ),
                )
                .help("write it as `::some_crate::some_module` or `crate::some_module`"),
            );
        }
    }

    fn check_options_used(&mut self) {
        let extern_modules = self.options.extern_modules.keys();
        let given = extern_modules
            .map(|name| (name, "extern_module"))
            .chain(self.options.renames.keys().map(|name| (name, "rename")));
        for (name, option) in given {
            if !self.used.contains(name.as_str()) {
                self.errors.push(GenerateError::new(
                    GenerateErrorKind::UnknownName,
                    format!("`{option}` is given `{name}`, which the IDL does not define"),
                ));
            }
        }
    }
}

/// Adds the names of the types that a method brings along.
fn finish(mut method: Method) -> Method {
    let stem = Case::UpperCamel.apply(unraw(&method.name));
    method.error_type = (!method.raises.is_empty()).then(|| format!("{stem}Error"));
    method.reply_type = (method.values().len() > 2).then(|| format!("{stem}Reply"));
    method
}

fn claimant_of(method: &Method) -> Claimant {
    Claimant {
        description: method.description.clone(),
        scoped_name: method.scoped_name.clone(),
        span: method.span,
    }
}

fn kind_name(kind: &DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Module(_) => "module",
        DefinitionKind::Interface(_) | DefinitionKind::InterfaceDeclaration => "interface",
        DefinitionKind::Struct(_) => "struct",
        DefinitionKind::Exception(_) => "exception",
        DefinitionKind::Enum(_) => "enum",
        DefinitionKind::Typedef(_) => "type",
        DefinitionKind::Constant(_) => "constant",
        _ => "definition",
    }
}

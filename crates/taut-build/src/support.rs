//! The parts of a model that have no mapping to Rust.
//!
//! In a main file that is a fault. An included file may define more than its
//! includer needs: there, what has no mapping is left out, together with what
//! is made of it, and only its use in a main file is a fault.

use std::collections::HashMap;

use taut_idl::model::{
    Definition, DefinitionId, DefinitionKind, Feature, InterfaceKind, Member, Model, Type,
    ValueType,
};
use taut_idl::source::Span;

use crate::fault::{GenerateError, GenerateErrorKind};
use crate::options::GenerateOptions;

/// The definitions that are left out.
#[derive(Debug, Default)]
pub(crate) struct Omitted {
    obstacles: HashMap<DefinitionId, Obstacle>,
}

/// Why a definition has no mapping.
#[derive(Debug, Clone)]
struct Obstacle {
    /// The construct that has none, for people.
    what: String,
    /// Where that is.
    span: Span,
    help: Option<String>,
    /// The definition without a mapping that this one only uses.
    origin: Option<DefinitionId>,
}

impl Omitted {
    /// Finds what has no mapping.
    ///
    /// # Errors
    ///
    /// The constructs without a mapping that stand in a main file.
    pub(crate) fn find(
        model: &Model,
        options: &GenerateOptions,
    ) -> Result<Self, Vec<GenerateError>> {
        let mut omitted = Self::default();
        // Definitions are used before and after they are defined: until no
        // more are found.
        loop {
            let found: Vec<_> = model
                .definitions()
                .filter(|(id, _)| !omitted.contains(*id))
                .filter_map(|(id, definition)| {
                    let obstacle = omitted.obstacle(model, options, definition)?;
                    Some((id, obstacle))
                })
                .collect();
            if found.is_empty() {
                break;
            }
            omitted.obstacles.extend(found);
        }
        let errors = omitted.errors(model, options);
        if errors.is_empty() {
            Ok(omitted)
        } else {
            Err(errors)
        }
    }

    /// Whether nothing is generated for a definition.
    pub(crate) fn contains(&self, id: DefinitionId) -> bool {
        self.obstacles.contains_key(&id)
    }

    /// Those that something in them keeps from having a mapping, rather than
    /// another definition that they use; in the order of the IDL.
    pub(crate) fn origins(&self) -> Vec<DefinitionId> {
        let origins = self.obstacles.iter();
        let origins = origins.filter(|(_, obstacle)| obstacle.origin.is_none());
        let mut ids: Vec<_> = origins.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids
    }

    fn errors(&self, model: &Model, options: &GenerateOptions) -> Vec<GenerateError> {
        let is_reported = |id: DefinitionId| {
            let definition = model.get(id);
            definition.in_main_file && !is_external(options, definition)
        };
        let mut ids: Vec<_> = self.obstacles.keys().copied().collect();
        ids.sort_unstable();
        // A template module asks for nothing: its instances are what is made.
        let is_template =
            |id: DefinitionId| matches!(model.get(id).kind, DefinitionKind::TemplateModule(_));
        ids.into_iter()
            .filter(|id| is_reported(*id) && !is_template(*id))
            .filter_map(|id| {
                let obstacle = &self.obstacles[&id];
                if obstacle.origin.is_some_and(is_reported) {
                    return None;
                }
                let message = format!("{} has no mapping to Rust yet", obstacle.what);
                let remark = match obstacle.origin {
                    Some(_) => "used here",
                    None => "",
                };
                let error = GenerateError::new(GenerateErrorKind::NotSupported, message)
                    .at(obstacle.span, remark);
                let error = match obstacle.origin {
                    Some(origin) => error.at(model.get(origin).span, "defined here"),
                    None => error,
                };
                Some(match &obstacle.help {
                    Some(help) => error.help(help),
                    None => error,
                })
            })
            .collect()
    }

    fn obstacle(
        &self,
        model: &Model,
        options: &GenerateOptions,
        definition: &Definition,
    ) -> Option<Obstacle> {
        let name = definition.scoped_name.join("::");
        let this = |what: &str| Obstacle {
            what: format!("the {what} `{name}`"),
            span: definition.span,
            help: None,
            origin: None,
        };
        let component = |what: &str| Obstacle {
            help: Some(
                "components, with their homes, ports and connectors, are checked only: keep them \
                 in files that are included, and compile files of interfaces"
                    .to_owned(),
            ),
            ..this(what)
        };
        if let Some(parent) = definition.parent
            && let Some(obstacle) = self.obstacles.get(&parent)
            && !matches!(model.get(parent).kind, DefinitionKind::Module(_))
        {
            return Some(Obstacle {
                origin: Some(obstacle.origin.unwrap_or(parent)),
                ..obstacle.clone()
            });
        }
        match &definition.kind {
            DefinitionKind::ValueType(value) => self.in_value_type(model, value, definition.span),
            DefinitionKind::ValueTypeDeclaration => Some(this("undefined value type")),
            DefinitionKind::ValueBox(ty) => self.in_type(model, ty, definition.span),
            DefinitionKind::AbstractInterfaceDeclaration => {
                Some(this("undefined abstract interface"))
            }
            DefinitionKind::Component(_) | DefinitionKind::ComponentDeclaration => {
                Some(component("component"))
            }
            DefinitionKind::Home(_) => Some(component("home")),
            DefinitionKind::PortType(_) | DefinitionKind::PortTypeDeclaration => {
                Some(component("port type"))
            }
            DefinitionKind::Connector(_) => Some(component("connector")),
            DefinitionKind::TemplateModule(_) => Some(this("template module")),
            DefinitionKind::LocalInterfaceDeclaration => Some(this("undefined local interface")),
            DefinitionKind::Native if !options.native_types.contains_key(&name) => Some(Obstacle {
                help: Some(format!(
                    "say in build.rs which Rust type it is: \
                     `Config::new().native_type(\"{name}\", \"::some_crate::SomeType\")`"
                )),
                ..this("native type")
            }),
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                self.in_members(model, members.iter())
            }
            DefinitionKind::Union(union) => self
                .in_type(model, &union.discriminator, definition.span)
                .or_else(|| {
                    self.in_members(model, union.branches.iter().map(|branch| &branch.member))
                }),
            DefinitionKind::Typedef(typedef) => self.in_type(model, &typedef.ty, definition.span),
            DefinitionKind::Constant(constant) => {
                self.in_type(model, &constant.ty, definition.span)
            }
            DefinitionKind::Interface(interface) => {
                let is_local = interface.kind == InterfaceKind::Local;
                let bases = interface.bases.iter();
                bases
                    .copied()
                    .find_map(|base| self.used(model, base, definition.span))
                    .or_else(|| {
                        let features = &mut interface.features.iter();
                        features.find_map(|feature| self.in_feature(model, feature, is_local))
                    })
            }
            _ => None,
        }
    }

    fn in_members<'m>(
        &self,
        model: &Model,
        mut members: impl Iterator<Item = &'m Member>,
    ) -> Option<Obstacle> {
        members.find_map(|member| {
            self.in_type(model, &member.ty, member.span)
                .or_else(|| local_member(model, member))
        })
    }

    /// The operations of a value are called where it is, so that their types
    /// may be local; its state travels.
    fn in_value_type(&self, model: &Model, value: &ValueType, span: Span) -> Option<Obstacle> {
        let bases = value.base.iter().chain(&value.abstract_bases);
        let mut used = bases.chain(&value.supports);
        let factories = value.factories.iter();
        let parameters = factories.clone().flat_map(|factory| &factory.parameters);
        let mut raised = factories.flat_map(|factory| &factory.raises);
        used.find_map(|base| self.used(model, *base, span))
            .or_else(|| self.in_members(model, value.state.iter().map(|one| &one.member)))
            .or_else(|| {
                let features = &mut value.features.iter();
                features.find_map(|feature| self.in_feature(model, feature, true))
            })
            .or_else(|| {
                let parameters = &mut parameters.into_iter();
                parameters.find_map(|one| self.in_type(model, &one.ty, one.span))
            })
            .or_else(|| raised.find_map(|id| self.used(model, *id, span)))
    }

    fn in_feature(&self, model: &Model, feature: &Feature, is_local: bool) -> Option<Obstacle> {
        let (types, raises, span): (Vec<(&Type, Span)>, Vec<DefinitionId>, Span) = match feature {
            Feature::Operation(operation) => {
                let result = operation.result.iter().map(|ty| (ty, operation.span));
                let parameters = operation.parameters.iter();
                let parameters = parameters.map(|parameter| (&parameter.ty, parameter.span));
                let types = result.chain(parameters).collect();
                (types, operation.raises.to_vec(), operation.span)
            }
            Feature::Attribute(attribute) => {
                let raises = attribute.get_raises.iter().chain(&attribute.set_raises);
                let types = vec![(&attribute.ty, attribute.span)];
                (types, raises.copied().collect(), attribute.span)
            }
        };
        let in_types = types.into_iter().find_map(|(ty, span)| {
            let remote = || (!is_local && is_local_type(model, ty)).then(|| remote_use(span));
            self.in_type(model, ty, span).or_else(remote)
        });
        in_types.or_else(|| {
            raises.into_iter().find_map(|id| {
                let native = matches!(model.get(id).kind, DefinitionKind::Native);
                let raised = || Obstacle {
                    what: "raising a native type".to_owned(),
                    span,
                    help: None,
                    origin: None,
                };
                self.used(model, id, span).or_else(|| native.then(raised))
            })
        })
    }

    fn in_type(&self, model: &Model, ty: &Type, span: Span) -> Option<Obstacle> {
        match ty {
            Type::Sequence { element, .. } | Type::Array { element, .. } => {
                self.in_type(model, element, span)
            }
            Type::Map { key, value, .. } => self
                .in_type(model, key, span)
                .or_else(|| self.in_type(model, value, span)),
            Type::Named(id) => self.used(model, *id, span),
            _ => None,
        }
    }

    /// The obstacle that a definition meets at `span`, where it uses another.
    fn used(&self, model: &Model, id: DefinitionId, span: Span) -> Option<Obstacle> {
        let obstacle = self.obstacles.get(&id)?;
        let name = model.get(id).scoped_name.join("::");
        Some(Obstacle {
            what: format!("`{name}`"),
            span,
            help: obstacle.help.clone(),
            origin: Some(obstacle.origin.unwrap_or(id)),
        })
    }
}

/// Whether values of a type never leave their process, and so have no form in
/// messages.
pub(crate) fn is_local_type(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::Sequence { element, .. } | Type::Array { element, .. } => {
            is_local_type(model, element)
        }
        Type::Map { key, value, .. } => is_local_type(model, key) || is_local_type(model, value),
        Type::Named(id) => {
            matches!(model.get(*id).kind, DefinitionKind::Native) || is_local(model, *id)
        }
        _ => false,
    }
}

/// Whether a definition is a local interface.
pub(crate) fn is_local(model: &Model, id: DefinitionId) -> bool {
    model
        .interface(id)
        .is_some_and(|interface| interface.kind == InterfaceKind::Local)
}

/// Whether a definition is inside a module that another crate has.
pub(crate) fn is_external(options: &GenerateOptions, definition: &Definition) -> bool {
    let scoped_name = definition.scoped_name.parts();
    (1..=scoped_name.len()).any(|length| {
        let scope = scoped_name[..length].join("::");
        options.extern_modules.contains_key(&scope)
    })
}

fn local_member(model: &Model, member: &Member) -> Option<Obstacle> {
    is_local_type(model, &member.ty).then(|| Obstacle {
        what: format!("a member of local type, `{}`,", member.name),
        span: member.span,
        help: None,
        origin: None,
    })
}

fn remote_use(span: Span) -> Obstacle {
    Obstacle {
        what: "a native type in an interface that is not local".to_owned(),
        span,
        help: None,
        origin: None,
    }
}

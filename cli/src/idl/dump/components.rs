//! Components, homes, ports, and template modules.

use taut_idl::model::{
    Component, Connector, DefinitionId, Feature, Home, Instance, Port, PortKind, PortType,
    TemplateArgument, TemplateModule, TemplateParameterKind,
};

use super::Dump;
use super::json::Json;

type Parts = Vec<(&'static str, Json)>;

impl Dump<'_> {
    pub(super) fn component(&self, it: &Component) -> Parts {
        let mut parts = vec![
            ("defined", true.into()),
            ("base", it.base.map(|base| self.name(base)).into()),
            ("supports", self.names(&it.supports)),
        ];
        parts.extend(self.ports_and_features(&it.ports, &it.features));
        parts
    }

    pub(super) fn port_type(&self, it: &PortType) -> Parts {
        let mut parts = vec![("defined", true.into())];
        parts.extend(self.ports_and_features(&it.ports, &it.features));
        parts
    }

    pub(super) fn connector(&self, it: &Connector) -> Parts {
        let mut parts = vec![("base", it.base.map(|base| self.name(base)).into())];
        parts.extend(self.ports_and_features(&it.ports, &it.features));
        parts
    }

    pub(super) fn home(&self, it: &Home) -> Parts {
        vec![
            ("base", it.base.map(|base| self.name(base)).into()),
            ("supports", self.names(&it.supports)),
            ("component", self.name(it.component)),
            (
                "primary_key",
                it.primary_key.map(|key| self.name(key)).into(),
            ),
            (
                "factories",
                Json::list(it.factories.iter().map(|it| self.factory(it))),
            ),
            (
                "finders",
                Json::list(it.finders.iter().map(|it| self.factory(it))),
            ),
            (
                "features",
                Json::list(it.features.iter().map(|it| self.feature(it))),
            ),
        ]
    }

    pub(super) fn template_module(&self, it: &TemplateModule) -> Parts {
        let parameters = it.parameters.iter().map(|it| {
            let (kind, ty) = match &it.kind {
                TemplateParameterKind::TypeName => ("typename", None),
                TemplateParameterKind::Interface => ("interface", None),
                TemplateParameterKind::ValueType => ("valuetype", None),
                TemplateParameterKind::EventType => ("eventtype", None),
                TemplateParameterKind::Struct => ("struct", None),
                TemplateParameterKind::Union => ("union", None),
                TemplateParameterKind::Exception => ("exception", None),
                TemplateParameterKind::Enum => ("enum", None),
                TemplateParameterKind::Sequence(ty) => ("sequence", ty.as_ref()),
                TemplateParameterKind::Constant(ty) => ("const", ty.as_ref()),
                _ => ("unknown", None),
            };
            Json::Object(vec![
                ("name", it.name.as_str().into()),
                ("place", self.place(it.span)),
                ("kind", kind.into()),
                ("type", ty.map(|ty| self.ty(ty)).into()),
            ])
        });
        vec![("parameters", Json::list(parameters))]
    }

    /// Returns the template module that a module was made of, and its arguments, if it was
    /// made of one.
    pub(super) fn instance(&self, id: DefinitionId) -> Parts {
        let instance = self.model.instance(id).map(|it: &Instance| {
            let arguments = it.arguments.iter().map(|argument| match argument {
                TemplateArgument::Type(ty) => self.ty(ty),
                TemplateArgument::Exception(id) => {
                    Json::Object(vec![("kind", "named".into()), ("name", self.name(*id))])
                }
                TemplateArgument::Constant(value) => self.value(value),
                _ => Json::Object(vec![("kind", "unknown".into())]),
            });
            Json::Object(vec![
                ("template", self.name(it.template)),
                ("arguments", Json::list(arguments)),
            ])
        });
        vec![("instance", instance.into())]
    }

    fn ports_and_features(&self, ports: &[Port], features: &[Feature]) -> Parts {
        vec![
            ("ports", Json::list(ports.iter().map(|it| self.port(it)))),
            (
                "features",
                Json::list(features.iter().map(|it| self.feature(it))),
            ),
        ]
    }

    fn port(&self, it: &Port) -> Json {
        let named = |id: &DefinitionId| ("type", self.name(*id));
        let (kind, parts) = match &it.kind {
            PortKind::Provides(ty) => ("provides", vec![("type", self.ty(ty))]),
            PortKind::Uses {
                interface,
                multiple,
            } => (
                "uses",
                vec![
                    ("type", self.ty(interface)),
                    ("multiple", (*multiple).into()),
                ],
            ),
            PortKind::Emits(id) => ("emits", vec![named(id)]),
            PortKind::Publishes(id) => ("publishes", vec![named(id)]),
            PortKind::Consumes(id) => ("consumes", vec![named(id)]),
            PortKind::Extended(id) => ("port", vec![named(id)]),
            PortKind::Mirror(id) => ("mirrorport", vec![named(id)]),
            _ => ("unknown", Vec::new()),
        };
        let mut members = vec![("kind", kind.into())];
        members.extend(self.head(Some(&it.name), it.span, &it.docs, &it.annotations));
        members.extend(parts);
        Json::Object(members)
    }
}

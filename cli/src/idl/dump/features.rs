//! Operations, attributes and members.

use taut_idl::Span;
use taut_idl::model::{
    Annotation, AnnotationValue, Branch, Factory, Feature, Member, Parameter, ParameterMode,
};

use super::Dump;
use super::json::Json;

impl Dump<'_> {
    /// Returns the fields that every named part has.
    pub(super) fn head(
        &self,
        name: Option<&str>,
        span: Span,
        docs: &[String],
        annotations: &[Annotation],
    ) -> Vec<(&'static str, Json)> {
        vec![
            ("name", name.into()),
            ("place", self.place(span)),
            ("docs", texts(docs)),
            ("annotations", self.annotations(annotations)),
        ]
    }

    pub(super) fn feature(&self, feature: &Feature) -> Json {
        match feature {
            Feature::Operation(it) => {
                let mut members = vec![("kind", "operation".into())];
                members.extend(self.head(Some(&it.name), it.span, &it.docs, &it.annotations));
                members.extend([
                    ("oneway", it.oneway.into()),
                    ("result", it.result.as_ref().map(|ty| self.ty(ty)).into()),
                    ("parameters", self.parameters(&it.parameters)),
                    ("raises", self.names(&it.raises)),
                    ("context", texts(&it.context)),
                ]);
                Json::Object(members)
            }
            Feature::Attribute(it) => {
                let mut members = vec![("kind", "attribute".into())];
                members.extend(self.head(Some(&it.name), it.span, &it.docs, &it.annotations));
                members.extend([
                    ("readonly", it.readonly.into()),
                    ("type", self.ty(&it.ty)),
                    ("get_raises", self.names(&it.get_raises)),
                    ("set_raises", self.names(&it.set_raises)),
                ]);
                Json::Object(members)
            }
        }
    }

    pub(super) fn factory(&self, it: &Factory) -> Json {
        let mut members = self.head(Some(&it.name), it.span, &it.docs, &it.annotations);
        members.extend([
            ("parameters", self.parameters(&it.parameters)),
            ("raises", self.names(&it.raises)),
        ]);
        Json::Object(members)
    }

    fn parameters(&self, parameters: &[Parameter]) -> Json {
        Json::list(parameters.iter().map(|it| {
            let mode = match it.mode {
                ParameterMode::In => "in",
                ParameterMode::Out => "out",
                ParameterMode::InOut => "inout",
            };
            Json::Object(vec![
                ("name", it.name.as_str().into()),
                ("place", self.place(it.span)),
                ("annotations", self.annotations(&it.annotations)),
                ("mode", mode.into()),
                ("type", self.ty(&it.ty)),
            ])
        }))
    }

    pub(super) fn members(&self, members: &[Member]) -> Json {
        Json::list(
            members
                .iter()
                .map(|member| Json::Object(self.member(member))),
        )
    }

    pub(super) fn member(&self, it: &Member) -> Vec<(&'static str, Json)> {
        let mut members = self.head(Some(&it.name), it.span, &it.docs, &it.annotations);
        members.push(("type", self.ty(&it.ty)));
        members
    }

    pub(super) fn branch(&self, branch: &Branch) -> Json {
        let labels = branch.labels.iter().map(|label| self.value(label));
        let mut members = self.member(&branch.member);
        members.extend([
            ("labels", Json::list(labels)),
            ("default", branch.is_default.into()),
        ]);
        Json::Object(members)
    }

    pub(super) fn annotations(&self, annotations: &[Annotation]) -> Json {
        Json::list(annotations.iter().map(|annotation| {
            let arguments = annotation.arguments.iter().map(|argument| {
                let value = match &argument.value {
                    AnnotationValue::Constant(value) => self.value(value),
                    AnnotationValue::Name(name) => Json::Object(vec![
                        ("kind", "name".into()),
                        ("value", name.as_str().into()),
                    ]),
                    _ => Json::Object(vec![("kind", "unknown".into())]),
                };
                Json::Object(vec![
                    ("name", argument.name.as_deref().into()),
                    ("value", value),
                ])
            });
            Json::Object(vec![
                ("name", annotation.name.as_str().into()),
                ("place", self.place(annotation.span)),
                ("arguments", Json::list(arguments)),
            ])
        }))
    }
}

pub(super) fn texts(lines: &[impl AsRef<str>]) -> Json {
    Json::list(lines.iter().map(|line| line.as_ref().into()))
}

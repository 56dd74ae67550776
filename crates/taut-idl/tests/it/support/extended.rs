//! Components and template modules as text.

use std::fmt::Write;

use taut_idl::model::{
    DefinitionId, DefinitionKind, Factory, Feature, Home, Port, PortKind, TemplateArgument,
    TemplateModule, TemplateParameterKind,
};

use super::Dump;

impl Dump<'_> {
    /// Dumps the kinds of definitions that [`Dump::definition`] leaves to this.
    pub(super) fn extended(
        &mut self,
        id: DefinitionId,
        head: &dyn Fn(&str) -> String,
        depth: usize,
    ) {
        match &self.model.get(id).kind {
            DefinitionKind::ComponentDeclaration => self.line(depth, &head("declared component")),
            DefinitionKind::PortTypeDeclaration => self.line(depth, &head("declared porttype")),
            DefinitionKind::Component(component) => {
                let mut line = head("component");
                self.base(&mut line, component.base);
                if !component.supports.is_empty() {
                    write!(line, " supports ({})", self.names(&component.supports)).unwrap();
                }
                self.line(depth, &line);
                self.ports(&component.ports, &component.features, depth + 1);
            }
            DefinitionKind::PortType(port_type) => {
                self.line(depth, &head("porttype"));
                self.ports(&port_type.ports, &port_type.features, depth + 1);
            }
            DefinitionKind::Connector(connector) => {
                let mut line = head("connector");
                self.base(&mut line, connector.base);
                self.line(depth, &line);
                self.ports(&connector.ports, &connector.features, depth + 1);
            }
            DefinitionKind::Home(home) => self.home(home, head, depth),
            DefinitionKind::TemplateModule(template) => self.template(template, head, depth),
            other => panic!("the dump does not know {other:?}"),
        }
    }

    fn base(&self, line: &mut String, base: Option<DefinitionId>) {
        if let Some(base) = base {
            write!(line, " : {}", self.name(base)).unwrap();
        }
    }

    fn ports(&mut self, ports: &[Port], features: &[Feature], depth: usize) {
        for port in ports {
            self.docs(depth, &port.docs, &port.annotations);
            let kind = match &port.kind {
                PortKind::Provides(ty) => format!("provides {}", self.ty(ty)),
                PortKind::Uses {
                    interface,
                    multiple,
                } => {
                    let multiple = if *multiple { "multiple " } else { "" };
                    format!("uses {multiple}{}", self.ty(interface))
                }
                PortKind::Emits(event) => format!("emits {}", self.name(*event)),
                PortKind::Publishes(event) => format!("publishes {}", self.name(*event)),
                PortKind::Consumes(event) => format!("consumes {}", self.name(*event)),
                PortKind::Extended(ty) => format!("port {}", self.name(*ty)),
                PortKind::Mirror(ty) => format!("mirrorport {}", self.name(*ty)),
                other => panic!("the dump does not know {other:?}"),
            };
            self.line(depth, &format!("{} : {kind}", port.name));
        }
        for feature in features {
            self.feature(feature, depth);
        }
    }

    fn home(&mut self, home: &Home, head: &dyn Fn(&str) -> String, depth: usize) {
        let mut line = head("home");
        self.base(&mut line, home.base);
        if !home.supports.is_empty() {
            write!(line, " supports ({})", self.names(&home.supports)).unwrap();
        }
        write!(line, " manages {}", self.name(home.component)).unwrap();
        if let Some(key) = home.primary_key {
            write!(line, " by {}", self.name(key)).unwrap();
        }
        self.line(depth, &line);
        for &member in &home.members {
            self.definition(member, depth + 1);
        }
        for factory in &home.factories {
            self.factory("factory", factory, depth + 1);
        }
        for finder in &home.finders {
            self.factory("finder", finder, depth + 1);
        }
        for feature in &home.features {
            self.feature(feature, depth + 1);
        }
    }

    /// A factory or a finder.
    pub(super) fn factory(&mut self, word: &str, factory: &Factory, depth: usize) {
        self.docs(depth, &factory.docs, &factory.annotations);
        let parameters: Vec<String> = factory
            .parameters
            .iter()
            .map(|parameter| format!("{} : {}", parameter.name, self.ty(&parameter.ty)))
            .collect();
        let mut line = format!("{word} {}({})", factory.name, parameters.join(", "));
        self.raises(&mut line, "raises", &factory.raises);
        self.line(depth, &line);
    }

    fn template(&mut self, template: &TemplateModule, head: &dyn Fn(&str) -> String, depth: usize) {
        self.line(depth, &head("template module"));
        for parameter in &template.parameters {
            let kind = match &parameter.kind {
                TemplateParameterKind::TypeName => "typename".to_owned(),
                TemplateParameterKind::Interface => "interface".to_owned(),
                TemplateParameterKind::ValueType => "valuetype".to_owned(),
                TemplateParameterKind::EventType => "eventtype".to_owned(),
                TemplateParameterKind::Struct => "struct".to_owned(),
                TemplateParameterKind::Union => "union".to_owned(),
                TemplateParameterKind::Exception => "exception".to_owned(),
                TemplateParameterKind::Enum => "enum".to_owned(),
                TemplateParameterKind::Sequence(None) => "sequence".to_owned(),
                TemplateParameterKind::Sequence(Some(ty)) => format!("sequence<{}>", self.ty(ty)),
                TemplateParameterKind::Constant(None) => "const".to_owned(),
                TemplateParameterKind::Constant(Some(ty)) => format!("const {}", self.ty(ty)),
                other => panic!("the dump does not know {other:?}"),
            };
            self.line(depth + 1, &format!("{} : {kind}", parameter.name));
        }
    }

    /// Returns the template module of an instance, to stand behind its head.
    pub(super) fn instance(&self, id: DefinitionId) -> String {
        let Some(instance) = self.model.instance(id) else {
            return String::new();
        };
        let arguments: Vec<String> = instance
            .arguments
            .iter()
            .map(|argument| match argument {
                TemplateArgument::Type(ty) => self.ty(ty),
                TemplateArgument::Exception(id) => self.name(*id),
                TemplateArgument::Constant(value) => self.value(value),
                other => panic!("the dump does not know {other:?}"),
            })
            .collect();
        format!(
            " instance of {}<{}>",
            self.name(instance.template),
            arguments.join(", ")
        )
    }
}

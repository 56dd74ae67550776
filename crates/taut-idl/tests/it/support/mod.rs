//! A model as compact text, for comparing with what is expected.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod extended;

use std::fmt::Write;

use taut_idl::model::{
    Annotation, AnnotationValue, ConstantValue, DefinitionId, DefinitionKind, Feature,
    InterfaceKind, Member, ParameterMode, Primitive, Type, ValueKind, ValueType, Visibility,
};
use taut_idl::{Compilation, Model};

/// One line for each definition, member, operation and attribute.
pub(crate) fn dump(compilation: &Compilation) -> String {
    let mut dump = Dump {
        model: &compilation.model,
        text: String::new(),
    };
    for &root in compilation.model.roots() {
        dump.definition(root, 0);
    }
    dump.text
}

struct Dump<'m> {
    model: &'m Model,
    text: String,
}

impl Dump<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.text, "{}{line}", "    ".repeat(depth)).unwrap();
    }

    fn docs(&mut self, depth: usize, docs: &[String], annotations: &[Annotation]) {
        for line in docs {
            self.line(depth, format!("| {line}").trim_end());
        }
        for annotation in annotations {
            let annotation = self.annotation(annotation);
            self.line(depth, &annotation);
        }
    }

    fn annotation(&self, annotation: &Annotation) -> String {
        let arguments: Vec<String> = annotation
            .arguments
            .iter()
            .map(|argument| {
                let name = argument.name.as_ref();
                let name = name.map_or_else(String::new, |name| format!("{name} = "));
                match &argument.value {
                    AnnotationValue::Constant(value) => format!("{name}{}", self.value(value)),
                    AnnotationValue::Name(value) => format!("{name}{value}"),
                    other => panic!("the dump does not know {other:?}"),
                }
            })
            .collect();
        format!("@{}({})", annotation.name, arguments.join(", "))
    }

    fn definition(&mut self, id: DefinitionId, depth: usize) {
        let definition = self.model.get(id);
        self.docs(depth, &definition.docs, &definition.annotations);
        let origin = if definition.in_main_file {
            ""
        } else {
            " (included)"
        };
        let head = |what: &str| {
            format!(
                "{what} {} = {}{origin}",
                definition.name, definition.repository_id
            )
        };
        match &definition.kind {
            DefinitionKind::Module(members) => {
                let line = format!("{}{}", head("module"), self.instance(id));
                self.line(depth, &line);
                for &member in members {
                    self.definition(member, depth + 1);
                }
            }
            DefinitionKind::InterfaceDeclaration => self.line(depth, &head("declared interface")),
            DefinitionKind::Interface(interface) => {
                let mut line = head(match interface.kind {
                    InterfaceKind::Unconstrained => "interface",
                    InterfaceKind::Abstract => "abstract interface",
                    InterfaceKind::Local => "local interface",
                });
                if !interface.bases.is_empty() {
                    write!(line, " : {}", self.names(&interface.bases)).unwrap();
                    let all = self.model.all_bases(id);
                    if all.len() > interface.bases.len() {
                        write!(line, " (all: {})", self.names(&all)).unwrap();
                    }
                }
                self.line(depth, &line);
                for &member in &interface.members {
                    self.definition(member, depth + 1);
                }
                for feature in &interface.features {
                    self.feature(feature, depth + 1);
                }
            }
            DefinitionKind::AbstractInterfaceDeclaration => {
                self.line(depth, &head("declared abstract interface"));
            }
            DefinitionKind::LocalInterfaceDeclaration => {
                self.line(depth, &head("declared local interface"));
            }
            DefinitionKind::ValueTypeDeclaration => {
                self.line(depth, &head("declared valuetype"));
            }
            DefinitionKind::ValueBox(ty) => {
                let ty = self.ty(ty);
                self.line(depth, &format!("{} : {ty}", head("value box")));
                self.nested(id, depth + 1);
            }
            DefinitionKind::Bitset(bitset) => {
                let base = bitset.base.map(|base| format!(" : {}", self.name(base)));
                self.line(
                    depth,
                    &format!("{}{}", head("bitset"), base.unwrap_or_default()),
                );
                for field in &bitset.fields {
                    self.docs(depth + 1, &field.docs, &field.annotations);
                    let name = field.name.as_deref().unwrap_or("(gap)");
                    let ty = field.ty.as_ref().map(|ty| format!(" : {}", self.ty(ty)));
                    let line = format!("{name} {} bits{}", field.width, ty.unwrap_or_default());
                    self.line(depth + 1, &line);
                }
            }
            DefinitionKind::Bitmask(bitmask) => {
                self.line(depth, &format!("{} {} bits", head("bitmask"), bitmask.bits));
                for flag in &bitmask.flags {
                    self.docs(depth + 1, &flag.docs, &flag.annotations);
                    self.line(depth + 1, &format!("{} = bit {}", flag.name, flag.position));
                }
            }
            DefinitionKind::Native => self.line(depth, &head("native")),
            DefinitionKind::ValueType(value) => self.value_type(id, value, &head, depth),
            DefinitionKind::Struct(members) => {
                let base = self.model.base_struct(id);
                let base = base.map(|base| format!(" : {}", self.name(base)));
                let line = format!("{}{}", head("struct"), base.unwrap_or_default());
                self.line(depth, &line);
                self.nested(id, depth + 1);
                self.members(members, depth + 1);
            }
            DefinitionKind::Union(union) => {
                let discriminator = self.ty(&union.discriminator);
                let rest = if union.implicit_default {
                    " with an implicit default"
                } else {
                    ""
                };
                let head = head("union");
                self.line(depth, &format!("{head} switch ({discriminator}){rest}"));
                self.nested(id, depth + 1);
                for branch in &union.branches {
                    let mut labels: Vec<String> = branch
                        .labels
                        .iter()
                        .map(|label| self.value(label))
                        .collect();
                    labels.extend(branch.is_default.then(|| "default".to_owned()));
                    self.docs(depth + 1, &branch.member.docs, &branch.member.annotations);
                    let ty = self.ty(&branch.member.ty);
                    let (labels, name) = (labels.join(", "), &branch.member.name);
                    self.line(depth + 1, &format!("{labels} -> {name} : {ty}"));
                }
            }
            DefinitionKind::Exception(members) => {
                self.line(depth, &head("exception"));
                self.nested(id, depth + 1);
                self.members(members, depth + 1);
            }
            DefinitionKind::Enum(enumerators) => {
                self.line(depth, &head("enum"));
                for enumerator in enumerators {
                    self.docs(depth + 1, &enumerator.docs, &enumerator.annotations);
                    self.line(depth + 1, &enumerator.name);
                }
            }
            DefinitionKind::Typedef(typedef) => {
                let ty = self.ty(&typedef.ty);
                self.line(depth, &format!("{} : {ty}", head("typedef")));
            }
            DefinitionKind::Constant(constant) => {
                let ty = self.ty(&constant.ty);
                let value = self.value(&constant.value);
                self.line(depth, &format!("{} : {ty} = {value}", head("const")));
            }
            _ => self.extended(id, &head, depth),
        }
    }

    fn value_type(
        &mut self,
        id: DefinitionId,
        value: &ValueType,
        head: &dyn Fn(&str) -> String,
        depth: usize,
    ) {
        let mut line = head(match (value.kind, value.is_event) {
            (ValueKind::Stateful, false) => "valuetype",
            (ValueKind::Custom, false) => "custom valuetype",
            (ValueKind::Abstract, false) => "abstract valuetype",
            (ValueKind::Stateful, true) => "eventtype",
            (ValueKind::Custom, true) => "custom eventtype",
            (ValueKind::Abstract, true) => "abstract eventtype",
        });
        if let Some(base) = value.base {
            let truncatable = if value.truncatable {
                "truncatable "
            } else {
                ""
            };
            write!(line, " : {truncatable}{}", self.name(base)).unwrap();
        }
        if !value.abstract_bases.is_empty() {
            write!(line, " abstract ({})", self.names(&value.abstract_bases)).unwrap();
        }
        if !value.supports.is_empty() {
            write!(line, " supports ({})", self.names(&value.supports)).unwrap();
        }
        self.line(depth, &line);
        for &member in &value.members {
            self.definition(member, depth + 1);
        }
        let inherited = self.model.all_state(id).len() - value.state.len();
        if inherited > 0 {
            self.line(depth + 1, &format!("({inherited} inherited)"));
        }
        for state in &value.state {
            self.docs(depth + 1, &state.member.docs, &state.member.annotations);
            let visibility = match state.visibility {
                Visibility::Public => "public",
                Visibility::Private => "private",
            };
            let ty = self.ty(&state.member.ty);
            self.line(
                depth + 1,
                &format!("{visibility} {} : {ty}", state.member.name),
            );
        }
        for factory in &value.factories {
            self.factory("factory", factory, depth + 1);
        }
        for feature in &value.features {
            self.feature(feature, depth + 1);
        }
    }

    /// Dumps the types that the members of a struct define.
    fn nested(&mut self, parent: DefinitionId, depth: usize) {
        let nested: Vec<DefinitionId> = self
            .model
            .definitions()
            .filter(|(_, definition)| definition.parent == Some(parent))
            .map(|(id, _)| id)
            .collect();
        for id in nested {
            self.definition(id, depth);
        }
    }

    fn members(&mut self, members: &[Member], depth: usize) {
        for member in members {
            self.docs(depth, &member.docs, &member.annotations);
            let ty = self.ty(&member.ty);
            self.line(depth, &format!("{} : {ty}", member.name));
        }
    }

    fn feature(&mut self, feature: &Feature, depth: usize) {
        match feature {
            Feature::Operation(operation) => {
                self.docs(depth, &operation.docs, &operation.annotations);
                let mut line = String::new();
                line.push_str(if operation.oneway { "oneway " } else { "" });
                write!(line, "{}(", operation.name).unwrap();
                for (index, parameter) in operation.parameters.iter().enumerate() {
                    let mode = match parameter.mode {
                        ParameterMode::In => "in",
                        ParameterMode::Out => "out",
                        ParameterMode::InOut => "inout",
                    };
                    let comma = if index > 0 { ", " } else { "" };
                    let ty = self.ty(&parameter.ty);
                    line.push_str(comma);
                    for annotation in &parameter.annotations {
                        write!(line, "{} ", self.annotation(annotation)).unwrap();
                    }
                    write!(line, "{mode} {} : {ty}", parameter.name).unwrap();
                }
                line.push(')');
                if let Some(result) = &operation.result {
                    write!(line, " -> {}", self.ty(result)).unwrap();
                }
                self.raises(&mut line, "raises", &operation.raises);
                if !operation.context.is_empty() {
                    write!(line, " context ({})", operation.context.join(", ")).unwrap();
                }
                self.line(depth, &line);
            }
            Feature::Attribute(attribute) => {
                self.docs(depth, &attribute.docs, &attribute.annotations);
                let mut line = String::from(if attribute.readonly { "readonly " } else { "" });
                write!(
                    line,
                    "attribute {} : {}",
                    attribute.name,
                    self.ty(&attribute.ty)
                )
                .unwrap();
                self.raises(&mut line, "getraises", &attribute.get_raises);
                self.raises(&mut line, "setraises", &attribute.set_raises);
                self.line(depth, &line);
            }
        }
    }

    fn raises(&self, line: &mut String, word: &str, exceptions: &[DefinitionId]) {
        if !exceptions.is_empty() {
            write!(line, " {word} ({})", self.names(exceptions)).unwrap();
        }
    }

    fn names(&self, ids: &[DefinitionId]) -> String {
        let names: Vec<String> = ids.iter().map(|&id| self.name(id)).collect();
        names.join(", ")
    }

    fn name(&self, id: DefinitionId) -> String {
        self.model.get(id).scoped_name.join("::")
    }

    fn ty(&self, ty: &Type) -> String {
        let bounded = |name: &str, bound: &Option<u32>| match bound {
            Some(bound) => format!("{name}<{bound}>"),
            None => name.to_owned(),
        };
        match ty {
            Type::Primitive(primitive) => match primitive {
                Primitive::Boolean => "boolean",
                Primitive::Char => "char",
                Primitive::Octet => "octet",
                Primitive::Short => "short",
                Primitive::UShort => "ushort",
                Primitive::Long => "long",
                Primitive::ULong => "ulong",
                Primitive::LongLong => "longlong",
                Primitive::ULongLong => "ulonglong",
                Primitive::Float => "float",
                Primitive::Double => "double",
                Primitive::Int8 => "int8",
                Primitive::UInt8 => "uint8",
                Primitive::LongDouble => "longdouble",
                Primitive::WChar => "wchar",
                other => panic!("the dump does not know {other:?}"),
            }
            .to_owned(),
            Type::String { bound } => bounded("string", bound),
            Type::Sequence {
                element,
                bound: Some(bound),
            } => {
                format!("sequence<{}, {bound}>", self.ty(element))
            }
            Type::Sequence {
                element,
                bound: None,
            } => format!("sequence<{}>", self.ty(element)),
            Type::Array { element, length } => format!("[{} x {length}]", self.ty(element)),
            Type::WString { bound } => bounded("wstring", bound),
            Type::Fixed { digits, scale } => format!("fixed<{digits}, {scale}>"),
            Type::Object => "Object".to_owned(),
            Type::Map { key, value, bound } => {
                let bound = bound.map_or_else(String::new, |bound| format!(", {bound}"));
                format!("map<{}, {}{bound}>", self.ty(key), self.ty(value))
            }
            Type::ValueBase => "ValueBase".to_owned(),
            Type::Any => "any".to_owned(),
            Type::TypeCode => "TypeCode".to_owned(),
            Type::Named(id) => self.name(*id),
            other => panic!("the dump does not know {other:?}"),
        }
    }

    fn value(&self, value: &ConstantValue) -> String {
        match value {
            ConstantValue::Boolean(value) => value.to_string(),
            ConstantValue::Char(value) => format!("'{}'", char::from(*value).escape_default()),
            ConstantValue::Integer(value) => value.to_string(),
            ConstantValue::Floating(value) => format!("{value:?}"),
            ConstantValue::LongDouble(bits) => format!("{bits:#034x}"),
            ConstantValue::WChar(value) => format!("L'\\u{value:04x}'"),
            ConstantValue::WString(value) => format!("L\"{}\"", value.escape_default()),
            ConstantValue::Fixed(value, scale) => format!("{value}e-{scale}"),
            ConstantValue::String(value) => format!("\"{}\"", value.escape_default()),
            ConstantValue::Enumerator(id, ordinal) => {
                let DefinitionKind::Enum(enumerators) = &self.model.get(*id).kind else {
                    panic!("{} is no enum", self.name(*id));
                };
                format!("{}#{}", self.name(*id), enumerators[*ordinal as usize].name)
            }
            other => panic!("the dump does not know {other:?}"),
        }
    }
}

//! The outline of a model, as lines that can be compared.
//!
//! One line for each definition, and one for each operation, with repository
//! ids, parameters, members, labels, bounds and values: all that TypeCodes and
//! requests are made of. The back end `interop/peers/omniidl/taut_model.py`
//! writes the same lines of what omniidl understood.

use std::collections::BTreeSet;

use taut_idl::model::{
    Attribute, Branch, ConstantValue, Definition, DefinitionId, DefinitionKind, Feature, Interface,
    InterfaceKind, Member, Model, Operation, Parameter, ParameterMode, Type, Union, ValueKind,
    ValueType, Visibility,
};

/// The lines of everything that the model defines, of included files too.
///
/// Bit sets, bit masks and maps have no lines: omniidl knows none of them.
pub fn outline(model: &Model) -> BTreeSet<String> {
    let mut outline = Outline {
        model,
        lines: BTreeSet::new(),
    };
    for (_, definition) in model.definitions() {
        outline.definition(definition);
    }
    outline.lines
}

struct Outline<'m> {
    model: &'m Model,
    lines: BTreeSet<String>,
}

impl Outline<'_> {
    fn definition(&mut self, definition: &Definition) {
        let (kind, rest) = match &definition.kind {
            DefinitionKind::Module(_) => {
                // Without its id, which does not travel: each part of a module
                // may have its own, by a `#pragma version` of its own.
                let name = definition.scoped_name.join("::");
                self.lines.insert(format!("module {name}"));
                return;
            }
            DefinitionKind::Interface(interface) => {
                self.features(definition, &interface.features);
                (interface_kind(interface), self.names(&interface.bases))
            }
            DefinitionKind::InterfaceDeclaration => ("declared interface", String::new()),
            DefinitionKind::AbstractInterfaceDeclaration => {
                ("declared abstract interface", String::new())
            }
            DefinitionKind::LocalInterfaceDeclaration => {
                ("declared local interface", String::new())
            }
            DefinitionKind::ValueType(value) => {
                self.features(definition, &value.features);
                self.factories(definition, value);
                (value_kind(value), self.value(value))
            }
            DefinitionKind::ValueBox(ty) => ("valuebox", self.ty(ty)),
            DefinitionKind::ValueTypeDeclaration => ("declared valuetype", String::new()),
            DefinitionKind::Native => ("native", String::new()),
            DefinitionKind::Struct(members) => ("struct", self.members(members)),
            DefinitionKind::Union(union) => ("union", self.union(union)),
            DefinitionKind::Exception(members) => ("exception", self.members(members)),
            DefinitionKind::Enum(enumerators) => {
                let names = enumerators
                    .iter()
                    .map(|enumerator| enumerator.name.to_string());
                ("enum", format!("{{ {} }}", list(names)))
            }
            DefinitionKind::Typedef(typedef) => ("typedef", self.ty(&typedef.ty)),
            DefinitionKind::Constant(constant) => {
                let (ty, value) = (self.ty(&constant.ty), self.constant(&constant.value));
                ("const", format!("{ty} = {value}"))
            }
            _ => return,
        };
        let name = definition.scoped_name.join("::");
        let line = format!("{kind} {name} {} {rest}", definition.repository_id);
        self.lines.insert(line.trim_end().to_owned());
    }

    fn features(&mut self, definition: &Definition, features: &[Feature]) {
        let scope = definition.scoped_name.join("::");
        for feature in features {
            match feature {
                Feature::Operation(operation) => self.operation(&scope, operation),
                Feature::Attribute(attribute) => self.attribute(&scope, attribute),
            }
        }
    }

    fn operation(&mut self, scope: &str, operation: &Operation) {
        let oneway = if operation.oneway { "oneway " } else { "" };
        let result = match &operation.result {
            Some(ty) => self.ty(ty),
            None => "void".to_owned(),
        };
        let parameters = self.parameters(&operation.parameters);
        let raises = self.names(&operation.raises);
        let context = if operation.context.is_empty() {
            String::new()
        } else {
            let patterns = operation.context.iter();
            let patterns = list(patterns.map(|pattern| format!("\"{pattern}\"")));
            format!(" context ({patterns})")
        };
        let name = &operation.name;
        self.lines.insert(format!(
            "{oneway}operation {scope}::{name} {result} {parameters} raises {raises}{context}"
        ));
    }

    /// An attribute is two operations on the wire, or one.
    fn attribute(&mut self, scope: &str, attribute: &Attribute) {
        let (name, ty) = (&attribute.name, self.ty(&attribute.ty));
        let raises = self.names(&attribute.get_raises);
        self.lines.insert(format!(
            "operation {scope}::_get_{name} {ty} () raises {raises}"
        ));
        if !attribute.readonly {
            let raises = self.names(&attribute.set_raises);
            self.lines.insert(format!(
                "operation {scope}::_set_{name} void (in {ty}) raises {raises}"
            ));
        }
    }

    fn factories(&mut self, definition: &Definition, value: &ValueType) {
        let scope = definition.scoped_name.join("::");
        for factory in &value.factories {
            let parameters = self.parameters(&factory.parameters);
            let raises = self.names(&factory.raises);
            let name = &factory.name;
            self.lines.insert(format!(
                "factory {scope}::{name} {parameters} raises {raises}"
            ));
        }
    }

    fn value(&self, value: &ValueType) -> String {
        let truncatable = if value.truncatable {
            "truncatable "
        } else {
            ""
        };
        let bases: Vec<_> = value.base.iter().chain(&value.abstract_bases).collect();
        let bases = self.names(bases.into_iter().copied().collect::<Vec<_>>().as_slice());
        let supports = self.names(&value.supports);
        let state = value.state.iter().map(|state| {
            let visibility = match state.visibility {
                Visibility::Public => "public",
                Visibility::Private => "private",
            };
            format!(" {visibility} {}", self.member(&state.member))
        });
        let state: String = state.collect();
        format!("{truncatable}{bases} supports {supports} {{{state} }}")
    }

    fn members(&self, members: &[Member]) -> String {
        let members = members.iter().map(|member| self.member(member) + " ");
        format!("{{ {}}}", members.collect::<String>())
    }

    fn member(&self, member: &Member) -> String {
        format!("{} {};", self.ty(&member.ty), member.name)
    }

    fn union(&self, union: &Union) -> String {
        let branches = union.branches.iter().map(|branch| {
            let labels = list(self.labels(branch).into_iter());
            format!("{labels}: {} ", self.member(&branch.member))
        });
        let branches: String = branches.collect();
        format!("switch ({}) {{ {branches}}}", self.ty(&union.discriminator))
    }

    /// The labels of a branch. The model does not say where among them
    /// `default` stands; it means the same anywhere.
    fn labels(&self, branch: &Branch) -> Vec<String> {
        let values = branch.labels.iter().map(|label| self.constant(label));
        let default = branch.is_default.then(|| "default".to_owned());
        values.chain(default).collect()
    }

    fn parameters(&self, parameters: &[Parameter]) -> String {
        let parameters = parameters.iter().map(|parameter| {
            let mode = match parameter.mode {
                ParameterMode::In => "in",
                ParameterMode::Out => "out",
                ParameterMode::InOut => "inout",
            };
            format!("{mode} {} {}", self.ty(&parameter.ty), parameter.name)
        });
        format!("({})", list(parameters))
    }

    fn names(&self, ids: &[DefinitionId]) -> String {
        format!("({})", list(ids.iter().map(|&id| self.name(id))))
    }

    fn name(&self, id: DefinitionId) -> String {
        self.model.get(id).scoped_name.join("::")
    }

    fn ty(&self, ty: &Type) -> String {
        // The dimensions of an array follow the type of its innermost element.
        let (mut element, mut dimensions) = (ty, String::new());
        while let Type::Array {
            element: inner,
            length,
        } = element
        {
            dimensions += &format!("[{length}]");
            element = inner;
        }
        let text = match element {
            Type::Primitive(primitive) => primitive.idl_name().to_owned(),
            Type::String { bound } => bounded("string", *bound),
            Type::WString { bound } => bounded("wstring", *bound),
            Type::Sequence { element, bound } => {
                let element = self.ty(element);
                match bound {
                    Some(bound) => format!("sequence<{element}, {bound}>"),
                    None => format!("sequence<{element}>"),
                }
            }
            Type::Fixed { digits, scale } => format!("fixed<{digits}, {scale}>"),
            Type::Object => "Object".to_owned(),
            Type::Any => "any".to_owned(),
            Type::TypeCode => "CORBA::TypeCode".to_owned(),
            Type::ValueBase => "ValueBase".to_owned(),
            Type::Named(id) => self.name(*id),
            other => format!("{other:?}"),
        };
        text + &dimensions
    }

    fn constant(&self, value: &ConstantValue) -> String {
        match value {
            ConstantValue::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
            ConstantValue::Char(octet) => format!("'{octet:02x}'"),
            ConstantValue::Integer(value) => value.to_string(),
            ConstantValue::Floating(value) => format!("{:016x}", value.to_bits()),
            ConstantValue::String(text) => {
                // The front end reads ISO 8859-1: one character is one octet.
                let octets = text.chars().map(|c| format!("{:02x}", u32::from(c)));
                format!("\"{}\"", octets.collect::<String>())
            }
            ConstantValue::WChar(unit) => format!("L'{unit:x}'"),
            ConstantValue::WString(text) => {
                let units: Vec<_> = text
                    .encode_utf16()
                    .map(|unit| format!("{unit:x}"))
                    .collect();
                format!("L\"{}\"", units.join(" "))
            }
            ConstantValue::Fixed(digits, scale) => decimal(*digits, *scale),
            ConstantValue::Enumerator(id, ordinal) => self.enumerator(*id, *ordinal),
            other => format!("{other:?}"),
        }
    }

    /// The scoped name of an enumerator, which stands in the scope of its enum.
    fn enumerator(&self, id: DefinitionId, ordinal: u32) -> String {
        let definition = self.model.get(id);
        let name = match &definition.kind {
            DefinitionKind::Enum(enumerators) => enumerators
                .get(ordinal as usize)
                .map_or("?", |enumerator| enumerator.name.as_str()),
            _ => "?",
        };
        let mut scoped = definition.scoped_name.parts();
        scoped.pop();
        scoped.push(name);
        scoped.join("::")
    }
}

fn interface_kind(interface: &Interface) -> &'static str {
    match interface.kind {
        InterfaceKind::Unconstrained => "interface",
        InterfaceKind::Abstract => "abstract interface",
        InterfaceKind::Local => "local interface",
    }
}

fn value_kind(value: &ValueType) -> &'static str {
    match value.kind {
        ValueKind::Stateful => "valuetype",
        ValueKind::Custom => "custom valuetype",
        ValueKind::Abstract => "abstract valuetype",
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn bounded(what: &str, bound: Option<u32>) -> String {
    match bound {
        Some(bound) => format!("{what}<{bound}>"),
        None => what.to_owned(),
    }
}

/// A `fixed` as people write it, without zeros at the end.
fn decimal(digits: i128, scale: u8) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let scale = usize::from(scale);
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;

    fn lines(idl: &str) -> Vec<String> {
        let mut files = HashMap::from([(PathBuf::from("a.idl"), idl.as_bytes().to_vec())]);
        let options = taut_idl::Options::default();
        let compilation = taut_idl::compile_with(&["a.idl"], &options, &mut files);
        assert!(!compilation.has_errors(), "{}", compilation.render(false));
        outline(&compilation.model).into_iter().collect()
    }

    #[test]
    fn types_are_told_with_ids_members_labels_and_bounds() {
        assert_eq!(
            lines(
                "module M { enum E { a, b }; typedef string<3> T[2][5];
                 union U switch (E) { case a: sequence<T, 4> x; default: E y; }; };"
            ),
            [
                "enum M::E IDL:M/E:1.0 { a, b }",
                "module M",
                "typedef M::T IDL:M/T:1.0 string<3>[2][5]",
                "union M::U IDL:M/U:1.0 switch (M::E) \
                 { M::a: sequence<M::T, 4> x; default: M::E y; }",
            ]
        );
    }

    #[test]
    fn operations_are_told_with_what_travels() {
        assert_eq!(
            lines(
                "exception X { }; interface I { attribute long n;
                 void f(in char c, out Object o) raises (X) context (\"a*\"); };"
            ),
            [
                "exception X IDL:X:1.0 { }",
                "interface I IDL:I:1.0 ()",
                "operation I::_get_n long () raises ()",
                "operation I::_set_n void (in long) raises ()",
                "operation I::f void (in char c, out Object o) raises (X) context (\"a*\")",
            ]
        );
    }

    #[test]
    fn constants_are_told_by_their_values() {
        assert_eq!(
            lines("const fixed F = -1.50d; const string S = \"a\\xff\"; const float R = 0.5;"),
            [
                "const F IDL:F:1.0 fixed<2, 1> = -1.5",
                "const R IDL:R:1.0 float = 3fe0000000000000",
                "const S IDL:S:1.0 string = \"61ff\"",
            ]
        );
    }
}

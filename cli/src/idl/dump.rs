//! `taut idl dump`: the checked model as JSON, as `docs/idl-json.md` has it.

mod components;
mod features;
mod json;
mod types;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use taut_idl::model::{
    Definition, DefinitionId, DefinitionKind, InterfaceKind, Model, ValueKind, ValueType,
    Visibility,
};
use taut_idl::{Compilation, Span};

use json::Json;

/// The version of the form. It grows when what was there changes its meaning,
/// not when something is added.
const FORMAT: u32 = 1;

/// The file that stands for the macros of the command line.
const COMMAND_LINE: &str = "<command line>";

/// The model as JSON, with what included files define or without.
pub(super) fn dump(compilation: &Compilation, included: bool) -> serde_json::Result<String> {
    let model = &compilation.model;
    let mut children: HashMap<DefinitionId, Vec<DefinitionId>> = HashMap::new();
    let mut shown = HashSet::new();
    for (id, definition) in model.definitions() {
        if let Some(parent) = definition.parent {
            children.entry(parent).or_default().push(id);
        }
        // A definition that holds something wanted is shown, wherever it starts.
        let mut next = (included || definition.in_main_file).then_some(id);
        while let Some(id) = next.filter(|id| shown.insert(*id)) {
            next = model.get(id).parent;
        }
    }
    let dump = Dump {
        compilation,
        model,
        children,
        shown,
    };
    let files = compilation.sources.files().iter();
    let files =
        files.filter(|file| file.is_main() || included && file.path() != Path::new(COMMAND_LINE));
    let files = files.map(|file| {
        Json::Object(vec![
            ("path", file.path().to_string_lossy().into_owned().into()),
            ("main", file.is_main().into()),
        ])
    });
    let whole = Json::Object(vec![
        ("format", FORMAT.into()),
        ("files", Json::list(files)),
        ("definitions", dump.definitions(model.roots())),
    ]);
    let mut text = serde_json::to_string_pretty(&whole)?;
    text.push('\n');
    Ok(text)
}

struct Dump<'a> {
    compilation: &'a Compilation,
    model: &'a Model,
    /// The definitions that each definition holds.
    children: HashMap<DefinitionId, Vec<DefinitionId>>,
    /// Which definitions are wanted.
    shown: HashSet<DefinitionId>,
}

impl Dump<'_> {
    fn definitions(&self, ids: &[DefinitionId]) -> Json {
        let ids = ids.iter().filter(|id| self.shown.contains(id));
        Json::list(ids.map(|id| self.definition(*id)))
    }

    fn definition(&self, id: DefinitionId) -> Json {
        let definition = self.model.get(id);
        let (kind, parts) = self.parts(id, definition);
        let mut members = vec![("kind", kind.into())];
        members.extend(self.head(
            Some(&definition.name),
            definition.span,
            &definition.docs,
            &definition.annotations,
        ));
        members.extend([
            ("scoped_name", self.name(id)),
            ("repository_id", definition.repository_id.to_string().into()),
            ("included", (!definition.in_main_file).into()),
        ]);
        members.extend(parts);
        let children = self.children.get(&id).map_or(&[][..], Vec::as_slice);
        let holds_more = matches!(
            definition.kind,
            DefinitionKind::Module(_) | DefinitionKind::Interface(_) | DefinitionKind::ValueType(_)
        );
        if holds_more || !children.is_empty() {
            members.push(("definitions", self.definitions(children)));
        }
        Json::Object(members)
    }

    /// Returns the name of a definition, and the fields that only its kind has.
    fn parts(
        &self,
        id: DefinitionId,
        definition: &Definition,
    ) -> (&'static str, Vec<(&'static str, Json)>) {
        match &definition.kind {
            DefinitionKind::Module(_) => ("module", self.instance(id)),
            DefinitionKind::Interface(interface) => {
                let all = self.model.all_bases(id);
                let features = interface.features.iter();
                let features = features.map(|feature| self.feature(feature));
                let mut parts = declared(interface.kind, true);
                parts.extend([
                    ("bases", self.names(&interface.bases)),
                    ("all_bases", self.names(&all)),
                    ("features", Json::list(features)),
                ]);
                ("interface", parts)
            }
            DefinitionKind::InterfaceDeclaration => {
                ("interface", declared(InterfaceKind::Unconstrained, false))
            }
            DefinitionKind::AbstractInterfaceDeclaration => {
                ("interface", declared(InterfaceKind::Abstract, false))
            }
            DefinitionKind::LocalInterfaceDeclaration => {
                ("interface", declared(InterfaceKind::Local, false))
            }
            DefinitionKind::ValueType(value) => ("valuetype", self.value_type(value)),
            DefinitionKind::ValueTypeDeclaration => ("valuetype", vec![("defined", false.into())]),
            DefinitionKind::ValueBox(ty) => ("value box", vec![("type", self.ty(ty))]),
            DefinitionKind::Native => ("native", Vec::new()),
            DefinitionKind::Struct(members) => {
                let base = self.model.base_struct(id).map(|base| self.name(base));
                let parts = vec![("base", base.into()), ("members", self.members(members))];
                ("struct", parts)
            }
            DefinitionKind::Exception(members) => {
                ("exception", vec![("members", self.members(members))])
            }
            DefinitionKind::Union(union) => {
                let branches = union.branches.iter().map(|branch| self.branch(branch));
                let parts = vec![
                    ("discriminator", self.ty(&union.discriminator)),
                    ("implicit_default", union.implicit_default.into()),
                    ("branches", Json::list(branches)),
                ];
                ("union", parts)
            }
            DefinitionKind::Enum(enumerators) => {
                let enumerators = enumerators.iter().map(|it| {
                    Json::Object(self.head(Some(&it.name), it.span, &it.docs, &it.annotations))
                });
                ("enum", vec![("enumerators", Json::list(enumerators))])
            }
            DefinitionKind::Typedef(typedef) => ("typedef", vec![("type", self.ty(&typedef.ty))]),
            DefinitionKind::Constant(constant) => {
                let (ty, value) = (self.ty(&constant.ty), self.value(&constant.value));
                ("const", vec![("type", ty), ("value", value)])
            }
            DefinitionKind::Bitset(bitset) => {
                let fields = bitset.fields.iter().map(|it| {
                    let name = it.name.as_deref();
                    let mut members = self.head(name, it.span, &it.docs, &it.annotations);
                    members.extend([
                        ("width", it.width.into()),
                        ("type", it.ty.as_ref().map(|ty| self.ty(ty)).into()),
                    ]);
                    Json::Object(members)
                });
                let parts = vec![
                    ("base", bitset.base.map(|base| self.name(base)).into()),
                    ("fields", Json::list(fields)),
                ];
                ("bitset", parts)
            }
            DefinitionKind::Bitmask(bitmask) => {
                let flags = bitmask.flags.iter().map(|it| {
                    let mut members = self.head(Some(&it.name), it.span, &it.docs, &it.annotations);
                    members.push(("position", it.position.into()));
                    Json::Object(members)
                });
                let parts = vec![("bits", bitmask.bits.into()), ("flags", Json::list(flags))];
                ("bitmask", parts)
            }
            DefinitionKind::Component(it) => ("component", self.component(it)),
            DefinitionKind::ComponentDeclaration => ("component", vec![("defined", false.into())]),
            DefinitionKind::Home(it) => ("home", self.home(it)),
            DefinitionKind::PortType(it) => ("porttype", self.port_type(it)),
            DefinitionKind::PortTypeDeclaration => ("porttype", vec![("defined", false.into())]),
            DefinitionKind::Connector(it) => ("connector", self.connector(it)),
            DefinitionKind::TemplateModule(it) => ("template module", self.template_module(it)),
            _ => ("unknown", Vec::new()),
        }
    }

    fn value_type(&self, value: &ValueType) -> Vec<(&'static str, Json)> {
        let modifier = match value.kind {
            ValueKind::Stateful => None,
            ValueKind::Custom => Some("custom"),
            ValueKind::Abstract => Some("abstract"),
        };
        let state = value.state.iter().map(|it| {
            let visibility = match it.visibility {
                Visibility::Public => "public",
                Visibility::Private => "private",
            };
            let mut members = self.member(&it.member);
            members.push(("visibility", visibility.into()));
            Json::Object(members)
        });
        let factories = value.factories.iter().map(|it| self.factory(it));
        let features = value.features.iter().map(|it| self.feature(it));
        vec![
            ("defined", true.into()),
            ("modifier", modifier.into()),
            ("event", value.is_event.into()),
            ("base", value.base.map(|base| self.name(base)).into()),
            ("truncatable", value.truncatable.into()),
            ("abstract_bases", self.names(&value.abstract_bases)),
            ("supports", self.names(&value.supports)),
            ("state", Json::list(state)),
            ("factories", Json::list(factories)),
            ("features", Json::list(features)),
        ]
    }

    fn names(&self, ids: &[DefinitionId]) -> Json {
        Json::list(ids.iter().map(|id| self.name(*id)))
    }

    fn name(&self, id: DefinitionId) -> Json {
        self.model.get(id).scoped_name.join("::").into()
    }

    fn place(&self, span: Span) -> Json {
        let file = self.compilation.sources.file(span.file);
        Json::Object(vec![
            ("file", file.path().to_string_lossy().into_owned().into()),
            ("line", file.line(span.start).into()),
            ("column", file.column(span.start).into()),
        ])
    }
}

fn declared(kind: InterfaceKind, defined: bool) -> Vec<(&'static str, Json)> {
    let modifier = match kind {
        InterfaceKind::Unconstrained => None,
        InterfaceKind::Abstract => Some("abstract"),
        InterfaceKind::Local => Some("local"),
    };
    vec![("defined", defined.into()), ("modifier", modifier.into())]
}

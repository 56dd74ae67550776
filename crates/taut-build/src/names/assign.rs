//! Giving names to everything that a model defines.

mod checks;
mod interfaces;
mod values;

use std::collections::{BTreeSet, HashMap};

use taut_idl::model::{Definition, DefinitionId, DefinitionKind, Model, Union};
use taut_idl::source::Span;

use super::claims::{Claimant, Claims, LocalClaims, Namespace};
use super::path::ModulePath;
use super::{
    Case, DefinitionName, NO_MEMBER, Names, alias_type_code, constructors, is_object_reference,
    reference_type,
};
use crate::bits;
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::keywords::{escape, escape_module, is_identifier, unraw};
use crate::method::Method;
use crate::options::GenerateOptions;
use crate::selection::{self, Selection};
use crate::strategies::Strategies;
use crate::support::Omitted;
use crate::values::known_values;

impl Names {
    /// Names everything.
    ///
    /// # Errors
    ///
    /// Names that collide, or that Rust cannot have.
    pub(crate) fn assign(
        model: &Model,
        options: &GenerateOptions,
        omitted: Omitted,
    ) -> Result<Self, Vec<GenerateError>> {
        let mut assignment = Assignment {
            model,
            options,
            omitted,
            natives: HashMap::new(),
            nested: nested_types(model),
            used: BTreeSet::new(),
            claims: Claims::default(),
            definitions: HashMap::new(),
            methods: HashMap::new(),
            factories: HashMap::new(),
            errors: Vec::new(),
        };
        assignment.check_paths();
        for &root in model.roots() {
            assignment.definition(root, &ModulePath::file());
        }
        assignment.check_inherited_methods();
        assignment.check_options_used();
        let strategies = Strategies::find(model, options, &mut assignment.errors);
        if assignment.errors.is_empty() {
            Ok(Self {
                definitions: assignment.definitions,
                methods: assignment.methods,
                factories: assignment.factories,
                known_values: known_values(model, |id| assignment.omitted.contains(id)),
                taken: assignment.claims.taken,
                omitted: assignment.omitted,
                strategies,
                views: options.views,
                natives: assignment.natives,
            })
        } else {
            Err(assignment.errors)
        }
    }
}

struct Assignment<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    omitted: Omitted,
    natives: HashMap<DefinitionId, String>,
    /// The types that the members of a definition define.
    nested: HashMap<DefinitionId, Vec<DefinitionId>>,
    /// The names of the options that meant something.
    used: BTreeSet<&'a str>,
    claims: Claims,
    definitions: HashMap<DefinitionId, DefinitionName>,
    methods: HashMap<DefinitionId, Vec<Method>>,
    factories: HashMap<DefinitionId, Vec<Method>>,
    errors: Vec<GenerateError>,
}

impl Assignment<'_> {
    fn definition(&mut self, id: DefinitionId, module: &ModulePath) {
        if self.omitted.contains(id) {
            return;
        }
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
            nested: Vec::new(),
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
            DefinitionKind::ValueType(value) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                name.scope = module.child(&escape_module(&Case::Snake.apply(unraw(&name.ident))));
                self.value_type(id, value, &mut name, &claimant);
            }
            DefinitionKind::ValueBox(_) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                self.claim(module, Namespace::Value, &name.ident, &claimant);
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
                self.nested(id, &mut name, &claimant);
            }
            DefinitionKind::Union(union) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                name.members = self.variants(union, &claimant);
                self.nested(id, &mut name, &claimant);
            }
            DefinitionKind::Enum(enumerators) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                let members = enumerators
                    .iter()
                    .map(|member| (member.name.as_str(), member.span));
                name.members = self.members(&scoped_name, members, "enumerator", Case::UpperCamel);
            }
            DefinitionKind::Bitmask(bitmask) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                self.claim(module, Namespace::Value, &name.ident, &claimant);
                let flags = bitmask
                    .flags
                    .iter()
                    .map(|flag| (flag.name.as_str(), flag.span));
                name.members = self.members(&scoped_name, flags, "flag", Case::Screaming);
            }
            DefinitionKind::Bitset(bitset) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                let fields = bits::fields(model, bitset);
                let fields = fields.iter().map(|field| (field.name, field.bitfield.span));
                name.members = self.members(&scoped_name, fields, "field", Case::Snake);
            }
            DefinitionKind::Typedef(typedef) => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                if is_object_reference(model, &typedef.ty) {
                    name.ident = reference_type(&name.ident);
                }
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                let function = alias_type_code(&name.ident);
                let of_function = claimant.part("TypeCode");
                self.claim(module, Namespace::Value, &function, &of_function);
            }
            DefinitionKind::Native => {
                name.ident = self.name(&scoped_name, definition, Case::UpperCamel);
                self.claim(module, Namespace::Type, &name.ident, &claimant);
                if let Some((key, path)) = self.options.native_types.get_key_value(&scoped_name) {
                    self.used.insert(key);
                    self.natives.insert(id, path.clone());
                }
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

    /// Names the types that a definition's members define. They are in a module
    /// of the definition's name.
    fn nested(&mut self, id: DefinitionId, name: &mut DefinitionName, claimant: &Claimant) {
        let Some(nested) = self.nested.remove(&id) else {
            return;
        };
        let inner = escape_module(&Case::Snake.apply(unraw(&name.ident)));
        self.claim(
            &name.module,
            Namespace::Type,
            &inner,
            &claimant.part("module"),
        );
        name.scope = name.module.child(&inner);
        for &id in &nested {
            self.definition(id, &name.scope);
        }
        name.nested = nested;
    }

    /// Names the variants of a union, the one without a member last.
    fn variants(&mut self, union: &Union, claimant: &Claimant) -> Vec<String> {
        let mut variants = LocalClaims::default();
        if union.implicit_default {
            let absent = claimant.part("variant without a member");
            variants.claim(NO_MEMBER, absent, &mut self.errors);
        }
        let members = union
            .branches
            .iter()
            .map(|branch| (branch.member.name.as_str(), branch.member.span));
        let scope = &claimant.scoped_name;
        let mut names = self.claiming_members(variants, scope, members, "member", Case::UpperCamel);
        names.extend(union.implicit_default.then(|| NO_MEMBER.to_owned()));
        let mut functions = LocalClaims::default();
        for (variant, name) in selection::variants(self.model, union).iter().zip(&names) {
            if let Selection::One(_) = variant.selection {
                continue;
            }
            let of_variant = match variant.member {
                Some(member) => Claimant {
                    description: format!("constructor of the member `{scope}::{}`", member.name),
                    scoped_name: format!("{scope}::{}", member.name),
                    span: member.span,
                },
                None => claimant.part("constructor without a member"),
            };
            for function in constructors(name) {
                functions.claim(&function, of_variant.clone(), &mut self.errors);
            }
        }
        names
    }

    /// Names the parts of a definition, which must differ from each other.
    fn members<'m>(
        &mut self,
        scope: &str,
        members: impl Iterator<Item = (&'m str, Span)>,
        kind: &str,
        case: Case,
    ) -> Vec<String> {
        self.claiming_members(LocalClaims::default(), scope, members, kind, case)
    }

    /// As [`members`](Self::members), and different from what has claims.
    fn claiming_members<'m>(
        &mut self,
        mut claims: LocalClaims,
        scope: &str,
        members: impl Iterator<Item = (&'m str, Span)>,
        kind: &str,
        case: Case,
    ) -> Vec<String> {
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
        if is_identifier(&identifier) {
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
}

/// The types that the members of structs, unions and exceptions define, by the
/// definition that they are in.
fn nested_types(model: &Model) -> HashMap<DefinitionId, Vec<DefinitionId>> {
    let mut nested: HashMap<DefinitionId, Vec<DefinitionId>> = HashMap::new();
    for (id, definition) in model.definitions() {
        if let Some(parent) = definition.parent
            && let DefinitionKind::Struct(_)
            | DefinitionKind::Union(_)
            | DefinitionKind::Exception(_) = model.get(parent).kind
        {
            nested.entry(parent).or_default().push(id);
        }
    }
    nested
}

fn kind_name(kind: &DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Module(_) => "module",
        DefinitionKind::Interface(_) | DefinitionKind::InterfaceDeclaration => "interface",
        DefinitionKind::Struct(_) => "struct",
        DefinitionKind::Union(_) => "union",
        DefinitionKind::Exception(_) => "exception",
        DefinitionKind::Enum(_) => "enum",
        DefinitionKind::Bitmask(_) => "bitmask",
        DefinitionKind::Bitset(_) => "bitset",
        DefinitionKind::Typedef(_) => "type",
        DefinitionKind::Constant(_) => "constant",
        DefinitionKind::Native => "native type",
        DefinitionKind::ValueType(_) => "value type",
        DefinitionKind::ValueBox(_) => "value box",
        _ => "definition",
    }
}

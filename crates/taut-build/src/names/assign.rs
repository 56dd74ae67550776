//! Giving names to everything that a model defines.

mod checks;
mod interfaces;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::mem;

use taut_idl::implied::ReplyHandlers;
use taut_idl::model::{Definition, DefinitionId, DefinitionKind, Model, Union};
use taut_idl::source::Span;

use super::claims::{Claimant, Claims, Collision, LocalClaims, Namespace};
use super::given::{GivenNames, OwnName, OwnNames, is_external};
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
    /// Names that collide where neither can be given another, or that Rust cannot
    /// have.
    pub(crate) fn assign(
        model: &Model,
        options: &GenerateOptions,
        omitted: Omitted,
        reply_handlers: &ReplyHandlers,
    ) -> Result<Self, Vec<GenerateError>> {
        let mut given = GivenNames::default();
        let mut omitted = omitted;
        loop {
            let mut assignment =
                Assignment::of_all(model, options, given, (omitted, reply_handlers));
            let collisions = mem::take(&mut assignment.collisions);
            given = mem::take(&mut assignment.given);
            let count = collisions.len();
            let unsettled = given.settle(collisions, &assignment.own_names, options);
            // Names that were given may meet others, so that all are named anew.
            if unsettled.len() < count {
                omitted = assignment.omitted;
                continue;
            }
            let errors = unsettled.into_iter().map(GenerateError::from);
            assignment.errors.extend(errors);
            return assignment.into_names(given);
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
    /// The names that are given where two would be the same.
    given: GivenNames,
    /// The names without those.
    own_names: OwnNames,
    collisions: Vec<Collision>,
    errors: Vec<GenerateError>,
    strategies: Strategies,
    strategy_errors: Vec<GenerateError>,
    reply_handlers: &'a ReplyHandlers,
}

impl<'a> Assignment<'a> {
    /// Names everything.
    fn of_all(
        model: &'a Model,
        options: &'a GenerateOptions,
        given: GivenNames,
        (omitted, reply_handlers): (Omitted, &'a ReplyHandlers),
    ) -> Self {
        let mut strategy_errors = Vec::new();
        let strategies = Strategies::find(model, options, &mut strategy_errors);
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
            given,
            own_names: OwnNames::new(),
            collisions: Vec::new(),
            errors: Vec::new(),
            strategies,
            strategy_errors,
            reply_handlers,
        };
        assignment.check_paths();
        for &root in model.roots() {
            assignment.definition(root, &ModulePath::file());
        }
        assignment.check_inherited_methods();
        assignment.check_options_used();
        assignment
    }

    /// The names, unless there are errors.
    fn into_names(mut self, given: GivenNames) -> Result<Names, Vec<GenerateError>> {
        self.errors.extend(self.strategy_errors);
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        Ok(Names {
            definitions: self.definitions,
            methods: self.methods,
            factories: self.factories,
            known_values: known_values(self.model, |id| self.omitted.contains(id)),
            taken: self.claims.taken,
            omitted: self.omitted,
            strategies: self.strategies,
            reply_handlers: self.reply_handlers.clone(),
            views: self.options.views,
            futures: !self.options.without_futures,
            signatures: self.options.signatures,
            natives: self.natives,
            given: given.into_list(),
        })
    }

    /// No claims yet to names within a definition of this scoped name.
    fn local_claims(&self, scope: &str) -> LocalClaims {
        LocalClaims::new(is_external(self.options, scope))
    }

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
        let mut variants = self.local_claims(&claimant.scoped_name);
        if union.implicit_default {
            let absent = claimant.part("variant without a member");
            variants.claim(NO_MEMBER, absent, &mut self.collisions);
        }
        let members = union
            .branches
            .iter()
            .map(|branch| (branch.member.name.as_str(), branch.member.span));
        let scope = &claimant.scoped_name;
        let mut names = self.claiming_members(variants, scope, members, "member", Case::UpperCamel);
        names.extend(union.implicit_default.then(|| NO_MEMBER.to_owned()));
        let mut functions = self.local_claims(scope);
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
                functions.claim(&function, of_variant.clone(), &mut self.collisions);
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
        self.claiming_members(self.local_claims(scope), scope, members, kind, case)
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
                let name = self.identifier(&scoped_name, (&made, case), &description, span);
                let claimant = Claimant {
                    description,
                    scoped_name,
                    span,
                };
                claims.claim(&name, claimant, &mut self.collisions);
                name
            })
            .collect()
    }

    fn name(&mut self, scoped_name: &str, definition: &Definition, case: Case) -> String {
        let kind = kind_name(&definition.kind);
        let description = format!("{kind} `{scoped_name}`");
        let made = case.apply(&definition.name);
        let name = self.identifier(scoped_name, (&made, case), &description, definition.span);
        if matches!(definition.kind, DefinitionKind::Module(_)) {
            escape_module(unraw(&name))
        } else {
            name
        }
    }

    /// The identifier for something: what the options say, or what was made of
    /// its IDL name, unless that is taken.
    fn identifier(
        &mut self,
        scoped_name: &str,
        (made, case): (&str, Case),
        description: &str,
        span: Span,
    ) -> String {
        let wish = match self.options.renames.get_key_value(scoped_name) {
            Some((key, wish)) => {
                self.used.insert(key);
                unraw(wish)
            }
            None => {
                let own = OwnName {
                    name: made.to_owned(),
                    case,
                    description: description.to_owned(),
                };
                self.own_names.insert(scoped_name.to_owned(), own);
                self.given.get(scoped_name).unwrap_or(made)
            }
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
            .claim(module, namespace, name, claimant, &mut self.collisions);
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

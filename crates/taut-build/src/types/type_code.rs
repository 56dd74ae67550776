//! The expressions that make TypeCodes.
//!
//! A type asks those that it is made of for theirs. Where types contain each
//! other, this would never end; so the first of them describes all the others
//! on the spot, down to the places that return, and the others are taken out of
//! its TypeCode.

use std::collections::HashSet;

use proc_macro2::Literal;
use taut_idl::model::{
    ConstantValue, Definition, DefinitionId, DefinitionKind, Member, Model, Primitive, Type, Union,
    ValueKind, ValueType, Visibility,
};

use super::codec::Site;
use super::rust_type::{owned_path, reference};
use crate::code::{Code, quote};
use crate::names::is_reference;
use crate::scope::Scope;
use crate::selection::Discriminator;
use crate::values::{is_abstract_interface, is_value_definition};

/// How many types are described on the spot in one expression. Types that
/// contain each other crosswise could be described in more ways than anybody
/// has memory for.
const DESCRIBED_MAX: usize = 256;

/// The expression that makes the TypeCode of a definition: a `Result`.
pub(crate) fn creation(scope: &Scope<'_>, site: Site, id: DefinitionId) -> Code {
    let first = first_of_circle(scope.model, id);
    if first != id {
        let within = scope.runtime("type_code_within");
        let repository_id = scope.model.get(id).repository_id.to_string();
        let first = typed(scope, site, &scope.definition(first));
        return quote!(#within(&#first, #repository_id));
    }
    let mut description = Description {
        scope,
        site,
        inside: Vec::new(),
        described: 0,
    };
    let creation = description.creation(id);
    if description.described > DESCRIBED_MAX {
        let (err, error) = (scope.prelude("Err"), scope.runtime("CreateError"));
        return quote!(#err(#error::TooLarge));
    }
    creation
}

/// The expression of a type's TypeCode, where `?` can be used.
pub(crate) fn of(scope: &Scope<'_>, site: Site, ty: &Type) -> Code {
    let mut description = Description {
        scope,
        site,
        inside: Vec::new(),
        described: 0,
    };
    description.of(ty)
}

struct Description<'a> {
    scope: &'a Scope<'a>,
    site: Site,
    /// The structs, unions, exceptions and value types that are being described.
    inside: Vec<DefinitionId>,
    described: usize,
}

impl Description<'_> {
    fn creation(&mut self, id: DefinitionId) -> Code {
        let scope = self.scope;
        let definition = scope.model.get(id);
        let type_code = scope.runtime("TypeCode");
        let repository_id = definition.repository_id.to_string();
        let name = definition.name.as_str();
        self.described += 1;
        if self.described > DESCRIBED_MAX {
            return Code::new();
        }
        match &definition.kind {
            DefinitionKind::Struct(members) => {
                let members = self.members(id, members);
                quote!(#type_code::create_struct(#repository_id, #name, #members))
            }
            DefinitionKind::Exception(members) => {
                let members = self.members(id, members);
                quote!(#type_code::create_exception(#repository_id, #name, #members))
            }
            DefinitionKind::Union(union) => self.union(id, definition, union),
            DefinitionKind::Enum(enumerators) => {
                let enumerators = enumerators
                    .iter()
                    .map(|enumerator| enumerator.name.as_str());
                quote!(#type_code::create_enum(#repository_id, #name, &[#(#enumerators),*]))
            }
            DefinitionKind::Typedef(typedef) => {
                let original = self.of(&typedef.ty);
                quote!(#type_code::create_alias(#repository_id, #name, &#original))
            }
            DefinitionKind::Bitmask(bitmask) => {
                self.integer_alias(definition, u32::from(bitmask.bits))
            }
            DefinitionKind::Bitset(bitset) => {
                self.integer_alias(definition, scope.model.bitset_width(bitset))
            }
            DefinitionKind::ValueType(value) => self.value_type(id, definition, value),
            DefinitionKind::ValueBox(ty) => {
                self.inside.push(id);
                let boxed = self.of(ty);
                self.inside.pop();
                quote!(#type_code::create_value_box(#repository_id, #name, &#boxed))
            }
            _ if is_abstract_interface(scope.model, id) => {
                let kind = scope.runtime("TCKind");
                quote!(#type_code::create_named(#kind::AbstractInterface, #repository_id, #name))
            }
            // Interfaces; nothing else is a type.
            _ => quote!(#type_code::create_interface(#repository_id, #name)),
        }
    }

    /// The TypeCode of a bit mask or bit set, which TypeCodes do not know: an
    /// alias of the integer that it is on the wire.
    fn integer_alias(&mut self, definition: &Definition, width: u32) -> Code {
        let type_code = self.scope.runtime("TypeCode");
        let repository_id = definition.repository_id.to_string();
        let name = definition.name.as_str();
        let holder = self.of(&Type::Primitive(Primitive::of_bits(width)));
        quote!(#type_code::create_alias(#repository_id, #name, &#holder))
    }

    fn members(&mut self, id: DefinitionId, members: &[Member]) -> Code {
        self.inside.push(id);
        let members: Vec<_> = members
            .iter()
            .map(|member| {
                let (name, ty) = (member.name.as_str(), self.of(&member.ty));
                quote!((#name, #ty))
            })
            .collect();
        self.inside.pop();
        quote!(&[#(#members),*])
    }

    fn value_type(&mut self, id: DefinitionId, definition: &Definition, value: &ValueType) -> Code {
        let scope = self.scope;
        let (type_code, kind) = (scope.runtime("TypeCode"), scope.runtime("TCKind"));
        let (value_member, visibility) = (
            scope.runtime("ValueMember"),
            scope.runtime("MemberVisibility"),
        );
        let modifier = scope.runtime("ValueModifier");
        let modifier = match value.kind {
            ValueKind::Custom => quote!(#modifier::Custom),
            ValueKind::Abstract => quote!(#modifier::Abstract),
            ValueKind::Stateful if value.truncatable => quote!(#modifier::Truncatable),
            ValueKind::Stateful => quote!(#modifier::None),
        };
        let kind = match value.is_event {
            true => quote!(#kind::Event),
            false => quote!(#kind::Value),
        };
        self.inside.push(id);
        let base = match value.base {
            Some(base) => {
                let (some, base) = (scope.prelude("Some"), self.of(&Type::Named(base)));
                quote!(#some(&#base))
            }
            None => scope.prelude("None"),
        };
        let members: Vec<_> = value
            .state
            .iter()
            .map(|one| {
                let name = one.member.name.as_str();
                let ty = self.of(&one.member.ty);
                let visibility = match one.visibility {
                    Visibility::Public => quote!(#visibility::Public),
                    Visibility::Private => quote!(#visibility::Private),
                };
                quote!(#value_member { name: #name, type_code: #ty, visibility: #visibility })
            })
            .collect();
        self.inside.pop();
        let repository_id = definition.repository_id.to_string();
        let name = definition.name.as_str();
        quote! {
            #type_code::create_value(
                #kind, #repository_id, #name, #modifier, #base, &[#(#members),*],
            )
        }
    }

    fn union(&mut self, id: DefinitionId, definition: &Definition, union: &Union) -> Code {
        let scope = self.scope;
        let (type_code, union_member) = (scope.runtime("TypeCode"), scope.runtime("UnionMember"));
        let (some, none) = (scope.prelude("Some"), scope.prelude("None"));
        self.inside.push(id);
        let discriminator = self.of(&union.discriminator);
        let octets =
            Discriminator::of(scope.model, union) == Discriminator::Integer(Primitive::Int8);
        let mut members = Vec::new();
        for branch in &union.branches {
            let name = branch.member.name.as_str();
            let labels = branch.labels.iter().filter_map(ConstantValue::ordinal);
            let labels = labels.map(|label| {
                let label = if octets { label & 0xff } else { label };
                let label = Literal::i128_unsuffixed(label);
                quote!(#some(#label))
            });
            let default = branch.is_default.then(|| quote!(#none));
            for label in labels.chain(default) {
                let ty = self.of(&branch.member.ty);
                members.push(quote!(#union_member { label: #label, name: #name, type_code: #ty }));
            }
        }
        self.inside.pop();
        let repository_id = definition.repository_id.to_string();
        let name = definition.name.as_str();
        quote! {
            #type_code::create_union(#repository_id, #name, &#discriminator, &[#(#members),*])
        }
    }

    /// The expression of a type's TypeCode, where `?` can be used.
    fn of(&mut self, ty: &Type) -> Code {
        let scope = self.scope;
        let type_code = scope.runtime("TypeCode");
        match ty {
            Type::String { bound: Some(bound) } => {
                let bound = Literal::u32_unsuffixed(*bound);
                quote!(#type_code::string(#bound))
            }
            Type::WString { bound } => {
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(#type_code::wstring(#bound))
            }
            Type::Sequence { element, bound } => {
                let element = self.of(element);
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(#type_code::create_sequence(&#element, #bound)?)
            }
            Type::Map { key, value, bound } => {
                let (key, value) = (self.of(key), self.of(value));
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(#type_code::create_map(&#key, &#value, #bound)?)
            }
            Type::Array { element, length } => {
                let element = self.of(element);
                let length = Literal::u32_unsuffixed(*length);
                quote!(#type_code::create_array(&#element, #length)?)
            }
            Type::Named(id) if self.inside.contains(id) => {
                let repository_id = scope.model.get(*id).repository_id.to_string();
                quote!(#type_code::create_recursive(#repository_id)?)
            }
            Type::Named(id) if leads_to(scope.model, ty, &self.inside) => {
                let creation = self.creation(*id);
                quote!(#creation?)
            }
            Type::Named(id) if is_typedef(scope.model, *id) => {
                let function = scope.alias_type_code(*id);
                quote!(#function())
            }
            // No TypeCode tells it from the octet that it is on the wire.
            Type::Primitive(Primitive::Int8) => self.typed(&quote!(u8)),
            // An `Any` has a method of this name: which type it holds.
            Type::Any => {
                let (any, typed) = (scope.runtime("Any"), scope.runtime("Typed"));
                quote!(<#any as #typed>::type_code())
            }
            Type::Named(id) if is_value_definition(scope.model, *id) => {
                self.typed(&scope.definition(*id))
            }
            Type::ValueBase => self.typed(&scope.runtime("ValueBase")),
            Type::Named(id) if is_abstract_interface(scope.model, *id) => {
                let (reference, described) =
                    (scope.reference(*id), scope.runtime("AbstractInterface"));
                quote!(<#reference as #described>::type_code())
            }
            _ if is_reference(scope.model, ty) => {
                let reference = reference(scope, ty);
                self.typed(&quote!(#reference))
            }
            _ => self.typed(&owned_path(scope, ty)),
        }
    }

    fn typed(&self, ty: &Code) -> Code {
        typed(self.scope, self.site, ty)
    }
}

fn typed(scope: &Scope<'_>, site: Site, ty: &Code) -> Code {
    if site == Site::Implementation || scope.has_typed() {
        quote!(#ty::type_code())
    } else {
        let typed = scope.runtime("Typed");
        quote!(<#ty as #typed>::type_code())
    }
}

/// The first definition of those that contain a definition and are contained in
/// it; itself, if there are none.
fn first_of_circle(model: &Model, id: DefinitionId) -> DefinitionId {
    let is_data = |definition: &Definition| {
        matches!(
            definition.kind,
            DefinitionKind::Struct(_)
                | DefinitionKind::Union(_)
                | DefinitionKind::ValueType(_)
                | DefinitionKind::ValueBox(_)
        )
    };
    if !is_data(model.get(id)) {
        return id;
    }
    let mut others: Vec<_> = contained(model, &Type::Named(id))
        .into_iter()
        .filter(|other| *other < id && is_data(model.get(*other)))
        .collect();
    others.sort_unstable();
    others
        .into_iter()
        .find(|other| leads_to(model, &Type::Named(*other), &[id]))
        .unwrap_or(id)
}

fn is_typedef(model: &Model, id: DefinitionId) -> bool {
    matches!(model.get(id).kind, DefinitionKind::Typedef(_))
}

/// Whether a type is or contains one of some definitions, perhaps in sequences.
fn leads_to(model: &Model, ty: &Type, targets: &[DefinitionId]) -> bool {
    let contained = contained(model, ty);
    targets.iter().any(|target| contained.contains(target))
}

/// Returns the definitions that a type is or contains, perhaps in sequences. Not what is
/// behind references.
fn contained(model: &Model, ty: &Type) -> HashSet<DefinitionId> {
    let mut found = HashSet::new();
    let mut waiting = vec![ty];
    let mut bases = Vec::new();
    loop {
        let id = match (waiting.pop(), bases.pop()) {
            (Some(Type::Map { key, value, .. }), base) => {
                waiting.extend([&**key, &**value]);
                bases.extend(base);
                continue;
            }
            (Some(Type::Sequence { element, .. } | Type::Array { element, .. }), base) => {
                waiting.push(element);
                bases.extend(base);
                continue;
            }
            (Some(Type::Named(id)), base) => {
                bases.extend(base);
                *id
            }
            (Some(_), base) => {
                bases.extend(base);
                continue;
            }
            (None, Some(base)) => base,
            (None, None) => return found,
        };
        if !found.insert(id) {
            continue;
        }
        match &model.get(id).kind {
            DefinitionKind::Struct(members) | DefinitionKind::Exception(members) => {
                waiting.extend(members.iter().map(|member| &member.ty));
            }
            DefinitionKind::Union(union) => {
                waiting.extend(union.branches.iter().map(|branch| &branch.member.ty));
            }
            DefinitionKind::ValueType(value) => {
                waiting.extend(value.state.iter().map(|one| &one.member.ty));
                bases.extend(value.base);
            }
            DefinitionKind::ValueBox(ty) => waiting.push(ty),
            DefinitionKind::Typedef(typedef) => waiting.push(&typedef.ty),
            _ => {}
        }
    }
}

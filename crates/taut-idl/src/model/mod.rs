//! The checked model: what an IDL specification says, with every name
//! resolved and every constant computed.
//!
//! A [`Model`] is an arena of [`Definition`]s in the order in which the source
//! introduces them; a [`DefinitionId`] is an index into it. Modules that are
//! reopened are one definition with the members of all their parts. The model
//! knows nothing of Rust or of wire formats, and is immutable once built.

mod annotation;
mod bits;
mod component;
mod constant;
mod interface;
mod list;
mod names;
mod template;
mod types;
mod value;

use std::collections::HashMap;

use arcstr::ArcStr;

use crate::source::Span;

pub use annotation::{Annotation, AnnotationArgument, AnnotationValue};
pub use bits::{Bitfield, Bitmask, Bitset, Flag};
pub use component::{Component, Connector, Home, Port, PortKind, PortType};
pub use constant::ConstantValue;
pub use interface::{
    Attribute, Feature, Interface, InterfaceKind, Operation, Parameter, ParameterMode,
};
pub use list::List;
pub(crate) use names::{Given, Path};
pub use names::{RepositoryId, ScopedName};
pub use template::{
    Instance, TemplateArgument, TemplateModule, TemplateParameter, TemplateParameterKind,
};
pub use types::{Primitive, Type};
pub use value::{Factory, StateMember, ValueKind, ValueType, Visibility};

/// The place of a [`Definition`] in its [`Model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub(crate) u32);

/// Everything that one specification (a main file or several, with all that
/// they include) defines.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) roots: Vec<DefinitionId>,
    pub(crate) base_structs: HashMap<DefinitionId, DefinitionId>,
    pub(crate) instances: HashMap<DefinitionId, Instance>,
}

impl Model {
    /// The definitions at file scope, in source order.
    pub fn roots(&self) -> &[DefinitionId] {
        &self.roots
    }

    /// All definitions, each before the definitions it contains.
    pub fn definitions(&self) -> impl Iterator<Item = (DefinitionId, &Definition)> {
        self.definitions
            .iter()
            .enumerate()
            .map(|(index, definition)| (DefinitionId(index as u32), definition))
    }

    /// The definition with this id.
    pub fn get(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0 as usize]
    }

    /// Finds a definition by its scoped name, such as `["CosNaming", "Name"]`.
    pub fn find(&self, scoped_name: &[&str]) -> Option<DefinitionId> {
        self.definitions()
            .find(|(_, definition)| definition.scoped_name.is(scoped_name))
            .map(|(id, _)| id)
    }

    /// The interface with this id, if it is a defined (not merely declared) one.
    pub fn interface(&self, id: DefinitionId) -> Option<&Interface> {
        match &self.get(id).kind {
            DefinitionKind::Interface(interface) => Some(interface),
            _ => None,
        }
    }

    /// The value type with this id, if it is a defined one and no value box.
    pub fn value_type(&self, id: DefinitionId) -> Option<&ValueType> {
        match &self.get(id).kind {
            DefinitionKind::ValueType(value) => Some(value),
            _ => None,
        }
    }

    /// The struct that a struct inherits from, if it does so. The members of
    /// the base are the first of those of the struct.
    pub fn base_struct(&self, id: DefinitionId) -> Option<DefinitionId> {
        self.base_structs.get(&id).copied()
    }

    /// Returns the template module that a module is an instance of, with the arguments, if
    /// it is one.
    pub fn instance(&self, id: DefinitionId) -> Option<&Instance> {
        self.instances.get(&id)
    }

    /// The state of a value type in the order of marshaling: that of the bases
    /// first. Empty for anything else.
    pub fn all_state(&self, id: DefinitionId) -> Vec<&StateMember> {
        let mut chain = Vec::new();
        let mut next = self.value_type(id);
        while let Some(value) = next {
            chain.push(value);
            next = value.base.and_then(|base| self.value_type(base));
        }
        chain
            .into_iter()
            .rev()
            .flat_map(|value| &value.state)
            .collect()
    }

    /// The fields of a bit set, those of its bases first.
    pub fn all_bitfields<'m>(&'m self, bitset: &'m Bitset) -> Vec<&'m Bitfield> {
        let mut fields = match bitset.base.map(|base| &self.get(base).kind) {
            Some(DefinitionKind::Bitset(base)) => self.all_bitfields(base),
            _ => Vec::new(),
        };
        fields.extend(&bitset.fields);
        fields
    }

    /// How many bits a bit set has.
    pub fn bitset_width(&self, bitset: &Bitset) -> u32 {
        let fields = self.all_bitfields(bitset);
        fields.iter().map(|field| u32::from(field.width)).sum()
    }

    /// All bases of an interface, direct and inherited, each once, every base
    /// before the interfaces that derive from it. The interface itself is not
    /// among them.
    pub fn all_bases(&self, id: DefinitionId) -> Vec<DefinitionId> {
        fn visit(model: &Model, id: DefinitionId, found: &mut Vec<DefinitionId>) {
            let Some(interface) = model.interface(id) else {
                return;
            };
            for &base in &interface.bases {
                if !found.contains(&base) {
                    visit(model, base, found);
                    found.push(base);
                }
            }
        }
        let mut found = Vec::new();
        visit(self, id, &mut found);
        found
    }

    /// Follows typedefs until a type that is not a typedef's name.
    pub fn resolve_alias<'t>(&'t self, mut ty: &'t Type) -> &'t Type {
        while let Type::Named(id) = ty {
            match &self.get(*id).kind {
                DefinitionKind::Typedef(typedef) => ty = &typedef.ty,
                _ => break,
            }
        }
        ty
    }
}

/// One named thing of a specification.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The simple name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// The name with all its scopes, outermost first, the simple name last.
    pub scoped_name: ScopedName,
    /// The repository id, such as `IDL:omg.org/CosNaming/NamingContext:1.0`.
    pub repository_id: RepositoryId,
    /// The definition whose scope holds this one; none at file scope.
    pub parent: Option<DefinitionId>,
    /// Where the name stands in the source.
    pub span: Span,
    /// The comment that directly precedes the definition, without its comment
    /// marks, one entry a line; empty when there is none.
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// Whether the definition stands in a main file rather than an included one.
    pub in_main_file: bool,
    /// The kind of definition, with its content.
    pub kind: DefinitionKind,
}

/// The kind of a [`Definition`], with its content.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DefinitionKind {
    /// `module`: its members, in source order over all its parts. An instance
    /// of a template module is one, too, see [`Model::instance`].
    Module(Vec<DefinitionId>),
    /// `interface`, defined.
    Interface(Box<Interface>),
    /// `interface`, declared and not defined in this specification.
    InterfaceDeclaration,
    /// `abstract interface`, declared and not defined in this specification.
    AbstractInterfaceDeclaration,
    /// `local interface`, declared and not defined in this specification.
    LocalInterfaceDeclaration,
    /// `valuetype` or `eventtype`, defined.
    ValueType(Box<ValueType>),
    /// `valuetype` with the type of what it boxes.
    ValueBox(Type),
    /// `valuetype` or `eventtype`, declared and not defined in this
    /// specification.
    ValueTypeDeclaration,
    /// `native`: a type that each language mapping gives a meaning.
    Native,
    /// `struct`: all its members, those of its base first, see
    /// [`Model::base_struct`]. Types that its own members define have it as
    /// their parent, and are found in [`Model::definitions`] only.
    Struct(List<Member>),
    /// `union`. For the types that its members define the same holds.
    Union(Box<Union>),
    /// `exception`; it may have no members.
    Exception(List<Member>),
    /// `enum`; an enumerator's ordinal is its index.
    Enum(List<Enumerator>),
    /// One declarator of a `typedef`.
    Typedef(Typedef),
    /// `const`.
    Constant(Box<Constant>),
    /// `bitset`
    Bitset(Box<Bitset>),
    /// `bitmask`
    Bitmask(Box<Bitmask>),
    /// `component`, defined.
    Component(Box<Component>),
    /// `component`, declared and not defined in this specification.
    ComponentDeclaration,
    /// `home`
    Home(Box<Home>),
    /// `porttype`, defined.
    PortType(Box<PortType>),
    /// `porttype`, declared and not defined in this specification.
    PortTypeDeclaration,
    /// `connector`
    Connector(Box<Connector>),
    /// `module` with parameters.
    TemplateModule(TemplateModule),
}

/// A member of a struct or an exception.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`].
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// The type.
    pub ty: Type,
}

/// A union: a discriminator, and a member for some or all of its values.
#[derive(Debug, Clone)]
pub struct Union {
    /// The discriminator's type: an integer type, `char`, `wchar`, `octet`,
    /// `boolean` or an enum, perhaps by way of typedefs.
    pub discriminator: Type,
    /// The branches, in source order; at most one has the default label.
    pub branches: Vec<Branch>,
    /// Whether there are discriminator values that no branch covers and no
    /// default stands for, so that a value may have no member at all.
    pub implicit_default: bool,
}

/// A branch of a union.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The values that select it, computed, in source order.
    pub labels: List<ConstantValue>,
    /// Whether it has the label `default`, alone or among others.
    pub is_default: bool,
    /// The member.
    pub member: Member,
}

/// A value of an enum.
#[derive(Debug, Clone)]
pub struct Enumerator {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`].
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
}

/// A name given to a type.
#[derive(Debug, Clone)]
pub struct Typedef {
    /// The type that it names.
    pub ty: Type,
}

/// A constant.
#[derive(Debug, Clone)]
pub struct Constant {
    /// The declared type.
    pub ty: Type,
    /// The value, computed and within the type's range.
    pub value: ConstantValue,
}

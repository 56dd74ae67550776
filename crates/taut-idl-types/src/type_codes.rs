//! From definitions to TypeCodes.
//!
//! Types that contain each other are described down to the places that return.
//! A TypeCode that has no such place in it, or only such as lead back into
//! itself, is kept and serves wherever its type is used; one that leads out is
//! made anew each time.

use std::collections::HashMap;
use std::fmt;

use taut_idl::Model;
use taut_idl::model::{
    Definition, DefinitionId, DefinitionKind, InterfaceKind, Member, Primitive, Type, Union,
    ValueKind, ValueType, Visibility,
};
use taut_types::{
    CreateError, MemberVisibility, TCKind, TypeCode, UnionMember, ValueMember, ValueModifier,
};

/// How many definitions are described on the spot for one TypeCode. Types that
/// contain each other crosswise could be described in more ways than anybody
/// has memory for.
const DESCRIBED_MAX: usize = 256;

/// How deeply types may nest by way of definitions.
const DEPTH_MAX: usize = 64;

/// Why a type has no TypeCode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeCodeFault {
    /// The definition with this name is no type, or is only declared.
    NoType {
        /// The scoped name.
        name: String,
    },
    /// A TypeCode cannot be made of it.
    Create(CreateError),
}

impl fmt::Display for TypeCodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType { name } => write!(f, "`{name}` is no type, or is only declared"),
            Self::Create(error) => write!(f, "a TypeCode cannot be made: {error:?}"),
        }
    }
}

impl std::error::Error for TypeCodeFault {}

impl From<CreateError> for TypeCodeFault {
    fn from(error: CreateError) -> Self {
        Self::Create(error)
    }
}

type Made = Result<TypeCode, TypeCodeFault>;

/// Makes the TypeCodes of a model's types, each once where that is possible.
pub struct TypeCodes<'m> {
    model: &'m Model,
    known: HashMap<DefinitionId, Made>,
    /// The definitions that are being described, the outermost first.
    inside: Vec<DefinitionId>,
    /// The outermost of them that what was described last leads back to.
    leads_to: usize,
    described: usize,
}

impl<'m> TypeCodes<'m> {
    /// For the types of this model.
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            known: HashMap::new(),
            inside: Vec::new(),
            leads_to: usize::MAX,
            described: 0,
        }
    }

    /// The TypeCode of a definition: a struct, an exception, a union, an enum, a
    /// typedef, an interface, a value type, a bit mask or a bit set.
    ///
    /// TypeCodes know no bit masks and bit sets; these are aliases of the integers
    /// that they are on the wire.
    ///
    /// # Errors
    ///
    /// [`TypeCodeFault`].
    pub fn of_definition(&mut self, id: DefinitionId) -> Made {
        self.described = 0;
        self.definition(id)
    }

    /// The TypeCode of a type where it is used.
    ///
    /// # Errors
    ///
    /// [`TypeCodeFault`].
    pub fn of_type(&mut self, ty: &Type) -> Made {
        self.described = 0;
        self.ty(ty)
    }

    /// A definition's TypeCode, which is kept if it leads to nothing outside.
    fn definition(&mut self, id: DefinitionId) -> Made {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let depth = self.inside.len();
        if let Some(place) = self.inside.iter().position(|outer| *outer == id) {
            self.leads_to = self.leads_to.min(place);
            let repository_id = self.model.get(id).repository_id.to_string();
            return Ok(TypeCode::create_recursive(&repository_id)?);
        }
        self.described += 1;
        if self.described > DESCRIBED_MAX || depth > DEPTH_MAX {
            return Err(CreateError::TooLarge.into());
        }
        let outer = std::mem::replace(&mut self.leads_to, usize::MAX);
        self.inside.push(id);
        let made = self.describe(id);
        self.inside.pop();
        let leads_to = self.leads_to;
        if leads_to >= depth && (made.is_ok() || depth == 0) {
            self.known.insert(id, made.clone());
        }
        // A reference to this definition itself leads nowhere outside of it.
        let leads_out = if leads_to < depth {
            leads_to
        } else {
            usize::MAX
        };
        self.leads_to = outer.min(leads_out);
        made
    }

    fn describe(&mut self, id: DefinitionId) -> Made {
        let definition = self.model.get(id);
        let (repository_id, name) = (definition.repository_id.to_string(), &definition.name);
        let named = |kind| Ok(TypeCode::create_named(kind, &repository_id, name)?);
        match &definition.kind {
            DefinitionKind::Struct(members) => {
                let members = self.members(members)?;
                Ok(TypeCode::create_struct(&repository_id, name, &members)?)
            }
            DefinitionKind::Exception(members) => {
                let members = self.members(members)?;
                Ok(TypeCode::create_exception(&repository_id, name, &members)?)
            }
            DefinitionKind::Union(union) => self.union(definition, union),
            DefinitionKind::Enum(enumerators) => {
                let names: Vec<&str> = enumerators.iter().map(|one| one.name.as_str()).collect();
                Ok(TypeCode::create_enum(&repository_id, name, &names)?)
            }
            DefinitionKind::Typedef(typedef) => {
                let original = self.ty(&typedef.ty)?;
                Ok(TypeCode::create_alias(&repository_id, name, &original)?)
            }
            DefinitionKind::Bitmask(bitmask) => {
                self.integer_alias(definition, u32::from(bitmask.bits))
            }
            DefinitionKind::Bitset(bitset) => {
                self.integer_alias(definition, self.model.bitset_width(bitset))
            }
            DefinitionKind::ValueType(value) => self.value_type(definition, value),
            DefinitionKind::ValueBox(ty) => {
                let boxed = self.ty(ty)?;
                Ok(TypeCode::create_value_box(&repository_id, name, &boxed)?)
            }
            DefinitionKind::Interface(interface) => match interface.kind {
                InterfaceKind::Unconstrained => named(TCKind::ObjectReference),
                InterfaceKind::Abstract => named(TCKind::AbstractInterface),
                InterfaceKind::Local => named(TCKind::LocalInterface),
            },
            DefinitionKind::InterfaceDeclaration => named(TCKind::ObjectReference),
            DefinitionKind::AbstractInterfaceDeclaration => named(TCKind::AbstractInterface),
            DefinitionKind::LocalInterfaceDeclaration => named(TCKind::LocalInterface),
            DefinitionKind::Component(_)
            | DefinitionKind::ComponentDeclaration
            | DefinitionKind::Home(_) => named(TCKind::ObjectReference),
            DefinitionKind::Native => named(TCKind::Native),
            _ => Err(TypeCodeFault::NoType {
                name: definition.scoped_name.join("::"),
            }),
        }
    }

    fn members(
        &mut self,
        members: &'m [Member],
    ) -> Result<Vec<(&'m str, TypeCode)>, TypeCodeFault> {
        let one = |member: &'m Member| Ok((member.name.as_str(), self.ty(&member.ty)?));
        members.iter().map(one).collect()
    }

    fn union(&mut self, definition: &Definition, union: &Union) -> Made {
        let discriminator = self.ty(&union.discriminator)?;
        let is_octet = discriminator.without_aliases().kind() == TCKind::Octet;
        let mut members = Vec::new();
        for branch in &union.branches {
            let type_code = self.ty(&branch.member.ty)?;
            let labels = branch.labels.iter().filter_map(|label| label.ordinal());
            // An `int8` is an octet in TypeCodes.
            let labels = labels.map(|label| Some(if is_octet { label & 0xff } else { label }));
            for label in labels.chain(branch.is_default.then_some(None)) {
                members.push(UnionMember {
                    label,
                    name: &branch.member.name,
                    type_code: type_code.clone(),
                });
            }
        }
        let (repository_id, name) = (definition.repository_id.to_string(), &definition.name);
        Ok(TypeCode::create_union(
            &repository_id,
            name,
            &discriminator,
            &members,
        )?)
    }

    fn value_type(&mut self, definition: &Definition, value: &ValueType) -> Made {
        let modifier = match value.kind {
            ValueKind::Custom => ValueModifier::Custom,
            ValueKind::Abstract => ValueModifier::Abstract,
            ValueKind::Stateful if value.truncatable => ValueModifier::Truncatable,
            ValueKind::Stateful => ValueModifier::None,
        };
        let kind = match value.is_event {
            true => TCKind::Event,
            false => TCKind::Value,
        };
        let base = match value.base {
            Some(base) => Some(self.definition(base)?),
            None => None,
        };
        let mut members = Vec::new();
        for state in &value.state {
            members.push(ValueMember {
                name: &state.member.name,
                type_code: self.ty(&state.member.ty)?,
                visibility: match state.visibility {
                    Visibility::Public => MemberVisibility::Public,
                    Visibility::Private => MemberVisibility::Private,
                },
            });
        }
        let (repository_id, name) = (definition.repository_id.to_string(), &definition.name);
        Ok(TypeCode::create_value(
            kind,
            &repository_id,
            name,
            modifier,
            base.as_ref(),
            &members,
        )?)
    }

    /// An alias of the unsigned integer that holds so many bits.
    fn integer_alias(&mut self, definition: &Definition, width: u32) -> Made {
        let holder = self.ty(&Type::Primitive(Primitive::of_bits(width)))?;
        let (repository_id, name) = (definition.repository_id.to_string(), &definition.name);
        Ok(TypeCode::create_alias(&repository_id, name, &holder)?)
    }

    fn ty(&mut self, ty: &Type) -> Made {
        Ok(match ty {
            Type::Primitive(primitive) => simple(kind_of(*primitive)),
            Type::String { bound } => TypeCode::string(bound.unwrap_or(0)),
            Type::WString { bound } => TypeCode::wstring(bound.unwrap_or(0)),
            Type::Fixed { digits, scale } => TypeCode::create_fixed(*digits, *scale)?,
            Type::Sequence { element, bound } => {
                TypeCode::create_sequence(&self.ty(element)?, bound.unwrap_or(0))?
            }
            Type::Map { key, value, bound } => {
                let (key, value) = (self.ty(key)?, self.ty(value)?);
                TypeCode::create_map(&key, &value, bound.unwrap_or(0))?
            }
            Type::Array { element, length } => TypeCode::create_array(&self.ty(element)?, *length)?,
            Type::Object => TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object")?,
            Type::Any => simple(TCKind::Any),
            Type::TypeCode => simple(TCKind::TypeCode),
            Type::ValueBase => <taut_types::value::ValueBase as taut_types::Typed>::type_code(),
            Type::Named(id) => self.definition(*id)?,
            _ => {
                return Err(TypeCodeFault::NoType {
                    name: format!("{ty:?}"),
                });
            }
        })
    }
}

fn simple(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap_or_else(|_| TypeCode::null())
}

/// No TypeCode tells the integers of 8 bits from the octets that they are on
/// the wire.
fn kind_of(primitive: Primitive) -> TCKind {
    match primitive {
        Primitive::Boolean => TCKind::Boolean,
        Primitive::Char => TCKind::Char,
        Primitive::Short => TCKind::Short,
        Primitive::UShort => TCKind::UShort,
        Primitive::Long => TCKind::Long,
        Primitive::ULong => TCKind::ULong,
        Primitive::LongLong => TCKind::LongLong,
        Primitive::ULongLong => TCKind::ULongLong,
        Primitive::Float => TCKind::Float,
        Primitive::Double => TCKind::Double,
        Primitive::LongDouble => TCKind::LongDouble,
        Primitive::WChar => TCKind::WChar,
        _ => TCKind::Octet,
    }
}

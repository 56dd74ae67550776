//! The TypeCodes of definitions.
//!
//! Types that contain each other are described down to the places that return. A TypeCode that
//! leads to nothing outside of it is kept until the next change.

use taut::{SystemException, TypeCode, Typed};
use taut_types::{
    MemberVisibility, TCKind, UnionMember, ValueMember as ValueTypeMember, ValueModifier,
};

use super::faults::{limit, no_type_code};
use super::{Content, Contents, Definition, Key, Member, Union, Value, incoherent, values};
use crate::PrimitiveKind;

/// How many definitions are described on the spot for one TypeCode: types that contain each
/// other crosswise could be described in more ways than there is memory for.
const DESCRIBED_MAX: usize = 4096;

/// How deeply types may nest by way of definitions.
const DEPTH_MAX: usize = 64;

type Made = Result<TypeCode, SystemException>;

impl Contents {
    /// The TypeCode of a type, an exception, or of what a constant, an attribute and a value
    /// member have.
    ///
    /// # Errors
    ///
    /// BAD_PARAM and BAD_TYPECODE for what is no type, IMP_LIMIT for one that is too large.
    pub(crate) fn type_code(&self, key: Key) -> Made {
        let mut description = Description {
            contents: self,
            inside: Vec::new(),
            leads_to: usize::MAX,
            described: 0,
        };
        description.of(key)
    }
}

/// The making of one TypeCode.
struct Description<'c> {
    contents: &'c Contents,
    /// The definitions that are being described, the outermost first.
    inside: Vec<Key>,
    /// The outermost of them that what was described last leads back to.
    leads_to: usize,
    described: usize,
}

impl Description<'_> {
    fn of(&mut self, key: Key) -> Made {
        if let Some(kind) = key.as_primitive() {
            return primitive(kind);
        }
        if let Some(known) = self.contents.type_codes.lock().get(&key) {
            return Ok(known.clone());
        }
        let definition = self.contents.get(key)?;
        let place = self.inside.iter().position(|outer| *outer == key);
        // A type without a name is described again, down to one that has a name.
        if let Some(place) = place.filter(|_| definition.content.is_contained()) {
            self.leads_to = self.leads_to.min(place);
            return TypeCode::create_recursive(&definition.id).map_err(no_type_code);
        }
        let depth = self.inside.len();
        self.described += 1;
        if self.described > DESCRIBED_MAX || depth > DEPTH_MAX {
            return Err(limit());
        }
        let outer = std::mem::replace(&mut self.leads_to, usize::MAX);
        self.inside.push(key);
        let made = self.describe(definition);
        self.inside.pop();
        let made = made?;
        let leads_out = match self.leads_to {
            place if place < depth => place,
            _ => {
                let mut kept = self.contents.type_codes.lock();
                kept.insert(key, made.clone());
                usize::MAX
            }
        };
        self.leads_to = outer.min(leads_out);
        Ok(made)
    }

    fn describe(&mut self, definition: &Definition) -> Made {
        let (id, name) = (&*definition.id, &*definition.name);
        let made = match &definition.content {
            Content::Struct(members) => TypeCode::create_struct(id, name, &self.members(members)?),
            Content::Exception(members) => {
                TypeCode::create_exception(id, name, &self.members(members)?)
            }
            Content::Union(union) => return self.union(id, name, union),
            Content::Enum(names) => {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                TypeCode::create_enum(id, name, &names)
            }
            Content::Alias(ty) => TypeCode::create_alias(id, name, &self.of(*ty)?),
            Content::ValueBox(ty) => TypeCode::create_value_box(id, name, &self.of(*ty)?),
            Content::Native => TypeCode::create_named(TCKind::Native, id, name),
            Content::Interface(interface) => {
                let kind = match (interface.is_abstract, interface.is_local) {
                    (true, _) => TCKind::AbstractInterface,
                    (_, true) => TCKind::LocalInterface,
                    _ => TCKind::ObjectReference,
                };
                TypeCode::create_named(kind, id, name)
            }
            Content::Value(value) => return self.value(definition, value),
            Content::String(bound) => Ok(TypeCode::string(*bound)),
            Content::WString(bound) => Ok(TypeCode::wstring(*bound)),
            Content::Fixed(fixed) => {
                let digits = u8::try_from(fixed.digits).unwrap_or(u8::MAX);
                let scale = u8::try_from(fixed.scale).unwrap_or(u8::MAX);
                TypeCode::create_fixed(digits, scale)
            }
            Content::Sequence(sequence) => {
                TypeCode::create_sequence(&self.of(sequence.element)?, sequence.length)
            }
            Content::Array(array) => TypeCode::create_array(&self.of(array.element)?, array.length),
            Content::Constant(constant) => return self.of(constant.ty),
            Content::Attribute(attribute) => return self.of(attribute.ty),
            Content::ValueMember(member) => return self.of(member.ty),
            Content::Module | Content::Operation(_) => {
                return Err(incoherent(format!("{name} is no type")));
            }
        };
        made.map_err(no_type_code)
    }

    fn members<'m>(
        &mut self,
        members: &'m [Member],
    ) -> Result<Vec<(&'m str, TypeCode)>, SystemException> {
        let one = |member: &'m Member| Ok((&*member.name, self.of(member.ty)?));
        members.iter().map(one).collect()
    }

    fn union(&mut self, id: &str, name: &str, union: &Union) -> Made {
        let discriminator = self.of(union.discriminator)?;
        let mut members = Vec::with_capacity(union.members.len());
        for member in &union.members {
            members.push(UnionMember {
                label: values::label(&member.label, &discriminator)?,
                name: &member.name,
                type_code: self.of(member.ty)?,
            });
        }
        TypeCode::create_union(id, name, &discriminator, &members).map_err(no_type_code)
    }

    fn value(&mut self, definition: &Definition, value: &Value) -> Made {
        let modifier = match value {
            Value {
                is_custom: true, ..
            } => ValueModifier::Custom,
            Value {
                is_abstract: true, ..
            } => ValueModifier::Abstract,
            Value {
                is_truncatable: true,
                ..
            } => ValueModifier::Truncatable,
            _ => ValueModifier::None,
        };
        let base = match value.base.first() {
            Some(base) => Some(self.of(*base)?),
            None => None,
        };
        let own = self.inside.last().copied().unwrap_or(Key::REPOSITORY);
        let mut members = Vec::new();
        for key in self.contents.children(own) {
            let member = self.contents.get(key)?;
            if let Content::ValueMember(state) = &member.content {
                members.push(ValueTypeMember {
                    name: &member.name,
                    type_code: self.of(state.ty)?,
                    visibility: match state.is_public {
                        true => MemberVisibility::Public,
                        false => MemberVisibility::Private,
                    },
                });
            }
        }
        let (id, name, kind) = (&definition.id, &definition.name, TCKind::Value);
        TypeCode::create_value(kind, id, name, modifier, base.as_ref(), &members)
            .map_err(no_type_code)
    }
}

/// The TypeCode of a primitive type.
fn primitive(kind: PrimitiveKind) -> Made {
    let kind = match kind {
        PrimitiveKind::PkNull => TCKind::Null,
        PrimitiveKind::PkVoid => TCKind::Void,
        PrimitiveKind::PkShort => TCKind::Short,
        PrimitiveKind::PkLong => TCKind::Long,
        PrimitiveKind::PkUshort => TCKind::UShort,
        PrimitiveKind::PkUlong => TCKind::ULong,
        PrimitiveKind::PkFloat => TCKind::Float,
        PrimitiveKind::PkDouble => TCKind::Double,
        PrimitiveKind::PkBoolean => TCKind::Boolean,
        PrimitiveKind::PkChar => TCKind::Char,
        PrimitiveKind::PkOctet => TCKind::Octet,
        PrimitiveKind::PkAny => TCKind::Any,
        PrimitiveKind::PkTypeCode => TCKind::TypeCode,
        PrimitiveKind::PkPrincipal => TCKind::Principal,
        PrimitiveKind::PkLonglong => TCKind::LongLong,
        PrimitiveKind::PkUlonglong => TCKind::ULongLong,
        PrimitiveKind::PkLongdouble => TCKind::LongDouble,
        PrimitiveKind::PkWchar => TCKind::WChar,
        PrimitiveKind::PkString => return Ok(TypeCode::string(0)),
        PrimitiveKind::PkWstring => return Ok(TypeCode::wstring(0)),
        PrimitiveKind::PkObjref => {
            let object = TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object");
            return object.map_err(no_type_code);
        }
        PrimitiveKind::PkValueBase => return Ok(taut::ValueBase::type_code()),
    };
    Ok(TypeCode::primitive(kind).unwrap_or_default())
}

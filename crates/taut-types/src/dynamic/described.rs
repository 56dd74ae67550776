//! Values together with their types, whose parts are found by name and number.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::OnceLock;

use taut_cdr::{MemoryLimit, Result as CdrResult};

use super::{Elements, Mismatch, State, UnionValue, Value, read};
use crate::{Any, TCKind, TypeCode};

/// A value with its type, whose parts are found by name and number:
/// `value["points"][3]["x"]`.
///
/// An any and a value box are passed through: the parts of what they hold are theirs. A value
/// that an indirection leads to has no parts here.
#[derive(Clone)]
pub struct Described {
    type_code: TypeCode,
    content: Content,
}

#[derive(Clone)]
enum Content {
    /// A value without parts.
    Leaf(Value),
    /// The members of a struct or an exception.
    Members(Vec<Described>),
    Union(i64, Option<Box<Described>>),
    /// Elements that are not in one piece, or of which one was changed.
    Items(Vec<Described>),
    /// Elements in one piece, and each by itself once one was asked for.
    Elements(Elements, OnceLock<Box<[Described]>>),
    Any(Box<Described>),
    /// The state of a value of the type that is here, and its label.
    State(Option<u32>, Vec<Described>),
    /// The content of a box of the type that is here, and the box's label.
    Boxed(Option<u32>, Box<Described>),
}

/// A name or a number that a part is found by.
pub trait Key: sealed::Sealed + fmt::Display + Copy {
    #[doc(hidden)]
    fn find(&self, value: &Described) -> Option<usize>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for usize {}
}

/// The name of a member.
impl Key for &str {
    fn find(&self, value: &Described) -> Option<usize> {
        value.member_index(self)
    }
}

/// The index of an element, or of a member.
impl Key for usize {
    fn find(&self, _: &Described) -> Option<usize> {
        Some(*self)
    }
}

impl Described {
    /// A value of this type.
    ///
    /// # Errors
    ///
    /// When the value has not the parts of the type, with the place in it. Values without parts
    /// are checked when they are written.
    pub fn new(type_code: TypeCode, value: Value) -> Result<Self, Mismatch> {
        let plain = type_code.without_aliases();
        let wrong = || Mismatch::of_type(&type_code, "a value of other parts");
        let content = match value {
            Value::Members(values) => {
                let count = plain.member_count();
                if !matches!(plain.kind(), TCKind::Struct | TCKind::Exception)
                    || count != Ok(values.len())
                {
                    return Err(wrong());
                }
                let of =
                    |(index, value)| Self::new(plain.member_type(index).unwrap_or_default(), value);
                Content::Members(
                    values
                        .into_iter()
                        .enumerate()
                        .map(of)
                        .collect::<Result<_, _>>()?,
                )
            }
            Value::List(items) => {
                let element = element(&plain).ok_or_else(wrong)?;
                let of = |value| Self::new(element.clone(), value);
                Content::Items(items.into_iter().map(of).collect::<Result<_, _>>()?)
            }
            Value::Elements(elements) => {
                let element = element(&plain).ok_or_else(wrong)?;
                if !elements.fit(&element.without_aliases()) {
                    return Err(wrong());
                }
                Content::Elements(elements, OnceLock::new())
            }
            Value::Union(it) => {
                let UnionValue { label, member } = *it;
                let case = plain.selected_case(label);
                let member = match (member, case) {
                    (Some(member), Some(case)) => {
                        let of = plain.member_type(case).unwrap_or_default();
                        Some(Box::new(Self::new(of, member)?))
                    }
                    (None, None) if plain.kind() == TCKind::Union => None,
                    _ => return Err(wrong()),
                };
                Content::Union(label, member)
            }
            Value::Any(held) => {
                let (held, value) = *held;
                Content::Any(Box::new(Self::new(held, value)?))
            }
            Value::State(state) => return Self::of_state(*state),
            value => Content::Leaf(value),
        };
        Ok(Self { type_code, content })
    }

    fn of_state(state: State) -> Result<Self, Mismatch> {
        let State {
            type_code,
            label,
            members,
        } = state;
        let types = type_code.state_members();
        let types = types.map_err(|error| Mismatch::of_type(&type_code, error.to_string()))?;
        if types.len() != members.len() {
            return Err(Mismatch::of_type(&type_code, "a value of other parts"));
        }
        let of = |(member, value): (super::StateMember, _)| Self::new(member.type_code, value);
        let mut members = types
            .into_iter()
            .zip(members)
            .map(of)
            .collect::<Result<Vec<_>, _>>()?;
        let content = match type_code.without_aliases().kind() {
            TCKind::ValueBox => Content::Boxed(label, Box::new(members.remove(0))),
            _ => Content::State(label, members),
        };
        Ok(Self { type_code, content })
    }

    /// Reads the value that an Any holds.
    ///
    /// # Errors
    ///
    /// When the octets are no such value, or its parts take more memory than 64 times the
    /// octets and 64 KiB.
    pub fn from_any(any: &Any) -> Result<Self, Mismatch> {
        let value = Value::from_any(
            any,
            MemoryLimit {
                per_octet: 64,
                extra: 64 << 10,
            },
        )?;
        Self::new(any.type_code().clone(), value)
    }

    /// Returns an Any that holds the value.
    ///
    /// # Errors
    ///
    /// When a part is not of its type, with its place.
    pub fn to_any(&self) -> Result<Any, Mismatch> {
        self.to_value().to_any(&self.type_code)
    }

    /// Returns the type; that of a value of a value type is its own.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// Returns the value by itself.
    pub fn into_value(self) -> Value {
        let values = |items: Vec<Self>| items.into_iter().map(Self::into_value);
        match self.content {
            Content::Leaf(value) => value,
            Content::Members(items) => Value::Members(values(items).collect()),
            Content::Union(label, member) => {
                let member = member.map(|member| member.into_value());
                Value::Union(Box::new(UnionValue { label, member }))
            }
            Content::Items(items) => in_one_piece(&self.type_code, values(items)),
            Content::Elements(elements, _) => Value::Elements(elements),
            Content::Any(held) => {
                let type_code = held.type_code.clone();
                Value::Any(Box::new((type_code, held.into_value())))
            }
            Content::Boxed(label, held) => {
                let (type_code, members) = (self.type_code, vec![held.into_value()]);
                Value::State(Box::new(State {
                    type_code,
                    label,
                    members,
                }))
            }
            Content::State(label, members) => {
                let (type_code, members) = (self.type_code, values(members).collect());
                Value::State(Box::new(State {
                    type_code,
                    label,
                    members,
                }))
            }
        }
    }

    /// Returns a copy of the value by itself.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// Returns a part: a member by its name, an element or a member by its index. None: there is
    /// no such part.
    pub fn get<K: Key>(&self, key: K) -> Option<&Self> {
        let whole = self.seen_through();
        let index = key.find(whole)?;
        match &whole.content {
            Content::Members(items) | Content::Items(items) | Content::State(_, items) => {
                items.get(index)
            }
            Content::Union(_, member) if index == 0 => member.as_deref(),
            Content::Elements(elements, parts) => {
                let parts = parts.get_or_init(|| apart(&whole.type_code, elements).into());
                parts.get(index)
            }
            _ => None,
        }
    }

    /// Returns a part, to change it. None: there is no such part.
    pub fn get_mut<K: Key>(&mut self, key: K) -> Option<&mut Self> {
        let whole = self.seen_through_mut();
        let index = key.find(whole)?;
        if let Content::Elements(elements, _) = &whole.content {
            whole.content = Content::Items(apart(&whole.type_code, elements));
        }
        match &mut whole.content {
            Content::Members(items) | Content::Items(items) | Content::State(_, items) => {
                items.get_mut(index)
            }
            Content::Union(_, member) if index == 0 => member.as_deref_mut(),
            _ => None,
        }
    }

    /// Returns the number of parts: members, elements, or the one member of a union.
    pub fn len(&self) -> usize {
        match &self.seen_through().content {
            Content::Members(items) | Content::Items(items) | Content::State(_, items) => {
                items.len()
            }
            Content::Union(_, member) => member.iter().len(),
            Content::Elements(elements, _) => elements.len(),
            _ => 0,
        }
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts another value in the place of this one. Integers of other sizes, names of
    /// enumerators and texts are taken as [`Value::fitted`] says.
    ///
    /// # Errors
    ///
    /// When the value is not of the type; this one stays as it is.
    pub fn set(&mut self, value: impl Into<Value>) -> Result<(), Mismatch> {
        let value = value.into().fitted(&self.type_code)?;
        // Indirections are checked with the whole, which they may lead into.
        if !matches!(value, Value::Indirection(_)) {
            value.to_any(&self.type_code)?;
        }
        *self = Self::new(self.type_code.clone(), value)?;
        Ok(())
    }

    /// Appends an element to a sequence.
    ///
    /// # Errors
    ///
    /// When this is no sequence, or the value is not of its elements' type.
    pub fn push(&mut self, value: impl Into<Value>) -> Result<(), Mismatch> {
        let whole = self.seen_through_mut();
        let plain = whole.type_code.without_aliases();
        let Some(of) = element(&plain).filter(|_| plain.kind() == TCKind::Sequence) else {
            return Err(Mismatch::of_type(&whole.type_code, "an element"));
        };
        let mut last = Self {
            type_code: of,
            content: Content::Leaf(Value::Nothing),
        };
        last.set(value)?;
        match &mut whole.content {
            Content::Items(items) => items.push(last),
            Content::Elements(elements, parts) => {
                elements.push(&last.into_value());
                *parts = OnceLock::new();
            }
            _ => return Err(Mismatch::of_type(&whole.type_code, "an element")),
        }
        Ok(())
    }

    /// Returns the value, if it has no parts.
    pub fn as_leaf(&self) -> Option<&Value> {
        match &self.seen_through().content {
            Content::Leaf(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements of a sequence or an array of primitives, if they are in one piece.
    pub fn as_elements(&self) -> Option<&Elements> {
        match &self.seen_through().content {
            Content::Elements(elements, _) => Some(elements),
            _ => None,
        }
    }

    /// Returns the discriminator of a union as a number.
    pub fn discriminator(&self) -> Option<i64> {
        match &self.seen_through().content {
            Content::Union(label, _) => Some(*label),
            _ => None,
        }
    }

    pub(super) fn seen_through(&self) -> &Self {
        match &self.content {
            Content::Any(held) | Content::Boxed(_, held) => held.seen_through(),
            _ => self,
        }
    }

    fn seen_through_mut(&mut self) -> &mut Self {
        match self.content {
            Content::Any(ref mut held) | Content::Boxed(_, ref mut held) => held.seen_through_mut(),
            _ => self,
        }
    }

    fn member_index(&self, name: &str) -> Option<usize> {
        let plain = self.type_code.without_aliases();
        match &self.content {
            Content::Members(items) => {
                (0..items.len()).find(|index| plain.member_name(*index) == Ok(name))
            }
            Content::State(..) => {
                let members = plain.state_members().ok()?;
                members.iter().position(|member| member.name == name)
            }
            Content::Union(label, Some(_)) => {
                let case = plain.selected_case(*label)?;
                (plain.member_name(case) == Ok(name)).then_some(0)
            }
            _ => None,
        }
    }
}

impl Value {
    /// Reads the value that an Any holds; its parts take no more memory than the limit says.
    ///
    /// # Errors
    ///
    /// When the octets are no such value, or exceed a limit.
    pub fn from_any(any: &Any, memory: MemoryLimit) -> CdrResult<Self> {
        let mut input = any.decoder(None).with_memory_limit(memory);
        read(any.type_code(), &mut input)
    }
}

/// The type of the elements of a sequence or an array.
fn element(plain: &TypeCode) -> Option<TypeCode> {
    match plain.kind() {
        TCKind::Sequence | TCKind::Array => plain.content_type().ok(),
        _ => None,
    }
}

/// Each element by itself.
fn apart(type_code: &TypeCode, elements: &Elements) -> Vec<Described> {
    let of = element(&type_code.without_aliases()).unwrap_or_default();
    let items = (0..elements.len()).filter_map(|index| elements.get(index));
    // Values of the type, whose parts are described.
    let described = |value| Described::new(of.clone(), value).ok();
    items.filter_map(described).collect()
}

/// The elements, in one piece if they can be.
fn in_one_piece(type_code: &TypeCode, items: impl Iterator<Item = Value>) -> Value {
    let of = element(&type_code.without_aliases()).unwrap_or_default();
    Value::elements(&of, items.collect())
}

impl<K: Key> Index<K> for Described {
    type Output = Self;

    /// Returns a part.
    ///
    /// # Panics
    ///
    /// When there is no such part; [`get`](Self::get) returns None instead.
    #[track_caller]
    fn index(&self, key: K) -> &Self {
        match self.get(key) {
            Some(part) => part,
            None => panic!("there is no part {key} of {}: use get", self.type_code),
        }
    }
}

impl<K: Key> IndexMut<K> for Described {
    /// Returns a part, to change it.
    ///
    /// # Panics
    ///
    /// When there is no such part; [`get_mut`](Self::get_mut) returns None instead.
    #[track_caller]
    fn index_mut(&mut self, key: K) -> &mut Self {
        let type_code = self.type_code.clone();
        match self.get_mut(key) {
            Some(part) => part,
            None => panic!("there is no part {key} of {type_code}: use get_mut"),
        }
    }
}

/// Equal types and equal values.
impl PartialEq for Described {
    fn eq(&self, other: &Self) -> bool {
        self.type_code == other.type_code && self.to_value() == other.to_value()
    }
}

impl fmt::Debug for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Described")
            .field("type_code", &self.type_code)
            .field("value", &self.to_value())
            .finish()
    }
}

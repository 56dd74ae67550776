//! Types as values (CORBA 3.3 part 1, 8.11).

mod checks;
mod compare;
mod create;
mod create_error;
mod read;
mod remembered;
mod union;
pub(crate) mod wire;
mod write;
mod written;

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::display::Named;
use crate::graph::Graph;
use crate::node::{Name, Node, NodeIndex};
use crate::{TCKind, TypeCodeLimits};

pub use create::{UnionMember, ValueMember};
pub use create_error::CreateError;
pub use wire::DefaultLabel;

/// The description of an IDL type.
///
/// Cloning is cheap. `==` is the standard's `equal`; whether values can be
/// exchanged is said by [`equivalent`](Self::equivalent).
#[derive(Clone)]
pub struct TypeCode {
    pub(crate) graph: Arc<Graph>,
    pub(crate) root: NodeIndex,
}

/// Why a question to a TypeCode has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeCodeError {
    /// TypeCodes of this kind have no such thing (the standard's `BadKind`).
    BadKind,
    /// There is no member with this index (the standard's `Bounds`).
    Bounds,
}

/// Whether a member of a valuetype is public (CORBA 3.3 part 1, 14.7.28).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberVisibility {
    /// `private`.
    Private,
    /// `public`.
    Public,
}

/// How a valuetype is declared (CORBA 3.3 part 1, 14.7.28).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueModifier {
    /// Nothing special.
    None,
    /// `custom`.
    Custom,
    /// `abstract`.
    Abstract,
    /// `truncatable`.
    Truncatable,
}

type Answer<T> = Result<T, TypeCodeError>;

impl TypeCode {
    /// The TypeCode of a kind without parameters.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`] for other kinds.
    pub fn primitive(kind: TCKind) -> Answer<Self> {
        match PRIMITIVES.get(kind as usize) {
            Some(Some(type_code)) => Ok(type_code.clone()),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// `tk_null`, the type of an Any that holds nothing.
    pub fn null() -> Self {
        NULL.clone()
    }

    /// The kind of the type.
    pub fn kind(&self) -> TCKind {
        self.node().kind()
    }

    /// Whether nothing of a recursive type is missing. An incomplete TypeCode
    /// cannot be sent, and no value has one.
    pub fn is_complete(&self) -> bool {
        self.graph.is_complete()
    }

    /// The repository id; may be empty.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`] where the type can have none.
    pub fn id(&self) -> Answer<&str> {
        self.names().map(|name| &*name.id)
    }

    /// The simple name in IDL; may be empty.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`] where the type can have none.
    pub fn name(&self) -> Answer<&str> {
        self.names().map(|name| &*name.name)
    }

    /// How many members a struct, exception, union or valuetype has, or
    /// enumerators an enum.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn member_count(&self) -> Answer<usize> {
        Ok(match self.node() {
            Node::Struct(_, it) => it.members.len(),
            Node::Union(it) => it.cases.len(),
            Node::Enum(it) => it.enumerators.len(),
            Node::Value(_, it) => it.members.len(),
            _ => return Err(TypeCodeError::BadKind),
        })
    }

    /// The name of a member or enumerator.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`], [`TypeCodeError::Bounds`].
    pub fn member_name(&self, index: usize) -> Answer<&str> {
        let name = match self.node() {
            Node::Struct(_, it) => it.members.get(index).map(|member| &member.name),
            Node::Union(it) => it.cases.get(index).map(|case| &case.member.name),
            Node::Enum(it) => it.enumerators.get(index),
            Node::Value(_, it) => it.members.get(index).map(|one| &one.member.name),
            _ => return Err(TypeCodeError::BadKind),
        };
        name.map(|name| &**name).ok_or(TypeCodeError::Bounds)
    }

    /// The type of a member.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`], [`TypeCodeError::Bounds`].
    pub fn member_type(&self, index: usize) -> Answer<Self> {
        let node = match self.node() {
            Node::Struct(_, it) => it.members.get(index).map(|member| member.node),
            Node::Union(it) => it.cases.get(index).map(|case| case.member.node),
            Node::Value(_, it) => it.members.get(index).map(|one| one.member.node),
            _ => return Err(TypeCodeError::BadKind),
        };
        node.map(|node| self.at(node)).ok_or(TypeCodeError::Bounds)
    }

    /// The label of a union's member as a number (characters by their code,
    /// booleans as 0 and 1, enumerators by their ordinal); `None` for the
    /// default case.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`], [`TypeCodeError::Bounds`].
    pub fn member_label(&self, index: usize) -> Answer<Option<i128>> {
        let Node::Union(it) = self.node() else {
            return Err(TypeCodeError::BadKind);
        };
        let case = it.cases.get(index).ok_or(TypeCodeError::Bounds)?;
        if it
            .default_index
            .is_some_and(|default| default as usize == index)
        {
            return Ok(None);
        }
        Ok(Some(match it.discriminator_kind {
            TCKind::ULongLong => i128::from(case.label as u64),
            _ => i128::from(case.label),
        }))
    }

    /// The type of a union's discriminator.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn discriminator_type(&self) -> Answer<Self> {
        match self.node() {
            Node::Union(it) => Ok(self.at(it.discriminator)),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The index of a union's default case.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn default_index(&self) -> Answer<Option<usize>> {
        match self.node() {
            Node::Union(it) => Ok(it.default_index.map(|index| index as usize)),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The bound of a string or sequence (0: none), the length of an array.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn length(&self) -> Answer<u32> {
        match self.node() {
            Node::String { bound } | Node::WString { bound } | Node::Sequence { bound, .. } => {
                Ok(*bound)
            }
            Node::Array { length, .. } => Ok(*length),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The type of the elements of a sequence or array, or what an alias or
    /// value box stands for.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn content_type(&self) -> Answer<Self> {
        match self.node() {
            Node::Sequence { element, .. } | Node::Array { element, .. } => Ok(self.at(*element)),
            Node::Alias(_, it) => Ok(self.at(it.original)),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The digits of a `fixed`.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn fixed_digits(&self) -> Answer<u8> {
        match self.node() {
            Node::Fixed { digits, .. } => Ok(*digits),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The digits of a `fixed` behind the point.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn fixed_scale(&self) -> Answer<u8> {
        match self.node() {
            Node::Fixed { scale, .. } => Ok(*scale),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// Whether a member of a valuetype is public.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`], [`TypeCodeError::Bounds`].
    pub fn member_visibility(&self, index: usize) -> Answer<MemberVisibility> {
        match self.node() {
            Node::Value(_, it) => match it.members.get(index) {
                Some(member) if member.visibility == 0 => Ok(MemberVisibility::Private),
                Some(_) => Ok(MemberVisibility::Public),
                None => Err(TypeCodeError::Bounds),
            },
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// How a valuetype is declared.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn type_modifier(&self) -> Answer<ValueModifier> {
        match self.node() {
            Node::Value(_, it) => Ok(match it.modifier {
                1 => ValueModifier::Custom,
                2 => ValueModifier::Abstract,
                3 => ValueModifier::Truncatable,
                _ => ValueModifier::None,
            }),
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The concrete valuetype that a valuetype inherits from.
    ///
    /// # Errors
    ///
    /// [`TypeCodeError::BadKind`].
    pub fn concrete_base_type(&self) -> Answer<Option<Self>> {
        match self.node() {
            Node::Value(_, it) => {
                let base = self.at(it.base);
                Ok((base.kind() != TCKind::Null).then_some(base))
            }
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// The type without the aliases around it.
    #[must_use]
    pub fn without_aliases(&self) -> Self {
        self.at(self.graph.layout(self.root).target)
    }

    /// Returns the type as a member of it would be declared in IDL, for people: types with names
    /// by these, without their scopes.
    pub fn declared(&self) -> impl fmt::Display {
        Named(self)
    }

    pub(crate) fn node(&self) -> &Node {
        self.graph.node(self.root)
    }

    /// Another node of the same graph.
    pub(crate) fn at(&self, node: NodeIndex) -> Self {
        Self {
            graph: Arc::clone(&self.graph),
            root: node,
        }
    }

    fn names(&self) -> Answer<&Name> {
        self.node().name().ok_or(TypeCodeError::BadKind)
    }
}

/// The TypeCodes of the kinds without parameters, by their numbers.
static PRIMITIVES: LazyLock<Vec<Option<TypeCode>>> = LazyLock::new(|| {
    (0..=TCKind::Event as u32)
        .map(|number| {
            let kind = TCKind::from_number(number).filter(|kind| kind.is_simple())?;
            let graph = Graph::new(vec![Node::Simple(kind)], TypeCodeLimits::DEFAULT.nesting);
            Some(TypeCode {
                graph: Arc::new(graph.ok()?),
                root: 0,
            })
        })
        .collect()
});

static NULL: LazyLock<TypeCode> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "tk_null has no parameters")]
    TypeCode::primitive(TCKind::Null).expect("tk_null is among the primitives")
});

/// [`TypeCode::null`].
impl Default for TypeCode {
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Display for TypeCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadKind => "TypeCodes of this kind have no such thing",
            Self::Bounds => "there is no member with this index",
        })
    }
}

impl std::error::Error for TypeCodeError {}

//! The entities that names stand for.

use crate::model::{ConstantValue, DefinitionId, Type};

/// A scope, by its place in the list of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) u32);

impl ScopeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The entity that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    Definition(DefinitionId),
    Enumerator(DefinitionId, u32),
    Operation,
    Attribute,
    /// A member of a value type's state.
    StateMember,
    Factory,
    /// Of a home.
    Finder,
    Port,
    Member,
    Parameter,
    /// The argument for a parameter of a template module, by its index.
    Argument(u32),
    /// Something that was rejected: using it is no further error.
    Poisoned,
}

impl Entity {
    /// Whether what derives from its scope cannot give the name another
    /// meaning.
    pub(super) fn is_inherited_alone(self) -> bool {
        matches!(
            self,
            Self::Operation | Self::Attribute | Self::StateMember | Self::Member | Self::Port
        )
    }
}

/// An argument for a parameter of an instance that is no definition.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    Type(Type),
    Constant(ConstantValue),
}

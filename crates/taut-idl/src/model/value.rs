//! Value types: objects that travel as what they hold.

use arcstr::ArcStr;

use super::{Annotation, DefinitionId, Feature, List, Member, Parameter};
use crate::source::Span;

/// A value type that is defined and not a value box; CORBA 3.3 part 1, 7.9.
#[derive(Debug, Clone, Default)]
pub struct ValueType {
    /// Whether it has state, and who marshals it.
    pub kind: ValueKind,
    /// Whether it is an `eventtype`, which derives from
    /// `Components::EventBase` besides.
    pub is_event: bool,
    /// The base that has state, if there is one. It is the first of the bases.
    pub base: Option<DefinitionId>,
    /// Whether a receiver that does not know the type may keep only what the
    /// base with state has.
    pub truncatable: bool,
    /// The direct bases that are abstract, in the order of the source.
    pub abstract_bases: Vec<DefinitionId>,
    /// The interfaces that it supports, in the order of the source; at most
    /// one is not abstract.
    pub supports: Vec<DefinitionId>,
    /// Types, constants and exceptions defined inside, in source order.
    pub members: Vec<DefinitionId>,
    /// The state, in source order, which is that of marshaling. The state of
    /// the base comes before it.
    pub state: Vec<StateMember>,
    /// Operations and attributes, in source order, without inherited ones.
    pub features: Vec<Feature>,
    /// The initialisers, in source order. They are not inherited.
    pub factories: Vec<Factory>,
}

/// The sort of a value type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ValueKind {
    /// With state that the ORB marshals; possibly none.
    #[default]
    Stateful,
    /// `custom`: with state that its user marshals.
    Custom,
    /// `abstract`: without state.
    Abstract,
}

/// A member of a value type's state.
#[derive(Debug, Clone)]
pub struct StateMember {
    /// The code that may see the member. It is marshaled in any case.
    pub visibility: Visibility,
    /// The member.
    pub member: Member,
}

/// The code that may see a member of a value type's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// `public`: everyone.
    Public,
    /// `private`: the implementation of the value type.
    Private,
}

/// An initialiser of a value type, or an operation of a home that makes or
/// finds a component: `factory` or `finder`.
#[derive(Debug, Clone)]
pub struct Factory {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](super::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// The parameters, all of which are `in`.
    pub parameters: List<Parameter>,
    /// The exceptions of the `raises` clause, in order.
    pub raises: List<DefinitionId>,
}

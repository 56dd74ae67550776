//! Components, homes, port types and connectors, as the CORBA Component Model
//! and IDL 4.2 (7.4.8 to 7.4.11) have them.

use arcstr::ArcStr;

use super::{Annotation, DefinitionId, Factory, Feature, List, Type};
use crate::source::Span;

/// A `component`: what a container runs, seen from outside.
#[derive(Debug, Clone, Default)]
pub struct Component {
    /// The component that it inherits from, if there is one.
    pub base: Option<DefinitionId>,
    /// The interfaces that it supports, in the order of the source.
    pub supports: Vec<DefinitionId>,
    /// The ports, in source order, without inherited ones.
    pub ports: Vec<Port>,
    /// The attributes, in source order, without inherited ones.
    pub features: Vec<Feature>,
}

/// A `porttype`: ports that belong together.
#[derive(Debug, Clone, Default)]
pub struct PortType {
    /// The ports, in source order.
    pub ports: Vec<Port>,
    /// The attributes, in source order.
    pub features: Vec<Feature>,
}

/// A `connector`: what stands between the ports of components.
#[derive(Debug, Clone, Default)]
pub struct Connector {
    /// The connector that it inherits from, if there is one.
    pub base: Option<DefinitionId>,
    /// The ports, in source order, without inherited ones.
    pub ports: Vec<Port>,
    /// The attributes, in source order, without inherited ones.
    pub features: Vec<Feature>,
}

/// A place where a component can be connected to another.
#[derive(Debug, Clone)]
pub struct Port {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](super::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// The purpose of the port.
    pub kind: PortKind,
}

/// The purpose of a [`Port`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PortKind {
    /// `provides`, a facet: an interface, or `Object`, that others may use.
    Provides(Type),
    /// `uses`, a receptacle: an interface, or `Object`, that others provide.
    Uses {
        /// The interface.
        interface: Type,
        /// Whether several objects may be connected at once.
        multiple: bool,
    },
    /// `emits`: a source of events with one consumer at most.
    Emits(DefinitionId),
    /// `publishes`: a source of events with any number of consumers.
    Publishes(DefinitionId),
    /// `consumes`: a sink of events.
    Consumes(DefinitionId),
    /// `port`: all ports of a port type.
    Extended(DefinitionId),
    /// `mirrorport`: all ports of a port type, seen from the other side: what
    /// it provides is used, and what it uses is provided.
    Mirror(DefinitionId),
}

/// A `home`: what makes, finds and removes the components of a type.
#[derive(Debug, Clone)]
pub struct Home {
    /// The home that it inherits from, if there is one.
    pub base: Option<DefinitionId>,
    /// The interfaces that it supports, in the order of the source.
    pub supports: Vec<DefinitionId>,
    /// The component that it manages.
    pub component: DefinitionId,
    /// The value type of the keys by which its components are found, if they
    /// have any.
    pub primary_key: Option<DefinitionId>,
    /// Types, constants and exceptions defined inside, in source order.
    pub members: Vec<DefinitionId>,
    /// Operations and attributes, in source order, without inherited ones.
    pub features: Vec<Feature>,
    /// The operations that make a component, in source order.
    pub factories: Vec<Factory>,
    /// The operations that find a component, in source order.
    pub finders: Vec<Factory>,
}

//! Components, homes, port types and connectors.

use super::{Item, Name, ScopedName, TypeSpec};

/// Which of the constructs that have ports one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortedKind {
    Component,
    PortType,
    Connector,
}

impl PortedKind {
    /// How messages call it.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::PortType => "port type",
            Self::Connector => "connector",
        }
    }
}

/// A component, port type or connector: what has ports and attributes.
#[derive(Debug, Clone)]
pub(crate) struct Ported {
    pub(crate) kind: PortedKind,
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) name: Name,
    pub(crate) kind: PortKind,
}

#[derive(Debug, Clone)]
pub(crate) enum PortKind {
    Provides(TypeSpec),
    Uses { ty: TypeSpec, multiple: bool },
    Emits(ScopedName),
    Publishes(ScopedName),
    Consumes(ScopedName),
    Extended { ty: ScopedName, mirror: bool },
}

#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) manages: ScopedName,
    pub(crate) primary_key: Option<ScopedName>,
    pub(crate) items: Vec<Item>,
}

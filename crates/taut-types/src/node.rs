//! The pieces that a TypeCode is made of.

use std::sync::{Arc, OnceLock};

use crate::TCKind;
use crate::rows::StructLayout;

/// A node's place in its graph.
pub(crate) type NodeIndex = u32;

/// One TypeCode, which names those that it contains by their places.
///
/// Large variants are boxed: a peer chooses how many nodes there are.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// A kind without parameters.
    Simple(TCKind),
    String {
        bound: u32,
    },
    WString {
        bound: u32,
    },
    Fixed {
        digits: u8,
        scale: u8,
    },
    Sequence {
        element: NodeIndex,
        bound: u32,
    },
    Array {
        element: NodeIndex,
        length: u32,
    },
    /// Interfaces, components, homes and natives.
    Interface(TCKind, Box<Name>),
    /// A struct or an exception.
    Struct(TCKind, Box<Struct>),
    Union(Box<Union>),
    Enum(Box<Enum>),
    /// An alias or a value box.
    Alias(TCKind, Box<Alias>),
    /// A valuetype or an eventtype.
    Value(TCKind, Box<Value>),
    /// The place of a type with this id that is still to be created around it.
    Recursive(Box<Name>),
    /// A TypeCode whose reading has begun.
    Unfinished(TCKind),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) id: Box<str>,
    pub(crate) name: Box<str>,
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    pub(crate) node: NodeIndex,
}

#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: Name,
    pub(crate) members: Box<[Member]>,
    /// How many of them lie one behind the other, once somebody has asked; none where they are
    /// not kept in one piece.
    pub(crate) in_row: OnceLock<Option<Arc<StructLayout>>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Of no meaning in the default case.
    pub(crate) label: i64,
    pub(crate) member: Member,
}

#[derive(Debug, Clone)]
pub(crate) struct Union {
    pub(crate) name: Name,
    pub(crate) discriminator: NodeIndex,
    /// The kind of the discriminator without aliases.
    pub(crate) discriminator_kind: TCKind,
    pub(crate) default_index: Option<u32>,
    pub(crate) cases: Box<[Case]>,
    /// The cases but the default one, in the order of their labels.
    pub(crate) by_label: Box<[u32]>,
}

#[derive(Debug, Clone)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) enumerators: Box<[Box<str>]>,
}

#[derive(Debug, Clone)]
pub(crate) struct Alias {
    pub(crate) name: Name,
    pub(crate) original: NodeIndex,
}

#[derive(Debug, Clone)]
pub(crate) struct StateMember {
    pub(crate) member: Member,
    /// 0 is private, 1 public.
    pub(crate) visibility: i16,
}

#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) name: Name,
    pub(crate) modifier: i16,
    /// A `tk_null` where there is none.
    pub(crate) base: NodeIndex,
    pub(crate) members: Box<[StateMember]>,
}

impl Struct {
    pub(crate) fn new(name: Name, members: Box<[Member]>) -> Self {
        let in_row = OnceLock::new();
        Self {
            name,
            members,
            in_row,
        }
    }
}

impl Name {
    /// Octets of both texts.
    fn length(&self) -> usize {
        self.id.len() + self.name.len()
    }
}

impl Node {
    /// The memory that it takes, in octets.
    pub(crate) fn memory(&self) -> usize {
        /// A list, and the names in it.
        fn list<T>(items: &[T], name: impl Fn(&T) -> &str) -> usize {
            size_of_val(items) + items.iter().map(|item| name(item).len()).sum::<usize>()
        }
        let boxed = match self {
            Self::Interface(_, name) | Self::Recursive(name) => {
                size_of_val(&**name) + name.length()
            }
            Self::Struct(_, of) => {
                size_of_val(&**of) + of.name.length() + list(&of.members, |member| &member.name)
            }
            Self::Union(of) => {
                let cases = list(&of.cases, |case| &case.member.name);
                size_of_val(&**of) + of.name.length() + cases + size_of_val(&*of.by_label)
            }
            Self::Enum(of) => {
                size_of_val(&**of) + of.name.length() + list(&of.enumerators, |name| name)
            }
            Self::Alias(_, of) => size_of_val(&**of) + of.name.length(),
            Self::Value(_, of) => {
                let members = list(&of.members, |member| &member.member.name);
                size_of_val(&**of) + of.name.length() + members
            }
            Self::Simple(_)
            | Self::String { .. }
            | Self::WString { .. }
            | Self::Fixed { .. }
            | Self::Sequence { .. }
            | Self::Array { .. }
            | Self::Unfinished(_) => 0,
        };
        size_of::<Self>() + boxed
    }

    pub(crate) fn kind(&self) -> TCKind {
        match self {
            Self::Simple(kind)
            | Self::Interface(kind, _)
            | Self::Struct(kind, _)
            | Self::Alias(kind, _)
            | Self::Value(kind, _)
            | Self::Unfinished(kind) => *kind,
            Self::String { .. } => TCKind::String,
            Self::WString { .. } => TCKind::WString,
            Self::Fixed { .. } => TCKind::Fixed,
            Self::Sequence { .. } => TCKind::Sequence,
            Self::Array { .. } => TCKind::Array,
            Self::Union(_) => TCKind::Union,
            Self::Enum(_) => TCKind::Enum,
            Self::Recursive(_) => TCKind::Null,
        }
    }

    /// The id and the name of a type that has them.
    pub(crate) fn name(&self) -> Option<&Name> {
        match self {
            Self::Interface(_, name) => Some(name),
            Self::Struct(_, it) => Some(&it.name),
            Self::Union(it) => Some(&it.name),
            Self::Enum(it) => Some(&it.name),
            Self::Alias(_, it) => Some(&it.name),
            Self::Value(_, it) => Some(&it.name),
            _ => None,
        }
    }

    pub(crate) fn name_mut(&mut self) -> Option<&mut Name> {
        match self {
            Self::Interface(_, name) => Some(name),
            Self::Struct(_, it) => Some(&mut it.name),
            Self::Union(it) => Some(&mut it.name),
            Self::Enum(it) => Some(&mut it.name),
            Self::Alias(_, it) => Some(&mut it.name),
            Self::Value(_, it) => Some(&mut it.name),
            _ => None,
        }
    }

    /// Shows every name of a member or enumerator to `visit`.
    pub(crate) fn member_names_mut(&mut self, mut visit: impl FnMut(&mut Box<str>)) {
        match self {
            Self::Struct(_, it) => it.members.iter_mut().for_each(|one| visit(&mut one.name)),
            Self::Union(it) => it
                .cases
                .iter_mut()
                .for_each(|one| visit(&mut one.member.name)),
            Self::Enum(it) => it.enumerators.iter_mut().for_each(visit),
            Self::Value(_, it) => it
                .members
                .iter_mut()
                .for_each(|one| visit(&mut one.member.name)),
            _ => {}
        }
    }

    /// Shows the place of every TypeCode within this one to `visit`, which may
    /// change it.
    pub(crate) fn children_mut(&mut self, mut visit: impl FnMut(&mut NodeIndex)) {
        match self {
            Self::Sequence { element, .. } | Self::Array { element, .. } => visit(element),
            Self::Struct(_, it) => it.members.iter_mut().for_each(|one| visit(&mut one.node)),
            Self::Union(it) => {
                visit(&mut it.discriminator);
                it.cases
                    .iter_mut()
                    .for_each(|one| visit(&mut one.member.node));
            }
            Self::Alias(_, it) => visit(&mut it.original),
            Self::Value(_, it) => {
                visit(&mut it.base);
                it.members
                    .iter_mut()
                    .for_each(|one| visit(&mut one.member.node));
            }
            Self::Simple(_)
            | Self::String { .. }
            | Self::WString { .. }
            | Self::Fixed { .. }
            | Self::Interface(..)
            | Self::Enum(_)
            | Self::Recursive(_)
            | Self::Unfinished(_) => {}
        }
    }
}

impl Union {
    /// The case that a discriminator selects.
    pub(crate) fn case(&self, label: i64) -> Option<&Case> {
        Some(&self.cases[self.case_index(label)?])
    }

    /// The place of that case.
    pub(crate) fn case_index(&self, label: i64) -> Option<usize> {
        let found = self
            .by_label
            .binary_search_by_key(&label, |case| self.cases[*case as usize].label);
        let index = match found {
            Ok(place) => self.by_label[place],
            Err(_) => self.default_index?,
        };
        Some(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_chooses_the_number_of_is_small() {
        assert!(size_of::<Node>() <= 16);
        assert!(size_of::<Member>() <= 24);
        assert!(size_of::<Case>() <= 32);
    }
}

//! When two types are the same.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::TypeCode;
use crate::graph::Graph;
use crate::node::{Name, Node, NodeIndex, Union};

impl TypeCode {
    /// Whether everything is the same, names included (CORBA 3.3 part 1,
    /// 8.11.2.1).
    pub fn equal(&self, other: &Self) -> bool {
        Comparison::new(self, other, Rule::Equal).holds()
    }

    /// Whether values of one type are values of the other: aliases do not
    /// count, types with ids are compared by these alone, others by their
    /// structure without names (CORBA 3.3 part 1, 8.11.2.1).
    pub fn equivalent(&self, other: &Self) -> bool {
        Comparison::new(self, other, Rule::Equivalent).holds()
    }

    /// The same type without any names but ids (the standard's
    /// `get_compact_typecode`).
    #[must_use]
    pub fn compact(&self) -> Self {
        let mut nodes = self.graph.nodes().to_vec();
        for node in &mut nodes {
            if let Some(name) = node.name_mut() {
                name.name = Box::default();
            }
            node.member_names_mut(|name| *name = Box::default());
        }
        // What could be laid out with names can be laid out without.
        match Graph::new(nodes, u16::MAX) {
            Ok(graph) => Self {
                graph: Arc::new(graph),
                root: self.root,
            },
            Err(_) => self.clone(),
        }
    }
}

impl PartialEq for TypeCode {
    fn eq(&self, other: &Self) -> bool {
        self.equal(other)
    }
}

impl Eq for TypeCode {}

/// Kind, id and name: what is equal agrees in these.
impl Hash for TypeCode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let node = self.node();
        node.kind().hash(state);
        if let Some(Name { id, name }) = node.name() {
            id.hash(state);
            name.hash(state);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Equal,
    Equivalent,
}

/// Pairs of nodes that must be the same. Types that contain themselves are the
/// same when nothing says otherwise, so that each pair is looked at once.
struct Comparison<'t> {
    left: &'t Graph,
    right: &'t Graph,
    rule: Rule,
    seen: HashSet<(NodeIndex, NodeIndex)>,
    waiting: Vec<(NodeIndex, NodeIndex)>,
    identical: bool,
}

impl<'t> Comparison<'t> {
    fn new(left: &'t TypeCode, right: &'t TypeCode, rule: Rule) -> Self {
        Self {
            left: &left.graph,
            right: &right.graph,
            rule,
            seen: HashSet::new(),
            waiting: vec![(left.root, right.root)],
            identical: Arc::ptr_eq(&left.graph, &right.graph) && left.root == right.root,
        }
    }

    fn holds(mut self) -> bool {
        if self.identical {
            return true;
        }
        while let Some((left, right)) = self.waiting.pop() {
            if !self.same(left, right) {
                return false;
            }
        }
        true
    }

    fn same(&mut self, mut left: NodeIndex, mut right: NodeIndex) -> bool {
        if self.rule == Rule::Equivalent {
            left = self.left.layout(left).target;
            right = self.right.layout(right).target;
        }
        let (a, b) = (self.left.node(left), self.right.node(right));
        if a.kind() != b.kind() {
            return false;
        }
        match (a, b) {
            (Node::Simple(_), Node::Simple(_)) => return true,
            (Node::Recursive(a), Node::Recursive(b)) => return a == b,
            _ if !self.seen.insert((left, right)) => return true,
            _ => {}
        }
        match self.names(a.name(), b.name()) {
            Some(decided) => decided,
            None => self.structure(a, b),
        }
    }

    /// Whether the names decide, and how.
    fn names(&self, a: Option<&Name>, b: Option<&Name>) -> Option<bool> {
        let (a, b) = (a?, b?);
        match self.rule {
            Rule::Equal if a == b => None,
            Rule::Equal => Some(false),
            Rule::Equivalent if a.id.is_empty() || b.id.is_empty() => None,
            Rule::Equivalent => Some(a.id == b.id),
        }
    }

    fn structure(&mut self, a: &Node, b: &Node) -> bool {
        match (a, b) {
            (Node::String { bound: a }, Node::String { bound: b })
            | (Node::WString { bound: a }, Node::WString { bound: b }) => a == b,
            (
                Node::Fixed { digits, scale },
                Node::Fixed {
                    digits: digits_b,
                    scale: scale_b,
                },
            ) => (digits, scale) == (digits_b, scale_b),
            (
                Node::Sequence { element, bound: n },
                Node::Sequence {
                    element: element_b,
                    bound: m,
                },
            )
            | (
                Node::Array { element, length: n },
                Node::Array {
                    element: element_b,
                    length: m,
                },
            ) => {
                self.waiting.push((*element, *element_b));
                n == m
            }
            (Node::Interface(..), Node::Interface(..)) => true,
            (Node::Struct(_, a), Node::Struct(_, b)) => {
                a.members.len() == b.members.len()
                    && a.members
                        .iter()
                        .zip(&b.members)
                        .all(|(a, b)| self.member((&a.name, a.node), (&b.name, b.node)))
            }
            (Node::Union(a), Node::Union(b)) => self.unions(a, b),
            (Node::Enum(a), Node::Enum(b)) => {
                a.enumerators.len() == b.enumerators.len()
                    && (self.rule == Rule::Equivalent || a.enumerators == b.enumerators)
            }
            (Node::Alias(_, a), Node::Alias(_, b)) => {
                self.waiting.push((a.original, b.original));
                true
            }
            (Node::Value(_, a), Node::Value(_, b)) => {
                self.waiting.push((a.base, b.base));
                a.modifier == b.modifier
                    && a.members.len() == b.members.len()
                    && a.members.iter().zip(&b.members).all(|(a, b)| {
                        a.visibility == b.visibility
                            && self.member(
                                (&a.member.name, a.member.node),
                                (&b.member.name, b.member.node),
                            )
                    })
            }
            _ => false,
        }
    }

    fn unions(&mut self, a: &Union, b: &Union) -> bool {
        self.waiting.push((a.discriminator, b.discriminator));
        a.default_index == b.default_index
            && a.cases.len() == b.cases.len()
            && a.cases
                .iter()
                .zip(&b.cases)
                .enumerate()
                .all(|(index, (a_case, b_case))| {
                    let is_default = a.default_index == Some(index as u32);
                    (is_default || a_case.label == b_case.label)
                        && self.member(
                            (&a_case.member.name, a_case.member.node),
                            (&b_case.member.name, b_case.member.node),
                        )
                })
    }

    fn member(&mut self, a: (&str, NodeIndex), b: (&str, NodeIndex)) -> bool {
        self.waiting.push((a.1, b.1));
        self.rule == Rule::Equivalent || a.0 == b.0
    }
}

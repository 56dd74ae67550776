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
        self.is_same(other, Rule::Equal)
    }

    /// Whether values of one type are values of the other: aliases do not
    /// count, types with ids are compared by these alone, others by their
    /// structure without names (CORBA 3.3 part 1, 8.11.2.1).
    pub fn equivalent(&self, other: &Self) -> bool {
        self.is_same(other, Rule::Equivalent)
    }

    fn is_same(&self, other: &Self, rule: Rule) -> bool {
        if Arc::ptr_eq(&self.graph, &other.graph) && self.root == other.root {
            return true;
        }
        // Mostly the outermost types decide, which takes no memory.
        let pair = rule.pair((&self.graph, self.root), (&other.graph, other.root));
        let nodes = (self.graph.node(pair.0), other.graph.node(pair.1));
        rule.decide(nodes)
            .unwrap_or_else(|| Comparison::new(self, other, rule).holds())
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
        // A TypeCode that could be laid out with names can be laid out without them.
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

impl Rule {
    /// The nodes that are compared instead of these.
    fn pair(
        self,
        (left_graph, left): (&Graph, NodeIndex),
        (right_graph, right): (&Graph, NodeIndex),
    ) -> (NodeIndex, NodeIndex) {
        match self {
            Self::Equal => (left, right),
            Self::Equivalent => (
                left_graph.layout(left).target,
                right_graph.layout(right).target,
            ),
        }
    }

    /// Whether two nodes are the same, if kinds, ids and names decide it.
    fn decide(self, (a, b): (&Node, &Node)) -> Option<bool> {
        if a.kind() != b.kind() {
            return Some(false);
        }
        match (a, b) {
            (Node::Simple(_), Node::Simple(_)) => return Some(true),
            (Node::Recursive(a), Node::Recursive(b)) => return Some(a == b),
            _ => {}
        }
        let (a, b) = (a.name()?, b.name()?);
        match self {
            Self::Equal if a == b => None,
            Self::Equal => Some(false),
            Self::Equivalent if a.id.is_empty() || b.id.is_empty() => None,
            Self::Equivalent => Some(a.id == b.id),
        }
    }
}

/// Pairs of nodes that must be the same. Types that contain themselves are the
/// same when nothing says otherwise, so that each pair is looked at once.
struct Comparison<'t> {
    left: &'t Graph,
    right: &'t Graph,
    rule: Rule,
    seen: HashSet<(NodeIndex, NodeIndex)>,
    waiting: Vec<(NodeIndex, NodeIndex)>,
}

impl<'t> Comparison<'t> {
    fn new(left: &'t TypeCode, right: &'t TypeCode, rule: Rule) -> Self {
        Self {
            left: &left.graph,
            right: &right.graph,
            rule,
            seen: HashSet::new(),
            waiting: vec![(left.root, right.root)],
        }
    }

    fn holds(mut self) -> bool {
        while let Some((left, right)) = self.waiting.pop() {
            if !self.same(left, right) {
                return false;
            }
        }
        true
    }

    fn same(&mut self, left: NodeIndex, right: NodeIndex) -> bool {
        let pair = self.rule.pair((self.left, left), (self.right, right));
        let (a, b) = (self.left.node(pair.0), self.right.node(pair.1));
        match self.rule.decide((a, b)) {
            Some(decided) => decided,
            None => !self.seen.insert(pair) || self.structure(a, b),
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

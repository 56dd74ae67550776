//! The nodes of an outermost TypeCode, all in one place, so that recursive
//! types are no circles of owners.

use std::collections::HashMap;

use crate::TCKind;
use crate::layout::{self, Layout, LayoutError, Layouts};
use crate::node::{Node, NodeIndex};

/// Nodes with their layouts. Every place that a node names exists.
#[derive(Debug)]
pub(crate) struct Graph {
    nodes: Box<[Node]>,
    layouts: Layouts,
    /// No type is still to be created around these.
    complete: bool,
    /// Some are unions whose labels are wide characters.
    has_wide_labels: bool,
}

impl Graph {
    pub(crate) fn new(nodes: Vec<Node>, nesting: u16) -> Result<Self, LayoutError> {
        let nodes = nodes.into_boxed_slice();
        let has_wide_labels =
            |node: &Node| matches!(node, Node::Union(it) if it.discriminator_kind == TCKind::WChar);
        Ok(Self {
            has_wide_labels: nodes.iter().any(has_wide_labels),
            layouts: layout::compute(&nodes, nesting)?,
            complete: !nodes.iter().any(|node| matches!(node, Node::Recursive(_))),
            nodes,
        })
    }

    #[inline]
    pub(crate) fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The layout of a node, aliases taken off.
    #[inline]
    pub(crate) fn layout(&self, index: NodeIndex) -> &Layout {
        self.layouts.of(index)
    }

    #[inline]
    pub(crate) fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// The memory that it takes, in octets. Nothing for one that all TypeCodes of its
    /// kind share.
    pub(crate) fn memory(&self) -> usize {
        if let [Node::Simple(_) | Node::String { bound: 0 } | Node::WString { bound: 0 }] =
            &*self.nodes
        {
            return 0;
        }
        let nodes: usize = self.nodes.iter().map(Node::memory).sum();
        size_of::<Self>() + 2 * size_of::<usize>() + nodes + self.layouts.memory()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(crate) fn has_wide_labels(&self) -> bool {
        self.has_wide_labels
    }
}

/// Copies nodes from other graphs, each once.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) nodes: Vec<Node>,
    /// Where the nodes of a graph, known by its address, have gone.
    places: HashMap<(*const Node, NodeIndex), NodeIndex>,
}

impl Assembly {
    /// Copies a node and all that it leads to.
    pub(crate) fn add(&mut self, nodes: &[Node], root: NodeIndex) -> NodeIndex {
        let mut waiting = Vec::new();
        let place = self.place(nodes, root, &mut waiting);
        while let Some((from, to)) = waiting.pop() {
            let mut node = nodes[from as usize].clone();
            node.children_mut(|child| *child = self.place(nodes, *child, &mut waiting));
            self.nodes[to as usize] = node;
        }
        place
    }

    /// Adds the root, and puts it wherever its id was waited for. The nodes
    /// that the root leads to are left, the root first.
    pub(crate) fn finish(mut self, root: Node) -> Vec<Node> {
        let index = self.nodes.len() as NodeIndex;
        let id = root.name().map(|name| name.id.clone());
        self.nodes.push(root);
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            let waiting: Vec<bool> = self
                .nodes
                .iter()
                .map(|node| matches!(node, Node::Recursive(wanted) if wanted.id == id))
                .collect();
            for node in &mut self.nodes {
                node.children_mut(|child| {
                    if waiting[*child as usize] {
                        *child = index;
                    }
                });
            }
        }
        let mut compact = Self::default();
        compact.add(&self.nodes, index);
        compact.nodes
    }

    fn place(
        &mut self,
        nodes: &[Node],
        index: NodeIndex,
        waiting: &mut Vec<(NodeIndex, NodeIndex)>,
    ) -> NodeIndex {
        let next = self.nodes.len() as NodeIndex;
        let place = *self.places.entry((nodes.as_ptr(), index)).or_insert(next);
        if place == next {
            self.nodes
                .push(Node::Unfinished(nodes[index as usize].kind()));
            waiting.push((index, next));
        }
        place
    }
}

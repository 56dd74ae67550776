//! What the engine needs to know of a type, computed once.

use crate::TCKind;
use crate::node::{Node, NodeIndex};

/// The most runs that a type is described by; others are walked by member.
const MAX_RUNS: usize = 4;

/// Primitives of one width, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) count: u32,
    /// Octets of one primitive: 1, 2, 4, 8 or 16.
    pub(crate) width: u8,
}

/// How values of a type are met.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    /// They take no octets.
    Empty,
    /// They are primitives and nothing else.
    Flat(Box<[Run]>),
    /// They are structs: the members that take octets.
    Members(Box<[NodeIndex]>),
    /// They are looked at one by one.
    Walk,
}

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The fewest octets of a value, padding not counted.
    pub(crate) min_size: u64,
    /// The node without aliases.
    pub(crate) target: NodeIndex,
    pub(crate) plan: Plan,
}

/// Why values of a type cannot be laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayoutError {
    /// A type contains itself other than through a sequence or a value.
    Recursion,
    /// Types nest too deeply.
    Depth,
}

/// The layouts of all nodes.
pub(crate) fn compute(nodes: &[Node], nesting: u16) -> Result<Box<[Layout]>, LayoutError> {
    let mut layouts: Vec<Option<Layout>> = Vec::new();
    layouts.resize_with(nodes.len(), || None);
    let mut planner = Planner {
        nodes,
        layouts,
        open: vec![false; nodes.len()],
        nesting,
    };
    for index in 0..nodes.len() {
        planner.visit(index as NodeIndex, 0)?;
    }
    Ok(planner.layouts.into_iter().flatten().collect())
}

struct Planner<'n> {
    nodes: &'n [Node],
    layouts: Vec<Option<Layout>>,
    /// The nodes whose layout is being computed.
    open: Vec<bool>,
    nesting: u16,
}

impl Planner<'_> {
    fn visit(&mut self, index: NodeIndex, depth: u16) -> Result<&Layout, LayoutError> {
        let place = index as usize;
        if self.layouts[place].is_none() {
            if self.open[place] {
                return Err(LayoutError::Recursion);
            }
            if depth > self.nesting {
                return Err(LayoutError::Depth);
            }
            self.open[place] = true;
            let layout = self.layout(index, depth)?;
            self.open[place] = false;
            return Ok(self.layouts[place].insert(layout));
        }
        match &self.layouts[place] {
            Some(layout) => Ok(layout),
            None => Err(LayoutError::Recursion),
        }
    }

    fn layout(&mut self, index: NodeIndex, depth: u16) -> Result<Layout, LayoutError> {
        let nodes = self.nodes;
        let (min_size, plan) = match &nodes[index as usize] {
            Node::Simple(kind) => simple(*kind),
            Node::Enum(_) => flat(4, 1),
            Node::Fixed { digits, .. } => flat(1, taut_cdr::fixed::encoded_size(*digits) as u32),
            Node::String { .. } | Node::WString { .. } | Node::Sequence { .. } => (4, Plan::Walk),
            // A type's id and the number of profiles.
            Node::Interface(TCKind::AbstractInterface, _) => (5, Plan::Walk),
            Node::Interface(..) => (8, Plan::Walk),
            Node::Value(..) | Node::Recursive(_) | Node::Unfinished(_) => (4, Plan::Walk),
            Node::Alias(TCKind::ValueBox, _) => (4, Plan::Walk),
            Node::Alias(_, alias) => return self.visit(alias.original, depth + 1).cloned(),
            Node::Array { element, length } => {
                let element = self.visit(*element, depth + 1)?;
                let plan = match &element.plan {
                    _ if *length == 0 => Plan::Empty,
                    Plan::Empty => Plan::Empty,
                    Plan::Flat(runs) => match runs[..] {
                        [run] => match run.count.checked_mul(*length) {
                            Some(count) => Plan::Flat([Run { count, ..run }].into()),
                            None => Plan::Walk,
                        },
                        _ => Plan::Walk,
                    },
                    Plan::Members(_) | Plan::Walk => Plan::Walk,
                };
                (element.min_size.saturating_mul(u64::from(*length)), plan)
            }
            Node::Struct(kind, it) => {
                let members = it.members.iter().map(|member| member.node);
                let (size, plan) = self.members(members, depth)?;
                match plan {
                    Plan::Members(_) => (size, plan),
                    // An exception's value may begin with its id.
                    _ if *kind == TCKind::Exception => {
                        let members = it.members.iter().map(|member| member.node);
                        (size, Plan::Members(members.collect()))
                    }
                    _ => (size, plan),
                }
            }
            Node::Union(it) => {
                for case in &it.cases {
                    self.visit(case.member.node, depth + 1)?;
                }
                let discriminator = self.visit(it.discriminator, depth + 1)?;
                (discriminator.min_size, Plan::Walk)
            }
        };
        Ok(Layout {
            min_size,
            target: index,
            plan,
        })
    }

    fn members(
        &mut self,
        members: impl Iterator<Item = NodeIndex>,
        depth: u16,
    ) -> Result<(u64, Plan), LayoutError> {
        let mut size = 0_u64;
        let mut runs: Option<Vec<Run>> = Some(Vec::new());
        let mut filled = Vec::new();
        for member in members {
            let layout = self.visit(member, depth + 1)?;
            size = size.saturating_add(layout.min_size);
            match &layout.plan {
                Plan::Empty => continue,
                Plan::Flat(more) => runs = runs.and_then(|runs| join(runs, more)),
                Plan::Members(_) | Plan::Walk => runs = None,
            }
            filled.push(layout.target);
        }
        let plan = match runs {
            _ if filled.is_empty() => Plan::Empty,
            Some(runs) => Plan::Flat(runs.into()),
            None => Plan::Members(filled.into()),
        };
        Ok((size, plan))
    }
}

/// The runs of both, one after the other, unless these are too many.
fn join(mut runs: Vec<Run>, more: &[Run]) -> Option<Vec<Run>> {
    for run in more {
        let is_full = runs.len() == MAX_RUNS;
        match runs.last_mut() {
            Some(last) if last.width == run.width => {
                last.count = last.count.checked_add(run.count)?;
            }
            _ if is_full => return None,
            _ => runs.push(*run),
        }
    }
    Some(runs)
}

fn flat(width: u8, count: u32) -> (u64, Plan) {
    let size = u64::from(width) * u64::from(count);
    (size, Plan::Flat([Run { count, width }].into()))
}

/// The octets of a primitive that moves in bulk.
pub(crate) fn simple_width(kind: TCKind) -> Option<u8> {
    Some(match kind {
        TCKind::Boolean | TCKind::Char | TCKind::Octet => 1,
        TCKind::Short | TCKind::UShort => 2,
        TCKind::Long | TCKind::ULong | TCKind::Float | TCKind::Enum => 4,
        TCKind::LongLong | TCKind::ULongLong | TCKind::Double => 8,
        TCKind::LongDouble => 16,
        _ => return None,
    })
}

fn simple(kind: TCKind) -> (u64, Plan) {
    match (simple_width(kind), kind) {
        (Some(width), _) => flat(width, 1),
        (None, TCKind::Null | TCKind::Void) => (0, Plan::Empty),
        // GIOP 1.1 and 1.2 differ; both take two octets or more.
        (None, TCKind::WChar) => (2, Plan::Walk),
        (None, _) => (4, Plan::Walk),
    }
}

//! The facts about a type that the engine needs, computed once.

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

/// How values of a type are met. Small, for a peer chooses how many there are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plan {
    /// They take no octets.
    Empty,
    /// They are primitives of one width: a [`Run`], whose fields stand here
    /// because that is smaller.
    Run { count: u32, width: u8 },
    /// They are primitives of several widths: which of [`Layouts::runs`].
    Runs(u32),
    /// They are structs, which of [`Layouts::members`].
    Members(u32),
    /// They are looked at one by one.
    Walk,
}

/// Two or more runs of different widths in turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs {
    runs: [Run; MAX_RUNS],
    count: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The fewest octets of a value, padding not counted; the largest number
    /// stands for all that no message can hold.
    pub(crate) min_size: u32,
    /// The node without aliases.
    pub(crate) target: NodeIndex,
    pub(crate) plan: Plan,
}

/// The layouts of all nodes.
#[derive(Debug)]
pub(crate) struct Layouts {
    nodes: Box<[Layout]>,
    runs: Box<[Runs]>,
    /// The members of structs that take octets, aliases taken off.
    members: Box<[Box<[NodeIndex]>]>,
}

impl Layouts {
    /// The memory that they take, in octets.
    pub(crate) fn memory(&self) -> usize {
        let members: usize = self.members.iter().map(|list| size_of_val(&**list)).sum();
        size_of_val(&*self.nodes) + size_of_val(&*self.runs) + size_of_val(&*self.members) + members
    }

    #[inline]
    pub(crate) fn of(&self, index: NodeIndex) -> &Layout {
        &self.nodes[index as usize]
    }

    /// The runs that [`Plan::Runs`] names.
    #[inline]
    pub(crate) fn runs(&self, index: u32) -> &[Run] {
        self.runs[index as usize].as_slice()
    }

    /// The members that [`Plan::Members`] names.
    #[inline]
    pub(crate) fn members(&self, index: u32) -> &[NodeIndex] {
        &self.members[index as usize]
    }
}

impl Runs {
    const NONE: Self = Self {
        runs: [Run { count: 0, width: 1 }; MAX_RUNS],
        count: 0,
    };

    #[inline]
    pub(crate) fn as_slice(&self) -> &[Run] {
        &self.runs[..self.count]
    }

    /// These runs and one more, unless these would be too many.
    fn joined(mut self, run: Run) -> Option<Self> {
        match self.runs[..self.count].last_mut() {
            Some(last) if last.width == run.width => {
                last.count = last.count.checked_add(run.count)?;
            }
            _ => {
                *self.runs.get_mut(self.count)? = run;
                self.count += 1;
            }
        }
        Some(self)
    }
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
pub(crate) fn compute(nodes: &[Node], nesting: u16) -> Result<Layouts, LayoutError> {
    let unknown = Layout {
        min_size: 0,
        target: 0,
        plan: Plan::Walk,
    };
    let mut planner = Planner {
        nodes,
        layouts: vec![unknown; nodes.len()],
        runs: Vec::new(),
        members: Vec::new(),
        progress: vec![Progress::NotBegun; nodes.len()],
        nesting,
    };
    for index in 0..nodes.len() {
        planner.visit(index as NodeIndex, 0)?;
    }
    Ok(Layouts {
        nodes: planner.layouts.into(),
        runs: planner.runs.into(),
        members: planner.members.into(),
    })
}

struct Planner<'n> {
    nodes: &'n [Node],
    layouts: Vec<Layout>,
    runs: Vec<Runs>,
    members: Vec<Box<[NodeIndex]>>,
    /// How far each layout has come.
    progress: Vec<Progress>,
    nesting: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotBegun,
    Begun,
    Done,
}

impl Planner<'_> {
    fn visit(&mut self, index: NodeIndex, depth: u16) -> Result<Layout, LayoutError> {
        let place = index as usize;
        match self.progress[place] {
            Progress::Done => {}
            Progress::Begun => return Err(LayoutError::Recursion),
            Progress::NotBegun if depth > self.nesting => return Err(LayoutError::Depth),
            Progress::NotBegun => {
                self.progress[place] = Progress::Begun;
                self.layouts[place] = self.layout(index, depth)?;
                self.progress[place] = Progress::Done;
            }
        }
        Ok(self.layouts[place])
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
            Node::Alias(_, alias) => return self.visit(alias.original, depth + 1),
            Node::Array { element, length } => {
                let element = self.visit(*element, depth + 1)?;
                let plan = match element.plan {
                    _ if *length == 0 => Plan::Empty,
                    Plan::Empty => Plan::Empty,
                    Plan::Run { count, width } => match count.checked_mul(*length) {
                        Some(count) => Plan::Run { count, width },
                        None => Plan::Walk,
                    },
                    Plan::Runs(_) | Plan::Members(_) | Plan::Walk => Plan::Walk,
                };
                (element.min_size.saturating_mul(*length), plan)
            }
            Node::Struct(kind, it) => {
                let members = it.members.iter().map(|member| member.node);
                let (size, plan) = self.members(members, depth)?;
                match plan {
                    Plan::Members(_) => (size, plan),
                    // An exception's value may begin with its id.
                    _ if *kind == TCKind::Exception => {
                        let members = it.members.iter().map(|member| member.node);
                        (size, self.plan_of_members(members.collect()))
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
    ) -> Result<(u32, Plan), LayoutError> {
        let mut size = 0_u32;
        let mut runs = Some(Runs::NONE);
        // Most take octets: no memory to and fro.
        let mut filled = Vec::with_capacity(members.size_hint().0);
        for member in members {
            let layout = self.visit(member, depth + 1)?;
            size = size.saturating_add(layout.min_size);
            match layout.plan {
                Plan::Empty => continue,
                Plan::Run { count, width } => {
                    runs = runs.and_then(|runs| runs.joined(Run { count, width }));
                }
                Plan::Runs(more) => {
                    let mut more = self.runs[more as usize].as_slice().iter();
                    runs = runs.and_then(|runs| more.try_fold(runs, |runs, run| runs.joined(*run)));
                }
                Plan::Members(_) | Plan::Walk => runs = None,
            }
            filled.push(layout.target);
        }
        let plan = match runs {
            _ if filled.is_empty() => Plan::Empty,
            Some(runs) => self.plan_of_runs(runs),
            None => self.plan_of_members(filled.into()),
        };
        Ok((size, plan))
    }

    fn plan_of_runs(&mut self, runs: Runs) -> Plan {
        match runs.as_slice() {
            [] => Plan::Empty,
            &[Run { count, width }] => Plan::Run { count, width },
            _ => {
                self.runs.push(runs);
                // There are no more than nodes.
                Plan::Runs((self.runs.len() - 1) as u32)
            }
        }
    }

    fn plan_of_members(&mut self, members: Box<[NodeIndex]>) -> Plan {
        self.members.push(members);
        Plan::Members((self.members.len() - 1) as u32)
    }
}

fn flat(width: u8, count: u32) -> (u32, Plan) {
    let size = u32::from(width).saturating_mul(count);
    (size, Plan::Run { count, width })
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

fn simple(kind: TCKind) -> (u32, Plan) {
    match (simple_width(kind), kind) {
        (Some(width), _) => flat(width, 1),
        (None, TCKind::Null | TCKind::Void) => (0, Plan::Empty),
        // GIOP 1.1 and 1.2 differ; both take two octets or more.
        (None, TCKind::WChar) => (2, Plan::Walk),
        (None, _) => (4, Plan::Walk),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_chooses_the_number_of_is_small() {
        assert!(size_of::<Layout>() <= 16);
    }
}

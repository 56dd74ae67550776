//! Whether operations upon one name, of several clients at once, could have been carried out one
//! after the other.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

/// An operation upon a name, and its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Bound to this object; or refused, since something was bound.
    Bind { object: u64, is_done: bool },
    /// Bound to this object, in place of any other.
    Rebind { object: u64 },
    /// Unbound; or refused, since nothing was bound.
    Unbind { is_done: bool },
    /// Found bound to this, or not bound.
    Resolve { found: Option<u64> },
}

/// An operation that a client has carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) action: Action,
    pub(crate) begin: Instant,
    /// `None` when nobody knows whether it was carried out: it may have been at any time since.
    pub(crate) end: Option<Instant>,
}

impl Action {
    /// The object to which the name is bound afterwards, if the outcome fits what it was bound to
    /// before.
    fn carry_out(self, bound: Option<u64>) -> Option<Option<u64>> {
        let (fits, after) = match self {
            Self::Bind { object, is_done } if is_done => (bound.is_none(), Some(object)),
            Self::Bind { .. } => (bound.is_some(), bound),
            Self::Rebind { object } => (true, Some(object)),
            Self::Unbind { is_done } if is_done => (bound.is_some(), None),
            Self::Unbind { .. } => (bound.is_none(), None),
            Self::Resolve { found } => (found == bound, bound),
        };
        fits.then_some(after)
    }
}

/// A possible state of a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Possible {
    /// The operations that have been carried out and whose ends are not known. This is the first
    /// field, and fewer come first.
    doubtful: (usize, BTreeSet<usize>),
    /// The other operations under way that have been carried out.
    done: BTreeSet<usize>,
    bound: Option<u64>,
}

impl Possible {
    /// The state after one more operation.
    fn after(&self, index: usize, operation: &Operation, bound: Option<u64>) -> Self {
        let mut after = self.clone();
        after.bound = bound;
        if operation.end.is_some() {
            after.done.insert(index);
        } else {
            after.doubtful.1.insert(index);
            after.doubtful.0 += 1;
        }
        after
    }
}

/// The states that are possible. One from which everything is possible that is so from another
/// one stands for both: it differs in that fewer operations have been carried out that need never be.
#[derive(Default)]
struct States(HashMap<(BTreeSet<usize>, Option<u64>), Vec<BTreeSet<usize>>>);

impl States {
    /// Notes a state, and says whether no other stands for it. Those with fewer doubtful
    /// operations have to come first.
    fn insert(&mut self, state: &Possible) -> bool {
        let alike = self.0.entry((state.done.clone(), state.bound)).or_default();
        let doubtful = &state.doubtful.1;
        let is_new = !alike.iter().any(|known| known.is_subset(doubtful));
        if is_new {
            alike.push(doubtful.clone());
        }
        is_new
    }
}

/// Whether there is an order of the operations, each between its begin and its end, in which each
/// has the outcome that it had. The name is bound to nothing at first.
///
/// This is the search of Wing and Gong, breadth first and with each state once: the states that
/// are possible are followed through the history, event by event.
pub(crate) fn is_linearizable(history: &[Operation]) -> bool {
    let begins = history.iter().enumerate();
    let begins = begins.map(|(index, operation)| (operation.begin, true, index));
    let ends = history.iter().enumerate();
    let ends = ends.filter_map(|(index, operation)| Some((operation.end?, false, index)));
    let mut events: Vec<_> = begins.chain(ends).collect();
    // Of events at the same instant the begins are first: the operations were under way together.
    events.sort_by_key(|(at, is_begin, _)| (*at, !is_begin));

    let mut under_way = BTreeSet::new();
    let mut possible = vec![Possible {
        doubtful: (0, BTreeSet::new()),
        done: BTreeSet::new(),
        bound: None,
    }];
    for (_, is_begin, index) in events {
        if is_begin {
            under_way.insert(index);
            continue;
        }
        possible = ended(history, &under_way, possible, index);
        under_way.remove(&index);
        if possible.is_empty() {
            return false;
        }
    }
    true
}

/// The states that are possible once the operation `index` has ended.
fn ended(
    history: &[Operation],
    under_way: &BTreeSet<usize>,
    possible: Vec<Possible>,
    index: usize,
) -> Vec<Possible> {
    let mut open: BTreeSet<_> = possible.into_iter().collect();
    let mut seen = States::default();
    let mut known = States::default();
    let mut after = Vec::new();
    while let Some(mut state) = open.pop_first() {
        if !seen.insert(&state) {
            continue;
        }
        if state.done.remove(&index) {
            if known.insert(&state) {
                after.push(state);
            }
            continue;
        }
        for &next in under_way {
            let operation = &history[next];
            let is_done = state.done.contains(&next) || state.doubtful.1.contains(&next);
            if !is_done && let Some(bound) = operation.action.carry_out(state.bound) {
                open.insert(state.after(next, operation, bound));
            }
        }
    }
    after
}

/// A history of operations by their first and last instants.
fn history(operations: &[(Action, u64, Option<u64>)]) -> Vec<Operation> {
    let origin = Instant::now();
    let at = |second| origin + std::time::Duration::from_secs(second);
    let operation = |(action, begin, end): &(Action, u64, Option<u64>)| Operation {
        action: *action,
        begin: at(*begin),
        end: end.map(at),
    };
    operations.iter().map(operation).collect()
}

const BIND: Action = Action::Bind {
    object: 1,
    is_done: true,
};
const UNBIND: Action = Action::Unbind { is_done: true };
const FOUND: Action = Action::Resolve { found: Some(1) };
const MISSED: Action = Action::Resolve { found: None };

#[test]
fn orders_that_are_possible_are_found() {
    for operations in [
        &[
            (BIND, 0, Some(1)),
            (FOUND, 2, Some(3)),
            (UNBIND, 4, Some(5)),
            (MISSED, 6, Some(7)),
        ][..],
        // Operations that are under way together have either order.
        &[(BIND, 0, Some(9)), (FOUND, 1, Some(2)), (FOUND, 3, Some(4))],
        &[
            (BIND, 0, Some(9)),
            (MISSED, 1, Some(2)),
            (FOUND, 3, Some(4)),
        ],
        // One whose end is not known may be carried out late, or never.
        &[(BIND, 0, None), (MISSED, 1, Some(2)), (FOUND, 3, Some(4))],
        &[(BIND, 0, None), (MISSED, 1, Some(2)), (MISSED, 3, Some(4))],
        &[(BIND, 0, Some(5)), (BIND, 1, Some(6)), (UNBIND, 2, Some(7))],
    ] {
        assert!(is_linearizable(&history(operations)), "{operations:?}");
    }
}

#[test]
fn orders_that_are_impossible_are_refused() {
    let refused = Action::Bind {
        object: 2,
        is_done: false,
    };
    let rebind = |object| Action::Rebind { object };
    for operations in [
        // A read that is older than what had been answered, or than another read.
        &[(BIND, 0, Some(1)), (MISSED, 2, Some(3))][..],
        &[
            (BIND, 0, Some(9)),
            (FOUND, 1, Some(2)),
            (MISSED, 3, Some(4)),
        ],
        &[(BIND, 0, None), (FOUND, 1, Some(2)), (MISSED, 3, Some(4))],
        // Two that bind one name, and a refusal without a reason.
        &[(BIND, 0, Some(5)), (BIND, 1, Some(6))],
        &[(refused, 0, Some(1))],
        &[(UNBIND, 0, Some(1))],
        // A change that is lost.
        &[
            (rebind(1), 0, Some(1)),
            (rebind(2), 2, Some(3)),
            (FOUND, 4, Some(5)),
        ],
    ] {
        assert!(!is_linearizable(&history(operations)), "{operations:?}");
    }
}

//! The cases: a subject, a strategy, an order, and a number of entries.

use std::fmt;

use serde::Serialize;

/// The subject of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// Nothing: what the loop around all others costs.
    Nothing,
    /// The object of a POA that assigns ids; the count is of objects.
    ObjectSystemId,
    /// The object of a POA whose ids the user chooses; its key says where it lies.
    ObjectUserId,
    /// The same, and the key does not say where it lies.
    ObjectNoHint,
    /// The same, and the key says where it lay before.
    ObjectStaleHint,
    /// The same, and the key says where another object lies.
    ObjectForgedHint,
    /// The persistent POA at some depth; the count is of levels.
    PoaDepth,
    /// A persistent POA; the count is of POAs.
    Poa,
    /// An operation's number; the count is of operations.
    Operation,
    /// The object of a servant; the count is of objects.
    Servant,
    /// From the key to the operation's function; the count is of objects.
    DispatchObjects,
    /// The same with ids that the user chooses.
    DispatchUserId,
    /// The same in a persistent POA; the count is of levels above the object.
    DispatchDepth,
    /// The same in a transient POA, as most are.
    DispatchTransientDepth,
    /// The same; the count is of operations.
    DispatchOperations,
    /// The key of an object that was deactivated, and whose place another one has.
    DispatchStale,
    /// A key with a place where no object ever was.
    DispatchForgedPlace,
    /// A key of another process.
    DispatchForged,
    /// A key that is not one of Taut's.
    DispatchForeign,
}

/// How it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strategy {
    Active,
    PerfectHash,
    Binary,
    DynamicHash,
    /// One after the other; POAs level by level.
    Linear,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// One and the same: where there are several, the last, which is the worst for who
    /// goes through all.
    Same,
    /// All, one after the other.
    Sequential,
    /// A few that lie far apart, in no order: they fit into the processor's caches.
    HotSet,
    /// All, in no order: with many, the processor's caches do not have them.
    Random,
}

/// One thing to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Case {
    pub(crate) subject: Subject,
    pub(crate) strategy: Strategy,
    pub(crate) count: usize,
    pub(crate) order: Order,
}

/// How many there are in a hot set.
pub(crate) const HOT: usize = 64;

/// So many visits are enough for what costs little.
const VISITS: usize = 4_096;

impl Subject {
    /// Whether the look-ups find something.
    pub(crate) fn is_there(self) -> bool {
        !matches!(
            self,
            Self::DispatchStale
                | Self::DispatchForgedPlace
                | Self::DispatchForged
                | Self::DispatchForeign
        )
    }

    /// Whether it is the whole way.
    pub(crate) fn is_whole(self) -> bool {
        use Subject as S;
        matches!(
            self,
            S::DispatchObjects
                | S::DispatchUserId
                | S::DispatchDepth
                | S::DispatchTransientDepth
                | S::DispatchOperations
        ) || !self.is_there()
    }
}

impl Case {
    /// Whether a look-up takes the longer the more there are.
    pub(crate) fn is_slow(self) -> bool {
        self.strategy == Strategy::Linear && self.count > 100
    }

    /// In how many rounds of so many visits at least so many look-ups are made, unless
    /// they are slow.
    pub(crate) fn rounds(self, visits: usize, look_ups: usize) -> usize {
        match self.is_slow() {
            true => 1,
            false => look_ups.div_ceil(visits),
        }
    }

    /// How many visits a round of this case makes.
    pub(crate) fn visits(self) -> usize {
        match (self.strategy, self.order) {
            // This is the cost of the same key in a cache, where a message that has just
            // come is.
            (_, Order::Same) if self.strategy != Strategy::Linear => HOT,
            // A look-up whose cost grows with the count is made less often.
            (Strategy::Linear, _) => (500_000 / self.count).clamp(50, VISITS),
            (_, Order::Sequential | Order::Random) => self.count.max(VISITS),
            _ => VISITS,
        }
    }

    /// Which of `count` things are visited, in turn.
    pub(crate) fn choose(self, shuffle: &mut super::visits::Shuffle) -> Vec<usize> {
        let visits = self.visits();
        let count = self.count;
        match self.order {
            Order::Same => vec![count - 1; visits],
            Order::Sequential => (0..visits).map(|visit| visit % count).collect(),
            Order::HotSet => {
                let hot = HOT.min(count);
                let spread = |_| shuffle.below(hot) * count / hot;
                (0..visits).map(spread).collect()
            }
            Order::Random if visits < count => (0..visits).map(|_| shuffle.below(count)).collect(),
            Order::Random => {
                let mut all: Vec<usize> = (0..visits).map(|visit| visit % count).collect();
                shuffle.shuffle(&mut all);
                all
            }
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            strategy,
            count,
            order,
        } = self;
        write!(f, "{subject:?}/{strategy:?}/{count}/{order:?}")
    }
}

/// All cases, in groups that are measured together.
pub(crate) fn groups() -> Vec<Vec<Case>> {
    use {Order as O, Strategy as T, Subject as S};
    const OBJECTS: &[usize] = &[1, 10, 100, 500, 1_000, 10_000, 100_000, 1_000_000];
    const FEW_OBJECTS: &[usize] = &[1, 10, 100, 500, 1_000, 10_000];
    const DEPTHS: &[usize] = &[1, 2, 5, 10, 15, 20, 25];
    const TENS: &[usize] = &[1, 10, 100, 1_000];
    const ALL: &[Order] = &[O::Sequential, O::HotSet, O::Random];
    const SOME: &[Order] = &[O::HotSet, O::Random];

    let hints = [S::ObjectNoHint, S::ObjectStaleHint, S::ObjectForgedHint];
    let hints = hints.into_iter();
    let bad = [
        S::DispatchStale,
        S::DispatchForgedPlace,
        S::DispatchForged,
        S::DispatchForeign,
    ];
    vec![
        [
            cases(S::ObjectSystemId, T::Active, OBJECTS, ALL),
            cases(S::ObjectSystemId, T::DynamicHash, OBJECTS, SOME),
            cases(
                S::ObjectSystemId,
                T::Linear,
                FEW_OBJECTS,
                &[O::Random, O::Same],
            ),
        ]
        .concat(),
        [
            cases(S::ObjectUserId, T::Active, OBJECTS, ALL),
            cases(S::ObjectUserId, T::DynamicHash, OBJECTS, SOME),
            cases(
                S::ObjectUserId,
                T::Linear,
                FEW_OBJECTS,
                &[O::Random, O::Same],
            ),
            hints
                .flat_map(|hint| cases(hint, T::Active, &[1, 500, 100_000], &[O::HotSet]))
                .collect(),
        ]
        .concat(),
        [T::Active, T::DynamicHash, T::Linear]
            .into_iter()
            .flat_map(|strategy| {
                [
                    cases(S::PoaDepth, strategy, DEPTHS, &[O::Same]),
                    cases(S::Poa, strategy, TENS, &[O::HotSet, O::Random]),
                ]
                .concat()
            })
            .collect(),
        [T::PerfectHash, T::Binary, T::DynamicHash, T::Linear]
            .into_iter()
            .flat_map(|strategy| cases(S::Operation, strategy, TENS, &[O::Random, O::Same]))
            .collect(),
        [T::DynamicHash, T::Linear]
            .into_iter()
            .flat_map(|strategy| {
                let counts = &[1, 10, 100, 1_000, 10_000];
                cases(S::Servant, strategy, counts, &[O::Random, O::Same])
            })
            .collect(),
        [
            cases(S::DispatchObjects, T::Active, OBJECTS, ALL),
            cases(S::DispatchUserId, T::Active, OBJECTS, &[O::HotSet]),
            cases(S::DispatchDepth, T::Active, DEPTHS, &[O::Same]),
            cases(S::DispatchTransientDepth, T::Active, DEPTHS, &[O::Same]),
            cases(
                S::DispatchOperations,
                T::Active,
                TENS,
                &[O::Same, O::Random],
            ),
            bad.into_iter()
                .flat_map(|bad| cases(bad, T::Active, &[100], &[O::HotSet]))
                .collect(),
        ]
        .concat(),
    ]
}

/// One subject and strategy, in all these counts and orders; of one thing there is
/// but one order.
fn cases(subject: Subject, strategy: Strategy, counts: &[usize], orders: &[Order]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &order in orders {
        for &count in counts {
            if count > 1 || order == orders[0] {
                cases.push(Case {
                    subject,
                    strategy,
                    count,
                    order,
                });
            }
        }
    }
    cases
}

/// The case that costs no more than the loop around all cases.
pub(crate) const NOTHING: Case = Case {
    subject: Subject::Nothing,
    strategy: Strategy::Active,
    count: 1,
    order: Order::Same,
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::visits::Shuffle;
    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own_and_visits_what_is_there() {
        let mut names = HashSet::new();
        for case in groups().into_iter().flatten() {
            assert!(names.insert(case.to_string()), "{case}");
            let chosen = case.choose(&mut Shuffle::new());
            assert_eq!(chosen.len(), case.visits());
            assert!(chosen.iter().all(|&index| index < case.count), "{case}");
        }
    }
}

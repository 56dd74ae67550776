//! Results for people and for other programs.

use super::case::{Case, Order, Strategy, Subject};
use super::measure::Times;
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::Spread;

/// A line for each case.
pub(crate) const LAYOUT: Layout = Layout {
    title: "",
    tables: &[],
    lines: &["case", "strategy", "count", "order"],
    columns: &[
        Column::word("what", "case"),
        Column::word("strategy", "strategy"),
        Column::number("count", "count", 0),
        Column::word("order", "order"),
        Column::spread("median ns (least-most)", "median_ns", 1),
        Column::number("× one", "ratio_one", 2),
        Column::number("instructions", "instructions", 0),
    ],
};

/// The result of one case.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) subject: Subject,
    pub(crate) strategy: Strategy,
    pub(crate) count: usize,
    pub(crate) order: Order,
    rounds: usize,
    /// The time of a look-up without the loop around it, over the rounds.
    ns: Spread,
    pub(crate) median_ns: f64,
    /// The instructions of a look-up, without the loop around it.
    pub(crate) instructions: Option<f64>,
    /// The median over the rounds of (this time ÷ that of the same with a count of one
    /// in the same round).
    pub(crate) ratio_one: Option<f64>,
}

impl Outcome {
    /// The result of `times`, measured together with all of `group`.
    pub(crate) fn new(times: &Times, group: &[Times], instructions: Option<f64>) -> Option<Self> {
        let case = times.case;
        let ns = Spread::of(times.rounds_ns.iter().copied())?;
        let one = group.iter().find(|other| is_one_of(other.case, case));
        let ratio_one = one.and_then(|one| Spread::of(ratios(times, one)));
        Some(Self {
            subject: case.subject,
            strategy: case.strategy,
            count: case.count,
            order: case.order,
            rounds: times.rounds_ns.len(),
            ns,
            median_ns: ns.median,
            instructions,
            ratio_one: ratio_one.map(|ratios| ratios.median),
        })
    }

    /// The row of this result.
    pub(crate) fn row(&self) -> Row {
        let row = Row::new()
            .with("case", self.subject)
            .with("mode", Mode::Same)
            .with("system", "taut")
            .with("transport", "local")
            .with("strategy", self.strategy)
            .with("count", self.count)
            .with("order", self.order)
            .with("rounds", self.rounds)
            .with("instructions", self.instructions)
            .with("ratio_one", self.ratio_one);
        row.spread("median_ns", Some(self.ns))
    }
}

/// Round by round, how many times as long one takes as the other.
fn ratios<'a>(times: &'a Times, other: &'a Times) -> impl Iterator<Item = f64> + 'a {
    let pairs = times.rounds_ns.iter().zip(&other.rounds_ns);
    pairs.map(|(time, other)| time / other)
}

/// Whether `one` is the same as `case` with but one thing there.
fn is_one_of(one: Case, case: Case) -> bool {
    one.count == 1 && (one.subject, one.strategy) == (case.subject, case.strategy)
}

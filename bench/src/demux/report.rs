//! Results for people and for other programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::case::{Case, Order, Strategy, Subject};
use super::measure::Times;
use crate::placement::Mode;
use crate::statistics::Spread;

/// The result of one case. Fields that do not apply are absent.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Record {
    bench: &'static str,
    #[serde(rename = "case")]
    pub(crate) subject: Subject,
    mode: Mode,
    system: &'static str,
    transport: &'static str,
    pub(crate) strategy: Strategy,
    pub(crate) count: usize,
    pub(crate) order: Order,
    pub(crate) rounds: usize,
    /// The median over the rounds of what a look-up takes, without the loop around it.
    pub(crate) median_ns: f64,
    pub(crate) min_ns: f64,
    pub(crate) max_ns: f64,
    /// The instructions of a look-up, without the loop around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<f64>,
    /// The median over the rounds of (this time ÷ that of the same with a count of one
    /// in the same round).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratio_one: Option<f64>,
}

impl Record {
    /// The result of `times`, measured together with all of `group`.
    pub(crate) fn new(times: &Times, group: &[Times], instructions: Option<f64>) -> Option<Self> {
        let case = times.case;
        let spread = Spread::of(times.rounds_ns.iter().copied())?;
        let one = group.iter().find(|other| is_one_of(other.case, case));
        let ratio_one = one.and_then(|one| Spread::of(ratios(times, one)));
        Some(Self {
            bench: "demux",
            subject: case.subject,
            mode: Mode::Same,
            system: "taut",
            transport: "local",
            strategy: case.strategy,
            count: case.count,
            order: case.order,
            rounds: times.rounds_ns.len(),
            median_ns: spread.median,
            min_ns: spread.min,
            max_ns: spread.max,
            instructions,
            ratio_one: ratio_one.map(|ratios| ratios.median),
        })
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

/// A table of these records, in Markdown.
pub(crate) fn table(records: &[Record]) -> String {
    let mut text = String::from(
        "| what | strategy | count | order | median ns | least-most ns | × one | instructions |\n\
         |---|---|--:|---|--:|--:|--:|--:|\n",
    );
    for record in records {
        let ratio = record.ratio_one.map(|ratio| format!("{ratio:.2}"));
        let instructions = record.instructions.map(|count| format!("{count:.0}"));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.1}-{:.1} | {} | {} |",
            words(record.subject),
            words(record.strategy),
            record.count,
            words(record.order),
            record.median_ns,
            record.min_ns,
            record.max_ns,
            ratio.unwrap_or_default(),
            instructions.unwrap_or_default(),
        );
    }
    text
}

/// The name of a variant, as JSON has it, with spaces.
fn words(variant: impl Serialize) -> String {
    let name = serde_json::to_value(variant).ok();
    let name = name.as_ref().and_then(serde_json::Value::as_str);
    name.unwrap_or_default().replace('_', " ")
}

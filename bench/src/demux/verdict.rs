//! The verdict on the figures: whether they are as promised.

use super::case::{Order, Strategy, Subject};
use super::report::Outcome;

/// How far apart the times may lie of what is flat.
const FLAT: f64 = 1.10;

/// The time that the whole look-up may take, in nanoseconds.
const WHOLE_NS: f64 = 50.0;

/// The ratios of the papers: 50,000 look-ups of this with that strategy took so many times
/// as long as with the best; see E4 of the TAO papers (1999).
const RATIOS: [(Subject, usize, Strategy, Strategy, f64); 4] = [
    (
        Subject::ObjectUserId,
        500,
        Strategy::Active,
        Strategy::DynamicHash,
        671.0 / 280.0,
    ),
    (
        Subject::ObjectUserId,
        500,
        Strategy::Active,
        Strategy::Linear,
        12_123.0 / 280.0,
    ),
    (
        Subject::Operation,
        100,
        Strategy::PerfectHash,
        Strategy::DynamicHash,
        265.0 / 79.0,
    ),
    (
        Subject::Operation,
        100,
        Strategy::PerfectHash,
        Strategy::Linear,
        3_618.0 / 79.0,
    ),
];

/// Where times should be flat: over what, and in which order. Most are those of the whole
/// way.
const FLATS: [(&str, Subject, Strategy, Order); 10] = [
    (
        "look-up of an object, a hot set",
        Subject::ObjectSystemId,
        Strategy::Active,
        Order::HotSet,
    ),
    (
        "look-up of a persistent POA, its depth (names are compared)",
        Subject::PoaDepth,
        Strategy::Active,
        Order::Same,
    ),
    (
        "look-up of an operation, in no order",
        Subject::Operation,
        Strategy::PerfectHash,
        Order::Random,
    ),
    (
        "objects, one after the other (beyond the caches: memory)",
        Subject::DispatchObjects,
        Strategy::Active,
        Order::Sequential,
    ),
    (
        "objects, a hot set",
        Subject::DispatchObjects,
        Strategy::Active,
        Order::HotSet,
    ),
    (
        "objects with chosen ids, a hot set",
        Subject::DispatchUserId,
        Strategy::Active,
        Order::HotSet,
    ),
    (
        "depth of a transient POA",
        Subject::DispatchTransientDepth,
        Strategy::Active,
        Order::Same,
    ),
    (
        "depth of a persistent POA, whose names are compared",
        Subject::DispatchDepth,
        Strategy::Active,
        Order::Same,
    ),
    (
        "operations, the last",
        Subject::DispatchOperations,
        Strategy::Active,
        Order::Same,
    ),
    (
        "operations, in no order (jumps that are not foreseen)",
        Subject::DispatchOperations,
        Strategy::Active,
        Order::Random,
    ),
];

/// A line for each claim of which there are figures.
pub(crate) fn lines(records: &[Outcome]) -> Vec<String> {
    let flats = FLATS
        .iter()
        .filter_map(|&(what, subject, strategy, order)| {
            flat(records, what, (subject, strategy), order)
        });
    let ratios = RATIOS
        .iter()
        .filter_map(|&(subject, count, best, other, wanted)| {
            let best = of(records, subject, best, count)?;
            let other = of(records, subject, other, count)?;
            let ratio = other.median_ns / best.median_ns;
            Some(format!(
                "{}: {subject:?} among {count}, {:?} to {:?}: {ratio:.2} (1999: {wanted:.2})",
                met(ratio >= wanted),
                other.strategy,
                best.strategy,
            ))
        });
    whole(records)
        .into_iter()
        .chain(flats)
        .chain(ratios)
        .collect()
}

/// Whether the whole way is short enough, to one object and to any of a hot set.
fn whole(records: &[Outcome]) -> Option<String> {
    let good = records.iter().filter(|record| {
        let is_cached = matches!(record.order, Order::Same | Order::HotSet) || record.count == 1;
        record.subject.is_whole() && record.subject.is_there() && is_cached
    });
    let slowest = good.max_by(|a, b| a.median_ns.total_cmp(&b.median_ns))?;
    Some(format!(
        "{}: the whole way takes at most {:.1} ns where caches help ({:?}, {}, {:?}); claimed {WHOLE_NS:.0}",
        met(slowest.median_ns < WHOLE_NS),
        slowest.median_ns,
        slowest.subject,
        slowest.count,
        slowest.order,
    ))
}

/// Whether the times of all counts are about that of one; if not, up to which count.
fn flat(
    records: &[Outcome],
    what: &str,
    found: (Subject, Strategy),
    order: Order,
) -> Option<String> {
    let all = records
        .iter()
        .filter(|record| (record.subject, record.strategy) == found);
    let mut all: Vec<&Outcome> = all
        .filter(|record| record.order == order || record.count == 1)
        .collect();
    all.sort_by_key(|record| record.count);
    let is_flat = |record: &&&Outcome| record.ratio_one.is_some_and(|ratio| ratio <= FLAT);
    let flat_up_to = all.iter().take_while(is_flat).last()?.count;
    let last = all.last()?;
    let instructions = || all.iter().filter_map(|record| record.instructions);
    let (least, most) = (
        instructions().min_by(f64::total_cmp),
        instructions().max_by(f64::total_cmp),
    );
    let instructions = match (least, most) {
        (Some(least), Some(most)) => format!("; {least:.0} to {most:.0} instructions"),
        _ => String::new(),
    };
    Some(format!(
        "{}: flat from 1 to {}: {what}: {:.2} times the time of 1 there, flat up to \
         {flat_up_to}{instructions}",
        met(flat_up_to == last.count),
        last.count,
        last.ratio_one?,
    ))
}

/// The one with all in no order.
fn of(records: &[Outcome], subject: Subject, strategy: Strategy, count: usize) -> Option<&Outcome> {
    records.iter().find(|record| {
        record.subject == subject
            && record.strategy == strategy
            && record.count == count
            && record.order == Order::Random
    })
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met    " } else { "NOT MET" }
}

//! Latency against the number of servants, a picture for each order of calls.

use clap::ValueEnum as _;

use super::plot::{Plot, SYSTEMS};
use crate::drawing::markup::{Element, element};
use crate::drawing::scale::round_up;
use crate::goals::others::Scaled;
use crate::scalability::Order;
use crate::system::System;

/// A picture for each order that was measured, all with the same axes.
pub(super) fn pictures(records: &[Scaled]) -> Vec<Element> {
    let servants = || records.iter().filter_map(|it| it.servants);
    let (Some(least), Some(most)) = (servants().min(), servants().max()) else {
        return Vec::new();
    };
    let slowest = records.iter().map(micros).fold(1.0, f64::max);
    let plot = Plot::new((least.into(), most.into()), round_up(slowest));
    let orders = Order::value_variants().iter().copied();
    orders
        .filter_map(|order| {
            let of_order: Vec<_> = records.iter().filter(|it| it.order == order).collect();
            picture(&plot, order, &of_order, (least, most))
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn micros(record: &Scaled) -> f64 {
    record.median_ns as f64 / 1e3
}

/// The curves of an order; none when it was not measured.
fn picture(
    plot: &Plot,
    order: Order,
    records: &[&Scaled],
    (least, most): (u32, u32),
) -> Option<Element> {
    records.first()?;
    let of = |system: System| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for record in records.iter().filter(|it| it.system == system) {
            match record.servants {
                Some(servants) => points.push((servants.into(), micros(record))),
                // Sockets have no servants: their line is level.
                None => points.extend([least, most].map(|end| (f64::from(end), micros(record)))),
            }
        }
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        (system, points)
    };
    let decades = (0..=9).map(|power| 10_u32.pow(power));
    let ticks: Vec<_> = decades
        .filter(|it| (least..=most).contains(it))
        .map(|it| (f64::from(it), count(it)))
        .collect();
    let name = title(order);
    let svg = plot.draw(
        &format!("latency by the number of servants, {name}"),
        "µs",
        &ticks,
        &SYSTEMS.map(of),
    );
    let caption = element("figcaption").child(element("b").text(name));
    Some(element("figure").child(caption).child(svg))
}

fn title(order: Order) -> &'static str {
    match order {
        Order::Train => "100 calls to each",
        Order::RoundRobin => "one after the other",
        Order::Random => "in no order",
        Order::Last => "always the last",
        Order::First => "always the first",
    }
}

/// A power of ten as people say it.
fn count(number: u32) -> String {
    match number {
        1_000_000.. => format!("{} M", number / 1_000_000),
        10_000.. => format!("{} k", number / 1_000),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::others::tests::made_up;

    #[test]
    fn each_order_has_a_picture_with_a_curve_for_each_system() {
        let pictures = pictures(&made_up().scalability);
        assert_eq!(pictures.len(), 2);
        for picture in pictures {
            let picture = picture.to_string();
            assert_eq!(picture.matches("<polyline").count(), 3, "{picture}");
            assert_eq!(picture.matches("<circle").count(), 6);
            for tick in [">1<", ">10<", ">100<", ">1000<", ">20 µs<"] {
                assert!(picture.contains(tick), "{tick}: {picture}");
            }
        }
    }

    #[test]
    fn what_was_not_measured_has_no_picture() {
        assert!(pictures(&[]).is_empty());
    }

    #[test]
    fn counts_are_short() {
        let counts = [1, 1_000, 10_000, 1_000_000].map(count);
        assert_eq!(counts, ["1", "1000", "10 k", "1 M"]);
    }
}

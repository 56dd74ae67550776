//! Throughput against the size of the buffers, a picture for each type.

use super::markup::{Element, classed, element};
use super::scale::{Log, round_up, spread_out};
use crate::goals::kind::{Element as Type, Kind};
use crate::goals::result::RowResult;
use crate::system::System;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
/// Where the curves are: left, right, top and bottom.
const LEFT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 62.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 34.0;

const SYSTEMS: [(System, &str, &str); 3] = [
    (System::Raw, "raw", "sockets"),
    (System::Omniorb, "omniorb", "omniORB"),
    (System::Taut, "taut", "Taut"),
];

/// A picture for each type that was sent, all with the same axes.
pub(super) fn pictures(floods: &[&RowResult]) -> Vec<Element> {
    let figures = floods.iter().flat_map(|flood| {
        let mb_s = |it| flood.mb_s(it);
        flood.figures.iter().filter_map(mb_s)
    });
    let top = round_up(figures.fold(1.0, f64::max));
    let types = Type::ALL.into_iter();
    types.filter_map(|of| picture(of, floods, top)).collect()
}

/// The curves of a type; none when it was not sent.
fn picture(of: Type, floods: &[&RowResult], top: f64) -> Option<Element> {
    let points: Vec<_> = (floods.iter())
        .filter_map(|flood| match flood.row.kind {
            Kind::Flood {
                element, octets, ..
            } if element == of => Some((octets, *flood)),
            _ => None,
        })
        .collect();
    let (least, most) = (points.first()?.0, points.last()?.0);
    let across = Log::new(
        (f64::from(least), f64::from(most.max(least * 2))),
        (LEFT, RIGHT),
    );
    let up = |mb_s: f64| BOTTOM - mb_s / top * (BOTTOM - TOP);

    let mut svg = element("svg")
        .with("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .with("role", "img")
        .with("aria-label", format!("throughput of {}", title(of)))
        .children(axes(&points, across, top, up));
    let mut ends = Vec::new();
    for (system, class, label) in SYSTEMS {
        let place = |(octets, flood): &(u32, &RowResult)| {
            let mb_s = flood.mb_s(flood.figures(system)?)?;
            Some((across.at(f64::from(*octets)), up(mb_s)))
        };
        let places: Vec<_> = points.iter().filter_map(place).collect();
        let Some(&(_, end)) = places.last() else {
            continue;
        };
        svg = svg.child(curve(class, &places));
        ends.push((class, label, end));
    }
    let heights: Vec<_> = ends.iter().map(|&(_, _, end)| end).collect();
    let heights = spread_out(&heights, 15.0, (TOP, BOTTOM));
    for ((class, label, _), height) in ends.into_iter().zip(heights) {
        svg = svg.child(
            classed("text", format!("label {class}"))
                .with("x", RIGHT + 7.0)
                .with("y", format!("{:.1}", height + 4.5))
                .text(label),
        );
    }
    let caption = element("figcaption")
        .child(element("b").text(title(of)))
        .child(element("span").text(goals(&points)));
    Some(element("figure").child(caption).child(svg))
}

fn title(of: Type) -> String {
    match of {
        Type::Struct => "BinStruct".to_owned(),
        other => other.word().to_owned(),
    }
}

/// How many of the goals are met.
fn goals(points: &[(u32, &RowResult)]) -> String {
    let met = (points.iter()).filter(|(_, flood)| flood.is_met() == Some(true));
    let goal = points[0].1.row.goal;
    format!("{goal}: {} of {} sizes", met.count(), points.len())
}

fn axes(
    points: &[(u32, &RowResult)],
    across: Log,
    top: f64,
    up: impl Fn(f64) -> f64,
) -> Vec<Element> {
    let mut axes = Vec::new();
    for quarter in 0..=4 {
        let mb_s = top * f64::from(quarter) / 4.0;
        let y = up(mb_s);
        axes.push(
            classed("line", if quarter == 0 { "one" } else { "grid" })
                .with("x1", LEFT)
                .with("x2", RIGHT)
                .with("y1", format!("{y:.1}"))
                .with("y2", format!("{y:.1}")),
        );
        let text = match quarter {
            0 => "0".to_owned(),
            4 => format!("{} GB/s", round(mb_s / 1e3)),
            _ => round(mb_s / 1e3),
        };
        // The unit stands above its line, to the right of the axis.
        let (x, anchor, raise) = match quarter {
            4 => (LEFT - 24.0, "start", -3.0),
            _ => (LEFT - 6.0, "end", 4.0),
        };
        axes.push(tick(x, y + raise, anchor, text));
    }
    for (place, (octets, _)) in points.iter().enumerate() {
        let text = match (octets / 1_024, place + 1 == points.len()) {
            (kib, true) => format!("{kib} KiB"),
            (kib, false) => kib.to_string(),
        };
        axes.push(tick(
            across.at(f64::from(*octets)),
            BOTTOM + 17.0,
            "middle",
            text,
        ));
    }
    axes
}

fn tick(x: f64, y: f64, anchor: &'static str, text: String) -> Element {
    classed("text", "tick")
        .with("x", format!("{x:.1}"))
        .with("y", format!("{y:.1}"))
        .with("text-anchor", anchor)
        .text(text)
}

/// A number without needless digits.
fn round(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn curve(class: &'static str, places: &[(f64, f64)]) -> Element {
    let points: Vec<_> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let line = classed("polyline", class).with("points", points.join(" "));
    let dot = |&(x, y): &(f64, f64)| {
        classed("circle", class)
            .with("cx", format!("{x:.1}"))
            .with("cy", format!("{y:.1}"))
            .with("r", 2.6)
    };
    classed("g", "curve")
        .child(line)
        .children(places.iter().map(dot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;
    use crate::goals::rows::{FLOOD_BUFFERS, Group};

    #[test]
    fn every_type_has_a_picture_with_a_curve_for_each_system() {
        let made_up = made_up();
        let floods: Vec<_> = made_up
            .iter()
            .filter(|it| it.row.group == Group::Flood)
            .collect();
        let pictures = pictures(&floods);
        assert_eq!(pictures.len(), Type::ALL.len());
        for picture in pictures {
            let picture = picture.to_string();
            assert_eq!(picture.matches("<polyline").count(), 3, "{picture}");
            assert_eq!(picture.matches("<circle").count(), 3 * FLOOD_BUFFERS.len());
            assert!(picture.contains("8 of 8 sizes"), "{picture}");
        }
    }

    #[test]
    fn what_was_not_sent_has_no_picture() {
        assert!(pictures(&[]).is_empty());
    }

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!([0.5, 1.25, 10.0].map(round), ["0.5", "1.25", "10"]);
    }
}

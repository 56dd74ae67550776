//! How long the smallest call takes: all samples, not only the middle one.

use super::plot::class;
use super::units::time;
use crate::case::Transport;
use crate::drawing::markup::{Element, classed, element};
use crate::drawing::scale::{Log, spread_out};
use crate::goals::kind::Kind;
use crate::goals::result::{Figures, RowResult};
use crate::goals::rows::Row;
use crate::placement::Mode;

const WIDTH: f64 = 400.0;
const LEFT: f64 = 12.0;
const RIGHT: f64 = WIDTH - 20.0;
/// The height of a system's part: its name, its samples, and the labels below.
const RIDGE: f64 = 118.0;
const NAME: f64 = 16.0;
const PEAK: f64 = 60.0;
const TICKS_US: [f64; 18] = [
    1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6,
    1e7,
];

/// A picture for each row of calls without arguments.
pub(super) fn pictures(results: &[RowResult]) -> Vec<Element> {
    let void = results.iter().filter(|it| it.row.kind == Kind::Void);
    void.map(picture).collect()
}

fn picture(result: &RowResult) -> Element {
    let across = axis(result);
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let height = RIDGE * result.figures.len() as f64 + 26.0;
    let ticks = ticks(across);
    let mut svg = element("svg")
        .with("viewBox", format!("0 0 {WIDTH} {height}"))
        .with("role", "img")
        .with("aria-label", format!("latency, {}", title(&result.row)));
    for &tick in &ticks {
        let x = across.at(tick * 1e3);
        svg = svg.child(
            classed("line", "grid")
                .with("x1", format!("{x:.1}"))
                .with("x2", format!("{x:.1}"))
                .with("y1", 0)
                .with("y2", height - 20.0),
        );
        svg = svg.child(
            classed("text", "tick")
                .with("x", format!("{x:.1}"))
                .with("y", height - 6.0)
                .with("text-anchor", "middle")
                .text(tick_text(tick)),
        );
    }
    let mut top = 0.0;
    for figures in &result.figures {
        svg = svg.child(ridge(figures, across, top));
        top += RIDGE;
    }
    let caption = element("figcaption").child(element("b").text(title(&result.row)));
    element("figure").child(caption).child(svg)
}

fn title(row: &Row) -> String {
    let transport = match row.transport {
        Transport::Tcp => "TCP",
        Transport::Unix => "Unix socket",
        Transport::Local => "one process",
    };
    let place = match row.mode {
        Mode::Same => "client and server on one CPU",
        Mode::Split => "a CPU each",
    };
    let adapts = if row.adapts { ", adaptive" } else { "" };
    format!("{transport}, {place}{adapts}")
}

/// An axis for all samples of all systems, in nanoseconds.
fn axis(result: &RowResult) -> Log {
    let steps = result.figures.iter().flat_map(|it| it.distribution.steps());
    let (least, most) = steps.fold((f64::MAX, 1.0_f64), |(least, most), step| {
        (least.min(step.from_ns), most.max(step.to_ns))
    });
    Log::new((least.min(most / 2.0) * 0.9, most * 1.1), (LEFT, RIGHT))
}

/// Decades if there are many of them, more numbers if there are not.
fn ticks(across: Log) -> Vec<f64> {
    let nanoseconds = TICKS_US.map(|tick| tick * 1e3);
    let all: Vec<_> = across
        .ticks(&nanoseconds)
        .iter()
        .map(|it| it / 1e3)
        .collect();
    if all.len() <= 6 {
        return all;
    }
    let decade = |tick: &f64| (tick.log10() - tick.log10().round()).abs() < 1e-9;
    all.into_iter().filter(decade).collect()
}

/// A number of microseconds that is on the axis, with its unit.
fn tick_text(tick_us: f64) -> String {
    match tick_us {
        tick if tick < 1e3 => format!("{tick} µs"),
        tick if tick < 1e6 => format!("{} ms", tick / 1e3),
        tick => format!("{} s", tick / 1e6),
    }
}

/// A system's samples above a line, and below it where its percentiles lie.
fn ridge(figures: &Figures, across: Log, top: f64) -> Element {
    let (class, name) = class(figures.system);
    let base = top + NAME + PEAK;
    let steps = figures.distribution.steps();
    let most = steps.iter().map(|step| step.share).fold(0.0, f64::max);
    let mut points = Vec::new();
    for step in &steps {
        let y = base - step.share / most * PEAK;
        points.push(format!("{:.1},{y:.1}", across.at(step.from_ns)));
        points.push(format!("{:.1},{y:.1}", across.at(step.to_ns)));
    }
    if let (Some(first), Some(last)) = (steps.first(), steps.last()) {
        points.insert(0, format!("{:.1},{base}", across.at(first.from_ns)));
        points.push(format!("{:.1},{base}", across.at(last.to_ns)));
    }
    element("g")
        .child(classed("polygon", class).with("points", points.join(" ")))
        .child(
            classed("line", "one")
                .with("x1", LEFT)
                .with("x2", RIGHT)
                .with("y1", base)
                .with("y2", base),
        )
        .child(
            classed("text", format!("label {class}"))
                .with("x", RIGHT)
                .with("y", top + 22.0)
                .with("text-anchor", "end")
                .text(name),
        )
        .children(percentiles(figures, across, base))
}

fn percentiles(figures: &Figures, across: Log, base: f64) -> Vec<Element> {
    let marks = [
        ("p50", figures.median_ns),
        ("p99", figures.p99_ns),
        ("p99.9", figures.p999_ns),
        ("max", figures.max_ns),
    ];
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let places = marks.map(|(_, ns)| across.at(ns as f64));
    let labels = spread_out(&places, 58.0, (LEFT + 22.0, RIGHT - 14.0));
    let mut elements = Vec::new();
    for (((name, ns), place), label) in marks.into_iter().zip(places).zip(labels) {
        let leader = format!(
            "{place:.1},{base:.1} {place:.1},{:.1} {label:.1},{:.1}",
            base + 4.0,
            base + 9.0
        );
        elements.push(classed("polyline", "leader").with("points", leader));
        for (class, text, y) in [
            ("value", time(ns), base + 21.0),
            ("tick", name.to_owned(), base + 34.0),
        ] {
            elements.push(
                classed("text", class)
                    .with("x", format!("{label:.1}"))
                    .with("y", format!("{y:.1}"))
                    .with("text-anchor", "middle")
                    .text(text),
            );
        }
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;
    use crate::system::System;

    #[test]
    fn each_system_has_its_samples_and_percentiles() {
        let pictures = pictures(&made_up());
        assert_eq!(
            pictures.len(),
            6,
            "both modes, one of them twice; both transports"
        );
        for picture in pictures {
            let picture = picture.to_string();
            assert_eq!(picture.matches("<polygon").count(), 3, "{picture}");
            for name in ["p50", "p99", "p99.9", "max"] {
                assert_eq!(picture.matches(&format!(">{name}<")).count(), 3);
            }
            assert!(!picture.contains("NaN"), "{picture}");
        }
    }

    #[test]
    fn a_single_sample_has_a_picture() {
        let mut result = made_up().remove(0);
        result.figures.truncate(1);
        let rounds = vec![vec![1_000]];
        let alone =
            crate::goals::result::of(result.row, result.octets, vec![(System::Raw, rounds)]);
        let picture = picture(&alone).to_string();
        assert!(
            !picture.contains("NaN") && !picture.contains("inf"),
            "{picture}"
        );
    }
}

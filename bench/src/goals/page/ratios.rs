//! The rows with their ratios and goals, each with a strip that shows them.

use super::markup::{Element, classed, element};
use super::scale::Log;
use crate::goals::goal::Goal;
use crate::goals::result::{Figures, RowResult};
use crate::goals::rows::Group;
use crate::system::System;
use crate::table::microseconds;

/// The size of a strip.
const STRIP: (f64, f64) = (300.0, 22.0);
const TICKS: [f64; 9] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// The table of all rows that are not drawn as curves.
pub(super) fn table(results: &[&RowResult]) -> Element {
    let axis = axis(results);
    let mut body = Vec::new();
    for group in Group::ALL {
        let of_group: Vec<_> = results.iter().filter(|it| it.row.group == group).collect();
        if of_group.is_empty() {
            continue;
        }
        let title = classed("th", "group")
            .with("colspan", 7)
            .text(group.title());
        body.push(classed("tr", "group").child(title));
        body.extend(of_group.into_iter().map(|result| row(result, axis)));
    }
    let heading = |class, text| classed("th", class).with("scope", "col").text(text);
    let head = element("tr").children([
        heading("name", ""),
        heading("number raw", "raw, µs"),
        classed("th", "strip").child(scale_of(axis)),
        heading("number taut", "Taut ×"),
        heading("number omniorb", "omniORB ×"),
        heading("goal", "goal"),
        heading("verdict", ""),
    ]);
    element("table")
        .child(element("thead").child(head))
        .child(element("tbody").children(body))
}

/// An axis on which all ratios have a place.
fn axis(results: &[&RowResult]) -> Log {
    let figures = results.iter().flat_map(|result| &result.figures);
    let spreads = figures.filter_map(|figures| figures.ratio_raw);
    let (least, most) = spreads.fold((0.9_f64, 2.0_f64), |(least, most), spread| {
        (least.min(spread.median), most.max(spread.median))
    });
    Log::new((least / 1.03, most * 1.05), (6.0, STRIP.0 - 6.0))
}

fn strip() -> Element {
    let (width, height) = STRIP;
    element("svg")
        .with("viewBox", format!("0 0 {width} {height}"))
        .with("width", width)
        .with("height", height)
}

fn line(class: &'static str, from: (f64, f64), to: (f64, f64)) -> Element {
    classed("line", class)
        .with("x1", format!("{:.1}", from.0))
        .with("y1", format!("{:.1}", from.1))
        .with("x2", format!("{:.1}", to.0))
        .with("y2", format!("{:.1}", to.1))
}

fn dot(class: &'static str, x: f64, radius: f64) -> Element {
    classed("circle", class)
        .with("cx", format!("{x:.1}"))
        .with("cy", STRIP.1 / 2.0)
        .with("r", radius)
}

/// The numbers above the strips.
fn scale_of(axis: Log) -> Element {
    let label = |tick: f64| {
        classed("text", "tick")
            .with("x", format!("{:.1}", axis.at(tick)))
            .with("y", 15)
            .with("text-anchor", "middle")
            .text(format!("{tick}×"))
    };
    let ticks = axis.ticks(&TICKS);
    strip()
        .with("aria-hidden", true)
        .children(ticks.into_iter().map(label))
}

fn row(result: &RowResult, axis: Log) -> Element {
    let taut = result.figures(System::Taut);
    let omniorb = result.figures(System::Omniorb);
    let raw = result.figures(System::Raw);
    let ratio = |figures: Option<&Figures>| {
        let ratio = figures.and_then(Figures::median_ratio);
        ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"))
    };
    let time = raw.map_or_else(|| "–".to_owned(), |raw| microseconds(raw.median_ns));
    let (class, verdict) = verdict(result);
    element("tr").children([
        classed("th", "name")
            .with("scope", "row")
            .text(&*result.row.name),
        classed("td", "number raw").text(time),
        classed("td", "strip").child(picture(result, axis)),
        classed("td", "number taut").text(ratio(taut)),
        classed("td", "number omniorb").text(ratio(omniorb)),
        classed("td", "goal").text(result.row.goal.to_string()),
        classed("td", format!("verdict {class}")).text(verdict),
    ])
}

fn picture(result: &RowResult, axis: Log) -> Element {
    let height = STRIP.1;
    let middle = height / 2.0;
    let mut picture = strip()
        .with("role", "img")
        .with("aria-label", &result.row.name);
    for tick in axis.ticks(&TICKS) {
        let x = axis.at(tick);
        let class = match tick {
            1.0 => "one",
            _ => "grid",
        };
        picture = picture.child(line(class, (x, 0.0), (x, height)));
    }
    if let Some(most) = result.row.goal.most_times_raw() {
        let x = axis.at(most);
        picture = picture.child(line("goal", (x, 3.0), (x, height - 3.0)));
    }
    if let Some(ratio) = result
        .figures(System::Omniorb)
        .and_then(Figures::median_ratio)
    {
        picture = picture.child(dot("omniorb", axis.at(ratio), 4.0));
    }
    if let Some(spread) = result.figures(System::Taut).and_then(|it| it.ratio_raw) {
        let (from, to) = (axis.at(spread.min), axis.at(spread.max));
        picture = picture
            .child(line("spread", (from, middle), (to, middle)))
            .child(dot("taut", axis.at(spread.median), 4.5));
    }
    picture
}

/// Whether the goal is met, in words and by how much not.
fn verdict(result: &RowResult) -> (&'static str, String) {
    let (Some(met), Some(times), Some(taut)) = (
        result.is_met(),
        result.times_goal(),
        result.figures(System::Taut),
    ) else {
        return ("unknown", "not judged".to_owned());
    };
    let text = match (result.row.goal, met) {
        (Goal::MedianNs(_), true) => format!("✓ {} µs", microseconds(taut.median_ns)),
        (Goal::MedianNs(_), false) => format!("✗ {} µs", microseconds(taut.median_ns)),
        (_, true) => "✓ met".to_owned(),
        (_, false) => format!("✗ {:.0} % over", (100.0 * (times - 1.0)).max(1.0)),
    };
    (if met { "met" } else { "missed" }, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;

    #[test]
    fn every_row_has_its_verdict() {
        let made_up = made_up();
        let rows: Vec<_> = made_up.iter().collect();
        let table = table(&rows).to_string();
        assert_eq!(table.matches("verdict met").count(), rows.len());
        assert_eq!(table.matches("<circle class=\"taut\"").count(), rows.len());
        assert_eq!(
            table.matches("<circle class=\"omniorb\"").count(),
            rows.len()
        );
    }

    #[test]
    fn a_missed_goal_says_by_how_much() {
        let mut made_up = made_up();
        let spread = crate::statistics::Spread::of([1.1]);
        made_up[0].figures[1].ratio_raw = spread;
        assert_eq!(verdict(&made_up[0]), ("missed", "✗ 7 % over".to_owned()));
        made_up[2].figures[1].median_ns = 52_100;
        assert_eq!(verdict(&made_up[2]), ("missed", "✗ 52.10 µs".to_owned()));
        made_up[0].figures.remove(1);
        assert_eq!(verdict(&made_up[0]).0, "unknown");
    }
}

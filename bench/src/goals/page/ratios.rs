//! The rows with their ratios and goals, each with a strip that shows them.

use super::plot::class;
use super::units::time;
use crate::drawing::markup::{Element, classed, element};
use crate::drawing::scale::Log;
use crate::goals::goal::Goal;
use crate::goals::result::{Figures, RowResult};
use crate::goals::rows::Group;
use crate::system::System;

/// The size of a strip.
const STRIP: (f64, f64) = (340.0, 22.0);
/// The ratios that have a place. Goals lie close to 1, and should be told apart.
const AXIS: (f64, f64) = (0.92, 4.2);
const TICKS: [f64; 5] = [1.0, 1.5, 2.0, 3.0, 4.0];

/// The ORBs beside Taut, the one that is measured on request first: it lies below.
const OTHERS: [System; 2] = [System::Jacorb, System::Omniorb];

/// The table of all rows that are not drawn as curves.
pub(super) fn table(results: &[&RowResult]) -> Element {
    let is_measured = |other: &System| results.iter().any(|it| it.figures(*other).is_some());
    let others: Vec<_> = OTHERS.into_iter().filter(is_measured).collect();
    let axis = axis();
    let mut body = Vec::new();
    for group in Group::ALL {
        let of_group: Vec<_> = results.iter().filter(|it| it.row.group == group).collect();
        if of_group.is_empty() {
            continue;
        }
        let title = classed("th", "group")
            .with("colspan", 6 + others.len())
            .text(group.title());
        body.push(classed("tr", "group").child(title));
        body.extend(
            of_group
                .into_iter()
                .map(|result| row(result, &others, axis)),
        );
    }
    let heading = |class, text| classed("th", class).with("scope", "col").text(text);
    let of_other = |&other: &System| {
        let (class, name) = class(other);
        classed("th", format!("number {class}"))
            .with("scope", "col")
            .text(format!("{name} ×"))
    };
    let head = element("tr")
        .children([
            heading("name", ""),
            heading("number raw", "sockets"),
            classed("th", "strip").child(scale_of(axis)),
            heading("number taut", "Taut ×"),
        ])
        .children(others.iter().rev().map(of_other))
        .children([heading("goal", "goal"), heading("verdict", "")]);
    element("table")
        .child(element("thead").child(head))
        .child(element("tbody").children(body))
}

fn axis() -> Log {
    Log::new(AXIS, (6.0, STRIP.0 - 6.0))
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

/// A dot at a ratio, or an arrow where that lies beyond the axis.
fn mark(class: &'static str, ratio: f64, axis: Log, radius: f64) -> Element {
    let (x, middle) = (axis.at(ratio), STRIP.1 / 2.0);
    if ratio <= AXIS.1 {
        return classed("circle", class)
            .with("cx", format!("{x:.1}"))
            .with("cy", middle)
            .with("r", radius);
    }
    let (back, tip) = (x - 4.0, x + 4.0);
    let (above, below) = (middle - radius, middle + radius);
    classed("polygon", class).with(
        "points",
        format!("{back:.1},{above} {tip:.1},{middle} {back:.1},{below}"),
    )
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

fn row(result: &RowResult, others: &[System], axis: Log) -> Element {
    let ratio = |system: System| {
        let ratio = result.figures(system).and_then(Figures::median_ratio);
        let text = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        classed("td", format!("number {}", class(system).0)).text(text)
    };
    let raw = result.figures(System::Raw);
    let raw = raw.map_or_else(|| "–".to_owned(), |raw| time(raw.median_ns));
    let (is_met, verdict) = verdict(result);
    element("tr")
        .children([
            classed("th", "name")
                .with("scope", "row")
                .text(&*result.row.name),
            classed("td", "number raw").text(raw),
            classed("td", "strip").child(picture(result, axis)),
            ratio(System::Taut),
        ])
        .children(others.iter().rev().map(|&other| ratio(other)))
        .children([
            classed("td", "goal").text(result.row.goal.to_string()),
            classed("td", format!("verdict {is_met}")).text(verdict),
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
    for other in OTHERS {
        if let Some(ratio) = result.figures(other).and_then(Figures::median_ratio) {
            picture = picture.child(mark(class(other).0, ratio, axis, 4.0));
        }
    }
    if let Some(spread) = result.figures(System::Taut).and_then(|it| it.ratio_raw) {
        let (from, to) = (axis.at(spread.min), axis.at(spread.max));
        picture = picture
            .child(line("spread", (from, middle), (to, middle)))
            .child(mark("taut", spread.median, axis, 4.5));
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
        (Goal::MedianNs(_), true) => format!("✓ {}", time(taut.median_ns)),
        (Goal::MedianNs(_), false) => format!("✗ {}", time(taut.median_ns)),
        (_, true) => "✓ met".to_owned(),
        (_, false) if times < 2.0 => format!("✗ {:.0} % over", (100.0 * (times - 1.0)).max(1.0)),
        (_, false) => format!("✗ {times:.1} × goal"),
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
    fn an_orb_that_was_asked_for_has_a_column() {
        let mut made_up = made_up();
        let headings = |rows: &[RowResult]| {
            let rows: Vec<_> = rows.iter().collect();
            let table = table(&rows).to_string();
            (table.matches("scope=\"col\"").count(), table)
        };
        let (before, _) = headings(&made_up);
        let mut jacorb = made_up[0].figures(System::Omniorb).unwrap().clone();
        jacorb.system = System::Jacorb;
        made_up[0].figures.push(jacorb);
        let (after, table) = headings(&made_up);
        assert_eq!(after, before + 1);
        assert_eq!(table.matches("<circle class=\"jacorb\"").count(), 1);
        assert_eq!(
            table.matches("<td class=\"number jacorb\"").count(),
            made_up.len()
        );
    }

    #[test]
    fn what_lies_beyond_the_axis_is_an_arrow() {
        let mut made_up = made_up();
        made_up[0].figures[2].ratio_raw = crate::statistics::Spread::of([45.0]);
        let picture = picture(&made_up[0], axis()).to_string();
        assert!(picture.contains("<polygon class=\"omniorb\""), "{picture}");
    }

    #[test]
    fn a_missed_goal_says_by_how_much() {
        let mut made_up = made_up();
        let spread = crate::statistics::Spread::of([1.1]);
        made_up[0].figures[1].ratio_raw = spread;
        assert_eq!(verdict(&made_up[0]), ("missed", "✗ 7 % over".to_owned()));
        let spread = crate::statistics::Spread::of([3.0]);
        made_up[1].figures[1].ratio_raw = spread;
        assert_eq!(verdict(&made_up[1]), ("missed", "✗ 2.9 × goal".to_owned()));
        let adapting = made_up.iter_mut().find(|it| it.row.adapts).unwrap();
        adapting.figures[1].median_ns = 52_100;
        assert_eq!(verdict(adapting), ("missed", "✗ 52.1 µs".to_owned()));
        made_up[0].figures.remove(1);
        assert_eq!(verdict(&made_up[0]).0, "unknown");
    }
}

//! The tails of the latencies by the number of clients that flood the server, as a picture.

use crate::drawing::markup::{Element, classed, element};
use crate::drawing::scale::{Log, spread_out};
use crate::record::Row;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 320.0;
/// Where the curves of each mode are: left, right, top and bottom.
const PANELS: [(&str, f64, f64); 2] = [("same", 64.0, 290.0), ("split", 430.0, 656.0)];
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 44.0;

/// The systems: the names of their rows, those for people, and their colours.
const CURVES: [(&str, &str, &str); 6] = [
    ("machine", "the machine", "#b3afa6"),
    ("raw", "sockets", "#87837a"),
    ("taut", "Taut", "#7fb3d2"),
    ("taut_lanes", "Taut, lanes", "#2f86bd"),
    ("taut_bands", "Taut, lanes and bands", "#0067a5"),
    ("omniorb", "omniORB", "#c75000"),
];

/// Draws the rows' 99.99th percentiles: a panel for each mode, both axes logarithmic. Empty
/// where there is nothing to draw.
pub(crate) fn draw(rows: &[Row]) -> String {
    let values = || rows.iter().filter_map(|row| row.number("p9999_ns"));
    let (least, most) = (
        values().fold(f64::MAX, f64::min),
        values().fold(0.0, f64::max),
    );
    if most <= 0.0 {
        return String::new();
    }
    let up = Log::new((least * 0.8, most.max(least * 2.0) * 1.25), (BOTTOM, TOP));
    let most_clients = rows.iter().filter_map(|row| row.number("clients"));
    let most_clients = most_clients.fold(2.0, f64::max);
    let mut svg = element("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .with("role", "img")
        .with(
            "aria-label",
            "p99.99 of a call by the clients that flood its server",
        )
        .with("font-family", "sans-serif")
        .with("font-size", 12);
    svg = svg.child(
        element("rect")
            .with("width", WIDTH)
            .with("height", HEIGHT)
            .with("fill", "#fbfaf6"),
    );
    for (mode, left, right) in PANELS {
        let of_mode: Vec<&Row> = rows.iter().filter(|row| row.is("mode", mode)).collect();
        if !of_mode.is_empty() {
            let across = Log::new((0.5, most_clients), (left, right));
            svg = svg.child(panel(mode, (left, right), across, up, &of_mode));
        }
    }
    format!("{svg}\n")
}

fn panel(mode: &str, (left, right): (f64, f64), across: Log, up: Log, rows: &[&Row]) -> Element {
    let title = match mode {
        "same" => "one CPU for client, server and flood",
        _ => "the server on a CPU of its own",
    };
    let mut panel = element("g").child(words(left, 20.0, "start", title));
    let decades: Vec<f64> = (2..=10).map(|power| 10_f64.powi(power)).collect();
    for tick in up.ticks(&decades) {
        let y = up.at(tick);
        panel = panel.child(
            element("line")
                .with("x1", left)
                .with("x2", right)
                .with("y1", format!("{y:.1}"))
                .with("y2", format!("{y:.1}"))
                .with("stroke", "#dedad1"),
        );
        panel = panel.child(words(left - 6.0, y + 4.0, "end", &time(tick)));
    }
    let mut numbers: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.number("clients"))
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    for clients in &numbers {
        let x = across.at(clients.max(0.5));
        panel = panel.child(words(x, BOTTOM + 18.0, "middle", &clients.to_string()));
    }
    panel = panel.child(words(
        f64::midpoint(left, right),
        BOTTOM + 36.0,
        "middle",
        "clients that flood the server",
    ));
    panel.children(curves(
        (left, right),
        across,
        up,
        rows,
        numbers.last().copied(),
    ))
}

fn curves(
    (_, right): (f64, f64),
    across: Log,
    up: Log,
    rows: &[&Row],
    most_clients: Option<f64>,
) -> Vec<Element> {
    let mut drawn = Vec::new();
    let mut ends = Vec::new();
    for (system, name, colour) in CURVES {
        let points = rows.iter().filter(|row| row.is("system", system));
        let mut points: Vec<(f64, f64)> = points
            .filter_map(|row| Some((row.number("clients")?, row.number("p9999_ns")?)))
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        // The machine by itself has one point: a level line.
        if let (&[(_, only)], Some(most)) = (&points[..], most_clients) {
            points.push((most, only));
        }
        let places: Vec<_> = (points.iter())
            .map(|&(clients, ns)| (across.at(clients.max(0.5)), up.at(ns)))
            .collect();
        let Some(&(_, end)) = places.last() else {
            continue;
        };
        drawn.push(curve(&places, colour));
        ends.push((name, colour, end));
    }
    let heights: Vec<_> = ends.iter().map(|&(_, _, end)| end).collect();
    let heights = spread_out(&heights, 14.0, (TOP, BOTTOM));
    for ((name, colour, _), height) in ends.into_iter().zip(heights) {
        let label = words(right + 7.0, height + 4.0, "start", name);
        drawn.push(label.with("style", format!("fill: {colour}")));
    }
    drawn
}

fn curve(places: &[(f64, f64)], colour: &'static str) -> Element {
    let points: Vec<_> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let line = element("polyline")
        .with("points", points.join(" "))
        .with("fill", "none")
        .with("stroke", colour)
        .with("stroke-width", 2);
    let dot = |&(x, y): &(f64, f64)| {
        element("circle")
            .with("cx", format!("{x:.1}"))
            .with("cy", format!("{y:.1}"))
            .with("r", 2.6)
            .with("fill", colour)
    };
    classed("g", "curve")
        .child(line)
        .children(places.iter().map(dot))
}

fn words(x: f64, y: f64, anchor: &'static str, text: &str) -> Element {
    element("text")
        .with("x", format!("{x:.1}"))
        .with("y", format!("{y:.1}"))
        .with("text-anchor", anchor)
        .with("fill", "#66635c")
        .text(text)
}

/// A power of ten of nanoseconds, for people.
fn time(ns: f64) -> String {
    match ns {
        1e9.. => format!("{} s", ns / 1e9),
        1e6.. => format!("{} ms", ns / 1e6),
        1e3.. => format!("{} µs", ns / 1e3),
        _ => format!("{ns} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_a_curve_in_each_mode() {
        let mut rows = Vec::new();
        for mode in ["same", "split"] {
            for (system, ns) in [("raw", 30_000), ("taut", 3_000_000)] {
                for clients in [0, 8] {
                    let row = Row::new().with("mode", mode).with("system", system);
                    rows.push(row.with("clients", clients).with("p9999_ns", ns));
                }
            }
        }
        let picture = draw(&rows);
        assert_eq!(picture.matches("<polyline").count(), 4, "{picture}");
        assert_eq!(picture.matches("<circle").count(), 8);
        for text in [">100 µs<", ">1 ms<", ">sockets<", ">8<"] {
            assert!(picture.contains(text), "{text}: {picture}");
        }
        assert!(draw(&[]).is_empty());
    }

    #[test]
    fn times_have_a_unit() {
        let times = [100.0, 1e4, 1e7, 1e9].map(time);
        assert_eq!(times, ["100 ns", "10 µs", "10 ms", "1 s"]);
    }
}

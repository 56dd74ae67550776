//! Curves over a logarithmic axis, one for each system.

use crate::drawing::markup::{Element, classed, element};
use crate::drawing::scale::{Log, spread_out};
use crate::system::System;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
/// Where the curves are: left, right, top and bottom.
const LEFT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 62.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 34.0;

/// The systems in the order in which they are drawn: Taut's curve lies on top.
pub(super) const SYSTEMS: [System; 4] =
    [System::Raw, System::Jacorb, System::Omniorb, System::Taut];

/// A system's class in the style sheet, and its name.
pub(super) fn class(system: System) -> (&'static str, &'static str) {
    match system {
        System::Raw => ("raw", "sockets"),
        System::Taut => ("taut", "Taut"),
        System::Omniorb => ("omniorb", "omniORB"),
        System::Jacorb => ("jacorb", "JacORB"),
    }
}

/// The axes of a picture.
pub(super) struct Plot {
    across: Log,
    /// The value of the uppermost line; the lowest is 0.
    top: f64,
}

impl Plot {
    /// A picture from one value to another across, both positive, and up to `top`.
    pub(super) fn new((least, most): (f64, f64), top: f64) -> Self {
        let across = Log::new((least, most.max(least * 2.0)), (LEFT, RIGHT));
        Self { across, top }
    }

    fn up(&self, value: f64) -> f64 {
        BOTTOM - value / self.top * (BOTTOM - TOP)
    }

    /// The picture of these curves, each with its points. The uppermost line of the
    /// upright axis says in which unit they are.
    pub(super) fn draw(
        &self,
        label: &str,
        unit: &str,
        ticks: &[(f64, String)],
        curves: &[(System, Vec<(f64, f64)>)],
    ) -> Element {
        let mut svg = element("svg")
            .with("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
            .with("role", "img")
            .with("aria-label", label)
            .children(self.quarters(unit));
        for (value, text) in ticks {
            let x = self.across.at(*value);
            svg = svg.child(tick(x, BOTTOM + 17.0, "middle", text.clone()));
        }
        let mut ends = Vec::new();
        for (system, points) in curves {
            let places: Vec<_> = (points.iter())
                .map(|&(value, height)| (self.across.at(value), self.up(height)))
                .collect();
            let Some(&(_, end)) = places.last() else {
                continue;
            };
            let (class, name) = class(*system);
            svg = svg.child(curve(class, &places));
            ends.push((class, name, end));
        }
        let heights: Vec<_> = ends.iter().map(|&(_, _, end)| end).collect();
        let heights = spread_out(&heights, 15.0, (TOP, BOTTOM));
        for ((class, name, _), height) in ends.into_iter().zip(heights) {
            svg = svg.child(
                classed("text", format!("label {class}"))
                    .with("x", RIGHT + 7.0)
                    .with("y", format!("{:.1}", height + 4.5))
                    .text(name),
            );
        }
        svg
    }

    fn quarters(&self, unit: &str) -> Vec<Element> {
        let mut lines = Vec::new();
        for quarter in 0..=4 {
            let value = self.top * f64::from(quarter) / 4.0;
            let y = self.up(value);
            lines.push(
                classed("line", if quarter == 0 { "one" } else { "grid" })
                    .with("x1", LEFT)
                    .with("x2", RIGHT)
                    .with("y1", format!("{y:.1}"))
                    .with("y2", format!("{y:.1}")),
            );
            let text = match quarter {
                0 => "0".to_owned(),
                4 => format!("{} {unit}", round(value)),
                _ => round(value),
            };
            // The unit stands above its line, to the right of the axis.
            let (x, anchor, raise) = match quarter {
                4 => (LEFT - 24.0, "start", -3.0),
                _ => (LEFT - 6.0, "end", 4.0),
            };
            lines.push(tick(x, y + raise, anchor, text));
        }
        lines
    }
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

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!([0.5, 1.25, 10.0].map(round), ["0.5", "1.25", "10"]);
    }
}

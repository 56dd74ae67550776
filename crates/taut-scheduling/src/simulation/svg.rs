//! A timeline as a picture.

use std::fmt::Write as _;

use super::timeline::Timeline;
use crate::time::ShownTime;

/// The height of a lane, in pixels.
const LANE: usize = 34;
/// The height of the box of a slice.
const BOX: usize = 18;
/// The width of the time that is shown.
const WIDTH: f64 = 1_000.0;
/// The width of a letter of the names.
const LETTER: usize = 7;
/// The colours of the lanes, which are told apart by most eyes.
const COLORS: [&str; 6] = [
    "#4477aa", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999933",
];
/// The colour of what is late.
const LATE: &str = "#cc3311";

impl Timeline {
    /// Returns the timeline as a picture in SVG: a lane for each task, an arrow up for each
    /// release, an arrow down for each deadline, a box for each time on the processor; jobs that
    /// miss their deadlines are red.
    pub fn to_svg(&self) -> String {
        let names = self.lanes.iter().map(|name| name.chars().count());
        let left = names.max().unwrap_or(0) * LETTER + 20;
        let height = self.lanes.len() * LANE + 40;
        let scale = WIDTH / self.end_ns.max(1) as f64;
        let x = |time: u64| left as f64 + time as f64 * scale;
        let width = left as f64 + WIDTH + 20.0;
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
        );
        let base = |lane: usize| (lane + 1) * LANE;
        for (lane, name) in self.lanes.iter().enumerate() {
            let y = base(lane);
            let _ = writeln!(
                svg,
                "<text x=\"6\" y=\"{}\">{}</text>\n\
                 <line x1=\"{left}\" y1=\"{y}\" x2=\"{:.2}\" y2=\"{y}\" stroke=\"#888888\"/>",
                y - 4,
                escaped(name),
                x(self.end_ns)
            );
        }
        for slice in &self.slices {
            let is_late = self
                .jobs
                .get(slice.job)
                .is_some_and(|job| job.is_missed(self.end_ns));
            let color = match is_late {
                true => LATE,
                false => COLORS[slice.task % COLORS.len()],
            };
            let name = self.lanes.get(slice.task).map_or("", String::as_str);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{}\" width=\"{:.2}\" height=\"{BOX}\" fill=\"{color}\">\
                 <title>{}: {} to {}</title></rect>",
                x(slice.start_ns),
                base(slice.task) - BOX,
                ((slice.end_ns - slice.start_ns) as f64 * scale).max(0.2),
                escaped(name),
                ShownTime(slice.start_ns),
                ShownTime(slice.end_ns)
            );
        }
        for job in &self.jobs {
            let (y, top) = (base(job.task), base(job.task) - BOX - 8);
            let _ = writeln!(svg, "{}", arrow(x(job.release_ns), y, top, "#333333"));
            if job.deadline_ns <= self.end_ns {
                let color = match job.is_missed(self.end_ns) {
                    true => LATE,
                    false => "#aaaaaa",
                };
                let _ = writeln!(svg, "{}", arrow(x(job.deadline_ns), top, y, color));
            }
        }
        for tick in 0..=10_u32 {
            let time = (u128::from(self.end_ns) * u128::from(tick) / 10) as u64;
            let _ = writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\">{}</text>",
                x(time),
                height - 14,
                ShownTime(time)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// An arrow along a lane's height, with its head at `to`.
fn arrow(x: f64, from: usize, to: usize, color: &str) -> String {
    let back = match to > from {
        true => to - 4,
        false => to + 4,
    };
    format!(
        "<path d=\"M{x:.2} {from}L{x:.2} {to}M{:.2} {back}L{x:.2} {to}L{:.2} {back}\" \
         stroke=\"{color}\" fill=\"none\"/>",
        x - 2.0,
        x + 2.0
    )
}

/// Text with the characters escaped that mean something in XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

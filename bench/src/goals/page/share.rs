//! The ORB's share of a call, and the times of its steps.

use super::units::{octets, time};
use crate::case::Transport;
use crate::drawing::markup::{Element, classed, element};
use crate::goals::others::Probed;
use crate::step::{Side, Whose};

const WIDTH: f64 = 400.0;
/// The bar of the whole call.
const BAR: f64 = 22.0;
/// The width of each text of the legend.
const LEGEND: f64 = 104.0;
/// Where the steps begin, and what each takes.
const STEPS: f64 = 62.0;
const STEP: f64 = 17.0;
/// Between the names of the steps and their times.
const NAMES: f64 = 170.0;
const TIMES: f64 = WIDTH - 48.0;

/// A picture for each kind of call that was probed.
pub(super) fn pictures(records: &[Probed]) -> Vec<Element> {
    let kind = |it: &Probed| (it.case.clone(), it.bytes, it.transport);
    let calls = records.chunk_by(|one, other| kind(one) == kind(other));
    calls.filter_map(picture).collect()
}

/// A call: its steps, and what all of them are part of.
fn picture(steps: &[Probed]) -> Option<Element> {
    let first = steps.first()?;
    let whole = steps
        .iter()
        .find_map(|it| Some((it.orb_ns?, it.orb_share?)));
    let (orb_ns, orb_share) = whole.filter(|(_, share)| *share > 0.0)?;
    let call_ns = orb_ns / orb_share;
    let of_orb: Vec<_> = steps.iter().filter(|it| it.whose == Whose::Orb).collect();
    let sum = |side| -> f64 {
        let of_side = of_orb.iter().filter(|it| it.side == side);
        of_side.map(|it| own(it)).sum()
    };
    let servant = steps.iter().filter(|it| it.whose == Whose::Servant);
    let parts = [
        ("client", sum(Side::Client)),
        ("server", sum(Side::Server)),
        ("servant", servant.map(own).sum()),
    ];
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let height = STEPS + STEP * of_orb.len() as f64;
    let svg = element("svg")
        .with("viewBox", format!("0 0 {WIDTH} {height}"))
        .with("role", "img")
        .with("aria-label", format!("the ORB's share, {}", title(first)))
        .children(bar(&parts, call_ns))
        .children(list(&of_orb));
    // Probes overlap with what they measure: without all of them it is the least, with
    // all of them the most.
    let with_probes: f64 = of_orb.iter().map(|it| it.mean_ns).sum();
    let share = format!(
        "{:.1} to {:.1} % of {}",
        100.0 * orb_share,
        100.0 * with_probes / call_ns,
        nanoseconds(call_ns)
    );
    let caption = element("figcaption")
        .child(element("b").text(title(first)))
        .child(element("span").text(share));
    Some(element("figure").child(caption).child(svg))
}

/// A step's time without its probe's.
fn own(step: &Probed) -> f64 {
    (step.mean_ns - step.probe_ns).max(0.0)
}

/// The parts of a call side by side; what is left is the system's.
fn bar(parts: &[(&'static str, f64)], call_ns: f64) -> Vec<Element> {
    let mut elements = vec![rectangle("part system", 0.0, WIDTH)];
    let mut left = 0.0;
    // Client and server are the ORB's there.
    let mut legend = Vec::new();
    for &(name, ns) in parts {
        let width = (ns / call_ns * WIDTH).min(WIDTH - left);
        elements.push(rectangle(&format!("part {name}"), left, width));
        left += width;
        legend.push((name, format!("{name} {}", nanoseconds(ns))));
    }
    legend.push(("system", "system".to_owned()));
    let mut x = 0.0;
    for (name, text) in legend {
        elements.push(
            classed("circle", format!("part {name}"))
                .with("cx", x + 4.0)
                .with("cy", BAR + 15.0)
                .with("r", 4),
        );
        elements.push(
            classed("text", "tick")
                .with("x", x + 12.0)
                .with("y", BAR + 19.0)
                .text(text),
        );
        x += LEGEND;
    }
    elements
}

fn rectangle(class: &str, left: f64, width: f64) -> Element {
    classed("rect", class)
        .with("x", format!("{left:.1}"))
        .with("y", 0)
        .with("width", format!("{width:.1}"))
        .with("height", BAR)
}

/// The ORB's steps below one another, each as long as the time that it takes.
fn list(steps: &[&Probed]) -> Vec<Element> {
    let longest = steps.iter().map(|it| own(it)).fold(1.0, f64::max);
    let mut elements = Vec::new();
    let mut top = STEPS;
    for step in steps {
        let class = match step.side {
            Side::Client => "part client",
            Side::Server => "part server",
        };
        let width = own(step) / longest * (TIMES - NAMES - 6.0);
        elements.push(
            classed("text", "tick")
                .with("x", 0)
                .with("y", top)
                .text(&*step.step),
        );
        elements.push(
            classed("rect", class)
                .with("x", NAMES)
                .with("y", top - 9.0)
                .with("width", format!("{width:.1}"))
                .with("height", 10),
        );
        elements.push(
            classed("text", "tick")
                .with("x", WIDTH)
                .with("y", top)
                .with("text-anchor", "end")
                .text(nanoseconds(own(step))),
        );
        top += STEP;
    }
    elements
}

/// A time with its unit.
fn nanoseconds(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time"
        )]
        ns => time(ns as u64),
    }
}

fn title(step: &Probed) -> String {
    let what = match &*step.case {
        "void" => "no arguments".to_owned(),
        "string" => "a string of 100 characters".to_owned(),
        "octet_seq" => "octets".to_owned(),
        other => other.replace('_', " "),
    };
    let size = step.bytes.map(|bytes| format!(", {}", octets(bytes)));
    let transport = match step.transport {
        Transport::Tcp => "",
        Transport::Unix => ", Unix socket",
        Transport::Local => ", one process",
    };
    format!("{what}{}{transport}", size.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::others::tests::made_up;

    #[test]
    fn each_call_has_its_share_and_its_steps() {
        let pictures = pictures(&made_up().probes);
        assert_eq!(pictures.len(), 2);
        let picture = pictures[0].to_string();
        assert!(picture.contains("1.5 to 1.7 % of 10 µs"), "{picture}");
        assert!(picture.contains(">no arguments<"), "{picture}");
        // The call, its three parts, and two steps.
        assert_eq!(picture.matches("<rect").count(), 6, "{picture}");
        for text in ["client 100 ns", "server 50 ns", "servant 10 ns"] {
            assert!(picture.contains(text), "{text}: {picture}");
        }
        assert!(pictures[1].to_string().contains(">octets, 1 KiB<"));
    }

    #[test]
    fn what_has_no_whole_has_no_picture() {
        let mut records = made_up().probes;
        records.retain(|it| it.whose != Whose::Whole);
        assert!(pictures(&records).is_empty());
    }
}

//! The steps for people at a terminal.

use super::figures::Figures;
use crate::step::{Side, Whose};
use crate::table::align;

/// A table for each side, and the ORB's share.
pub(super) fn render(figures: &Figures) -> String {
    let mut text = String::new();
    for (side, name) in [(Side::Client, "client"), (Side::Server, "server")] {
        let headings = [name, "whose", "median ns", "mean ns", "min ns", "p99 ns"];
        let mut rows = vec![headings.map(str::to_owned).to_vec()];
        for step in figures.steps.iter().filter(|step| step.side == side) {
            let whose = match step.whose {
                Whose::Orb => "ORB",
                Whose::System => "system",
                Whose::Servant => "servant",
                Whose::Whole => "",
            };
            let times = [step.median_ns, step.mean_ns, step.min_ns, step.p99_ns];
            let mut row = vec![step.step.clone(), whose.to_owned()];
            row.extend(times.map(|ns| format!("{ns:.0}")));
            rows.push(row);
        }
        text += &align(&rows, &[0, 1]);
        text.push('\n');
    }
    let percent = |ns: f64| 100.0 * ns / figures.call_ns;
    text + &format!(
        "  the ORB's on both sides, of a call of {:.0} ns: {:.0} ns, {:.1} %, without the \
         {:.1} ns of a probe that are in each step; {:.0} ns, {:.1} %, with them\n",
        figures.call_ns,
        figures.orb_ns,
        percent(figures.orb_ns),
        figures.probe_ns,
        figures.orb_most_ns,
        percent(figures.orb_most_ns),
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::round;
    use super::*;

    #[test]
    fn each_side_has_its_steps() {
        let text = render(&Figures::of(&[round(60.0, 1_030.0)]).unwrap());
        let expected = [
            "  client           whose   median ns  mean ns  min ns  p99 ns",
            "  request written  ORB            60       61      59     120",
            "  reply received   system        970      971     969    1940",
            "  the call                      1030     1031    1029    2060",
            "",
            "  server          whose  median ns  mean ns  min ns  p99 ns",
            "  request framed  ORB          100      101      99     200",
            "",
            "  the ORB's on both sides, of a call of 1000 ns: 142 ns, 14.2 %, without the \
             10.0 ns of a probe that are in each step; 162 ns, 16.2 %, with them",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }
}

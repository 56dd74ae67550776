//! The steps, in rows and tables.

use super::figures::{Figures, Step};
use crate::case::Transport;
use crate::goals::Kind;
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::step::{Side, Whose};

/// A table for each side of each kind of call.
pub(crate) const LAYOUT: Layout = Layout {
    title: "{name}, over {transport}, mode {mode}: {rounds} rounds of {calls} calls, the {side}",
    tables: &["name", "transport", "side"],
    lines: &["step"],
    columns: &[
        Column::word("step", "step"),
        Column::word("whose", "whose"),
        Column::number("median ns", "median_ns", 0),
        Column::number("mean ns", "mean_ns", 0),
        Column::number("min ns", "min_ns", 0),
        Column::number("p99 ns", "p99_ns", 0),
    ],
};

/// A row for each step of a kind of call, with what a probe itself takes, which is part of
/// the step's times. That of the call as a whole has what of it is the ORB's on both sides,
/// without the probes and with them, its shares of the call, and the ORB's time on each side.
pub(super) fn rows(
    (kind, name): (Kind, &str),
    transport: Transport,
    (rounds, calls): (usize, u32),
    figures: &Figures,
) -> Vec<Row> {
    let row = |step: &Step| {
        let is_call = (step.side, step.whose) == (Side::Client, Whose::Whole);
        Row::new()
            .with("case", kind.case())
            .with("name", name)
            .with("bytes", kind.bytes())
            .with("mode", Mode::Same)
            .with("system", "taut")
            .with("transport", transport)
            .with("rounds", rounds)
            .with("calls", calls)
            .with_all(step)
            .with("probe_ns", figures.probe_ns)
            .with("orb_ns", is_call.then_some(figures.orb_ns))
            .with("orb_most_ns", is_call.then_some(figures.orb_most_ns))
            .with("call_ns", is_call.then_some(figures.call_ns))
            .with(
                "client_orb_ns",
                is_call.then(|| figures.orb_of(Side::Client)),
            )
            .with(
                "server_orb_ns",
                is_call.then(|| figures.orb_of(Side::Server)),
            )
            .with(
                "orb_most_share",
                is_call.then(|| figures.orb_most_ns / figures.call_ns),
            )
            .with("orb_share", is_call.then(|| figures.orb_share()))
    };
    figures.steps.iter().map(row).collect()
}

/// How much of a call is the ORB's.
pub(super) fn share(figures: &Figures) -> String {
    let percent = |ns: f64| 100.0 * ns / figures.call_ns;
    format!(
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

/// The mean time of each stage of a request's latency, in the order in which they come, with the
/// probes; that of the stages between which no probe lies is what the client waits longer than the
/// server works.
pub(super) fn stages(figures: &Figures) -> String {
    let mut sums: Vec<(&str, f64)> = Vec::new();
    for step in &figures.steps {
        let Some(stage) = step.stage.as_deref() else {
            continue;
        };
        match sums.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += step.mean_ns,
            None => sums.push((stage, step.mean_ns)),
        }
    }
    let of = |side: Side, name: &str| {
        let mut steps = figures.steps.iter();
        let found = steps.find(|step| step.side == side && step.step == name);
        found.map(|step| step.mean_ns)
    };
    let waits = of(Side::Client, "reply received").zip(of(Side::Server, "the request"));
    if let Some((wait, work)) = waits {
        sums.push((BETWEEN, (wait - work).max(0.0)));
    }
    sums.sort_by_key(|(stage, _)| *stage);
    let line = |(stage, ns): &(&str, f64)| format!("  {stage:<58} {ns:>8.0} ns\n");
    let lines: String = sums.iter().map(line).collect();
    format!("the stages of a request's latency, on average:\n{lines}")
}

/// The stages between the two sides, as `taut::probes::Stage` names them.
const BETWEEN: &str = "3-5 network, queueing at the server, dispatching a thread";

#[cfg(test)]
mod tests {
    use super::super::figures::tests::round;
    use super::*;

    #[test]
    fn each_side_has_its_steps() {
        let figures = Figures::of(&[round(60.0, 1_030.0)]).unwrap();
        let name = (Kind::Void, "no arguments");
        let rows = rows(name, Transport::Tcp, (1, 10), &figures);
        let expected = [
            "no arguments, over tcp, mode same: 1 rounds of 10 calls, the client",
            "  step             whose   median ns  mean ns  min ns  p99 ns",
            "  request written  orb            60       61      59     120",
            "  reply received   system        970      971     969    1940",
            "  the call         whole        1030     1031    1029    2060",
            "",
            "no arguments, over tcp, mode same: 1 rounds of 10 calls, the server",
            "  step            whose  median ns  mean ns  min ns  p99 ns",
            "  request framed  orb          100      101      99     200",
            "",
            "",
        ];
        assert_eq!(LAYOUT.text(&rows), expected.join("\n"));
        let shares: Vec<_> = rows.iter().map(|row| row.number("orb_share")).collect();
        assert_eq!(shares, [None, None, Some(0.142), None]);
        let expected = "  the ORB's on both sides, of a call of 1000 ns: 142 ns, 14.2 %, without \
                        the 10.0 ns of a probe that are in each step; 162 ns, 16.2 %, with them\n";
        assert_eq!(share(&figures), expected);
    }

    #[test]
    fn stages_are_the_sums_of_their_steps_and_what_lies_between_is_the_difference_of_waits() {
        let mut sides = round(60.0, 1_030.0);
        let mut request = sides.server.steps[0].clone();
        request.step = "the request".to_owned();
        (request.whose, request.stage, request.mean_ns) = (Whose::Whole, None, 500.0);
        sides.server.steps.push(request);
        let mut leased = sides.client.steps[0].clone();
        leased.step = "connection leased".to_owned();
        sides.client.steps.push(leased);
        let expected = [
            "the stages of a request's latency, on average:",
            "  3-5 network, queueing at the server, dispatching a thread       471 ns",
            "  a stage of the Client                                           122 ns",
            "  a stage of the Server                                           101 ns",
            "",
        ];
        assert_eq!(stages(&Figures::of(&[sides]).unwrap()), expected.join("\n"));
    }
}

//! The rates of all contenders, in rows and tables.

use super::contender::Contender;
use super::row::{Aim, Row as Kind};
use crate::case::Transport;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::Row;
use crate::render::{Column, Layout};

/// A line for each kind of two-way call.
pub(crate) const LAYOUT: Layout = Layout {
    title: "two-way over {transport}, mode {mode}: medians of {rounds} rounds; share of the static rate, and of that of requests made anew",
    tables: &[],
    lines: &["name"],
    columns: &[
        Column::word("two-way", "name"),
        Column::micros("raw µs", "median_ns").of("contender", "raw"),
        Column::micros("static µs", "median_ns").of("contender", "static"),
        Column::micros("reuse µs", "median_ns").of("contender", "reuse"),
        Column::number("of static", "speed", 2).of("contender", "reuse"),
        Column::number("× anew", "times_anew", 2).of("contender", "reuse"),
        Column::number("anew of static", "speed", 2).of("contender", "anew"),
        Column::number("deferred", "speed", 2).of("contender", "deferred"),
        Column::number("DSI server", "speed", 2).of("contender", "dsi"),
        Column::number("omniORB static", "speed", 2).of("contender", "omniorb_static"),
        Column::number("its DII", "speed", 2).of("contender", "omniorb_dii"),
        Column::number("its DSI", "speed", 2).of("contender", "omniorb_dsi"),
        Column::with("aim", aim).left().of("contender", "reuse"),
    ],
};

/// The same for one-way floods.
pub(crate) const ONE_WAY: Layout = Layout {
    title: "one-way over {transport}, mode {mode}: medians of {rounds} rounds; share of the static rate, and of that of requests made anew",
    tables: &[],
    lines: &["name"],
    columns: &[
        Column::word("one-way flood", "name"),
        Column::micros("raw µs", "median_ns").of("contender", "raw"),
        Column::micros("static µs", "median_ns").of("contender", "static"),
        Column::micros("reuse µs", "median_ns").of("contender", "reuse"),
        Column::number("of static", "speed", 2).of("contender", "reuse"),
        Column::number("× anew", "times_anew", 2).of("contender", "reuse"),
        Column::number("anew of static", "speed", 2).of("contender", "anew"),
        Column::number("DSI server", "speed", 2).of("contender", "dsi"),
        Column::number("omniORB static", "speed", 2).of("contender", "omniorb_static"),
        Column::number("its DII", "speed", 2).of("contender", "omniorb_dii"),
        Column::number("its DSI", "speed", 2).of("contender", "omniorb_dsi"),
        Column::with("aim", aim).left().of("contender", "reuse"),
    ],
};

fn aim(row: &Row) -> Option<String> {
    let met = match row.is("met", "true") {
        true => "met",
        false => "not met",
    };
    let aim = match (row.number("aim_speed"), row.number("aim_times_anew")) {
        (Some(share), _) => format!("≥ {share:.1} of static"),
        (_, Some(times)) => format!("≥ {times:.1} × anew"),
        _ => return None,
    };
    Some(format!("{aim}: {met}"))
}

/// The rows of calls that go this way.
pub(super) fn of(rows: &[Row], way: &str) -> Vec<Row> {
    let of_way = rows.iter().filter(|row| row.is("way", way));
    of_way.cloned().collect()
}

/// A row for each contender of a kind of call, none without a round. Beside the time of a sample
/// stands the share of the rate of static stubs, round by round.
pub(super) fn rows(kind: &Kind, calls: u32, measured: &[(Contender, Vec<Summary>)]) -> Vec<Row> {
    let rounds_of = |wanted| {
        let mut all = measured.iter();
        all.find(|(contender, _)| *contender == wanted)
            .map(|(_, rounds)| &**rounds)
    };
    let row = |(contender, rounds): &(Contender, Vec<Summary>)| {
        let row = Row::of_rounds(rounds)?.with("name", &kind.name);
        let row = row
            .with("case", kind.kind.case())
            .with("bytes", kind.kind.bytes());
        let row = row.with("way", kind.way()).with("contender", contender);
        let row = row
            .with("mode", Mode::Same)
            .with("transport", Transport::Tcp);
        let row = row.with("calls", calls);
        let row = match contender {
            Contender::Raw => row,
            _ => row.ratio("ratio_raw", rounds, rounds_of(Contender::Raw)),
        };
        // The share of a rate is the inverse ratio of times.
        let row = match rounds_of(Contender::Static) {
            Some(own) if *contender != Contender::Static => row.ratio("speed", own, Some(rounds)),
            _ => row,
        };
        Some(match contender {
            Contender::Reuse => judged(row, kind, rounds, rounds_of(Contender::Anew)),
            _ => row,
        })
    };
    measured.iter().filter_map(row).collect()
}

/// The row of requests that are used again, with what they were to reach.
fn judged(row: Row, kind: &Kind, reuse: &[Summary], anew: Option<&[Summary]>) -> Row {
    let row = match anew {
        Some(anew) => row.ratio("times_anew", anew, Some(reuse)),
        None => row,
    };
    let (field, aim) = match kind.aim {
        Aim::OfStatic(share) => ("speed", share),
        Aim::TimesAnew(times) => ("times_anew", times),
    };
    let is_met = row.number(field).map(|reached| reached >= aim);
    row.with(&format!("aim_{field}"), aim).with("met", is_met)
}

/// The line for somebody who waits for all rows.
pub(super) fn progress(rows: &[Row]) -> String {
    let of = |row: &Row| {
        let speed = row.number("speed").map(|it| format!(" {it:.2}"));
        format!("  {}{}", row.text("contender"), speed.unwrap_or_default())
    };
    rows.iter().map(of).collect()
}

/// Says which aims are not met.
pub(super) fn verdict(rows: &[Row]) -> String {
    let missed = rows.iter().filter(|row| row.is("met", "false"));
    let missed: Vec<_> = missed
        .map(|row| format!("{} {}", row.text("way").replace('_', "-"), row.text("name")))
        .collect();
    match missed[..] {
        [] => "All aims are met.".to_owned(),
        _ => format!("Not met: {}.", missed.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use crate::record::tests::rounds;

    #[test]
    fn shares_and_aims_are_those_of_the_same_round() {
        let kind = row::all(1 << 20).remove(0);
        let measured = |anew: &[u64]| {
            let all = [
                (Contender::Raw, rounds(&[5_000, 5_000, 5_000])),
                (Contender::Static, rounds(&[10_000, 20_000, 10_000])),
                (Contender::Reuse, rounds(&[12_500, 20_000, 12_500])),
                (Contender::Anew, rounds(anew)),
            ];
            rows(&kind, 5, &all)
        };
        let met = measured(&[25_000, 40_000, 25_000]);
        let reuse = &met[2];
        assert_eq!(reuse.number("speed"), Some(0.8));
        assert_eq!(reuse.number("times_anew"), Some(2.0));
        assert_eq!(
            (reuse.number("ratio_raw"), met[1].number("speed")),
            (Some(2.5), None)
        );
        assert_eq!(verdict(&met), "All aims are met.");
        let missed = measured(&[12_500, 20_000, 12_500]);
        assert_eq!(verdict(&missed), "Not met: two-way no arguments.");
        let text = LAYOUT.text(&of(&missed, "two_way"));
        assert!(text.contains("≥ 1.5 × anew: not met"), "{text}");
        assert!(of(&missed, "one_way").is_empty());
    }
}

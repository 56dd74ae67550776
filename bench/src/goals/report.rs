//! The table, in rows and for people at a terminal.

use serde::Deserialize;

use super::goal::Goal;
use super::kind::Kind;
use super::result::{Figures, RowResult};
use super::rows::{Group, plural};
use crate::record::Row;
use crate::render::{Column, Layout, Table};
use crate::system::System;

/// A table for each group, a line for each of its rows.
pub(crate) const LAYOUT: Layout = Layout {
    title: "{group}",
    tables: &["group"],
    lines: &["row"],
    columns: &[
        Column::with("row", |row| Some(row.text("name"))).left(),
        Column::micros("raw µs", "median_ns").of("system", "raw"),
        Column::micros("taut µs", "median_ns").of("system", "taut"),
        Column::spread("× raw (least-most)", "ratio_raw", 3).of("system", "taut"),
        Column::number("omniorb × raw", "ratio_raw", 3)
            .of("system", "omniorb")
            .left(),
        Column::number("jacorb × raw", "ratio_raw", 3)
            .of("system", "jacorb")
            .left(),
        Column::with("goal", goal).of("system", "taut").left(),
        Column::with("", met).of("system", "taut").left(),
    ],
};

/// Shares of the throughput of raw sockets, by the size of the buffers of a flood.
pub(crate) const FLOODS: Layout = Layout {
    title: "",
    tables: &[],
    lines: &["flood", "system"],
    columns: &[
        Column::word("share of raw throughput", "flood"),
        Column::word("", "system"),
        Column::number("1 KiB", "share_of_raw", 2).of("buffer_octets", "1024"),
        Column::number("2 KiB", "share_of_raw", 2).of("buffer_octets", "2048"),
        Column::number("4 KiB", "share_of_raw", 2).of("buffer_octets", "4096"),
        Column::number("8 KiB", "share_of_raw", 2).of("buffer_octets", "8192"),
        Column::number("16 KiB", "share_of_raw", 2).of("buffer_octets", "16384"),
        Column::number("32 KiB", "share_of_raw", 2).of("buffer_octets", "32768"),
        Column::number("64 KiB", "share_of_raw", 2).of("buffer_octets", "65536"),
        Column::number("128 KiB", "share_of_raw", 2).of("buffer_octets", "131072"),
    ],
};

/// The slowest rows beside their goals.
const FARTHEST: Layout = Layout {
    title: "",
    tables: &[],
    lines: &["row"],
    columns: &[
        Column::with("row", |row| Some(row.text("row"))).left(),
        Column::number("× the goal's time", "times_goal", 3),
    ],
};

fn goal(row: &Row) -> Option<String> {
    #[derive(Deserialize)]
    struct WithGoal {
        goal: Goal,
    }
    row.parse::<WithGoal>().ok().map(|it| it.goal.to_string())
}

fn met(row: &Row) -> Option<String> {
    let verdict = match &*row.text("met") {
        "true" => "met",
        "false" => "MISSED",
        _ => "not judged",
    };
    Some(verdict.to_owned())
}

/// A row for each system of each row of the table. With Taut's figures stands what it is to
/// reach, and whether it does.
pub(super) fn rows(results: &[RowResult]) -> Vec<Row> {
    let of_row = |result: &RowResult| -> Vec<Row> {
        result.figures.iter().map(|it| row(result, it)).collect()
    };
    results.iter().flat_map(of_row).collect()
}

fn row(result: &RowResult, figures: &Figures) -> Row {
    let of = &result.row;
    let is_taut = figures.system == System::Taut;
    let (flood, buffer_octets) = match of.kind {
        Kind::Flood {
            element, octets, ..
        } => (Some(plural(element).to_owned()), Some(octets)),
        Kind::Batched { octets, .. } => (Some("octets in batches".to_owned()), Some(octets)),
        _ => (None, None),
    };
    let share = figures.median_ratio().filter(|_| flood.is_some());
    let row = Row::new()
        .with("case", of.kind.case())
        .with("mode", of.mode)
        .with("system", figures.system)
        .with("transport", of.transport)
        .with("bytes", of.kind.bytes())
        .with("way", if flood.is_some() { "flood" } else { "call" })
        .with("row", format!("{}: {}", of.group.title(), of.name))
        .with("group", of.group.title())
        .with("name", &of.name)
        .with("flood", flood)
        .with("buffer_octets", buffer_octets)
        // Of a sample's messages.
        .with("octets_there", result.octets.there)
        .with("octets_back", result.octets.back)
        .with("rounds", figures.rounds)
        .with("median_ns", figures.median_ns)
        .with("p99_ns", figures.p99_ns)
        .with("p999_ns", figures.p999_ns)
        .with("max_ns", figures.max_ns)
        .with("mb_s", result.mb_s(figures))
        .with("share_of_raw", share.map(|ratio| 1.0 / ratio))
        .with("goal", is_taut.then_some(of.goal))
        .with("met", result.is_met().filter(|_| is_taut));
    row.spread("ratio_raw", figures.ratio_raw)
}

/// All rows, group by group, and how many goals are met.
pub(super) fn render(results: &[RowResult]) -> String {
    let mut sorted: Vec<&RowResult> = results.iter().collect();
    sorted.sort_by_key(|it| Group::ALL.iter().position(|group| *group == it.row.group));
    let rows: Vec<_> = (sorted.into_iter())
        .flat_map(|result| rows(std::slice::from_ref(result)))
        .collect();
    LAYOUT.text(&rows) + &summary(results)
}

/// How many goals are met, and what is farthest from its own.
fn summary(results: &[RowResult]) -> String {
    let met = results.iter().filter(|it| it.is_met() == Some(true));
    let mut text = format!("{} of {} goals are met.", met.count(), results.len());
    let missed = results.iter().filter(|it| it.is_met() == Some(false));
    let mut missed: Vec<_> = missed
        .filter_map(|it| Some((it.times_goal()?, it)))
        .collect();
    missed.sort_by(|one, other| other.0.total_cmp(&one.0));
    if !missed.is_empty() {
        text += " Farthest from theirs:\n";
    }
    let rows = missed.iter().take(10).map(|(times, result)| {
        let name = format!("{}: {}", result.row.group.title(), result.row.name);
        Row::new().with("row", name).with("times_goal", times)
    });
    let rows: Vec<_> = rows.collect();
    let tables = FARTHEST.tables(&rows);
    let table = tables.first().map_or_else(|| "\n".to_owned(), Table::text);
    text + &table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;
    use crate::statistics::Spread;

    #[test]
    fn a_row_says_all_that_applies() {
        let records = serde_json::to_value(rows(&made_up()[..1])).unwrap();
        let ratio = 1070.0 / 1049.0;
        let expected = serde_json::json!({
            "way": "call", "case": "void", "row": "The call itself: no arguments",
            "group": "The call itself", "name": "no arguments",
            "mode": "same", "system": "taut", "transport": "tcp",
            "octets_there": 88, "octets_back": 24, "rounds": 3,
            "median_ns": 1070, "p99_ns": 1119, "p999_ns": 1120, "max_ns": 1120,
            "ratio_raw": ratio, "ratio_raw_min": ratio, "ratio_raw_max": ratio,
            "goal": {"times_raw": 1.03}, "met": true,
        });
        assert_eq!(records[1], expected);
        assert_eq!(records[0].get("goal"), None);
        assert_eq!(records[2].get("met"), None);
    }

    #[test]
    fn floods_are_shown_by_their_buffers() {
        let mut flood = made_up();
        flood.retain(|it| it.row.group == Group::Flood && it.row.name.starts_with("octets"));
        let rows = rows(&flood);
        assert_eq!(rows.len(), 3 * flood.len());
        let mut taut = rows;
        taut.retain(|row| row.is("system", "taut"));
        let text = FLOODS.text(&taut);
        let line: Vec<_> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(line[..3], ["octets", "taut", "0.98"], "{text}");
        let batched = text.lines().nth(2).unwrap();
        assert!(
            batched.contains("octets in batches")
                && batched.ends_with("1.08       -       -       -        -"),
            "{text}"
        );
    }

    #[test]
    fn every_row_has_a_line() {
        let made_up = made_up();
        let text = render(&made_up);
        let lines = text.lines().filter(|line| line.ends_with("  met"));
        assert_eq!(lines.count(), made_up.len(), "{text}");
        let all = made_up.len();
        assert!(
            text.ends_with(&format!("{all} of {all} goals are met.\n")),
            "{text}"
        );
        let first = "  no arguments                                       1.05     1.07  \
                     1.020 (1.020-1.020)  1.500          ≤ 1.03 × raw  met";
        assert!(text.lines().any(|line| line == first), "{text}");
    }

    #[test]
    fn an_orb_that_was_asked_for_has_a_column() {
        let mut made_up = made_up();
        assert!(!render(&made_up).contains("jacorb"));
        let mut jacorb = made_up[0].figures(System::Omniorb).unwrap().clone();
        jacorb.system = System::Jacorb;
        jacorb.ratio_raw = Spread::of([7.25]);
        made_up[0].figures.push(jacorb);
        let text = render(&made_up);
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines[1].contains("omniorb × raw  jacorb × raw  goal"),
            "{text}"
        );
        assert!(
            lines[2].contains("1.500          7.250         ≤ 1.03"),
            "{text}"
        );
        // Over Unix-domain sockets it was not measured.
        assert!(
            lines[4].contains("1.500          -             ≤ 1.05"),
            "{text}"
        );
    }

    #[test]
    fn what_is_missed_is_named_the_worst_first() {
        let mut made_up = made_up();
        for (result, ratio) in made_up.iter_mut().zip([2.0, 3.0]) {
            let taut = result
                .figures
                .iter_mut()
                .find(|it| it.system == System::Taut);
            let spread = Spread::of([ratio]);
            taut.unwrap().ratio_raw = spread;
        }
        let text = render(&made_up);
        let (before, worst) = text.split_once("Farthest from theirs:\n").unwrap();
        assert_eq!(before.matches("MISSED").count(), 2);
        let lines: Vec<_> = worst.lines().collect();
        assert_eq!(lines.len(), 3, "{worst}");
        assert!(lines[1].contains("user exception") && lines[1].ends_with("2.857"));
        assert!(lines[2].contains("no arguments") && lines[2].ends_with("1.942"));
    }
}

//! The table for people at a terminal.

use std::iter;

use super::result::RowResult;
use super::rows::Group;
use crate::statistics::Spread;
use crate::system::System;
use crate::table::{align, microseconds};

/// The ORBs that stand beside Taut, where they were measured.
const OTHERS: [System; 2] = [System::Omniorb, System::Jacorb];

fn headings(others: &[System]) -> Vec<String> {
    let before = ["row", "raw µs", "taut µs", "× raw (least-most)"];
    let mut headings: Vec<_> = before.map(str::to_owned).into();
    headings.extend(others.iter().map(|other| format!("{other} × raw")));
    headings.extend(["goal", ""].map(str::to_owned));
    headings
}

/// All rows, group by group, and how many goals are met.
pub(super) fn render(results: &[RowResult]) -> String {
    let is_measured = |other: &System| results.iter().any(|it| it.figures(*other).is_some());
    let others: Vec<_> = OTHERS.into_iter().filter(is_measured).collect();
    let left: Vec<_> = iter::once(0).chain(3..6 + others.len()).collect();
    let mut text = String::new();
    for group in Group::ALL {
        let of_group: Vec<_> = results.iter().filter(|it| it.row.group == group).collect();
        if of_group.is_empty() {
            continue;
        }
        let mut rows = vec![headings(&others)];
        rows.extend(of_group.into_iter().map(|result| line(result, &others)));
        text += group.title();
        text.push('\n');
        text += &align(&rows, &left);
        text.push('\n');
    }
    text + &summary(results)
}

fn line(result: &RowResult, others: &[System]) -> Vec<String> {
    let time = |system| {
        let figures = result.figures(system);
        figures.map_or_else(|| "-".to_owned(), |it| microseconds(it.median_ns))
    };
    let ratio = |system| result.figures(system).and_then(|it| it.ratio_raw);
    let spread = |Spread { median, min, max }| format!("{median:.3} ({min:.3}-{max:.3})");
    let median = |Spread { median, .. }| format!("{median:.3}");
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut line = vec![
        result.row.name.clone(),
        time(System::Raw),
        time(System::Taut),
        or_none(ratio(System::Taut).map(spread)),
    ];
    line.extend(others.iter().map(|&it| or_none(ratio(it).map(median))));
    line.push(result.row.goal.to_string());
    line.push(match result.is_met() {
        Some(true) => "met".to_owned(),
        Some(false) => "MISSED".to_owned(),
        None => "not judged".to_owned(),
    });
    line
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
    let mut rows = vec![vec!["row".to_owned(), "× the goal's time".to_owned()]];
    rows.extend(missed.iter().take(10).map(|(times, result)| {
        let name = format!("{}: {}", result.row.group.title(), result.row.name);
        vec![name, format!("{times:.3}")]
    }));
    match missed.is_empty() {
        true => text + "\n",
        false => text + &align(&rows, &[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;

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

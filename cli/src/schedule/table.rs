//! The tables of `taut schedule`.

use taut_scheduling::{Analysis, Basis, Growth, Options, ShownTime, Simulation, TaskSet};

use crate::output::{ERROR, HEADING, visible};

/// A table: the first column is to the left, the others are to the right.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate();
        let padded = padded.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    let head: Vec<_> = head.iter().map(|&cell| cell.to_owned()).collect();
    let mut text = format!("{HEADING}{}{HEADING:#}\n", line(&head).trim_end());
    for row in rows {
        let is_bad = row.last().is_some_and(|last| last.starts_with("missed"));
        let shown = line(row);
        match is_bad {
            true => text.push_str(&format!("{ERROR}{shown}{ERROR:#}\n")),
            false => text.push_str(&format!("{}\n", shown.trim_end())),
        }
    }
    text
}

/// The outcome for each task, and the load.
pub(super) fn report(
    tasks: &TaskSet,
    analysis: &Analysis,
    growths: &[Option<Growth>],
    options: &Options,
) -> String {
    let rows = analysis.tasks.iter().zip(growths).map(|(result, growth)| {
        let task = &tasks.tasks[result.task];
        let response = match result.response {
            None => "-".to_owned(),
            Some(response) => {
                let sign = if response.basis == Basis::Simulated {
                    "~"
                } else {
                    ""
                };
                format!("{sign}{}", ShownTime(response.worst_ns))
            }
        };
        let room = match growth {
            None => "-".to_owned(),
            Some(growth) => match growth.longest_ns {
                None => "none".to_owned(),
                Some(longest) if longest >= growth.worst_case_ns => {
                    format!("+{}", ShownTime(longest - growth.worst_case_ns))
                }
                Some(longest) => format!("-{}", ShownTime(growth.worst_case_ns - longest)),
            },
        };
        let level = i32::try_from(result.level).unwrap_or(i32::MAX);
        let verdict = match result.is_feasible {
            true => "holds".to_owned(),
            false => format!("missed by {}", ShownTime(result.missing_ns)),
        };
        vec![
            visible(&task.name).into_owned(),
            ShownTime(task.period_ns).to_string(),
            ShownTime(task.deadline_ns).to_string(),
            ShownTime(task.cost_ns()).to_string(),
            options.priorities.end().saturating_sub(level).to_string(),
            response,
            room,
            verdict,
        ]
    });
    let head = [
        "task", "period", "deadline", "total", "priority", "response", "growth", "verdict",
    ];
    let rows: Vec<_> = rows.collect();
    let mut text = table(&head, &rows);
    text.push_str(&format!(
        "\nstrategy {}, utilization {:.1} %",
        options.strategy,
        analysis.utilization * 100.0
    ));
    if options.strategy.has_fixed_priorities() {
        let bound = analysis.rate_monotonic_bound * 100.0;
        text.push_str(&format!(", bound {bound:.1} %"));
    }
    text.push('\n');
    text
}

/// The fate of each task's jobs.
pub(super) fn simulation(tasks: &TaskSet, simulation: &Simulation) -> String {
    let rows = tasks.tasks.iter().enumerate().map(|(index, task)| {
        let jobs = simulation
            .timeline
            .jobs
            .iter()
            .filter(|job| job.task == index);
        let responses: Vec<_> = jobs.clone().filter_map(|job| job.response_ns()).collect();
        let shown =
            |time: Option<u64>| time.map_or("-".to_owned(), |time| ShownTime(time).to_string());
        let count = responses.len() as u64;
        let mean = responses.iter().sum::<u64>().checked_div(count);
        vec![
            visible(&task.name).into_owned(),
            jobs.count().to_string(),
            shown(responses.iter().min().copied()),
            shown(mean),
            shown(responses.iter().max().copied()),
            match simulation.misses(index) {
                0 => "0".to_owned(),
                missed => format!("missed {missed}"),
            },
        ]
    });
    let head = ["task", "jobs", "least", "mean", "most", "missed"];
    let rows: Vec<_> = rows.collect();
    let mut text = table(&head, &rows);
    text.push_str(&format!(
        "\n{} simulated, {} preemptions\n",
        ShownTime(simulation.timeline.end_ns),
        simulation.preemptions
    ));
    text
}

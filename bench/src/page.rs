//! `taut-bench render`: the tables of `docs/performance.md` and of other pages, made of the records
//! in `docs/measurements`.
//!
//! A comment `<!-- measured: FILE LAYOUT [FIELD=TEXT,…]… -->` in the page says which rows
//! of which record follow as a table in which layout; `<!-- end -->` stands behind it. The
//! last line of a table names its record, with the `note` of its environment. Some records have
//! a picture beside them, which is made as well.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::BenchError;
use crate::record::{Row, Run};
use crate::render::{Column, Layout};
use crate::{dii, goals, jitter, naming, param_test, ping, real_time, scheduled, startup};

/// The arguments of `taut-bench render`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only check that the page is as it would be written
    #[arg(long)]
    check: bool,
}

/// The pages that have tables.
const PAGES: [&str; 3] = ["performance.md", "real-time.md", "scheduling.md"];

/// The records with a picture, and how it is drawn.
type Drawing = fn(&[Row]) -> String;
const PICTURES: [(&str, Drawing); 1] = [("real-time", real_time::draw)];

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// Writes the tables of the pages and the pictures from the records, or checks that they are as
/// they would be written.
///
/// # Errors
///
/// [`BenchError::OutOfDate`] when the check fails; [`BenchError::Read`] when the page or a
/// record cannot be read, or a comment of the page is not understood; [`BenchError::Write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let docs = test_tools::workspace_root().join("docs");
    let records = docs.join("measurements");
    for page in PAGES {
        let file = docs.join(page);
        let page = fs::read_to_string(&file).map_err(|source| error(&file, source))?;
        let rendered = render(&page, &file, &records)?;
        put(file, &page, rendered, arguments.check)?;
    }
    for (name, draw) in PICTURES {
        let record = records.join(name).with_extension("json");
        let file = records.join(name).with_extension("svg");
        let drawn = draw(&Run::read(&record)?.rows);
        // Without one there is nothing that it could be like.
        let before = fs::read_to_string(&file).unwrap_or_default();
        put(file, &before, drawn, arguments.check)?;
    }
    Ok(())
}

/// Writes a file that is not yet as it should be, or fails where it is to be checked.
fn put(file: PathBuf, before: &str, text: String, is_check: bool) -> Result<(), BenchError> {
    match (text == before, is_check) {
        (true, _) => Ok(()),
        (false, true) => Err(BenchError::OutOfDate { file }),
        (false, false) => {
            fs::write(&file, text).map_err(|source| BenchError::Write { file, source })
        }
    }
}

fn error(file: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::Read {
        file: file.to_path_buf(),
        source: source.into(),
    }
}

/// The page with its tables made anew.
fn render(page: &str, file: &Path, records: &Path) -> Result<String, BenchError> {
    let mut rendered = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        rendered += line;
        rendered.push('\n');
        let Some(comment) = line.strip_prefix(BEGIN) else {
            continue;
        };
        let comment = comment.strip_suffix(" -->");
        let tables = comment
            .map(|comment| tables(comment, records))
            .transpose()?;
        let tables = tables.flatten();
        let tables = tables.ok_or_else(|| error(file, format!("not understood: {line}")))?;
        if !lines.any(|line| line == END) {
            return Err(error(file, format!("without `{END}`: {line}")));
        }
        rendered += &format!("\n{tables}\n{END}\n");
    }
    Ok(rendered)
}

/// The tables that a comment asks for, and a line that names their record. None when there is no
/// such layout, when a filter is none, or when nothing passes the filters.
fn tables(comment: &str, records: &Path) -> Result<Option<String>, BenchError> {
    let mut words = comment.split(' ');
    let name = words.next().unwrap_or_default();
    let Run {
        mut rows,
        environment,
        ..
    } = Run::read(&records.join(name))?;
    let Some(layout) = words.next().and_then(layout) else {
        return Ok(None);
    };
    for filter in words {
        let Some((field, texts)) = filter.split_once('=') else {
            return Ok(None);
        };
        rows.retain(|row| texts.split(',').any(|text| row.is(field, text)));
    }
    let mut parts: Vec<_> = layout
        .tables(&rows)
        .iter()
        .map(|it| it.markdown())
        .collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let note = environment.get("note");
    let note = note.map_or_else(String::new, |note| format!(", {note}"));
    parts.push(format!("Record: [{name}](measurements/{name}){note}.\n"));
    Ok(Some(parts.join("\n")))
}

/// The layout of this name.
fn layout(name: &str) -> Option<Layout> {
    // One table for all rows that a comment names.
    let whole = |layout: Layout| Layout {
        tables: &[],
        ..layout
    };
    Some(match name {
        "calls" => whole(goals::LAYOUT),
        "floods" => goals::FLOODS,
        "ping" => whole(ping::LAYOUT),
        "refill" => REFILL,
        "share" => SHARE,
        "buffers" => BUFFERS,
        "look-ups" => LOOK_UPS,
        "waiting" => WAITING,
        "naming" => naming::CALLS,
        "naming-start" => naming::START,
        "threads" => THREADS,
        "connections" => CONNECTIONS,
        "async" => ASYNC,
        "servants" => SERVANTS,
        "collocation" => COLLOCATION,
        "latencies" => whole(jitter::LATENCIES),
        "real-time" => whole(real_time::LAYOUT),
        "real-time-tails" => whole(real_time::FAR),
        "start" => startup::START,
        "activation" => startup::ACTIVATION,
        "memory" => startup::MEMORY,
        "param-calls" => whole(param_test::CALLS),
        "param-alone" => whole(param_test::ALONE),
        "dii" => whole(dii::LAYOUT),
        "dii-one-way" => whole(dii::ONE_WAY),
        "scheduled" => whole(scheduled::JOBS),
        "scheduled-away" => whole(scheduled::AWAY),
        "scheduled-misses" => whole(scheduled::MISSES),
        "latency-ratios" => whole(jitter::RATIOS),
        _ => return None,
    })
}

/// A layout that has no title, and all rows in one table.
const fn one_table(lines: &'static [&'static str], columns: &'static [Column]) -> Layout {
    Layout {
        title: "",
        tables: &[],
        lines,
        columns,
    }
}

/// `ping`, with raw sockets that refill the return stack and with such that don't.
const REFILL: Layout = one_table(
    &["transport", "refill"],
    &[
        Column::word("no arguments", "transport"),
        Column::word("raw sockets", "refill"),
        Column::micros("raw µs", "median_ns").of("system", "raw"),
        Column::micros("taut µs", "median_ns").of("system", "taut"),
        Column::spread("× raw (least-most)", "ratio_raw", 3).of("system", "taut"),
        Column::number("omniorb × raw", "ratio_raw", 3).of("system", "omniorb"),
    ],
);

/// `probes`: the ORB's share of each kind of call.
const SHARE: Layout = one_table(
    &["name"],
    &[
        Column::word("", "name"),
        Column::number("a call, ns", "call_ns", 0),
        Column::number("client's ORB, ns", "client_orb_ns", 0),
        Column::number("server's ORB, ns", "server_orb_ns", 0),
        Column::with("the ORB's share", share),
    ],
);

/// The share without the probes and with them.
fn share(row: &Row) -> Option<String> {
    let (least, most) = (row.number("orb_share")?, row.number("orb_most_share")?);
    Some(format!("{:.1} to {:.1} %", 100.0 * least, 100.0 * most))
}

/// `allocation`.
const BUFFERS: Layout = one_table(
    &["bytes", "way"],
    &[
        Column::number("octets", "bytes", 0),
        Column::word("from", "way"),
        Column::number("median ns", "median_ns", 0),
        Column::number("p99 ns", "p99_ns", 0),
        Column::number("max ns", "max_ns", 0),
    ],
);

/// `demux`, by how many there are.
const LOOK_UPS: Layout = one_table(
    &["case", "strategy", "order"],
    &[
        Column::word("ns, median (least)", "case"),
        Column::word("strategy", "strategy"),
        Column::word("order", "order"),
        Column::with("1", least).of("count", "1"),
        Column::with("2", least).of("count", "2"),
        Column::with("5", least).of("count", "5"),
        Column::with("10", least).of("count", "10"),
        Column::with("15", least).of("count", "15"),
        Column::with("20", least).of("count", "20"),
        Column::with("25", least).of("count", "25"),
        Column::with("100", least).of("count", "100"),
        Column::with("500", least).of("count", "500"),
        Column::with("1,000", least).of("count", "1000"),
        Column::with("10,000", least).of("count", "10000"),
        Column::with("100,000", least).of("count", "100000"),
        Column::with("1,000,000", least).of("count", "1000000"),
    ],
);

/// The median, and the least of the rounds.
fn least(row: &Row) -> Option<String> {
    let (median, least) = (row.number("median_ns")?, row.number("median_ns_min")?);
    Some(format!("{median:.1} ({least:.1})"))
}

/// `waiting`, each scene with all strategies.
const WAITING: Layout = one_table(
    &["scene", "transport"],
    &[
        Column::word("scene", "scene"),
        Column::word("", "transport"),
        Column::micros("raw µs", "median_ns").of("strategy", "raw"),
        Column::micros("block µs", "median_ns").of("strategy", "block"),
        Column::micros("adaptive µs", "median_ns").of("strategy", "adaptive"),
        Column::with("× block: median, mean", times_block).of("strategy", "adaptive"),
        Column::micros("spin µs", "median_ns").of("strategy", "spin"),
        Column::with("× block: median, mean", times_block).of("strategy", "spin"),
    ],
);

fn times_block(row: &Row) -> Option<String> {
    let (median, mean) = (row.number("ratio_block")?, row.number("mean_ratio_block")?);
    Some(format!("{median:.3}, {mean:.3}"))
}

/// `threads`.
const THREADS: Layout = one_table(
    &["threads"],
    &[
        Column::number("threads", "threads", 0),
        Column::number("calls/s, a connection each", "calls_per_s", 0)
            .of("connections", "exclusive"),
        Column::number("least share", "least_share", 2).of("connections", "exclusive"),
        Column::number("calls/s, one for all", "calls_per_s", 0).of("connections", "shared"),
        Column::number("least share", "least_share", 2).of("connections", "shared"),
    ],
);

/// `connections`.
const CONNECTIONS: Layout = one_table(
    &["connections"],
    &[
        Column::number("connections", "connections", 0),
        Column::micros("raw µs", "median_ns").of("system", "raw"),
        Column::micros("taut µs", "median_ns").of("system", "taut"),
        Column::spread("× raw (least-most)", "ratio_raw", 3).of("system", "taut"),
        Column::micros("omniorb µs", "median_ns").of("system", "omniorb"),
        Column::spread("× raw (least-most)", "ratio_raw", 3).of("system", "omniorb"),
    ],
);

/// `async`, by how many calls are under way at once.
const ASYNC: Layout = one_table(
    &["mode", "in_flight"],
    &[
        Column::word("mode", "mode"),
        Column::number("in flight", "in_flight", 0),
        Column::number("raw calls/s", "calls_per_s", 0).of("system", "raw"),
        Column::number("each by itself", "calls_per_s", 0).of("system", "raw_each"),
        Column::number("taut", "calls_per_s", 0).of("system", "taut"),
        Column::number("omniorb", "calls_per_s", 0).of("system", "omniorb"),
        Column::number("tonic", "calls_per_s", 0).of("system", "tonic"),
        Column::spread("taut: share of raw (least-most)", "share_raw", 3).of("system", "taut"),
        Column::number("of raw, each by itself", "share_raw_each", 2).of("system", "taut"),
        Column::spread("× tonic (least-most)", "times_tonic", 2).of("system", "taut"),
    ],
);

/// `scalability`: how many times the latency with one servant.
const SERVANTS: Layout = one_table(
    &["order", "system"],
    &[
        Column::word("order", "order"),
        Column::word("× 1 servant", "system"),
        Column::number("100", "ratio_one", 3).of("servants", "100"),
        Column::number("500", "ratio_one", 3).of("servants", "500"),
        Column::number("1,000", "ratio_one", 3).of("servants", "1000"),
        Column::number("10,000", "ratio_one", 3).of("servants", "10000"),
        Column::number("100,000", "ratio_one", 3).of("servants", "100000"),
    ],
);

/// `collocation`.
const COLLOCATION: Layout = one_table(
    &["system", "way"],
    &[
        Column::word("system", "system"),
        Column::word("median ns", "way"),
        Column::number("no arguments", "median_ns", 2).of("name", "no arguments"),
        Column::number("4 longs", "median_ns", 2).of("name", "4 longs"),
        Column::number("1,024 longs", "median_ns", 2).of("name", "1024 longs"),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_what_the_records_say() {
        run(&Arguments { check: true }).unwrap();
    }

    /// A page with this comment, rendered with a record of `ping`.
    fn rendered(comment: &str) -> Result<String, BenchError> {
        let directory = tempfile::tempdir().unwrap();
        let row = |system: &str, median_ns: u64| {
            let row = Row::new().with("system", system);
            row.with("median_ns", median_ns).with("p99_ns", 9_000)
        };
        let mut run = Run::new("ping", vec![row("raw", 4_000), row("taut", 4_300)]);
        let note = "transcribed from a test".to_owned();
        run.environment.insert("note".to_owned(), note);
        run.write(&directory.path().join("ping.json")).unwrap();
        let page = format!("before\n{comment}\nold\n{END}\nafter\n");
        render(&page, Path::new("page.md"), directory.path())
    }

    #[test]
    fn a_table_stands_between_its_comments() {
        let comment = "<!-- measured: ping.json ping system=taut,omniorb -->";
        let page = rendered(comment).unwrap();
        let expected = format!(
            "before\n{comment}\n\n\
             | system | median µs | p99 µs | × raw (least-most) |\n|---|--:|--:|---|\n\
             | taut | 4.30 | 9.00 | no baseline |\n\n\
             Record: [ping.json](measurements/ping.json), transcribed from a test.\n\n\
             {END}\nafter\n"
        );
        assert_eq!(page, expected);
    }

    #[test]
    fn a_comment_that_is_not_understood_is_an_error() {
        for (comment, complaint) in [
            ("<!-- measured: ping.json pong -->", "not understood"),
            ("<!-- measured: ping.json ping raw -->", "not understood"),
            (
                "<!-- measured: ping.json ping system=x -->",
                "not understood",
            ),
            ("<!-- measured: ping.json ping", "not understood"),
            ("<!-- measured: pong.json ping -->", "pong.json"),
        ] {
            let error = rendered(comment).unwrap_err().to_string();
            assert!(error.contains(complaint), "{comment}: {error}");
        }
    }
}

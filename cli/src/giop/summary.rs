//! A capture in a few lines: its connections, and its operations.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::Style;
use serde_json::{Value, json};
use taut_explain::Subject;
use taut_giop::message::ReplyStatus;
use taut_traffic::{Message, Way};

use super::filter::operation;
use super::text::duration;
use crate::failure::Failure;
use crate::output::{HEADING, visible};

/// The octets of an operation's name that are kept; a capture may hold longer ones.
const NAME_OCTETS_MAX: usize = 256;

/// The counts of a capture.
#[derive(Debug)]
pub(super) struct Summary {
    rows_max: usize,
    connections: Table<Connection>,
    operations: Table<Operation>,
}

/// Counts by name, in the order in which the names came.
#[derive(Debug)]
struct Table<T> {
    places: HashMap<String, usize>,
    rows: Vec<(String, T)>,
    /// The counts of the names for which there was no row left.
    others: T,
}

#[derive(Debug, Default)]
struct Connection {
    /// The ends, the one that opened the connection first.
    ends: Option<Way>,
    messages: u64,
    octets: u64,
    marks: u64,
}

#[derive(Debug, Default)]
struct Operation {
    requests: u64,
    oneways: u64,
    results: u64,
    user_exceptions: u64,
    system_exceptions: u64,
    other_replies: u64,
    /// The replies whose request and own time are known, and what they took in all.
    timed: u64,
    total: Duration,
    longest: Duration,
}

impl<T: Default> Table<T> {
    fn new() -> Self {
        Self {
            places: HashMap::new(),
            rows: Vec::new(),
            others: T::default(),
        }
    }

    /// The counts of a name. Of a long name only the beginning tells it from others.
    fn row(&mut self, name: &str, rows_max: usize) -> &mut T {
        let name = match name.get(..name.floor_char_boundary(NAME_OCTETS_MAX)) {
            Some(beginning) if beginning.len() < name.len() => format!("{beginning}…"),
            _ => name.to_owned(),
        };
        let place = match self.places.get(&name) {
            Some(place) => Some(*place),
            None if self.rows.len() < rows_max => {
                let place = self.rows.len();
                self.places.insert(name.clone(), place);
                self.rows.push((name, T::default()));
                Some(place)
            }
            None => None,
        };
        match place.and_then(|place| self.rows.get_mut(place)) {
            Some((_, counts)) => counts,
            None => &mut self.others,
        }
    }
}

impl Operation {
    /// The requests that expect a reply and have none.
    fn unanswered(&self) -> u64 {
        let replies =
            self.results + self.user_exceptions + self.system_exceptions + self.other_replies;
        (self.requests - self.oneways).saturating_sub(replies)
    }

    fn mean(&self) -> Option<Duration> {
        let count = u32::try_from(self.timed).unwrap_or(u32::MAX);
        self.total.checked_div(count)
    }

    fn is_empty(&self) -> bool {
        self.requests == 0 && self.unanswered() == 0 && self.timed == 0
    }
}

impl Summary {
    /// A summary of at most `rows_max` connections and as many operations.
    pub(super) fn new(rows_max: usize) -> Self {
        Self {
            rows_max,
            connections: Table::new(),
            operations: Table::new(),
        }
    }

    /// Counts a message.
    pub(super) fn add(&mut self, message: &Message) {
        let name = match &message.way {
            Some(way) => way.connection.to_string(),
            None => "-".to_owned(),
        };
        let connection = self.connections.row(&name, self.rows_max);
        if connection.ends.is_none() {
            connection.ends = message.way.map(opener_first);
        }
        connection.messages += 1;
        connection.octets += message.preamble.total_size();
        connection.marks += message.marks.len() as u64;
        if let Some(name) = operation(message) {
            self.operations.row(name, self.rows_max).add(message);
        }
    }

    /// The summary for people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let connections = self.connections.rows.iter().map(|(name, counts)| {
            let ends = counts.ends.map_or("no packets".to_owned(), |way| {
                format!("{} -> {}", way.from, way.to)
            });
            vec![
                name.clone(),
                ends,
                counts.messages.to_string(),
                counts.octets.to_string(),
                counts.marks.to_string(),
            ]
        });
        let head = ["connection", "ends", "messages", "octets", "marks"];
        table(&mut text, &head, 2, connections);
        if self.connections.others.messages > 0 {
            let count = self.connections.others.messages;
            let _ = writeln!(
                text,
                "and {count} messages of other connections (--max-rows)"
            );
        }
        text.push('\n');
        let operations = self.operations.rows.iter().map(|(name, counts)| {
            let time = |time: Option<Duration>| time.map_or("-".to_owned(), duration);
            vec![
                visible(name).into_owned(),
                counts.requests.to_string(),
                counts.oneways.to_string(),
                counts.results.to_string(),
                counts.user_exceptions.to_string(),
                counts.system_exceptions.to_string(),
                counts.other_replies.to_string(),
                counts.unanswered().to_string(),
                time(counts.mean()),
                time((counts.timed > 0).then_some(counts.longest)),
            ]
        });
        let head = [
            "operation",
            "requests",
            "oneways",
            "results",
            "user exc.",
            "system exc.",
            "forwards",
            "unanswered",
            "mean",
            "longest",
        ];
        table(&mut text, &head, 1, operations);
        if !self.operations.others.is_empty() {
            let count = self.operations.others.requests;
            let _ = writeln!(
                text,
                "and {count} requests of other operations (--max-rows)"
            );
        }
        text
    }

    /// The summary for programs.
    ///
    /// # Errors
    ///
    /// None today.
    pub(super) fn json(&self) -> Result<String, Failure> {
        let connections = self.connections.rows.iter().map(|(_, counts)| {
            json!({
                "connection": counts.ends.map(|way| way.connection),
                "from": counts.ends.map(|way| way.from.to_string()),
                "to": counts.ends.map(|way| way.to.to_string()),
                "messages": counts.messages,
                "octets": counts.octets,
                "marks": counts.marks,
            })
        });
        let operations = self.operations.rows.iter().map(|(name, counts)| {
            let micros = |time: Duration| time.as_micros() as u64;
            json!({
                "operation": name,
                "requests": counts.requests,
                "oneways": counts.oneways,
                "results": counts.results,
                "user_exceptions": counts.user_exceptions,
                "system_exceptions": counts.system_exceptions,
                "forwards": counts.other_replies,
                "unanswered": counts.unanswered(),
                "mean_us": counts.mean().map(micros),
                "longest_us": (counts.timed > 0).then(|| micros(counts.longest)),
            })
        });
        let summary = json!({
            "connections": connections.collect::<Vec<Value>>(),
            "messages_of_other_connections": self.connections.others.messages,
            "operations": operations.collect::<Vec<Value>>(),
            "requests_of_other_operations": self.operations.others.requests,
        });
        let mut text = serde_json::to_string_pretty(&summary).map_err(Failure::new)?;
        text.push('\n');
        Ok(text)
    }
}

impl Operation {
    fn add(&mut self, message: &Message) {
        match &message.subject {
            Subject::Request { expects_reply, .. } => {
                self.requests += 1;
                self.oneways += u64::from(!expects_reply);
            }
            Subject::Reply { status, .. } => {
                match status {
                    ReplyStatus::NoException => self.results += 1,
                    ReplyStatus::UserException => self.user_exceptions += 1,
                    ReplyStatus::SystemException => self.system_exceptions += 1,
                    _ => self.other_replies += 1,
                }
                if let Some(after) = message.answers.as_ref().and_then(|answer| answer.after) {
                    self.timed += 1;
                    self.total = self.total.saturating_add(after);
                    self.longest = self.longest.max(after);
                }
            }
            _ => {}
        }
    }
}

/// The way from the end that opened the connection, as far as that is known.
fn opener_first(way: Way) -> Way {
    match way.from_opener {
        Some(false) => Way {
            from: way.to,
            to: way.from,
            ..way
        },
        _ => way,
    }
}

/// Writes rows below a head. The first `left` columns are aligned to the left, the
/// others to the right.
fn table(text: &mut String, head: &[&str], left: usize, rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<Vec<String>> = rows.collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| cell.chars().count());
        let head = head.get(column).map_or(0, |name| name.len());
        widths.max().unwrap_or_default().max(head)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut line = |cells: &mut dyn Iterator<Item = &str>, style: Style| {
        let mut line = String::new();
        for (column, (cell, width)) in cells.zip(&widths).enumerate() {
            let _ = match column < left {
                true => write!(line, "{cell:<width$}  "),
                false => write!(line, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{style}{}{style:#}", line.trim_end());
    };
    line(&mut head.iter().copied(), HEADING);
    for row in &rows {
        line(&mut row.iter().map(String::as_str), Style::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_row() {
        let mut table: Table<u64> = Table::new();
        for name in ["a", "b", "a", "c", "b", "d"] {
            *table.row(name, 2) += 1;
        }
        assert_eq!(table.rows, [("a".to_owned(), 2), ("b".to_owned(), 2)]);
        assert_eq!(table.others, 2);
    }

    #[test]
    fn a_name_of_any_length_takes_little_room() {
        let mut table: Table<u64> = Table::new();
        *table.row(&"é".repeat(1_000_000), 1) += 1;
        let name = &table.rows[0].0;
        assert_eq!(name, &format!("{}…", "é".repeat(NAME_OCTETS_MAX / 2)));
    }
}

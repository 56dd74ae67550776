//! Messages for people: a line that says the most, the rest below it.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use taut_cdr::ByteOrder;
use taut_explain::Subject;
use taut_giop::message::MessageType;
use taut_traffic::{Answer, Event, Message, Note, Piece, Way};

use crate::explanation;
use crate::output::{ERROR, FAINT, HEADING, visible};

/// Returns an event as lines with their ends.
pub(crate) fn event(event: &Event) -> String {
    match event {
        Event::Message(message) => self::message(message),
        Event::Note(note) => self::note(note),
    }
}

fn message(message: &Message) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{FAINT}#{}{FAINT:#} {HEADING}{}{HEADING:#}{}",
        message.number,
        title(message),
        trailer(message)
    );
    let mut line = String::new();
    if let Some(time) = message.time {
        let _ = write!(line, "{}  ", self::time(time));
    }
    if let Some(way) = &message.way {
        let _ = write!(line, "{}", self::way(way));
    }
    if !line.is_empty() {
        let _ = writeln!(text, "  {FAINT}{}{FAINT:#}", line.trim_end());
    }
    text.push_str(&explanation::indented(&message.facts, 2));
    text.push_str(&explanation::indented(&message.values, 2));
    for mark in &message.marks {
        let _ = writeln!(text, "{ERROR}!! {}{ERROR:#}", visible(&mark.to_string()));
    }
    text
}

/// The kind and the subject of a message, for its first line.
fn title(message: &Message) -> String {
    let kind = message.preamble.message_type.map(MessageType::name);
    let kind = kind.filter(|_| message.preamble.is_readable());
    let mut title = match kind {
        Some(kind) => kind.to_owned(),
        None if message.preamble.is_compressed() => "Compressed message (ZIOP)".to_owned(),
        None => "Octets that are no message".to_owned(),
    };
    match &message.subject {
        Subject::Request {
            request_id,
            operation,
            ..
        } => {
            let _ = write!(title, " {request_id} {}", visible(operation));
        }
        Subject::Reply { request_id, status } => {
            let _ = write!(title, " {request_id} {}", status.name());
        }
        Subject::Cancel { request_id }
        | Subject::LocateRequest { request_id }
        | Subject::LocateReply { request_id } => {
            let _ = write!(title, " {request_id}");
        }
        _ => {}
    }
    match message.piece {
        Piece::Whole => {}
        Piece::Part(0) => title.push_str(", of no message"),
        Piece::Part(number) => {
            let _ = write!(title, ", piece {number} of a message");
        }
        Piece::Last(count) => {
            let _ = write!(title, ", the last of {count} pieces");
        }
        Piece::Head => title.push_str(", its header only"),
    }
    if let Some(answer) = &message.answers {
        title.push_str(&answers(answer));
    }
    title
}

fn answers(answer: &Answer) -> String {
    let mut text = format!(" to #{}", answer.number);
    if let Some(operation) = &answer.operation {
        let _ = write!(text, " {}", visible(operation));
    }
    if let Some(after) = answer.after {
        let _ = write!(text, " after {}", duration(after));
    }
    text
}

fn trailer(message: &Message) -> String {
    let preamble = &message.preamble;
    if !preamble.is_giop() && !preamble.is_compressed() {
        return String::new();
    }
    let order = match preamble.order {
        ByteOrder::Big => "big-endian",
        ByteOrder::Little => "little-endian",
    };
    let fragments = if preamble.more_fragments {
        ", more fragments"
    } else {
        ""
    };
    format!(
        "  GIOP {}, {order}, {} octets{fragments}",
        preamble.version,
        preamble.total_size()
    )
}

fn note(note: &Note) -> String {
    let mut text = format!("{FAINT}--{FAINT:#} ");
    if let Some(time) = note.time {
        let _ = write!(text, "{}  ", self::time(time));
    }
    if let Some(way) = &note.way {
        let _ = write!(text, "{}  ", self::way(way));
    }
    let _ = writeln!(text, "{}", visible(&note.text));
    text
}

fn way(way: &Way) -> String {
    format!("connection {}: {} -> {}", way.connection, way.from, way.to)
}

/// A point in time: UTC, to the microsecond.
pub(crate) fn time(since_1970: Duration) -> String {
    // Years that have more than four digits have no such form.
    const YEAR_10000: u64 = 253_402_300_800;
    if since_1970.as_secs() >= YEAR_10000 {
        return format!("{} s after 1970", since_1970.as_secs());
    }
    let time: SystemTime = UNIX_EPOCH + since_1970;
    humantime::format_rfc3339_micros(time).to_string()
}

/// A time between, with the unit that suits it.
pub(super) fn duration(duration: Duration) -> String {
    match duration.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        micros @ 1_000..1_000_000 => format!("{}.{:03} ms", micros / 1_000, micros % 1_000),
        micros => format!("{}.{:03} s", micros / 1_000_000, micros / 1_000 % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_suits_them() {
        assert_eq!(duration(Duration::from_micros(7)), "7 µs");
        assert_eq!(duration(Duration::from_micros(1_020)), "1.020 ms");
        assert_eq!(duration(Duration::from_millis(2_003)), "2.003 s");
        let time = super::time(Duration::new(1, 2_000));
        assert_eq!(time, "1970-01-01T00:00:01.000002Z");
        assert!(super::time(Duration::MAX).ends_with("after 1970"));
    }
}

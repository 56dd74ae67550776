//! Messages for programs: one object a line.

use serde_json::{Map, Value, json};
use taut_cdr::ByteOrder;
use taut_giop::message::MessageType;
use taut_traffic::{Event, Message, Note, Piece, Way};

use crate::explanation;
use crate::failure::Failure;

/// Returns an event as one line with its end.
///
/// # Errors
///
/// None today.
pub(super) fn event(event: &Event) -> Result<String, Failure> {
    Ok(format!("{}\n", Value::Object(object(event)?)))
}

/// Returns an event as an object.
///
/// # Errors
///
/// None today.
pub(crate) fn object(event: &Event) -> Result<Map<String, Value>, Failure> {
    match event {
        Event::Message(message) => self::message(message),
        Event::Note(note) => Ok(self::note(note)),
    }
}

fn message(message: &Message) -> Result<Map<String, Value>, Failure> {
    let preamble = &message.preamble;
    let mut object = Map::new();
    object.insert("message".to_owned(), message.number.into());
    where_and_when(message.time, message.way.as_ref(), &mut object);
    let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
    let kind = preamble.message_type.filter(|_| preamble.is_readable());
    insert("type", kind.map(MessageType::name).into());
    insert("version", preamble.version.to_string().into());
    let order = match preamble.order {
        ByteOrder::Big => "big-endian",
        ByteOrder::Little => "little-endian",
    };
    insert("byte_order", order.into());
    insert("flags", preamble.flags.into());
    insert("size", preamble.total_size().into());
    let piece = match message.piece {
        Piece::Whole => Value::Null,
        Piece::Part(number) => json!({ "number": number, "last": false }),
        Piece::Last(number) => json!({ "number": number, "last": true }),
        Piece::Head => json!("header only"),
    };
    insert("piece", piece);
    if let Some(answer) = &message.answers {
        let after_us = answer.after.map(|after| after.as_micros() as u64);
        let answers = json!({
            "message": answer.number,
            "operation": answer.operation,
            "after_us": after_us,
        });
        insert("answers", answers);
    }
    insert("content", explanation::value(&message.facts)?);
    if !message.values.is_empty() {
        insert("values", explanation::value(&message.values)?);
    }
    let marks = message.marks.iter().map(|mark| {
        json!({
            "rule": mark.rule.name(),
            "offset": mark.offset,
            "what": mark.what,
            "section": mark.rule.section(),
        })
    });
    insert("marks", marks.collect());
    Ok(object)
}

fn note(note: &Note) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("note".to_owned(), note.text.as_str().into());
    where_and_when(note.time, note.way.as_ref(), &mut object);
    object
}

fn where_and_when(
    time: Option<std::time::Duration>,
    way: Option<&Way>,
    object: &mut Map<String, Value>,
) {
    if let Some(time) = time {
        object.insert("time".to_owned(), super::text::time(time).into());
    }
    if let Some(way) = way {
        object.insert("connection".to_owned(), way.connection.into());
        object.insert("from".to_owned(), way.from.to_string().into());
        object.insert("to".to_owned(), way.to.to_string().into());
    }
}

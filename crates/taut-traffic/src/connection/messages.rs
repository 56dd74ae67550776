//! From the messages that were found to what is told of them.

use std::time::Duration;

use taut_cdr::Realignment;
use taut_explain::{Explained, Fact, Mark, Preamble, Rule, Subject, Value};
use taut_giop::message::{HEADER_SIZE, MessageType, ReplyStatus};
use taut_giop::service_context::id;

use super::direction::Taken;
use super::{Connection, Shared};
use crate::conversation::Side;
use crate::splitter::{Found, Missing};
use crate::values::{Kind, Question};
use crate::{Event, Message, Piece};

impl Connection {
    /// Tells of what was found in one direction.
    pub(super) fn take(
        &mut self,
        side: Side,
        time: Option<Duration>,
        taken: Taken,
        shared: &mut Shared<'_>,
    ) {
        for gap in taken.gaps {
            self.conversation.miss(side);
            self.directions[side.index()].joiner.clear();
            if self.directions[side.index()].splitter.is_giop() {
                let text = format!("{gap} octets are not in the capture");
                self.note(side, time, text, shared);
            }
        }
        for found in taken.found {
            match found {
                Found::Message(bytes) => self.message(side, time, &bytes, shared),
                Found::Head { header, why } => self.head(side, time, &header, why, shared),
                Found::NoMessage(header) => {
                    self.conversation.miss(side);
                    let preamble = Preamble::new(&header);
                    let mut message = self.new_message(side, time, preamble, shared);
                    message.piece = Piece::Head;
                    message.marks = preamble.marks();
                    shared.events.push_back(Event::Message(message));
                }
                Found::Skipped(count) => {
                    self.conversation.miss(side);
                    let text = format!("{count} octets before the next message were passed over");
                    self.note(side, time, text, shared);
                }
                Found::Foreign => {}
            }
        }
    }

    fn new_message(
        &self,
        side: Side,
        time: Option<Duration>,
        preamble: Preamble,
        shared: &mut Shared<'_>,
    ) -> Message {
        *shared.messages += 1;
        Message {
            number: *shared.messages,
            time,
            way: self.way(side),
            preamble,
            piece: Piece::Whole,
            subject: Subject::Unknown,
            facts: Vec::new(),
            values: Vec::new(),
            answers: None,
            marks: Vec::new(),
        }
    }

    /// A message whose rest is not there.
    fn head(
        &mut self,
        side: Side,
        time: Option<Duration>,
        header: &[u8; HEADER_SIZE],
        why: Missing,
        shared: &mut Shared<'_>,
    ) {
        self.conversation.miss(side);
        let preamble = Preamble::new(header);
        let mut message = self.new_message(side, time, preamble, shared);
        message.piece = Piece::Head;
        message.marks = preamble.marks();
        if self.ends.is_none() && why == Missing::NotCaptured {
            let what = format!(
                "the octets end before the message's {}",
                preamble.total_size()
            );
            message.marks.push(Mark::new(Rule::Truncated, 8, what));
        }
        shared.events.push_back(Event::Message(message));
        let text = match why {
            Missing::TooLarge => format!(
                "the message of {} octets is larger than {} (max_message_size): its header is \
                 explained alone",
                preamble.total_size(),
                shared.limits.max_message_size
            ),
            Missing::NotCaptured => format!(
                "the message of {} octets is not whole: its header is explained alone",
                preamble.total_size()
            ),
        };
        self.note(side, time, text, shared);
    }

    fn message(
        &mut self,
        side: Side,
        time: Option<Duration>,
        bytes: &[u8],
        shared: &mut Shared<'_>,
    ) {
        let Some(header) = bytes.first_chunk() else {
            return;
        };
        let preamble = Preamble::new(header);
        let mut message = self.new_message(side, time, preamble, shared);
        message.marks = preamble.marks();
        let is_piece = preamble.is_readable()
            && preamble.version.minor >= 1
            && (preamble.more_fragments || preamble.message_type == Some(MessageType::Fragment));
        if !is_piece {
            self.explain(side, &preamble, bytes, &[], &mut message, shared);
        } else {
            let joiner = &mut self.directions[side.index()].joiner;
            let joined = joiner.piece(&preamble, bytes, shared.limits);
            // A message that began before the capture, or in a gap, is not blamed for
            // missing pieces.
            let is_complete = self.ends.is_none() || self.conversation.is_complete[side.index()];
            if joined.number > 0 || is_complete {
                message.marks.extend(joined.marks);
            }
            if let Some(request_id) = joined.request_id {
                message.facts.push(Fact::number("request id", request_id));
            }
            message.piece = Piece::Part(joined.number);
            match &joined.whole {
                Some(whole) => {
                    message.facts.clear();
                    message.piece = Piece::Last(joined.number);
                    self.whole(
                        side,
                        &whole.bytes,
                        &whole.realignments,
                        &mut message,
                        shared,
                    );
                }
                None if joined.gave_up => {
                    self.conversation.miss(side);
                    let text = "a message in fragments was given up: there are too many, or it \
                                is too large (max_partial_messages, max_message_size)";
                    self.note(side, time, text.to_owned(), shared);
                }
                None => {}
            }
        }
        shared.events.push_back(Event::Message(message));
    }

    /// A message whose fragments have all come.
    fn whole(
        &mut self,
        side: Side,
        bytes: &[u8],
        realignments: &[Realignment],
        message: &mut Message,
        shared: &mut Shared<'_>,
    ) {
        let Some(header) = bytes.first_chunk() else {
            return;
        };
        let preamble = Preamble::new(header);
        let kind = preamble.message_type.map_or("unknown", MessageType::name);
        message.facts.push(Fact::text("whole message", kind));
        message
            .facts
            .push(Fact::number("whole size", preamble.total_size()));
        self.explain(side, &preamble, bytes, realignments, message, shared);
    }

    fn explain(
        &mut self,
        side: Side,
        preamble: &Preamble,
        bytes: &[u8],
        realignments: &[Realignment],
        message: &mut Message,
        shared: &mut Shared<'_>,
    ) {
        let limits = taut_giop::Limits::DEFAULT;
        let explained = taut_explain::message(preamble, bytes, realignments, &limits);
        self.learn(side, &explained);
        message.marks.extend(explained.marks);
        message.facts.extend(explained.facts);
        if let Subject::Cancel { request_id } = explained.subject {
            self.directions[side.index()].joiner.cancel(request_id);
        }
        let answered = self.conversation.hear(
            side,
            preamble.version,
            &explained.subject,
            (message.number, message.time),
            shared.limits,
            &mut message.marks,
        );
        let operation = match (&explained.subject, &answered) {
            (Subject::Request { operation, .. }, _) => Some((operation.clone(), Kind::Arguments)),
            (Subject::Reply { status, .. }, Some((_, asked))) => {
                let kind = match (status, &explained.body) {
                    (ReplyStatus::NoException, _) => Some(Kind::Results),
                    (ReplyStatus::UserException, Some(body)) => {
                        body.exception.clone().map(Kind::Exception)
                    }
                    _ => None,
                };
                asked.operation.clone().zip(kind)
            }
            _ => None,
        };
        message.answers = answered.map(|(answer, _)| answer);
        message.subject = explained.subject;
        if let Some((operation, kind)) = operation.filter(|_| explained.is_readable) {
            let question = Question {
                operation: &operation,
                kind,
                preamble,
                bytes,
                realignments,
                offset: explained.body.map(|body| body.offset),
                code_sets: self.code_sets,
            };
            shared.interfaces.explain(&question, shared.limits, message);
        }
    }

    /// Notes the facts in a message that concern the whole connection.
    fn learn(&mut self, side: Side, explained: &Explained) {
        if explained.code_sets.is_some() {
            self.code_sets = explained.code_sets;
        }
        let is_opener = self.conversation.opener == Some(side);
        let offers_both_ways = explained.facts.iter().any(|fact| match &fact.value {
            Value::List(values) => values.iter().any(
                |value| matches!(value, Value::Tagged(tagged) if tagged.tag == id::BI_DIR_IIOP),
            ),
            _ => false,
        });
        if is_opener && offers_both_ways {
            self.conversation.is_bidirectional = true;
        }
    }
}

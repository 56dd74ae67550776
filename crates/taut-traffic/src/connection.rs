//! One connection: two streams, their messages, and what these say.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use taut_cdr::Realignment;
use taut_giop::explain::{self, Explained, Mark, Preamble, Rule, Subject};
use taut_giop::message::{HEADER_SIZE, MessageType, ReplyStatus};
use taut_giop::service_context::id;

use crate::capture::Segment;
use crate::conversation::{Conversation, Side};
use crate::joiner::Joiner;
use crate::splitter::{Found, Missing, Splitter};
use crate::stream::{self, Stream};
use crate::values::{Interfaces, Kind, Question};
use crate::{Event, Limits, Message, Note, Piece, Way};

/// What all connections share.
pub(crate) struct Shared<'s> {
    pub(crate) limits: &'s Limits,
    pub(crate) interfaces: &'s Interfaces,
    pub(crate) events: &'s mut VecDeque<Event>,
    /// The number of the last message.
    pub(crate) messages: &'s mut u64,
}

/// One direction.
struct Direction {
    stream: Stream,
    splitter: Splitter,
    joiner: Joiner,
}

impl Direction {
    fn new() -> Self {
        Self {
            stream: Stream::default(),
            splitter: Splitter::new(),
            joiner: Joiner::default(),
        }
    }
}

/// A connection, or a single stream of octets.
pub(crate) struct Connection {
    number: u64,
    /// The ends; none for octets that no packets carried.
    ends: Option<[SocketAddr; 2]>,
    directions: [Direction; 2],
    conversation: Conversation,
    /// The code sets that the client chose.
    code_sets: Option<(u32, u32)>,
    /// When it was last heard of, in packets of the capture.
    pub(crate) last_packet: u64,
}

impl Connection {
    /// A connection of which this is the first segment.
    pub(crate) fn new(number: u64, segment: &Segment<'_>) -> Self {
        Self {
            number,
            ends: Some([segment.from, segment.to]),
            directions: [Direction::new(), Direction::new()],
            conversation: Conversation::new(false),
            code_sets: None,
            last_packet: 0,
        }
    }

    /// Octets of both sides in one stream.
    pub(crate) fn of_octets() -> Self {
        Self {
            number: 0,
            ends: None,
            directions: [Direction::new(), Direction::new()],
            conversation: Conversation::new(true),
            code_sets: None,
            last_packet: 0,
        }
    }

    /// Its number in the capture.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Octets that are kept.
    pub(crate) fn kept(&self) -> usize {
        let kept = |direction: &Direction| {
            direction.stream.kept() + direction.splitter.kept() + direction.joiner.kept()
        };
        self.directions.iter().map(kept).sum()
    }

    /// Whether a segment begins another connection between the same ends.
    pub(crate) fn is_begun_again_by(&self, segment: &Segment<'_>) -> bool {
        let direction = &self.directions[self.side(segment).index()];
        segment.begins
            && !segment.acknowledges
            && direction.stream.kept() == 0
            && direction.splitter.is_giop()
    }

    fn side(&self, segment: &Segment<'_>) -> Side {
        match self.ends {
            Some([a, _]) if a != segment.from => Side::B,
            _ => Side::A,
        }
    }

    /// Takes a segment.
    pub(crate) fn segment(&mut self, segment: &Segment<'_>, shared: &mut Shared<'_>) {
        let side = self.side(segment);
        if segment.begins {
            let stream = &mut self.directions[side.index()].stream;
            if stream.is_new() {
                stream.begin(segment.sequence);
                self.conversation.is_complete[side.index()] = true;
                let opener = match segment.acknowledges {
                    true => side.other(),
                    false => side,
                };
                self.conversation.opener = Some(opener);
            }
            return;
        }
        let direction = &mut self.directions[side.index()];
        if direction.stream.is_new() && !segment.payload.is_empty() {
            direction.splitter.begin_in_the_middle();
        }
        let mut found = Vec::new();
        let is_giop = self.directions[side.other().index()].splitter.is_giop();
        let Direction {
            stream, splitter, ..
        } = &mut self.directions[side.index()];
        let mut gaps = Vec::new();
        stream.segment(
            segment.sequence,
            segment.payload,
            segment.cut,
            shared.limits,
            &mut |piece| {
                take(
                    piece,
                    splitter,
                    is_giop,
                    shared.limits,
                    &mut found,
                    &mut gaps,
                )
            },
        );
        self.found(side, segment.time, found, gaps, shared);
    }

    /// Takes octets that no packets carried.
    pub(crate) fn octets(&mut self, octets: &[u8], shared: &mut Shared<'_>) {
        let mut found = Vec::new();
        let splitter = &mut self.directions[0].splitter;
        splitter.octets(octets, true, shared.limits, &mut found);
        self.found(Side::A, None, found, Vec::new(), shared);
    }

    /// Nothing more will come.
    pub(crate) fn finish(&mut self, shared: &mut Shared<'_>) {
        for side in [Side::A, Side::B] {
            let is_giop = self.directions[side.other().index()].splitter.is_giop();
            let mut found = Vec::new();
            let mut gaps = Vec::new();
            let Direction {
                stream, splitter, ..
            } = &mut self.directions[side.index()];
            stream.finish(&mut |piece| {
                take(
                    piece,
                    splitter,
                    is_giop,
                    shared.limits,
                    &mut found,
                    &mut gaps,
                );
            });
            splitter.finish(&mut found);
            self.found(side, None, found, gaps, shared);
            self.say_what_was_unusual(side, shared);
        }
    }

    fn say_what_was_unusual(&mut self, side: Side, shared: &mut Shared<'_>) {
        let direction = &self.directions[side.index()];
        if !direction.splitter.is_giop() {
            return;
        }
        let mut said = Vec::new();
        let mut say = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => said.push(format!("1 {one}")),
            _ => said.push(format!("{count} {many}")),
        };
        let stream = &direction.stream;
        say(
            stream.repeated_octets,
            "octet was sent again",
            "octets were sent again",
        );
        say(
            stream.early_segments,
            "segment came out of order",
            "segments came out of order",
        );
        say(
            direction.joiner.incomplete() as u64,
            "message lacks its last fragments",
            "messages lack their last fragments",
        );
        if !said.is_empty() {
            self.note(side, None, said.join(", "), shared);
        }
    }

    fn way(&self, side: Side) -> Option<Way> {
        let [a, b] = self.ends?;
        let (from, to) = match side {
            Side::A => (a, b),
            Side::B => (b, a),
        };
        Some(Way {
            connection: self.number,
            from,
            to,
            from_opener: self.conversation.opener.map(|opener| opener == side),
        })
    }

    fn note(&self, side: Side, time: Option<Duration>, text: String, shared: &mut Shared<'_>) {
        let way = self.way(side);
        shared
            .events
            .push_back(Event::Note(Note { time, way, text }));
    }

    fn found(
        &mut self,
        side: Side,
        time: Option<Duration>,
        found: Vec<Found>,
        gaps: Vec<u64>,
        shared: &mut Shared<'_>,
    ) {
        for gap in gaps {
            self.conversation.miss(side);
            self.directions[side.index()].joiner.clear();
            if self.directions[side.index()].splitter.is_giop() {
                let text = format!("{gap} octets are not in the capture");
                self.note(side, time, text, shared);
            }
        }
        for found in found {
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
            // What began before the capture, or in a gap, is nobody's fault.
            let is_complete = self.ends.is_none() || self.conversation.is_complete[side.index()];
            if joined.number > 0 || is_complete {
                message.marks.extend(joined.marks);
            }
            if let Some(request_id) = joined.request_id {
                message
                    .facts
                    .push(explain::Fact::number("request id", request_id));
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
        message
            .facts
            .push(explain::Fact::text("whole message", kind));
        message
            .facts
            .push(explain::Fact::number("whole size", preamble.total_size()));
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
        let explained = explain::message(preamble, bytes, realignments, &limits);
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

    /// What a message says of the whole connection.
    fn learn(&mut self, side: Side, explained: &Explained) {
        if explained.code_sets.is_some() {
            self.code_sets = explained.code_sets;
        }
        let is_opener = self.conversation.opener == Some(side);
        let offers_both_ways = explained.facts.iter().any(|fact| {
            match &fact.value {
            explain::Value::List(values) => values.iter().any(|value| {
                matches!(value, explain::Value::Tagged(tagged) if tagged.tag == id::BI_DIR_IIOP)
            }),
            _ => false,
        }
        });
        if is_opener && offers_both_ways {
            self.conversation.is_bidirectional = true;
        }
    }
}

/// Hands a piece of a stream to its splitter.
fn take(
    piece: stream::Piece<'_>,
    splitter: &mut Splitter,
    is_giop: bool,
    limits: &Limits,
    found: &mut Vec<Found>,
    gaps: &mut Vec<u64>,
) {
    match piece {
        stream::Piece::Octets(octets) => splitter.octets(octets, is_giop, limits, found),
        stream::Piece::Gap(count) => {
            splitter.gap(count, found);
            gaps.push(count);
        }
    }
}

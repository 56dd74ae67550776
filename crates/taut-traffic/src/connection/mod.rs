//! One connection: two streams, their messages, and what these say.

mod direction;
mod messages;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use self::direction::{Direction, Taken};
use crate::capture::Segment;
use crate::conversation::{Conversation, Side};
use crate::values::Interfaces;
use crate::{Event, Limits, Note, Way};

/// The parts that all connections share.
pub(crate) struct Shared<'s> {
    pub(crate) limits: &'s Limits,
    pub(crate) interfaces: &'s Interfaces,
    pub(crate) events: &'s mut VecDeque<Event>,
    /// The number of the last message.
    pub(crate) messages: &'s mut u64,
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
        self.directions.iter().map(Direction::kept).sum()
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
        let is_giop = self.directions[side.other().index()].splitter.is_giop();
        let taken = self.directions[side.index()].segment(segment, is_giop, shared.limits);
        self.take(side, segment.time, taken, shared);
    }

    /// Takes octets that no packets carried.
    pub(crate) fn octets(&mut self, octets: &[u8], shared: &mut Shared<'_>) {
        let mut taken = Taken::default();
        let splitter = &mut self.directions[0].splitter;
        splitter.octets(octets, true, shared.limits, &mut taken.found);
        self.take(Side::A, None, taken, shared);
    }

    /// How many octets in a row are being passed over, where no packets carry them.
    pub(crate) fn passed_over(&self) -> u64 {
        self.directions[0].splitter.passed_over()
    }

    /// Nothing more will come.
    pub(crate) fn finish(&mut self, shared: &mut Shared<'_>) {
        for side in [Side::A, Side::B] {
            let is_giop = self.directions[side.other().index()].splitter.is_giop();
            let taken = self.directions[side.index()].finish(is_giop, shared.limits);
            self.take(side, None, taken, shared);
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
}

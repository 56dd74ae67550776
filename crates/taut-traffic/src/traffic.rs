//! A capture from its first packet to its last.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Read;
use std::net::SocketAddr;

use crate::capture::{self, Capture, Refusal, Segment, Step};
use crate::connection::{Connection, Shared};
use crate::values::Interfaces;
use crate::{CaptureError, Event, Limits, Note};

/// Octets that are read at a time where no packets carry them.
const READ: usize = 64 << 10;

/// The settings of reading a capture.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The limits of its cost.
    pub limits: Limits,
    /// The operations whose arguments and results shall be explained.
    pub interfaces: Interfaces,
}

/// Reads a capture, and tells what is in it, event by event.
pub struct Traffic<'r> {
    options: Options,
    capture: Capture<'r>,
    connections: Connections,
    events: VecDeque<Event>,
    is_over: bool,
}

/// The connections of a capture.
#[derive(Default)]
struct Connections {
    /// By their ends, the lesser first.
    open: HashMap<[SocketAddr; 2], Connection>,
    /// The stream of octets that no packets carry.
    octets: Option<Connection>,
    kept: usize,
    /// Packets, connections and messages so far.
    packets: u64,
    connections: u64,
    messages: u64,
    /// Packets that gave no segment, by the reason.
    refused: HashMap<Refusal, u64>,
    given_up: u64,
}

impl<'r> Traffic<'r> {
    /// Opens a capture: pcap, pcapng, a hex dump, or messages as they are.
    ///
    /// # Errors
    ///
    /// [`CaptureError`] when it cannot be read or is none of these.
    pub fn open(input: impl Read + Send + 'r, options: Options) -> Result<Self, CaptureError> {
        let capture = Capture::open(input, &options.limits)?;
        Ok(Self {
            options,
            capture,
            connections: Connections::default(),
            events: VecDeque::new(),
            is_over: false,
        })
    }

    /// The next event; none at the end.
    ///
    /// # Errors
    ///
    /// [`CaptureError`] when the capture cannot be read on. The events that were found
    /// until then have been returned.
    pub fn next_event(&mut self) -> Result<Option<Event>, CaptureError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            self.read_on()?;
        }
    }

    fn read_on(&mut self) -> Result<(), CaptureError> {
        let Self {
            options,
            capture,
            connections,
            events,
            is_over,
        } = self;
        let limits = &options.limits;
        match capture {
            Capture::Packets(packets) => {
                let interfaces = &options.interfaces;
                let step = packets.next(|packet| {
                    connections.packets += 1;
                    match capture::segment(packet) {
                        Ok(segment) => connections.segment(&segment, limits, interfaces, events),
                        Err(refusal) => *connections.refused.entry(refusal).or_default() += 1,
                    }
                })?;
                match step {
                    Step::Packet => return Ok(()),
                    Step::End => {}
                    Step::CutOff => note(events, "the capture ends in the middle of a packet"),
                }
            }
            Capture::Octets(input) => {
                connections.check_passed_over(limits)?;
                let mut octets = Vec::new();
                let count = input.by_ref().take(READ as u64).read_to_end(&mut octets)?;
                if count > 0 {
                    connections.octets(&octets, limits, &options.interfaces, events);
                    return Ok(());
                }
            }
        }
        *is_over = true;
        connections.finish(limits, &options.interfaces, events);
        Ok(())
    }
}

impl Connections {
    fn segment(
        &mut self,
        segment: &Segment<'_>,
        limits: &Limits,
        interfaces: &Interfaces,
        events: &mut VecDeque<Event>,
    ) {
        let mut ends = [segment.from, segment.to];
        ends.sort_unstable();
        let mut shared = Shared {
            limits,
            interfaces,
            events,
            messages: &mut self.messages,
        };
        let is_another = |known: &Connection| known.is_begun_again_by(segment);
        if self.open.get(&ends).is_some_and(is_another)
            && let Some(mut ended) = self.open.remove(&ends)
        {
            self.kept -= ended.kept();
            ended.finish(&mut shared);
        }
        if !self.open.contains_key(&ends) && self.open.len() >= limits.max_connections.max(1) {
            self.give_up_one(limits, interfaces, events);
            shared = Shared {
                limits,
                interfaces,
                events,
                messages: &mut self.messages,
            };
        }
        let number = &mut self.connections;
        let connection = self.open.entry(ends).or_insert_with(|| {
            *number += 1;
            Connection::new(*number, segment)
        });
        connection.last_packet = self.packets;
        let before = connection.kept();
        connection.segment(segment, &mut shared);
        self.kept = self.kept - before + connection.kept();
        if segment.resets
            && let Some(mut ended) = self.open.remove(&ends)
        {
            self.kept -= ended.kept();
            ended.finish(&mut shared);
        }
        while self.kept > limits.max_kept && !self.open.is_empty() {
            self.give_up_one(limits, interfaces, events);
        }
    }

    fn octets(
        &mut self,
        octets: &[u8],
        limits: &Limits,
        interfaces: &Interfaces,
        events: &mut VecDeque<Event>,
    ) {
        let connection = self.octets.get_or_insert_with(Connection::of_octets);
        let mut shared = Shared {
            limits,
            interfaces,
            events,
            messages: &mut self.messages,
        };
        connection.octets(octets, &mut shared);
    }

    /// Checks, before more is read, that not too much of the octets that no packets carry
    /// is passed over.
    fn check_passed_over(&self, limits: &Limits) -> Result<(), CaptureError> {
        let limit = limits.max_passed_over;
        match &self.octets {
            Some(octets) if octets.passed_over() > limit => {
                Err(CaptureError::TooMuchPassedOver { limit })
            }
            _ => Ok(()),
        }
    }

    /// Ends the connection that has been silent for longest.
    fn give_up_one(
        &mut self,
        limits: &Limits,
        interfaces: &Interfaces,
        events: &mut VecDeque<Event>,
    ) {
        let oldest = self.open.iter().min_by_key(|(_, known)| known.last_packet);
        let Some(ends) = oldest.map(|(ends, _)| *ends) else {
            return;
        };
        if let Some(mut ended) = self.open.remove(&ends) {
            self.given_up += 1;
            self.kept -= ended.kept();
            ended.finish(&mut Shared {
                limits,
                interfaces,
                events,
                messages: &mut self.messages,
            });
        }
    }

    /// Ends all connections, and says what was left out.
    fn finish(&mut self, limits: &Limits, interfaces: &Interfaces, events: &mut VecDeque<Event>) {
        let open = std::mem::take(&mut self.open).into_values();
        let mut ended: Vec<Connection> = open.chain(self.octets.take()).collect();
        ended.sort_by_key(Connection::number);
        for mut connection in ended {
            connection.finish(&mut Shared {
                limits,
                interfaces,
                events,
                messages: &mut self.messages,
            });
        }
        if self.given_up > 0 {
            let text = format!(
                "{} connections were given up before their end (max_connections, max_kept)",
                self.given_up
            );
            note(events, text);
        }
        let refused: BTreeMap<String, u64> = self
            .refused
            .iter()
            .filter_map(|(refusal, count)| Some((reason(*refusal)?, *count)))
            .collect();
        for (reason, count) in refused {
            note(events, format!("{count} packets were left out: {reason}"));
        }
    }
}

/// Why packets were left out, if that is worth a word.
fn reason(refusal: Refusal) -> Option<String> {
    match refusal {
        Refusal::NotTcp => None,
        Refusal::Malformed => Some("malformed, or too little was captured of them".to_owned()),
        Refusal::IpFragment => Some("parts of IP packets, which are not put together".to_owned()),
        Refusal::Link(-1) => Some("the capture does not say what their link is".to_owned()),
        Refusal::Link(number) => Some(format!("their link (LINKTYPE {number}) is not known")),
    }
}

fn note(events: &mut VecDeque<Event>, text: impl Into<String>) {
    events.push_back(Event::Note(Note {
        time: None,
        way: None,
        text: text.into(),
    }));
}

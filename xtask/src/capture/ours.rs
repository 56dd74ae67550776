//! The messages that Taut sent, as Taut reads them.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::Path;

use taut_explain::{Content, Fact, Subject, Value};
use taut_traffic::{Event, Message, Options, Traffic};

use super::fault;
use super::packet::{Counts, Packet};
use crate::command::ChoreError;

/// The messages that Taut sent, as Taut reads them.
#[derive(Default)]
pub(super) struct Ours {
    pub(super) packets: BTreeSet<Packet>,
    pub(super) counts: Counts,
    pub(super) marks: Vec<String>,
}

/// One message, as far as it matters here.
struct Sent {
    connection: u64,
    packet: Packet,
    kind: (u8, u8),
    marks: Vec<String>,
}

impl Ours {
    pub(super) fn read(capture: &Path) -> Result<Self, ChoreError> {
        let file = File::open(capture).map_err(|source| ChoreError::File {
            path: capture.to_path_buf(),
            source,
        })?;
        let unreadable = |error: taut_traffic::CaptureError| fault(capture, error.to_string());
        let mut traffic = Traffic::open(file, Options::default()).map_err(unreadable)?;
        let mut all = Vec::new();
        // The senders in each connection whose messages are Taut's, and whether
        // that is certain.
        let mut senders: HashMap<u64, (String, bool)> = HashMap::new();
        while let Some(event) = traffic.next_event().map_err(unreadable)? {
            let Event::Message(message) = event else {
                continue;
            };
            let Some(sent) = sent(&message) else {
                continue;
            };
            let names_taut = names_taut(&message.facts);
            let (_, from, to) = &sent.packet;
            let taut = match message.subject {
                Subject::Request { .. } | Subject::LocateRequest { .. } => {
                    Some(if names_taut { to } else { from })
                }
                // Plain keys tell nothing; who forwards them to Taut is Taut.
                Subject::Reply { .. } | Subject::LocateReply { .. } if names_taut => Some(from),
                _ => None,
            };
            if let Some(taut) = taut.cloned() {
                let known = senders
                    .entry(sent.connection)
                    .or_insert_with(|| (taut.clone(), names_taut));
                if names_taut && !known.1 {
                    *known = (taut, true);
                }
            }
            all.push(sent);
        }
        let mut ours = Self::default();
        for sent in all {
            let is_ours = senders
                .get(&sent.connection)
                .is_some_and(|(taut, _)| *taut == sent.packet.1);
            if is_ours {
                *ours.counts.entry(sent.kind).or_default() += 1;
                ours.packets.insert(sent.packet);
                ours.marks.extend(sent.marks);
            }
        }
        Ok(ours)
    }
}

fn sent(message: &Message) -> Option<Sent> {
    let way = message.way?;
    let at = |place: &str| format!("message {}: {place}", message.number);
    Some(Sent {
        connection: way.connection,
        packet: (
            message.time?.as_nanos(),
            way.from.to_string(),
            way.to.to_string(),
        ),
        kind: (message.preamble.version.minor, message.preamble.type_octet),
        marks: message
            .marks
            .iter()
            .map(|mark| at(&mark.to_string()))
            .collect(),
    })
}

/// Whether a request's target, or the reference in a reply, has a key of Taut's.
fn names_taut(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| match &fact.value {
        Value::Text(text) => fact.name == "form" && text == "Taut",
        Value::Facts(facts) => names_taut(facts),
        Value::List(values) => values.iter().any(|value| match value {
            Value::Tagged(tagged) => match &tagged.content {
                Content::Known(facts) => names_taut(facts),
                _ => false,
            },
            _ => false,
        }),
        _ => false,
    })
}

//! The state of the conversation between the two ends of a connection: which reply answers
//! which request, and what neither may do.

use std::collections::HashMap;
use std::time::Duration;

use taut_explain::{Mark, Rule, Subject};
use taut_giop::Version;
use taut_giop::message::MessageType;

use crate::{Answer, Limits};

/// One of the two ends; what is not in packets comes from [`Side::A`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    A,
    B,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    pub(crate) fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }
}

/// A request that waits for its reply.
#[derive(Debug, Clone)]
pub(crate) struct Outstanding {
    pub(crate) number: u64,
    pub(crate) time: Option<Duration>,
    /// None for a LocateRequest.
    pub(crate) operation: Option<String>,
    pub(crate) is_cancelled: bool,
}

/// The knowledge about both ends.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// The requests of each side, by id.
    outstanding: [HashMap<u32, Outstanding>; 2],
    /// Whether all messages of each side are known, so that a reply to none of
    /// its requests is a reply to nobody.
    pub(crate) is_complete: [bool; 2],
    /// Whether each side has said goodbye.
    closed: [bool; 2],
    /// The side that opened the connection, if that was captured.
    pub(crate) opener: Option<Side>,
    /// Whether the opener allows requests of the other side.
    pub(crate) is_bidirectional: bool,
    /// Whether both sides are in one stream.
    is_one_stream: bool,
}

impl Conversation {
    /// A conversation; `is_one_stream` if both sides' messages come as one.
    pub(crate) fn new(is_one_stream: bool) -> Self {
        Self {
            outstanding: [HashMap::new(), HashMap::new()],
            is_complete: [false; 2],
            closed: [false; 2],
            opener: None,
            is_bidirectional: false,
            is_one_stream,
        }
    }

    /// Hears a message: what it answers, and what is wrong with its coming now.
    pub(crate) fn hear(
        &mut self,
        from: Side,
        version: Version,
        subject: &Subject,
        (number, time): (u64, Option<Duration>),
        limits: &Limits,
        marks: &mut Vec<Mark>,
    ) -> Option<(Answer, Outstanding)> {
        if !self.is_one_stream {
            if self.closed[from.index()] {
                let what = "a message after CloseConnection";
                marks.push(Mark::new(Rule::AfterClose, 7, what));
            }
            self.check_direction(from, version, subject, marks);
        }
        match subject {
            Subject::Request {
                request_id,
                expects_reply,
                operation,
            } => {
                let operation = Some(operation.clone());
                let asked = (number, time, operation);
                self.ask(from, *request_id, *expects_reply, asked, limits, marks);
                None
            }
            Subject::LocateRequest { request_id } => {
                self.ask(from, *request_id, true, (number, time, None), limits, marks);
                None
            }
            Subject::Reply { request_id, .. } => {
                self.answer(from, *request_id, time, true, version, marks)
            }
            Subject::LocateReply { request_id } => {
                self.answer(from, *request_id, time, false, version, marks)
            }
            Subject::Cancel { request_id } => {
                let asked = self.outstanding[from.index()].get_mut(request_id)?;
                asked.is_cancelled = true;
                Some((answer(asked, time), asked.clone()))
            }
            Subject::Close => {
                self.closed[from.index()] = true;
                None
            }
            _ => None,
        }
    }

    /// Octets of a side are missing: what it said is not fully known any more.
    pub(crate) fn miss(&mut self, from: Side) {
        self.is_complete[from.index()] = false;
    }

    fn ask(
        &mut self,
        from: Side,
        request_id: u32,
        expects_reply: bool,
        (number, time, operation): (u64, Option<Duration>, Option<String>),
        limits: &Limits,
        marks: &mut Vec<Mark>,
    ) {
        let outstanding = &mut self.outstanding[from.index()];
        if let Some(earlier) = outstanding.get(&request_id) {
            let what = format!(
                "request id {request_id} is still in use by message {}",
                earlier.number
            );
            marks.push(Mark::new(Rule::RequestId, 12, what));
        }
        if !expects_reply {
            return;
        }
        if outstanding.len() >= limits.max_outstanding.max(1)
            && let Some(oldest) = oldest(outstanding)
        {
            outstanding.remove(&oldest);
            self.is_complete[from.index()] = false;
        }
        let asked = Outstanding {
            number,
            time,
            operation,
            is_cancelled: false,
        };
        self.outstanding[from.index()].insert(request_id, asked);
    }

    fn answer(
        &mut self,
        from: Side,
        request_id: u32,
        time: Option<Duration>,
        is_reply: bool,
        version: Version,
        marks: &mut Vec<Mark>,
    ) -> Option<(Answer, Outstanding)> {
        let asker = match self.is_one_stream {
            true => from,
            false => from.other(),
        };
        // Where a reply has its id depends on the version.
        let offset = match version.minor {
            0 | 1 if is_reply => 16,
            _ => 12,
        };
        let Some(asked) = self.outstanding[asker.index()].remove(&request_id) else {
            if self.is_complete[asker.index()] {
                let what = format!("no request {request_id} waits for a reply");
                marks.push(Mark::new(Rule::Unasked, offset, what));
            }
            return None;
        };
        if asked.operation.is_some() != is_reply {
            let (got, wanted) = match is_reply {
                true => ("Reply", "LocateRequest"),
                false => ("LocateReply", "Request"),
            };
            let what = format!("a {got} answers the {wanted} of message {}", asked.number);
            marks.push(Mark::new(Rule::Unasked, 7, what));
        }
        Some((answer(&asked, time), asked))
    }

    /// Marks what only the other side may send.
    fn check_direction(
        &self,
        from: Side,
        version: Version,
        subject: &Subject,
        marks: &mut Vec<Mark>,
    ) {
        let Some(opener) = self.opener else {
            return;
        };
        let is_opener = from == opener;
        let may_both = version.minor >= 2 && self.is_bidirectional;
        let kind = match subject {
            Subject::Request { .. } if !is_opener && !may_both => MessageType::Request,
            Subject::LocateRequest { .. } if !is_opener && !may_both => MessageType::LocateRequest,
            Subject::Cancel { .. } if !is_opener && !may_both => MessageType::CancelRequest,
            Subject::Reply { .. } if is_opener && !may_both => MessageType::Reply,
            Subject::LocateReply { .. } if is_opener && !may_both => MessageType::LocateReply,
            Subject::Close if is_opener && version.minor < 2 => MessageType::CloseConnection,
            _ => return,
        };
        let side = match is_opener {
            true => "opened",
            false => "accepted",
        };
        let what = format!(
            "a {} of GIOP {version} from the side that {side} the connection",
            kind.name()
        );
        marks.push(Mark::new(Rule::Direction, 7, what));
    }
}

fn answer(asked: &Outstanding, time: Option<Duration>) -> Answer {
    Answer {
        number: asked.number,
        operation: asked.operation.clone(),
        after: time
            .zip(asked.time)
            .and_then(|(now, then)| now.checked_sub(then)),
    }
}

fn oldest(outstanding: &HashMap<u32, Outstanding>) -> Option<u32> {
    let oldest = outstanding.iter().min_by_key(|(_, asked)| asked.number);
    oldest.map(|(request_id, _)| *request_id)
}

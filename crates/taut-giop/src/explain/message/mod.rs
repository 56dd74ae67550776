//! Messages explained: what they say, and where they break the standard.
//!
//! The readers that an ORB uses refuse a message at its first fault. This one
//! goes on as far as it can: [`Preamble`] reads the header of whatever octets
//! there are, [`message`] what stands behind it, and each notes its [`Mark`]s.

mod exception;
mod preamble;
mod rule;
mod walk;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Realignment, Result};

use super::{Content, Fact, Tagged, Value, object_key, profile, reference, service_context};
use crate::ior::{Ior, TaggedProfile};
use crate::message::{HEADER_SIZE, LocateStatus, MessageType, ReplyStatus, ResponseFlags};
use crate::service_context::{ServiceContext, id};
use crate::{Limits, Version};

pub use preamble::Preamble;
pub use rule::{Mark, Rule};
use walk::Walk;

/// What a message is about, for whoever matches replies with requests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// A call.
    Request {
        /// Its id.
        request_id: u32,
        /// Whether a reply is to come.
        expects_reply: bool,
        /// The operation's name.
        operation: String,
    },
    /// The answer to a call.
    Reply {
        /// The request's id.
        request_id: u32,
        /// What came of it.
        status: ReplyStatus,
    },
    /// The caller no longer wants the answer.
    Cancel {
        /// The request's id.
        request_id: u32,
    },
    /// The question where an object is.
    LocateRequest {
        /// Its id.
        request_id: u32,
    },
    /// The answer to that question.
    LocateReply {
        /// The question's id.
        request_id: u32,
    },
    /// The end of the connection.
    Close,
    /// The sender did not understand.
    Error,
    /// Nothing that could be found out.
    Unknown,
}

/// Arguments, results or a user exception's members, which only who knows the
/// operation can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The first octet, from that of the message's header.
    pub offset: usize,
    /// The exception's repository id, if it is one.
    pub exception: Option<String>,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What it is about.
    pub subject: Subject,
    /// What it says.
    pub facts: Vec<Fact>,
    /// What it breaks.
    pub marks: Vec<Mark>,
    /// Whether all of it could be read, up to the body.
    pub is_readable: bool,
    /// What only the operation's types tell. None when there is no such thing,
    /// or when a fault hides where it begins.
    pub body: Option<Body>,
    /// The code sets that a client names for the connection: those of `char` and
    /// `wchar`.
    pub code_sets: Option<(u32, u32)>,
}

/// Explains a whole message: `bytes` with its header, which `preamble` has been
/// read from. If it was made of fragments, `realignments` say where alignment
/// starts anew; see [`crate::framing::Reassembled`].
///
/// Fragments say nothing by themselves; join them first.
pub fn message(
    preamble: &Preamble,
    bytes: &[u8],
    realignments: &[Realignment],
    limits: &Limits,
) -> Explained {
    let mut input = Decoder::new(bytes, preamble.order);
    // Fewer octets than a header hold nothing behind it either.
    let _ = input.skip(HEADER_SIZE.min(bytes.len()));
    let mut reader = Reader {
        walk: Walk::new(input, bytes, realignments),
        version: preamble.version,
        limits,
        facts: Vec::new(),
        subject: Subject::Unknown,
        body: None,
        code_sets: None,
        is_marked: false,
    };
    let mut is_readable = false;
    if preamble.is_readable()
        && let Some(kind) = preamble.message_type
    {
        match reader.message(kind) {
            Ok(()) => is_readable = true,
            Err(error) => {
                if !reader.is_marked {
                    reader.walk.fault(&error);
                }
                reader.body = None;
            }
        }
    }
    Explained {
        subject: reader.subject,
        facts: reader.facts,
        marks: reader.walk.marks,
        is_readable,
        body: reader.body,
        code_sets: reader.code_sets,
    }
}

struct Reader<'m, 'l> {
    walk: Walk<'m>,
    version: Version,
    limits: &'l Limits,
    facts: Vec<Fact>,
    subject: Subject,
    body: Option<Body>,
    code_sets: Option<(u32, u32)>,
    /// Whether the fault that ends the reading is marked already.
    is_marked: bool,
}

impl Reader<'_, '_> {
    fn message(&mut self, kind: MessageType) -> Result<()> {
        match kind {
            MessageType::Request => self.request(),
            MessageType::Reply => self.reply(),
            MessageType::CancelRequest => {
                let request_id = self.request_id()?;
                self.subject = Subject::Cancel { request_id };
                self.end();
                Ok(())
            }
            MessageType::LocateRequest => {
                let request_id = self.request_id()?;
                self.subject = Subject::LocateRequest { request_id };
                self.target()?;
                self.end();
                Ok(())
            }
            MessageType::LocateReply => self.locate_reply(),
            MessageType::CloseConnection => {
                self.subject = Subject::Close;
                self.end();
                Ok(())
            }
            MessageType::MessageError => {
                self.subject = Subject::Error;
                self.end();
                Ok(())
            }
            MessageType::Fragment => Ok(()),
        }
    }

    fn fact(&mut self, name: &'static str, value: Value) {
        self.facts.push(Fact::new(name, value));
    }

    fn request_id(&mut self) -> Result<u32> {
        let request_id: u32 = self.walk.read()?;
        self.facts.push(Fact::number("request id", request_id));
        Ok(request_id)
    }

    fn request(&mut self) -> Result<()> {
        let is_1_2 = self.version.has_layout_1_2();
        if !is_1_2 {
            self.service_contexts()?;
        }
        let request_id = self.request_id()?;
        self.subject = Subject::Request {
            request_id,
            expects_reply: true,
            operation: String::new(),
        };
        let response = if is_1_2 {
            let flags: u8 = self.walk.read()?;
            let known = ResponseFlags::from_octet(flags);
            if known.is_none() {
                let offset = self.walk.position() - 1;
                let what = format!("the response flags are {flags:#04x}, none of 0, 1 and 3");
                self.walk.mark(Rule::ResponseFlags, offset, what);
            }
            // The lowest bit asks for a reply, whatever the others mean.
            known.unwrap_or(match flags & 1 {
                0 => ResponseFlags::None,
                _ => ResponseFlags::Expected,
            })
        } else {
            match self.walk.boolean()? {
                true => ResponseFlags::Expected,
                false => ResponseFlags::None,
            }
        };
        let name = match response {
            ResponseFlags::None => "none",
            ResponseFlags::SyncWithServer => "from the server's ORB",
            ResponseFlags::Expected => "expected",
        };
        self.facts.push(Fact::text("response", name));
        if self.version.minor >= 1 {
            self.walk.reserved(3)?;
        }
        self.target()?;
        let operation = text(self.walk.string()?);
        self.facts.push(Fact::text("operation", operation.as_str()));
        self.subject = Subject::Request {
            request_id,
            expects_reply: response.expects_reply(),
            operation,
        };
        if is_1_2 {
            self.service_contexts()?;
        } else {
            let principal = self.walk.octets()?;
            if !principal.is_empty() {
                self.fact("requesting principal", Value::Octets(principal.to_vec()));
            }
        }
        self.begin_body()
    }

    fn reply(&mut self) -> Result<()> {
        let is_1_2 = self.version.has_layout_1_2();
        if !is_1_2 {
            self.service_contexts()?;
        }
        let request_id = self.request_id()?;
        let number: u32 = self.walk.read()?;
        let known = if is_1_2 { 6 } else { 4 };
        let status = match ReplyStatus::from_number(number) {
            Some(status) if number < known => status,
            _ => {
                let what = format!("there is no reply status {number} in GIOP {}", self.version);
                let offset = self.walk.position() - 4;
                self.walk.mark(Rule::Status, offset, what);
                self.subject = Subject::Reply {
                    request_id,
                    status: ReplyStatus::NoException,
                };
                return Ok(());
            }
        };
        self.subject = Subject::Reply { request_id, status };
        self.facts.push(Fact::text("status", status.name()));
        if is_1_2 {
            self.service_contexts()?;
        }
        match status {
            ReplyStatus::NoException => self.begin_body(),
            _ if is_1_2 => {
                self.walk.align(8)?;
                self.outcome(status)
            }
            _ => self.outcome(status),
        }
    }

    /// What a Reply says instead of results.
    fn outcome(&mut self, status: ReplyStatus) -> Result<()> {
        match status {
            ReplyStatus::NoException => Ok(()),
            ReplyStatus::UserException => {
                let mut ahead = self.walk.input.clone();
                let offset = self.walk.position();
                let id = text(ahead.read_string_octets()?);
                self.facts.push(Fact::text("exception", id.as_str()));
                self.body = Some(Body {
                    offset,
                    exception: Some(id),
                });
                Ok(())
            }
            ReplyStatus::SystemException => self.system_exception(),
            ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => self.forward(),
            ReplyStatus::NeedsAddressingMode => self.addressing_mode(),
        }
    }

    fn locate_reply(&mut self) -> Result<()> {
        let request_id = self.request_id()?;
        self.subject = Subject::LocateReply { request_id };
        let number: u32 = self.walk.read()?;
        let known = if self.version.has_layout_1_2() { 6 } else { 3 };
        let status = match LocateStatus::from_number(number) {
            Some(status) if number < known => status,
            _ => {
                let what = format!(
                    "there is no locate status {number} in GIOP {}",
                    self.version
                );
                let offset = self.walk.position() - 4;
                self.walk.mark(Rule::Status, offset, what);
                return Ok(());
            }
        };
        self.facts.push(Fact::text("status", status.name()));
        match status {
            LocateStatus::UnknownObject | LocateStatus::ObjectHere => {
                self.end();
                Ok(())
            }
            LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => self.forward(),
            LocateStatus::LocSystemException => self.system_exception(),
            LocateStatus::LocNeedsAddressingMode => self.addressing_mode(),
        }
    }

    fn system_exception(&mut self) -> Result<()> {
        let exception = exception::read(&mut self.walk)?;
        self.fact("system exception", Value::Facts(exception));
        self.end();
        Ok(())
    }

    fn forward(&mut self) -> Result<()> {
        let ior = Ior::decode_within(&mut self.walk.input, self.limits)?;
        let at = self.walk.position();
        let facts = reference(&ior);
        self.mark_malformed(&facts, at);
        self.fact("forward to", Value::Facts(facts));
        self.end();
        Ok(())
    }

    fn addressing_mode(&mut self) -> Result<()> {
        let mode: i16 = self.walk.read()?;
        match mode_name(mode) {
            Some(name) => self.facts.push(Fact::text("wanted target", name)),
            None => self.no_such_mode(mode),
        }
        self.end();
        Ok(())
    }

    fn no_such_mode(&mut self, mode: i16) {
        let what = format!("the addressing mode is {mode}, none of 0, 1 and 2");
        let offset = self.walk.position() - 2;
        self.walk.mark(Rule::Target, offset, what);
    }

    fn target(&mut self) -> Result<()> {
        let mode = match self.version.has_layout_1_2() {
            true => self.walk.read::<i16>()?,
            false => 0,
        };
        let facts = match mode {
            0 => object_key(self.walk.octets()?, None),
            1 => {
                let tag = self.walk.read()?;
                let data = self.walk.octets()?.to_vec();
                let profile = profile(&TaggedProfile { tag, data });
                alloc::vec![Fact::new("profile", Value::Tagged(profile))]
            }
            2 => {
                let index: u32 = self.walk.read()?;
                let ior = Ior::decode_within(&mut self.walk.input, self.limits)?;
                let mut facts = alloc::vec![Fact::number("selected profile", index)];
                facts.extend(reference(&ior));
                facts
            }
            _ => {
                // Nobody knows what follows.
                self.no_such_mode(mode);
                self.is_marked = true;
                let kind = taut_cdr::ErrorKind::Invalid("the form of the target is not known");
                return Err(self.walk.input.error(kind));
            }
        };
        let at = self.walk.position();
        self.mark_malformed(&facts, at);
        self.fact("target", Value::Facts(facts));
        Ok(())
    }

    fn service_contexts(&mut self) -> Result<()> {
        let offset = self.walk.position();
        let count: u32 = self.walk.read()?;
        if count as usize > self.walk.input.remaining() / 8 {
            let kind = taut_cdr::ErrorKind::LengthBeyondMessage { length: count };
            return Err(taut_cdr::Error::new(kind, self.walk.position() - 4));
        }
        let mut contexts = Vec::new();
        for index in 0..count {
            let id = self.walk.read()?;
            let at = self.walk.position();
            let data = self.walk.octets()?;
            if index as usize == self.limits.max_service_contexts {
                let what =
                    format!("{count} service contexts, of which the first {index} are explained");
                self.walk.mark(Rule::ServiceContext, offset, what);
            }
            if index as usize >= self.limits.max_service_contexts {
                continue;
            }
            let explained = service_context(&ServiceContext { id, data });
            self.context(&explained, at);
            contexts.push(Value::Tagged(explained));
        }
        if !contexts.is_empty() {
            self.fact("service contexts", Value::List(contexts));
        }
        Ok(())
    }

    fn context(&mut self, context: &Tagged, offset: usize) {
        match &context.content {
            Content::Malformed(error) => {
                let name = context.name.unwrap_or("a service context");
                let what = format!("{name} is malformed: {error} of its data");
                self.walk.mark(Rule::ServiceContext, offset + 4, what);
            }
            Content::Known(facts) if context.tag == id::CODE_SETS => {
                let number = |index: usize| match facts.get(index).map(|fact| &fact.value) {
                    Some(Value::Code { number, .. }) => *number,
                    _ => 0,
                };
                self.code_sets = Some((number(0), number(1)));
            }
            Content::Known(_) | Content::Unknown => {}
        }
    }

    /// Marks the malformed profiles and components of a reference.
    fn mark_malformed(&mut self, facts: &[Fact], end: usize) {
        for fact in facts {
            let values = match &fact.value {
                Value::List(values) => &values[..],
                value => core::slice::from_ref(value),
            };
            for value in values {
                match value {
                    Value::Facts(facts) => self.mark_malformed(facts, end),
                    Value::Tagged(tagged) => match &tagged.content {
                        Content::Known(facts) => self.mark_malformed(facts, end),
                        Content::Unknown => {}
                        Content::Malformed(error) => {
                            let name = tagged.name.unwrap_or("a profile");
                            let what = format!(
                                "{name} of the reference that ends here is malformed: \
                                 {error} of its data"
                            );
                            self.walk.mark(Rule::Value, end, what);
                        }
                    },
                    _ => {}
                }
            }
        }
    }

    /// Notes where the body begins, if there is one.
    fn begin_body(&mut self) -> Result<()> {
        if self.walk.input.remaining() == 0 {
            return Ok(());
        }
        if self.version.has_layout_1_2() {
            self.walk.align(8)?;
        }
        let offset = self.walk.position();
        self.body = Some(Body {
            offset,
            exception: None,
        });
        Ok(())
    }

    /// Marks octets behind the last value.
    fn end(&mut self) {
        let remaining = self.walk.input.remaining();
        if remaining > 0 {
            let what = format!("{remaining} octets behind the last value");
            let offset = self.walk.position();
            self.walk.mark(Rule::Trailing, offset, what);
        }
    }
}

/// Octets that should be text, as they are for people: UTF-8, which ASCII is a
/// part of, or else ISO 8859-1.
fn text(octets: &[u8]) -> String {
    match core::str::from_utf8(octets) {
        Ok(text) => text.into(),
        Err(_) => octets.iter().map(|octet| char::from(*octet)).collect(),
    }
}

/// What the standard calls an addressing mode.
fn mode_name(mode: i16) -> Option<&'static str> {
    Some(match mode {
        0 => "KeyAddr",
        1 => "ProfileAddr",
        2 => "ReferenceAddr",
        _ => return None,
    })
}

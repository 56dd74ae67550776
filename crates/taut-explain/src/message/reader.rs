//! One message after the other of its parts, to the first fault that hides what
//! follows.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::Result;

use super::rule::Rule;
use super::subject::{Body, Subject};
use super::walk::{Walk, text};
use crate::{Fact, Value};
use taut_giop::message::{LocateStatus, MessageType, ReplyStatus, ResponseFlags};
use taut_giop::{Limits, Version};

pub(super) struct Reader<'m, 'l> {
    pub(super) walk: Walk<'m>,
    pub(super) version: Version,
    pub(super) limits: &'l Limits,
    pub(super) facts: Vec<Fact>,
    pub(super) subject: Subject,
    pub(super) body: Option<Body>,
    pub(super) code_sets: Option<(u32, u32)>,
    /// Whether the fault that ends the reading is marked already.
    pub(super) is_marked: bool,
}

impl Reader<'_, '_> {
    pub(super) fn message(&mut self, kind: MessageType) -> Result<()> {
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

    pub(super) fn fact(&mut self, name: &'static str, value: Value) {
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

    /// Explains the exception, the reference or the addressing mode that a Reply carries
    /// instead of results.
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
    pub(super) fn end(&mut self) {
        let remaining = self.walk.input.remaining();
        if remaining > 0 {
            let what = format!("{remaining} octets behind the last value");
            let offset = self.walk.position();
            self.walk.mark(Rule::Trailing, offset, what);
        }
    }
}

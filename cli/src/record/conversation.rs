//! The calls in the messages of one connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value as Json, json};
use taut::{Ior, SystemException};
use taut_cdr::{Decode, Decoder, Realignment, Result as CdrResult};
use taut_dynamic::Signature;
use taut_giop::code_set::CodeSetContext;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{
    CancelRequestHeader, MessageHeader, MessageType, ReplyHeader, ReplyStatus, RequestHeader,
};
use taut_giop::service_context::id;
use taut_json::to_json;
use taut_types::TypeCode;
use taut_types::dynamic::read;

use super::catalog::Catalog;
use super::line::{self, Octets};
use super::proxy::Limits;
use crate::giop;
use crate::objects::MEMORY;

/// The end of a connection that sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// The state of one connection.
pub(super) struct Conversation {
    number: u64,
    catalog: Arc<Catalog>,
    /// The key of the object that is recorded.
    key: Vec<u8>,
    max_pending: usize,
    /// Whether something came, from either side, that is no GIOP or too large to be recorded.
    is_lost: bool,
    ends: [End; 2],
    /// Those of the standard until the client names others.
    code_sets: CodeSetContext,
}

/// The state of one direction.
struct End {
    framer: Framer,
    octets: Vec<u8>,
    /// The calls that wait for their replies, by request ids.
    pending: HashMap<u32, Call>,
}

/// A call of which the outcome is not known yet.
struct Call {
    began: Instant,
    line: Map<String, Json>,
    /// The signature that its arguments fit.
    signature: Option<Arc<Signature>>,
}

/// A message in one piece.
struct Message<'m> {
    header: MessageHeader,
    bytes: &'m [u8],
    realignments: &'m [Realignment],
}

impl Conversation {
    pub(super) fn new(number: u64, catalog: Arc<Catalog>, key: Vec<u8>, limits: &Limits) -> Self {
        let end = || End {
            framer: Framer::new(limits.framing),
            octets: Vec::new(),
            pending: HashMap::new(),
        };
        Self {
            number,
            catalog,
            key,
            max_pending: limits.max_pending,
            is_lost: false,
            ends: [end(), end()],
            code_sets: CodeSetContext::DEFAULT,
        }
    }

    /// Takes octets, and adds the lines of calls that have ended.
    ///
    /// # Errors
    ///
    /// Why nothing more of this connection is recorded; once.
    pub(super) fn octets(
        &mut self,
        from: Side,
        octets: &[u8],
        lines: &mut Vec<Json>,
    ) -> Result<(), String> {
        if self.is_lost {
            return Ok(());
        }
        let end = &mut self.ends[from as usize];
        end.octets.extend_from_slice(octets);
        let mut all = std::mem::take(&mut end.octets);
        let mut rest = &all[..];
        let outcome = loop {
            let step = match self.ends[from as usize].framer.next(rest) {
                Ok(step) => step,
                Err(error) => break Err(error.to_string()),
            };
            match step {
                Step::NeedMore { .. } => break Ok(()),
                Step::Absorbed { consumed } => rest = &rest[consumed..],
                Step::Message {
                    header,
                    bytes,
                    consumed,
                } => {
                    let message = Message {
                        header,
                        bytes,
                        realignments: &[],
                    };
                    rest = &rest[consumed..];
                    self.message(from, &message, lines);
                }
                Step::Reassembled { message, consumed } => {
                    let message = Message {
                        header: message.header,
                        bytes: &message.bytes,
                        realignments: &message.realignments,
                    };
                    rest = &rest[consumed..];
                    self.message(from, &message, lines);
                }
            }
        };
        let consumed = all.len() - rest.len();
        match outcome {
            Ok(()) => {
                all.drain(..consumed);
                self.ends[from as usize].octets = all;
            }
            Err(_) => self.is_lost = true,
        }
        outcome
    }

    /// Adds the lines of calls whose replies never came.
    pub(super) fn end(&mut self, lines: &mut Vec<Json>) {
        let calls = self.ends.iter_mut().flat_map(|end| end.pending.drain());
        let mut calls: Vec<Call> = calls.map(|(_, call)| call).collect();
        calls.sort_by_key(|call| call.began);
        lines.extend(calls.into_iter().map(|call| Json::Object(call.line)));
    }

    fn message(&mut self, from: Side, message: &Message<'_>, lines: &mut Vec<Json>) {
        // A message that is malformed is the peers' affair: it is passed on, and not recorded.
        let _ = match message.header.message_type {
            MessageType::Request => self.request(from, message, lines),
            MessageType::Reply => self.reply(from, message, lines),
            MessageType::CancelRequest => self.cancel(from, message, lines),
            _ => Ok(()),
        };
    }

    /// Adds the line of a call whose outcome nobody awaits any more.
    fn cancel(
        &mut self,
        from: Side,
        message: &Message<'_>,
        lines: &mut Vec<Json>,
    ) -> CdrResult<()> {
        let header = CancelRequestHeader::decode(&mut self.decoder(message)?)?;
        let call = self.ends[from as usize].pending.remove(&header.request_id);
        lines.extend(call.map(|call| Json::Object(call.line)));
        Ok(())
    }

    fn decoder<'m>(&self, message: &Message<'m>) -> CdrResult<Decoder<'m>> {
        let input = message.header.decoder(message.bytes)?;
        let form = message.header.version.wide_form();
        let mut input = input
            .with_memory_limit(MEMORY)
            .with_realignments(message.realignments)
            .with_wide_form(form);
        if let Ok(char_set) = self.code_sets.char_code_set() {
            input = input.with_char_code_set(char_set);
        }
        Ok(input)
    }

    fn request(
        &mut self,
        from: Side,
        message: &Message<'_>,
        lines: &mut Vec<Json>,
    ) -> CdrResult<()> {
        let version = message.header.version;
        let mut input = self.decoder(message)?;
        let header = RequestHeader::decode(version, &mut input)?;
        if let Some(data) = header.service_contexts.find(id::CODE_SETS)
            && let Ok(code_sets) = CodeSetContext::from_context_data(data)
        {
            self.code_sets = code_sets;
            // The arguments are in the code sets that this very request names.
            input = self.decoder(message)?;
            RequestHeader::decode(version, &mut input)?;
        }
        let operation = String::from_utf8_lossy(header.operation).into_owned();
        let known = self.arguments(&operation, &input);
        let (signature, arguments) = match known {
            Some((signature, arguments)) => (Some(signature), arguments),
            None => (None, Octets::rest_of(&input).to_json()),
        };
        let is_oneway = !header.response.expects_reply();
        let mut line = Map::new();
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = giop::text::time(time.unwrap_or_default());
        line.insert(line::TIME.to_owned(), time.into());
        line.insert("connection".to_owned(), self.number.into());
        line.insert(line::OPERATION.to_owned(), operation.into());
        line.insert(line::ARGUMENTS.to_owned(), arguments.into());
        let key = header.target.object_key()?.unwrap_or_default();
        if key != self.key {
            line.insert(line::OBJECT.to_owned(), line::base64(key).into());
        }
        if is_oneway {
            line.insert(line::ONEWAY.to_owned(), true.into());
            lines.push(Json::Object(line));
            return Ok(());
        }
        let pending = &mut self.ends[from as usize].pending;
        if pending.len() < self.max_pending {
            let call = Call {
                began: Instant::now(),
                line,
                signature,
            };
            pending.insert(header.request_id, call);
        }
        Ok(())
    }

    /// The arguments by the first signature that all octets fit.
    fn arguments(
        &self,
        operation: &str,
        input: &Decoder<'_>,
    ) -> Option<(Arc<Signature>, Map<String, Json>)> {
        let mut signatures = self.catalog.signatures(operation);
        signatures.find_map(|signature| {
            let sent = signature.parameters.iter().filter(|one| one.is_sent());
            let types = sent.map(|one| (one.name.as_str(), &one.type_code));
            Some((Arc::clone(signature), values(types, &mut input.clone())?))
        })
    }

    fn reply(&mut self, from: Side, message: &Message<'_>, lines: &mut Vec<Json>) -> CdrResult<()> {
        let mut input = self.decoder(message)?;
        let header = ReplyHeader::decode(message.header.version, &mut input)?;
        let asker = match from {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        };
        let pending = &mut self.ends[asker as usize].pending;
        let Some(mut call) = pending.remove(&header.request_id) else {
            return Ok(());
        };
        let took = call.began.elapsed();
        let (name, outcome) = match header.status {
            ReplyStatus::NoException => (line::RESULT, results(call.signature.as_deref(), &input)),
            ReplyStatus::UserException => {
                let exception = user_exception(call.signature.as_deref(), &input)?;
                (line::EXCEPTION, exception)
            }
            ReplyStatus::SystemException => {
                let exception = SystemException::decode(&mut input)?;
                (line::EXCEPTION, line::system_exception(&exception))
            }
            ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
                let place = Ior::decode(&mut input)?;
                ("forwarded", place.to_string().into())
            }
            // The client asks again in another way.
            ReplyStatus::NeedsAddressingMode => return Ok(()),
        };
        call.line.insert(name.to_owned(), outcome);
        call.line.insert(line::TOOK.to_owned(), micros(took).into());
        lines.push(Json::Object(call.line));
        Ok(())
    }
}

/// A time in microseconds, to a tenth.
fn micros(time: Duration) -> f64 {
    (time.as_nanos() / 100) as f64 / 10.0
}

/// Reads values by their types; none unless they are all of the octets.
fn values<'t>(
    types: impl Iterator<Item = (&'t str, &'t TypeCode)>,
    input: &mut Decoder<'_>,
) -> Option<Map<String, Json>> {
    let mut all = Map::new();
    for (name, type_code) in types {
        let value = read(type_code, input).ok()?;
        all.insert(name.to_owned(), to_json(type_code, &value).ok()?);
    }
    (input.remaining() == 0).then_some(all)
}

/// The result alone where there are no `out` parameters, else all by their names.
fn results(signature: Option<&Signature>, input: &Decoder<'_>) -> Json {
    let typed = signature.and_then(|signature| {
        let result = signature.has_result().then_some(&signature.result);
        let result = result.map(|type_code| (crate::call::RESULT, type_code));
        let received = signature.parameters.iter().filter(|one| one.is_received());
        let received = received.map(|one| (one.name.as_str(), &one.type_code));
        values(result.into_iter().chain(received), &mut input.clone())
    });
    match typed {
        Some(values) => crate::call::one_or_all(values),
        None => Json::Object(Octets::rest_of(input).to_json()),
    }
}

fn user_exception(signature: Option<&Signature>, input: &Decoder<'_>) -> CdrResult<Json> {
    let mut behind = input.clone();
    let id = behind.read_plain_text()?;
    let known = signature.and_then(|signature| signature.exception(&id));
    let members = known.and_then(|exception| {
        let value = read(exception, &mut input.clone()).ok()?;
        to_json(exception, &value).ok()
    });
    Ok(match members {
        Some(members) => json!({line::NAME: id, "$members": members}),
        None => {
            let mut object = Octets::rest_of(&behind).to_json();
            object.insert(line::NAME.to_owned(), id.into());
            Json::Object(object)
        }
    })
}

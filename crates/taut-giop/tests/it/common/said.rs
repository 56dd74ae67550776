//! Every message of GIOP as a value that owns what it says, written and read by
//! the crate.

use taut_cdr::{ByteOrder, CharCodeSet, Decoder, Encode, Encoder, Result};
use taut_giop::message::{
    CancelRequestHeader, LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader,
    MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress, begin_body,
    begin_message, finish_message,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::{Ior, Version};

#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Request {
        request_id: u32,
        response: ResponseFlags,
        target: Target,
        operation: Vec<u8>,
        contexts: Vec<(u32, Vec<u8>)>,
        body: Body,
    },
    Reply {
        request_id: u32,
        status: ReplyStatus,
        contexts: Vec<(u32, Vec<u8>)>,
        body: Body,
    },
    CancelRequest {
        request_id: u32,
    },
    LocateRequest {
        request_id: u32,
        target: Target,
    },
    LocateReply {
        request_id: u32,
        status: LocateStatus,
        body: Body,
    },
    CloseConnection,
    MessageError,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Key(Vec<u8>),
    Profile { tag: u32, data: Vec<u8> },
    Reference { index: u32, ior: Ior },
}

/// Values of several alignments. On the wire a sequence of octets tells their
/// kinds, so that whoever reads them need not know; no value is no octet at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body(pub Vec<Value>);

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Octet(u8),
    Short(i16),
    Long(i32),
    Double(f64),
    Doubles(Vec<f64>),
    Octets(Vec<u8>),
    Text(String),
    Wide(String),
}

impl Said {
    pub fn message_type(&self) -> MessageType {
        match self {
            Self::Request { .. } => MessageType::Request,
            Self::Reply { .. } => MessageType::Reply,
            Self::CancelRequest { .. } => MessageType::CancelRequest,
            Self::LocateRequest { .. } => MessageType::LocateRequest,
            Self::LocateReply { .. } => MessageType::LocateReply,
            Self::CloseConnection => MessageType::CloseConnection,
            Self::MessageError => MessageType::MessageError,
        }
    }

    /// Returns the request id, if it has one; the order of messages with different ids does
    /// not matter.
    pub fn request_id(&self) -> Option<u32> {
        match self {
            Self::Request { request_id, .. }
            | Self::Reply { request_id, .. }
            | Self::CancelRequest { request_id }
            | Self::LocateRequest { request_id, .. }
            | Self::LocateReply { request_id, .. } => Some(*request_id),
            Self::CloseConnection | Self::MessageError => None,
        }
    }

    /// The whole message.
    pub fn encode(&self, version: Version, order: ByteOrder) -> Result<Vec<u8>> {
        let mut out = Encoder::new(order);
        out.set_char_code_set(CharCodeSet::Utf8);
        out.set_wide_form(version.wide_form());
        begin_message(&mut out, version, self.message_type());
        match self {
            Self::Request {
                request_id,
                response,
                target,
                operation,
                contexts,
                body,
            } => {
                let contexts = borrowed(contexts);
                let header = RequestHeader {
                    request_id: *request_id,
                    response: *response,
                    target: target.address(),
                    operation,
                    service_contexts: ServiceContexts::new(&contexts),
                };
                header.encode(version, &mut out)?;
                let start = begin_body(version, &mut out);
                body.encode(&mut out)?;
                start.finish(&mut out);
            }
            Self::Reply {
                request_id,
                status,
                contexts,
                body,
            } => {
                let contexts = borrowed(contexts);
                let header = ReplyHeader {
                    request_id: *request_id,
                    status: *status,
                    service_contexts: ServiceContexts::new(&contexts),
                };
                header.encode(version, &mut out)?;
                let start = begin_body(version, &mut out);
                body.encode(&mut out)?;
                start.finish(&mut out);
            }
            Self::CancelRequest { request_id } => CancelRequestHeader {
                request_id: *request_id,
            }
            .encode(&mut out),
            Self::LocateRequest { request_id, target } => LocateRequestHeader {
                request_id: *request_id,
                target: target.address(),
            }
            .encode(version, &mut out)?,
            Self::LocateReply {
                request_id,
                status,
                body,
            } => {
                LocateReplyHeader {
                    request_id: *request_id,
                    status: *status,
                }
                .encode(&mut out);
                body.encode(&mut out)?;
            }
            Self::CloseConnection | Self::MessageError => {}
        }
        finish_message(&mut out)?;
        Ok(out.into_buffer())
    }

    /// Reads a message whose decoder stands behind the first header; nothing may
    /// be left.
    pub fn decode(header: &MessageHeader, input: Decoder<'_>) -> Result<Self> {
        let version = header.version;
        let mut input = input
            .with_char_code_set(CharCodeSet::Utf8)
            .with_wide_form(version.wide_form());
        let said = match header.message_type {
            MessageType::Request => {
                let request = RequestHeader::decode(version, &mut input)?;
                Self::Request {
                    request_id: request.request_id,
                    response: request.response,
                    target: Target::new(&request.target),
                    operation: request.operation.to_vec(),
                    contexts: owned(&request.service_contexts),
                    body: Body::decode(&mut input)?,
                }
            }
            MessageType::Reply => {
                let reply = ReplyHeader::decode(version, &mut input)?;
                Self::Reply {
                    request_id: reply.request_id,
                    status: reply.status,
                    contexts: owned(&reply.service_contexts),
                    body: Body::decode(&mut input)?,
                }
            }
            MessageType::CancelRequest => Self::CancelRequest {
                request_id: CancelRequestHeader::decode(&mut input)?.request_id,
            },
            MessageType::LocateRequest => {
                let request = LocateRequestHeader::decode(version, &mut input)?;
                Self::LocateRequest {
                    request_id: request.request_id,
                    target: Target::new(&request.target),
                }
            }
            MessageType::LocateReply => {
                let reply = LocateReplyHeader::decode(version, &mut input)?;
                Self::LocateReply {
                    request_id: reply.request_id,
                    status: reply.status,
                    body: Body::decode(&mut input)?,
                }
            }
            MessageType::CloseConnection => Self::CloseConnection,
            MessageType::MessageError => Self::MessageError,
            MessageType::Fragment => panic!("a framer hands out no fragment"),
        };
        assert_eq!(input.remaining(), 0, "{said:?}");
        Ok(said)
    }
}

fn borrowed(contexts: &[(u32, Vec<u8>)]) -> Vec<ServiceContext<'_>> {
    let contexts = contexts.iter();
    contexts
        .map(|(id, data)| ServiceContext { id: *id, data })
        .collect()
}

fn owned(contexts: &ServiceContexts<'_>) -> Vec<(u32, Vec<u8>)> {
    let list: Vec<_> = contexts
        .iter()
        .map(|context| (context.id, context.data.to_vec()))
        .collect();
    assert_eq!(list.len(), contexts.len());
    list
}

impl Target {
    pub fn address(&self) -> TargetAddress<'_> {
        match self {
            Self::Key(key) => TargetAddress::Key(key),
            Self::Profile { tag, data } => TargetAddress::Profile { tag: *tag, data },
            Self::Reference { index, ior } => TargetAddress::Reference {
                index: *index,
                ior: ior.into(),
            },
        }
    }

    fn new(address: &TargetAddress<'_>) -> Self {
        match address {
            TargetAddress::Key(key) => Self::Key(key.to_vec()),
            TargetAddress::Profile { tag, data } => Self::Profile {
                tag: *tag,
                data: data.to_vec(),
            },
            TargetAddress::Reference { index, ior } => Self::Reference {
                index: *index,
                ior: Ior {
                    type_id: String::from_utf8(ior.type_id().to_vec()).unwrap(),
                    profiles: ior
                        .profiles()
                        .map(|(tag, data)| taut_giop::ior::TaggedProfile {
                            tag,
                            data: data.to_vec(),
                        })
                        .collect(),
                },
            },
        }
    }
}

impl Value {
    pub fn kind(&self) -> u8 {
        match self {
            Self::Octet(_) => b'o',
            Self::Short(_) => b's',
            Self::Long(_) => b'l',
            Self::Double(_) => b'd',
            Self::Doubles(_) => b'D',
            Self::Octets(_) => b'O',
            Self::Text(_) => b't',
            Self::Wide(_) => b'w',
        }
    }
}

impl Body {
    pub fn kinds(&self) -> Vec<u8> {
        self.0.iter().map(Value::kind).collect()
    }

    fn encode(&self, out: &mut Encoder) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.kinds().encode(out)?;
        for value in &self.0 {
            match value {
                Value::Octet(value) => out.write(*value),
                Value::Short(value) => out.write(*value),
                Value::Long(value) => out.write(*value),
                Value::Double(value) => out.write(*value),
                Value::Doubles(values) => values.encode(out)?,
                Value::Octets(octets) => octets.encode(out)?,
                Value::Text(text) => out.write_string(text)?,
                Value::Wide(text) => out.write_wstring(text)?,
            }
        }
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        if input.remaining() == 0 {
            return Ok(Self::default());
        }
        let kinds = input.read_octets()?;
        let values = kinds.iter().map(|kind| {
            Ok(match kind {
                b'o' => Value::Octet(input.read()?),
                b's' => Value::Short(input.read()?),
                b'l' => Value::Long(input.read()?),
                b'd' => Value::Double(input.read()?),
                b'D' => Value::Doubles(input.read_sequence()?.into_owned()),
                b'O' => Value::Octets(input.read_octets()?.to_vec()),
                b't' => Value::Text(input.read_string()?.into_owned()),
                b'w' => Value::Wide(input.read_wstring()?),
                other => panic!("{other} is no kind of value"),
            })
        });
        values.collect::<Result<_>>().map(Self)
    }
}

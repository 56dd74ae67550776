//! Two endpoints in memory: each reads what the other sends, whatever portions it
//! comes in, and a server answers.

use taut_cdr::ByteOrder;
use taut_giop::Version;
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::{FrameError, LocateStatus, ReplyStatus};

use super::said::{Body, Said, Target};

/// One side of a connection.
pub struct Endpoint {
    version: Version,
    order: ByteOrder,
    is_server: bool,
    framer: Framer,
    input: Vec<u8>,
    /// The messages that it was told, in the order in which they were complete.
    pub heard: Vec<Said>,
    /// The messages of its answers.
    pub answers: Vec<Vec<u8>>,
}

impl Endpoint {
    pub fn client(version: Version, order: ByteOrder) -> Self {
        Self::new(version, order, false)
    }

    /// It answers requests with what they brought, and says goodbye to who asks
    /// for the operation `leave`.
    pub fn server(version: Version, order: ByteOrder) -> Self {
        Self::new(version, order, true)
    }

    fn new(version: Version, order: ByteOrder, is_server: bool) -> Self {
        Self {
            version,
            order,
            is_server,
            framer: Framer::of(version, FramingLimits::DEFAULT),
            input: Vec::new(),
            heard: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Whether no message has begun that is not whole.
    pub fn is_idle(&self) -> bool {
        self.input.is_empty()
            && (self.framer.partial_messages(), self.framer.partial_bytes()) == (0, 0)
    }

    /// Takes in octets, as they arrive.
    pub fn receive(&mut self, octets: &[u8]) -> Result<(), FrameError> {
        self.input.extend_from_slice(octets);
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..];
        while !rest.is_empty() {
            let (said, consumed) = match self.framer.next(rest)? {
                Step::NeedMore { total } => {
                    assert!(total > rest.len());
                    break;
                }
                Step::Message {
                    header,
                    bytes,
                    consumed,
                } => {
                    let input = header.decoder(bytes).unwrap();
                    (Some(Said::decode(&header, input)), consumed)
                }
                Step::Reassembled { message, consumed } => {
                    let input = message.decoder().unwrap();
                    (Some(Said::decode(&message.header, input)), consumed)
                }
                Step::Absorbed { consumed } => (None, consumed),
            };
            if let Some(said) = said {
                self.hear(said.unwrap());
            }
            rest = &rest[consumed..];
        }
        self.input = rest.to_vec();
        Ok(())
    }

    fn hear(&mut self, said: Said) {
        if self.is_server {
            let encode = |answer: Said| answer.encode(self.version, self.order).unwrap();
            self.answers.extend(answers(&said).into_iter().map(encode));
        }
        self.heard.push(said);
    }
}

/// Returns a server's answers to a message.
fn answers(said: &Said) -> Vec<Said> {
    match said {
        Said::Request {
            request_id,
            response,
            operation,
            contexts,
            body,
            ..
        } => {
            let reply = Said::Reply {
                request_id: *request_id,
                status: ReplyStatus::NoException,
                contexts: contexts.clone(),
                body: body.clone(),
            };
            match (response.expects_reply(), &operation[..]) {
                (true, b"leave") => vec![reply, Said::CloseConnection],
                (true, _) => vec![reply],
                (false, _) => vec![],
            }
        }
        Said::LocateRequest { request_id, target } => vec![Said::LocateReply {
            request_id: *request_id,
            status: match target {
                Target::Key(key) if key.is_empty() => LocateStatus::UnknownObject,
                _ => LocateStatus::ObjectHere,
            },
            body: Body::default(),
        }],
        _ => vec![],
    }
}

/// Returns the messages that both have heard when the client has said all this and the
/// server's answers have come back. `carry` brings messages to an endpoint.
pub fn exchange_messages(
    version: Version,
    orders: (ByteOrder, ByteOrder),
    said: &[Said],
    mut carry: impl FnMut(&mut Endpoint, &[Vec<u8>]),
) -> (Vec<Said>, Vec<Said>) {
    let mut client = Endpoint::client(version, orders.0);
    let mut server = Endpoint::server(version, orders.1);
    let encode = |said: &Said| said.encode(version, orders.0).unwrap();
    carry(&mut server, &said.iter().map(encode).collect::<Vec<_>>());
    carry(&mut client, &std::mem::take(&mut server.answers));
    assert!(client.is_idle() && server.is_idle());
    (server.heard, client.heard)
}

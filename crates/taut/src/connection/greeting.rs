//! The request that is sent first on each connection of an endpoint, before it carries calls:
//! that by which a client of Real-time CORBA binds a connection to its band.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use taut_cdr::Decode;
use taut_giop::message::ReplyStatus;
use taut_giop::{SystemException, SystemExceptionKind};

use super::client::{receive, send_until, within};
use super::fault::ConnectionFault;
use super::incoming::Incoming;
use super::patience::Patience;
use crate::message::Message;
use crate::messaging::{Fragmentation, Messaging};
use crate::settings::{Settings, WaitStrategy};
use crate::transport::Stream;

/// The id of the request: no other has it, for none is under way.
pub(crate) const GREETING_ID: u32 = super::MAX_REQUEST_ID - 1;

/// Longer than any server takes to answer: 30 years, of which a clock can tell the end.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

/// The request of an endpoint, if there is one.
#[derive(Debug, Default)]
pub(super) struct Greeting(OnceLock<Box<[u8]>>);

/// Why a connection is not used.
pub(super) enum NotGreeted {
    /// The server does not want it.
    Refused(Box<SystemException>),
    /// It has ended.
    Ended(io::Error),
}

impl Greeting {
    /// Sets the request; the first stays.
    pub(super) fn set(&self, request: Vec<u8>) {
        self.0.get_or_init(|| request.into());
    }

    /// Sends the request over a new connection, and waits for the answer as long as an address
    /// may take to accept. The server refuses by INV_POLICY; one that does not know the operation
    /// answers otherwise.
    pub(super) fn exchange(
        &self,
        stream: &Stream,
        messaging: Messaging,
        patience: Patience,
        settings: &Settings,
    ) -> Result<(), NotGreeted> {
        let Some(request) = self.0.get() else {
            return Ok(());
        };
        let time = within(patience.for_address(&settings.client), patience.deadline);
        let deadline = Instant::now() + time.min(LONGEST_WAIT);
        let fragmentation = Fragmentation::new(messaging, settings);
        send_until(stream, request, fragmentation, deadline, &mut 0).map_err(NotGreeted::Ended)?;
        let mut message = Message::take();
        let mut incoming = Incoming::new(messaging, settings);
        let received = incoming.complete(&mut message, |waiting, buffer| {
            receive(stream, waiting, WaitStrategy::Block, buffer, Some(deadline))
        });
        let header = received.map_err(|fault| NotGreeted::Ended(ended(fault)))?;
        let malformed = |error: taut_cdr::Error| {
            NotGreeted::Ended(io::Error::new(
                io::ErrorKind::InvalidData,
                error.to_string(),
            ))
        };
        let mut input = messaging
            .decoder(&header, &message.octets)
            .map_err(malformed)?;
        let limits = &settings.limits.lists;
        let reply = messaging
            .reply_header(&header, &mut input, limits)
            .map_err(malformed)?;
        if reply.status != ReplyStatus::SystemException {
            return Ok(());
        }
        let exception = SystemException::decode(&mut input).map_err(malformed)?;
        match exception.kind {
            SystemExceptionKind::InvPolicy => Err(NotGreeted::Refused(Box::new(exception))),
            _ => {
                tracing::debug!(peer = stream.peer(), %exception, "the band is not bound");
                Ok(())
            }
        }
    }
}

/// A fault as an error of connecting.
fn ended(fault: ConnectionFault) -> io::Error {
    match fault {
        ConnectionFault::Io(error) => error,
        ConnectionFault::TimedOut | ConnectionFault::HalfAnswered => io::ErrorKind::TimedOut.into(),
        fault => io::Error::new(io::ErrorKind::ConnectionAborted, fault.to_string()),
    }
}

//! The messages that calls send and receive, for `--trace`.

use std::io;
use std::net::Shutdown;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value as Json;
use taut::transport_api::{
    Acceptor, Address, AddressError, Channel, ChannelOption, ConnectError, ConnectOptions,
    Interest, ListenOptions, Protocol, Reach, Readiness, Source, Stream, Tcp, Unix,
};
use taut::{Orb, OrbBuilder};
use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_dynamic::InterfaceDescription;
use taut_giop::message::{HEADER_SIZE, MessageHeader};
use taut_traffic::{Event, Interfaces, Options, Traffic};

use crate::failure::Failure;
use crate::output::{self, FAINT, visible};
use crate::{giop, hex};

/// The messages of an ORB's connections, in the order in which they were whole.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace(Arc<Mutex<Log>>);

#[derive(Debug, Default)]
struct Log {
    connections: Vec<Connection>,
    messages: Vec<Message>,
}

#[derive(Debug)]
struct Connection {
    peer: String,
    /// Octets that were received, and octets that were sent, of messages that are not whole yet.
    pending: [Vec<u8>; 2],
}

#[derive(Debug)]
struct Message {
    /// The number of its connection, from 0.
    connection: usize,
    is_sent: bool,
    /// When it was whole, from 1970 on.
    time: Duration,
    octets: Vec<u8>,
}

/// A transport whose connections are watched.
#[derive(Debug)]
struct Watched<P> {
    below: P,
    trace: Trace,
}

#[derive(Debug)]
struct WatchedChannel {
    below: Stream,
    trace: Trace,
    connection: usize,
}

impl Trace {
    /// Builds an ORB whose messages are kept.
    ///
    /// # Errors
    ///
    /// When its arguments are wrong.
    pub(crate) fn orb(&self, builder: OrbBuilder) -> Result<Orb, Failure> {
        let builder = builder.replace_protocol(self.watch(Tcp));
        let builder = builder.and_then(|builder| builder.replace_protocol(self.watch(Unix)));
        let orb = builder.and_then(|builder| builder.build());
        orb.map_err(Failure::new)
    }

    fn watch<P>(&self, below: P) -> Watched<P> {
        let trace = self.clone();
        Watched { below, trace }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connected(&self, peer: String) -> usize {
        let pending = Default::default();
        let connections = &mut self.log().connections;
        connections.push(Connection { peer, pending });
        connections.len() - 1
    }

    /// Notes octets of one direction of a connection.
    fn note(&self, connection: usize, is_sent: bool, octets: &[u8]) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.unwrap_or_default();
        let Log {
            connections,
            messages,
        } = &mut *self.log();
        let pending = &mut connections[connection].pending[usize::from(is_sent)];
        pending.extend_from_slice(octets);
        while let Some(octets) = whole_message(pending) {
            messages.push(Message {
                connection,
                is_sent,
                time,
                octets,
            });
        }
    }

    /// Writes the messages to standard error, explained by what is known of the interface.
    ///
    /// # Errors
    ///
    /// None but a fault of the explanation.
    pub(crate) fn show(
        &self,
        interface: Option<&InterfaceDescription>,
        in_json: bool,
    ) -> Result<(), Failure> {
        let log = self.log();
        let octets: Vec<u8> = log
            .messages
            .iter()
            .flat_map(|one| &one.octets)
            .copied()
            .collect();
        let options = Options {
            interfaces: interface.map(interfaces).unwrap_or_default(),
            ..Options::default()
        };
        if !octets.is_empty() {
            let mut traffic = Traffic::open(&*octets, options).map_err(Failure::new)?;
            while let Some(event) = traffic.next_event().map_err(Failure::new)? {
                output::complain(&log.event(event, in_json)?);
            }
        }
        for (index, connection) in log.connections.iter().enumerate() {
            let left: usize = connection.pending.iter().map(Vec::len).sum();
            if left > 0 && !in_json {
                let number = index + 1;
                output::complain(&format!(
                    "{FAINT}--{FAINT:#} connection {number}: {left} octets that are no whole \
                     message\n"
                ));
            }
        }
        Ok(())
    }
}

impl Log {
    /// An event of the messages, as text or JSON in lines of their own.
    fn event(&self, mut event: Event, in_json: bool) -> Result<String, Failure> {
        let Event::Message(explained) = &mut event else {
            return Ok(match in_json {
                true => format!("{}\n", Json::Object(giop::json::object(&event)?)),
                false => giop::text::event(&event),
            });
        };
        let by_number = |number: u64| {
            let index = usize::try_from(number).ok()?.checked_sub(1)?;
            self.messages.get(index)
        };
        let message = by_number(explained.number);
        explained.time = message.map(|message| message.time);
        if let Some(answer) = &mut explained.answers {
            let asked = by_number(answer.number);
            let times = message.zip(asked);
            answer.after = times.map(|(to, from)| to.time.saturating_sub(from.time));
        }
        let Some(message) = message else {
            return Ok(giop::text::event(&event));
        };
        let (number, peer) = (
            message.connection + 1,
            &self.connections[message.connection].peer,
        );
        if in_json {
            let mut object = giop::json::object(&event)?;
            object.insert("connection".to_owned(), number.into());
            object.insert("peer".to_owned(), peer.as_str().into());
            object.insert("sent".to_owned(), message.is_sent.into());
            object.insert("octets".to_owned(), hex::digits(&message.octets).into());
            return Ok(format!("{}\n", Json::Object(object)));
        }
        let way = match message.is_sent {
            true => "sent to",
            false => "received from",
        };
        let peer = visible(peer);
        let head = format!("{FAINT}{way} {peer}, connection {number}{FAINT:#}\n");
        let dump = hex::dump(&message.octets, 2);
        Ok(head + &giop::text::event(&event) + &dump)
    }
}

/// Takes a message off the front of octets; none while it is not whole, or is no message.
fn whole_message(octets: &mut Vec<u8>) -> Option<Vec<u8>> {
    let header = octets.first_chunk::<HEADER_SIZE>()?;
    let total = MessageHeader::parse(header).ok()?.total_size();
    if octets.len() < total {
        return None;
    }
    let rest = octets.split_off(total);
    Some(std::mem::replace(octets, rest))
}

/// The operations of an interface, as explanations need them.
fn interfaces(interface: &InterfaceDescription) -> Interfaces {
    let mut known = Interfaces::default();
    for (name, signature) in &interface.operations {
        let Ok(signature) = signature else {
            continue;
        };
        let mut sent = Vec::new();
        let mut received = Vec::new();
        for parameter in &signature.parameters {
            let one = (parameter.name.clone(), parameter.type_code.clone());
            if parameter.is_received() {
                received.push(one.clone());
            }
            if parameter.is_sent() {
                sent.push(one);
            }
        }
        let result = signature.has_result().then(|| signature.result.clone());
        known.add_operation(&interface.name, name, sent, result, received);
        for exception in &signature.exceptions {
            known.add_exception(exception.clone());
        }
    }
    known
}

impl<P: Protocol> Protocol for Watched<P> {
    fn scheme(&self) -> &str {
        self.below.scheme()
    }

    fn profile_tag(&self) -> u32 {
        self.below.profile_tag()
    }

    fn reach(&self) -> Reach {
        self.below.reach()
    }

    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        self.below.parse_endpoint(place)
    }

    fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        self.below.parse_address(place)
    }

    fn read_address(&self, profile: &mut Decoder<'_>) -> CdrResult<Address> {
        self.below.read_address(profile)
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> CdrResult<()> {
        self.below.write_address(address, profile)
    }

    fn alternate_address_tag(&self) -> Option<u32> {
        self.below.alternate_address_tag()
    }

    fn is_here(&self, address: &Address) -> bool {
        self.below.is_here(address)
    }

    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let channel: Box<dyn Channel> = Box::new(WatchedChannel {
            below: self.below.connect(address, options)?,
            connection: self.trace.connected(address.to_string()),
            trace: self.trace.clone(),
        });
        Ok(channel.into())
    }

    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        self.below.listen(place, options)
    }
}

impl Channel for WatchedChannel {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        let sent = self.below.try_send(octets)?;
        self.trace.note(self.connection, true, &octets[..sent]);
        Ok(sent)
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let before = buffer.len();
        let received = self.below.try_receive(buffer)?;
        self.trace.note(self.connection, false, &buffer[before..]);
        Ok(received)
    }

    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        self.below.peek(octets)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        self.below.wait(interest, deadline)
    }

    fn acknowledged(&self) -> Option<u64> {
        self.below.acknowledged()
    }

    fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        self.below.acknowledged_in_all(patience)
    }

    fn readiness(&self) -> Readiness<'_> {
        self.below.readiness()
    }

    fn shutdown(&self, direction: Shutdown) {
        self.below.shutdown(direction);
    }

    fn peer(&self) -> &str {
        self.below.peer()
    }

    fn source(&self) -> Option<Source> {
        self.below.source()
    }

    fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        self.below.set_option(option)
    }
}

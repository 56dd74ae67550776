//! A transport that changes each octet on its way over TCP.

use std::io;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder, ErrorKind};
use taut_transport::{
    Acceptor, Address, AddressError, Channel, ChannelOption, ConnectAttempt, ConnectError,
    ConnectOptions, Interest, ListenOptions, Protocol, Readiness, Source, Stream, Tcp,
};

const SCHEME: &str = "xor";

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Xor;

/// Turns an address of TCP into one of ours, `xor://host:port`.
fn ours(tcp: &Address) -> Address {
    Address::other(SCHEME, tcp.to_string())
}

/// Turns one of our addresses into one of TCP.
fn tcp(ours: &Address) -> Result<Address, AddressError> {
    match ours.scheme() {
        SCHEME => Tcp.parse_address(&ours.place()),
        _ => Err(AddressError::Place(format!(
            "{ours} is not xor://host:port"
        ))),
    }
}

/// Wraps a connection over TCP.
fn changed(stream: Stream) -> Stream {
    let channel: Box<dyn Channel> = Box::new(Changed(stream));
    channel.into()
}

impl Protocol for Xor {
    fn scheme(&self) -> &str {
        SCHEME
    }

    fn profile_tag(&self) -> u32 {
        0x786f_7221
    }

    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        Tcp.parse_endpoint(place)
    }

    fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        Tcp.parse_address(place).map(|tcp| ours(&tcp))
    }

    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        Tcp.read_address(profile).map(|tcp| ours(&tcp))
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        let foreign = ErrorKind::Invalid("the address is not one of xor");
        let tcp = tcp(address).map_err(|_| taut_cdr::Error::new(foreign, profile.position()))?;
        Tcp.write_address(&tcp, profile)
    }

    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let malformed = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let tcp = tcp(address).map_err(|error| ConnectError::new(address, malformed(error)))?;
        let connected = Tcp.connect(&tcp, options).map(changed);
        connected.map_err(|mut error| {
            let name_ours = |one: &mut ConnectAttempt| one.address.insert_str(0, "xor://");
            error.attempts.iter_mut().for_each(name_ours);
            error
        })
    }

    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        let tcp = Tcp.listen(place, options)?;
        let address = ours(tcp.address());
        Ok(Box::new(XorAcceptor { tcp, address }))
    }
}

#[derive(Debug)]
struct XorAcceptor {
    tcp: Box<dyn Acceptor>,
    address: Address,
}

impl Acceptor for XorAcceptor {
    fn accept(&self) -> io::Result<Stream> {
        self.tcp.accept().map(changed)
    }

    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.tcp.wait_for_client(timeout)
    }

    fn address(&self) -> &Address {
        &self.address
    }

    fn published(&self, told: &[Address]) -> Vec<Address> {
        let told: Vec<_> = told.iter().filter_map(|one| tcp(one).ok()).collect();
        self.tcp.published(&told).iter().map(ours).collect()
    }

    fn close(&self) -> io::Result<()> {
        self.tcp.close()
    }
}

/// A connection over TCP whose octets are changed.
#[derive(Debug)]
struct Changed(Stream);

fn change(octets: &mut [u8]) {
    octets.iter_mut().for_each(|octet| *octet ^= 0x5a);
}

impl Channel for Changed {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        // A piece at a time: the ORB gives again what did not go, unchanged.
        let mut piece = octets[..octets.len().min(64 * 1024)].to_vec();
        change(&mut piece);
        self.0.try_send(&piece)
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let begin = buffer.len();
        let count = self.0.try_receive(buffer)?;
        change(&mut buffer[begin..]);
        Ok(count)
    }

    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        let count = self.0.peek(octets)?;
        change(&mut octets[..count]);
        Ok(count)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        self.0.wait(interest, deadline)
    }

    fn readiness(&self) -> Readiness<'_> {
        self.0.readiness()
    }

    fn shutdown(&self, direction: Shutdown) {
        self.0.shutdown(direction);
    }

    fn peer(&self) -> &str {
        self.0.peer()
    }

    fn source(&self) -> Option<Source> {
        self.0.source()
    }

    fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        self.0.set_option(option)
    }
}

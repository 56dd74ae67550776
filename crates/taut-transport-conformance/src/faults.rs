//! Faults that a transport may have at any time.

use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder};
use taut_transport::{
    Acceptor, Address, AddressError, Channel, ChannelOption, ConnectError, ConnectOptions,
    Interest, ListenOptions, Protocol, Reach, Readiness, Source, Stream,
};

use crate::random::Random;

/// The faults that are injected.
#[derive(Debug, Clone, Copy)]
pub struct Faults {
    /// One send or receive of so many is short: of a random part of the octets.
    pub short_one_in: usize,
    /// One send or receive of so many is delayed by up to 100 µs.
    pub delayed_one_in: usize,
    /// The connection is lost when so many octets have been sent.
    pub reset_after: Option<usize>,
}

impl Default for Faults {
    /// Short ones and delays.
    fn default() -> Self {
        Self {
            short_one_in: 3,
            delayed_one_in: 500,
            reset_after: None,
        }
    }
}

/// A transport with faults on top of another.
#[derive(Debug)]
pub struct Faulty {
    below: Arc<dyn Protocol>,
    faults: Faults,
    seeds: Arc<AtomicU64>,
}

/// A connection with faults.
#[derive(Debug)]
struct FaultyChannel {
    below: Stream,
    faults: Faults,
    random: Mutex<Random>,
    /// How many octets may be sent before the connection is lost.
    left: AtomicUsize,
}

#[derive(Debug)]
struct FaultyAcceptor {
    below: Box<dyn Acceptor>,
    faults: Faults,
    seeds: Arc<AtomicU64>,
}

impl Faulty {
    /// The faults on top of a transport, whose scheme and tag it has.
    pub fn new(below: Arc<dyn Protocol>, faults: Faults) -> Self {
        let seeds = Arc::new(AtomicU64::new(1));
        Self {
            below,
            faults,
            seeds,
        }
    }

    /// Connects, in at most so long.
    pub fn dial(&self, address: &Address, timeout: Duration) -> Stream {
        let connected = self.connect(address, &ConnectOptions::within(timeout));
        connected.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A connection with faults over another.
fn inject(below: Stream, faults: Faults, seeds: &AtomicU64) -> Stream {
    let seed = seeds
        .fetch_add(1, Ordering::Relaxed)
        .wrapping_mul(0x9E37_79B9);
    let channel: Box<dyn Channel> = Box::new(FaultyChannel {
        below,
        faults,
        random: Mutex::new(Random::new(seed)),
        left: AtomicUsize::new(faults.reset_after.unwrap_or(usize::MAX)),
    });
    channel.into()
}

impl FaultyChannel {
    /// How many of so many octets go at once; delays now and then.
    fn portion(&self, octets: usize) -> usize {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        if random.below(self.faults.delayed_one_in) == 0 {
            let pause = Duration::from_micros(random.below(100) as u64);
            drop(random);
            thread::sleep(pause);
            random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        }
        match octets > 1 && random.below(self.faults.short_one_in) == 0 {
            true => 1 + random.below(octets - 1),
            false => octets,
        }
    }
}

impl Channel for FaultyChannel {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 && !octets.is_empty() {
            self.below.stop();
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let portion = self.portion(octets.len()).min(left);
        let sent = self.below.try_send(&octets[..portion])?;
        if left != usize::MAX {
            self.left.store(left - sent, Ordering::Relaxed);
        }
        Ok(sent)
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let room = buffer.capacity() - buffer.len();
        let portion = self.portion(room);
        if portion == room {
            return self.below.try_receive(buffer);
        }
        let mut part = Vec::with_capacity(portion);
        let received = self.below.try_receive(&mut part)?;
        buffer.extend_from_slice(&part);
        Ok(received)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        self.below.wait(interest, deadline)
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

impl Acceptor for FaultyAcceptor {
    fn accept(&self) -> io::Result<Stream> {
        let below = self.below.accept()?;
        Ok(inject(below, self.faults, &self.seeds))
    }

    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.below.wait_for_client(timeout)
    }

    fn address(&self) -> &Address {
        self.below.address()
    }

    fn published(&self, told: &[Address]) -> Vec<Address> {
        self.below.published(told)
    }

    fn close(&self) -> io::Result<()> {
        self.below.close()
    }
}

impl Protocol for Faulty {
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

    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        self.below.read_address(profile)
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        self.below.write_address(address, profile)
    }

    fn is_here(&self, address: &Address) -> bool {
        self.below.is_here(address)
    }

    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let below = self.below.connect(address, options)?;
        Ok(inject(below, self.faults, &self.seeds))
    }

    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        Ok(Box::new(FaultyAcceptor {
            below: self.below.listen(place, options)?,
            faults: self.faults,
            seeds: Arc::clone(&self.seeds),
        }))
    }
}

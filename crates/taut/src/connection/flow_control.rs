//! Connections whose flow is watched.
//!
//! A stream that is watched is a channel around the stream, which only tries, so that it meets
//! each moment at which there is no room. Other streams are as they are.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use taut_sync::lock::Mutex;
use taut_transport::{Channel, ChannelOption, Interest, Readiness};

use crate::counters;
use crate::quality::{FlowControl, FlowEvent, FlowObserver, FlowState};
use crate::transport::{Source, Stream};
use crate::upcall;

/// Whether the flow of connections is watched, and for whom.
#[derive(Debug, Default)]
pub(crate) struct FlowWatch {
    observer: OnceLock<Box<dyn FlowObserver>>,
}

impl FlowWatch {
    /// Watches all connections that are opened from here on. False if they are watched already.
    pub(crate) fn begin(&self, observer: Box<dyn FlowObserver>) -> bool {
        self.observer.set(observer).is_ok()
    }

    /// Whether connections are watched.
    fn is_on(&self) -> bool {
        self.observer.get().is_some()
    }
}

/// The flow of the connections to an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Flow(Arc<EndpointFlow>);

#[derive(Debug)]
struct EndpointFlow {
    watch: Arc<FlowWatch>,
    /// The connections without room, by their numbers.
    blocked: Mutex<BTreeMap<u64, Blocked>>,
}

#[derive(Debug, Clone, Copy)]
struct Blocked {
    octets: usize,
    since: Instant,
}

impl Flow {
    pub(super) fn new(watch: &Arc<FlowWatch>) -> Self {
        Self(Arc::new(EndpointFlow {
            watch: Arc::clone(watch),
            blocked: Mutex::default(),
        }))
    }

    /// The stream, or one whose flow is watched.
    pub(super) fn watched(&self, stream: Stream) -> Stream {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !self.0.watch.is_on() {
            return stream;
        }
        let channel: Box<dyn Channel> = Box::new(WatchedChannel {
            stream,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            is_blocked: AtomicBool::new(false),
            flow: self.clone(),
        });
        channel.into()
    }

    /// Adds what is known of the flow; false if it is not watched.
    pub(super) fn tell(&self, told: &mut FlowControl) -> bool {
        let blocked = self.0.blocked.lock();
        told.blocked_connections += blocked.len();
        told.octets_waiting += blocked.values().map(|one| one.octets).sum::<usize>();
        let first = blocked.values().map(|one| one.since).min();
        told.since = told.since.into_iter().chain(first).min();
        self.0.watch.is_on()
    }

    /// Notes how many octets wait on a connection, and tells a change of its state.
    #[cold]
    fn note(&self, number: u64, peer: &str, octets: usize, state: FlowState) {
        let changed = {
            let mut blocked = self.0.blocked.lock();
            match state {
                FlowState::Blocked => match blocked.get_mut(&number) {
                    Some(known) => {
                        known.octets = octets;
                        None
                    }
                    None => {
                        let since = Instant::now();
                        blocked.insert(number, Blocked { octets, since });
                        Some(since)
                    }
                },
                _ => blocked.remove(&number).map(|known| known.since),
            }
        };
        let Some(since) = changed else { return };
        match state {
            FlowState::Blocked => {
                counters::client::blocked();
                tracing::debug!(peer, octets, "the transport has no room for what is sent");
            }
            _ => {
                let time = since.elapsed();
                tracing::debug!(peer, ?time, ?state, "the transport has room again");
            }
        }
        if let Some(observer) = self.0.watch.observer.get() {
            let event = FlowEvent {
                peer,
                state,
                octets_waiting: octets,
                since,
            };
            // A panic has been reported, and the call goes on.
            let _ = upcall::outside("changed", peer, || {
                observer.changed(&event);
            });
        }
    }
}

/// A stream whose flow is watched.
struct WatchedChannel {
    stream: Stream,
    number: u64,
    is_blocked: AtomicBool,
    flow: Flow,
}

impl WatchedChannel {
    /// Notes the outcome of an attempt to send so many octets.
    fn note(&self, octets: usize, sent: &io::Result<usize>) {
        let waiting = match sent {
            Ok(sent) => octets.saturating_sub(*sent),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => octets,
            // It is tried again, or the connection is over.
            Err(_) => return,
        };
        let state = match waiting {
            0 if !self.is_blocked.load(Ordering::Relaxed) => return,
            0 => FlowState::Flowing,
            _ => FlowState::Blocked,
        };
        self.is_blocked.store(waiting > 0, Ordering::Relaxed);
        self.flow
            .note(self.number, self.stream.peer(), waiting, state);
    }
}

impl Drop for WatchedChannel {
    fn drop(&mut self) {
        if self.is_blocked.load(Ordering::Relaxed) {
            let peer = self.stream.peer();
            self.flow.note(self.number, peer, 0, FlowState::Ended);
        }
    }
}

impl Channel for WatchedChannel {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        let sent = self.stream.try_send(octets);
        self.note(octets.len(), &sent);
        sent
    }

    fn try_send_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let sent = self.stream.try_send_parts(parts);
        self.note(parts.iter().map(|part| part.len()).sum(), &sent);
        sent
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.stream.try_receive(buffer)
    }

    fn try_receive_parts<'r>(
        &self,
        head: &mut [u8],
        rest: &'r mut [MaybeUninit<u8>],
    ) -> io::Result<(usize, &'r mut [u8])> {
        Channel::try_receive_parts(&self.stream, head, rest)
    }

    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        self.stream.peek(octets)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        Channel::wait(&self.stream, interest, deadline)
    }

    fn readiness(&self) -> Readiness<'_> {
        Channel::readiness(&self.stream)
    }

    fn shutdown(&self, direction: Shutdown) {
        self.stream.shutdown(direction);
    }

    fn peer(&self) -> &str {
        self.stream.peer()
    }

    fn source(&self) -> Option<Source> {
        self.stream.source()
    }

    fn acknowledged(&self) -> Option<u64> {
        self.stream.acknowledged()
    }

    fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        self.stream.acknowledged_in_all(patience)
    }

    fn set_option(&self, option: ChannelOption) -> io::Result<()> {
        Channel::set_option(&self.stream, option)
    }
}

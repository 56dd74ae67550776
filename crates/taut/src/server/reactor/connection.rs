//! One of the connections that share threads.

use std::io::ErrorKind;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut_cdr::{ByteOrder, Encoder};

use crate::buffer_pool;
use crate::server::ObjectAdapter;
use crate::server::peer::Peer;
use crate::server::registry::Registry;
use crate::server::session::{self, End, INITIAL_CAPACITY, Session, Standing};

/// The input buffer of a thread.
const BENCH_CAPACITY: usize = 64 * 1024;
/// What is left of a message up to this size is copied when its thread goes
/// elsewhere; beyond, the thread leaves its buffer with it.
const MAX_COPIED: usize = BENCH_CAPACITY / 4;
/// How often a connection is read before others have their turn.
const MAX_RECEIVES: usize = 16;

/// Where a thread works: its buffers.
pub(super) struct Bench {
    input: Vec<u8>,
    out: Encoder,
}

/// A connection and its place among the others.
pub(super) struct Connection<A> {
    peer: Arc<Peer>,
    registry_id: u64,
    /// Events that have not been dealt with. Who makes it more than 0 has the
    /// turn; who has the turn ends it by making it 0 again, if no further event
    /// has come.
    events: AtomicU32,
    work: Mutex<Work<A>>,
}

/// What only the thread that has the turn touches.
struct Work<A> {
    session: Session<A>,
    /// What has arrived of a message that is not whole, or was not begun.
    rest: Vec<u8>,
    phase: Phase,
    message_timeout: Duration,
    drain_timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Requests are carried out.
    Serving,
    /// The client must take its replies first.
    Congested,
    /// The connection has ended on our side; what still comes is read, for a
    /// socket that is closed with unread octets would take the last message
    /// back.
    Draining,
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// All that has arrived has been dealt with.
    Done,
    /// There may be more, but other connections wait.
    OthersFirst,
    /// The connection has ended.
    Over,
}

impl Bench {
    pub(super) fn new(byte_order: ByteOrder) -> Self {
        let out = Vec::with_capacity(INITIAL_CAPACITY);
        Self {
            input: Vec::with_capacity(BENCH_CAPACITY),
            out: Encoder::with_buffer(out, byte_order),
        }
    }
}

impl<A: ObjectAdapter> Connection<A> {
    pub(super) fn new(peer: Arc<Peer>, registry_id: u64, session: Session<A>) -> Self {
        let (message_timeout, drain_timeout) = session.timeouts();
        Self {
            peer,
            registry_id,
            events: AtomicU32::new(0),
            work: Mutex::new(Work {
                session,
                rest: Vec::new(),
                phase: Phase::Serving,
                message_timeout,
                drain_timeout,
            }),
        }
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }

    pub(super) fn registry_id(&self) -> u64 {
        self.registry_id
    }

    /// Notes an event. Whoever gets a number has the turn.
    #[inline]
    pub(super) fn take_turn(&self) -> Option<u32> {
        (self.events.fetch_add(1, Ordering::AcqRel) == 0).then_some(1)
    }

    /// Ends the turn, unless more than `events` have come meanwhile.
    #[inline]
    pub(super) fn end_turn(&self, events: u32) -> Result<(), u32> {
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let ended = self.events.compare_exchange(events, 0, success, failure);
        ended.map(drop)
    }

    /// Ends the turn, whatever has come: there will be another event.
    pub(super) fn pass_turn(&self) {
        self.events.store(0, Ordering::Release);
    }

    /// Deals with what there is to send and what has arrived.
    pub(super) fn turn(&self, bench: &mut Bench, registry: &Registry) -> Turn {
        let mut work = self.work.lock();
        let turn = work.turn(&self.peer, bench, registry);
        bench.input.clear();
        turn
    }
}

impl<A: ObjectAdapter> Work<A> {
    fn turn(&mut self, peer: &Peer, bench: &mut Bench, registry: &Registry) -> Turn {
        if let Some(outbox) = peer.outbox()
            && outbox.is_congested()
        {
            match outbox.flush(peer.stream()) {
                Ok(true) => {}
                Ok(false) => return Turn::Done, // an event tells when there is room
                Err(_) => return Turn::Over,
            }
        }
        self.take_up(&mut bench.input);
        if self.phase == Phase::Congested {
            self.phase = Phase::Serving;
            peer.set_deadline(None);
            if !self.take_in(peer, bench, registry) {
                return Turn::Over;
            }
        }
        for _ in 0..MAX_RECEIVES {
            if self.phase == Phase::Congested {
                break;
            }
            if bench.input.len() == bench.input.capacity() {
                bench.input.reserve(INITIAL_CAPACITY);
            }
            let room = bench.input.capacity() - bench.input.len();
            let received = match peer.stream().try_receive(&mut bench.input) {
                Ok(0) => return Turn::Over,
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.lay_down(&mut bench.input);
                    return Turn::Done;
                }
                Err(_) => return Turn::Over,
            };
            match self.phase {
                Phase::Draining => bench.input.clear(),
                Phase::Serving | Phase::Congested => {
                    peer.note_event();
                    if !self.take_in(peer, bench, registry) {
                        return Turn::Over;
                    }
                }
            }
            // A stream that gave less than was asked for is empty.
            if received < room {
                self.lay_down(&mut bench.input);
                return Turn::Done;
            }
        }
        let turn = match self.phase {
            Phase::Congested => Turn::Done,
            Phase::Serving | Phase::Draining => Turn::OthersFirst,
        };
        self.lay_down(&mut bench.input);
        turn
    }

    /// Carries out what has arrived. False when the client is gone.
    #[inline]
    fn take_in(&mut self, peer: &Peer, bench: &mut Bench, registry: &Registry) -> bool {
        match self.session.take_in(peer, &mut bench.input, &mut bench.out) {
            Ok(Standing::Attentive) => {}
            Ok(Standing::Congested) => {
                self.phase = Phase::Congested;
                peer.set_deadline(Instant::now().checked_add(self.message_timeout));
            }
            Err(end) => {
                session::take_leave(peer, &end);
                registry.notify();
                if matches!(end, End::Gone) {
                    return false;
                }
                self.phase = Phase::Draining;
                bench.input.clear();
                peer.set_deadline(Instant::now().checked_add(self.drain_timeout));
            }
        }
        true
    }

    /// Gets what was left of the last turn.
    #[inline]
    fn take_up(&mut self, input: &mut Vec<u8>) {
        if self.rest.is_empty() {
            return;
        }
        let mut rest = mem::take(&mut self.rest);
        if rest.len() <= MAX_COPIED {
            input.extend_from_slice(&rest);
        } else {
            mem::swap(input, &mut rest);
        }
        buffer_pool::give(rest);
    }

    /// Keeps what is left for the next turn.
    #[inline]
    fn lay_down(&mut self, input: &mut Vec<u8>) {
        if input.is_empty() {
            return;
        }
        if input.len() <= MAX_COPIED {
            self.rest = buffer_pool::take();
            self.rest.extend_from_slice(input);
            input.clear();
        } else {
            self.rest = mem::replace(input, Vec::with_capacity(BENCH_CAPACITY));
        }
    }
}

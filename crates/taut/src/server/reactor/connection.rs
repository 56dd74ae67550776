//! One of the connections that share threads.

use std::io::ErrorKind;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use taut_cdr::{ByteOrder, Encoder};
use taut_sync::lock::Mutex;
use taut_sys::memory::touch_room;

use crate::buffer_pool::{self, INITIAL_CAPACITY};
use crate::probes::{self, Step};
use crate::server::ObjectAdapter;
use crate::server::end::{self, End};
use crate::server::load::Load;
use crate::server::peer::Peer;
use crate::server::peer_in_service::{InService, serving};
use crate::server::registry::Registry;
use crate::server::session::{Session, Standing};

/// The capacity of a thread's input buffer, in octets.
const INPUT_CAPACITY: usize = 64 * 1024;
/// The largest rest of a message that is copied when its thread goes elsewhere; beyond, the
/// thread leaves its buffer with it.
const MAX_COPIED: usize = INPUT_CAPACITY / 4;
/// How often a connection is read before others have their turn.
const MAX_RECEIVES: usize = 16;

/// The buffers that a thread works with.
pub(super) struct ThreadBuffers {
    input: Vec<u8>,
    out: Encoder,
    /// Whether the thread serves requests.
    load: Load,
}

/// A connection and its place among the others.
pub(super) struct Connection<A> {
    served: InService,
    registry_id: u64,
    /// Events that have not been dealt with. The thread that makes it more than 0 has the
    /// turn, and ends it by making it 0 again, if no further event has come.
    events: AtomicU32,
    /// Whether the client sends nothing any more, so that what arrives is to be
    /// read to its end.
    has_ended: AtomicBool,
    work: Mutex<Work<A>>,
}

/// The state that only the thread with the turn touches.
struct Work<A> {
    session: Session<A>,
    /// The octets that have arrived of a message that is not whole, or was not begun.
    rest: Vec<u8>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Requests are carried out as they arrive.
    Serving,
    /// The octets that have arrived are to be dealt with before more is read, and the
    /// replies have to be taken before that.
    Behind,
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
    /// Another thread reads the connection now.
    Relieved {
        /// But that one has ended it, and nothing is under way any more.
        is_last: bool,
    },
    /// The connection has ended.
    Over,
}

impl ThreadBuffers {
    pub(super) fn new(byte_order: ByteOrder) -> Self {
        let out = Vec::with_capacity(INITIAL_CAPACITY);
        Self {
            input: Vec::with_capacity(INPUT_CAPACITY),
            out: Encoder::with_buffer(out, byte_order),
            load: Load::Ordinary,
        }
    }

    /// Touches the pages of the buffers, so that they are there.
    pub(super) fn touch(&mut self) {
        touch_room(&mut self.input);
        let out = Vec::with_capacity(INITIAL_CAPACITY);
        let order = self.out.order();
        let mut buffer =
            mem::replace(&mut self.out, Encoder::with_buffer(out, order)).into_buffer();
        touch_room(&mut buffer);
        self.out = Encoder::with_buffer(buffer, order);
    }

    /// The buffers of a thread that reads requests under this load.
    pub(super) fn under(load: Load, byte_order: ByteOrder) -> Self {
        Self {
            load,
            ..Self::new(byte_order)
        }
    }
}

impl<A: ObjectAdapter> Connection<A> {
    /// A connection of which `rest` has been read.
    pub(super) fn new(
        peer: Arc<Peer>,
        registry_id: u64,
        session: Session<A>,
        rest: Vec<u8>,
    ) -> Self {
        Self {
            served: InService {
                peer,
                shift: Some(session.shift()),
            },
            registry_id,
            events: AtomicU32::new(0),
            has_ended: AtomicBool::new(false),
            work: Mutex::new(Work {
                session,
                phase: match rest.is_empty() {
                    true => Phase::Serving,
                    false => Phase::Behind,
                },
                rest,
            }),
        }
    }

    pub(super) fn served(&self) -> &InService {
        &self.served
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.served.peer
    }

    pub(super) fn registry_id(&self) -> u64 {
        self.registry_id
    }

    /// Notes that the client sends nothing any more, before the event is noted.
    #[cold]
    pub(super) fn note_end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Notes an event. The thread that gets a number has the turn.
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
    pub(super) fn turn(&self, buffers: &mut ThreadBuffers, registry: &Registry) -> Turn {
        let mut work = self.work.lock();
        let has_ended = self.has_ended.load(Ordering::Relaxed);
        let turn = serving(&self.served, || {
            work.turn(self.peer(), has_ended, buffers, registry)
        });
        buffers.input.clear();
        turn
    }
}

impl<A: ObjectAdapter> Work<A> {
    fn turn(
        &mut self,
        peer: &Peer,
        has_ended: bool,
        buffers: &mut ThreadBuffers,
        registry: &Registry,
    ) -> Turn {
        self.try_turn(peer, has_ended, buffers, registry)
            .unwrap_or_else(|turn| turn)
    }

    /// A turn; an error is one that ends before its time.
    fn try_turn(
        &mut self,
        peer: &Peer,
        has_ended: bool,
        buffers: &mut ThreadBuffers,
        registry: &Registry,
    ) -> Result<Turn, Turn> {
        if peer.is_congested() && !peer.flush().map_err(|_| Turn::Over)? {
            return Ok(Turn::Done); // an event tells when there is room
        }
        self.session.set_load(buffers.load);
        self.take_up(&mut buffers.input);
        if self.phase == Phase::Behind {
            self.phase = Phase::Serving;
            self.take_in(peer, buffers, registry)?;
        }
        for _ in 0..MAX_RECEIVES {
            if self.phase == Phase::Behind {
                break;
            }
            if buffers.input.len() == buffers.input.capacity() {
                buffers.input.reserve(INITIAL_CAPACITY);
            }
            let room = buffers.input.capacity() - buffers.input.len();
            let received = match peer.stream().try_receive(&mut buffers.input) {
                Ok(0) => return Ok(Turn::Over),
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.lay_down(&mut buffers.input);
                    return Ok(Turn::Done);
                }
                Err(_) => return Ok(Turn::Over),
            };
            match self.phase {
                Phase::Draining => buffers.input.clear(),
                Phase::Serving | Phase::Behind => {
                    peer.tally().note_received(received);
                    probes::done(Step::RequestReceived);
                    self.take_in(peer, buffers, registry)?;
                }
            }
            // Where the stream is empty there will be another event; where it ends there,
            // nothing else will tell.
            if peer.stream().is_drained(received, room) && !has_ended {
                self.lay_down(&mut buffers.input);
                return Ok(Turn::Done);
            }
        }
        let turn = match self.phase {
            Phase::Behind => Turn::Done,
            Phase::Serving | Phase::Draining => Turn::OthersFirst,
        };
        self.lay_down(&mut buffers.input);
        Ok(turn)
    }

    /// Carries out what has arrived.
    ///
    /// # Errors
    ///
    /// When the client is gone, or another thread reads the connection.
    #[inline]
    fn take_in(
        &mut self,
        peer: &Peer,
        buffers: &mut ThreadBuffers,
        registry: &Registry,
    ) -> Result<(), Turn> {
        match self.session.take_in(&mut buffers.input, &mut buffers.out) {
            Ok(Standing::Attentive) => {}
            Ok(Standing::Congested) => self.phase = Phase::Behind,
            Err(End::Relieved { is_last }) => return Err(Turn::Relieved { is_last }),
            Err(end) => {
                end::take_leave(peer, &end);
                registry.note_end(peer);
                if matches!(end, End::Gone) || peer.is_restricted() {
                    return Err(Turn::Over);
                }
                self.phase = Phase::Draining;
                buffers.input.clear();
            }
        }
        Ok(())
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
            self.rest = mem::replace(input, Vec::with_capacity(INPUT_CAPACITY));
        }
    }
}

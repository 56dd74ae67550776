//! Octets on their way in one direction.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut, Read};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use taut_transport::DoorbellSlot;

/// The octets that wait in a pipe at most.
const CAPACITY: usize = 256 * 1024;

/// Octets on their way from one end of a connection to the other.
#[derive(Debug)]
pub(crate) struct Pipe {
    state: Mutex<State>,
    /// Something of the state has changed.
    changed: Condvar,
    /// The doorbell of the end that sends: there is room.
    sender: Arc<DoorbellSlot>,
    /// The doorbell of the end that receives: something has arrived.
    receiver: Arc<DoorbellSlot>,
}

#[derive(Debug, Default)]
struct State {
    octets: VecDeque<u8>,
    /// How many octets have been received.
    received: u64,
    /// Nothing more will be sent.
    is_finished: bool,
    /// Nobody will receive any more.
    is_abandoned: bool,
}

impl State {
    fn can_receive(&self) -> bool {
        !self.octets.is_empty() || self.is_finished || self.is_abandoned
    }

    fn can_send(&self) -> bool {
        self.octets.len() < CAPACITY || self.is_finished || self.is_abandoned
    }
}

impl Pipe {
    pub(crate) fn new(sender: &Arc<DoorbellSlot>, receiver: &Arc<DoorbellSlot>) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            sender: Arc::clone(sender),
            receiver: Arc::clone(receiver),
        }
    }

    /// Takes as many octets as there is room for.
    pub(crate) fn send(&self, octets: &[u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        if state.is_finished || state.is_abandoned {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = octets.len().min(CAPACITY - state.octets.len());
        if count == 0 && !octets.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        state.octets.extend(&octets[..count]);
        drop(state);
        self.changed.notify_all();
        self.receiver.ring();
        Ok(count)
    }

    /// Appends what there is to the buffer's spare capacity.
    pub(crate) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let mut state = self.state.lock();
        let room = buffer.capacity() - buffer.len();
        let count = room.min(state.octets.len());
        if count == 0 {
            return match state.can_receive() {
                true => Ok(0),
                false => Err(io::ErrorKind::WouldBlock.into()),
            };
        }
        buffer.extend(state.octets.drain(..count));
        state.received += count as u64;
        drop(state);
        self.changed.notify_all();
        self.sender.ring();
        Ok(count)
    }

    /// Copies the first octets.
    pub(crate) fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        let state = self.state.lock();
        if !state.can_receive() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let (mut first, mut second) = state.octets.as_slices();
        let count = first.read_vectored(&mut [IoSliceMut::new(octets)])?;
        Ok(count + second.read(&mut octets[count..])?)
    }

    /// Waits until a receive would not have to wait; false after the deadline.
    pub(crate) fn wait_to_receive(&self, deadline: Option<Instant>) -> bool {
        self.wait(deadline, State::can_receive)
    }

    /// Waits until a send would not have to wait; false after the deadline.
    pub(crate) fn wait_to_send(&self, deadline: Option<Instant>) -> bool {
        self.wait(deadline, State::can_send)
    }

    /// How many octets have been received.
    pub(crate) fn received(&self) -> u64 {
        self.state.lock().received
    }

    /// How many octets have been received once no more can be; none after the deadline.
    pub(crate) fn received_in_all(&self, deadline: Option<Instant>) -> Option<u64> {
        let is_certain = |state: &State| state.is_abandoned || state.octets.is_empty();
        self.wait(deadline, is_certain).then(|| self.received())
    }

    fn wait(&self, deadline: Option<Instant>, is_so: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state.lock();
        while !is_so(&state) {
            match deadline {
                None => self.changed.wait(&mut state),
                Some(at) if self.changed.wait_until(&mut state, at).timed_out() => {
                    return is_so(&state);
                }
                Some(_) => {}
            }
        }
        true
    }

    /// Ends the pipe on the side that sends: what is in it is still received.
    pub(crate) fn finish(&self) {
        self.end(|state| state.is_finished = true);
    }

    /// Ends the pipe on the side that receives: what is in it is lost.
    pub(crate) fn abandon(&self) {
        self.end(|state| {
            state.is_abandoned = true;
            state.octets.clear();
        });
    }

    fn end(&self, end: impl FnOnce(&mut State)) {
        end(&mut self.state.lock());
        self.changed.notify_all();
        self.receiver.ring();
        self.sender.ring();
    }
}

//! Sending and receiving up to a deadline.
//!
//! The wait is a system call of its own, before each that moves octets. So a deadline
//! leaves nothing behind on the socket, and calls without one pay nothing for it.

use std::io::{self, ErrorKind, IoSlice};
use std::time::{Duration, Instant};

use taut_cdr::Landing;
use taut_sys::return_stack::refill_behind;
use taut_sys::stream::StreamSocket;

use super::Stream;
use crate::Interest;

/// The longest single wait for a socket. The system does not take each length of time.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

impl Stream {
    /// [`receive`](Self::receive), up to a deadline.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] if nothing has arrived by the deadline; what else the
    /// operating system answers.
    pub fn receive_until(&self, buffer: &mut Vec<u8>, deadline: Instant) -> io::Result<usize> {
        loop {
            self.wait(Interest::Receive, deadline)?;
            match self.try_receive(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                received => return received,
            }
        }
    }

    /// [`receive_parts`](Self::receive_parts), up to a deadline.
    ///
    /// # Errors
    ///
    /// Those of [`receive_until`](Self::receive_until).
    pub fn receive_parts_until(
        &self,
        head: &mut [u8],
        landing: &mut Landing,
        end: usize,
        deadline: Instant,
    ) -> io::Result<usize> {
        loop {
            self.wait(Interest::Receive, deadline)?;
            match self.try_receive_parts(head, landing, end) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                received => return received,
            }
        }
    }

    /// Sends all octets of all parts up to a deadline, and adds the number of those that
    /// have left to `left`, also if it fails.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] if some have not left by the deadline; what else the
    /// operating system answers.
    pub fn send_parts_until(
        &self,
        mut parts: &mut [IoSlice<'_>],
        deadline: Instant,
        left: &mut u64,
    ) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0); // skips what is empty
        while !parts.is_empty() {
            match self.try_send_parts(parts) {
                Ok(sent) => {
                    *left += sent as u64;
                    IoSlice::advance_slices(&mut parts, sent);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(Interest::Send, deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until an attempt to do this need not wait, or a signal comes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] if the deadline has passed; what else keeps it from waiting.
    fn wait(&self, interest: Interest, deadline: Instant) -> io::Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        match (self.socket(), interest) {
            (Ok(socket), Interest::Receive) => {
                refill_behind(socket.wait_for_octets(left.min(LONGEST_WAIT)))
            }
            (Ok(socket), Interest::Send) => socket.wait_for_room(left.min(LONGEST_WAIT)),
            (Err(plugged), interest) => plugged.wait(interest, Some(deadline)).map(drop),
        }
    }
}

//! Oneways that are left to be sent, over a connection that all calls share.

use std::io;
use std::time::Instant;

use taut_sync::lock::MutexGuard;

use super::line::Line;
use super::{Sending, SharedConnection};
use crate::connection::ConnectionFault;
use crate::connection::client::has_ended;

impl SharedConnection {
    /// The sending side, if nobody has it.
    pub(in crate::connection) fn try_sending(&self) -> Option<MutexGuard<'_, Sending>> {
        self.sending.try_lock()
    }

    /// Whether no call can use it any more, as far as is known: ends it if the peer has.
    pub(in crate::connection) fn is_found_ended(&self, deadline: Option<Instant>) -> bool {
        let has_ended = |stream| has_ended(stream, self.messaging());
        if self.line.own().is_some_and(has_ended) {
            self.end(ConnectionFault::Closed, false, deadline);
        }
        self.has_ended()
    }

    /// Sends what `sending` has taken, as far as there is room. True when that was all.
    /// Where others read the connection, nothing is sent without waiting.
    pub(in crate::connection) fn try_flush(&self, sending: &mut Sending) -> io::Result<bool> {
        let Some(stream) = self.line.own() else {
            return Ok(false);
        };
        let before = sending.batch.rest().len();
        let done = sending.batch.try_send(stream);
        sending.sent += (before - sending.batch.rest().len()) as u64;
        done.map_err(|error| self.fail(sending, error))
    }

    /// Sends what `sending` has taken, and waits for room as long as `goes_on` says.
    pub(in crate::connection) fn flush(
        &self,
        sending: &mut Sending,
        goes_on: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let octets = sending.batch.rest().len() as u64;
        let done = match &self.line {
            Line::Own(stream) => sending.batch.send(stream, goes_on),
            Line::Beside { .. } => self.line.send_batch(&mut sending.batch),
        };
        sending.sent += octets;
        done.map_err(|error| self.fail(sending, error))
    }

    /// Part of a message may have left: nothing can follow it.
    fn fail(&self, sending: &mut Sending, error: io::Error) -> io::Error {
        sending.batch.lose("connection");
        let kind = error.kind();
        self.end(error.into(), false, None);
        kind.into()
    }
}

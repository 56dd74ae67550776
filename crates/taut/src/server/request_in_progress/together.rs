//! Requests that have arrived together with others, and replies that wait for each other.

use std::time::Instant;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::Version;
use taut_giop::message::PlainRequest;

use super::{RequestInProgress, relieved};
use crate::probes::{self, Step};
use crate::server::ObjectAdapter;
use crate::server::duty::{Rest, Task, Upcall};
use crate::server::end::End;
use crate::server::peer::Peer;
use crate::server::service::Service;
use crate::server::session::ReplyBatch;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Serves a plain request to which there is a reply, among others that have arrived with
    /// it: the reply waits for theirs, if `batch` says so. `clock` is when the request was
    /// begun, and then when its up-call had ended, unless its reply has been sent.
    ///
    /// # Errors
    ///
    /// Those of [`serve_plain`](Self::serve_plain). The replies that wait are still to be sent
    /// then, but for [`End::Relieved`].
    pub(in crate::server) fn serve_among_others(
        service: &'r Service<A>,
        (version, request): (Version, &PlainRequest<'_>),
        octets: &[u8],
        out: &'r mut Encoder,
        (batch, clock): (&mut ReplyBatch, &mut Option<Instant>),
    ) -> Result<(), End> {
        let begun = clock.take().unwrap_or_else(Instant::now);
        let mut this = Self::begin(service, version, request.request_id, Task::Request, out)?;
        this.out.clear();
        let read = this.run_plain(request, octets);
        let now = Instant::now();
        batch.note_upcall(now.duration_since(begun));
        this.end_among_others(read, batch, (clock, now))
    }

    /// Ends the request: has what was written wait, or sends it behind what waits.
    fn end_among_others(
        self,
        read: CdrResult<()>,
        batch: &mut ReplyBatch,
        (clock, now): (&mut Option<Instant>, Instant),
    ) -> Result<(), End> {
        let peer = self.service.peer();
        if peer.duty().upcall_ended(self.service.shift()) == Upcall::Relieved {
            batch.clear();
            let answered = (self.version, Some(self.request_id));
            return Err(relieved::end(peer, answered, read, self.out));
        }
        let octets = self.out.len();
        let is_whole = self.out.tail().is_empty() && peer.sends_whole(octets);
        let may_wait = read.is_ok() && octets > 0 && is_whole;
        if batch.has_waiting() && !(may_wait && batch.has_room(octets)) {
            batch.clear();
            // If the client is gone, the next attempt tells.
            let _ = peer.send_batch();
        }
        if may_wait && batch.admit(octets, now) {
            peer.tally().note_reply(octets);
            peer.add_to_batch(self.out.as_bytes());
            probes::done(Step::ReplySent);
            *clock = Some(now);
            return Ok(());
        }
        self.send_reply(read)
    }
}

/// Sends the replies that wait, if any does, and notes that the thread on duty has ended what
/// it had begun.
///
/// # Errors
///
/// When the connection ends.
#[cold]
#[inline(never)]
pub(in crate::server) fn send_batch(peer: &Peer, batch: &mut ReplyBatch) -> Result<(), End> {
    if !batch.has_waiting() {
        return Ok(());
    }
    batch.clear();
    let sent = peer.send_batch();
    let rest = peer.duty().sent();
    if rest == Rest::Goodbye {
        peer.say_goodbye();
    }
    match sent {
        Err(_) => Err(End::Gone),
        Ok(()) if rest == Rest::Nothing => Ok(()),
        Ok(()) => Err(End::Closed),
    }
}

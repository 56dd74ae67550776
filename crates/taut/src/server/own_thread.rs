//! Connections with a thread of their own: the fewest steps from a request to
//! its reply, as long as there are not too many.

use std::sync::Arc;
use std::time::Instant;

use taut_cdr::Encoder;

use super::ObjectAdapter;
use super::duty::Rest;
use super::end::{self, End};
use super::peer::Peer;
use super::peer_in_service::{InService, serving};
use super::session::Session;
use crate::buffer_pool::INITIAL_CAPACITY;
use crate::probes::{self, Step};
use crate::settings::Settings;
use crate::waiting::Waiting;

/// The octets that are received at once, at most, from a client that sends much: many
/// messages cost one system call then, and one acknowledgement.
const READ_AHEAD: usize = 128 * 1024;

/// By how much the room for it grows each time that it has been filled.
const GROWTH: usize = 4;

/// Serves a connection until it ends, or another thread reads it. `settled` is
/// called when this thread serves no further request. True when the
/// connection has ended and nothing of it is under way.
pub(super) fn serve<A: ObjectAdapter>(
    peer: &Arc<Peer>,
    mut session: Session<A>,
    settings: &Settings,
    settled: impl Fn(),
) -> bool {
    tracing::debug!(peer = peer.name(), "connection accepted");
    let served = InService {
        peer: Arc::clone(peer),
        shift: Some(session.shift()),
    };
    let end = serving(&served, || serve_until_end(peer, &mut session, settings));
    if let End::Relieved { is_last } = end {
        settled();
        return is_last;
    }
    end::take_leave(peer, &end);
    settled();
    if !(peer.is_restricted() && peer.has_breached()) {
        drain(peer, settings);
    }
    peer.duty().end() == Rest::Forget
}

fn serve_until_end<A: ObjectAdapter>(
    peer: &Peer,
    session: &mut Session<A>,
    settings: &Settings,
) -> End {
    let mut input: Vec<u8> = Vec::with_capacity(INITIAL_CAPACITY);
    let mut out = Encoder::with_buffer(
        Vec::with_capacity(INITIAL_CAPACITY),
        settings.wire.byte_order,
    );
    let strategy = settings.server_waits();
    let mut waiting = Waiting::new(settings);
    loop {
        // Without a time-out, which would cost the kernel a timer for every
        // call: the watch finds those who are silent too long.
        match waiting.receive(strategy, peer.stream(), &mut input) {
            Ok(octets @ 1..) => peer.tally().note_received(octets),
            Ok(0) | Err(_) => return End::Gone,
        }
        let was_filled = input.len() == input.capacity();
        probes::done(Step::RequestReceived);
        if let Err(end) = session.take_in(&mut input, &mut out) {
            return end;
        }
        // A client that has sent so much may send more than one message at a time.
        if was_filled {
            let room = READ_AHEAD.min(GROWTH * input.capacity());
            input.reserve(room.saturating_sub(input.len()));
        }
    }
}

/// Reads what still comes until the client closes too: a socket that is closed
/// with unread octets would take the last message back.
fn drain(peer: &Peer, settings: &Settings) {
    let timeout = Some(settings.server.drain_timeout);
    if peer.stream().set_receive_timeout(timeout).is_err() {
        return;
    }
    // However much the peer still sends, and however slowly: once the time is
    // over, the connection is.
    let deadline = Instant::now() + settings.server.drain_timeout;
    let mut discarded = Vec::with_capacity(INITIAL_CAPACITY);
    while let Ok(1..) = peer.stream().receive(&mut discarded) {
        discarded.clear();
        if Instant::now() >= deadline {
            break;
        }
    }
}

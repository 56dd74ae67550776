//! The end of a request whose thread has been relieved.

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::Version;
use taut_giop::message::MessageType;

use crate::server::duty::Rest;
use crate::server::end::End;
use crate::server::peer::Peer;

/// Ends a request while another thread reads the connection. Without an id, there is no reply
/// to it; one in `out` is to be sent.
///
/// It gets the parts of a request in progress that it needs: were that passed as a whole,
/// every request would be written to memory for it.
#[cold]
#[inline(never)]
pub(super) fn end(
    peer: &Peer,
    (version, request_id): (Version, Option<u32>),
    read: CdrResult<()>,
    out: &Encoder,
) -> End {
    let is_reply_due = read.is_err() || !out.is_empty();
    if let Some(request_id) = request_id.filter(|_| is_reply_due) {
        // Before the reply: behind it the client may use the id again.
        peer.handover().toggle_apart(request_id);
    }
    peer.wait_until_reactive();
    // Here and there: the thread that comes first finds something.
    peer.post_batch();
    match read {
        // The thread that reads finds out if the client is gone.
        Ok(()) if !out.is_empty() => {
            peer.tally().note_reply_apart(out.len() + out.tail().len());
            drop(peer.send_written(out));
        }
        Ok(()) => {}
        Err(_) => {
            peer.send_bodyless(version, MessageType::MessageError);
            peer.close();
        }
    }
    let rest = peer.duty().sent_apart();
    if rest == Rest::Goodbye {
        peer.say_goodbye();
    }
    End::Relieved {
        is_last: rest == Rest::Forget,
    }
}

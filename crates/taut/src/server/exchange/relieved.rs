//! The end of a request whose thread has been relieved.

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::message::MessageType;

use super::End;
use crate::server::duty::Rest;
use crate::server::peer::Peer;

/// Ends a request while another thread reads the connection.
#[cold]
pub(super) fn conclude(
    peer: &Peer,
    version: Version,
    request_id: u32,
    read: taut_cdr::Result<()>,
    out: &Encoder,
) -> End {
    // Before the reply: behind it the client may use the id again.
    peer.handover().toggle_apart(request_id);
    peer.wait_until_reactive();
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

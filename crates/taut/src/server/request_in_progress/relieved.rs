//! The end of a request whose thread has been relieved.

use taut_cdr::Result as CdrResult;
use taut_giop::message::MessageType;

use super::RequestInProgress;
use crate::server::ObjectAdapter;
use crate::server::duty::Rest;
use crate::server::end::End;

impl<A: ObjectAdapter> RequestInProgress<'_, A> {
    /// Ends the request while another thread reads the connection.
    #[cold]
    #[inline(never)]
    pub(super) fn end_relieved(self, read: CdrResult<()>) -> End {
        let (peer, out) = (self.service.peer(), self.out);
        // Before the reply: behind it the client may use the id again.
        peer.handover().toggle_apart(self.request_id);
        peer.wait_until_reactive();
        match read {
            // The thread that reads finds out if the client is gone.
            Ok(()) if !out.is_empty() => {
                peer.tally().note_reply_apart(out.len() + out.tail().len());
                drop(peer.send_written(out));
            }
            Ok(()) => {}
            Err(_) => {
                peer.send_bodyless(self.version, MessageType::MessageError);
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
}

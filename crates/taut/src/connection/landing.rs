//! Large replies whose elements are received where they stay: in the vector that becomes
//! the caller's, so that nobody copies them.
//!
//! How large a reply will be nobody knows before it comes. It is taken to be as large as
//! the last one was; what comes otherwise is put together and read as any other message.

use std::time::Instant;

use taut_cdr::{ElementForm, Landing, MIN_TAIL};
use taut_giop::Version;
use taut_giop::message::{PLAIN_REPLY_BODY, begins_plain_reply};

use super::client::{ClientConnection, limit_rest};
use super::fault::ConnectionFault;
use crate::message::Message;
use crate::settings::WaitStrategy;

/// The most octets in front of the elements that land.
const HEAD_MAX: usize = PLAIN_REPLY_BODY + ElementForm::MAX_HEAD;

impl ClientConnection {
    /// Whether a reply that is nothing but a sequence is likely to be a large one.
    #[inline]
    pub(crate) fn expects_large_reply(&self) -> bool {
        self.expected_octets >= MIN_TAIL
    }

    /// Notes how many octets a reply had that was nothing but a sequence.
    pub(crate) fn note_sequence(&mut self, octets: usize) {
        self.expected_octets = octets;
    }

    /// Waits for a reply in this version of GIOP, to the request with this id, that is
    /// nothing but a sequence of elements of this form, about as large as the last one
    /// was. If it is, it is left in `message` whole, with its elements where they landed.
    /// If not, what has arrived of it is there, as [`receive`](Self::receive) leaves it.
    #[cold]
    #[inline(never)]
    pub(crate) fn receive_apart(
        &mut self,
        strategy: WaitStrategy,
        message: &mut Message,
        form: ElementForm,
        asked: (Version, u32),
    ) -> Result<bool, ConnectionFault> {
        let (stream, waiting) = (&self.stream, &mut self.incoming.waiting);
        let mut head = [0; HEAD_MAX];
        let head = &mut head[..PLAIN_REPLY_BODY + form.head()];
        let mut landing = Landing::new(form, self.expected_octets - head.len());
        let capacity = landing.capacity();
        let mut landed = (&mut *head, &mut landing);
        let received = waiting.wait(
            strategy,
            &mut landed,
            |(head, landing)| stream.try_receive_parts(head, landing, capacity),
            |(head, landing)| stream.receive_parts(head, landing, capacity),
        )?;
        if received == 0 {
            return Err(ConnectionFault::Closed);
        }
        let Some(octets) = elements_of(head, received, form, &landing, asked) else {
            self.expected_octets = 0;
            message
                .octets
                .extend_from_slice(&head[..received.min(head.len())]);
            message.octets.extend_from_slice(landing.filled());
            return Ok(false);
        };
        let mut deadline = None::<Instant>;
        while landing.filled().len() < octets {
            limit_rest(stream, self.call_timeout, &mut deadline)?;
            let received = waiting.wait(
                strategy.for_the_rest(),
                &mut landing,
                |landing| stream.try_receive_parts(&mut [], landing, octets),
                |landing| stream.receive_parts(&mut [], landing, octets),
            )?;
            if received == 0 {
                return Err(ConnectionFault::Closed);
            }
        }
        if deadline.is_some() {
            stream.set_receive_timeout(self.call_timeout)?;
        }
        self.expected_octets = head.len() + octets;
        message.octets.extend_from_slice(head);
        message.land(landing.into_elements());
        Ok(true)
    }
}

/// How many octets land in all, of what is the beginning of the reply
/// that was expected; none where it is another one.
fn elements_of(
    head: &[u8],
    received: usize,
    form: ElementForm,
    landing: &Landing,
    (version, request_id): (Version, u32),
) -> Option<usize> {
    if received < head.len() {
        return None;
    }
    let count = head[PLAIN_REPLY_BODY..].first_chunk::<4>()?;
    let octets = form.landing(u32::from_ne_bytes(*count) as usize)?;
    // The room becomes the caller's, who shall not have far too much of it.
    let fits = landing.filled().len() <= octets
        && octets <= landing.capacity()
        && octets >= landing.capacity() / 2;
    (fits && begins_plain_reply(head, head.len() + octets, version, request_id)).then_some(octets)
}

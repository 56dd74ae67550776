//! Large replies whose elements are received where they stay: in the vector that becomes
//! the caller's, so that nobody copies them.
//!
//! How large a reply will be nobody knows before it comes. It is taken to be as large as
//! the last one was; what comes otherwise is put together and read as any other message.

use std::io;
use std::time::Instant;

use taut_cdr::{ElementForm, Landing, MIN_TAIL};
use taut_giop::Version;

use super::client::ClientConnection;
use super::fault::ConnectionFault;
use crate::message::Message;
use crate::messaging::{Messaging, PLAIN_REPLY_BODY_MAX};
use crate::settings::WaitStrategy;
use crate::transport::Stream;
use crate::waiting::Waiting;

/// The most octets in front of the elements that land.
const HEAD_MAX: usize = PLAIN_REPLY_BODY_MAX + ElementForm::MAX_HEAD;

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
    /// If not, what has arrived of it is there, as [`receive`](Self::receive) leaves it. All
    /// of it must come by the deadline.
    #[cold]
    #[inline(never)]
    pub(crate) fn receive_apart(
        &mut self,
        strategy: WaitStrategy,
        message: &mut Message,
        form: ElementForm,
        asked: (Version, u32),
        deadline: Option<Instant>,
    ) -> Result<bool, ConnectionFault> {
        let messaging = self.messaging();
        let (stream, waiting) = (&self.stream, &mut self.incoming.waiting);
        let mut head = [0; HEAD_MAX];
        let head = &mut head[..messaging.plain_reply_body() + form.head()];
        let mut landing = Landing::new(form, self.expected_octets - head.len());
        let capacity = landing.capacity();
        let mut wait = |strategy, head: &mut [u8], landing: &mut Landing, end| {
            let mut landed = (head, landing);
            let received = receive(stream, waiting, strategy, &mut landed, end, deadline)?;
            match received {
                0 => Err(ConnectionFault::Closed),
                _ => Ok(received),
            }
        };
        let received = wait(strategy, head, &mut landing, capacity)?;
        let expected = match received < head.len() {
            true => None,
            false => elements_of(messaging, head, form, &landing, asked),
        };
        let Some(octets) = expected else {
            self.expected_octets = 0;
            message
                .octets
                .extend_from_slice(&head[..received.min(head.len())]);
            message.octets.extend_from_slice(landing.filled());
            return Ok(false);
        };
        while landing.filled().len() < octets {
            wait(strategy.for_the_rest(), &mut [], &mut landing, octets)?;
        }
        self.expected_octets = head.len() + octets;
        message.octets.extend_from_slice(head);
        message.land(landing.into_elements());
        Ok(true)
    }
}

/// Where octets go: the first to a head, and those behind it to where they land.
type Landed<'l> = (&'l mut [u8], &'l mut Landing);

/// Waits until the deadline for octets, of which up to `end` land in all, and returns how
/// many came.
fn receive(
    stream: &Stream,
    waiting: &mut Waiting,
    strategy: WaitStrategy,
    landed: &mut Landed<'_>,
    end: usize,
    deadline: Option<Instant>,
) -> io::Result<usize> {
    let look = |(head, landing): &mut Landed<'_>| stream.try_receive_parts(head, landing, end);
    match deadline {
        None => waiting.wait(strategy, landed, look, |(head, landing)| {
            stream.receive_parts(head, landing, end)
        }),
        Some(at) => waiting.wait_until(strategy, at, landed, look, |(head, landing)| {
            stream.receive_parts_until(head, landing, end, at)
        }),
    }
}

/// How many octets land in all, of what is the beginning of the reply
/// that was expected; none where it is another one.
fn elements_of(
    messaging: Messaging,
    head: &[u8],
    form: ElementForm,
    landing: &Landing,
    (version, request_id): (Version, u32),
) -> Option<usize> {
    let count = head[messaging.plain_reply_body()..].first_chunk::<4>()?;
    let octets = form.landing(u32::from_ne_bytes(*count) as usize)?;
    // The room becomes the caller's, who shall not have far too much of it.
    let fits = landing.filled().len() <= octets
        && octets <= landing.capacity()
        && octets >= landing.capacity() / 2;
    let total = head.len() + octets;
    (fits && messaging.begins_plain_reply(head, total, version, request_id)).then_some(octets)
}

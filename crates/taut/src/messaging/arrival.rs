//! The time in which a message that has begun to arrive has to be there.

use std::time::{Duration, Instant};

use crate::settings::Settings;

/// The time limit of the message that is arriving in parts: `server.header_timeout` for its header,
/// and `limits.message_timeout` for all of it.
#[derive(Debug)]
pub(crate) struct Arrival {
    begun: Option<Begun>,
    header_timeout: Duration,
    message_timeout: Duration,
}

/// A message of which a part has arrived.
#[derive(Debug)]
struct Begun {
    since: Instant,
    /// Whether all of its header is there.
    has_header: bool,
}

impl Arrival {
    /// The limits that the settings give, with no message that has begun.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            begun: None,
            header_timeout: settings.server.header_timeout,
            message_timeout: settings.limits.message_timeout,
        }
    }

    /// Whether a message has begun and is not whole.
    #[inline(always)]
    pub(crate) fn is_under_way(&self) -> bool {
        self.begun.is_some()
    }

    /// Notes that a message is whole, or that none has begun. False if none had.
    pub(crate) fn end(&mut self) -> bool {
        self.begun.take().is_some()
    }

    /// Notes that a message has begun and is not whole, of which the header is there or is
    /// not; and whether others have been whole since this was last noted. If that changes
    /// the time by which the message has to be there, `set_deadline` is told: none is for
    /// ever.
    pub(crate) fn note(
        &mut self,
        has_header: bool,
        has_progressed: bool,
        set_deadline: impl FnOnce(Option<Instant>),
    ) {
        let since = match &self.begun {
            Some(begun) if !has_progressed && begun.has_header == has_header => return,
            Some(begun) if !has_progressed => begun.since,
            _ => Instant::now(),
        };
        let timeout = match has_header {
            true => self.message_timeout,
            false => self.header_timeout,
        };
        self.begun = Some(Begun { since, has_header });
        set_deadline(since.checked_add(timeout));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn octets_that_drip_give_their_message_no_further_time() {
        let (header_timeout, message_timeout) = (Duration::from_secs(5), Duration::from_secs(60));
        let mut settings = Settings::default();
        settings.server.header_timeout = header_timeout;
        settings.limits.message_timeout = message_timeout;
        let mut arrival = Arrival::new(&settings);
        let deadlines = RefCell::new(Vec::new());
        let note = |arrival: &mut Arrival, has_header, has_progressed| {
            arrival.note(has_header, has_progressed, |deadline| {
                deadlines.borrow_mut().push(deadline.unwrap());
            });
            deadlines.borrow().len()
        };
        assert!(!arrival.is_under_way() && !arrival.end());
        assert_eq!(note(&mut arrival, false, false), 1);
        assert_eq!(note(&mut arrival, false, false), 1);
        assert_eq!(note(&mut arrival, true, false), 2);
        assert_eq!(note(&mut arrival, true, false), 2);
        let since = deadlines.borrow()[0] - header_timeout;
        assert_eq!(deadlines.borrow()[1], since + message_timeout);
        // The next one begins now.
        assert_eq!(note(&mut arrival, true, true), 3);
        assert!(deadlines.borrow()[2] >= deadlines.borrow()[1]);
        assert!(arrival.is_under_way() && arrival.end() && !arrival.is_under_way());
    }
}

//! The age limit of messages that arrive in fragments.

use std::time::{Duration, Instant};

use taut_giop::framing::Framer;

/// Drops messages whose fragments take too long, however many fragments come and whatever
/// comes between them: after at least one interval, and at most two if it is asked often.
#[derive(Debug)]
pub(crate) struct FragmentSweep {
    interval: Duration,
    /// When messages were last dropped, or the first fragment was seen.
    last: Option<Instant>,
}

impl FragmentSweep {
    /// A sweep of which `interval` is the least age of a message that it drops.
    pub(crate) const fn every(interval: Duration) -> Self {
        Self {
            interval,
            last: None,
        }
    }

    /// The least age of a message that it drops.
    pub(crate) const fn interval(&self) -> Duration {
        self.interval
    }

    /// Drops what `framer` has kept for too long, unless `is_awaited` says of the request
    /// id that somebody waits for the message. A peer that goes on with a dropped message
    /// breaks the rules.
    pub(crate) fn sweep(
        &mut self,
        framer: &mut Framer,
        now: Instant,
        is_awaited: impl Fn(u32) -> bool,
    ) {
        let last = *self.last.get_or_insert(now);
        if now.duration_since(last) >= self.interval {
            self.last = Some(now);
            framer.drop_stale_partials_unless(is_awaited);
        }
    }
}

#[cfg(test)]
mod tests {
    use taut_giop::framing::{FramingLimits, Step};

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(300);

    /// A fragment of request 1, of eight octets; more are to follow.
    fn fragment(message_type: u8) -> [u8; 24] {
        let mut octets = *b"GIOP\x01\x02\x03\x00\x0c\x00\x00\x00\x01\x00\x00\x00content.";
        octets[7] = message_type;
        octets
    }

    fn begun() -> Framer {
        let mut framer = Framer::new(FramingLimits::default());
        absorb(&mut framer, 0);
        framer
    }

    fn absorb(framer: &mut Framer, message_type: u8) {
        let octets = fragment(message_type);
        let step = framer.next(&octets);
        assert!(matches!(step, Ok(Step::Absorbed { .. })), "{step:?}");
    }

    /// When a message was dropped of which there is a look, and perhaps a fragment, at
    /// each step.
    fn dropped_after(step: Duration, goes_on: bool) -> Duration {
        let start = Instant::now();
        let (mut framer, mut sweep) = (begun(), FragmentSweep::every(INTERVAL));
        for number in 0..100 {
            let age = step * number;
            sweep.sweep(&mut framer, start + age, |_| false);
            if framer.partial_messages() == 0 {
                return age;
            }
            if goes_on {
                absorb(&mut framer, 7);
            }
        }
        panic!("the message is kept for ever");
    }

    /// Found by attack: each fragment gave its message as much time again.
    #[test]
    fn fragments_that_drip_give_their_message_no_further_time() {
        for step_ms in [10, 100, 299, 300] {
            let step = Duration::from_millis(step_ms);
            let limits = INTERVAL..=2 * (INTERVAL + step);
            for goes_on in [true, false] {
                let age = dropped_after(step, goes_on);
                assert!(limits.contains(&age), "{age:?} with {step:?}");
            }
        }
    }

    #[test]
    fn a_message_that_somebody_waits_for_is_kept() {
        let (mut framer, mut sweep) = (begun(), FragmentSweep::every(INTERVAL));
        let start = Instant::now();
        for number in 0..10 {
            sweep.sweep(&mut framer, start + INTERVAL * number, |id| id == 1);
        }
        assert_eq!(framer.partial_messages(), 1);
    }
}

//! How a thread waits for what arrives: by blocking, or by looking for a while first.
//!
//! A thread that blocks is put to sleep by the system and woken again, which takes
//! longer than the way of a small message there and back. One that looks again and
//! again is there when the message comes, but takes a CPU meanwhile. The program says which
//! is better ([`WaitStrategy`]), or [`Learner`] finds out.

mod learner;
mod spin;

use std::io;
use std::time::Instant;

use crate::settings::{Settings, WaitStrategy};
use crate::transport::Stream;
use learner::{Advice, Learner};
use spin::{nanoseconds, spin};

/// The knowledge of a thread, or of the threads that take turns at a connection, about
/// waiting there.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// How long [`WaitStrategy::Spin`] looks.
    spin_time_ns: u64,
    learner: Learner,
}

impl Waiting {
    /// Nothing is known yet.
    pub(crate) fn new(settings: &Settings) -> Self {
        let spin_time_ns = nanoseconds(settings.wire.spin_time);
        Self {
            spin_time_ns,
            learner: Learner::new(spin_time_ns),
        }
    }

    /// Waits for octets, and appends them to the buffer's spare capacity. 0 is the end of
    /// the stream.
    #[inline(always)]
    pub(crate) fn receive(
        &mut self,
        strategy: WaitStrategy,
        stream: &Stream,
        buffer: &mut Vec<u8>,
    ) -> io::Result<usize> {
        match strategy {
            // No closure, which would lie apart.
            WaitStrategy::Block => stream.receive(buffer),
            _ => self.wait_awake(
                strategy,
                buffer,
                |buffer| stream.try_receive(buffer),
                |buffer| stream.receive(buffer),
            ),
        }
    }

    /// Waits with `block`, after `look` has found nothing for as long as the strategy
    /// lets it look: it says so by [`io::ErrorKind::WouldBlock`].
    #[inline(always)]
    pub(crate) fn wait<C: ?Sized, T>(
        &mut self,
        strategy: WaitStrategy,
        context: &mut C,
        look: impl FnMut(&mut C) -> io::Result<T>,
        block: impl FnOnce(&mut C) -> io::Result<T>,
    ) -> io::Result<T> {
        match strategy {
            WaitStrategy::Block => block(context),
            _ => self.wait_awake(strategy, context, look, block),
        }
    }

    /// [`wait`](Self::wait), where the looking ends at a deadline, too, with
    /// [`io::ErrorKind::TimedOut`]. That `block` does is for the caller to see to.
    pub(crate) fn wait_until<C: ?Sized, T>(
        &mut self,
        strategy: WaitStrategy,
        deadline: Instant,
        context: &mut C,
        mut look: impl FnMut(&mut C) -> io::Result<T>,
        block: impl FnOnce(&mut C) -> io::Result<T>,
    ) -> io::Result<T> {
        let look = |context: &mut C| match look(context) {
            Err(nothing)
                if nothing.kind() == io::ErrorKind::WouldBlock && Instant::now() >= deadline =>
            {
                Err(io::ErrorKind::TimedOut.into())
            }
            found => found,
        };
        self.wait(strategy, context, look, block)
    }

    /// How to wait, where looking may be better than blocking.
    #[inline(never)]
    fn advice(&mut self, strategy: WaitStrategy) -> Advice {
        match strategy {
            WaitStrategy::Spin => Advice::Spin {
                limit_ns: self.spin_time_ns,
            },
            _ => self.learner.advise(),
        }
    }

    /// [`wait`](Self::wait), where looking may be better than blocking.
    #[inline(never)]
    fn wait_awake<C: ?Sized, T>(
        &mut self,
        strategy: WaitStrategy,
        context: &mut C,
        mut look: impl FnMut(&mut C) -> io::Result<T>,
        block: impl FnOnce(&mut C) -> io::Result<T>,
    ) -> io::Result<T> {
        let limit_ns = match self.advice(strategy) {
            Advice::Block => return block(context),
            Advice::Measure => {
                let start = Instant::now();
                let found = block(context);
                self.learner.note_blocked(nanoseconds(start.elapsed()));
                return found;
            }
            Advice::Spin { limit_ns } => limit_ns,
        };
        let spun = spin(limit_ns, || look(context));
        if strategy == WaitStrategy::Adaptive {
            self.learner.note_spun(&spun.report);
        }
        spun.found.unwrap_or_else(|| block(context))
    }
}

//! Doorbells: events of a [`Poller`] for what has no descriptor.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

use super::Poller;

/// A doorbell at a poller. Ringing it is an event there, for one of the threads that wait.
#[derive(Debug, Clone)]
pub struct Doorbell {
    bells: Arc<Bells>,
    token: u64,
    /// Whether it has been rung and nobody has answered yet.
    is_rung: Arc<AtomicBool>,
}

/// A place for a doorbell, which its poller's side puts there and takes away again.
#[derive(Debug, Default)]
pub struct DoorbellSlot(Mutex<Option<Doorbell>>);

/// The doorbells of a poller.
#[derive(Debug)]
pub(super) struct Bells {
    /// Counts the bells in `rung`; the poller waits for it.
    counter: OwnedFd,
    /// The bells that nobody has answered, the first to be rung first.
    rung: Mutex<VecDeque<(u64, Arc<AtomicBool>)>>,
}

impl Doorbell {
    pub(super) fn new(bells: &Arc<Bells>, token: u64) -> Self {
        Self {
            bells: Arc::clone(bells),
            token,
            is_rung: Arc::default(),
        }
    }

    fn is_at(&self, poller: &Poller, token: u64) -> bool {
        let bells = poller.bells.get();
        self.token == token && bells.is_some_and(|bells| Arc::ptr_eq(bells, &self.bells))
    }

    /// Makes an event, unless there is one already that no thread has got yet.
    pub fn ring(&self) {
        if !self.is_rung.swap(true, Ordering::AcqRel) {
            self.bells.ring(self.token, &self.is_rung);
        }
    }
}

impl DoorbellSlot {
    /// Puts a doorbell of `poller` there, whose events have this token, in place of any
    /// other, and rings it: what happened before has rung none.
    ///
    /// # Errors
    ///
    /// Those of [`Poller::doorbell`].
    pub fn hang(&self, poller: &Poller, token: u64) -> io::Result<()> {
        let mut slot = lock(&self.0);
        let doorbell = match slot.take() {
            Some(doorbell) if doorbell.is_at(poller, token) => doorbell,
            _ => poller.doorbell(token)?,
        };
        doorbell.ring();
        *slot = Some(doorbell);
        Ok(())
    }

    /// Takes the doorbell away.
    pub fn take_down(&self) {
        *lock(&self.0) = None;
    }

    /// Rings the doorbell, if there is one.
    pub fn ring(&self) {
        if let Some(doorbell) = &*lock(&self.0) {
            doorbell.ring();
        }
    }
}

impl Bells {
    pub(super) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK | EventfdFlags::SEMAPHORE;
        Ok(Self {
            counter: eventfd(0, flags)?,
            rung: Mutex::default(),
        })
    }

    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.counter
    }

    fn ring(&self, token: u64, is_rung: &Arc<AtomicBool>) {
        lock(&self.rung).push_back((token, Arc::clone(is_rung)));
        // It cannot fail: its counter is far from full.
        let _ = rustix::io::write(&self.counter, &1_u64.to_ne_bytes());
    }

    /// The token of the bell that has waited longest; none if another thread was faster.
    pub(super) fn answer(&self) -> Option<u64> {
        rustix::io::read(&self.counter, &mut [0; 8]).ok()?;
        let (token, is_rung) = lock(&self.rung).pop_front()?;
        // Before the caller looks: what happens from now on is another event.
        is_rung.store(false, Ordering::Release);
        Some(token)
    }
}

/// Takes a lock; nothing that is done with it leaves the value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use crate::poll::{DoorbellSlot, Event, Poller};

    fn event(token: u64) -> Option<Event> {
        let is_last = false;
        Some(Event { token, is_last })
    }

    #[test]
    fn a_doorbell_is_one_event_however_often_it_is_rung() {
        let poller = Poller::new().unwrap();
        let (one, other) = (poller.doorbell(1).unwrap(), poller.doorbell(2).unwrap());
        for _ in 0..3 {
            one.ring();
            other.ring();
        }
        assert_eq!(poller.wait().unwrap(), event(1));
        one.ring();
        assert_eq!(poller.wait().unwrap(), event(2));
        assert_eq!(poller.try_wait().unwrap(), event(1));
        let none = poller.try_wait().unwrap_err();
        assert_eq!(none.kind(), std::io::ErrorKind::WouldBlock);
    }

    #[test]
    fn each_ring_wakes_one_thread_and_the_end_all() {
        let poller = Poller::new().unwrap();
        let bells = [1, 2, 3, 4].map(|token| poller.doorbell(token).unwrap());
        thread::scope(|scope| {
            let answered: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut tokens = Vec::new();
                        while let Some(event) = poller.wait().unwrap() {
                            tokens.push(event.token);
                            if event.token == 4 {
                                poller.wake_all();
                            }
                        }
                        tokens
                    })
                })
                .collect();
            for bell in &bells {
                bell.ring();
            }
            let answered = answered
                .into_iter()
                .flat_map(|thread| thread.join().unwrap());
            let mut answered: Vec<_> = answered.collect();
            // Those that were rung before the end may come behind it, to nobody.
            answered.sort_unstable();
            answered.dedup();
            assert_eq!(answered.last(), Some(&4));
        });
    }

    #[test]
    fn a_slot_rings_the_bell_that_hangs_there() {
        let poller = Poller::new().unwrap();
        let slot = DoorbellSlot::default();
        slot.ring();
        for token in [7, 7, 8] {
            slot.hang(&poller, token).unwrap();
            assert_eq!(poller.wait().unwrap(), event(token));
            slot.ring();
            assert_eq!(poller.wait().unwrap(), event(token));
        }
        slot.take_down();
        slot.ring();
        assert!(poller.try_wait().is_err());
    }
}

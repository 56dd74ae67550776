//! The keeper of a lane: the thread that looks whether the lane's threads are all at work while
//! there is more to do.
//!
//! No request tells the keeper anything, so that none pays for it. It looks every 10 ms, and more
//! often while it finds all threads at work and an event waiting.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_sys::poll::Event;

use super::connection::ThreadBuffers;
use super::lane_threads::LaneThreads;
use super::worker_pool::{
    INTERVAL, Look, PAUSE_AFTER_FAILURE, SHORT_INTERVAL, SHORT_LOOKS, Supervised,
};
use super::{MAX_REFUSED, Reactor, slot_id};
use crate::server::ObjectAdapter;
use crate::server::load::Load;

/// The keeper's memory from look to look.
struct Keeper<'r, A> {
    reactor: &'r Arc<Reactor<A>>,
    lane: &'r LaneThreads<A>,
    look: Look,
    /// The progress of the threads at the last look.
    before: Vec<u64>,
    buffers: ThreadBuffers,
    /// When events that are being dealt with are looked at next.
    look_at_events: Instant,
    /// When a further thread may be tried.
    spawn_again: Instant,
    /// Since when every thread is at the same request.
    kept_since: Option<Instant>,
    /// Since when there are threads to spare.
    spare_since: Option<Instant>,
    /// How many looks follow one another quickly.
    short_looks: u32,
}

impl<A: ObjectAdapter> Reactor<A> {
    /// Runs the keeper until the lane is stopped.
    pub(super) fn keep(self: &Arc<Self>) {
        let Some(lane) = &self.lane else {
            return;
        };
        let most = lane.rules().most_threads.min(MOST_EXPECTED);
        let now = Instant::now();
        let order = self.core.settings.wire.byte_order;
        let mut keeper = Keeper {
            reactor: self,
            lane,
            look: Look::new(most),
            before: Vec::with_capacity(most),
            buffers: ThreadBuffers::under(Load::Exhausted, order),
            look_at_events: now,
            spawn_again: now,
            kept_since: None,
            spare_since: None,
            short_looks: 0,
        };
        loop {
            let interval = keeper.next_interval();
            if !self.pool.look(&mut keeper.look, interval) {
                return;
            }
            keeper.examine(Instant::now());
        }
    }
}

/// For so many threads memory is taken before they are there.
const MOST_EXPECTED: usize = 1_024;

impl<A: ObjectAdapter> Keeper<'_, A> {
    /// How long to wait until the next look.
    fn next_interval(&mut self) -> Duration {
        match self.short_looks.checked_sub(1) {
            Some(left) => {
                self.short_looks = left;
                SHORT_INTERVAL
            }
            None => INTERVAL,
        }
    }

    fn examine(&mut self, now: Instant) {
        if now >= self.look_at_events {
            self.look_at_events = now + INTERVAL;
            let tokens = mem::take(&mut self.look.tokens);
            tokens.iter().for_each(|token| self.reactor.look_at(*token));
            self.look.tokens = tokens;
        }
        let is_busy = self.look.is_busy();
        match is_busy && self.look.progress == self.before {
            true => {
                self.kept_since.get_or_insert(now);
            }
            false => self.kept_since = None,
        }
        if !is_busy {
            self.lane.call_if_work_waits(&self.reactor.pool);
        } else if self.reactor.poller.has_event() {
            self.short_looks = SHORT_LOOKS;
            self.relieve(now);
        }
        self.let_one_leave(now);
        mem::swap(&mut self.look.progress, &mut self.before);
    }

    /// Sees to the events that wait while every thread is at work: by a further thread, else by
    /// one of a lower lane, else in the lane's buffer. Without one, requests are refused once
    /// each thread has been at the same one for long enough.
    fn relieve(&mut self, now: Instant) {
        let (reactor, rules) = (self.reactor, self.lane.rules());
        if self.look.progress.len() < rules.most_threads {
            if now >= self.spawn_again && !reactor.add_dynamic_thread(rules) {
                self.spawn_again = now + PAUSE_AFTER_FAILURE;
            }
            return;
        }
        if self.lane.borrow(reactor) {
            return;
        }
        let are_kept = self
            .kept_since
            .is_some_and(|since| now.duration_since(since) >= INTERVAL);
        if rules.backlog.is_some() || are_kept {
            self.read_on();
        }
    }

    /// Reads what has arrived, for no thread is there that could.
    fn read_on(&mut self) {
        for _ in 0..MAX_REFUSED {
            let Ok(Some(Event { token, is_last })) = self.reactor.poller.try_wait() else {
                return;
            };
            let (id, buffers) = (slot_id(token), &mut self.buffers);
            self.reactor.attend(id, is_last, buffers);
        }
    }

    /// Lets a dynamic thread end if there has been one to spare for long enough.
    fn let_one_leave(&mut self, now: Instant) {
        let rules = self.lane.rules();
        let is_one_dynamic = self.look.progress.len() > rules.static_threads;
        if !is_one_dynamic || self.look.idle() == 0 {
            self.spare_since = None;
            return;
        }
        let since = *self.spare_since.get_or_insert(now);
        if now.duration_since(since) >= rules.idle_time {
            self.spare_since = None;
            self.reactor.pool.let_leave();
            // The thread waits, and nothing might ever happen.
            self.lane.wake();
        }
    }
}

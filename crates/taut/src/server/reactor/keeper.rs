//! The keeper of a lane: the thread that looks whether the lane's threads are all at work while
//! there is more to do.
//!
//! No request tells the keeper anything, so that none pays for it. It looks every 10 ms, and more
//! often while it finds all threads at work and an event waiting.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use taut_sys::poll::Event;

use super::connection::ThreadBuffers;
use super::lane_threads::LaneThreads;
use super::worker_pool::{INTERVAL, Look, PAUSE_AFTER_FAILURE, State, Supervised};
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
    state: State,
}

impl<A: ObjectAdapter> Reactor<A> {
    /// Runs the keeper until the lane is stopped.
    pub(super) fn keep(self: &Arc<Self>) {
        let Some(lane) = &self.lane else {
            return;
        };
        let most = lane.rules().most_threads.min(MOST_EXPECTED);
        let order = self.core.settings.wire.byte_order;
        let mut keeper = Keeper {
            reactor: self,
            lane,
            look: Look::new(most),
            before: Vec::with_capacity(most),
            buffers: ThreadBuffers::under(Load::Exhausted, order),
            state: State::new(),
        };
        loop {
            let interval = keeper.state.next_interval();
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
    fn examine(&mut self, now: Instant) {
        if self.state.is_time_for_events(now) {
            let tokens = self.look.tokens.drain(..);
            tokens.for_each(|token| self.reactor.look_at(token));
        }
        let is_busy = self.look.is_busy();
        let is_kept = is_busy && self.look.progress == self.before;
        let is_kept = self.state.has_stalled_for(Some(INTERVAL), is_kept, now);
        if !is_busy {
            self.lane.call_if_work_waits(&self.reactor.pool);
        } else if self.reactor.poller.has_event() {
            self.state.look_quickly();
            self.relieve(is_kept, now);
        }
        self.let_one_leave(now);
        mem::swap(&mut self.look.progress, &mut self.before);
    }

    /// Sees to the events that wait while every thread is at work: by a further thread, else by
    /// one of a lower lane, else in the lane's buffer. Without one, requests are refused once
    /// each thread has been at the same one for long enough.
    fn relieve(&mut self, is_kept: bool, now: Instant) {
        let (reactor, rules) = (self.reactor, self.lane.rules());
        if self.look.progress.len() < rules.most_threads {
            if now >= self.state.spawn_again && !reactor.add_dynamic_thread(rules) {
                self.state.spawn_again = now + PAUSE_AFTER_FAILURE;
            }
            return;
        }
        if self.lane.borrow(reactor) {
            return;
        }
        if rules.backlog.is_some() || is_kept {
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
            self.lane.call_for_requests(&self.reactor.pool);
        }
    }

    /// Lets a dynamic thread end if there has been one to spare for long enough.
    fn let_one_leave(&mut self, now: Instant) {
        let rules = self.lane.rules();
        let is_one_dynamic = self.look.progress.len() > rules.static_threads;
        let has_spare = is_one_dynamic && self.look.idle() > 0;
        if self
            .state
            .has_had_spare_for(rules.idle_time, has_spare, now)
        {
            self.reactor.pool.let_leave();
            // The thread waits, and nothing might ever happen.
            self.lane.wake();
        }
    }
}

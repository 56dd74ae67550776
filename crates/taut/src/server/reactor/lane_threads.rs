//! The threads of a lane of a thread pool: the priority that they have, the requests that wait for
//! them, and the threads that lanes lend each other.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, OnceLock, Weak, mpsc};

use taut_giop::SystemException;
use taut_sync::hazard;
use taut_sync::lock::Mutex;
use taut_sync::slot_table::{SlotId, SlotTable};
use taut_sys::poll::{Doorbell, Event, Poller};

use super::connection::ThreadBuffers;
use super::worker_pool::{Worker, WorkerPool};
use super::{Reactor, slot_id, token};
use crate::core::OrbCore;
use crate::counters;
use crate::priority;
use crate::server::ObjectAdapter;
use crate::server::pool::{Backlog, LaneRules, PoolError, enter_pool};
use crate::server::rate::Rate;
use crate::server::registry::Registry;
use crate::server::request_in_progress::Buffered;
use crate::threads;

/// The token of the doorbell by which threads are woken for work that no event tells. No
/// connection lies there.
const WORK: SlotId = SlotId {
    index: u32::MAX,
    generation: u32::MAX - 1,
};

/// The threads of a lane of a thread pool.
pub(super) struct LaneThreads<A> {
    rules: Arc<LaneRules>,
    /// The lanes of lower priorities whose threads this one may borrow, the highest first.
    lenders: OnceLock<Box<[Weak<Reactor<A>>]>>,
    /// The lanes that want to borrow a thread of this one.
    borrowers: Mutex<VecDeque<Weak<Reactor<A>>>>,
    /// Wakes a thread that waits.
    doorbell: Doorbell,
}

/// Something to do that no event tells.
enum Work<A> {
    /// A request that has waited.
    Request(Box<Buffered>),
    /// A lane of a higher priority that borrows the thread for one event.
    Loan(Arc<Reactor<A>>),
}

impl<A: ObjectAdapter> LaneThreads<A> {
    /// The rules of the lane.
    pub(super) fn rules(&self) -> &Arc<LaneRules> {
        &self.rules
    }

    /// Does all that waits for a thread.
    pub(super) fn work_off(
        &self,
        reactor: &Reactor<A>,
        worker: &Worker,
        buffers: &mut ThreadBuffers,
    ) {
        while let Some(work) = self.next(&reactor.pool) {
            worker.begin(token(WORK));
            match work {
                Work::Request(request) => {
                    let service = reactor.service_of(request.peer());
                    request.carry_out(&service);
                }
                Work::Loan(borrower) => borrower.serve_with_borrowed_thread(buffers),
            }
            worker.end();
        }
    }

    fn next(&self, pool: &WorkerPool) -> Option<Work<A>> {
        if let Some(work) = self.take() {
            return Some(work);
        }
        // A thread that adds something from here on calls again.
        pool.call_for_work(false);
        let late = self.take();
        if late.is_some() {
            pool.call_for_work(true);
        }
        late
    }

    /// Takes a request of this lane before a loan, and none of either that is gone.
    fn take(&self) -> Option<Work<A>> {
        let backlog = self.rules.backlog.as_ref();
        if let Some(request) = backlog.and_then(Backlog::pop) {
            return Some(Work::Request(Box::new(request)));
        }
        let mut borrowers = self.borrowers.lock();
        loop {
            let borrower = borrowers.pop_front()?;
            if let Some(borrower) = borrower.upgrade() {
                return Some(Work::Loan(borrower));
            }
        }
    }

    /// Wakes a thread if requests wait or a thread is to be lent.
    pub(super) fn call_if_work_waits(&self, pool: &WorkerPool) {
        if self.has_requests() || !self.borrowers.lock().is_empty() {
            self.call(pool);
        }
    }

    /// Has the thread that is free first see to the requests that wait, before further ones.
    pub(super) fn call_for_requests(&self, pool: &WorkerPool) {
        if self.has_requests() {
            pool.call_for_work(true);
        }
    }

    /// Whether requests wait.
    fn has_requests(&self) -> bool {
        let backlog = self.rules.backlog.as_ref();
        backlog.is_some_and(|backlog| backlog.count() > 0)
    }

    fn call(&self, pool: &WorkerPool) {
        pool.call_for_work(true);
        self.wake();
    }

    /// Wakes a thread that waits, to look for calls.
    pub(super) fn wake(&self) {
        self.doorbell.ring();
    }

    /// Lends a thread to another lane, if one has nothing to do.
    fn lend(&self, pool: &WorkerPool, borrower: &Arc<Reactor<A>>) -> bool {
        let mut borrowers = self.borrowers.lock();
        if pool.idle() <= borrowers.len() {
            return false;
        }
        borrowers.push_back(Arc::downgrade(borrower));
        drop(borrowers);
        self.call(pool);
        true
    }

    /// Borrows a thread of a lane with a lower priority. False if none of them has one to spare.
    pub(super) fn borrow(&self, this: &Arc<Reactor<A>>) -> bool {
        let lenders = self.lenders.get().map_or(&[][..], |lenders| lenders);
        let mut lenders = lenders.iter().filter_map(Weak::upgrade);
        lenders.any(|lender| match &lender.lane {
            Some(lane) => lane.lend(&lender.pool, this),
            None => false,
        })
    }
}

impl<A: ObjectAdapter> Reactor<A> {
    /// A reactor whose threads are those of a lane. All static threads are there when this
    /// returns, and have the lane's priority.
    ///
    /// # Errors
    ///
    /// The operating system's error where a thread cannot be started; the exception for one that
    /// cannot have its priority or its CPUs.
    pub(in crate::server) fn start_lane(
        core: &Arc<OrbCore>,
        adapter: &Arc<A>,
        registry: &Arc<Registry>,
        rules: &Arc<LaneRules>,
    ) -> Result<Arc<Self>, PoolError> {
        let poller = Poller::new()?;
        let doorbell = poller.doorbell(token(WORK))?;
        let reactor = Arc::new(Self {
            core: Arc::clone(core),
            adapter: Arc::clone(adapter),
            registry: Arc::clone(registry),
            poller,
            connections: SlotTable::new(),
            standing_by: Mutex::new(()),
            pool: WorkerPool::between(rules.static_threads, rules.most_threads),
            shortage_warnings: Mutex::new(Rate::per_second(1)),
            lane: Some(LaneThreads {
                rules: Arc::clone(rules),
                lenders: OnceLock::new(),
                borrowers: Mutex::default(),
                doorbell,
            }),
        });
        let started = reactor.start_threads(rules);
        if started.is_err() {
            reactor.stop();
        }
        started.map(|()| reactor)
    }

    /// Starts the static threads and the keeper, and waits until each has its priority.
    fn start_threads(self: &Arc<Self>, rules: &Arc<LaneRules>) -> Result<(), PoolError> {
        let (ready, is_ready) = mpsc::channel();
        for _ in 0..rules.static_threads {
            self.spawn_lane_worker(rules, Some(ready.clone()))?;
        }
        let (kept, keeper_rules) = (Arc::clone(self), Arc::clone(rules));
        let keeper_ready = ready.clone();
        let name = format!("taut keep {rules}");
        threads::spawn_with_stack(&name, rules.stack_size, move || {
            let begun = keeper_rules.begin_thread(&kept.core);
            let goes_on = begun.is_ok();
            let _ = keeper_ready.send(begun);
            if goes_on {
                hazard::prepare_thread();
                kept.keep();
            }
        })?;
        drop(ready);
        let threads = rules.static_threads + 1;
        let begun: Result<(), SystemException> = is_ready.iter().take(threads).collect();
        Ok(begun?)
    }

    /// Starts a thread of the lane, which tells how it has begun.
    fn spawn_lane_worker(
        self: &Arc<Self>,
        rules: &Arc<LaneRules>,
        ready: Option<mpsc::Sender<Result<(), SystemException>>>,
    ) -> io::Result<()> {
        let worker = self.pool.add();
        let (reactor, own, own_rules) = (Arc::clone(self), Arc::clone(&worker), Arc::clone(rules));
        let spawned =
            threads::spawn_with_stack(&rules.thread_name(), rules.stack_size, move || {
                let begun = own_rules.begin_thread(&reactor.core);
                let goes_on = begun.is_ok();
                if let Err(error) = &begun {
                    tracing::warn!(lane = %own_rules, %error, "a thread of a lane cannot begin");
                }
                if let Some(ready) = ready {
                    let _ = ready.send(begun);
                }
                if !goes_on {
                    return reactor.pool.leave(&own);
                }
                own_rules.note_threads(1);
                enter_pool(own_rules.pool);
                reactor.work(&own);
                own_rules.note_threads(-1);
            });
        match spawned {
            Ok(_) => Ok(()),
            Err(error) => {
                self.pool.leave(&worker);
                Err(error)
            }
        }
    }

    /// Starts a dynamic thread of the lane. False when that fails.
    pub(super) fn add_dynamic_thread(self: &Arc<Self>, rules: &Arc<LaneRules>) -> bool {
        match self.spawn_lane_worker(rules, None) {
            Ok(()) => {
                tracing::debug!(lane = %rules, "all threads of a lane are at work: one more");
                counters::server::lane_thread_added();
                true
            }
            Err(error) => {
                self.warn_of_shortage(&error);
                false
            }
        }
    }

    /// Lets this lane borrow threads of these, of which the highest comes first.
    pub(in crate::server) fn borrow_from(&self, lenders: impl IntoIterator<Item = Weak<Self>>) {
        if let Some(lane) = &self.lane {
            // It is told once, when the pool is made.
            let _ = lane.lenders.set(lenders.into_iter().collect());
        }
    }

    /// Deals with an event of this lane in a thread of another, which has the priority of this
    /// one meanwhile.
    fn serve_with_borrowed_thread(&self, buffers: &mut ThreadBuffers) {
        let Some(lane) = &self.lane else {
            return;
        };
        // A thread of this lane may have been faster.
        let Ok(Some(Event { token, is_last })) = self.poller.try_wait() else {
            return;
        };
        let at = priority::at(&self.core.priorities, lane.rules.priority);
        if let Err(error) = &at {
            tracing::debug!(lane = %lane.rules, %error, "a borrowed thread keeps its priority");
        }
        counters::server::lane_thread_borrowed();
        tracing::trace!(lane = %lane.rules, "a thread of a lower lane serves a request");
        self.attend(slot_id(token), is_last, buffers);
    }
}

//! Priorities that go round among the threads of jobs, so that the most urgent job has the processor.

use std::cmp::Reverse;

use taut_sys::priority::{self, Scheduling};

use crate::info::Importance;

/// A job's place: the least one is executed first, of equal ones that of the first operation. A
/// simulation has the same order.
pub(super) type Place = (i128, Reverse<Importance>, u64);

/// The threads of jobs that preempt each other by priorities which go round.
///
/// A thread that takes a job or ends one has the ceiling, the priority of the thread that releases:
/// on one CPU nobody comes between its decision and what follows of it, and none that waits for the
/// lock waits for a thread that another one has preempted. It executes the job with the higher
/// priority below, or with the lower one while a more urgent job is executed.
#[derive(Debug, Default)]
pub(super) struct Urged {
    /// The system's number of each queue's thread. Empty where priorities do not go round.
    threads: Vec<i32>,
    /// The place of the job that each queue's thread executes.
    executing: Vec<Option<Place>>,
    /// The queue whose job is the most urgent of those.
    queue: Option<usize>,
    /// The priority of the most urgent job's thread; that of the others is one less.
    priority: i32,
}

impl Urged {
    /// The threads of queues, by the system's numbers: that of the most urgent job has this priority.
    pub(super) fn new(threads: Vec<i32>, priority: i32) -> Self {
        Self {
            executing: vec![None; threads.len()],
            threads,
            queue: None,
            priority,
        }
    }

    /// A queue's thread, which has the ceiling, begins a job. Returns the priority at which it is to
    /// execute it.
    pub(super) fn begin(&mut self, queue: usize, place: Place) -> Option<i32> {
        *self.executing.get_mut(queue)? = Some(place);
        self.urge(queue);
        match self.queue == Some(queue) {
            true => Some(self.priority),
            false => Some(self.priority - 1),
        }
    }

    /// A queue's thread, which has the ceiling again, has ended its job.
    pub(super) fn end(&mut self, queue: usize) {
        if let Some(executing) = self.executing.get_mut(queue) {
            *executing = None;
            self.urge(queue);
        }
    }

    /// Gives the higher priority to the thread of the most urgent job that is executed, and takes it
    /// from the one before. `own` is the calling thread's queue, which keeps the ceiling for now.
    fn urge(&mut self, own: usize) {
        let places = self.executing.iter().enumerate();
        let first = places
            .filter_map(|(queue, place)| Some(((*place)?, queue)))
            .min();
        let first = first.map(|(_, queue)| queue);
        let before = std::mem::replace(&mut self.queue, first);
        if before == first {
            return;
        }
        for (queue, priority) in [(first, self.priority), (before, self.priority - 1)] {
            let queue = queue.filter(|queue| *queue != own && self.executing[*queue].is_some());
            if let Some(queue) = queue {
                // A thread that has ended, with the dispatcher, needs no priority.
                let _ = priority::set_of(self.threads[queue], Scheduling::Fifo { priority });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_job_that_is_executed_has_the_higher_priority() {
        // Threads that are not there: the priorities that the callers get are looked at.
        let mut urged = Urged::new(vec![i32::MAX; 3], 40);
        let place = |deadline: i128| (deadline, Reverse(Importance::default()), 0);
        assert_eq!(urged.begin(2, place(100)), Some(40));
        // It preempts the first, and the third does not.
        assert_eq!(urged.begin(0, place(50)), Some(40));
        assert_eq!(urged.begin(1, place(70)), Some(39));
        assert_eq!(urged.queue, Some(0));
        urged.end(0);
        assert_eq!(urged.queue, Some(1));
        // One whose deadline is later than that of what runs, and earlier than that of the rest.
        assert_eq!(urged.begin(0, place(90)), Some(39));
        urged.end(1);
        assert_eq!(urged.queue, Some(0));
        urged.end(0);
        urged.end(2);
        assert_eq!(urged.queue, None);
        // Where priorities do not go round, nobody gets one.
        assert_eq!(Urged::default().begin(0, place(1)), None);
    }
}

//! Where futures of the ORB go on when they have been woken: threads of its own, or an
//! executor that the application gives.

mod task;

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use taut_sync::lock::{Condvar, Mutex};

use crate::threads::InternalThreads;

pub(crate) use task::Task;

/// A future that an executor runs to its end.
pub type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An executor of the application, which runs the futures of asynchronous servants
/// ([`OrbBuilder::executor`](crate::OrbBuilder::executor)).
///
/// Closures are executors: `move |future| { handle.spawn(future); }` with the handle of a
/// runtime of tokio.
pub trait Spawn: Send + Sync {
    /// Has a future run to its end. It is not polled here; a future that is dropped instead
    /// answers its request with UNKNOWN.
    fn spawn(&self, future: BoxFuture);
}

impl<F: Fn(BoxFuture) + Send + Sync> Spawn for F {
    fn spawn(&self, future: BoxFuture) {
        self(future);
    }
}

/// The place where an ORB's futures run.
pub(crate) struct Executor {
    given: Option<Box<dyn Spawn>>,
    own: Arc<Threads>,
}

impl Executor {
    /// That of the application if there is one, else so many threads, which have this name, begin
    /// so and start when they are needed.
    pub(crate) fn new(
        (name, beginning): (&'static str, &InternalThreads),
        given: Option<Box<dyn Spawn>>,
        threads: usize,
    ) -> Self {
        let own = Arc::new(Threads {
            name,
            beginning: beginning.clone(),
            most: threads.max(1),
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        Self { given, own }
    }

    /// The application's executor.
    pub(crate) fn given(&self) -> Option<&dyn Spawn> {
        self.given.as_deref()
    }

    /// A task whose future the calling thread has begun to poll.
    pub(crate) fn task(&self) -> Arc<Task> {
        Task::new(&self.own)
    }

    /// Has a thread of the ORB poll a future.
    pub(crate) fn start(&self, future: BoxFuture) {
        Task::start(&self.own, future);
    }

    /// Ends the threads, as soon as they have done what waits. Futures that are woken from
    /// here on are dropped.
    pub(crate) fn close(&self) {
        self.own.queue.lock().is_closed = true;
        self.own.changed.notify_all();
    }
}

/// The ORB's own threads for futures.
struct Threads {
    name: &'static str,
    /// How they begin.
    beginning: InternalThreads,
    most: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The tasks that wait for a thread.
#[derive(Default)]
struct Queue {
    tasks: VecDeque<Arc<Task>>,
    /// The number of threads.
    threads: usize,
    /// How many of them wait.
    idle: usize,
    is_closed: bool,
}

impl Threads {
    /// Has a thread go on with a task. False when they have ended.
    fn push(self: &Arc<Self>, task: Arc<Task>) -> bool {
        let mut queue = self.queue.lock();
        if queue.is_closed {
            return false;
        }
        queue.tasks.push_back(task);
        let has_idle = queue.idle >= queue.tasks.len();
        let may_grow = !has_idle && queue.threads < self.most;
        queue.threads += usize::from(may_grow);
        drop(queue);
        if may_grow {
            self.start();
        }
        self.changed.notify_one();
        true
    }

    fn start(self: &Arc<Self>) {
        let this = Arc::clone(self);
        if let Err(error) = self.beginning.spawn(self.name, move || this.work()) {
            // The next task tries again; those that wait are not lost.
            tracing::error!(%error, "no thread for futures");
            self.queue.lock().threads -= 1;
        }
    }

    fn work(&self) {
        let mut queue = self.queue.lock();
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                drop(queue);
                task.run();
                queue = self.queue.lock();
                continue;
            }
            if queue.is_closed {
                queue.threads -= 1;
                return;
            }
            queue.idle += 1;
            self.changed.wait(&mut queue);
            queue.idle -= 1;
        }
    }
}

/// Where there is no ORB, there is nothing to go on with.
impl Drop for Executor {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("is_given", &self.given.is_some())
            .field("most_threads", &self.own.most)
            .finish_non_exhaustive()
    }
}

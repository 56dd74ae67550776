//! The ORB's own threads: how they are started, and what it says when one cannot be.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// The begin of the threads of an ORB that belong to no lane: what each does first. A clone is the
/// same.
#[derive(Clone, Default)]
pub(crate) struct InternalThreads(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl InternalThreads {
    /// Has each thread that starts from now on do this first, unless something else has been
    /// said before.
    pub(crate) fn set(&self, begin: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(begin));
    }

    /// Does what the calling thread, which begins, does first.
    pub(crate) fn begin(&self) {
        if let Some(begin) = self.0.get() {
            begin();
        }
    }

    /// [`spawn`] of a thread that belongs to no lane.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`].
    pub(crate) fn spawn(
        &self,
        name: &str,
        run: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let own = self.clone();
        spawn(name, move || {
            own.begin();
            run();
        })
    }
}

impl fmt::Debug for InternalThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InternalThreads")
    }
}

/// Starts a thread of this name.
///
/// # Errors
///
/// The operating system's error, with the name of the thread and what to raise.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let started = taut_sync::threads::spawn(name, run);
    started.map_err(|error| not_started(name, &error))
}

/// Starts a thread of this name whose stack has at least so many octets, if a number is given.
///
/// # Errors
///
/// The operating system's error, with the name of the thread and what to raise.
pub(crate) fn spawn_with_stack(
    name: &str,
    stack_size: Option<usize>,
    run: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let started = taut_sync::threads::spawn_with_stack(name, stack_size, run);
    started.map_err(|error| not_started(name, &error))
}

#[cold]
fn not_started(name: &str, error: &io::Error) -> io::Error {
    let problem = format!(
        "cannot start the thread `{name}`: {error}: raise the number of threads that the \
         process may have (ulimit -u, pids.max of its control group) or its memory \
         (ulimit -v), or lower server.connection_threads and server.max_reactor_threads"
    );
    io::Error::new(error.kind(), problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_thread_and_what_to_raise() {
        let error = not_started("taut watch", &io::ErrorKind::WouldBlock.into());
        let text = error.to_string();
        assert!(
            text.contains("`taut watch`") && text.contains("ulimit -u"),
            "{text}"
        );
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }
}

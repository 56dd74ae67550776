//! The ORB's own threads: how they are started, and what it says when one cannot be.

use std::io;
use std::thread::JoinHandle;

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

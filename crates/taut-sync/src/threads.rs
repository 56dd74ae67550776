//! Starting threads.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread of this name. All go one way, so that what starting takes is in a
/// program once and not for each closure.
///
/// # Errors
///
/// The operating system's error.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    start(name.to_owned(), None, Box::new(run))
}

/// Starts a thread of this name whose stack has at least so many octets; none: as many as the
/// standard library gives.
///
/// # Errors
///
/// The operating system's error.
pub fn spawn_with_stack(
    name: &str,
    stack_size: Option<usize>,
    run: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    start(name.to_owned(), stack_size, Box::new(run))
}

#[cold]
#[inline(never)]
fn start(
    name: String,
    stack_size: Option<usize>,
    run: Box<dyn FnOnce() + Send>,
) -> io::Result<JoinHandle<()>> {
    let builder = Builder::new().name(name);
    let builder = match stack_size {
        Some(octets) => builder.stack_size(octets),
        None => builder,
    };
    builder.spawn(run)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_has_its_name_and_runs_what_it_was_started_for() {
        let (sender, receiver) = mpsc::channel();
        let started = spawn("taut test", move || {
            let _ = sender.send(thread::current().name().map(str::to_owned));
        });
        started.unwrap().join().unwrap();
        assert_eq!(receiver.recv().unwrap().as_deref(), Some("taut test"));
    }
}

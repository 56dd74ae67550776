//! The clients without a priority, which call as fast as they can. They are no ORB, and the
//! same for all servers.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::error::BenchError;
use crate::many::Streams;
use crate::raw::MessageSizes;

/// How many of the threads call, and what came of it.
#[derive(Default)]
struct State {
    calling: usize,
    /// The threads that are in their loops.
    active: usize,
    calls: u64,
    has_failed: bool,
    is_over: bool,
}

/// Connects so many times to an address, or to the object of a stringified reference, and says
/// so by `connected`. To `flood COUNT` so many of the connections are called over, each by a
/// thread, until `stop`, which is answered with the calls that were made and the nanoseconds that
/// it took.
///
/// # Errors
///
/// [`BenchError::System`] when it cannot connect, [`BenchError::Request`] for a line that is
/// none, [`BenchError::Call`] when a call has failed.
pub(super) fn run(
    sizes: MessageSizes,
    clients: usize,
    server: &str,
    connected: impl FnOnce() -> io::Result<()>,
) -> Result<(), BenchError> {
    let streams = Streams::open(sizes, clients, server)?;
    connected().map_err(BenchError::system("standard output"))?;
    let (state, changed) = (Mutex::new(State::default()), Condvar::new());
    thread::scope(|scope| {
        for (place, mut caller) in streams.callers().into_iter().enumerate() {
            let (streams, state, changed) = (&streams, &state, &changed);
            scope.spawn(move || {
                while wait_for_turn(state, changed, place) {
                    let (mut calls, mut failed) = (0, false);
                    // Looked at after some calls, for the lock is that of all threads.
                    while !failed && is_calling(state, place) {
                        for _ in 0..16 {
                            failed |= streams.call(&mut caller).is_err();
                            calls += 1;
                        }
                    }
                    let mut state = state.lock();
                    state.calls += calls;
                    state.has_failed |= failed;
                    state.active -= 1;
                    changed.notify_all();
                }
            });
        }
        let answered = answer_driver(&state, &changed, clients);
        state.lock().is_over = true;
        changed.notify_all();
        answered
    })
}

fn is_calling(state: &Mutex<State>, place: usize) -> bool {
    let state = state.lock();
    state.calling > place && !state.is_over
}

/// Waits until this thread is to call. False when it never will be again.
fn wait_for_turn(state: &Mutex<State>, changed: &Condvar, place: usize) -> bool {
    let mut state = state.lock();
    changed.wait_while(&mut state, |it| it.calling <= place && !it.is_over);
    state.active += usize::from(!state.is_over);
    !state.is_over
}

fn answer_driver(
    state: &Mutex<State>,
    changed: &Condvar,
    clients: usize,
) -> Result<(), BenchError> {
    let mut begun = Instant::now();
    let mut output = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let answer = match line.split_once(' ') {
            None if line == "stop" => {
                let (calls, elapsed) = stop(state, changed, begun)?;
                format!("{calls} {}", elapsed.as_nanos())
            }
            Some(("flood", count)) => {
                let count = count.parse().ok().filter(|count| *count <= clients);
                let mut state = state.lock();
                state.calling = count.ok_or_else(|| BenchError::request(&line))?;
                begun = Instant::now();
                drop(state);
                changed.notify_all();
                line
            }
            _ => return Err(BenchError::request(&line)),
        };
        writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

/// Ends the flood: the calls that were made, and how long it took.
fn stop(
    state: &Mutex<State>,
    changed: &Condvar,
    begun: Instant,
) -> Result<(u64, Duration), BenchError> {
    let mut state = state.lock();
    state.calling = 0;
    let elapsed = begun.elapsed();
    changed.wait_while(&mut state, |it| it.active > 0);
    match state.has_failed {
        true => Err(BenchError::call("a call of the flood has failed")),
        false => Ok((std::mem::take(&mut state.calls), elapsed)),
    }
}

/// Reads the answer to `stop`.
pub(super) fn parse(line: &str) -> Option<(u64, Duration)> {
    let (calls, elapsed_ns) = line.split_once(' ')?;
    let elapsed = Duration::from_nanos(elapsed_ns.parse().ok()?);
    Some((calls.parse().ok()?, elapsed))
}

//! A client with several threads that call at once.

use std::io;
use std::sync::{Arc, Barrier};
use std::thread;

use parking_lot::Mutex;

use crate::error::BenchError;
use crate::protocol;
use crate::taut::Client;

/// How many threads call.
const THREADS: u32 = 4;
/// How many calls each makes in a row.
const CALLS_OF_THREAD: u32 = 50;
/// The calls of a sample: those of all threads.
pub(super) const CALLS: u32 = THREADS * CALLS_OF_THREAD;

/// The client of the object with this stringified reference. A sample is the time in
/// which all threads have made their calls.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Pinger`, and those
/// of [`protocol::answer_requests`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let client = Arc::new(Client::connect(reference, |_| ())?);
    let barrier = Arc::new(Barrier::new(THREADS as usize + 1));
    let failed = Arc::new(Mutex::new(None));
    // They end with the process.
    for _ in 0..THREADS {
        let (client, barrier, failed) = (client.clone(), barrier.clone(), failed.clone());
        thread::spawn(move || {
            loop {
                barrier.wait();
                for _ in 0..CALLS_OF_THREAD {
                    if let Err(error) = client.ping() {
                        *failed.lock() = Some(error);
                    }
                }
                barrier.wait();
            }
        });
    }
    protocol::answer_requests(io::stdin().lock(), io::stdout(), || {
        barrier.wait();
        barrier.wait();
        failed.lock().take().map_or(Ok(()), Err)
    })
}

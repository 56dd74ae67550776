//! Load without deadlines, on the CPU of those that have some.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use taut_sys::cpu;

use crate::error::BenchError;

/// Threads that compute as much as the system lets them. They end when this value is dropped.
pub(super) struct Load {
    has_ended: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    pub(super) fn none() -> Self {
        Self {
            has_ended: Arc::new(AtomicBool::new(false)),
            threads: Vec::new(),
        }
    }

    /// Adds a thread on this CPU.
    pub(super) fn grow(&mut self, on: usize) -> Result<(), BenchError> {
        let has_ended = Arc::clone(&self.has_ended);
        let compute = move || {
            if cpu::pin(on).is_ok() {
                while !has_ended.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            }
        };
        let thread = thread::Builder::new().name("best effort".to_owned());
        let thread = thread.spawn(compute);
        self.threads
            .push(thread.map_err(BenchError::system("a thread"))?);
        Ok(())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

/// Computes until the calling thread has had the processor for so long.
pub(super) fn compute(for_ns: u64) {
    let end = cpu::thread_time() + Duration::from_nanos(for_ns);
    while cpu::thread_time() < end {
        hint::spin_loop();
    }
}

//! Calls that must not keep a test waiting.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::error::HarnessError;

/// Runs something on a thread of its own and waits for what comes of it, for so
/// long: a reply that never comes shall fail a test, not stop it. The thread is
/// left behind then.
///
/// # Errors
///
/// [`HarnessError::TimeOut`], also when `body` panics.
pub fn within<T: Send + 'static>(
    time_out: Duration,
    body: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HarnessError> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // Nobody receives it any more when the time is over.
        let _ = sender.send(body());
    });
    receiver
        .recv_timeout(time_out)
        .map_err(|_| HarnessError::TimeOut {
            program: "the test's own thread".to_owned(),
            waited: time_out,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_left_behind() {
        assert_eq!(within(Duration::from_secs(20), || 7).unwrap(), 7);
        let slow = within(Duration::from_millis(20), || {
            thread::sleep(Duration::from_secs(60));
        });
        assert!(matches!(slow, Err(HarnessError::TimeOut { .. })));
    }
}

//! Tests of what a process may not do.

use std::thread;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

/// Runs the body of a test in a thread that may not set priorities, nor may those that it starts:
/// without `CAP_SYS_NICE` and, in the whole process, without `ulimit -r`.
///
/// # Panics
///
/// When the body does, or the right cannot be given up.
#[expect(clippy::expect_used, reason = "a test may fail by a panic")]
pub fn without_right_to_priorities(body: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let test = scope.spawn(|| {
            for resource in [Resource::Rtprio, Resource::Nice] {
                let maximum = getrlimit(resource).maximum;
                let current = Some(0);
                let none = Rlimit { current, maximum };
                setrlimit(resource, none).expect("a limit may be lowered");
            }
            let mut sets = capabilities(None).expect("a thread knows its capabilities");
            sets.effective.remove(CapabilitySet::SYS_NICE);
            set_capabilities(None, sets).expect("a capability may be given up");
            body();
        });
        test.join().expect("the test has failed");
    });
}

//! Calls that are awaited: what they allocate, and that many of them, of which some are
//! dropped, leave nothing behind.

use std::fs;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use counting_allocator::every_thread::{in_steady_state, live};
use taut::codegen::{CalledOperation, Encode, Encoder};
use taut::{Reference, ReplyFuture};
use test_tools::in_own_process;

use crate::common::{EchoRef, Server};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn ping(echo: &EchoRef) -> ReplyFuture<()> {
    const PING: &CalledOperation<'_> = &CalledOperation::by_name("ping");
    let object = echo.as_object();
    object.call_async(PING, |_| Ok(()), None, |reply| reply.no_results())
}

fn note(echo: &EchoRef, text: &str) -> ReplyFuture<()> {
    const NOTE: &CalledOperation<'_> = &CalledOperation::by_name("note");
    let write = |out: &mut Encoder| text.encode(out);
    echo.as_object().send_async(NOTE, write, None)
}

/// A call of an operation with an argument and without a result.
fn misbehave(echo: &EchoRef) -> ReplyFuture<()> {
    const FAIL: &CalledOperation<'_> = &CalledOperation::by_name("echo");
    let write = |out: &mut Encoder| "text".encode(out);
    echo.as_object().call_async(FAIL, write, None, |_| Ok(()))
}

/// Polls a future until it is ready, with a waker that serves for all.
fn wait_for<F: Future>(future: F, waker: &Waker) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // It may be woken before this, or more than once.
            Poll::Pending => thread::park_timeout(Duration::from_secs(10)),
        }
    }
}

#[test]
fn a_call_allocates_twice_at_most_and_a_oneway_never() {
    in_own_process(a_call_allocates_twice_at_most_and_a_oneway_never, || {
        let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
        let builder = builder.settings(|settings| settings.server.max_requests_per_connection = 1);
        let server = Server::start_with(builder);
        let echo = server.client();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let one_by_one = in_steady_state(1, || {
            for _ in 0..1_000 {
                wait_for(ping(&echo), &waker).unwrap();
            }
        });
        assert!(one_by_one <= 1_050, "{one_by_one} for 1,000 calls");
        let with_argument = in_steady_state(1, || {
            for _ in 0..1_000 {
                wait_for(misbehave(&echo), &waker).unwrap();
            }
        });
        // The servant returns a string, too.
        assert!(
            with_argument <= 3_050,
            "{with_argument} for 1,000 calls with an argument"
        );
        let oneways = in_steady_state(1, || {
            for _ in 0..1_000 {
                wait_for(note(&echo, "text"), &waker).unwrap();
            }
            wait_for(ping(&echo), &waker).unwrap();
        });
        assert!(oneways <= 50, "{oneways} for 1,000 oneways");
    });
}

/// The number of calls, which the environment may say.
fn calls() -> usize {
    let of_environment = std::env::var("TAUT_CALLS").ok();
    of_environment.map_or(10_000, |calls| calls.parse().unwrap())
}

/// How often all calls are made until it is a fault that more is left each time.
const ROUNDS: usize = 10;

/// How often a round looks whether what it has left behind is gone.
const LOOKS: usize = 100;

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Makes so many calls, of which about half are dropped, before they have begun or while
/// they wait.
fn call_and_drop(echo: &EchoRef, calls: usize, below: &mut impl FnMut(usize) -> usize) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let hasty = echo.with_call_timeout(Duration::from_secs(3_600));
    // With whether it is waited for, however long that takes.
    let mut flying: Vec<(ReplyFuture<()>, bool)> = Vec::new();
    let (mut made, mut ended) = (0, 0);
    while made < calls || !flying.is_empty() {
        while made < calls && flying.len() < 50 {
            made += 1;
            let call = match below(4) {
                0 => ping(&hasty),
                1 => note(echo, "text"),
                2 => misbehave(echo),
                _ => ping(echo),
            };
            flying.push((call, made % 2 == 0));
        }
        // Some before they have been polled.
        if below(8) == 0 {
            drop(flying.swap_remove(below(flying.len())));
        }
        let before = flying.len();
        flying.retain_mut(|(call, is_kept)| match Pin::new(call).poll(&mut context) {
            Poll::Ready(outcome) => {
                outcome.unwrap();
                ended += 1;
                false
            }
            Poll::Pending => *is_kept || below(3) != 0,
        });
        if before == flying.len() && !flying.is_empty() {
            thread::park_timeout(Duration::from_millis(100));
        }
    }
    assert!(ended > calls / 20, "{ended} of {calls} have been answered");
    wait_for(ping(echo), &waker).unwrap();
}

#[test]
fn many_calls_of_which_some_are_dropped_leave_nothing_behind() {
    in_own_process(
        many_calls_of_which_some_are_dropped_leave_nothing_behind,
        || {
            let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
            // No reactor that stands by, which has memory and descriptors of its own.
            let builder =
                builder.settings(|settings| settings.server.max_requests_per_connection = 1);
            let server = Server::start_with(builder);
            let echo = server.client();
            let mut state = 0x9E37_79B9_7F4A_7C15_u64;
            let mut below = move |end: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as usize % end
            };
            let calls = calls();
            call_and_drop(&echo, calls, &mut below);
            // Buffers keep the size that the most which came together has wanted: sooner or later it
            // is not exceeded any more. A leak of a call's smallest part grows each time.
            let mut told = Vec::new();
            let ends_as_it_began = (0..ROUNDS).any(|_| {
                let (octets, open) = (live(), descriptors());
                call_and_drop(&echo, calls, &mut below);
                (0..LOOKS).any(|_| {
                    thread::sleep(Duration::from_millis(10));
                    let now = (live(), descriptors());
                    told.push(((octets, open), now));
                    now.0 < octets + 8 * calls.cast_signed() && now.1 <= open
                })
            });
            assert!(ends_as_it_began, "octets and descriptors: {told:?}");
        },
    );
}

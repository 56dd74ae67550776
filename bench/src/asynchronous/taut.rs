//! Taut's client: futures of one thread, whose calls all go over one connection.
//!
//! The server is that of the other benchmarks, with the ORB's defaults. The client lets as many
//! calls be in flight as it is asked for; its other settings are the defaults, too.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::IN_FLIGHT_MAX;
use super::flight::{Flight, Flights};
use crate::error::BenchError;
use crate::protocol;
use crate::taut::Client;

/// The client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Pinger`, and those of
/// [`protocol::answer_requests`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let client = Client::connect(reference, |settings| {
        let in_flight = usize::try_from(IN_FLIGHT_MAX).unwrap_or(usize::MAX);
        settings.client.max_requests_in_flight = in_flight;
    })?;
    let flights = Flights::new(|flight| block_on(fly(&client, flight)));
    protocol::answer_requests(io::stdin().lock(), io::stdout(), flights)
}

/// Makes the calls of a flight. The next one begins where one ends.
async fn fly(client: &Client, Flight { in_flight, calls }: Flight) -> Result<(), BenchError> {
    let mut under_way = FuturesUnordered::new();
    let first = in_flight.min(calls);
    under_way.extend((0..first).map(|_| client.ping_async()));
    let mut to_begin = calls - first;
    while let Some(replied) = under_way.next().await {
        replied.map_err(BenchError::call)?;
        if to_begin > 0 {
            to_begin -= 1;
            under_way.push(client.ping_async());
        }
    }
    Ok(())
}

/// Polls a future in this thread, which sleeps until it is woken.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// A waker of a thread that is parked.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_answered_however_many_are_under_way() {
        let (orb, reference) = crate::taut::pinger();
        let client = Client::connect(&reference, |_| ()).unwrap();
        // The last ones are more than the ORB has in flight by default.
        for (in_flight, calls) in [(1, 3), (5, 2), (256, 1_000), (2_000, 5_000)] {
            block_on(fly(&client, Flight { in_flight, calls })).unwrap();
        }
        orb.shutdown(true).unwrap();
        let flown = block_on(fly(
            &client,
            Flight {
                in_flight: 1,
                calls: 1,
            },
        ));
        assert!(matches!(flown, Err(BenchError::Call { .. })));
    }
}

//! Calls by futures to servers of other ORBs: many at once over one connection, forwards,
//! exceptions and calls that are given up.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use taut::{Reference, SystemExceptionKind, Version};
use taut_interop::session_test::{Peer, Session, SessionRef};
use taut_interop::{loopback_orb, within};

const TIME_OUT: Duration = Duration::from_secs(120);

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls all futures from this thread until all are ready.
fn join_all<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut futures: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    loop {
        let mut waits = false;
        for (future, output) in futures.iter_mut().filter(|(_, output)| output.is_none()) {
            match Pin::new(future).poll(&mut context) {
                Poll::Ready(ready) => *output = Some(ready),
                Poll::Pending => waits = true,
            }
        }
        if !waits {
            return futures
                .into_iter()
                .filter_map(|(_, output)| output)
                .collect();
        }
        thread::park_timeout(Duration::from_secs(1));
    }
}

fn wait_for<F: Future + Unpin>(future: F) -> F::Output {
    join_all(vec![future]).pop().unwrap()
}

fn futures_with(peer: Peer, version: Version) {
    let (Some(forwarder), Some(target)) = (peer.server(), peer.server()) else {
        return;
    };
    let forwarder = forwarder.name("forwarder").serve().unwrap();
    let target = target.name("target").serve().unwrap();
    within(TIME_OUT, move || {
        let orb = loopback_orb(|settings| settings.wire.giop_version = version).unwrap();
        let session = |reference: &str| -> SessionRef {
            let object = orb.string_to_object(reference).unwrap();
            object.unchecked_narrow()
        };
        let (forwards, there) = (session(forwarder.reference()), session(target.reference()));
        // JacORB keeps 100 requests waiting, and refuses those beyond.
        let names = (0..80).map(|_| there.name_async()).collect();
        for name in join_all(names) {
            assert_eq!(name.unwrap(), "target");
        }

        // An object that has moved, to nowhere and then to the other server.
        let moved = wait_for(forwards.moved_async()).unwrap().unwrap();
        let lost = wait_for(moved.name_async()).unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::ObjectNotExist);
        wait_for(forwards.move_async(Some(&there))).unwrap();
        assert_eq!(wait_for(moved.name_async()).unwrap(), "target");

        // One that is given up while the servant works does not disturb the others.
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let log = log.to_str().unwrap();
        let hasty = there.with_call_timeout(Duration::from_millis(50));
        let late = wait_for(hasty.work_async(log, 300)).unwrap_err();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        assert_eq!(wait_for(there.name_async()).unwrap(), "target");
        assert_eq!(there.name().unwrap(), "target");
        orb.shutdown(true).unwrap();
    })
    .unwrap();
}

#[test]
fn futures_of_calls_to_omniorb() {
    for version in VERSIONS {
        futures_with(Peer::OmniOrb, version);
    }
}

#[test]
fn futures_of_calls_to_jacorb() {
    for version in VERSIONS {
        futures_with(Peer::JacOrb, version);
    }
}

//! Every order of events: `cargo xtask loom`.

use std::task::{Poll, Wake, Waker};
use std::time::Instant;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use taut_giop::Version;
use taut_giop::message::{MessageHeader, MessageType};
use taut_sync::primitives::Mutex;

use super::calls::{Calls, Reply};
use super::task::{Place, Task};
use super::timers::Timers;
use crate::connection::shared::call_table::CallPlace;
use crate::message::Message;

/// A future's waker, which notes that it was woken.
struct Woken(Arc<AtomicBool>);

impl Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

fn waker() -> (Waker, Arc<AtomicBool>) {
    let woken = Arc::new(AtomicBool::new(false));
    let waker = Waker::from(std::sync::Arc::new(Woken(Arc::clone(&woken))));
    (waker, woken)
}

/// The calls of a connection under its lock, as the connection has them.
struct Shared(Mutex<Calls>);

impl Shared {
    fn new(max: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Calls::new(max, 1_000))))
    }

    fn begin(&self, request_id: u32, waker: &Waker) -> CallPlace {
        let mut calls = self.0.lock();
        calls.begin(request_id, 0, waker.clone()).unwrap()
    }

    fn reply(&self, request_id: u32) {
        let header = MessageHeader::bodyless(Version::V1_2, MessageType::Reply);
        let mut wakers = Vec::new();
        let mut calls = self.0.lock();
        calls.reply(request_id, header, Message::none(), &mut wakers);
        calls.grant(0, &mut wakers);
        drop(calls);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, place: CallPlace, waker: &Waker) -> Poll<Reply> {
        let mut calls = self.0.lock();
        let (polled, before) = calls.poll(place, waker);
        drop(calls);
        drop(before);
        polled
    }

    fn abandon(&self, place: CallPlace) {
        let mut calls = self.0.lock();
        let (_, rest) = calls.abandon(place);
        drop(calls);
        drop(rest);
    }
}

#[test]
fn a_reply_wakes_the_waker_that_was_given_last() {
    loom::model(|| {
        let shared = Shared::new(2);
        let (first, _) = waker();
        let place = shared.begin(2, &first);
        let replier = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.reply(2)
        });
        let (second, woken) = waker();
        let polled = shared.poll(place, &second);
        replier.join().unwrap();
        if polled.is_pending() {
            assert!(woken.load(Ordering::Acquire), "the future is never woken");
            let polled = shared.poll(place, &second);
            assert!(matches!(polled, Poll::Ready(Reply::Come(..))));
        }
        assert!(shared.0.lock().are_none());
    });
}

#[test]
fn a_call_that_is_dropped_while_its_reply_comes_leaves_nothing() {
    loom::model(|| {
        let shared = Shared::new(2);
        let (waker, _) = waker();
        let place = shared.begin(2, &waker);
        let replier = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.reply(2)
        });
        shared.abandon(place);
        replier.join().unwrap();
        let calls = shared.0.lock();
        assert!(calls.are_none() && calls.in_flight() == 0 && calls.strays() == 0);
    });
}

#[test]
fn a_call_ends_by_its_reply_or_at_its_deadline_and_never_waits_on() {
    loom::model(|| {
        let (shared, timers) = (Shared::new(2), Arc::new(Timers::default()));
        let (waker, woken) = waker();
        let place = shared.begin(2, &waker);
        let replier = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.reply(2)
        });
        let (key, _) = timers.add(Instant::now(), &waker);
        let engine = thread::spawn({
            let timers = Arc::clone(&timers);
            move || {
                let mut due = Vec::new();
                let next = timers.take_due(&mut due);
                due.into_iter().for_each(Waker::wake);
                assert!(next.is_none());
            }
        });
        // Its time is over.
        if shared.poll(place, &waker).is_pending() {
            shared.abandon(place);
        }
        timers.remove(&key);
        replier.join().unwrap();
        engine.join().unwrap();
        let _ = woken.load(Ordering::Acquire);
        let calls = shared.0.lock();
        assert!(calls.are_none() && calls.strays() == 0);
    });
}

#[test]
fn a_turn_goes_to_one_that_waits_though_another_gives_up() {
    loom::model(|| {
        let shared = Shared::new(1);
        let (first, _) = waker();
        let place = shared.begin(2, &first);
        let (mut one, mut other) = (None, None);
        let ((of_one, _), (of_other, woken)) = (waker(), waker());
        shared.0.lock().admit(&mut one, 1, 0, &of_one);
        shared.0.lock().admit(&mut other, 1, 0, &of_other);
        let replier = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.reply(2)
        });
        let mut wakers = Vec::new();
        let mut calls = shared.0.lock();
        let gone = one.and_then(|ticket| calls.forget(ticket));
        calls.grant(0, &mut wakers);
        drop(calls);
        drop(gone);
        wakers.into_iter().for_each(Waker::wake);
        replier.join().unwrap();
        assert!(woken.load(Ordering::Acquire), "nobody has the turn");
        assert!(shared.0.lock().admit(&mut other, 1, 0, &of_other).0);
        shared.abandon(place);
    });
}

#[test]
fn a_task_that_is_finished_wakes_those_who_wait() {
    loom::model(|| {
        let (task, promise) = Task::new(0);
        let worker = thread::spawn(move || promise.finish(1));
        let (waker, woken) = waker();
        let mut place = Place::default();
        let polled = task.poll(&mut place, &waker);
        worker.join().unwrap();
        match polled {
            Poll::Ready(outcome) => assert_eq!(outcome, 1),
            Poll::Pending => {
                assert!(woken.load(Ordering::Acquire));
                assert_eq!(task.poll(&mut place, &waker), Poll::Ready(1));
            }
        }
    });
}

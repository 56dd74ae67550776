//! Every order of events: `cargo xtask loom`.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use super::{Duty, Rest, Task, Upcall};

/// A connection without octets.
struct Connection {
    duty: Duty,
    is_sending: AtomicBool,
    goodbyes: AtomicUsize,
    forgotten: AtomicUsize,
}

impl Connection {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            duty: Duty::new(),
            is_sending: AtomicBool::new(false),
            goodbyes: AtomicUsize::new(0),
            forgotten: AtomicUsize::new(0),
        })
    }

    /// Sends, which only one thread on duty may do at a time.
    fn send(&self) {
        assert!(!self.is_sending.swap(true, Ordering::AcqRel));
        self.is_sending.store(false, Ordering::Release);
    }

    fn settle(&self, rest: Rest) {
        match rest {
            Rest::Nothing => {}
            Rest::Goodbye => drop(self.goodbyes.fetch_add(1, Ordering::AcqRel)),
            Rest::Forget => drop(self.forgotten.fetch_add(1, Ordering::AcqRel)),
        }
    }

    /// Carries out one request. False when the connection is not this
    /// thread's any more.
    fn serve(&self, shift: super::Shift) -> bool {
        if !self.duty.begin(shift, Task::Request) {
            return true;
        }
        match self.duty.upcall_ended(shift) {
            Upcall::OnDuty => {
                self.send();
                self.settle(self.duty.sent());
                true
            }
            Upcall::Relieved => {
                self.settle(self.duty.sent_apart());
                false
            }
        }
    }

    fn end(&self) {
        self.settle(self.duty.end());
    }
}

#[test]
fn one_thread_reads_and_the_connection_is_forgotten_once() {
    loom::model(|| {
        let connection = Connection::new();
        let first = connection.duty.shift();
        let reading = thread::spawn({
            let connection = Arc::clone(&connection);
            move || {
                if connection.serve(first) && connection.serve(first) {
                    connection.end();
                }
            }
        });
        if let Some(second) = connection.duty.relieve(first, 9, true) {
            assert!(connection.serve(second.shift));
            connection.end();
        }
        reading.join().unwrap();
        assert!(!connection.duty.is_busy());
        assert_eq!(connection.forgotten.load(Ordering::Acquire), 1);
        assert_eq!(connection.goodbyes.load(Ordering::Acquire), 0);
    });
}

#[test]
fn one_thread_says_goodbye_whoever_is_relieved_meanwhile() {
    loom::model(|| {
        let connection = Connection::new();
        let first = connection.duty.shift();
        let reading = thread::spawn({
            let connection = Arc::clone(&connection);
            move || {
                connection.serve(first);
            }
        });
        let closing = thread::spawn({
            let connection = Arc::clone(&connection);
            move || connection.settle(connection.duty.close())
        });
        if let Some(second) = connection.duty.relieve(first, 9, true) {
            connection.serve(second.shift);
        }
        reading.join().unwrap();
        closing.join().unwrap();
        assert!(!connection.duty.is_busy());
        assert_eq!(connection.goodbyes.load(Ordering::Acquire), 1);
    });
}

#[test]
fn replies_that_wait_leave_before_the_goodbye_whoever_is_relieved_meanwhile() {
    // Without a bound there are more orders than can be tried in hours.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let connection = Connection::new();
        let first = connection.duty.shift();
        let reading = thread::spawn({
            let connection = Arc::clone(&connection);
            move || {
                let duty = &connection.duty;
                if !duty.begin(first, Task::Request) {
                    return;
                }
                if duty.upcall_ended(first) == Upcall::Relieved {
                    return connection.settle(duty.sent_apart());
                }
                // The first reply waits for the second.
                if duty.begin(first, Task::Request) && duty.upcall_ended(first) == Upcall::Relieved
                {
                    return connection.settle(duty.sent_apart());
                }
                assert_eq!(connection.goodbyes.load(Ordering::Acquire), 0);
                connection.send();
                connection.settle(duty.sent());
            }
        });
        let closing = thread::spawn({
            let connection = Arc::clone(&connection);
            move || connection.settle(connection.duty.close())
        });
        if let Some(second) = connection.duty.relieve(first, 9, true) {
            connection.serve(second.shift);
        }
        reading.join().unwrap();
        closing.join().unwrap();
        assert!(!connection.duty.is_busy());
        assert_eq!(connection.goodbyes.load(Ordering::Acquire), 1);
    });
}

/// The shared state of two threads that read several requests at once: how many have been
/// dealt with lies beside the duty, and is written without an order of its own.
struct Several {
    duty: Duty,
    dealt_with: AtomicUsize,
    carried_out: [AtomicUsize; COUNT],
}

const COUNT: usize = 2;

impl Several {
    fn note(&self, request: usize) {
        self.dealt_with.store(request + 1, Ordering::Relaxed);
    }

    /// Carries out what is left. False if the thread has been relieved meanwhile.
    fn carry_out(&self, shift: super::Shift, task: Task) -> bool {
        for request in self.dealt_with.load(Ordering::Relaxed)..COUNT {
            self.note(request);
            assert!(self.duty.begin(shift, task));
            self.carried_out[request].fetch_add(1, Ordering::Relaxed);
            if task == Task::Oneway && self.duty.oneway_ended(shift) {
                continue;
            }
            match self.duty.upcall_ended(shift) {
                Upcall::OnDuty => drop(self.duty.sent()),
                Upcall::Relieved => {
                    let _ = self.duty.sent_apart();
                    return false;
                }
            }
        }
        true
    }
}

fn deal_with_several(task: Task) {
    loom::model(move || {
        let several = Arc::new(Several {
            duty: Duty::new(),
            dealt_with: AtomicUsize::new(0),
            carried_out: [AtomicUsize::new(0), AtomicUsize::new(0)],
        });
        let first = several.duty.shift();
        let reading = thread::spawn({
            let several = Arc::clone(&several);
            move || several.carry_out(first, task)
        });
        let second = several.duty.relieve(first, 9, true);
        if let Some(second) = second {
            assert!(several.carry_out(second.shift, task));
        }
        assert_eq!(reading.join().unwrap(), second.is_none());
        assert!(!several.duty.is_busy());
        for carried_out in &several.carried_out {
            assert_eq!(carried_out.load(Ordering::Relaxed), 1);
        }
    });
}

#[test]
fn requests_read_at_once_are_carried_out_once_each() {
    deal_with_several(Task::Request);
}

#[test]
fn oneways_read_at_once_are_carried_out_once_each() {
    deal_with_several(Task::Oneway);
}

/// A request whose id the client uses again behind the reply.
#[derive(Default)]
struct Numbered {
    /// Whether the handover has its id, which a thread toggles.
    is_apart: AtomicBool,
    /// Whether it is among those that are deferred.
    is_deferred: AtomicBool,
    /// Whether the reply is going to be sent, and whether it has been.
    is_released: AtomicBool,
    is_answered: AtomicBool,
}

impl Numbered {
    fn toggle_apart(&self) {
        self.is_apart.fetch_xor(true, Ordering::AcqRel);
    }

    /// Whether another request with its id is refused.
    fn is_under_way(&self) -> bool {
        self.is_apart.load(Ordering::Acquire) || self.is_deferred.load(Ordering::Acquire)
    }
}

/// A thread defers its request, which is answered while the up-call goes on; another thread
/// relieves it at some time.
#[test]
fn an_id_is_in_use_until_its_answer_and_no_longer_whoever_is_relieved_meanwhile() {
    loom::model(|| {
        let (duty, request) = (Arc::new(Duty::new()), Arc::new(Numbered::default()));
        let first = duty.shift();
        assert!(duty.begin(first, Task::Request));
        let deferring = thread::spawn({
            let (duty, request) = (Arc::clone(&duty), Arc::clone(&request));
            move || {
                request.is_deferred.store(true, Ordering::Release);
                if !duty.leave_reply(first) {
                    request.toggle_apart();
                }
                request.is_released.store(true, Ordering::Release);
                request.is_deferred.store(false, Ordering::Release);
                request.is_answered.store(true, Ordering::Release);
                duty.upcall_ended(first)
            }
        });
        let relief = duty.relieve(first, 9, true);
        if let Some(relief) = relief {
            if relief.is_reply_due {
                request.toggle_apart();
            }
            // The client's next request has been sent before it is read.
            let was_answered = request.is_answered.load(Ordering::Acquire);
            let is_under_way = request.is_under_way();
            assert!(!was_answered || !is_under_way);
            assert!(is_under_way || request.is_released.load(Ordering::Acquire));
        }
        let upcall = deferring.join().unwrap();
        assert_eq!(upcall == Upcall::Relieved, relief.is_some());
        assert!(!request.is_under_way());
    });
}

/// A request is deferred, and answered by another thread, while its own is relieved and the
/// connection is closed.
#[test]
fn a_request_that_is_answered_later_is_under_way_until_then() {
    loom::model(|| {
        let connection = Connection::new();
        let first = connection.duty.shift();
        assert!(connection.duty.begin(first, Task::Request));
        assert!(connection.duty.defer());
        let answering = thread::spawn({
            let connection = Arc::clone(&connection);
            move || connection.settle(connection.duty.sent_apart())
        });
        let closing = thread::spawn({
            let connection = Arc::clone(&connection);
            move || connection.settle(connection.duty.close())
        });
        let is_handed_over = connection.duty.hand_over(first).is_some();
        assert!(is_handed_over);
        assert_eq!(connection.duty.upcall_ended(first), Upcall::Relieved);
        connection.settle(connection.duty.sent_apart());
        answering.join().unwrap();
        closing.join().unwrap();
        assert!(!connection.duty.is_busy());
        assert_eq!(connection.goodbyes.load(Ordering::Acquire), 1);
    });
}

#[test]
fn the_last_answer_to_come_forgets_a_connection_that_nobody_reads() {
    loom::model(|| {
        let connection = Connection::new();
        let first = connection.duty.shift();
        assert!(connection.duty.begin(first, Task::Request));
        assert!(connection.duty.defer() && connection.duty.defer());
        let answering = [(); 2].map(|()| {
            let connection = Arc::clone(&connection);
            thread::spawn(move || connection.settle(connection.duty.sent_apart()))
        });
        assert_eq!(connection.duty.upcall_ended(first), Upcall::OnDuty);
        connection.settle(connection.duty.sent());
        connection.end();
        answering.map(|thread| thread.join().unwrap());
        assert!(!connection.duty.is_busy() && connection.duty.is_over());
        assert_eq!(connection.forgotten.load(Ordering::Acquire), 1);
        assert_eq!(connection.goodbyes.load(Ordering::Acquire), 0);
    });
}

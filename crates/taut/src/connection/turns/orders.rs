//! Every order of events: `cargo xtask loom`.

use std::time::Duration;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Mutex, MutexGuard};
use loom::thread;

use super::{Turns, Waits};

const PATIENCE: Duration = Duration::from_secs(1);

impl Waits for Vec<u32> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// Two connections of an endpoint, with what has been sent over each, and what waits
/// beside the first.
#[derive(Default)]
struct Connections {
    turns: Turns<Vec<u32>>,
    first: Mutex<Vec<u32>>,
    second: Mutex<Vec<u32>>,
    time: AtomicUsize,
}

impl Connections {
    /// Leaves a oneway.
    fn post(&self, number: u32) {
        self.turns.update(|waiting| waiting.push(number));
    }

    /// A call, over the first connection: nobody else calls.
    fn call(&self, number: u32) {
        if !self.turns.is_busy()
            && let Ok(mut connection) = self.first.try_lock()
        {
            self.send(&mut connection, number);
            return;
        }
        let claim = self.turns.claim(PATIENCE).unwrap();
        let mut connection = self.first.try_lock().expect("a connection for who calls");
        self.turns.update(|waiting| connection.append(waiting));
        drop(claim);
        self.send(&mut connection, number);
    }

    fn send(&self, connection: &mut Vec<u32>, number: u32) {
        self.pass_time();
        connection.push(number);
    }

    /// Has loom try what others do meanwhile.
    fn pass_time(&self) {
        self.time.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes its turn as the oneway sender does.
    fn deliver(&self) {
        let Some(_turn) = self.turns.serve() else {
            return;
        };
        self.pass_time();
        if let Ok(mut connection) = self.first.try_lock() {
            self.turns.update(|waiting| connection.append(waiting));
            return;
        }
        let mut connection = self.second.lock().unwrap();
        self.turns.update(|waiting| {
            if self.first.try_lock().is_err() {
                connection.append(waiting);
            }
        });
    }
}

fn sent(connection: &Mutex<Vec<u32>>) -> MutexGuard<'_, Vec<u32>> {
    connection.lock().unwrap()
}

/// The oneway sender once took a caller that was about to take along what waits for one whose
/// call lasts, and carried that over another connection.
#[test]
fn what_a_thread_has_left_and_its_calls_go_over_one_connection_in_order() {
    loom::model(|| {
        let connections = Arc::<Connections>::default();
        let sender = thread::spawn({
            let connections = Arc::clone(&connections);
            move || {
                // Another thread's.
                connections.post(9);
                connections.deliver();
            }
        });
        connections.call(1);
        connections.post(2);
        connections.call(3);
        sender.join().unwrap();

        let first = sent(&connections.first);
        let own: Vec<u32> = first.iter().copied().filter(|sent| *sent != 9).collect();
        assert_eq!(own, [1, 2, 3]);
        let elsewhere = sent(&connections.second);
        let left = connections.turns.update(std::mem::take);
        let others = first.iter().chain(&*elsewhere).chain(&left);
        assert_eq!(others.filter(|number| **number == 9).count(), 1);
    });
}

#[test]
fn two_callers_and_the_oneway_sender_send_all_once() {
    loom::model(|| {
        let connections = Arc::<Connections>::default();
        connections.post(1);
        let claiming = thread::spawn({
            let connections = Arc::clone(&connections);
            move || {
                let claim = connections.turns.claim(PATIENCE).unwrap();
                let mut connection = connections.second.lock().unwrap();
                let waiting = connections.turns.update(std::mem::take);
                connection.extend(waiting);
                drop(claim);
            }
        });
        let sender = thread::spawn({
            let connections = Arc::clone(&connections);
            move || connections.deliver()
        });
        let claim = connections.turns.claim(PATIENCE).unwrap();
        assert!(connections.turns.serve().is_none());
        drop(claim);
        claiming.join().unwrap();
        sender.join().unwrap();

        let count = sent(&connections.first).len() + sent(&connections.second).len();
        assert_eq!(count, 1);
        assert!(!connections.turns.is_busy());
    });
}

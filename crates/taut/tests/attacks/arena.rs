//! A server under attack, and a client that has nothing to do with it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use taut::{Orb, Settings};

use crate::common::events;
use crate::common::raw::PATIENCE;
use crate::common::{Echo, EchoRef, Server, eventually, orb_and_client};
use crate::memory;

/// One test at a time: memory and descriptors are those of the process.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock()
}

pub(crate) struct Arena {
    pub server: Server,
    bystander_orb: Orb,
    bystander: EchoRef,
    /// Of this process, before the attack.
    sockets: usize,
}

/// Runs an attack against connections with threads of their own, and against
/// those that share threads. Meanwhile another client calls, and none of its
/// calls may fail; afterwards the server must have what it had before.
pub(crate) fn attack(adjust: impl Fn(&mut Settings), attack: impl Fn(&Arena)) {
    let _turn = turn();
    for connection_threads in [1_000, 0] {
        events::restart();
        let arena = Arena::new(|settings| {
            settings.server.connection_threads = connection_threads;
            settings.server.reactor_threads = 2;
            settings.server.max_connections_per_peer = 1_000;
            settings.server.penalty = Duration::ZERO;
            // However late an attacker reads why it is sent away, that is still there.
            settings.server.drain_timeout = PATIENCE;
            // However long the machine has no time for the bystander, it is not idle.
            settings.server.least_idle_time = PATIENCE;
            adjust(settings);
        });
        arena.while_another_calls(|| attack(&arena));
        arena.wait_until_all_are_gone();
        arena.bystander_orb.shutdown(true).unwrap();
        arena.server.orb.shutdown(true).unwrap();
    }
}

/// For attackers that go on sending as long as somebody listens, and need not learn why
/// they are sent away.
pub(crate) fn drain_briefly(settings: &mut Settings) {
    settings.server.drain_timeout = Duration::from_millis(100);
}

impl Arena {
    fn new(adjust: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::with(adjust);
        let (bystander_orb, bystander) = orb_and_client(&server.ior(), |_| ());
        bystander.ping().unwrap();
        Self {
            server,
            bystander_orb,
            bystander,
            sockets: sockets(),
        }
    }

    /// Waits until the server has none of the attackers' connections any more.
    pub(crate) fn wait_until_all_are_gone(&self) {
        eventually("the end of all attackers' connections", || {
            sockets() <= self.sockets
        });
    }

    fn while_another_calls(&self, attack: impl FnOnce()) {
        let bystander = &self.bystander;
        let is_over = AtomicBool::new(false);
        let calls = AtomicUsize::new(0);
        thread::scope(|scope| {
            // Also when the attack fails, for the scope waits.
            let _over = AtTheEnd(|| is_over.store(true, Ordering::Release));
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    bystander.ping().unwrap();
                    calls.fetch_add(1, Ordering::Release);
                    // The other tests of this machine need its time, too.
                    thread::sleep(Duration::from_millis(1));
                }
            });
            attack();
            // At least one call after all that.
            let before = calls.load(Ordering::Acquire);
            eventually("a call", || calls.load(Ordering::Acquire) > before + 1);
        });
    }
}

/// Asserts that an attack makes the process have at most `cap` octets more.
pub(crate) fn with_memory_below(cap: usize, attack: impl FnOnce()) {
    let peak = memory::peak(attack);
    assert!(peak <= cap, "{peak} octets, of which {cap} are allowed");
}

/// Asserts that an event tells of each of these peers.
pub(crate) fn assert_told_of<'n>(names: impl IntoIterator<Item = &'n str>, part: &str) {
    for name in names {
        assert!(
            events::tell_of(name, part),
            "no event says of {name}: {part}; there are {:#?}",
            events::with("").iter().rev().take(5).collect::<Vec<_>>()
        );
    }
}

/// The sockets of this process. A reactor that had to help has descriptors, too.
fn sockets() -> usize {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

struct AtTheEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

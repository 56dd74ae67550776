//! Counts of a service with many names: the instructions that a name takes to be found and bound, and
//! the memory that a long list takes. `TAUT_NAMES` says how many names are many.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod growth;
mod long_lists;

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use taut_naming::NameComponent;
use taut_naming::store::{Bound, Change, ContextId, Done, Key, Store, StoreLimits};

const LIMITS: StoreLimits = StoreLimits::NONE;

/// The octets of a reference, as long as those of most servers.
const REFERENCE: [u8; 120] = [0x54; 120];

/// The number of names that are many.
fn many(unless_told: usize) -> usize {
    env::var("TAUT_NAMES").map_or(unless_told, |text| text.parse().unwrap())
}

fn component(number: usize) -> NameComponent {
    NameComponent {
        id: format!("name-{number:07}"),
        kind: String::new(),
    }
}

/// The change that binds the name with this number in the root context.
fn binding(number: usize) -> Change {
    Change::Bind {
        start: ContextId::ROOT,
        path: Key::path(&[component(number)]),
        bound: Bound::Object(REFERENCE.to_vec()),
        replaces: false,
        lease: None,
    }
}

/// Binds so many names; those that come at the same time share a write to the disk.
fn fill(store: &dyn Store, names: usize) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..256.min(names) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= names {
                        return;
                    }
                    let done = store.change(binding(number), LIMITS).unwrap();
                    assert_eq!(done, Ok(Done::Plain));
                }
            });
        }
    });
}

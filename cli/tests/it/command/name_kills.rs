//! `taut name serve` is killed at any moment, and no change that it has acknowledged is lost, and
//! none is half done. `TAUT_KILLS` says how often, 20 times unless it is set.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

use taut::{ObjectRef, Orb, Reference};
use taut_naming::naming_context::ResolveError;
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::served::{Served, TIME_OUT, signal};

const CLIENTS: u32 = 3;
const NAMES: u64 = 8;

/// The thing to which a name is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Nothing,
    /// The object with this number.
    Object(u64),
    Context,
}

/// The things that each name of a client may be bound to: one thing, or two if the reply to a change did not
/// come.
type Possible = BTreeMap<String, Vec<Bound>>;

fn object(orb: &Orb, number: u64) -> ObjectRef {
    let url = format!("corbaloc::127.0.0.1:9/{number}");
    orb.string_to_object(&url).unwrap()
}

fn name(id: &str) -> Vec<NameComponent> {
    let kind = String::new();
    let id = id.to_owned();
    vec![NameComponent { id, kind }]
}

fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// Changes names until the service is gone.
fn load(url: &str, client: u32, possible: &mut Possible) {
    let orb = Orb::builder().build().unwrap();
    let Ok(root) = orb.string_to_object(url).unwrap().narrow() else {
        return;
    };
    let root: NamingContextRef = root;
    loop {
        let number = random();
        let id = format!("{client}-{}", number % NAMES);
        let states = possible.entry(id.clone()).or_insert(vec![Bound::Nothing]);
        let [now] = states[..] else {
            panic!("{id} may be {states:?}");
        };
        let name = name(&id);
        let (next, done) = match (now, number / NAMES % 3) {
            (Bound::Nothing, 0) => {
                let made = root.bind_new_context(&name);
                (Bound::Context, made.map(drop).map_err(drop))
            }
            (Bound::Nothing, _) => {
                let bound = root.bind(&name, Some(&object(&orb, number)));
                (Bound::Object(number), bound.map_err(drop))
            }
            (Bound::Object(_), 0) | (Bound::Context, _) => {
                (Bound::Nothing, root.unbind(&name).map_err(drop))
            }
            (Bound::Object(_), _) => {
                let bound = root.rebind(&name, Some(&object(&orb, number)));
                (Bound::Object(number), bound.map_err(drop))
            }
        };
        match done {
            Ok(()) => *states = vec![next],
            Err(()) => {
                states.push(next);
                return;
            }
        }
    }
}

/// Looks at what a name is bound to after the kill.
fn found(orb: &Orb, root: &NamingContextRef, id: &str, possible: &[Bound]) -> Bound {
    let object_found = match root.resolve(&name(id)) {
        Err(ResolveError::NotFound(_)) => return Bound::Nothing,
        result => result.unwrap().unwrap(),
    };
    let is_object = possible.iter().copied().find(|one| match one {
        Bound::Object(number) => object_found == object(orb, *number),
        _ => false,
    });
    if let Some(object) = is_object {
        return object;
    }
    // A context that is bound is there as well.
    let context: NamingContextRef = object_found.narrow().unwrap();
    let (entries, _) = context.list(1).unwrap();
    assert!(entries.is_empty());
    Bound::Context
}

#[test]
fn no_acknowledged_change_is_lost_by_a_kill_and_none_is_half_done() {
    let kills = env::var("TAUT_KILLS").map_or(20, |text| text.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut served = Served::start(&directory.path().join("names"));
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|client| (client, Possible::new()))
        .collect();
    let mut changes_in_flight = 0;
    for kill in 0..kills {
        let url = served.url.clone();
        thread::scope(|scope| {
            for (client, possible) in &mut clients {
                let url = &url;
                scope.spawn(move || load(url, *client, possible));
            }
            // At any instant: nothing is expected of it.
            thread::sleep(Duration::from_micros(random() % 60_000));
            signal(served.process.id(), "-KILL");
        });
        served.process.wait(TIME_OUT).unwrap();
        served = served.again();

        let orb = Orb::builder().build().unwrap();
        let root = orb.string_to_object(&served.url).unwrap();
        let root: NamingContextRef = root.narrow().unwrap();
        for (_, possible) in &mut clients {
            for (id, states) in possible {
                let found = found(&orb, &root, id, states);
                assert!(
                    states.contains(&found),
                    "kill {kill}: {id} is {found:?} and should be one of {states:?}"
                );
                changes_in_flight += states.len() - 1;
                *states = vec![found];
            }
        }
        assert!(root.as_object().non_existent().is_ok_and(|gone| !gone));
    }
    // The service was under load when it was killed.
    assert!(changes_in_flight > 0);
}

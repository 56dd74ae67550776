//! The memory of a reference on a client and of an active object on a server, in octets and
//! allocations. Where a hundred thousand are called in turn, each of these pieces is
//! fetched from memory anew.

use std::process::Command;
use std::time::Duration;

use bench::{Pinger, PingerRef, PingerSkeleton};
use counting_allocator::{in_steady_state, live};
use taut_interop::Process;

taut::include_idl!("ping");

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

const TIME_OUT: Duration = Duration::from_secs(60);

/// As many are made first, so that what they share is there and has grown.
const COUNT: usize = 1_000;

/// The octets and the allocations of one of the `COUNT` things that `make` makes, and
/// which it keeps, after as many.
fn of_one<T>(mut make: impl FnMut(usize) -> T) -> (Vec<T>, [f64; 2]) {
    let mut all = Vec::with_capacity(2 * COUNT);
    let mut octets = 0;
    let allocations = in_steady_state(COUNT as u64, || {
        if all.len() == COUNT {
            octets = live();
        }
        all.push(make(all.len()));
    });
    octets = live() - octets;
    let figures = [octets as f64, allocations as f64].map(|of_all| of_all / COUNT as f64);
    (all, figures)
}

/// Sees to it that one of something takes no more octets and allocations than that.
fn check(what: &str, found: [f64; 2], most: [f64; 2]) {
    let [octets, allocations] = found;
    eprintln!("{what}: {octets} octets in {allocations} allocations");
    assert!(
        octets <= most[0] && allocations <= most[1],
        "{what} took at most {most:?} when this was written down"
    );
}

#[test]
fn references_and_objects_take_no_more_than_they_did() {
    let orb = taut_interop::over_the_wire().build().unwrap();
    let poa = orb.root_poa().unwrap();
    let skeletons: Vec<_> = (0..2 * COUNT)
        .map(|_| PingerSkeleton::new(Servant))
        .collect();
    let (_ids, active) = of_one(|index| poa.activate_object(skeletons[index].clone()).unwrap());
    check("an active object", active, [192.0, 2.01]);

    // In a process of its own: it is not counted, and no reference finds it in this one.
    let mut server = Command::new(env!("CARGO_BIN_EXE_small_calls"));
    let mut server = Process::start(server.args(["server", "empty", "127.0.0.1:0"])).unwrap();
    let url = server.read_line(TIME_OUT).unwrap();
    let (pingers, unused): (Vec<PingerRef>, _) =
        of_one(|_| orb.string_to_object(&url).unwrap().unchecked_narrow());
    check("a reference", unused, [406.0, 5.0]);
    // The first opens the connection, and the other half are those that count.
    let (_, called) = of_one(|index| pingers[index].ping().unwrap());
    check("what it knows once it is called", called, [192.0, 12.0]);
    orb.shutdown(true).unwrap();
    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

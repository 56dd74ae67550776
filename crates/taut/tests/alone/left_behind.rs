//! Nothing is left behind by what has come and gone: ORBs that connected, called
//! and were shut down, and servers with their clients. Counted are the octets that
//! are allocated, in the whole process, and its threads.

use std::fs;

use crate::common::{Echo, EchoRef, Server, eventually};
use taut::{BidirectionalPolicy, ConnectionSharing, Orb, Settings};
use test_tools::in_own_process;

/// How often things come and go before the first look, and again before the second.
const TIMES: usize = 100;

/// The settings of each case, on both sides.
type Adjust = fn(&mut Settings);

const CASES: [(&str, Adjust); 4] = [
    ("threads of their own", |_| ()),
    ("reactor", |settings| settings.server.connection_threads = 0),
    ("shared connections", |settings| {
        settings.client.connection_sharing = ConnectionSharing::Shared;
    }),
    ("both ways", |settings| {
        settings.wire.bidirectional = BidirectionalPolicy::Both;
    }),
];

#[test]
fn nothing_is_left_behind() {
    in_own_process(nothing_is_left_behind, || {
        CASES.iter().for_each(|case| check(*case));
    });
}

/// Checks clients, callers that are dropped, and servers with the settings of a case.
fn check((case, adjust): (&str, Adjust)) {
    let server = start(adjust);
    let ior = server.ior();
    assert_nothing_stays(&format!("{case}: clients"), || come_and_go(&ior, adjust));
    server.orb.shutdown(true).unwrap();
    drop(server);

    let server = start(adjust);
    let ior = server.ior();
    assert_nothing_stays(&format!("{case}: callers that are dropped"), || {
        call_and_drop(&ior, adjust);
    });
    server.orb.shutdown(true).unwrap();
    drop(server);

    assert_nothing_stays(&format!("{case}: servers"), || {
        let server = start(adjust);
        come_and_go(&server.ior(), adjust);
        server.orb.shutdown(true).unwrap();
    });
}

fn start(adjust: Adjust) -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    Server::start_with(builder.settings(adjust))
}

/// An ORB that connects, calls, and is shut down.
fn come_and_go(ior: &str, adjust: Adjust) {
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .settings(adjust)
        .build()
        .unwrap();
    let object = orb.string_to_object(ior).unwrap();
    let echo: EchoRef = object.unchecked_narrow();
    assert_eq!(echo.echo("text").unwrap(), "text");
    orb.shutdown(true).unwrap();
}

/// An ORB that only calls need not be shut down: it ends with its last reference.
fn call_and_drop(ior: &str, adjust: Adjust) {
    let orb = Orb::builder().settings(adjust).build().unwrap();
    let object = orb.string_to_object(ior).unwrap();
    let echo: EchoRef = object.unchecked_narrow();
    drop((orb, object));
    assert_eq!(echo.echo("text").unwrap(), "text");
}

/// Fails when doing something as often again leaves more behind than the first time.
fn assert_nothing_stays(what: &str, action: impl Fn()) {
    (0..TIMES).for_each(|_| action());
    let before = rest();
    (0..TIMES).for_each(|_| action());
    // A thread that ends late is none that stays, so time decides nothing here: a leak of
    // one more for each round never goes away.
    eventually(&format!("{what}: the {before:?} of before"), || {
        let after = rest();
        println!("{what}: {before:?}, then {after:?}");
        // A thread that is used for the first time takes a buffer.
        after.0 <= before.0 && after.1 < before.1 + 40 * TIMES.cast_signed()
    });
}

/// Threads and octets, when neither changes any more.
fn rest() -> (usize, isize) {
    let look = || (threads(), counting_allocator::every_thread::live());
    let mut last = look();
    eventually("rest", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        std::mem::replace(&mut last, look()) == last
    });
    last
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

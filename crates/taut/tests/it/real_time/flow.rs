//! Word of flow control: asked for, and told.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::quality::{FlowControl, FlowEvent, FlowState};
use taut::{Orb, Reference, SyncScope};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::url_at;
use crate::common::{Echo, EchoRef, Server, eventually};

const LARGE: usize = 32 << 20;

/// A server that reads nothing until it is told to.
struct Unwilling {
    listener: TcpListener,
    stream: Option<TcpStream>,
}

impl Unwilling {
    fn new() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = url_at(listener.local_addr().unwrap().port());
        let stream = None;
        (Self { listener, stream }, url)
    }

    fn accept(&mut self) -> &mut TcpStream {
        let listener = &self.listener;
        self.stream
            .get_or_insert_with(|| listener.accept().unwrap().0)
    }

    /// Reads so many octets.
    fn read(&mut self, octets: usize) {
        let stream = self.accept();
        let mut buffer = vec![0; 64 << 10];
        let mut read = 0;
        while read < octets {
            read += stream.read(&mut buffer).unwrap();
        }
    }
}

/// The notices to an observer: the state, and whether octets wait.
type Told = Arc<Mutex<Vec<(FlowState, bool)>>>;

fn watched(orb: &Orb) -> Told {
    let told = Told::default();
    let own = Arc::clone(&told);
    assert!(orb.watch_flow(move |event: &FlowEvent<'_>| {
        assert!(event.since <= Instant::now() && event.peer.contains("127.0.0.1"));
        own.lock().push((event.state, event.octets_waiting > 0));
    }));
    assert!(!orb.watch_flow(|_: &FlowEvent<'_>| ()));
    told
}

fn flow(client: &EchoRef) -> FlowControl {
    client.as_object().flow_control().unwrap()
}

for_each_mode! { [tcp, shared] {
    a_caller_learns_that_a_transport_takes_no_more_and_that_it_does_again,
} }

fn a_caller_learns_that_a_transport_takes_no_more_and_that_it_does_again(mode: Mode) {
    let (mut server, url) = Unwilling::new();
    let (orb, client) = mode.orb_and_client(&url, |_| ());
    let told = watched(&orb);
    client.note("a small one").unwrap();
    server.accept();
    assert_eq!(flow(&client), FlowControl::default());
    let text = "x".repeat(LARGE);
    let sending = {
        let client = client.clone();
        std::thread::spawn(move || client.note(&text))
    };
    eventually("no room", || flow(&client).is_blocked());
    let blocked = flow(&client);
    assert_eq!(blocked.blocked_connections, 1);
    assert!((1..=LARGE + 1_000).contains(&blocked.octets_waiting));
    assert!(blocked.since.is_some());
    assert_eq!(*told.lock(), [(FlowState::Blocked, true)]);
    server.read(LARGE);
    sending.join().unwrap().unwrap();
    assert_eq!(flow(&client), FlowControl::default());
    assert_eq!(
        *told.lock(),
        [(FlowState::Blocked, true), (FlowState::Flowing, false)]
    );
}

#[test]
fn a_connection_that_ends_while_octets_wait_ends_the_wait() {
    let (_server, url) = Unwilling::new();
    let (orb, client) = Mode::tcp().orb_and_client(&url, |_| ());
    let told = watched(&orb);
    let text = "x".repeat(LARGE);
    let hasty: EchoRef = client
        .as_object()
        .with_call_timeout(Duration::from_secs(2))
        .unchecked_narrow();
    hasty.note(&text).unwrap_err();
    eventually("the end", || told.lock().len() == 2);
    assert_eq!(
        *told.lock(),
        [(FlowState::Blocked, true), (FlowState::Ended, false)]
    );
    assert!(!flow(&client).is_blocked());
}

#[test]
fn oneways_that_wait_to_be_sent_are_counted() {
    let (mut server, url) = Unwilling::new();
    let (orb, client) = Mode::tcp().orb_and_client(&url, |settings| {
        settings.client.oneway_batch_timeout = Duration::from_secs(600);
    });
    watched(&orb);
    let object = client.as_object().with_sync_scope(SyncScope::None);
    let client: EchoRef = object.unchecked_narrow();
    client.note("one").unwrap();
    client.note("two").unwrap();
    let waiting = flow(&client);
    assert_eq!((waiting.queued_oneways, waiting.is_blocked()), (2, false));
    assert!(waiting.queued_octets > 80);
    // More than the transport has room for is sent as far as it goes.
    let text = "x".repeat(1 << 20);
    for _ in 0..14 {
        client.note(&text).unwrap();
    }
    eventually("no room", || flow(&client).is_blocked());
    assert!(flow(&client).queued_octets > 0);
    server.read(14 << 20);
    assert!(orb.flush_oneways(Duration::from_secs(60)).is_ok());
    assert_eq!(flow(&client), FlowControl::default());
}

#[test]
fn nothing_is_watched_unless_somebody_asks() {
    let server = Server::start();
    let (orb, client) = crate::common::orb_and_client(&server.ior(), |_| ());
    client.ping().unwrap();
    assert_eq!(client.as_object().flow_control(), None);
    let told = watched(&orb);
    client.ping().unwrap();
    assert_eq!(
        client.as_object().flow_control(),
        Some(FlowControl::default())
    );
    assert!(told.lock().is_empty());
}

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::{self, ThreadId};
use std::time::Instant;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_sync::lock::Condvar;

use super::*;
use crate::priority::{AtPriority, Priority};
use crate::server::{AroundServant, Disposition, Presence, SentPriority, ServerRequest};
use crate::settings::Settings;
use crate::transport::Protocols;

/// The most time that anything here may take, on a machine however busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The key of an object in whose thread the adapter waits until it is released.
const SLOW: &[u8] = b"slow";

const LOW: PriorityBand = PriorityBand {
    lowest: 0,
    highest: 99,
};
const HIGH: PriorityBand = PriorityBand {
    lowest: 100,
    highest: i16::MAX,
};

/// An adapter without objects, which notes the thread in which it is asked for each key.
#[derive(Default)]
struct Nobody {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    asked: Vec<(Vec<u8>, ThreadId)>,
    /// How many threads wait.
    waiting: usize,
    is_released: bool,
}

impl Nobody {
    /// Waits until so many threads wait in the adapter.
    fn wait_for(&self, count: usize) {
        let mut state = self.state.lock();
        let deadline = Instant::now() + PATIENCE;
        while state.waiting < count {
            let waited = self.changed.wait_until(&mut state, deadline);
            assert!(!waited.timed_out(), "{} of {count} wait", state.waiting);
        }
    }

    fn release(&self) {
        self.state.lock().is_released = true;
        self.changed.notify_all();
    }

    /// The threads in which it was asked for a key.
    fn threads_of(&self, key: &[u8]) -> HashSet<ThreadId> {
        let state = self.state.lock();
        let of_key = state.asked.iter().filter(|(asked, _)| asked == key);
        of_key.map(|(_, thread)| *thread).collect()
    }
}

impl ObjectAdapter for Nobody {
    type Memory<'m> = ();

    fn dispatch_next(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        (): &mut (),
    ) -> Result<Disposition, SystemException> {
        self.dispatch(object_key, request)
    }

    fn dispatch(
        &self,
        _: &[u8],
        _: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        Err(SystemException::omg(
            SystemExceptionKind::ObjectNotExist,
            2,
            CompletionStatus::No,
        ))
    }

    fn dispatch_with(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        _: SentPriority,
    ) -> Result<Disposition, SystemException> {
        self.dispatch(object_key, request)
    }

    fn dispatch_at_once(
        &self,
        _: &[u8],
        _: &mut ServerRequest<'_>,
        _: Priority,
    ) -> Option<Result<(), SystemException>> {
        None
    }

    fn begin_priority(
        &self,
        _: &[u8],
        sent: SentPriority,
    ) -> Result<(Option<AtPriority>, SentPriority), SystemException> {
        Ok((None, sent))
    }

    fn dispatch_around(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        _: SentPriority,
        _: &mut dyn AroundServant,
    ) -> Result<Disposition, SystemException> {
        self.dispatch(object_key, request)
    }

    fn locate(&self, key: &[u8]) -> Result<Presence, SystemException> {
        let mut state = self.state.lock();
        state.asked.push((key.to_vec(), thread::current().id()));
        if key == SLOW {
            state.waiting += 1;
            self.changed.notify_all();
            let is_held = |state: &mut State| !state.is_released;
            self.changed.wait_while(&mut state, is_held);
            state.waiting -= 1;
        }
        Ok(Presence::Unknown)
    }
}

fn stop(server: &Server<Nobody>) {
    assert!(server.core.lifecycle.begin_stop());
    server.stop();
    server.core.lifecycle.finish_stop();
}

/// A server with a lane for low and one for high priorities.
fn two_lanes(adjust: impl FnOnce(&mut Settings)) -> (Arc<Server<Nobody>>, Arc<Nobody>) {
    let mut settings = Settings::default();
    adjust(&mut settings);
    let core = Arc::new(OrbCore::new(settings, Protocols::default(), None));
    let endpoints = || vec!["127.0.0.1:0".parse::<ListenEndpoint>().unwrap()];
    let server = Server::with_lanes(core, [(LOW, endpoints()), (HIGH, endpoints())]);
    let adapter = Arc::new(Nobody::default());
    server.start(Arc::clone(&adapter)).unwrap();
    (server, adapter)
}

/// A client of the first or the second lane.
struct Client(TcpStream);

impl Client {
    fn of(server: &Server<Nobody>, lane: usize) -> Self {
        let port = server.published()[lane].port().unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    /// Sends a LocateRequest of GIOP 1.0.
    fn ask(&mut self, key: &[u8]) {
        let mut message = b"GIOP\x01\x00\x01\x03".to_vec();
        let size = u32::try_from(8 + key.len()).unwrap();
        for number in [size, 7, u32::try_from(key.len()).unwrap()] {
            message.extend(number.to_le_bytes());
        }
        message.extend(key);
        self.0.write_all(&message).unwrap();
    }

    /// The type of the next message: 4 is a LocateReply, 5 CloseConnection.
    fn next_message(&mut self) -> u8 {
        let mut header = [0; 12];
        self.0.read_exact(&mut header).unwrap();
        let size = match header[6] & 1 {
            1 => u32::from_le_bytes(header[8..].try_into().unwrap()),
            _ => u32::from_be_bytes(header[8..].try_into().unwrap()),
        };
        let mut body = vec![0; size as usize];
        self.0.read_exact(&mut body).unwrap();
        header[7]
    }

    fn locate(&mut self, key: &[u8]) {
        self.ask(key);
        assert_eq!(self.next_message(), 4);
    }

    fn is_at_its_end(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0))
    }
}

#[test]
fn a_server_that_has_stopped_starts_no_reactor() {
    let server = || {
        let core = Arc::new(OrbCore::new(
            Settings::default(),
            Protocols::default(),
            None,
        ));
        let server = Server::new(core, Vec::new(), Vec::new());
        server.start(Arc::new(Nobody::default())).unwrap();
        server
    };
    let stopped = server();
    stop(&stopped);
    let refused = stopped.lanes[0].reactor().err().map(|error| error.kind());
    assert_eq!(refused, Some(io::ErrorKind::NotConnected));

    // Nor a second one.
    let server = server();
    let lane = &server.lanes[0];
    let reactor = lane.reactor().unwrap();
    assert!(Arc::ptr_eq(&reactor, &lane.reactor().unwrap()));
    stop(&server);
    assert!(lane.reactor().is_err());
}

#[test]
fn a_priority_has_one_lane() {
    let (server, _) = two_lanes(|_| ());
    for (priority, lane) in [(0, 0), (99, 0), (100, 1), (i16::MAX, 1)] {
        let found = server.lane_of(priority);
        assert!(Arc::ptr_eq(found, &server.lanes[lane]), "{priority}");
    }
    stop(&server);
}

/// References carry the addresses of both.
#[test]
fn no_thread_serves_connections_of_two_lanes() {
    for connection_threads in [0, 64] {
        let (server, adapter) = two_lanes(|settings| {
            settings.server.connection_threads = connection_threads;
            settings.server.reactor_threads = 2;
        });
        assert_eq!(server.published().len(), 2);
        let mut clients: Vec<_> = (0..8).map(|n| Client::of(&server, n % 2)).collect();
        for _ in 0..10 {
            for (n, client) in clients.iter_mut().enumerate() {
                client.ask([&b"low"[..], b"high"][n % 2]);
            }
            assert!(clients.iter_mut().all(|client| client.next_message() == 4));
        }
        let (low, high) = (adapter.threads_of(b"low"), adapter.threads_of(b"high"));
        assert!(!low.is_empty() && !high.is_empty());
        assert!(low.is_disjoint(&high), "{low:?} {high:?}");
        stop(&server);
    }
}

#[test]
fn a_lane_is_served_while_all_threads_of_the_other_are_kept() {
    let (server, adapter) = two_lanes(|settings| {
        settings.server.connection_threads = 0;
        settings.server.reactor_threads = 1;
        settings.server.max_reactor_threads = 2;
    });
    let mut kept: Vec<_> = (0..3).map(|_| Client::of(&server, 0)).collect();
    kept.iter_mut().for_each(|client| client.ask(SLOW));
    adapter.wait_for(2);
    let mut high = Client::of(&server, 1);
    (0..3).for_each(|_| high.locate(b"high"));
    assert_eq!(adapter.state.lock().waiting, 2);
    adapter.release();
    assert!(kept.iter_mut().all(|client| client.next_message() == 4));
    stop(&server);
}

#[test]
fn the_limit_on_connections_is_that_of_all_lanes_together() {
    for connection_threads in [0, 64] {
        let (server, adapter) = two_lanes(|settings| {
            settings.server.connection_threads = connection_threads;
            settings.server.max_connections = 1;
        });
        let mut kept = Client::of(&server, 0);
        kept.ask(SLOW);
        adapter.wait_for(1);
        // It is busy and cannot give way.
        assert_eq!(Client::of(&server, 1).next_message(), 5);
        adapter.release();
        assert_eq!(kept.next_message(), 4);
        stop(&server);
    }
}

#[test]
fn the_end_of_a_server_ends_all_lanes() {
    let (server, _) = two_lanes(|settings| settings.server.connection_threads = 0);
    let mut clients = [0, 1].map(|lane| Client::of(&server, lane));
    clients.iter_mut().for_each(|client| client.locate(b"any"));
    let reactors = [0, 1].map(|lane| Arc::downgrade(&server.lanes[lane].reactor().unwrap()));
    assert!(!Weak::ptr_eq(&reactors[0], &reactors[1]));
    stop(&server);
    for client in &mut clients {
        assert_eq!(client.next_message(), 5);
        assert!(client.is_at_its_end());
    }
    for lane in &server.lanes {
        let refused = lane.reactor().err().map(|error| error.kind());
        assert_eq!(refused, Some(io::ErrorKind::NotConnected));
    }
    // Each of its threads holds the reactor.
    let deadline = Instant::now() + PATIENCE;
    while reactors.iter().any(|reactor| reactor.strong_count() > 0) {
        assert!(Instant::now() < deadline, "a reactor's thread goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

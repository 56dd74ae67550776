//! When oneways for which nobody waits are sent, together and in order.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::{ConnectionSharing, Orb, Reference, Settings, SyncScope, Version};
use taut_giop::message::MessageType;

use crate::common::raw::{Message, PATIENCE, empty_reply, url_at};
use crate::common::{
    Echo, EchoError, EchoRef, Misbehaviour, Server, adjust, eventually, orb_and_client, serve,
};

const SHARINGS: [ConnectionSharing; 2] = [ConnectionSharing::Exclusive, ConnectionSharing::Shared];

/// Longer than any test takes.
const NEVER: Duration = Duration::from_secs(3_600);

/// A client whose oneways wait for something, and a server of which a test writes every
/// octet.
struct Line {
    listener: TcpListener,
    orb: Orb,
    echo: EchoRef,
}

impl Line {
    fn new(sharing: ConnectionSharing, and: impl FnOnce(&mut Settings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = url_at(listener.local_addr().unwrap().port());
        let (orb, echo) = orb_and_client(&url, |settings| {
            settings.client.connection_sharing = sharing;
            settings.client.sync_scope = SyncScope::None;
            settings.client.oneway_batch_timeout = NEVER;
            and(settings);
        });
        Self {
            listener,
            orb,
            echo,
        }
    }

    /// Leaves oneways, of which none is sent yet.
    fn leave(&self, count: usize) {
        for _ in 0..count {
            self.echo.note("a oneway").unwrap();
        }
        self.listener.set_nonblocking(true).unwrap();
        thread::sleep(Duration::from_millis(20));
        let nobody = self.listener.accept().unwrap_err();
        assert_eq!(nobody.kind(), ErrorKind::WouldBlock, "something is sent");
        self.listener.set_nonblocking(false).unwrap();
    }

    /// The client's connection.
    fn accept(&self) -> TcpStream {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }
}

/// Reads so many requests, and the ids of them.
fn requests(stream: &mut TcpStream, count: usize) -> Vec<u32> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let message = Message::read(stream).unwrap();
        assert_eq!(message.message_type(), MessageType::Request);
        ids.push(message.request_id());
    }
    ids
}

#[test]
fn as_many_as_may_gather_are_sent() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |settings| {
            settings.client.oneway_batch_messages = 10
        });
        line.leave(9);
        line.echo.note("the tenth").unwrap();
        let mut stream = line.accept();
        requests(&mut stream, 10);

        // In one piece.
        for _ in 0..10 {
            line.echo.note("another").unwrap();
        }
        let mut arrived = [0; 2_000];
        let octets = stream.read(&mut arrived).unwrap();
        let begins = |octets: &[u8]| octets.windows(4).filter(|word| word == b"GIOP").count();
        assert_eq!(begins(&arrived[..octets]), 10, "{sharing:?}");
    }
}

#[test]
fn as_many_octets_as_may_gather_are_sent() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |settings| {
            settings.client.oneway_batch_octets = 10_000
        });
        line.leave(3);
        line.echo.note(&"x".repeat(10_000)).unwrap();
        requests(&mut line.accept(), 4);
    }
}

#[test]
fn what_has_waited_long_enough_is_sent() {
    for sharing in SHARINGS {
        let timeout = Duration::from_millis(50);
        let line = Line::new(sharing, |settings| {
            settings.client.oneway_batch_timeout = timeout
        });
        for _ in 0..2 {
            let begin = Instant::now();
            line.echo.note("one").unwrap();
            line.echo.note("two").unwrap();
            let mut stream = line.accept();
            requests(&mut stream, 2);
            assert!(begin.elapsed() >= timeout);
            drop(stream);
        }
    }
}

#[test]
fn without_a_time_each_is_sent_by_itself() {
    let line = Line::new(ConnectionSharing::Exclusive, |settings| {
        settings.client.oneway_batch_timeout = Duration::ZERO;
    });
    for _ in 0..2 {
        line.echo.note("a oneway").unwrap();
    }
    requests(&mut line.accept(), 2);
}

#[test]
fn a_call_comes_behind_what_waits() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        // The second time over an open connection.
        line.leave(3);
        let mut stream = None;
        for round in 0..2 {
            let calling = thread::spawn({
                let echo = line.echo.clone();
                move || {
                    if round > 0 {
                        (0..3).for_each(|_| echo.note("another").unwrap());
                    }
                    echo.ping()
                }
            });
            let stream = stream.get_or_insert_with(|| line.accept());
            let ids = requests(stream, 4);
            assert!(ids[..3].iter().all(|id| *id != ids[3]), "{ids:?}");
            std::io::Write::write_all(stream, &empty_reply(ids[3])).unwrap();
            calling.join().unwrap().unwrap();
        }
    }
}

#[test]
fn a_oneway_of_a_stronger_scope_comes_behind_what_waits() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        line.leave(3);
        let stronger = line.echo.with_sync_scope(SyncScope::WithTransport);
        // In fragments, too.
        stronger.note("at once").unwrap();
        requests(&mut line.accept(), 4);
    }
}

#[test]
fn a_call_in_fragments_comes_behind_what_waits() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |settings| settings.wire.fragment_size = 1_024);
        line.leave(3);
        let stronger = line.echo.with_sync_scope(SyncScope::WithTransport);
        stronger.note(&"x".repeat(5_000)).unwrap();
        let mut stream = line.accept();
        requests(&mut stream, 3);
        let pieces = crate::common::raw::read_pieces(&mut stream);
        assert!(pieces.len() > 4);
    }
}

#[test]
fn what_waits_is_sent_when_the_orb_is_told_to() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        line.orb.flush_oneways(PATIENCE).unwrap();
        line.leave(3);
        line.orb.flush_oneways(PATIENCE).unwrap();
        let mut stream = line.accept();
        requests(&mut stream, 3);
        line.echo.note("another").unwrap();
        line.orb.flush_oneways(PATIENCE).unwrap();
        requests(&mut stream, 1);
    }
}

#[test]
fn what_cannot_be_sent_in_time_is_told_to_who_asks() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        // More than sockets hold.
        line.echo.note(&"x".repeat(15 << 20)).unwrap();
        let late = line.orb.flush_oneways(Duration::from_millis(50));
        let late = late.unwrap_err();
        assert_eq!(late.kind, taut::SystemExceptionKind::Timeout);
        // It still waits.
        let reading = thread::spawn(move || {
            let mut stream = line.accept();
            requests(&mut stream, 1);
            line
        });
        let line = reading.join().unwrap();
        line.orb.flush_oneways(PATIENCE).unwrap();
    }
}

#[test]
fn what_waits_is_sent_when_the_orb_shuts_down() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        line.leave(3);
        line.orb.shutdown(true).unwrap();
        requests(&mut line.accept(), 3);
        assert!(line.orb.flush_oneways(PATIENCE).is_err());
    }
}

#[test]
fn a_peer_that_takes_nothing_does_not_keep_an_orb_from_its_end() {
    for sharing in SHARINGS {
        // More than sockets hold, whatever the system lets them have.
        const SIZE: usize = 15 << 20;
        const COUNT: usize = 6;
        let line = Line::new(sharing, |settings| {
            settings.client.max_queued_oneway_octets = 2 * COUNT * SIZE;
        });
        for _ in 0..COUNT {
            line.echo.note(&"x".repeat(SIZE)).unwrap();
        }
        line.orb.shutdown(true).unwrap();
        // Its connection ends, and what it had not sent with it.
        let mut stream = line.accept();
        let mut octets = Vec::new();
        let end = stream.read_to_end(&mut octets);
        assert!(end.is_err() || octets.len() < COUNT * SIZE);
    }
}

#[test]
fn what_waits_is_sent_when_the_last_reference_is_dropped() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        line.leave(3);
        let Line { listener, echo, .. } = line;
        drop(echo);
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        requests(&mut stream, 3);
    }
}

/// Dropping any reference once had all sent that waited.
#[test]
fn what_waits_goes_on_waiting_when_a_reference_of_several_is_dropped() {
    for sharing in SHARINGS {
        let line = Line::new(sharing, |_| ());
        line.leave(1);
        let other = line.echo.with_sync_scope(SyncScope::None);
        other.note("a oneway").unwrap();
        drop(other);
        line.leave(1);
        line.orb.flush_oneways(PATIENCE).unwrap();
        requests(&mut line.accept(), 3);
    }
}

/// A servant that writes down all that it is told.
#[derive(Default)]
struct Scribe(Mutex<Vec<usize>>);

impl Echo for Scribe {
    fn note(&self, text: &str) -> taut::Result<()> {
        self.0.lock().push(text.parse().unwrap());
        Ok(())
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        self.0.lock().push(text.parse().unwrap());
        Ok(text.to_owned())
    }
}

#[test]
fn oneways_of_all_scopes_and_calls_keep_their_order() {
    const SCOPES: [SyncScope; 5] = [
        SyncScope::None,
        SyncScope::None,
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithTarget,
    ];
    for sharing in SHARINGS {
        for version in [Version::V1_0, Version::V1_2] {
            let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
            let server = builder.settings(|settings| {
                adjust(settings);
                settings.server.max_requests_per_connection = 1;
            });
            let server = server.build().unwrap();
            let scribe = Arc::new(Scribe::default());
            let ior = serve(&server, &scribe).as_object().to_string();
            let (client, echo) = orb_and_client(&ior, |settings| {
                settings.client.connection_sharing = sharing;
                settings.wire.giop_version = version;
                settings.client.oneway_batch_messages = 7;
            });
            let scoped = SCOPES.map(|scope| echo.with_sync_scope(scope));
            for number in 0..2_000_usize {
                let text = number.to_string();
                match number % 29 {
                    0 => drop(echo.echo(&text).unwrap()),
                    rest => scoped[rest % SCOPES.len()].note(&text).unwrap(),
                }
                if number % 400 == 399 {
                    // Until the time-out has come, and the oneway sender thinks of its end.
                    thread::sleep(Duration::from_millis(5));
                }
            }
            client.shutdown(true).unwrap();
            eventually("the last oneway", || scribe.0.lock().len() == 2_000);
            let told = scribe.0.lock();
            assert!(told.iter().copied().eq(0..2_000), "{sharing:?} {told:?}");
        }
    }
}

/// Does something while another thread's call has the only connection that there is.
fn while_a_call_lasts<T>(server: &Server, echo: &EchoRef, does: impl FnOnce() -> T) -> T {
    echo.ping().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            echo.ping().unwrap();
            echo.misbehave(Misbehaviour::Blocks).unwrap();
        });
        server.entered.recv_timeout(PATIENCE).unwrap();
        let done = does();
        server.release.send(()).unwrap();
        done
    })
}

/// Dropping any reference once had the ORB's own thread send what waited, over a
/// connection of its choice.
#[test]
fn who_gets_another_connection_takes_along_what_waits() {
    let server = Server::with(|settings| settings.server.max_requests_per_connection = 1);
    let (_orb, echo) = orb_and_client(&server.ior(), |settings| {
        settings.client.oneway_batch_timeout = NEVER;
    });
    let notes = while_a_call_lasts(&server, &echo, || {
        echo.with_sync_scope(SyncScope::None).note("first").unwrap();
        echo.notes()
    });
    assert_eq!(notes.unwrap(), 1);
}

#[test]
fn what_waits_beside_a_connection_in_use_is_sent_in_time_over_another() {
    let server = Server::with(|settings| settings.server.max_requests_per_connection = 1);
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    while_a_call_lasts(&server, &echo, || {
        let oneway = echo.with_sync_scope(SyncScope::None);
        let notes = || server.servant.notes.load(Ordering::SeqCst);
        oneway.note("first").unwrap();
        eventually("the first", || notes() == 1);
        oneway.note("second").unwrap();
        orb.flush_oneways(PATIENCE).unwrap();
        eventually("the second", || notes() == 2);
    });
}

#[test]
fn what_waits_does_not_go_over_a_connection_that_the_server_has_closed() {
    type Occasion = fn(&Line);
    let occasions: [Occasion; 2] = [
        |line| line.echo.ping().unwrap(),
        |line| line.orb.flush_oneways(PATIENCE).unwrap(),
    ];
    for (sharing, occasion) in SHARINGS
        .map(|it| occasions.map(|other| (it, other)))
        .concat()
    {
        let line = Line::new(sharing, |_| ());
        thread::scope(|scope| {
            let call = scope.spawn(|| line.echo.ping());
            let mut closed = line.accept();
            let id = requests(&mut closed, 1)[0];
            closed.write_all(&empty_reply(id)).unwrap();
            call.join().unwrap().unwrap();

            line.leave(1);
            closed.write_all(b"GIOP\x01\x02\x01\x05\0\0\0\0").unwrap();
            closed.shutdown(Shutdown::Write).unwrap();
            let goes = scope.spawn(|| occasion(&line));
            let mut next = line.accept();
            let oneway = Message::read(&mut next).unwrap();
            assert!(oneway.octets.windows(4).any(|part| part == b"note"));
            // The call, or the end of the client.
            let answers = scope.spawn(move || {
                if let Ok(request) = Message::read(&mut next) {
                    let _ = next.write_all(&empty_reply(request.request_id()));
                }
            });
            goes.join().unwrap();
            line.orb.shutdown(true).unwrap();
            answers.join().unwrap();
        });
    }
}

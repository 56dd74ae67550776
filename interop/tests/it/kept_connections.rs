//! Calls between Taut and omniORB when servers go and come back, and the search for
//! objects.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use taut::{CompletionStatus, Located, Orb, Reference, SystemExceptionKind};
use taut_interop::param_test::{ParamTest, ParamTestRef};
use taut_interop::{Process, peers, record, within};
use test_tools::free_port;

use bench::{Pinger, PingerSkeleton};

taut::include_idl!("ping");

const TIME_OUT: Duration = Duration::from_secs(20);

/// omniORB's server on a port, where its object has the key `Param_Test`.
fn start_omniorb(program: &Path, port: u16) -> (Process, String) {
    let mut command = Command::new(program);
    let endpoint = format!("giop:tcp:127.0.0.1:{port}");
    command.args(["--key", "Param_Test", "-ORBendPoint", &endpoint]);
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    (server, reference)
}

fn stop(mut server: Process) {
    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

/// Longer than a connection may be idle before a Taut client looks whether it
/// is still open.
const IDLE: Duration = Duration::from_millis(60);

#[test]
fn a_taut_client_finds_an_omniorb_server_that_was_restarted() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    let port = free_port().unwrap();
    let (mut server, reference) = start_omniorb(&program, port);
    let orb = taut_interop::over_the_wire().build().unwrap();
    let target: ParamTestRef = orb.string_to_object(&reference).unwrap().unchecked_narrow();
    let call = || {
        let target = target.clone();
        within(TIME_OUT, move || target.test_long(0, &mut 1)).unwrap()
    };
    assert_eq!(call(), Ok((0, 1)));

    // Restarted between two calls, in order and by force.
    stop(server);
    server = start_omniorb(&program, port).0;
    assert_eq!(call(), Ok((0, 1)), "after an orderly end");
    drop(server);
    // A connection that was used just now is not looked at before the next
    // call, and whether a server that dies has executed a call nobody knows.
    thread::sleep(IDLE);
    server = start_omniorb(&program, port).0;
    assert_eq!(call(), Ok((0, 1)), "after a sudden end");

    // Not there when it is called.
    for pause in [Duration::ZERO, IDLE] {
        assert_eq!(call(), Ok((0, 1)));
        stop(server);
        thread::sleep(pause);
        let refused = call().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.completed, CompletionStatus::No);
        server = start_omniorb(&program, port).0;
        assert_eq!(call(), Ok((0, 1)), "after a refused call");
    }
    stop(server);
    record("restart", "taut", "omniorb", "1.2").unwrap();
}

#[test]
fn omniorb_says_by_locate_request_which_objects_there_are() {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    let port = free_port().unwrap();
    let (server, _) = start_omniorb(&program, port);
    within(TIME_OUT, move || {
        for version in ["1.0", "1.1", "1.2"] {
            let orb = taut_interop::over_the_wire().build().unwrap();
            let address = format!("corbaloc:iiop:{version}@127.0.0.1:{port}");
            for (key, located) in [("Param_Test", Located::Here), ("Nobody", Located::Unknown)] {
                let object = orb.string_to_object(&format!("{address}/{key}")).unwrap();
                assert_eq!(object.locate(), Ok(located), "{key} in GIOP {version}");
                let gone = located == Located::Unknown;
                assert_eq!(object.non_existent(), Ok(gone), "{key} in GIOP {version}");
            }
            record("locate", "taut", "omniorb", version).unwrap();
        }
    })
    .unwrap();
    stop(server);
}

/// A Taut server with a `Pinger` that is known under the plain key `Pinger`.
struct PingServer {
    orb: Orb,
    pings: Arc<Pings>,
}

#[derive(Default)]
struct Pings(AtomicUsize);

impl Pinger for Pings {
    fn ping(&self) -> taut::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl PingServer {
    fn start(port: u16) -> Self {
        let builder = taut_interop::over_the_wire().listen(&format!("127.0.0.1:{port}"));
        let orb = builder.unwrap().build().unwrap();
        let poa = orb.root_poa().unwrap();
        let pings = Arc::new(Pings::default());
        let skeleton = PingerSkeleton::from_arc(Arc::clone(&pings));
        let reference = poa.activate(skeleton).unwrap();
        poa.manager().activate().unwrap();
        orb.bind_object_key("Pinger", reference.as_object());
        Self { orb, pings }
    }

    fn pings(&self) -> usize {
        self.pings.0.load(Ordering::SeqCst)
    }
}

/// omniORB's client of a `Pinger`, which waits to be told to call.
struct PingClient(Process);

impl PingClient {
    fn start(program: &Path, url: &str) -> Self {
        Self(Process::start(Command::new(program).arg(url)).unwrap())
    }

    fn ping(&mut self, times: usize) {
        self.0.write_line(&format!("run {times}")).unwrap();
        self.0.read_line(TIME_OUT).unwrap();
    }
}

#[test]
fn omniorb_follows_a_plain_key_to_its_object() {
    let Some(program) = peers::omniorb("ping_client") else {
        return;
    };
    let server = PingServer::start(free_port().unwrap());
    for version in ["1.0", "1.1", "1.2"] {
        let address = &server.orb.published_addresses()[0];
        let url = format!("corbaloc:iiop:{version}@{address}/Pinger");
        let before = server.pings();
        PingClient::start(&program, &url).ping(3);
        assert_eq!(server.pings() - before, 3, "GIOP {version}");
        record("forward", "omniorb", "taut", version).unwrap();
    }
    server.orb.shutdown(true).unwrap();
}

#[test]
fn an_idle_omniorb_client_finds_a_taut_server_that_was_restarted() {
    let Some(program) = peers::omniorb("ping_client") else {
        return;
    };
    let port = free_port().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/Pinger");
    let mut server = PingServer::start(port);
    let mut client = PingClient::start(&program, &url);
    client.ping(2);
    for _ in 0..2 {
        assert_eq!(server.pings(), 2);
        // Ends although the client keeps its connection.
        let orb = server.orb.clone();
        within(TIME_OUT, move || orb.shutdown(true))
            .unwrap()
            .unwrap();
        server = PingServer::start(port);
        client.ping(2);
    }
    assert_eq!(server.pings(), 2);
    server.orb.shutdown(true).unwrap();
    record("restart", "omniorb", "taut", "1.2").unwrap();
}

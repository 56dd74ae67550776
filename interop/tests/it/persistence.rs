//! Persistent references of Taut's, whose server is killed and started again: at the
//! same endpoint, and elsewhere with a forwarder in between.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use taut::{Address, CompletionStatus, Located, Orb, PersistentKey, SystemExceptionKind};
use taut_interop::session_test::{
    Ending, ExecutionLog, Peer, Session, SessionClient, SessionRef, SessionServer,
};
use taut_interop::{record, within};
use test_tools::free_port;

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call lasts whose server is killed meanwhile.
const LONG_MS: u32 = 50_000;

/// A life of the server, with a name of its own.
fn start(name: &str, how: &str, arguments: &[&str]) -> SessionServer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_persistent_server"));
    SessionServer::start(command.args([name, how]).args(arguments)).unwrap()
}

fn at_port(port: u16) -> String {
    format!("iiop://127.0.0.1:{port}")
}

/// Calls the session, with a time-out.
fn call<T: Send + 'static>(
    session: &SessionRef,
    call: impl FnOnce(&SessionRef) -> taut::Result<T> + Send + 'static,
) -> taut::Result<T> {
    let session = session.clone();
    within(TIME_OUT, move || call(&session)).unwrap()
}

/// A client of Taut's that holds the reference through the lives of the server, each
/// of which provides the object in its own way.
fn survives_restarts(orb: &Orb, later_lives: &str) {
    let port = free_port().unwrap();
    let endpoint = at_port(port);
    let life = |name: &str, how: &str| start(name, how, &["-ORBListenEndpoints", &endpoint]);
    let mut server = life("0", "eagerly");
    let reference = server.reference().to_owned();
    let object = orb.string_to_object(&reference).unwrap();
    let session: SessionRef = object.unchecked_narrow();
    let log = ExecutionLog::new().unwrap();
    assert_eq!(call(&session, Session::name).unwrap(), "0");
    for number in 1..=3_usize {
        // Killed while it lies idle.
        server.end(Ending::Sudden).unwrap();
        let refusal = call(&session, Session::name).unwrap_err();
        assert_eq!(refusal.completed, CompletionStatus::No, "{refusal}");
        server = life(&format!("{number}, first"), later_lives);
        let name = call(&session, Session::name).unwrap();
        assert_eq!(name, format!("{number}, first"));

        // Killed in the middle of a call, which is not made again.
        let before = log.executions();
        let (its_session, path) = (session.clone(), log.path().to_owned());
        let working =
            thread::spawn(move || call(&its_session, move |session| session.work(&path, LONG_MS)));
        log.await_execution(before + 1).unwrap();
        server.end(Ending::Sudden).unwrap();
        let lost = working.join().unwrap().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
        assert_eq!(lost.completed, CompletionStatus::Maybe);
        server = life(&format!("{number}, second"), later_lives);
        let path = log.path().to_owned();
        call(&session, move |session| session.work(&path, 0)).unwrap();
        assert_eq!(log.executions(), before + 2);

        // A client that gets the reference only now finds the object as well.
        let newcomer = Orb::builder().build().unwrap();
        let object = newcomer.string_to_object(&reference).unwrap();
        assert_eq!(object.locate().unwrap(), Located::Here);
        let name = call(&object.unchecked_narrow(), Session::name).unwrap();
        assert_eq!(name, format!("{number}, second"));
    }
    // A life in which it ends in order.
    server.end(Ending::InOrder).unwrap();
    let server = life("last", later_lives);
    assert_eq!(call(&session, Session::name).unwrap(), "last");
    server.end(Ending::InOrder).unwrap();
}

#[test]
fn old_references_lead_to_objects_that_are_activated_again() {
    survives_restarts(&Orb::builder().build().unwrap(), "eagerly");
}

#[test]
fn old_references_lead_to_objects_that_are_activated_on_demand() {
    survives_restarts(&Orb::builder().build().unwrap(), "on-demand");
}

#[test]
fn a_shared_connection_is_made_anew_too() {
    let orb = Orb::builder().settings(|settings| {
        settings.client.connection_sharing = taut::ConnectionSharing::Shared;
    });
    survives_restarts(&orb.build().unwrap(), "on-demand");
}

/// Asks for the name behind a reference; again if the answer is that a connection was
/// lost, which JacORB tells whoever calls first, even if nothing was sent.
fn name(client: &mut SessionClient, reference: &str, peer: Peer) -> String {
    let ask = |client: &mut SessionClient| client.ask(&format!("name {reference}")).unwrap();
    let answer = ask(client);
    match peer == Peer::JacOrb && answer.starts_with("COMM_FAILURE") {
        true => ask(client),
        false => answer,
    }
}

/// Kills a server in the middle of a call of the peer's, which may have been carried
/// out, and says so.
fn lose(client: &mut SessionClient, reference: &str, log: &ExecutionLog, server: SessionServer) {
    let before = log.executions();
    let work = format!("work {reference} {} {LONG_MS}", log.path());
    client.begin(&work).unwrap();
    log.await_execution(before + 1).unwrap();
    server.end(Ending::Sudden).unwrap();
    let lost = client.outcome().unwrap();
    assert!(lost.starts_with("COMM_FAILURE"), "{lost}");
    assert!(lost.contains("COMPLETED_MAYBE"), "{lost}");
    assert_eq!(log.executions(), before + 1);
}

/// A client of another ORB holds the reference through the lives of the server.
fn a_peer_holds_the_reference(peer: Peer) {
    let Some(client) = peer.client() else {
        return;
    };
    let endpoint = at_port(free_port().unwrap());
    let life = |name: &str, how: &str| start(name, how, &["-ORBListenEndpoints", &endpoint]);
    let server = life("first", "eagerly");
    let reference = server.reference().to_owned();
    let mut client = client.call().unwrap();
    let log = ExecutionLog::new().unwrap();
    assert_eq!(name(&mut client, &reference, peer), "first");
    lose(&mut client, &reference, &log, server);
    for (life_name, how) in [("second", "eagerly"), ("third", "on-demand")] {
        let server = life(life_name, how);
        assert_eq!(name(&mut client, &reference, peer), life_name);
        lose(&mut client, &reference, &log, server);
    }
    let server = life("last", "on-demand");
    assert_eq!(name(&mut client, &reference, peer), "last");
    server.end(Ending::InOrder).unwrap();
    record("persistent", peer.name(), "taut", "1.2").unwrap();
}

#[test]
fn an_omniorb_client_holds_a_reference_through_restarts() {
    a_peer_holds_the_reference(Peer::OmniOrb);
}

#[test]
fn a_jacorb_client_holds_a_reference_through_restarts() {
    a_peer_holds_the_reference(Peer::JacOrb);
}

/// A forwarder, which is told where the server is at the moment.
struct Forwarder {
    orb: Orb,
    place: Arc<Mutex<Option<Address>>>,
}

impl Forwarder {
    fn start() -> Self {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = builder.build().unwrap();
        let place = Arc::<Mutex<Option<Address>>>::default();
        let (its_orb, its_place) = (orb.clone(), Arc::clone(&place));
        orb.set_object_key_locator(move |key| {
            let server_id = PersistentKey::parse(key)?.server_id;
            let place = its_place.lock().unwrap().clone()?;
            let is_known = server_id == "sessions";
            is_known.then(|| its_orb.object_at(&[place], key, ""))?
        });
        orb.root_poa().unwrap();
        Self { orb, place }
    }

    /// A life of the server, at a port of its own.
    fn start_server(&self, name: &str, how: &str) -> SessionServer {
        let port = free_port().unwrap();
        let own = self.orb.published_addresses()[0].to_string();
        let endpoint = at_port(port);
        let arguments = [
            "-ORBListenEndpoints",
            &endpoint,
            "-ORBServerId",
            "sessions",
            "-ORBPersistentAddresses",
            &own,
        ];
        let server = start(name, how, &arguments);
        *self.place.lock().unwrap() = Some(Address::new("127.0.0.1", port));
        server
    }
}

#[test]
fn a_client_of_tauts_finds_a_server_by_its_forwarder_wherever_it_comes_back() {
    let forwarder = Forwarder::start();
    let mut server = forwarder.start_server("0", "eagerly");
    let orb = Orb::builder().build().unwrap();
    let object = orb.string_to_object(server.reference()).unwrap();
    let session: SessionRef = object.unchecked_narrow();
    let log = ExecutionLog::new().unwrap();
    assert_eq!(call(&session, Session::name).unwrap(), "0");
    for number in 1..=3_usize {
        let (its_session, path) = (session.clone(), log.path().to_owned());
        let working =
            thread::spawn(move || call(&its_session, move |session| session.work(&path, LONG_MS)));
        log.await_execution(number).unwrap();
        server.end(Ending::Sudden).unwrap();
        let lost = working.join().unwrap().unwrap_err();
        assert_eq!(lost.completed, CompletionStatus::Maybe);
        // The forwarder sends the client to where the server was last.
        let away = call(&session, Session::name).unwrap_err();
        assert_eq!(away.kind, SystemExceptionKind::Transient);
        server = forwarder.start_server(&number.to_string(), "on-demand");
        let name = call(&session, Session::name).unwrap();
        assert_eq!(name, number.to_string());
        assert_eq!(log.executions(), number);
    }
    server.end(Ending::InOrder).unwrap();
    forwarder.orb.shutdown(true).unwrap();
}

/// A client of another ORB finds the server by its forwarder.
fn a_peer_finds_the_server(peer: Peer) {
    let Some(client) = peer.client() else {
        return;
    };
    let mut client = client.call().unwrap();
    let forwarder = Forwarder::start();
    let mut server = forwarder.start_server("0", "eagerly");
    let reference = server.reference().to_owned();
    assert_eq!(name(&mut client, &reference, peer), "0");
    for number in 1..=3 {
        server.end(Ending::Sudden).unwrap();
        server = forwarder.start_server(&number.to_string(), "on-demand");
        assert_eq!(name(&mut client, &reference, peer), number.to_string());
    }
    server.end(Ending::InOrder).unwrap();
    forwarder.orb.shutdown(true).unwrap();
    record("persistent_forwarded", peer.name(), "taut", "1.2").unwrap();
}

#[test]
fn an_omniorb_client_finds_a_server_by_its_forwarder() {
    a_peer_finds_the_server(Peer::OmniOrb);
}

#[test]
fn a_jacorb_client_finds_a_server_by_its_forwarder() {
    a_peer_finds_the_server(Peer::JacOrb);
}

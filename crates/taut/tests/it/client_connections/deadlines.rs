//! Deadlines of calls at hosts with a name: the name service, and all the addresses that
//! it tells of. The text of the exception names each stall.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::{
    CompletionStatus, ConnectionSharing, Reference, Resolve, Resolver, Settings, SystemException,
    SystemExceptionKind, deadline, minor,
};
use taut_sys::tcp::{TcpListener, TcpStream};

use super::{answer, find, orb};
use crate::common::{Echo, EchoRef};

/// The time of a call that stalls.
const TIME: Duration = Duration::from_millis(100);

/// Far more than anything takes, for the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A name service that knows one list of addresses, and may be slow.
#[derive(Debug)]
struct Names {
    addresses: Vec<SocketAddr>,
    /// It answers only once this has ended.
    until: Mutex<Receiver<()>>,
}

impl Resolve for Names {
    fn resolve(&self, host: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        let _ = self.until.lock().recv();
        match host {
            "nobody" => Err(io::Error::other("the name is not known here")),
            _ => Ok(self.addresses.clone()),
        }
    }
}

/// A name service that says that each host has these addresses.
fn knowing(addresses: &[SocketAddr]) -> Resolver {
    silent(addresses).0
}

/// One that does so once the sender has been dropped.
fn silent(addresses: &[SocketAddr]) -> (Resolver, Sender<()>) {
    let (sender, until) = channel();
    let resolver = Resolver::new(Names {
        addresses: addresses.to_vec(),
        until: Mutex::new(until),
    });
    (resolver, sender)
}

/// A client of a host with a name.
fn client(resolver: Resolver, adjust: impl FnOnce(&mut Settings)) -> EchoRef {
    client_of("host", resolver, adjust)
}

fn client_of(host: &str, resolver: Resolver, adjust: impl FnOnce(&mut Settings)) -> EchoRef {
    let orb = orb(|settings| {
        settings.client.resolver = resolver;
        adjust(settings);
    });
    find(&orb, &format!("corbaloc:iiop:1.2@{host}:7/key"))
}

fn late(echo: &EchoRef, completed: CompletionStatus) -> SystemException {
    let start = Instant::now();
    let exception = echo.ping().unwrap_err();
    let minor = match completed {
        CompletionStatus::No => minor::NOT_SENT_IN_TIME,
        _ => minor::CALL_TIMED_OUT,
    };
    let expected = SystemException::new(SystemExceptionKind::Timeout, minor, completed);
    assert_eq!(exception, expected, "{exception}");
    assert!(start.elapsed() < PATIENCE);
    exception
}

fn each_sharing(test: impl Fn(ConnectionSharing)) {
    test(ConnectionSharing::Exclusive);
    test(ConnectionSharing::Shared);
}

/// A listener whose backlog is full, and the connection that fills it.
fn full_at(address: [u8; 4]) -> (TcpListener, TcpStream) {
    let listener = TcpListener::bind((IpAddr::from(address), 0).into()).unwrap();
    listener.set_backlog(0).unwrap();
    let address = listener.local_address().unwrap();
    let waits = TcpStream::connect(address, Some(PATIENCE)).unwrap();
    (listener, waits)
}

#[test]
fn a_name_service_without_an_answer_ends_a_call_by_its_deadline() {
    each_sharing(|sharing| {
        let (resolver, _silent) = silent(&[]);
        let echo = client(resolver, |settings| {
            settings.client.connection_sharing = sharing
        });
        let hasty = echo.with_call_timeout(TIME);
        for _ in 0..3 {
            let text = late(&hasty, CompletionStatus::No).to_string();
            assert!(
                text.starts_with(
                    "TIMEOUT: the request could not be sent in time (Taut minor 52), \
                     COMPLETED_NO; calling ping; tried host:7: the host's name is not resolved \
                     (the name service has not answered after "
                ) && text.ends_with(" ms); the limit is with_call_timeout = 100 ms"),
                "{text}"
            );
        }
        let text = deadline::within(TIME, || late(&echo, CompletionStatus::No).to_string());
        assert!(
            text.ends_with("; the limit is deadline::within = 100 ms"),
            "{text}"
        );
    });
}

#[test]
fn a_name_service_without_an_answer_ends_a_call_by_the_time_to_connect() {
    let (resolver, _silent) = silent(&[]);
    let echo = client(resolver, |settings| settings.client.connect_timeout = TIME);
    let exception = echo.ping().unwrap_err();
    assert_eq!(
        exception.kind,
        SystemExceptionKind::Transient,
        "{exception}"
    );
}

#[test]
fn a_name_service_has_as_many_threads_as_it_may_and_no_more() {
    let (resolver, silent) = silent(&[]);
    let hasty = |host| {
        let resolver = resolver.clone();
        let echo = client_of(host, resolver, |settings| {
            settings.client.max_resolver_threads = 1
        });
        echo.with_call_timeout(TIME)
    };
    late(&hasty("one"), CompletionStatus::No);
    let text = late(&hasty("other"), CompletionStatus::No).to_string();
    assert!(
        text.contains("(other names are being looked up after "),
        "{text}"
    );
    drop(silent);
    let unknown = hasty("nobody")
        .with_call_timeout(PATIENCE)
        .ping()
        .unwrap_err();
    assert!(
        unknown
            .to_string()
            .contains("nobody:7: the host's name is not resolved (the name is not known here)"),
        "{unknown}"
    );
}

#[test]
fn all_addresses_of_a_host_share_the_time_of_a_call() {
    each_sharing(|sharing| {
        let full = [[127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 3]].map(full_at);
        let addresses = full.each_ref().map(|(one, _)| one.local_address().unwrap());
        let echo = client(knowing(&addresses), |settings| {
            settings.client.connection_sharing = sharing;
            settings.client.call_timeout = Some(TIME);
        });
        let text = late(&echo, CompletionStatus::No).to_string();
        assert!(text.contains("; tried host:7: timed out after "), "{text}");
        assert!(
            text.ends_with("; the limit is client.call_timeout = 100 ms"),
            "{text}"
        );
        // Those that refuse are told apart from the one that stalls.
        let nobody = test_tools::free_port().unwrap();
        let addresses = [(IpAddr::from([127, 0, 0, 1]), nobody).into(), addresses[1]];
        let echo = client(knowing(&addresses), |settings| {
            settings.client.connection_sharing = sharing
        });
        let text = late(&echo.with_call_timeout(TIME), CompletionStatus::No).to_string();
        assert!(
            text.contains(&format!(
                "tried host:7 (127.0.0.1:{nobody}): refused, host:7 (127."
            )),
            "{text}"
        );
    });
}

#[test]
fn an_address_that_stalls_leaves_its_time_to_the_next_where_there_is_enough() {
    let full = full_at([127, 0, 0, 1]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addresses = [
        full.0.local_address().unwrap(),
        listener.local_addr().unwrap(),
    ];
    let echo = client(knowing(&addresses), |settings| {
        settings.client.connect_timeout = TIME;
        settings.client.call_timeout = Some(PATIENCE);
    });
    thread::scope(|scope| {
        scope.spawn(|| answer(&mut listener.accept().unwrap().0));
        echo.ping().unwrap();
    });
}

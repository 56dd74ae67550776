//! The transport that is tested.

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, thread};

use taut_transport::{Acceptor, ConnectOptions, ListenOptions, Protocol, Stream};

use crate::{Faults, Faulty};

/// How long a check waits for what has to happen, before it fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A transport, and the places at which a test may listen.
pub struct Subject {
    pub(crate) protocol: Arc<dyn Protocol>,
    place: Box<dyn Fn() -> String + Send + Sync>,
}

impl Subject {
    /// A transport. Each call of `place` gives the text behind `scheme://` of a place where
    /// nobody listens.
    pub fn new(
        protocol: impl Protocol + 'static,
        place: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            protocol: Arc::new(protocol),
            place: Box::new(place),
        }
    }

    /// The same transport with faults injected on both sides.
    #[must_use]
    pub fn with_faults(self) -> Self {
        Self {
            protocol: Arc::new(Faulty::new(self.protocol, Faults::default())),
            place: self.place,
        }
    }

    /// Listens at a new place.
    pub(crate) fn listen(&self) -> Box<dyn Acceptor> {
        let place = (self.place)();
        let listening = self.protocol.listen(&place, &ListenOptions::default());
        listening.unwrap_or_else(|error| panic!("cannot listen at {place:?}: {error}"))
    }

    /// A new place.
    pub(crate) fn place(&self) -> String {
        (self.place)()
    }

    /// Connects to an acceptor.
    pub(crate) fn connect(&self, acceptor: &dyn Acceptor) -> Stream {
        let options = ConnectOptions::within(PATIENCE);
        let connected = self.protocol.connect(acceptor.address(), &options);
        connected.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Both ends of a connection, the one that has connected first.
    pub(crate) fn pair(&self) -> (Stream, Stream) {
        let acceptor = self.listen();
        self.pair_at(&*acceptor)
    }

    /// Both ends of a connection to an acceptor.
    pub(crate) fn pair_at(&self, acceptor: &dyn Acceptor) -> (Stream, Stream) {
        thread::scope(|scope| {
            let accepting = scope.spawn(|| acceptor.accept().unwrap());
            let client = self.connect(acceptor);
            let server = accepting.join().unwrap();
            for end in [&client, &server] {
                end.set_receive_timeout(Some(PATIENCE)).unwrap();
                end.set_send_timeout(Some(PATIENCE)).unwrap();
            }
            (client, server)
        })
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subject").field(&self.protocol).finish()
    }
}

/// Receives so many octets.
pub(crate) fn receive_exactly(stream: &Stream, count: usize) -> Vec<u8> {
    let mut octets = Vec::with_capacity(count);
    while octets.len() < count {
        let received = stream.receive(&mut octets).unwrap();
        assert_ne!(
            received,
            0,
            "the stream ended after {} of {count}",
            octets.len()
        );
        assert!(octets.len() <= count, "more than there was room for");
    }
    octets
}

/// Receives until the stream ends, or is lost.
pub(crate) fn receive_to_the_end(stream: &Stream) -> Vec<u8> {
    let mut octets = Vec::new();
    loop {
        octets.reserve(4096);
        match stream.receive(&mut octets) {
            Ok(0) => return octets,
            Ok(_) => {}
            Err(error) => {
                assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "no end came");
                return octets;
            }
        }
    }
}

/// Waits until something is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never happened that {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Octets of which each tells its place.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    let mut octets: Vec<u8> = (0..251).collect();
    octets = octets.repeat(length / octets.len() + 1);
    octets.truncate(length);
    octets
}

//! Taut's side: the servant of `bench::Pinger`, and its client.
//!
//! Written as any program on Taut would be, with the ORB's defaults; only the
//! address is restricted to the loopback interface, as it is for all systems.

use std::{io, thread};

use crate::error::BenchError;
use crate::protocol;
use idl::bench::PingerSkeleton;
pub(crate) use idl::bench::{Pinger, PingerRef};
use taut::{CollocationStrategy, ObjectRef, Orb, OrbBuilder, Reference, ReplyFuture, Settings};

/// The types of `idl/ping.idl`.
mod idl {
    taut::include_idl!("ping");
}

/// A free port of the loopback interface.
pub(crate) const LOOPBACK: &str = "iiop://127.0.0.1:0";

struct Servant;

/// A skeleton with a servant of its own.
pub(crate) fn skeleton() -> PingerSkeleton<impl Pinger> {
    PingerSkeleton::new(Servant)
}

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

/// The server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve(reactor_threads: Option<usize>, unix: bool) -> Result<(), BenchError> {
    let endpoint = if unix { "uiop://" } else { LOOPBACK };
    let (orb, pinger) = activate(endpoint, reactor_threads, |_| ())?;
    serve_until_end_of_input(&orb, pinger.as_object());
    Ok(())
}

/// Prints the reference of a server's first object, and serves until standard
/// input ends.
pub(crate) fn serve_until_end_of_input(orb: &Orb, object: &ObjectRef) {
    serve_object(orb, object, || {
        protocol::wait_for_end_of_input(io::stdin().lock())
    });
}

/// A server with further settings: prints its reference, then serves until `wait`
/// returns.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve_while(
    reactor_threads: Option<usize>,
    adjust: impl FnOnce(&mut Settings),
    wait: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> Result<(), BenchError> {
    let (orb, pinger) = activate(LOOPBACK, reactor_threads, adjust)?;
    serve_object(&orb, pinger.as_object(), wait);
    Ok(())
}

/// Prints the reference of a server's first object, and serves until `wait` returns.
pub(crate) fn serve_object(
    orb: &Orb,
    object: &ObjectRef,
    wait: impl FnOnce() -> io::Result<()> + Send + 'static,
) {
    println!("{}", orb.object_to_string(object));
    thread::spawn({
        let orb = orb.clone();
        move || {
            if let Err(error) = wait() {
                eprintln!("taut-server: standard input: {error}");
            }
            if let Err(error) = orb.shutdown(true) {
                eprintln!("taut-server: {error}");
            }
        }
    });
    orb.run();
}

/// The client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Pinger`, and those
/// of [`protocol::answer_requests`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let pinger = find(reference)?;
    protocol::answer_requests(io::stdin().lock(), io::stdout(), || {
        pinger.ping().map_err(BenchError::call)
    })
}

/// An ORB with an active servant, and the reference to it.
fn activate(
    endpoint: &str,
    reactor_threads: Option<usize>,
    adjust: impl FnOnce(&mut Settings),
) -> Result<(Orb, PingerRef), BenchError> {
    let orb = Orb::builder()
        .settings(|settings| {
            adjust(settings);
            if let Some(threads) = reactor_threads {
                settings.server.connection_threads = 0;
                settings.server.reactor_threads = threads;
                // All clients of a benchmark come from one address.
                settings.server.max_connections_per_peer = settings.server.max_connections;
            }
        })
        .listen(endpoint)
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let pinger = poa
        .activate(PingerSkeleton::new(Servant))
        .map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    Ok((orb, pinger))
}

/// The object with this stringified reference, through an ORB of its own.
fn find(reference: &str) -> Result<PingerRef, BenchError> {
    Ok(Client::connect(reference, |_| ())?.pinger)
}

/// An ORB, and the object that it found.
pub(crate) struct Client {
    orb: Orb,
    pinger: PingerRef,
}

impl Client {
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the object is not there or is no `Pinger`.
    pub(crate) fn connect(
        reference: &str,
        adjust: impl FnOnce(&mut Settings),
    ) -> Result<Self, BenchError> {
        // Calls go over the wire, also where the server is in this process.
        let orb = Orb::builder()
            .settings(|settings| settings.client.collocation = CollocationStrategy::Off)
            .settings(adjust)
            .build()
            .map_err(BenchError::orb)?;
        let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
        let pinger = object.narrow().map_err(BenchError::orb)?;
        Ok(Self { orb, pinger })
    }

    /// # Errors
    ///
    /// [`BenchError::Call`].
    pub(crate) fn ping(&self) -> Result<(), BenchError> {
        self.pinger.ping().map_err(BenchError::call)
    }

    /// A call that begins when the future is first polled.
    pub(crate) fn ping_async(&self) -> ReplyFuture<()> {
        self.pinger.ping_async()
    }

    /// Ends the ORB, with its connections.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`].
    pub(crate) fn end(self) -> Result<(), BenchError> {
        self.orb.shutdown(true).map_err(BenchError::orb)
    }
}

/// A server in this process, and the reference to its object.
#[cfg(test)]
pub(crate) fn pinger() -> (Orb, String) {
    let (orb, pinger) = activate(LOOPBACK, None, |_| ()).unwrap();
    let reference = orb.object_to_string(pinger.as_object());
    (orb, reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_reaches_the_servant() {
        for endpoint in [LOOPBACK, "uiop://"] {
            let (orb, pinger) = activate(endpoint, None, |_| ()).unwrap();
            let found = find(&orb.object_to_string(pinger.as_object())).unwrap();
            found.ping().unwrap();
            orb.shutdown(true).unwrap();
            assert!(found.ping().is_err());
        }
    }

    #[test]
    fn what_is_no_reference_is_an_error() {
        let nonsense = call("IOR:nonsense");
        assert!(matches!(nonsense, Err(BenchError::Orb { .. })));
    }
}

//! The modes in which the ORBs of a test run, and the tests of a case in several modes.

use std::time::Duration;

use taut::{Orb, OrbBuilder, Settings};

use super::wire::Listening;
use super::{EchoRef, Server};

/// A way to listen, connect and wait that both ORBs of a test have.
///
/// A case that holds in one mode holds in all others, so it is a function of the mode, and
/// [`for_each_mode`] makes tests of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mode {
    transport: Transport,
    /// Whether servers serve all connections by a reactor.
    has_reactor: bool,
    /// Whether calls of a client share a connection.
    is_shared: bool,
    /// Whether threads spin before they block.
    is_spinning: bool,
}

/// The sockets that servers listen at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Transport {
    #[default]
    Tcp,
    Unix,
}

impl Mode {
    /// TCP, a thread for each connection, a connection for each call in flight.
    pub const fn tcp() -> Self {
        Self {
            transport: Transport::Tcp,
            has_reactor: false,
            is_shared: false,
            is_spinning: false,
        }
    }

    pub const fn unix() -> Self {
        Self {
            transport: Transport::Unix,
            ..Self::tcp()
        }
    }

    pub const fn reactor() -> Self {
        Self {
            has_reactor: true,
            ..Self::tcp()
        }
    }

    pub const fn shared() -> Self {
        Self {
            is_shared: true,
            ..Self::tcp()
        }
    }

    pub const fn spinning() -> Self {
        Self {
            is_spinning: true,
            ..Self::tcp()
        }
    }

    pub const fn unix_reactor() -> Self {
        Self {
            has_reactor: true,
            ..Self::unix()
        }
    }

    pub const fn unix_shared() -> Self {
        Self {
            is_shared: true,
            ..Self::unix()
        }
    }

    pub fn is_unix(self) -> bool {
        self.transport == Transport::Unix
    }

    /// An endpoint for a server, each time at another place.
    pub fn endpoint(self) -> &'static str {
        match self.transport {
            Transport::Tcp => "127.0.0.1:0",
            Transport::Unix => "uiop://",
        }
    }

    /// Sets what the ORBs of a test are made with.
    ///
    /// The tests are about messages, though both ends are in one process.
    pub fn adjust(self, settings: &mut Settings) {
        if self.is_spinning {
            settings.wire.wait_strategy = taut::WaitStrategy::Spin;
            // There are at least as many tests at once as there are CPUs.
            settings.wire.spin_time = Duration::from_micros(200);
        }
        #[cfg(feature = "full")]
        {
            settings.client.collocation = taut::CollocationStrategy::Off;
            if self.has_reactor {
                settings.server.connection_threads = 0;
            }
            if self.is_shared {
                settings.client.connection_sharing = taut::ConnectionSharing::Shared;
            }
        }
    }

    /// A builder of an ORB that listens.
    pub fn listening_builder(self) -> OrbBuilder {
        let builder = Orb::builder().listen(self.endpoint()).unwrap();
        builder.settings(|settings| self.adjust(settings))
    }

    /// A server with one object.
    pub fn server(self) -> Server {
        self.server_with(|_| ())
    }

    /// A server with these settings, except for those of the mode.
    pub fn server_with(self, adjust: impl FnOnce(&mut Settings)) -> Server {
        let builder = Orb::builder().listen(self.endpoint()).unwrap();
        self.server_from(builder.settings(adjust))
    }

    /// A server of an ORB from this builder, with the settings of the mode.
    pub fn server_from(self, builder: OrbBuilder) -> Server {
        Server::in_mode(self, builder)
    }

    /// A reference that an ORB of its own has made of a URL.
    pub fn client(self, url: &str) -> EchoRef {
        self.client_with(url, |_| ())
    }

    /// A reference of an ORB with these settings beside those of the mode.
    pub fn client_with(self, url: &str, and: impl FnOnce(&mut Settings)) -> EchoRef {
        self.orb_and_client(url, and).1
    }

    /// A reference, and its ORB, which a test may want to end.
    pub fn orb_and_client(self, url: &str, and: impl FnOnce(&mut Settings)) -> (Orb, EchoRef) {
        let builder = Orb::builder().settings(|settings| self.adjust(settings));
        let orb = builder.settings(and).build().unwrap();
        let echo = orb.string_to_object(url).unwrap().unchecked_narrow();
        (orb, echo)
    }

    /// A place where the test itself answers.
    pub fn listening(self) -> Listening {
        Listening::new(self)
    }
}

/// Defines a test of each case in each mode, in a module with the mode's name.
///
/// A case is a function of a [`Mode`] beside the macro's call. A case that is not listed is
/// dead code, of which the compiler warns. The shape `minimal` has the modes `tcp` and
/// `unix` only: it lacks what the others set.
macro_rules! for_each_mode {
    (@tests $mode:ident { $($(#[$attribute:meta])* $case:ident),+ $(,)? }) => {
        mod $mode {
            $(
                $(#[$attribute])*
                #[test]
                fn $case() {
                    super::$case($crate::common::mode::Mode::$mode());
                }
            )+
        }
    };
    (@mode tcp $cases:tt) => {
        for_each_mode! { @tests tcp $cases }
    };
    (@mode unix $cases:tt) => {
        for_each_mode! { @tests unix $cases }
    };
    (@mode $mode:ident $cases:tt) => {
        #[cfg(feature = "full")]
        for_each_mode! { @tests $mode $cases }
    };
    ([$($mode:ident),+] $cases:tt) => {
        $( for_each_mode! { @mode $mode $cases } )+
    };
}

pub(crate) use for_each_mode;

//! How long calls wait for connections.

use std::time::{Duration, Instant};

use super::client::within;
use crate::settings::{ClientSettings, Settings};
use crate::transport::ConnectOptions;

/// How long a call waits for a connection, and whether it may open one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Patience {
    /// When all of it is over.
    pub(crate) deadline: Option<Instant>,
    /// How long an address may take to accept; none: as long as the settings say.
    pub(crate) connect_timeout: Option<Duration>,
    /// How long it waits for a connection that others use; none: as long as the settings say.
    pub(crate) connection_wait: Option<Duration>,
    /// Whether it may not open a connection where there is none.
    pub(crate) forbids_reconnecting: bool,
}

impl Patience {
    /// Returns how long to wait for a connection that others use.
    pub(super) fn for_others(&self, settings: &Settings) -> Duration {
        let wait = self.connection_wait;
        within(
            wait.unwrap_or(settings.client.connection_wait),
            self.deadline,
        )
    }

    /// Returns how long to wait for room among the calls in flight, where the settings say
    /// `wait`.
    pub(super) fn for_room(&self, wait: Duration) -> Duration {
        within(self.connection_wait.unwrap_or(wait), self.deadline)
    }

    /// Returns how long an address may take to accept.
    pub(super) fn for_address(&self, client: &ClientSettings) -> Duration {
        self.connect_timeout.unwrap_or(client.connect_timeout)
    }

    /// Returns the properties of an attempt to connect.
    pub(super) fn connect_options(&self, client: &ClientSettings) -> ConnectOptions {
        let mut options = client.connect_options(self.deadline);
        options.timeout = self.for_address(client);
        options
    }
}

impl From<Option<Instant>> for Patience {
    fn from(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }
}

//! The options of an endpoint's connections, and what became of them.

use std::sync::Arc;

use taut_sync::lock::Mutex;

use crate::connection::{EndpointKey, LeaseError};
use crate::settings::{RefusedOptions, Settings};
use crate::transport::{ConnectionOptions, ConnectionReport, Stream};

/// The options of an endpoint's connections beside those that all have, and what became of
/// them on the connection that was opened last.
pub(super) struct EndpointOptions {
    own: Option<Box<ConnectionOptions>>,
    /// None before the first.
    report: Mutex<Option<Arc<ConnectionReport>>>,
}

impl EndpointOptions {
    pub(super) fn of(key: &EndpointKey) -> Self {
        Self {
            own: key.options().copied().map(Box::new),
            report: Mutex::default(),
        }
    }

    /// Sets the options of a new connection. Those of the endpoint come before the settings'.
    ///
    /// # Errors
    ///
    /// [`LeaseError::OptionsRefused`] if the connection cannot have one, and is not to go
    /// without.
    pub(super) fn set(&self, stream: &Stream, settings: &Settings) -> Result<(), LeaseError> {
        let wire = &settings.wire;
        let options = match &self.own {
            Some(own) => own.or(&wire.connection_options),
            None => wire.connection_options,
        };
        let report = options.set_on(stream);
        let outcome = match wire.refused_options {
            RefusedOptions::Error if !report.is_complete() => {
                Err(LeaseError::OptionsRefused(report.to_string().into()))
            }
            _ => Ok(()),
        };
        let mut last = self.report.lock();
        if !report.is_complete() && last.as_deref() != Some(&report) {
            tracing::warn!(
                peer = stream.peer(),
                %report,
                setting = "wire.refused_options",
                "a connection cannot have all of its options"
            );
        }
        *last = Some(Arc::new(report));
        outcome
    }

    /// Returns the fate of the options on the connection that was opened last.
    pub(super) fn report(&self) -> Option<Arc<ConnectionReport>> {
        self.report.lock().clone()
    }
}

impl super::Endpoint {
    /// Returns the fate of the options on the connection that was opened last.
    pub(crate) fn connection_report(&self) -> Option<Arc<ConnectionReport>> {
        self.options.report()
    }
}

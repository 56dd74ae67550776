//! Services that run until a signal ends them.

mod notify;

use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use taut::Orb;

use crate::failure::Failure;
use crate::output;

/// An ORB that is to serve until SIGTERM or SIGINT.
pub(crate) struct Server {
    pub(crate) orb: Orb,
    signals: Signals,
}

impl Server {
    /// Starts an ORB that listens at these endpoints.
    ///
    /// # Errors
    ///
    /// When an endpoint or an argument of the ORB is wrong, or the ORB cannot listen.
    pub(crate) fn start(
        endpoints: &[String],
        mut orb_arguments: Vec<String>,
    ) -> Result<Self, Failure> {
        // Before any other thread begins, so that none of them dies of a signal.
        let signals = Signals::new([SIGINT, SIGTERM]).map_err(Failure::new)?;
        let mut builder = Orb::builder();
        for endpoint in endpoints {
            builder = builder.listen(endpoint).map_err(Failure::new)?;
        }
        let builder = builder.arguments(&mut orb_arguments);
        let orb = builder
            .and_then(|builder| builder.build())
            .map_err(Failure::new)?;
        Ok(Self { orb, signals })
    }

    /// Serves as [`run_at`](Self::run_at) does, at the URL of this object key.
    ///
    /// # Errors
    ///
    /// Those of `run_at`.
    pub(crate) fn run(self, key: &str, what: &str) -> Result<(), Failure> {
        let url = self.orb.corbaloc(key).unwrap_or_default();
        self.run_at(&url, what)
    }

    /// Writes the URL of the service, tells the service manager that it is ready, with what else it
    /// is to know, and serves until a signal comes.
    ///
    /// # Errors
    ///
    /// When the URL cannot be written, or the ORB does not end.
    pub(crate) fn run_at(self, url: &str, what: &str) -> Result<(), Failure> {
        let Self { orb, mut signals } = self;
        output::write(&format!("{url}\n"))?;
        let told = notify::ready(&format!("{url}, {what}"));
        warn_unless_told(told);

        let ending = orb.clone();
        thread::spawn(move || {
            signals.forever().next();
            warn_unless_told(notify::stopping());
            // Requests that run are answered; `run` returns when all has ended.
            ending.shutdown(false)
        });
        orb.run();
        orb.shutdown(true).map_err(Failure::new)
    }
}

/// A service manager that cannot be told is no reason to serve nobody.
fn warn_unless_told(told: std::io::Result<()>) {
    if let Err(error) = told {
        output::complain(&format!(
            "warning: the service manager at NOTIFY_SOCKET cannot be told: {error}\n"
        ));
    }
}

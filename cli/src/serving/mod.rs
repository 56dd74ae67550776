//! Services that run until a signal ends them.

mod activation;
mod notify;

use std::thread;

use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use taut::{ListenEndpoint, Orb};

use crate::failure::Failure;
use crate::output;

/// The signals that end a service, SIGTERM and SIGINT.
pub(crate) struct Ending(Signals);

impl Ending {
    /// Has the signals no longer end the process at once. To be called before any other thread
    /// begins, so that none of them dies of one.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub(crate) fn new() -> Result<Self, Failure> {
        let signals = Signals::new([SIGINT, SIGTERM]).map_err(Failure::new)?;
        Ok(Self(signals))
    }

    /// Tells the service manager that clients are served at this place, and waits for a signal.
    pub(crate) fn wait(mut self, place: &str, what: &str) {
        warn_unless_told(notify::ready(&format!("{place}, {what}")));
        self.0.forever().next();
        warn_unless_told(notify::stopping());
    }
}

/// The form in which a service says where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Its URL.
    Plain,
    /// An object in a line.
    Json,
}

impl Told {
    /// The form for programs, or that for people.
    pub(crate) fn when(in_json: bool) -> Self {
        match in_json {
            true => Self::Json,
            false => Self::Plain,
        }
    }
}

/// An ORB that is to serve until SIGTERM or SIGINT.
pub(crate) struct Server {
    pub(crate) orb: Orb,
    signals: Signals,
}

impl Server {
    /// Starts an ORB that listens at these endpoints; at the sockets that the service manager has
    /// opened, if it has, in place of the first ones.
    ///
    /// # Errors
    ///
    /// When an endpoint or an argument of the ORB is wrong, the service manager has passed no
    /// sockets though it says so, or the ORB cannot listen.
    pub(crate) fn start(
        endpoints: &[String],
        mut orb_arguments: Vec<String>,
    ) -> Result<Self, Failure> {
        // Before any other thread begins, so that none of them dies of a signal.
        let signals = Signals::new([SIGINT, SIGTERM]).map_err(Failure::new)?;
        let mut builder = Orb::builder();
        for endpoint in listened_at(endpoints)? {
            builder = builder.listen_at(endpoint);
        }
        let builder = builder.arguments(&mut orb_arguments);
        let orb = builder
            .and_then(|builder| builder.build())
            .map_err(Failure::new)?;
        Ok(Self { orb, signals })
    }

    /// Writes the URL of the service at this object key as `told` says, tells the service manager that it is
    /// ready, with what else it is to know, and serves until a signal comes.
    ///
    /// # Errors
    ///
    /// When the URL cannot be written, or the ORB does not end.
    pub(crate) fn run(self, key: &str, what: &str, told: Told) -> Result<(), Failure> {
        let url = self.orb.corbaloc(key).unwrap_or_default();
        self.serve(&url, what, told)
    }

    /// The same of a service with this URL.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub(crate) fn serve(self, url: &str, what: &str, told: Told) -> Result<(), Failure> {
        let Self { orb, mut signals } = self;
        let line = match told {
            Told::Plain => url.to_owned(),
            Told::Json => json!({ "url": url, "status": what }).to_string(),
        };
        output::write(&format!("{line}\n"))?;
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

/// The endpoints, of which the first ones are those that the service manager has opened, if it has.
fn listened_at(endpoints: &[String]) -> Result<Vec<ListenEndpoint>, Failure> {
    let read = |text: &String| text.parse::<ListenEndpoint>().map_err(Failure::new);
    let mut all = endpoints.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    for (place, descriptor) in activation::descriptors()?.enumerate() {
        match all.get_mut(place) {
            Some(endpoint) => *endpoint = endpoint.clone().descriptor(descriptor),
            None => all.push(ListenEndpoint::any().descriptor(descriptor)),
        }
    }
    Ok(all)
}

/// A service manager that cannot be told is no reason to serve nobody.
fn warn_unless_told(told: std::io::Result<()>) {
    if let Err(error) = told {
        output::complain(&format!(
            "warning: the service manager at NOTIFY_SOCKET cannot be told: {error}\n"
        ));
    }
}

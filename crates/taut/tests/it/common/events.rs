//! The events that the ORB reports, kept to be counted.

use std::fmt::{self, Write};
use std::sync::Once;

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// One event.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// The peer that it is about; empty when none is named.
    pub peer: String,
    /// The message, and behind it the other fields as `name=value`.
    pub text: String,
}

static TOLD: Mutex<Vec<Told>> = Mutex::new(Vec::new());

/// Begins to keep the events of the whole process.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Keeper).unwrap());
}

/// Begins to keep events, and forgets those of earlier tests. For tests that run one after
/// another.
pub(crate) fn restart() {
    keep();
    *TOLD.lock() = Vec::new();
}

/// The events whose text contains `part`.
pub(crate) fn with(part: &str) -> Vec<Told> {
    let told = TOLD.lock();
    let found = told.iter().filter(|told| told.text.contains(part));
    found.cloned().collect()
}

/// Whether an event with this text names the peer.
pub(crate) fn tell_of(peer: &str, part: &str) -> bool {
    let told = TOLD.lock();
    // Mostly, it is about the latest.
    told.iter()
        .rev()
        .any(|told| told.peer == peer && told.text.contains(part))
}

struct Keeper;

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && *metadata.level() <= Level::DEBUG
            && metadata.target().starts_with("taut")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut told = Told {
            peer: String::new(),
            text: String::new(),
        };
        event.record(&mut told);
        TOLD.lock().push(told);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Told {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "peer" => write!(self.peer, "{value:?}"),
            "message" => write!(self.text, "{value:?} "),
            name => write!(self.text, "{name}={value:?} "),
        };
    }
}

//! Whether the objects that names are bound to are still there.

use std::thread;
use std::time::{Duration, Instant};

use taut::{ObjectRef, Orb, SystemException, SystemExceptionKind};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::listing::Entry;
use super::service::Service;
use crate::failure::Failure;
use crate::output::visible;

/// The number of objects that are asked at once.
pub(super) const AT_ONCE: usize = 16;

/// Asks objects whether they exist, each within a time.
pub(super) struct Checker {
    orb: Orb,
    timeout: Duration,
}

/// The answer about one binding.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) state: State,
    /// The reference that the name is bound to; empty if it could not be resolved.
    pub(super) reference: String,
    /// The reason, unless the object is alive.
    pub(super) reason: String,
    /// The time that resolving the name and asking the object took.
    pub(super) took: Duration,
}

/// The state of an object, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has answered.
    Alive,
    /// Its server says that there is no such object, or the binding is nil.
    Dead,
    /// No answer came, or another one than that it exists.
    Unreachable,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Dead => "dead",
            Self::Unreachable => "unreachable",
        }
    }
}

impl Checker {
    /// A checker that gives each object `timeout` to be connected to and as long to
    /// answer.
    ///
    /// # Errors
    ///
    /// When the ORB's arguments are wrong.
    pub(super) fn new(service: &Service, timeout: Duration) -> Result<Self, Failure> {
        let orb = service.another_orb(|settings| {
            settings.client.call_timeout = Some(timeout);
            settings.client.connect_timeout = timeout;
        })?;
        Ok(Self { orb, timeout })
    }

    /// Checks what the entries of a context are bound to, at the same time.
    pub(super) fn check(&self, context: &NamingContextRef, entries: &[Entry]) -> Vec<Check> {
        thread::scope(|scope| {
            let checks: Vec<_> = entries
                .iter()
                .map(|entry| scope.spawn(|| self.check_one(context, &entry.name)))
                .collect();
            let answers = checks.into_iter().map(|check| check.join());
            answers
                .map(|check| check.unwrap_or_else(|_| Check::unreachable("the check failed")))
                .collect()
        })
    }

    fn check_one(&self, context: &NamingContextRef, name: &[NameComponent]) -> Check {
        let started = Instant::now();
        let check = self.check_now(context, name);
        let took = started.elapsed();
        Check { took, ..check }
    }

    fn check_now(&self, context: &NamingContextRef, name: &[NameComponent]) -> Check {
        let object = match attempt(name, context.resolve(name).map_err(Refusal::from)) {
            Ok(Some(object)) => object,
            Ok(None) => return Check::dead("it is bound to the nil reference"),
            Err(failure) => {
                let reason = failure.message().unwrap_or("it cannot be resolved");
                return Check::unreachable(reason);
            }
        };
        let reference = object.to_string();
        let check = match self.orb.string_to_object(&reference) {
            Ok(object) => self.ask(&object),
            Err(error) => Check::unreachable(&error.to_string()),
        };
        Check { reference, ..check }
    }

    fn ask(&self, object: &ObjectRef) -> Check {
        match object.non_existent() {
            Ok(false) => Check {
                state: State::Alive,
                reference: String::new(),
                reason: String::new(),
                took: Duration::ZERO,
            },
            Ok(true) => Check::dead("its server says that it does not exist"),
            Err(exception) => self.exception(&exception),
        }
    }

    fn exception(&self, exception: &SystemException) -> Check {
        let text = exception.to_string();
        match exception.kind {
            SystemExceptionKind::ObjectNotExist => Check::dead(&text),
            SystemExceptionKind::Timeout => Check::unreachable(&format!(
                "{text}; --check-timeout allows more than {} s",
                self.timeout.as_secs()
            )),
            _ => Check::unreachable(&text),
        }
    }
}

impl Check {
    fn dead(reason: &str) -> Self {
        Self::unlike_alive(State::Dead, reason)
    }

    fn unreachable(reason: &str) -> Self {
        Self::unlike_alive(State::Unreachable, reason)
    }

    fn unlike_alive(state: State, reason: &str) -> Self {
        Self {
            state,
            reference: String::new(),
            reason: visible(reason).into_owned(),
            took: Duration::ZERO,
        }
    }
}

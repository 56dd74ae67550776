//! The checks of a client, and their results.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use taut::ObjectRef;

use crate::HarnessError;

/// How long a oneway message, or the end of a server, may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The operation, or what else was checked.
    pub name: String,
    /// The fault, if there was one.
    pub outcome: Result<(), String>,
}

impl Check {
    /// Reads what the client of another ORB says: `ok NAME` or
    /// `FAILED NAME: why`.
    ///
    /// # Errors
    ///
    /// [`HarnessError::StrangeLine`] when it says something else.
    pub fn parse(line: &str) -> Result<Self, HarnessError> {
        if let Some(name) = line.strip_prefix("ok ") {
            return Ok(Self::new(name, Ok(())));
        }
        let failed = line.strip_prefix("FAILED ");
        let Some((name, why)) = failed.and_then(|rest| rest.split_once(": ")) else {
            return Err(HarnessError::StrangeLine(line.to_owned()));
        };
        Ok(Self::new(name, Err(why.to_owned())))
    }

    pub(crate) fn new(name: &str, outcome: Result<(), String>) -> Self {
        Self {
            name: name.to_owned(),
            outcome,
        }
    }
}

/// Turns what a call ended with into words.
pub(crate) fn words(error: impl Display) -> String {
    error.to_string()
}

pub(crate) fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Waits until an object whose server was told to end cannot be reached.
pub(crate) fn expect_end(object: &ObjectRef) -> Result<(), String> {
    let started = Instant::now();
    while let Ok(false) = object.non_existent() {
        expect(started.elapsed() < PATIENCE, || {
            "the server is still there".to_owned()
        })?;
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_clients_are_read() {
        let passed = Check::parse("ok test_short").unwrap();
        assert_eq!(passed, Check::new("test_short", Ok(())));
        let failed = Check::parse("FAILED level: wrong value: 1").unwrap();
        assert_eq!(failed.name, "level");
        assert_eq!(failed.outcome, Err("wrong value: 1".to_owned()));
        for line in ["", "ok", "test_short", "FAILED level"] {
            let strange = Check::parse(line).unwrap_err().to_string();
            assert!(strange.contains(&format!("{line:?}")), "{strange}");
        }
    }
}

//! The calls that servers have carried out, be they alive or not.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::HarnessError;

const TIME_OUT: Duration = Duration::from_secs(60);

/// How often the file is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The file in which servers note what they carry out: the argument of `work`.
#[derive(Debug)]
pub struct ExecutionLog {
    _directory: TempDir,
    path: PathBuf,
}

impl ExecutionLog {
    /// A file in which nothing stands.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Resource`] when there can be none.
    pub fn new() -> Result<Self, HarnessError> {
        let directory = tempfile::tempdir().map_err(|source| HarnessError::Resource {
            what: "temporary directory",
            source,
        })?;
        let path = directory.path().join("log");
        Ok(Self {
            _directory: directory,
            path,
        })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.to_str().unwrap_or_default()
    }

    /// How many calls have been begun.
    #[must_use]
    pub fn executions(&self) -> usize {
        fs::read_to_string(&self.path).map_or(0, |text| text.lines().count())
    }

    /// Returns when so many calls have been begun.
    ///
    /// # Errors
    ///
    /// [`HarnessError::TimeOut`] when they are not.
    pub fn await_execution(&self, number: usize) -> Result<(), HarnessError> {
        let started = Instant::now();
        while self.executions() < number {
            if started.elapsed() >= TIME_OUT {
                return Err(HarnessError::TimeOut {
                    program: "a call".to_owned(),
                    waited: TIME_OUT,
                });
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }
}

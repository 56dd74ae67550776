//! The resources of a process.

use std::{fmt, fs};

use crate::error::BenchError;

/// The resources of a process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) resident_kib: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: usize,
}

impl Footprint {
    /// Looks at a process.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when there is no such process.
    pub(crate) fn of(process: u32) -> Result<Self, BenchError> {
        let failed = || BenchError::system("cannot look at a process");
        let status = fs::read_to_string(format!("/proc/{process}/status")).map_err(failed())?;
        // The numbers in `status` are only about right: each CPU counts for itself.
        let memory =
            fs::read_to_string(format!("/proc/{process}/smaps_rollup")).map_err(failed())?;
        let number = |text: &str, field: &str| {
            let line = text.lines().find(|line| line.starts_with(field))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).map_err(failed())?;
        Ok(Self {
            resident_kib: number(&memory, "Rss:").unwrap_or_default(),
            threads: number(&status, "Threads:").unwrap_or_default(),
            descriptors: descriptors.count(),
        })
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} KiB resident, {} threads, {} descriptors",
            self.resident_kib, self.threads, self.descriptors
        )
    }
}

//! Measured execution times, fed back into descriptions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use toml::Spanned;

use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::file::FileError;
use crate::repository::Repository;
use crate::time::{ShownTime, parse_time};

/// The longest execution times that were measured, by the operations' names.
///
/// ```toml
/// [measured]
/// "Radar::sweep" = "1.8ms"
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measurements {
    /// The longest time of each operation, in nanoseconds.
    pub longest_ns: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    measured: BTreeMap<String, Spanned<String>>,
}

impl Measurements {
    /// Notes an execution of an operation.
    pub fn note(&mut self, operation: &str, time_ns: u64) {
        match self.longest_ns.get_mut(operation) {
            Some(longest) => *longest = time_ns.max(*longest),
            None => {
                self.longest_ns.insert(operation.to_owned(), time_ns);
            }
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// When it is no TOML, or a time is wrong.
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            FileError::at(text, start, error.message())
        })?;
        let mut measurements = Self::default();
        for (operation, time) in &file.measured {
            let time_ns = parse_time(time.get_ref())
                .map_err(|error| FileError::at(text, time.span().start, error.to_string()))?;
            measurements.note(operation, time_ns);
        }
        Ok(measurements)
    }

    /// Returns the text of a file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[measured]\n");
        for (operation, time) in &self.longest_ns {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{} = \"{}\"", quoted(operation), ShownTime(*time));
        }
        text
    }

    /// Replaces the worst-case execution times of the measured operations: each becomes the
    /// longest measured time with `margin_percent` added. Returns what is remarkable: executions
    /// that took longer than their worst case, and operations that are not there.
    pub fn apply(&self, repository: &mut Repository, margin_percent: u32) -> Vec<Anomaly> {
        let mut anomalies = Vec::new();
        for (name, longest) in &self.longest_ns {
            let Some(handle) = repository.lookup(name) else {
                let message = format!("`{name}` was measured, and no operation has this name");
                let kind = AnomalyKind::MeasuredUnknown;
                anomalies.push(Anomaly::new(Severity::Warning, kind, [], message));
                continue;
            };
            let info = &mut repository[handle];
            if *longest > info.worst_case_ns {
                let message = format!(
                    "an execution of `{name}` took {}, and its worst case is said to be {}",
                    ShownTime(*longest),
                    ShownTime(info.worst_case_ns)
                );
                let kind = AnomalyKind::MeasuredBeyondWorstCase;
                anomalies.push(Anomaly::new(Severity::Warning, kind, [handle], message));
            }
            let margin = u128::from(*longest) * u128::from(margin_percent) / 100;
            let margin = u64::try_from(margin).unwrap_or(u64::MAX);
            info.worst_case_ns = longest.saturating_add(margin);
        }
        anomalies
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

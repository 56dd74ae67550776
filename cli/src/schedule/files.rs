//! The files of `taut schedule`. The line that is wrong of one is shown.

use taut_scheduling::{Anomaly, Description, FileError, Limits, Measurements, Severity};

use crate::failure::Failure;
use crate::input;
use crate::output::{self, ERROR, HEADING};

/// A TOML file that describes operations.
pub(super) struct Described {
    path: String,
    pub(super) text: String,
    pub(super) description: Description,
}

impl Described {
    /// Reads a file; - is standard input.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or describes no operations.
    pub(super) fn read(path: &str) -> Result<Self, Failure> {
        let (text, description) = read(path, "the file describes no schedule", |text| {
            Description::from_toml(text)
        })?;
        Ok(Self {
            path: path.to_owned(),
            text,
            description,
        })
    }

    /// Writes anomalies to standard error, with the lines that they are about.
    pub(super) fn show(&self, anomalies: &[Anomaly]) {
        for anomaly in anomalies {
            let shown = self.description.render(anomaly, &self.path, &self.text);
            let style = match anomaly.severity >= Severity::Error {
                true => ERROR,
                false => HEADING,
            };
            let (first, rest) = shown.split_once(':').unwrap_or((&shown, ""));
            output::complain(&format!("{style}{first}{style:#}:{rest}\n"));
        }
    }
}

/// Reads a TOML file of measured times.
///
/// # Errors
///
/// When it cannot be read, or has no measured times.
pub(super) fn measurements(path: &str) -> Result<Measurements, Failure> {
    let what = "the file has no measured times";
    Ok(read(path, what, Measurements::from_toml)?.1)
}

/// Reads a file, and shows the line where it is not what it should be.
fn read<T>(
    path: &str,
    otherwise: &str,
    parse: impl FnOnce(&str) -> Result<T, FileError>,
) -> Result<(String, T), Failure> {
    let text = input::read_text(path, Limits::default().max_file_octets)?;
    match parse(&text) {
        Ok(value) => Ok((text, value)),
        Err(error) => {
            output::complain(&format!("{}\n", error.render(path, &text)));
            Err(Failure::new(otherwise))
        }
    }
}

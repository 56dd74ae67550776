//! The lines of a recording.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::Value as Json;
use taut_idl::bounded::open_file;

use crate::failure::Failure;
use crate::input;
use crate::output::visible;

/// A recording that is read line by line.
pub(super) struct Lines {
    place: String,
    input: Box<dyn BufRead>,
    octets_max: usize,
    /// The number of the last line.
    number: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open(path: &str, octets_max: usize) -> Result<Self, Failure> {
        let place = visible(path).into_owned();
        let input: Box<dyn BufRead> = match path {
            input::STANDARD_INPUT => Box::new(io::stdin().lock()),
            path => {
                let file = open_file(path.as_ref());
                Box::new(BufReader::new(
                    file.map_err(|error| input::cannot_read(&place, &error))?,
                ))
            }
        };
        Ok(Self {
            place,
            input,
            octets_max,
            number: 0,
        })
    }

    /// Returns the next line that is not blank, and its number; none at the end.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is too long, or is no JSON.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Json)>, Failure> {
        loop {
            let mut line = Vec::new();
            let limit = u64::try_from(self.octets_max).unwrap_or(u64::MAX);
            let mut input = self.input.by_ref().take(limit.saturating_add(1));
            let read = input.read_until(b'\n', &mut line);
            read.map_err(|error| input::cannot_read(&self.place, &error))?;
            self.number += 1;
            let (place, number) = (&self.place, self.number);
            if line.is_empty() {
                return Ok(None);
            }
            if line.len() > self.octets_max {
                let limit = self.octets_max;
                return Err(Failure::Message(format!(
                    "{place}, line {number}: it has more than {limit} octets (--max-line-size)"
                )));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let json = serde_json::from_slice(&line).map_err(|error| {
                Failure::Message(format!("{place}, line {number}: it is no JSON: {error}"))
            })?;
            return Ok(Some((number, json)));
        }
    }
}

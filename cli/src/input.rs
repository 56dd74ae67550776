//! Files and standard input, as the subcommands read them.

use std::io::{self, BufRead, BufReader, Read};

use taut_idl::bounded::{self, open_file};

use crate::failure::Failure;
use crate::output::visible;

/// The argument that stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads a file, or standard input for `-`, as text of at most `octets_max` octets.
///
/// # Errors
///
/// When it cannot be read, is larger, or is not UTF-8; the message names it.
pub(crate) fn read_text(path: &str, octets_max: usize) -> Result<String, Failure> {
    let (octets, place) = match path {
        STANDARD_INPUT => {
            let octets = bounded::read_stream(&mut io::stdin().lock(), octets_max);
            (octets, "standard input".into())
        }
        path => {
            let octets = bounded::read_file(path.as_ref(), octets_max);
            (octets, visible(path))
        }
    };
    let octets = octets.map_err(|error| cannot_read(&place, &error))?;
    String::from_utf8(octets)
        .map_err(|_| cannot_read(&place, &io::Error::other("it is not text in UTF-8")))
}

/// The lines of a file or of standard input.
pub(crate) struct Lines {
    place: String,
    input: Box<dyn BufRead>,
    octets_max: usize,
    /// The number of the last line.
    number: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`, with lines of at most `octets_max` octets.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(crate) fn open(path: &str, octets_max: usize) -> Result<Self, Failure> {
        let (input, place): (Box<dyn BufRead>, _) = match path {
            STANDARD_INPUT => (Box::new(io::stdin().lock()), "standard input".into()),
            path => {
                let file = open_file(path.as_ref());
                let file = file.map_err(|error| cannot_read(&visible(path), &error))?;
                (Box::new(BufReader::new(file)), visible(path))
            }
        };
        Ok(Self {
            place: place.into_owned(),
            input,
            octets_max,
            number: 0,
        })
    }

    /// Returns the next line without its end; none at the end of the input.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is longer than allowed, or is not UTF-8; the message names it.
    pub(crate) fn next(&mut self) -> Result<Option<String>, Failure> {
        let mut line = Vec::new();
        let limit = u64::try_from(self.octets_max).unwrap_or(u64::MAX);
        let mut input = self.input.by_ref().take(limit.saturating_add(1));
        let read = input.read_until(b'\n', &mut line);
        read.map_err(|error| cannot_read(&self.place, &error))?;
        self.number += 1;
        if line.is_empty() {
            return Ok(None);
        }
        if line.len() > self.octets_max {
            let limit = self.octets_max;
            return Err(self.fault(format!("it has more than {limit} octets (--max-line-size)")));
        }
        match String::from_utf8(line) {
            Ok(line) => Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned())),
            Err(_) => Err(self.fault("it is not text in UTF-8")),
        }
    }

    /// Returns the number of the last line.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The failure of a command for what is wrong with the last line.
    pub(crate) fn fault(&self, fault: impl std::fmt::Display) -> Failure {
        let (place, number) = (&self.place, self.number);
        Failure::Message(format!("{place}, line {number}: {fault}"))
    }
}

/// The failure of a command whose input at `place` cannot be read.
pub(crate) fn cannot_read(place: &str, error: &io::Error) -> Failure {
    Failure::Message(format!("cannot read {place}: {error}"))
}

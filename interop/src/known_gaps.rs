//! The checks that are known to fail, by name.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::error::HarnessError;
use test_tools::workspace_root;

/// The operations that are known to fail between two ORBs.
///
/// A list is a file `interop/known_gaps/CLIENT-SERVER.txt`. A line has a
/// version of GIOP and the name of a check, such as `1.1 test_long_string`;
/// what follows `#` says why. `1.2+fragments` is GIOP 1.2 where Taut cuts its
/// messages into fragments. A test fails when anything else fails, and also
/// when something of the list passes, so that a list is never out of date.
#[derive(Debug)]
pub struct KnownGaps {
    gaps: BTreeSet<(String, String)>,
}

impl KnownGaps {
    /// Reads the list for a client and a server.
    ///
    /// # Errors
    ///
    /// [`HarnessError::KnownGaps`] when the file cannot be read or a line is
    /// not as described.
    pub fn read(client: &str, server: &str) -> Result<Self, HarnessError> {
        let file = workspace_root()
            .join("interop/known_gaps")
            .join(format!("{client}-{server}.txt"));
        let gap_error = |file: &PathBuf, line, why| HarnessError::KnownGaps {
            file: file.clone(),
            line,
            why,
        };
        let text =
            fs::read_to_string(&file).map_err(|error| gap_error(&file, 0, error.to_string()))?;
        Self::parse(&text).map_err(|line| {
            let why = "expected a version of GIOP and the name of a check".to_owned();
            gap_error(&file, line, why)
        })
    }

    /// The names that are known to fail with this version of GIOP, such as
    /// `1.2`, in alphabetical order.
    pub fn of_giop<'a>(&'a self, version: &'a str) -> impl Iterator<Item = &'a str> {
        self.gaps
            .iter()
            .filter(move |(gap_version, _)| gap_version == version)
            .map(|(_, name)| name.as_str())
    }

    /// The list in a text, or the number of the line that is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, usize> {
        let mut gaps = BTreeSet::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default();
            let words: Vec<_> = content.split_whitespace().collect();
            match words[..] {
                [] => {}
                [version @ ("1.0" | "1.1" | "1.2" | "1.2+fragments"), name] => {
                    gaps.insert((version.to_owned(), name.to_owned()));
                }
                _ => return Err(index + 1),
            }
        }
        Ok(Self { gaps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_versions_and_checks() {
        let gaps = KnownGaps::parse("# why\n\n1.1 b # c\n1.0 x\n1.1 a\n").unwrap();
        assert!(gaps.of_giop("1.1").eq(["a", "b"]));
        assert!(gaps.of_giop("1.0").eq(["x"]));
        assert!(gaps.of_giop("1.2").next().is_none());
    }

    #[test]
    fn a_malformed_line_is_named() {
        for (text, line) in [("1.1", 1), ("\n1.3 a", 2), ("1.0 a b", 1), ("a 1.0", 1)] {
            assert_eq!(KnownGaps::parse(text).unwrap_err(), line, "{text}");
        }
    }
}

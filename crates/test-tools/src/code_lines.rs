//! Counting the code that is executed again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{CountError, InstructionCounter};

/// Octets of a line of a processor's cache.
const LINE: u64 = 64;

/// How often each instruction of a program was executed, by the file that it is in and
/// its place there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing(BTreeMap<(String, u64), u64>);

impl InstructionCounter {
    /// The command that runs a program, of which somebody else takes care, and writes
    /// to the file `report` at its end what [`Listing::read`] reads.
    #[must_use]
    pub fn listing(&self, program: &Command, report: &Path) -> Command {
        let mut file = OsString::from("--callgrind-out-file=");
        file.push(report);
        let options: Vec<OsString> = (LISTED.iter().map(OsString::from)).chain([file]).collect();
        self.watching(&options, program)
    }
}

impl Listing {
    /// Reads from a report the lines of a program, which has ended, that were executed.
    ///
    /// # Errors
    ///
    /// [`CountError::Uncounted`] when it says nothing of that.
    pub fn read(report: &Path) -> Result<Self, CountError> {
        let said = fs::read_to_string(report).unwrap_or_else(|error| error.to_string());
        Self::parse(&said).ok_or_else(|| CountError::Uncounted {
            program: report.display().to_string(),
            said: said.chars().take(1_000).collect(),
        })
    }

    /// Lines of an instruction's place, that in the source, and how often it was executed,
    /// behind those that say in which file it is. Behind a line about calls is one of what
    /// was executed in them.
    fn parse(said: &str) -> Option<Self> {
        let mut counts = BTreeMap::new();
        let (mut file, mut is_of_calls) = ("", false);
        for line in said.lines() {
            if let Some(name) = line.strip_prefix("ob=") {
                file = name;
            } else if line.starts_with("calls=") {
                is_of_calls = true;
            } else if let Some(line) = line.strip_prefix("0x") {
                if std::mem::take(&mut is_of_calls) {
                    continue;
                }
                let mut numbers = line.split(' ');
                let place = u64::from_str_radix(numbers.next()?, 16).ok()?;
                let count: u64 = numbers.nth(1)?.parse().ok()?;
                *counts.entry((file.to_owned(), place)).or_default() += count;
            }
        }
        (!counts.is_empty()).then_some(Self(counts))
    }

    /// In how many lines of the cache those instructions begin that a longer run of the
    /// program has executed so many `times` more often.
    #[must_use]
    pub fn lines_repeated(&self, longer: &Self, times: u64) -> usize {
        let repeated = longer.0.iter().filter(|(place, count)| {
            let before = self.0.get(place).copied().unwrap_or(0);
            count.saturating_sub(before) >= times
        });
        let lines: BTreeSet<_> = repeated
            .map(|((file, place), _)| (file, place / LINE))
            .collect();
        lines.len()
    }
}

/// Valgrind's options by which it lists the instructions of a program.
const LISTED: [&str; 5] = [
    "--quiet",
    "--tool=callgrind",
    "--dump-instr=yes",
    "--compress-pos=no",
    "--compress-strings=no",
];

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "positions: instr line\nevents: Ir\n\nob=/bin/one\nfn=main\n\
        0x1000 7 1\n0x103f 7 100\n0x1040 8 100\ncfn=other\ncalls=100 0x2000 1\n0x1044 8 9999\n\
        0x1044 8 100\nob=/lib/two\nfn=other\n0x1000 0 100\n0x2000 0 50\n";

    #[test]
    fn lines_are_counted_by_file_and_calls_are_not() {
        let short = Listing::parse(SHORT).unwrap();
        let longer = Listing::parse(&SHORT.replace(" 100\n", " 300\n")).unwrap();
        assert_eq!(short.0[&("/bin/one".to_owned(), 0x1044)], 100);
        assert_eq!(short.lines_repeated(&longer, 200), 3);
        assert_eq!(short.lines_repeated(&longer, 201), 0);
        assert_eq!(short.lines_repeated(&short, 1), 0);
    }

    #[test]
    fn what_lists_nothing_is_an_error() {
        let file = std::env::temp_dir().join(format!("no-listing-{}", std::process::id()));
        fs::write(&file, "events: Ir\n").unwrap();
        let error = Listing::read(&file).unwrap_err();
        fs::remove_file(&file).unwrap();
        assert!(matches!(error, CountError::Uncounted { .. }));
        assert!(Listing::read(&file).is_err());
    }
}

//! The files that are known not to pass, by name.

use std::collections::BTreeMap;

use crate::error::CorpusError;
use crate::examine::{Finding, Stage};

/// The list in `corpus/known_gaps.txt`: a package, a file, the stage that the
/// file does not pass, and behind `#` the reason.
#[derive(Debug, Default)]
pub struct KnownGaps {
    gaps: BTreeMap<String, (Stage, String)>,
}

impl KnownGaps {
    /// Reads the text of a list.
    ///
    /// # Errors
    ///
    /// When a line is not as it should be.
    pub fn parse(text: &str) -> Result<Self, CorpusError> {
        let mut gaps = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let (content, reason) = line.split_once('#').unwrap_or((line, ""));
            let words: Vec<_> = content.split_whitespace().collect();
            let wrong = CorpusError::KnownGaps { line: index + 1 };
            match words[..] {
                [] => {}
                [package, file, stage] => {
                    let stages = Stage::ALL.into_iter();
                    let Some(stage) = stages.into_iter().find(|known| known.name() == stage) else {
                        return Err(wrong);
                    };
                    if reason.trim().is_empty() {
                        return Err(wrong);
                    }
                    let gap = (stage, reason.trim().to_owned());
                    gaps.insert(format!("{package} {file}"), gap);
                }
                _ => return Err(wrong),
            }
        }
        Ok(Self { gaps })
    }

    /// The reason why a file does not pass, if that is known.
    pub fn reason(&self, id: &str) -> Option<&str> {
        self.gaps.get(id).map(|(_, reason)| reason.as_str())
    }

    /// Returns the differences between the list and the findings: files that fail and are
    /// not on it, and files on it that pass, or fail elsewhere, or are not there. A file
    /// that passes all that was tried is not held against a gap of a later stage.
    pub fn disagreements(&self, findings: &[Finding], tried: &[Stage]) -> Vec<String> {
        let mut said = Vec::new();
        for finding in findings {
            let id = finding.file.id();
            let known = self.gaps.get(&id).map(|(stage, _)| *stage);
            match (&finding.failure, known) {
                (Some((stage, _)), Some(known)) if *stage == known => {}
                (Some((stage, why)), _) => {
                    said.push(format!("{id}: does not pass `{}`: {why}", stage.name()));
                }
                (None, Some(known)) if tried.contains(&known) => said.push(format!(
                    "{id}: passes `{}` now; take it off the list of known gaps",
                    known.name()
                )),
                (None, _) => {}
            }
        }
        for id in self.gaps.keys() {
            if !findings.iter().any(|finding| finding.file.id() == *id) {
                said.push(format!(
                    "{id}: is on the list of known gaps, but not in the corpus"
                ));
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_package_a_file_a_stage_and_a_reason() {
        let gaps = KnownGaps::parse("# why\n\np a.idl check # because\n").unwrap();
        assert_eq!(gaps.reason("p a.idl"), Some("because"));
        for text in [
            "p a.idl check",
            "p a.idl later # x",
            "p check # x",
            "# x\np # x",
        ] {
            assert!(KnownGaps::parse(text).is_err(), "{text}");
        }
    }
}

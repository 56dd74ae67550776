//! The report of a replay: the differences as they are found, and the numbers at the end.

use serde_json::json;

use super::compare::Comparison;
use crate::failure::Failure;
use crate::output::{self, ERROR, HEADING, visible};

/// The number of calls by what came of them.
pub(super) struct Report {
    in_json: bool,
    same: u64,
    different: u64,
    not_made: u64,
    not_compared: u64,
    pub(super) left_out: u64,
}

impl Report {
    pub(super) fn new(in_json: bool) -> Self {
        Self {
            in_json,
            same: 0,
            different: 0,
            not_made: 0,
            not_compared: 0,
            left_out: 0,
        }
    }

    /// Counts a call, and writes how it differs.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub(super) fn add(
        &mut self,
        line: u64,
        operation: &str,
        comparison: Comparison,
    ) -> Result<(), Failure> {
        let counted = match &comparison {
            Comparison { fault: Some(_), .. } => &mut self.not_made,
            Comparison { differences, .. } if !differences.is_empty() => &mut self.different,
            Comparison {
                is_incomparable: true,
                ..
            } => &mut self.not_compared,
            _ => &mut self.same,
        };
        *counted += 1;
        let mut text = String::new();
        let place = format!("line {line} {}", visible(operation));
        if let Some(fault) = &comparison.fault {
            text += &match self.in_json {
                true => format!(
                    "{}\n",
                    json!({"line": line, "operation": operation, "fault": fault})
                ),
                false => {
                    format!("{HEADING}{place}{HEADING:#}: {ERROR}not made{ERROR:#}: {fault}\n")
                }
            };
        }
        for one in &comparison.differences {
            let (recorded, now) = (&one.recorded, &one.now);
            text += &match self.in_json {
                true => {
                    let object = json!({
                        "line": line,
                        "operation": operation,
                        "place": one.place,
                        "recorded": recorded,
                        "now": now,
                    });
                    format!("{object}\n")
                }
                false => format!(
                    "{HEADING}{place}{HEADING:#}: {}: recorded {recorded}, now {now}\n",
                    one.place
                ),
            };
        }
        if comparison.more > 0 && !self.in_json {
            text += &format!(
                "{HEADING}{place}{HEADING:#}: and {} more\n",
                comparison.more
            );
        }
        Ok(output::write(&text)?)
    }

    /// Writes the numbers.
    ///
    /// # Errors
    ///
    /// When a call differed or was not made, and when the output cannot be written.
    pub(super) fn end(self) -> Result<(), Failure> {
        let calls = self.same + self.different + self.not_made + self.not_compared;
        let text = match self.in_json {
            true => {
                let object = json!({
                    "calls": calls,
                    "same": self.same,
                    "different": self.different,
                    "not_made": self.not_made,
                    "not_compared": self.not_compared,
                    "left_out": self.left_out,
                });
                format!("{object}\n")
            }
            false => format!(
                "{calls} calls: {} the same, {} different, {} not made, {} not compared; {} left \
                 out\n",
                self.same, self.different, self.not_made, self.not_compared, self.left_out
            ),
        };
        output::write(&text)?;
        match self.different + self.not_made {
            0 => Ok(()),
            _ => Err(Failure::Reported),
        }
    }
}

//! The results of other commands, as they wrote them with `--json`, for the page.

use std::path::PathBuf;

use serde::Deserialize;

use crate::case::Transport;
use crate::error::BenchError;
use crate::record::Run;
use crate::scalability::Order;
use crate::step::{Side, Whose};
use crate::system::System;

/// The records of all files.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) scalability: Vec<Scaled>,
    pub(super) probes: Vec<Probed>,
}

/// The times of calls to one of many servants.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Scaled {
    pub(super) system: System,
    pub(super) order: Order,
    /// How many there are; raw sockets have none.
    pub(super) servants: Option<u32>,
    pub(super) median_ns: u64,
}

/// The time of a step of a call.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Probed {
    /// The operation, the octets of its payload and the transport: those with the same are
    /// steps of one call.
    pub(super) case: String,
    pub(super) bytes: Option<u64>,
    pub(super) transport: Transport,
    pub(super) side: Side,
    pub(super) step: String,
    pub(super) whose: Whose,
    pub(super) mean_ns: f64,
    /// The part of it that is the probe itself.
    pub(super) probe_ns: f64,
    /// With the call as a whole: the ORB's time and its share.
    pub(super) orb_ns: Option<f64>,
    pub(super) orb_share: Option<f64>,
}

/// Reads the files.
///
/// # Errors
///
/// [`BenchError::Read`] when one cannot be read, or has no records of `scalability` or
/// `probes`.
pub(super) fn read(files: &[PathBuf]) -> Result<Others, BenchError> {
    let mut others = Others::default();
    for file in files {
        let error = |source| BenchError::Read {
            file: file.clone(),
            source,
        };
        let run = Run::read(file)?;
        match others.add(&run) {
            Ok(true) => {}
            Ok(false) => {
                let text = "it has no records of `scalability` or `probes`";
                return Err(error(text.into()));
            }
            Err(source) => return Err(error(source.into())),
        }
    }
    Ok(others)
}

impl Others {
    /// Adds the rows of a run; false where it has none, or is of a command whose results
    /// are not drawn.
    fn add(&mut self, run: &Run) -> serde_json::Result<bool> {
        for row in &run.rows {
            match &*run.bench {
                "scalability" => self.scalability.push(row.parse()?),
                "probes" => self.probes.push(row.parse()?),
                _ => return Ok(false),
            }
        }
        Ok(!run.rows.is_empty())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two systems, two orders and two numbers of servants; two kinds of calls.
    pub(in crate::goals) fn made_up() -> Others {
        let (mut scalability, mut probes) = (Vec::new(), Vec::new());
        for order in ["random", "train"] {
            scalability.push(serde_json::json!({
                "case": "void", "mode": "same", "system": "raw",
                "transport": "tcp", "rounds": 9, "median_ns": 12_000, "p99_ns": 20_000,
                "order": order,
            }));
            for (system, servants, median_ns) in [
                ("taut", 1, 12_300),
                ("taut", 1_000, 12_400),
                ("omniorb", 1, 12_900),
                ("omniorb", 1_000, 14_000),
            ] {
                scalability.push(serde_json::json!({
                    "case": "void", "mode": "same", "system": system,
                    "transport": "tcp", "rounds": 9, "median_ns": median_ns, "p99_ns": 20_000,
                    "order": order, "servants": servants,
                }));
            }
        }
        for (case, bytes) in [("void", None), ("octet_seq", Some(1_024))] {
            for (side, step, whose, mean_ns) in [
                ("client", "request written", "orb", 110.0),
                ("client", "reply received", "system", 9_890.0),
                ("client", "the call", "whole", 10_000.0),
                ("server", "request framed", "orb", 60.0),
                ("server", "servant returned", "servant", 20.0),
            ] {
                let mut record = serde_json::json!({
                    "case": case, "bytes": bytes, "transport": "tcp",
                    "side": side, "step": step, "whose": whose, "mean_ns": mean_ns,
                    "probe_ns": 10.0,
                });
                if whose == "whole" {
                    record["orb_ns"] = 150.0.into();
                    record["orb_share"] = 0.015.into();
                }
                probes.push(record);
            }
        }
        let mut others = Others::default();
        for (bench, rows) in [("scalability", scalability), ("probes", probes)] {
            let rows = serde_json::from_value(rows.into()).unwrap();
            assert!(others.add(&Run::new(bench, rows)).unwrap());
        }
        others
    }

    #[test]
    fn records_are_told_apart() {
        let others = made_up();
        assert_eq!((others.scalability.len(), others.probes.len()), (10, 10));
    }

    #[test]
    fn what_is_no_result_is_an_error_that_says_so() {
        let error = |path: &str| read(&[path.into()]).unwrap_err().to_string();
        assert!(error("/nonexistent/file.json").contains("/nonexistent/file.json"));
        let file = std::env::temp_dir().join(format!("taut-others-{}", std::process::id()));
        let path = file.to_str().unwrap();
        let run = |bench: &str, rows: &str| {
            format!(r#"{{"format": 1, "bench": "{bench}", "environment": {{}}, "rows": [{rows}]}}"#)
        };
        for (content, complaint) in [
            ("{", "EOF"),
            (&run("probes", ""), "no records"),
            (&run("ping", "{}"), "no records"),
            (&run("probes", "{}"), "missing field"),
        ] {
            std::fs::write(&file, content).unwrap();
            let error = error(path);
            assert!(error.contains(complaint) && error.contains(path), "{error}");
        }
        std::fs::remove_file(file).unwrap();
    }
}

//! The record of a run, for people and for other programs.
//!
//! A [`Run`] has a [`Row`] for everything that was measured: words and numbers that say
//! what it was, and named figures whose names end with their unit. A figure that has a
//! spread has its least and its greatest value beside it. [`crate::render`] makes tables
//! of rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::BenchError;
use crate::machine;
use crate::protocol::Summary;
use crate::statistics::{self, Spread};

/// The version of the format of records. It grows when a field gets another meaning.
pub(crate) const FORMAT: u32 = 1;

/// All that a command has measured, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// [`FORMAT`].
    pub(crate) format: u32,
    /// The command of `taut-bench`.
    pub(crate) bench: String,
    /// The machine and the day, as names with texts.
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) rows: Vec<Row>,
}

impl Run {
    /// A run of a command on this machine, today.
    pub(crate) fn new(bench: &str, rows: Vec<Row>) -> Self {
        let facts = machine::description().into_iter();
        let mut environment: BTreeMap<_, _> =
            facts.map(|(name, text)| (name.to_owned(), text)).collect();
        environment.insert("date".to_owned(), machine::today());
        Self {
            format: FORMAT,
            bench: bench.to_owned(),
            environment,
            rows,
        }
    }

    /// Reads a run from a file.
    ///
    /// # Errors
    ///
    /// [`BenchError::Read`], also when the file has another format.
    pub(crate) fn read(file: &Path) -> Result<Self, BenchError> {
        let error = |source| BenchError::Read {
            file: file.to_path_buf(),
            source,
        };
        let text = fs::read_to_string(file).map_err(|it| error(it.into()))?;
        let run: Self = serde_json::from_str(&text).map_err(|it| error(it.into()))?;
        match run.format {
            FORMAT => Ok(run),
            other => Err(error(
                format!("its format is {other}, {FORMAT} is read").into(),
            )),
        }
    }

    /// Writes the run to a file, as JSON with a line for each row.
    ///
    /// # Errors
    ///
    /// [`BenchError::Write`].
    pub(crate) fn write(&self, file: &Path) -> Result<(), BenchError> {
        let written = self.to_json().map_err(std::io::Error::from);
        let written = written.and_then(|json| fs::write(file, json));
        written.map_err(|source| BenchError::Write {
            file: file.to_path_buf(),
            source,
        })
    }

    fn to_json(&self) -> serde_json::Result<String> {
        let rows: serde_json::Result<Vec<_>> =
            self.rows.iter().map(serde_json::to_string).collect();
        Ok(format!(
            "{{\n\"format\": {},\n\"bench\": {},\n\"environment\": {},\n\"rows\": [\n{}\n]\n}}\n",
            self.format,
            serde_json::to_string(&self.bench)?,
            serde_json::to_string_pretty(&self.environment)?,
            rows?.join(",\n")
        ))
    }
}

/// One thing that was measured. A field that does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Row(Map<String, Value>);

/// The rows of this case, where a record has several.
pub(crate) fn of_case(rows: &[Row], case: &str) -> Vec<Row> {
    let of_case = rows.iter().filter(|row| row.is("case", case));
    of_case.cloned().collect()
}

impl Row {
    /// A row without fields.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A row of calls in rounds: how many `rounds`, and the medians over them of each
    /// round's median and 99th percentile, `median_ns` and `p99_ns`. None without a round.
    pub(crate) fn of_rounds(rounds: &[Summary]) -> Option<Self> {
        let p99 = statistics::median(rounds.iter().map(|round| round.p99_ns))?;
        let row = Self::new().with("rounds", rounds.len());
        let median = statistics::median(Summary::medians(rounds))?;
        Some(row.with("median_ns", median).with("p99_ns", p99))
    }

    /// Adds a field. A value of `None` is left out.
    pub(crate) fn with(mut self, field: &str, value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            // No value of a bench fails to become JSON.
            Ok(Value::Null) | Err(_) => {}
            Ok(value) => _ = self.0.insert(field.to_owned(), value),
        }
        self
    }

    /// Adds all fields of a struct.
    pub(crate) fn with_all(mut self, fields: impl Serialize) -> Self {
        if let Ok(Value::Object(fields)) = serde_json::to_value(fields) {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            self.0.extend(fields);
        }
        self
    }

    /// Adds a figure with its spread, as three fields: the median by the figure's name, the
    /// least and the greatest by this name with `_min` and `_max`.
    pub(crate) fn spread(self, field: &str, spread: Option<Spread>) -> Self {
        self.with(field, spread.map(|it| it.median))
            .with(&format!("{field}_min"), spread.map(|it| it.min))
            .with(&format!("{field}_max"), spread.map(|it| it.max))
    }

    /// Adds the spread over the rounds of how many times its baseline each round's median
    /// is. Left out without a baseline.
    pub(crate) fn ratio(self, field: &str, own: &[Summary], baseline: Option<&[Summary]>) -> Self {
        let ratios =
            baseline.and_then(|it| Spread::of_ratios(Summary::medians(own), Summary::medians(it)));
        self.spread(field, ratios)
    }

    /// The number in a field.
    pub(crate) fn number(&self, field: &str) -> Option<f64> {
        self.0.get(field)?.as_f64()
    }

    /// The figure of this name with its spread.
    pub(crate) fn get_spread(&self, field: &str) -> Option<Spread> {
        Some(Spread {
            median: self.number(field)?,
            min: self.number(&format!("{field}_min"))?,
            max: self.number(&format!("{field}_max"))?,
        })
    }

    /// The field as text; empty when it is absent.
    pub(crate) fn text(&self, field: &str) -> String {
        match self.0.get(field) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// Whether a field has this text; an absent field has none.
    pub(crate) fn is(&self, field: &str, text: &str) -> bool {
        self.text(field) == text
    }

    /// The row as a value of another type.
    ///
    /// # Errors
    ///
    /// When a field that the type needs is missing or something else.
    pub(crate) fn parse<T: for<'a> Deserialize<'a>>(&self) -> serde_json::Result<T> {
        T::deserialize(&Value::Object(self.0.clone()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rounds with these medians; the 99th percentiles are twice as long.
    pub(crate) fn rounds(medians_ns: &[u64]) -> Vec<Summary> {
        let summary = |&median_ns| Summary {
            median_ns,
            p99_ns: 2 * median_ns,
            min_ns: 1,
            max_ns: 1_000_000,
            mean_ns: median_ns,
        };
        medians_ns.iter().map(summary).collect()
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // Round by round 2, 1 and 3; of the medians over all rounds, 1.5.
        let (own, baseline) = (rounds(&[20, 40, 30]), rounds(&[10, 40, 10]));
        let row = Row::of_rounds(&own).unwrap().with("system", "omniorb");
        let row = row.ratio("ratio_raw", &own, Some(&baseline));
        let expected = serde_json::json!({
            "system": "omniorb", "rounds": 3, "median_ns": 30, "p99_ns": 60,
            "ratio_raw": 2.0, "ratio_raw_min": 1.0, "ratio_raw_max": 3.0,
        });
        assert_eq!(serde_json::to_value(&row).unwrap(), expected);
        let spread = row.get_spread("ratio_raw").unwrap();
        assert_eq!((spread.median, spread.min, spread.max), (2.0, 1.0, 3.0));
    }

    #[test]
    fn fields_that_do_not_apply_are_absent() {
        let row = Row::new().ratio("ratio_raw", &rounds(&[20]), None);
        assert_eq!(row.with("bytes", None::<u64>), Row::new());
        assert!(Row::of_rounds(&[]).is_none());
    }

    #[test]
    fn a_run_is_read_as_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("run.json");
        let rows = vec![Row::new().with("case", "void").with("median_ns", 1.5)];
        let mut run = Run::new("ping", rows);
        run.write(&file).unwrap();
        assert_eq!(Run::read(&file).unwrap(), run);
        assert!(run.environment.contains_key("kernel"));

        run.format = FORMAT + 1;
        run.write(&file).unwrap();
        let error = Run::read(&file).unwrap_err().to_string();
        assert!(error.contains("its format is 2, 1 is read"), "{error}");
        let nowhere = Path::new("/nonexistent/file.json");
        assert!(matches!(Run::read(nowhere), Err(BenchError::Read { .. })));
        let written = run.write(nowhere);
        assert!(matches!(written, Err(BenchError::Write { .. })));
    }
}

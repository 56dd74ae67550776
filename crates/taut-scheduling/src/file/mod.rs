//! Descriptions of operations as TOML files.

mod writing;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::anomaly::Anomaly;
use crate::info::CallKind;
use crate::measured::Measurements;
use crate::options::{Limits, Options};
use crate::repository::{Handle, Repository};
use crate::time::parse_time;

/// A file that describes operations, and the options of their analysis.
///
/// ```toml
/// strategy = "rms"
///
/// [[operation]]
/// name = "Radar::sweep"
/// period = "10ms"
/// wcet = "2ms"
/// calls = ["Track::update", { operation = "Log::write", times = 2, oneway = true }]
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Description {
    /// The operations.
    pub repository: Repository,
    /// The options. Those that the file does not have are the defaults.
    pub options: Options,
    /// Where each operation's name stands in the file, as a range of octets, by its handle. Empty
    /// for operations that are only called.
    pub places: Vec<Range<usize>>,
}

/// The reason why a file does not describe operations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the letter in the line, from 1.
    pub column: usize,
    /// The fault, with the remedy.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FileError {}

impl FileError {
    /// The error, with the line that it speaks of.
    pub fn render(&self, path: &str, text: &str) -> String {
        let line = text.lines().nth(self.line.saturating_sub(1)).unwrap_or("");
        let excerpt = excerpt(path, self.line, self.column, line, 1);
        format!("error: {}\n{excerpt}", self.message)
    }

    /// The error at an octet of a text.
    pub(crate) fn at(text: &str, octet: usize, message: impl Into<String>) -> Self {
        let before = text.get(..octet).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    strategy: Option<Spanned<String>>,
    preemption: Option<Spanned<String>>,
    phasing: Option<Spanned<String>>,
    context_switch: Option<Spanned<String>>,
    quantum: Option<Spanned<String>>,
    priorities: Option<Spanned<Priorities>>,
    limits: Option<FileLimits>,
    #[serde(default, rename = "operation")]
    operations: Vec<Operation>,
}

/// Reads the TOML of a file.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        FileError::at(text, start, error.message())
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Priorities {
    lowest: i32,
    highest: i32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    max_operations: Option<usize>,
    max_tasks: Option<usize>,
    max_calls: Option<usize>,
    max_steps: Option<u64>,
    max_jobs: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    name: Spanned<String>,
    wcet: Option<Spanned<String>>,
    typical: Option<Spanned<String>>,
    period: Option<Spanned<String>>,
    deadline: Option<Spanned<String>>,
    offset: Option<Spanned<String>>,
    jitter: Option<Spanned<String>>,
    blocking: Option<Spanned<String>>,
    criticality: Option<Spanned<String>>,
    importance: Option<Spanned<String>>,
    threads: Option<u32>,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a call is the name of an operation, or a table such as \
{ operation = \"Log::write\", times = 2, oneway = true }"
)]
enum Call {
    Name(String),
    Full(FullCall),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullCall {
    operation: String,
    times: Option<u32>,
    #[serde(default)]
    oneway: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredFile {
    measured: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    typical: BTreeMap<String, Spanned<String>>,
}

/// A reader of values, which knows the text for its errors.
struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    /// Reads a value that its text may not be.
    fn read<T, E: fmt::Display>(
        &self,
        value: &Option<Spanned<String>>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, FileError> {
        let Some(value) = value else {
            return Ok(None);
        };
        let fault = |error: E| FileError::at(self.text, value.span().start, error.to_string());
        parse(value.get_ref()).map(Some).map_err(fault)
    }

    fn time(&self, value: &Option<Spanned<String>>) -> Result<Option<u64>, FileError> {
        self.read(value, parse_time)
    }
}

impl Description {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// When it is no TOML, or a value is wrong or unknown. Faults of what the file describes,
    /// such as circles of calls, are found by [`TaskSet::of`](crate::TaskSet::of).
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let max = Limits::default().max_file_octets;
        if text.len() > max {
            let message = format!("the file has more than {max} octets, which is the limit");
            return Err(FileError::at(text, 0, message));
        }
        let file: File = read(text)?;
        let reader = Reader { text };
        let mut description = Self {
            options: options(&reader, &file)?,
            ..Self::default()
        };
        // Handles are in the order of the file, also of operations that others before them call.
        for operation in &file.operations {
            description.repository.refer(operation.name.get_ref());
        }
        for operation in &file.operations {
            description.add(&reader, operation)?;
        }
        let count = description.repository.len();
        description.places.resize(count, 0..0);
        Ok(description)
    }

    /// Adds an operation.
    fn add(&mut self, reader: &Reader<'_>, operation: &Operation) -> Result<(), FileError> {
        let name = operation.name.get_ref();
        let is_there = |handle: &Handle| self.repository[*handle].is_described;
        if self
            .repository
            .lookup(name)
            .is_some_and(|handle| is_there(&handle))
        {
            let message = format!("`{name}` is described twice; give each operation one table");
            return Err(FileError::at(
                reader.text,
                operation.name.span().start,
                message,
            ));
        }
        let handle = self.repository.describe(name);
        self.places.resize(self.repository.len(), 0..0);
        self.places[handle.index()] = operation.name.span();
        let info = &mut self.repository[handle];
        info.worst_case_ns = reader.time(&operation.wcet)?.unwrap_or(0);
        info.typical_ns = reader.time(&operation.typical)?;
        info.period_ns = reader.time(&operation.period)?;
        info.deadline_ns = reader.time(&operation.deadline)?;
        info.offset_ns = reader.time(&operation.offset)?.unwrap_or(0);
        info.jitter_ns = reader.time(&operation.jitter)?.unwrap_or(0);
        info.blocking_ns = reader.time(&operation.blocking)?.unwrap_or(0);
        let criticality = reader.read(&operation.criticality, str::parse)?;
        info.criticality = criticality.unwrap_or_default();
        let importance = reader.read(&operation.importance, str::parse)?;
        info.importance = importance.unwrap_or_default();
        info.threads = operation.threads;
        for call in &operation.calls {
            let (callee, times, oneway) = match call {
                Call::Name(name) => (name, 1, false),
                Call::Full(call) => (&call.operation, call.times.unwrap_or(1), call.oneway),
            };
            let callee = self.repository.refer(callee);
            let kind = match oneway {
                true => CallKind::OneWay,
                false => CallKind::TwoWay,
            };
            self.repository.add_dependency(handle, callee, times, kind);
        }
        Ok(())
    }
}

impl Description {
    /// Shows an anomaly with the line that describes its first operation. `path` and `text` are
    /// those of the file that this description was read from.
    pub fn render(&self, anomaly: &Anomaly, path: &str, text: &str) -> String {
        let (severity, kind) = (anomaly.severity.as_str(), anomaly.kind.as_str());
        let mut shown = format!("{severity}[{kind}]: {}\n", anomaly.message);
        let places = anomaly.operations.iter().filter_map(|handle| {
            let place = self.places.get(handle.index())?.clone();
            (!place.is_empty()).then_some(place)
        });
        if let Some(place) = places.into_iter().next() {
            let at = FileError::at(text, place.start, "");
            let line = text.lines().nth(at.line - 1).unwrap_or("");
            let width = text.get(place).map_or(1, |name| name.chars().count());
            shown.push_str(&excerpt(path, at.line, at.column, line, width));
        }
        if let Some(help) = &anomaly.help {
            shown.push_str(&format!("  = help: {help}\n"));
        }
        shown
    }
}

/// A line of a file, with a mark below.
fn excerpt(path: &str, number: usize, column: usize, line: &str, width: usize) -> String {
    let number = number.to_string();
    let margin = " ".repeat(number.len());
    let before = " ".repeat(column - 1);
    let mark = "^".repeat(width);
    let line = line.replace('\t', " ");
    format!(
        "{margin}--> {path}:{number}:{column}\n{margin} |\n{number} | {line}\n\
         {margin} | {before}{mark}\n"
    )
}

/// The options of a file.
fn options(reader: &Reader<'_>, file: &File) -> Result<Options, FileError> {
    let mut options = Options::new(reader.read(&file.strategy, str::parse)?.unwrap_or_default());
    let preemption = reader.read(&file.preemption, str::parse)?;
    options.preemption = preemption.unwrap_or_default();
    options.phasing = reader.read(&file.phasing, str::parse)?.unwrap_or_default();
    options.context_switch_ns = reader.time(&file.context_switch)?.unwrap_or(0);
    options.quantum_ns = reader.time(&file.quantum)?;
    if let Some(priorities) = &file.priorities {
        let Priorities { lowest, highest } = *priorities.get_ref();
        if lowest > highest {
            let message = format!("the lowest priority, {lowest}, is above the highest, {highest}");
            return Err(FileError::at(reader.text, priorities.span().start, message));
        }
        options.priorities = lowest..=highest;
    }
    if let Some(limits) = &file.limits {
        let own = &mut options.limits;
        own.max_operations = limits.max_operations.unwrap_or(own.max_operations);
        own.max_tasks = limits.max_tasks.unwrap_or(own.max_tasks);
        own.max_calls = limits.max_calls.unwrap_or(own.max_calls);
        own.max_steps = limits.max_steps.unwrap_or(own.max_steps);
        own.max_jobs = limits.max_jobs.unwrap_or(own.max_jobs);
    }
    Ok(options)
}

impl Measurements {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// When it is no TOML, or a time is wrong.
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let file: MeasuredFile = read(text)?;
        let time_ns = |time: &Spanned<String>| {
            parse_time(time.get_ref())
                .map_err(|error| FileError::at(text, time.span().start, error.to_string()))
        };
        let mut measurements = Self::default();
        for (operation, time) in &file.measured {
            measurements.note(operation, time_ns(time)?);
        }
        for (operation, time) in &file.typical {
            let time_ns = time_ns(time)?;
            measurements.typical_ns.insert(operation.clone(), time_ns);
        }
        Ok(measurements)
    }
}

//! Schedules of operations, computed when a program is built.

mod annotations;

use std::fs;
use std::path::{Path, PathBuf};

use taut_idl::{Compilation, Label, Report, Severity, Span};
use taut_scheduling::{
    Anomaly, Description, Faults, Handle, Options, Schedule, TaskSet, analyze, to_rust,
};

use crate::config::Config;
use crate::error::Error;

/// The descriptions of operations from which a schedule is computed, besides the annotations of
/// the IDL.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ScheduleSource {
    /// The options of the analysis. All operations are described by annotations.
    Options(Options),
    /// A TOML file with the options, and with operations that have no annotations.
    File(PathBuf),
}

impl From<Options> for ScheduleSource {
    fn from(options: Options) -> Self {
        Self::Options(options)
    }
}

impl From<&str> for ScheduleSource {
    fn from(path: &str) -> Self {
        Self::File(path.into())
    }
}

impl From<PathBuf> for ScheduleSource {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl Config {
    /// Computes a schedule of the operations that have the annotations `@period`, `@wcet`,
    /// `@deadline`, `@calls` and others, and writes it beside the code, to `<stem>_schedule.rs`:
    /// the crate `taut-scheduling` has it as `SCHEDULE`, with a module `handles`. `source` is the
    /// options of the analysis, or a TOML file that has them and may describe further operations.
    ///
    /// Where a deadline is missed, compiling fails, with an error that names the operations and
    /// the time that is missing.
    pub fn schedule(mut self, source: impl Into<ScheduleSource>) -> Self {
        self.schedule.source = Some(source.into());
        self
    }
}

/// Returns the descriptions of the operations that have the annotations of
/// [`Config::schedule`], with these options of the analysis: for programs that make schedules, or
/// serve them, by themselves.
///
/// # Errors
///
/// When annotations are not understood, with their places.
pub fn describe_operations(
    compilation: &Compilation,
    options: Options,
) -> Result<Description, Error> {
    let (description, file) = read(&ScheduleSource::Options(options))?;
    Ok(gather(compilation, description, file)?.description)
}

/// Adds the annotated operations of the IDL to a description.
fn gather(
    compilation: &Compilation,
    description: Description,
    file: Option<File>,
) -> Result<Gathered, Error> {
    let mut gathered = Gathered {
        places: vec![None; description.repository.len()],
        description,
        file,
        reports: Vec::new(),
    };
    annotations::gather(compilation, &mut gathered);
    if !gathered.reports.is_empty() {
        let rendered = taut_idl::render(&gathered.reports, &compilation.sources, false);
        return Err(Error::Schedule { rendered });
    }
    Ok(gathered)
}

/// The request for a schedule.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    source: Option<ScheduleSource>,
}

/// A TOML file that was read.
struct File {
    path: String,
    text: String,
}

/// The descriptions that were gathered, with their places.
struct Gathered {
    description: Description,
    file: Option<File>,
    /// Where each operation's name stands in the IDL, by its handle.
    places: Vec<Option<Span>>,
    reports: Vec<Report>,
}

impl Request {
    /// Computes the schedule, if one is asked for, and writes it.
    pub(crate) fn write(
        &self,
        compilation: &Compilation,
        out_dir: &Path,
        stem: &str,
    ) -> Result<(), Error> {
        let Some(source) = &self.source else {
            return Ok(());
        };
        let text = compute(source, compilation)?;
        let path = out_dir.join(format!("{stem}_schedule.rs"));
        fs::write(&path, text).map_err(|source| Error::Write { path, source })
    }
}

/// Returns the schedule as Rust; its warnings go to Cargo.
fn compute(source: &ScheduleSource, compilation: &Compilation) -> Result<String, Error> {
    let (description, file) = read(source)?;
    let gathered = gather(compilation, description, file)?;
    let (repository, options) = (
        &gathered.description.repository,
        &gathered.description.options,
    );
    let set = TaskSet::of(repository, &options.limits);
    let set = set.map_err(|Faults(faults)| gathered.error(compilation, &faults))?;
    let analysis = analyze(&set, options).map_err(|error| Error::Schedule {
        rendered: format!("error[schedule]: {error}"),
    })?;
    if !analysis.is_feasible() {
        return Err(gathered.error(compilation, &analysis.anomalies));
    }
    let is_warning = |anomaly: &&Anomaly| anomaly.severity == taut_scheduling::Severity::Warning;
    for anomaly in analysis.anomalies.iter().filter(is_warning) {
        for line in gathered.shown(compilation, anomaly).lines() {
            println!("cargo::warning={line}");
        }
    }
    Ok(to_rust(&Schedule::new(
        repository, &set, &analysis, options,
    )))
}

/// Reads the source's file, if it is one.
fn read(source: &ScheduleSource) -> Result<(Description, Option<File>), Error> {
    let path = match source {
        ScheduleSource::Options(options) => {
            let mut description = Description::default();
            description.options = options.clone();
            return Ok((description, None));
        }
        ScheduleSource::File(path) => path,
    };
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.clone(),
        source,
    })?;
    let path = path.display().to_string();
    let description = Description::from_toml(&text).map_err(|error| Error::Schedule {
        rendered: error.render(&path, &text),
    })?;
    Ok((description, Some(File { path, text })))
}

impl Gathered {
    /// The place of an operation in the IDL.
    fn place(&self, handle: Handle) -> Option<Span> {
        self.places.get(handle.0 as usize).copied().flatten()
    }

    /// Shows an anomaly with the line that describes its operation.
    fn shown(&self, compilation: &Compilation, anomaly: &Anomaly) -> String {
        let mut places = anomaly
            .operations
            .iter()
            .filter_map(|handle| self.place(*handle));
        let primary = places.next();
        let first = anomaly.operations.first();
        if let (Some(file), true) = (&self.file, first.is_none_or(|it| self.place(*it).is_none())) {
            return self.description.render(anomaly, &file.path, &file.text);
        }
        let label = |span| Label {
            span,
            message: String::new(),
        };
        let report = Report {
            severity: match anomaly.severity >= taut_scheduling::Severity::Error {
                true => Severity::Error,
                false => Severity::Warning,
            },
            code: anomaly.kind.as_str(),
            message: anomaly.message.clone(),
            primary: primary.map(label),
            secondary: places.map(label).collect(),
            help: anomaly.help.clone(),
        };
        taut_idl::render(&[report], &compilation.sources, false)
    }

    /// The error for anomalies of which some are grave.
    fn error(&self, compilation: &Compilation, anomalies: &[Anomaly]) -> Error {
        let is_told = |anomaly: &&Anomaly| anomaly.severity > taut_scheduling::Severity::None;
        let shown = anomalies.iter().filter(is_told);
        let shown = shown.map(|anomaly| self.shown(compilation, anomaly));
        let shown: Vec<_> = shown.map(|text| text.trim_end().to_owned()).collect();
        Error::Schedule {
            rendered: shown.join("\n\n"),
        }
    }
}

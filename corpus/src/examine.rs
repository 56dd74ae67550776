//! The examination of one file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use taut_build::{GenerateOptions, generate};
use taut_idl::Compilation;

use crate::error::CorpusError;
use crate::omniidl::{self, Verdict};
use crate::outline::outline;
use crate::packages::File;

/// How often a file is checked and generated; the median of the times counts.
/// Without optimization nobody wants to know the times.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 7 };

/// A stage of the examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The front end: it is understood.
    Check,
    /// The generator: Rust is made of it.
    Generate,
    /// The Rust compiler: that is compiled, without a warning of clippy's.
    Compile,
    /// The comparison with omniidl.
    Omniidl,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Check, Self::Generate, Self::Compile, Self::Omniidl];

    /// As lists and tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Generate => "generate",
            Self::Compile => "compile",
            Self::Omniidl => "omniidl",
        }
    }
}

/// The findings about a file.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The file.
    pub file: File,
    /// Lines of the file alone.
    pub lines: usize,
    /// Lines of the file and of all that it includes, each file once.
    pub lines_with_includes: usize,
    /// Definitions, those of included files too.
    pub definitions: usize,
    /// How long the check took.
    pub check: Duration,
    /// How long the generation took.
    pub generation: Duration,
    /// The generated Rust, if it came to that.
    pub rust: Option<String>,
    /// Whether omniidl refuses the file, and why.
    pub refused: Option<String>,
    /// The first stage that the file did not pass, and why; but when omniidl
    /// has another opinion, that alone.
    pub failure: Option<(Stage, String)>,
}

/// Where the parts of the workspace lie that an examination needs.
#[derive(Debug, Clone)]
pub struct Places {
    /// The directory with the back end for omniidl.
    pub back_end: PathBuf,
    /// The directory with the standard's files that Taut has built in.
    pub built_in: PathBuf,
}

impl Places {
    /// The places below the workspace's root.
    pub fn of(root: &Path) -> Self {
        Self {
            back_end: root.join("interop/peers/omniidl"),
            built_in: root.join("crates/taut-idl/src/built_in"),
        }
    }
}

/// Checks a file, makes Rust of it, and asks omniidl about it.
///
/// # Errors
///
/// When that could not be done; never for what the file says.
pub fn examine(file: &File, places: &Places) -> Result<Finding, CorpusError> {
    let (check, compilation) = timed(|| front_end(file));
    let generation = generate_options(file);

    let mut failure = None;
    let mut rust = None;
    let mut generation_time = Duration::ZERO;
    if compilation.has_errors() {
        failure = Some((Stage::Check, first_error(&compilation)));
    } else {
        let (time, generated) = timed(|| generate(&compilation.model, &generation));
        generation_time = time;
        match generated {
            Ok(text) => rust = Some(text),
            Err(errors) => {
                let why = errors.first().map(|error| error.message.clone());
                failure = Some((Stage::Generate, why.unwrap_or_default()));
            }
        }
    }
    let mut refused = None;
    match omniidl::run(file, &places.back_end, &places.built_in)? {
        Verdict::Refused(why) => refused = Some(why),
        Verdict::Outline(theirs) if !compilation.has_errors() => {
            let differences = differences(&outline(&compilation.model), &theirs);
            if failure.is_none() && !differences.is_empty() {
                failure = Some((Stage::Omniidl, differences.join("\n")));
            }
        }
        Verdict::Outline(_) => {}
    }
    let lines = lines(&file.path)?;
    let mut lines_with_includes = 0;
    for path in &compilation.dependencies {
        lines_with_includes += self::lines(path)?;
    }
    Ok(Finding {
        file: file.clone(),
        lines,
        lines_with_includes,
        definitions: compilation.model.definitions().count(),
        check,
        generation: generation_time,
        rust,
        refused,
        failure,
    })
}

/// Makes Rust of a file; none if it is wrong or has no mapping.
pub fn rust(file: &File) -> Option<String> {
    let compilation = front_end(file);
    if compilation.has_errors() {
        return None;
    }
    generate(&compilation.model, &generate_options(file)).ok()
}

fn front_end(file: &File) -> Compilation {
    let defines = file.options.defines.iter();
    let options = taut_idl::Options {
        include_paths: file.options.includes.clone(),
        defines: defines.map(|name| ((*name).to_owned(), None)).collect(),
        ..taut_idl::Options::default()
    };
    taut_idl::compile(&[&file.path], &options)
}

fn generate_options(file: &File) -> GenerateOptions {
    let mut options = GenerateOptions::default();
    options.sources = vec![file.name.clone()];
    options
}

/// The median time of some rounds, and the result of the first.
fn timed<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut round = || {
        let started = Instant::now();
        let result = work();
        (started.elapsed(), result)
    };
    let (time, result) = round();
    let mut times = vec![time];
    while times.len() < ROUNDS {
        times.push(round().0);
    }
    times.sort();
    (times[times.len() / 2], result)
}

fn first_error(compilation: &Compilation) -> String {
    let mut errors = compilation.diagnostics.iter();
    errors
        .find(|diagnostic| diagnostic.severity == taut_idl::Severity::Error)
        .map(|diagnostic| diagnostic.message.clone())
        .unwrap_or_default()
}

/// Returns the lines that only one of the two has, each marked with its origin.
fn differences(ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> Vec<String> {
    let only_ours = ours.difference(theirs).map(|line| format!("taut: {line}"));
    let only_theirs = theirs
        .difference(ours)
        .map(|line| format!("omniidl: {line}"));
    only_ours.chain(only_theirs).collect()
}

fn lines(path: &Path) -> Result<usize, CorpusError> {
    let octets = fs::read(path).map_err(|source| CorpusError::File {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(octets.split(|octet| *octet == b'\n').count() - usize::from(octets.ends_with(b"\n")))
}

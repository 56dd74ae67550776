//! The front end for OMG IDL: source text to a checked [`Model`] and
//! [`Diagnostic`]s.
//!
//! [`compile`] reads main files with all that they include, as one
//! specification, and answers a [`Compilation`]: what was understood, and what
//! is to be said about the source. It never stops at the first error, and no
//! input makes it panic or run for ever: what a source may ask for is bounded
//! by [`Limits`].
//!
//! ```no_run
//! let compilation = taut_idl::compile(&["bank.idl"], &taut_idl::Options::default());
//! eprint!("{}", compilation.render(false));
//! if let Some(id) = compilation.model.find(&["Bank", "Account"]) {
//!     println!("{}", compilation.model.get(id).repository_id);
//! }
//! ```
//!
//! Nor does it take much memory: at most 64 bytes for each byte of the files
//! that were read, and 8 MiB besides, with what [`Limits::added_tokens`] and
//! [`Limits::diagnostics`] allow. The allowances [`Limits::expansion`] and
//! [`Limits::repeated_bytes`] come on top, as far as they exceed the text of the files.
//!
//! # How it works
//!
//! The preprocessor turns files into tokens that keep their places in the
//! files; the parser turns tokens into a syntax tree; the resolver looks up
//! names, computes constants, checks the rules of IDL and builds the model.
//! All are written by hand. So is the lexer: line splices within tokens,
//! ISO 8859-1 text, directives that end with their line and comments that
//! become documentation fit a generated one badly.
//!
//! # What it is not
//!
//! It knows nothing of Rust, of wire formats or of generated code.
//!
//! # What it reads
//!
//! IDL as CORBA 3.3 part 1 has it, with what IDL 4.2 adds by way of extended
//! data types and annotations; both with the
//! leniency that older sources need. Words that became keywords late are names
//! wherever they cannot be keywords. Components with their homes, ports and
//! connectors are read as IDL 4.2 has them. Template modules are checked where
//! they stand, and their instances are modules of the model.
//!
//! `#include <orb.idl>`, `<IOP.idl>`, `<Messaging.idl>` and `<TimeBase.idl>` find files of its
//! own when the include paths have none; `CORBA::TypeCode` is known without them.

pub mod bounded;
pub mod bundle;
mod diagnostic;
pub mod fmt;
pub mod implied;
mod json;
mod lean;
mod lex;
mod loader;
pub mod model;
mod number;
mod options;
mod parse;
mod preprocess;
mod render;
mod report;
mod resolve;
mod severity;
pub mod source;
mod spelling;
mod syntax;

use std::path::{Path, PathBuf};

pub use arcstr::ArcStr;
pub use diagnostic::{Diagnostic, DiagnosticCode, Label};
pub use json::to_json;
pub use loader::{FileLoader, FileSystem};
pub use model::Model;
pub use options::{Limits, ModuleIds, Options, PrefixInModule};
pub use render::render;
pub use report::Report;
pub use severity::{Severity, WarningLevels};
pub use source::{FileId, SourceMap, Span};

/// The outcome of compiling.
#[derive(Debug, Clone)]
pub struct Compilation {
    /// The model of the source, as far as it was understood. Complete when there are no
    /// errors.
    pub model: Model,
    /// Errors and warnings: file by file as these were read, within a file in
    /// the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read.
    pub sources: SourceMap,
    /// The paths of all files that were read, main files and included ones,
    /// each once.
    pub dependencies: Vec<PathBuf>,
}

impl Compilation {
    /// Whether the source is wrong, so that nothing should be made of the model.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The diagnostics as text that shows the lines they speak of, with ANSI
    /// escape codes for colours if these are wanted. Empty without diagnostics.
    pub fn render(&self, color: bool) -> String {
        render(&self.reports(), &self.sources, color)
    }

    /// The diagnostics as a JSON array (RFC 8259) with an object for each:
    ///
    /// - `severity`: `"error"` or `"warning"`
    /// - `code`: as of [`DiagnosticCode::as_str`]
    /// - `message`, and `help` or null
    /// - `primary`, and the array `secondary`: places, each with its `file`;
    ///   `start` and `end` in bytes from the file's start; `line`, `column`,
    ///   `end_line` and `end_column`, counted from 1, columns in bytes; and a
    ///   `message`, which may be empty.
    ///
    /// Newer versions may add members.
    pub fn to_json(&self) -> String {
        to_json(&self.reports(), &self.sources)
    }

    /// The diagnostics, as what others have to say about the sources may be
    /// rendered beside them.
    pub fn reports(&self) -> Vec<Report> {
        self.diagnostics.iter().map(Report::from).collect()
    }
}

/// The outcome of preprocessing.
#[derive(Debug, Clone)]
pub struct Preprocessing {
    /// How many tokens there are for a parser.
    pub tokens: usize,
    /// Errors and warnings, in the order of [`Compilation::diagnostics`].
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read.
    pub sources: SourceMap,
    /// The paths of all files that were read, as of
    /// [`Compilation::dependencies`].
    pub dependencies: Vec<PathBuf>,
}

/// Only preprocesses main files: for tools that want to know which files a
/// specification is made of, sound or not.
pub fn preprocess_with(
    files: &[impl AsRef<Path>],
    options: &Options,
    loader: &mut dyn FileLoader,
) -> Preprocessing {
    let mut sources = SourceMap::default();
    let mut diagnostics = diagnostic::Diagnostics::new(options.limits.diagnostics);
    let preprocessed = preprocess::preprocess(
        &paths(files),
        options,
        loader,
        &mut sources,
        &mut diagnostics,
    );
    Preprocessing {
        // The last one only marks the end.
        tokens: preprocessed.tokens.len() - 1,
        diagnostics: diagnostics.into_list(&options.warnings),
        sources,
        dependencies: preprocessed.dependencies,
    }
}

fn paths(files: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let paths = files.iter().map(|file| file.as_ref().to_path_buf());
    paths.collect()
}

/// Compiles main files from the file system as one specification: macros and
/// include guards are shared, and a file that another includes counts once.
pub fn compile(files: &[impl AsRef<Path>], options: &Options) -> Compilation {
    compile_with(files, options, &mut FileSystem)
}

/// As [`compile`], with files from wherever the loader takes them.
pub fn compile_with(
    files: &[impl AsRef<Path>],
    options: &Options,
    loader: &mut dyn FileLoader,
) -> Compilation {
    let mut sources = SourceMap::default();
    let mut diagnostics = diagnostic::Diagnostics::new(options.limits.diagnostics);
    let mut preprocessed = preprocess::preprocess(
        &paths(files),
        options,
        loader,
        &mut sources,
        &mut diagnostics,
    );
    let dependencies = std::mem::take(&mut preprocessed.dependencies);
    let items = parse::parse(
        preprocessed,
        options.limits.nesting,
        &sources,
        &mut diagnostics,
    );
    let model = resolve::resolve(items, options, &sources, &mut diagnostics);
    Compilation {
        model,
        diagnostics: diagnostics.into_list(&options.warnings),
        sources,
        dependencies,
    }
}

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

//! `taut idl`: checks IDL, makes Rust of it, shows its model, lays it out.

mod dump;
mod layout;

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueHint};
use taut_build::{
    Answering, Dispatch, GenerateOptions, GenerateWarningKind, Marshaling, UnknownStrategy,
};
use taut_idl::{
    Compilation, DiagnosticCode, Options, PrefixInModule, Report, Severity, WarningLevels,
};

use crate::failure::Failure;
use crate::listed::Listed;
use crate::output;

/// Check IDL, generate Rust from it, show its model, or format it
///
/// The compiler reads all of OMG IDL 2.x and 3.x with value types, most of 4.2, and the
/// preprocessor's directives. Errors show the line and the remedy.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check IDL files and report errors
    ///
    /// Compiles the files as one specification. Errors and warnings go to standard error; sound
    /// files give no output.
    #[command(after_help = "\
Exit status: 0 when there are no errors, 1 when there are, 2 when the command line is wrong.

Examples:
  taut idl check -I /usr/share/idl/omniORB bank.idl")]
    Check(Sources),
    /// Generate Rust from IDL files
    ///
    /// Compiles the files as one specification and writes one Rust file with the types, stubs and
    /// skeletons of everything that they define and include.
    #[command(after_help = "\
A crate is better served by a build script that calls taut-build, which generates the same code:
  taut_build::compile(&[\"idl/bank.idl\"])

Examples:
  taut idl gen -I idl --extern-module CosNaming=::taut_naming::cos_naming bank.idl -o bank.rs")]
    Gen {
        #[command(flatten)]
        sources: Sources,
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
        /// Take the Rust code of an IDL module from this path instead of generating it;
        /// repeatable
        #[arg(long, value_name = "MODULE=PATH", value_parser = pair, value_hint = ValueHint::Other)]
        extern_module: Vec<(String, String)>,
        /// Give the definition with this scoped name another name in Rust; repeatable
        #[arg(long, value_name = "A::B=NAME", value_parser = pair, value_hint = ValueHint::Other)]
        rename: Vec<(String, String)>,
        /// Also generate the modules CORBA and TimeBase, which otherwise come from the crate taut
        #[arg(long)]
        generate_standard_modules: bool,
        /// Use this many threads, which does not change the code; by default as many as help
        #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other)]
        threads: Option<NonZero<usize>>,
        #[command(flatten)]
        strategies: Strategies,
    },
    /// Show the checked model of IDL files as JSON
    ///
    /// Writes one object with every definition: its kind, names, repository id, types, values,
    /// documentation and place in the source.
    #[command(after_help = "\
The members of the objects are described in docs/idl-json.md of Taut's sources.

Examples:
  taut idl dump -I idl bank.idl | jq '.definitions[].name'")]
    Dump {
        #[command(flatten)]
        sources: Sources,
        /// Also show the definitions of included files
        #[arg(long)]
        included: bool,
    },
    /// Format IDL files in the canonical layout
    ///
    /// Rewrites the files in place. Only blanks and line ends change: comments, directives and the
    /// spelling of all else stay. A file with a lexical error is left as it is.
    #[command(after_help = "\
Exit status: 0 when all files have the canonical layout, 1 when --check finds one that has not or
a file cannot be formatted.

Examples:
  taut idl fmt --check idl/*.idl")]
    Fmt(layout::Files),
}

/// Ways that the generated code may go.
#[derive(Debug, clap::Args)]
struct Strategies {
    /// Also generate methods ..._view, which leave resulting sequences of primitives in the message
    #[arg(long)]
    views: bool,
    /// Also generate the callback and polling models of asynchronous calls, sendc_... and sendp_...,
    /// for an operation, an interface or a module; repeatable
    #[arg(long, value_name = "A::B", value_hint = ValueHint::Other)]
    ami: Vec<String>,
    /// Marshal values by code, which is fast, or by tables, which are small: compiled (the
    /// default), interpretive
    #[arg(long, value_name = "STRATEGY", value_parser = MARSHALING, hide_possible_values = true)]
    marshaling: Option<Marshaling>,
    /// Choose the marshaling of an operation, a type, an interface, a module or a file; repeatable
    #[arg(long, value_name = "A::B=STRATEGY", value_parser = pair, value_hint = ValueHint::Other)]
    marshaling_of: Vec<(String, String)>,
    /// Choose how skeletons find operations: perfect_hash (the default), binary_search,
    /// dynamic_hash, linear
    #[arg(long, value_name = "STRATEGY", value_parser = DISPATCH, hide_possible_values = true)]
    dispatch: Option<Dispatch>,
    /// Choose how the skeletons of an interface or a module find operations; repeatable
    #[arg(long, value_name = "A::B=STRATEGY", value_parser = pair, value_hint = ValueHint::Other)]
    dispatch_of: Vec<(String, String)>,
    /// Choose how servants answer requests: at_once (the default), future, responder
    #[arg(long, value_name = "STRATEGY", value_parser = ANSWERING, hide_possible_values = true)]
    answering: Option<Answering>,
    /// Choose how requests of an operation, an interface or a module are answered; repeatable
    #[arg(long, value_name = "A::B=STRATEGY", value_parser = pair, value_hint = ValueHint::Other)]
    answering_of: Vec<(String, String)>,
}

impl Strategies {
    /// Sets them in `options`.
    fn choose(
        &self,
        options: &mut GenerateOptions,
        compilation: &Compilation,
    ) -> Result<(), Failure> {
        let unknown = |error: UnknownStrategy| Failure::new(error.to_string());
        options.views = self.views;
        let ami = self.ami.iter().map(|name| (name.clone(), true));
        options.ami.extend(ami);
        options.marshaling = self.marshaling.unwrap_or_default();
        options.dispatch = self.dispatch.unwrap_or_default();
        for (name, strategy) in &self.marshaling_of {
            let strategy = strategy.parse().map_err(unknown)?;
            if !name.contains(['.', '/']) {
                options.marshaling_of.insert(name.clone(), strategy);
                continue;
            }
            let sources = &compilation.sources;
            if options.set_marshaling_of_file(sources, Path::new(name), strategy) == 0 {
                let message = format!("the file {name} is neither compiled nor included");
                return Err(Failure::new(message));
            }
        }
        for (name, strategy) in &self.dispatch_of {
            let strategy = strategy.parse().map_err(unknown)?;
            options.dispatch_of.insert(name.clone(), strategy);
        }
        options.answering = self.answering.unwrap_or_default();
        for (name, strategy) in &self.answering_of {
            let strategy = strategy.parse().map_err(unknown)?;
            options.answering_of.insert(name.clone(), strategy);
        }
        Ok(())
    }
}

/// The files that are compiled, and the options.
#[derive(Debug, clap::Args)]
struct Sources {
    /// The IDL files, compiled as one specification
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Define a macro, as 1 unless a value is given; repeatable
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition,
          value_hint = ValueHint::Other)]
    define: Vec<(String, Option<String>)>,
    /// Choose how #pragma prefix inside a module changes the repository ids of its members
    #[arg(long, value_name = "HOW", default_value = "restart")]
    prefix_in_module: Prefix,
    /// Give the repository ids of a module and of all in it this prefix; repeatable
    #[arg(long, value_name = "MODULE=PREFIX", value_parser = pair_or_empty,
          value_hint = ValueHint::Other)]
    module_prefix: Vec<(String, String)>,
    /// Give the repository ids of a module and of all in it this version, such as 2.3; repeatable
    #[arg(long, value_name = "MODULE=VERSION", value_parser = pair, value_hint = ValueHint::Other)]
    module_version: Vec<(String, String)>,
    #[command(flatten)]
    reporting: Reporting,
}

/// The reports about IDL, and their form.
#[derive(Debug, clap::Args)]
struct Reporting {
    /// Suppress warnings with this code, such as anonymous-type; repeatable
    #[arg(long, value_name = "CODE", value_parser = WARNING_CODE, hide_possible_values = true)]
    allow: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// Write errors and warnings as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Prefix {
    /// The path starts again at the prefix, as with omniORB and JacORB
    Restart,
    /// The modules stay in the path behind the prefix, as with TAO
    Keep,
}

/// Runs the command.
///
/// # Errors
///
/// When the IDL is wrong, or the output cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Check(sources) => {
            let compilation = compile(sources);
            report(sources, &compilation, &compilation.reports())
        }
        Command::Dump { sources, included } => {
            let compilation = compile(sources);
            report(sources, &compilation, &compilation.reports())?;
            let text = dump::dump(&compilation, *included);
            Ok(output::write(&text.map_err(std::io::Error::from)?)?)
        }
        Command::Fmt(files) => layout::run(files),
        Command::Gen {
            sources,
            output,
            extern_module,
            rename,
            generate_standard_modules,
            threads,
            strategies,
        } => {
            let mut options = GenerateOptions::default();
            options.extern_modules = extern_module.iter().cloned().collect();
            options.generate_standard_modules = *generate_standard_modules;
            options.threads = *threads;
            options.renames = rename.iter().cloned().collect();
            let compilation = compile(sources);
            strategies.choose(&mut options, &compilation)?;
            let names = sources.files.iter().filter_map(|file| file.file_name());
            options.sources = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            let text = generate(sources, &compilation, &options)?;
            match output {
                None => Ok(output::write_code(&text)?),
                Some(path) => std::fs::write(path, text).map_err(|error| {
                    Failure::Message(format!("{} cannot be written: {error}", path.display()))
                }),
            }
        }
    }
}

/// Compiles IDL that another command needs, and reports its errors.
///
/// # Errors
///
/// When there are errors.
pub(crate) fn compile_without_errors(
    files: &[PathBuf],
    options: &Options,
) -> Result<Compilation, Failure> {
    let compilation = taut_idl::compile(files, options);
    if compilation.has_errors() {
        output::complain(&compilation.render(true));
        return Err(Failure::Reported);
    }
    Ok(compilation)
}

fn compile(sources: &Sources) -> Compilation {
    let mut options = Options::default();
    options.include_paths.clone_from(&sources.include);
    options.defines.clone_from(&sources.define);
    options.prefix_in_module = match sources.prefix_in_module {
        Prefix::Restart => PrefixInModule::Restart,
        Prefix::Keep => PrefixInModule::Keep,
    };
    for (module, prefix) in &sources.module_prefix {
        options.ids_of(module).prefix = Some(prefix.clone());
    }
    for (module, version) in &sources.module_version {
        options.ids_of(module).version = Some(version.clone());
    }
    options.warnings = sources.reporting.levels();
    taut_idl::compile(&sources.files, &options)
}

fn generate(
    sources: &Sources,
    compilation: &Compilation,
    options: &GenerateOptions,
) -> Result<String, Failure> {
    let mut reports = compilation.reports();
    let text = match compilation.has_errors() {
        true => None,
        false => match taut_build::generate_with_warnings(&compilation.model, options) {
            Ok((text, warnings)) => {
                let levels = sources.reporting.levels();
                reports.extend(taut_build::with_levels(&warnings, &levels));
                Some(text)
            }
            Err(errors) => {
                reports.extend(errors.iter().map(Report::from));
                None
            }
        },
    };
    report(sources, compilation, &reports)?;
    text.ok_or(Failure::Reported)
}

impl Reporting {
    fn levels(&self) -> WarningLevels {
        WarningLevels {
            allowed: self.allow.iter().cloned().collect(),
            denied: self.deny_warnings,
        }
    }
}

/// Writes what there is to say; fails if there are errors.
fn report(sources: &Sources, compilation: &Compilation, reports: &[Report]) -> Result<(), Failure> {
    let is_error = |report: &&Report| report.severity == Severity::Error;
    let errors = reports.iter().filter(is_error).count();
    if sources.reporting.json {
        output::complain(&taut_idl::to_json(reports, &compilation.sources));
        return match errors {
            0 => Ok(()),
            _ => Err(Failure::Reported),
        };
    }
    output::complain(&taut_idl::render(reports, &compilation.sources, true));
    if errors == 0 {
        return Ok(());
    }
    output::complain("\n");
    Err(Failure::new(match errors {
        1 => "1 error in the IDL".to_owned(),
        count => format!("{count} errors in the IDL"),
    }))
}

/// The codes of warnings.
const WARNING_CODE: Listed<String> = Listed {
    names: || warning_codes().collect(),
    parse: warning_code,
};

/// The ways in which values are marshaled.
const MARSHALING: Listed<Marshaling> = Listed {
    names: || vec!["compiled", "interpretive"],
    parse: |text| {
        text.parse()
            .map_err(|error: UnknownStrategy| error.to_string())
    },
};

/// The ways in which skeletons find operations.
const DISPATCH: Listed<Dispatch> = Listed {
    names: || vec!["perfect_hash", "binary_search", "dynamic_hash", "linear"],
    parse: |text| {
        text.parse()
            .map_err(|error: UnknownStrategy| error.to_string())
    },
};

/// The ways in which servants answer.
const ANSWERING: Listed<Answering> = Listed {
    names: || vec!["at_once", "future", "responder"],
    parse: |text| {
        text.parse()
            .map_err(|error: UnknownStrategy| error.to_string())
    },
};

fn warning_codes() -> impl Iterator<Item = &'static str> {
    let of_idl = DiagnosticCode::ALL.iter().map(|code| code.as_str());
    let of_rust = GenerateWarningKind::ALL.iter().map(|kind| kind.as_str());
    of_idl.chain(of_rust)
}

/// The code of a warning that there is.
fn warning_code(text: &str) -> Result<String, String> {
    match warning_codes().any(|code| code == text) {
        true => Ok(text.to_owned()),
        false => Err("no warning has this code; it stands in brackets behind `warning`".to_owned()),
    }
}

/// `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("write NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// `NAME=VALUE`, where the value may be empty.
fn pair_or_empty(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write the name, = and what it stands for".to_owned()),
    }
}

/// `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("write the name, = and what it stands for".to_owned()),
    }
}
